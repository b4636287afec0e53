import type { ElectronApplication, Page } from 'playwright'
import { expect, it } from 'vitest'
import { defaultTrackingSettings } from '../../src/shared/tracking'
import { startStation } from './support/provisioned'

declare global {
  var clickNotice: () => void
}

/** Intercepts the next notification before it reaches the desktop and returns its text; `clickNotice` simulates a click on it. */
function nextNotice(app: ElectronApplication): Promise<{ title: string; body: string }> {
  return app.evaluate(
    ({ Notification }) =>
      new Promise<{ title: string; body: string }>((resolve) => {
        Notification.isSupported = () => true
        Notification.prototype.show = function show(this: Electron.Notification) {
          globalThis.clickNotice = () => this.emit('click')
          resolve({ title: this.title, body: this.body })
        }
      }),
  )
}

/** Finds the fields by name, because their labels are in the language of the station. */
async function ship(page: Page, reference: string): Promise<void> {
  await page.keyboard.press('Control+1')
  const typed = { reference, lastName: 'de Vries', street: 'Keizersgracht', city: 'Amsterdam' }
  for (const [field, value] of Object.entries(typed)) {
    await page.locator(`input[data-field="${field}"]`).fill(value)
  }
  await page.keyboard.press('F9')
  await page.locator('[data-testid="outcome"][data-state="created"]', { hasText: reference }).waitFor()
}

/** Updates the parcels until the given number of them are exceptions. */
async function meetExceptions(page: Page, count: number): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(async () => {
        await window.packbench.askWatchedParcels(undefined)
        const board = await window.packbench.getTrackingBoard(undefined)
        return board.ok && board.value.alerts.find(({ alert }) => alert === 'status')?.count
      }),
    )
    .toBe(count)
}

it('the notification of a new exception names the parcel in the language of the station, and a click on it opens its list', async () => {
  const { app, page, complaints } = await startStation({}, { trackingStepSeconds: 0.2 })
  const tracking = { ...defaultTrackingSettings, meanings: { '4100': 'exception' as const } }
  await page.evaluate((change) => window.packbench.changeSettings(change), { tracking })
  const notice = nextNotice(app)
  await ship(page, 'PROBLEM-1')
  await ship(page, 'ORDER-1')
  await meetExceptions(page, 1)
  expect(await notice).toEqual({
    title: 'A parcel needs someone',
    body: 'PROBLEM-1: the carrier reports an exception',
  })
  await app.evaluate(() => globalThis.clickNotice())
  await page.locator('button[data-alert="status"][aria-pressed="true"]').waitFor()
  await page.getByTestId('parcel').getByText('PROBLEM-1').waitFor()
  expect(await page.getByTestId('parcel').count()).toBe(1)

  await page.evaluate(() => window.packbench.changeSettings({ language: 'nl' }))
  const later = nextNotice(app)
  await ship(page, 'PROBLEM-2')
  await meetExceptions(page, 2)
  expect(await later).toEqual({
    title: 'Een pakket vraagt aandacht',
    body: 'PROBLEM-2: de vervoerder meldt een uitzondering',
  })
  expect(complaints).toEqual([])
})
