import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { knownBarcodes } from '../support/barcodes'
import { axeFindings, clippedElements } from './support/accessibility'
import { sharedStation } from './support/provisioned'
import { fillShipment, tabTo } from './support/screens'

const station = sharedStation({}, { trackingStepSeconds: 20 })

/** The test id or text of the focused element; `body` when none has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement
    return element?.getAttribute('data-testid') ?? element?.textContent?.trim() ?? 'body'
  })
}

describe('the Track screen by keyboard alone', () => {
  it('looks up one code, many codes and the board without ever losing the focus', async () => {
    const { page, simulator, complaints } = await station()
    await fillShipment(page, { Reference: 'KEYS-1' })
    await page.keyboard.press('F9')
    await page.locator('[data-testid="outcome"][data-state="created"]').waitFor()

    await page.keyboard.press('Control+2')
    await page.getByRole('tab', { name: 'One code' }).waitFor()
    await page.keyboard.type(knownBarcodes(1)[0] ?? '')
    await page.keyboard.press('Enter')
    await page.getByTestId('track-status').waitFor()
    await tabTo(page, 'Look up')
    await page.keyboard.press('Enter')
    await page
      .locator('input:focus')
      .and(page.getByLabel('Tracking code', { exact: true }))
      .waitFor()
    await tabTo(page, 'Language of the events')
    await page.keyboard.press('D')
    await page.getByText('Label is aangemaakt').or(page.getByText('Bezorgd')).first().waitFor()

    await page.getByRole('tab', { name: 'One code' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.locator('textarea:focus').and(page.getByLabel('Tracking codes, one a line')).waitFor()
    for (const code of [...knownBarcodes(60), knownBarcodes(1)[0]]) {
      await page.keyboard.insertText(`${code}\n`)
    }
    await page.getByText('1 duplicate left out').waitFor()
    await tabTo(page, 'Look up all')
    simulator.faults.add({ operation: 'trackBulk', fault: { kind: 'notJson' }, times: 1 })
    await page.keyboard.press('Enter')
    await page.getByText('can’t be understood').waitFor()
    await page.getByText(/^Not answered: 3S/).waitFor()
    expect(await focused(page)).toBe('bulk-progress')
    await tabTo(page, 'Ask again for the rest')
    await page.keyboard.press('Enter')
    await page.getByText('60 of 60 codes answered').waitFor()
    expect(await focused(page)).toBe('bulk-progress')

    await page.getByRole('tab', { name: 'One code' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Board', selected: true }).waitFor()
    await tabTo(page, 'Ask now')
    await page.keyboard.press('Enter')
    await page.getByText(/^Last asked/).waitFor()
    expect(await focused(page)).toBe('Ask now')
    await tabTo(page, 'All parcels')
    await page.keyboard.press('Enter')
    const parcel = page.getByTestId('parcel').filter({ hasText: 'KEYS-1' })
    await parcel.waitFor()
    await tabTo(page, (await parcel.getAttribute('data-code')) ?? '')
    await page.keyboard.press('Enter')
    await page.getByText('Shipped from this station: reference KEYS-1.').waitFor()
    await page
      .locator('input:focus')
      .and(page.getByLabel('Tracking code', { exact: true }))
      .waitFor()
    expect(complaints).toEqual([])
  })

  it('moves the focus on after a list was loaded and after it was removed', async () => {
    const { app, page } = await station()
    await page.keyboard.press('Control+2')
    await page.getByRole('tab', { name: 'Many codes' }).click()
    await page.locator('textarea:focus').waitFor()
    await app.evaluate(({ clipboard }, text) => clipboard.writeText(text), knownBarcodes(300).join('\n'))
    await page.keyboard.press('ControlOrMeta+V')
    await page.getByText('Pasted list: 300 codes').waitFor()
    expect(await focused(page)).toBe('Look up all')
    await tabTo(page, 'Remove this list')
    await page.keyboard.press('Enter')
    await page.locator('textarea:focus').waitFor()
  })
})

describe('tracking in Dutch and in dark colours', () => {
  it('has no violation that axe reports on any tab or in its settings, and nothing is clipped', async () => {
    const { page } = await station()
    await fillShipment(page, { Reference: 'DARK-1' })
    await page.keyboard.press('F9')
    const made = page.locator('[data-testid="outcome"][data-state="created"]')
    const barcode = (await made.getAttribute('data-barcode')) ?? ''
    await page.evaluate(() => window.packbench.changeSettings({ language: 'nl', appearance: 'dark' }))
    await page.locator('html[lang="nl"][data-mantine-color-scheme="dark"]').waitFor()
    const looksRight = async () => {
      expect(await axeFindings(page)).toEqual([])
      expect(await clippedElements(page)).toEqual([])
    }
    await page.keyboard.press('Control+2')
    await page.getByLabel('Trackingcode', { exact: true }).fill(barcode)
    await page.keyboard.press('Enter')
    await page.getByText('Vanaf dit station verzonden').waitFor()
    await page.getByTestId('track-status').waitFor()
    await looksRight()
    await page.getByRole('tab', { name: 'Veel codes' }).click()
    await looksRight()
    await page.getByLabel('Trackingcodes, één per regel').fill(`${barcode}\nX\nX`)
    await page.getByRole('button', { name: 'Alles opzoeken' }).click()
    await page.getByText('2 van 2 codes beantwoord').waitFor()
    await looksRight()
    await page.getByRole('tab', { name: 'Bord' }).click()
    await page.getByRole('button', { name: 'Alle pakketten' }).click()
    await page.getByTestId('parcel').filter({ hasText: 'DARK-1' }).waitFor()
    await looksRight()
    await page.keyboard.press('Control+6')
    await page.getByRole('tab', { name: 'Volgen', exact: true }).click()
    await page.getByLabel('Betekenis van 9000').waitFor()
    await looksRight()
  })
})
