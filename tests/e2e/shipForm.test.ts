import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import type { SettingsChange } from '../../src/shared/settings'
import { clippedElements } from './support/accessibility'
import { sharedStation } from './support/provisioned'
import { fillShipment, outcome, picture } from './support/screens'

const shared = sharedStation()

/** A station whose notices were dismissed, so that the form has the whole window. */
async function station(change: SettingsChange = {}): Promise<Page> {
  const { page } = await shared()
  await page.evaluate((given) => window.packbench.changeSettings(given), change)
  const close = page.getByRole('button', { name: 'Dismiss' })
  await close.first().waitFor()
  for (let left = await close.count(); left > 0; left -= 1) {
    await close.first().click()
    await expect.poll(() => close.count()).toBe(left - 1)
  }
  return page
}

/** The height in pixels of the part of the form below its visible area. */
async function hiddenHeight(page: Page): Promise<number> {
  return page
    .getByTestId('ship-form')
    .evaluate((form) =>
      form.parentElement ? form.parentElement.scrollHeight - form.parentElement.clientHeight : -1,
    )
}

/**
 * Presses the mouse button on «More fields», and releases it at the same place once the page has rendered the effects of
 * leaving a field, as a person's click does.
 */
async function opensMoreFields(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: 'More fields' })
  const box = await more.boundingBox()
  if (box === null) throw new Error('the button is not on the screen')
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  await page.mouse.up()
  await expect.poll(() => more.getAttribute('aria-expanded')).toBe('true')
}

describe('a click on a control below a field whose text changes when it is left', () => {
  it('hits the control while advice appears', async () => {
    const page = await station()
    await page.getByLabel('E-mail', { exact: true }).fill('not an address')
    await opensMoreFields(page)
    await page.getByText('This does not look like an e-mail address.').waitFor()
  })

  it('hits the control while an error disappears', async () => {
    const page = await station({ shipmentDefaults: { weight: 1 } })
    const country = page.locator('input').and(page.getByLabel('Country', { exact: true }))
    await fillShipment(page, { Reference: 'ORDER-1' })
    await page.keyboard.press('F9')
    const fault = page.getByText('Choose a country from the list.')
    await fault.waitFor()
    await country.fill('Belgium')
    await opensMoreFields(page)
    await fault.waitFor({ state: 'detached' })
  })

  it('hits the control while an earlier shipment is reported', async () => {
    const page = await station()
    await fillShipment(page, { Reference: 'EARLIER-1' })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await page.getByLabel('Reference', { exact: true }).fill('EARLIER-1')
    await opensMoreFields(page)
    await page.getByRole('button', { name: 'Show it' }).waitFor()
  })
})

it.each([
  ['en', 'light'],
  ['nl', 'dark'],
] as const)('a usual shipment needs no scrolling (%s, %s)', async (language, appearance) => {
  const page = await station()
  await fillShipment(page, { Reference: 'ORDER-1', 'E-mail': 'advice@without-end' })
  await page.getByLabel('Phone', { exact: true }).focus()
  await page.evaluate((change) => window.packbench.changeSettings(change), { language, appearance })
  await page.locator(`html[lang="${language}"]`).waitFor()
  await picture(page, `ship-${language}-${appearance}`)
  expect(await hiddenHeight(page)).toBe(0)
  expect(await clippedElements(page)).toEqual([])

  await page.locator('input').and(page.locator('[data-field="country"]')).fill('CH')
  await page.keyboard.press('Tab')
  await page.getByRole('switch').scrollIntoViewIfNeeded()
  await picture(page, `ship-customs-suggested-${language}`)
  await page.getByRole('switch').click({ force: true })
  await picture(page, `ship-customs-${language}`)
  expect(await clippedElements(page)).toEqual([])
})
