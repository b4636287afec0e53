import { join } from 'node:path'
import type { Page } from 'playwright'

/** The input of an operator; pass the fields that matter to the test. */
export interface Typed {
  Reference: string
  'Last name'?: string
  [label: string]: string | undefined
}

/** Opens a screen by its button in the navigation. */
export async function open(
  page: Page,
  screen: 'Ship' | 'Orders' | 'Track' | 'History' | 'Queue' | 'Manifests' | 'Settings',
): Promise<void> {
  await page.getByRole('navigation').getByRole('button', { name: screen, exact: true }).click()
}

/** Types a shipment into the Ship screen. Nothing is sent. */
export async function fillShipment(page: Page, typed: Typed): Promise<void> {
  const complete: Typed = {
    'First name': 'Jannie',
    'Last name': 'de Vries',
    Street: 'Keizersgracht',
    'House number': '12A',
    'Postal code': '1015 CJ',
    City: 'Amsterdam',
    'Weight (kg)': '1.25',
    ...typed,
  }
  for (const [label, value] of Object.entries(complete)) {
    if (value !== undefined) await page.getByLabel(label, { exact: true }).fill(value)
  }
}

/** Presses Tab until the element with this name has the focus. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const wanted = page.locator(':focus').and(page.getByLabel(name).or(page.getByRole('button', { name })))
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await wanted.count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reached ${name}`)
}

/** Chooses an option of a select. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  await page
    .locator('input')
    .and(page.getByLabel(label, { exact: true }))
    .click()
  await page.getByRole('option', { name: option }).first().click()
}

/** Waits for an outcome in the given state, and returns its barcode and text. */
export async function outcome(page: Page, state: string): Promise<{ barcode: string; text: string }> {
  const panel = page.locator(`[data-testid="outcome"][data-state="${state}"]`)
  await panel.waitFor()
  return {
    barcode: (await panel.getAttribute('data-barcode')) ?? '',
    text: (await panel.textContent()) ?? '',
  }
}

/** Waits until a print job of the outcome is in the given state, and returns the path of the printed file. */
export async function printed(page: Page, state = 'done'): Promise<string> {
  const job = page.locator(`[data-testid="job"][data-state="${state}"]`).first()
  await job.waitFor()
  return (await job.getAttribute('data-file')) ?? ''
}

/** Saves a picture of the window in the folder that PACKBENCH_PICTURES names, if any. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PACKBENCH_PICTURES
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) })
}
