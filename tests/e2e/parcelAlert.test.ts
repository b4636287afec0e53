import { join } from 'node:path'
import type { ElectronApplication, Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { defaultTrackingSettings } from '../../src/shared/tracking'
import { temporaryFolder } from '../support/temporaryFolder'
import { simulatorWith } from '../support/testStation'
import { launch } from './support/drivenApp'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { fillShipment, open, outcome } from './support/screens'

declare global {
  var clickNotice: () => void
}

async function station() {
  const folder = await temporaryFolder()
  const simulator = await simulatorWith({ trackingStepSeconds: 0.2 })
  const provision = await provisionSwitch(folder, stationProvisioning(simulator.baseUrl))
  return launch(join(folder, 'data'), [provision])
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

async function ship(page: Page, reference: string): Promise<void> {
  await open(page, 'Ship')
  await fillShipment(page, { Reference: reference })
  await page.keyboard.press('F9')
  await page.locator('[data-testid="outcome"][data-state="created"]', { hasText: reference }).waitFor()
  await outcome(page, 'created')
}

/** Gives the carrier's code 4100 the meaning «exception», sets the language, and updates the parcels until one is an exception. */
async function meetException(page: Page, language: 'en' | 'nl'): Promise<void> {
  const tracking = { ...defaultTrackingSettings, meanings: { '4100': 'exception' as const } }
  await page.evaluate((change) => window.packbench.changeSettings(change), { tracking, language })
  await expect
    .poll(() =>
      page.evaluate(async () => {
        await window.packbench.askWatchedParcels(undefined)
        const board = await window.packbench.getTrackingBoard(undefined)
        return board.ok && board.value.alerts.find(({ alert }) => alert === 'status')?.count
      }),
    )
    .toBe(1)
}

describe('the notification of a new exception', () => {
  it('names the parcel, and a click on it opens its list', async () => {
    const { app, page, complaints } = await station()
    await ship(page, 'PROBLEM-1')
    await ship(page, 'ORDER-1')
    const notice = nextNotice(app)
    await meetException(page, 'en')
    expect(await notice).toEqual({
      title: 'A parcel needs someone',
      body: 'PROBLEM-1: the carrier reports an exception',
    })
    await app.evaluate(() => globalThis.clickNotice())
    await page.locator('button[data-alert="status"][aria-pressed="true"]').waitFor()
    await page.getByTestId('parcel').getByText('PROBLEM-1').waitFor()
    expect(await page.getByTestId('parcel').count()).toBe(1)
    expect(complaints).toEqual([])
  })

  it('is in the language of the station', async () => {
    const { app, page } = await station()
    await ship(page, 'PROBLEM-2')
    const notice = nextNotice(app)
    await meetException(page, 'nl')
    expect(await notice).toEqual({
      title: 'Een pakket vraagt aandacht',
      body: 'PROBLEM-2: de vervoerder meldt een uitzondering',
    })
  })
})
