import { join } from 'node:path'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { launch } from './support/drivenApp'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { picture } from './support/screens'

/** The Printers tab of a station with one network printer; nothing listens at its address. */
async function printersTab(language: 'en' | 'nl' = 'en'): Promise<Page> {
  const folder = await temporaryFolder()
  const simulator = await testSimulator()
  const provision = await provisionSwitch(folder, {
    ...stationProvisioning(simulator.baseUrl),
    language,
    printers: [{ id: 'zebra', driver: 'socket', host: '127.0.0.1', port: 1 }],
    routing: [{ printer: 'zebra' }],
  })
  const { page } = await launch(join(folder, 'data'), [provision])
  await openPrinters(page)
  return page
}

async function openPrinters(page: Page): Promise<void> {
  await page.keyboard.press('Control+6')
  await page.getByRole('tab', { name: 'Printers' }).click()
}

const fold = (page: Page) => page.getByRole('button', { name: 'Fine tuning' })
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })

describe('a printer’s settings', () => {
  it('unfold the fine tuning and move the focus to an invalid field in it', async () => {
    const page = await printersTab()
    await fold(page).click()
    const darkness = page.getByLabel('Darkness (0–30)')
    await darkness.fill('99')
    await fold(page).click()
    await darkness.waitFor({ state: 'detached' })
    await save(page).click()
    await page.getByText('Darkness (0–30): at most 30.').waitFor()
    await expect.poll(() => darkness.evaluate((field) => field === document.activeElement)).toBe(true)
    await picture(page, 'fine-tuning-fault')
    await page.keyboard.press('Control+1')
    await openPrinters(page)
    await page.getByText('Darkness (0–30): at most 30.').waitFor()
    await darkness.fill('12')
    await save(page).click()
    await page.getByText('Saved', { exact: true }).waitFor()
  })

  it('omit the settings that the printer’s language does not have', async () => {
    const page = await printersTab()
    await fold(page).click()
    await page.getByLabel('Darker (−30 to 30)').fill('99')
    await page.getByLabel('Printer language').selectOption('epl2')
    await save(page).click()
    await page.getByText('Saved', { exact: true }).waitFor()
  })

  it('must be saved before a test label can be printed with them', async () => {
    const page = await printersTab()
    const testLabel = page.getByRole('button', { name: 'Print a test label' })
    const calibrate = page.getByRole('button', { name: 'Calibrate stock' })
    expect([await testLabel.isEnabled(), await calibrate.isEnabled()]).toEqual([true, true])
    await page.getByLabel('Printer language').selectOption('tspl')
    expect([await testLabel.isDisabled(), await calibrate.isDisabled()]).toEqual([true, true])
    expect(await calibrate.getAttribute('title')).toBe('Save the printer first, then print a test label.')
    await picture(page, 'save-first')
    await save(page).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect([await testLabel.isEnabled(), await calibrate.isEnabled()]).toEqual([true, true])
  })
})
