import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ElectronApplication, Page } from 'playwright'
import { readSheet } from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import writeXlsxFile from 'write-excel-file/node'
import { knownBarcodes } from '../support/barcodes'
import { sharedStation, startStation } from './support/provisioned'
import { fillShipment, open, outcome, tabTo } from './support/screens'

// Steps of 600 s: new parcels do not move during a test, and parcels that are an hour old are delivered.
const station = sharedStation({}, { trackingStepSeconds: 600 })

async function ship(page: Page, reference: string): Promise<string> {
  await open(page, 'Ship')
  await fillShipment(page, { Reference: reference })
  await page.keyboard.press('F9')
  const panel = page.locator('[data-testid="outcome"][data-state="created"]', { hasText: reference })
  await panel.waitFor()
  return (await outcome(page, 'created')).barcode
}

async function openTab(page: Page, tab: RegExp): Promise<void> {
  await open(page, 'Track')
  await page.getByRole('tab', { name: tab }).click()
}

/** Pastes text from the clipboard into the focused element, as a person does. */
async function paste(app: ElectronApplication, page: Page, text: string): Promise<void> {
  await app.evaluate(({ clipboard }, pasted) => clipboard.writeText(pasted), text)
  await page.keyboard.press('ControlOrMeta+V')
}

/** The test id or text of the focused element; `body` when none has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement
    return element?.getAttribute('data-testid') ?? element?.textContent?.trim() ?? 'body'
  })
}

async function saveTo(app: ElectronApplication, path: string): Promise<void> {
  await app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath })
  }, path)
}

describe('looking up one code', () => {
  it('shows the result with our shipment, and repeats the look-up in another language', async () => {
    const { page, complaints } = await station()
    const barcode = await ship(page, 'LINKED-1')
    await openTab(page, /^One code/)
    await page.getByLabel('Tracking code', { exact: true }).fill(barcode)
    await page.keyboard.press('Enter')
    await page.locator('[data-testid="track-status"][data-code="99"]').waitFor()
    await page.getByText('Shipped from this station: reference LINKED-1.').waitFor()
    await page.getByLabel('Language of the events').selectOption('nl')
    await page.getByTestId('track-status').getByText('Label is aangemaakt').waitFor()
    await page.getByRole('button', { name: 'Show LINKED-1 in History' }).click()
    await page.getByRole('heading', { name: 'LINKED-1' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('shows the stored result and its age when the service can’t be reached', async () => {
    const { page, simulator } = await station()
    const barcode = await ship(page, 'STORED-1')
    await openTab(page, /^One code/)
    await page.getByLabel('Tracking code', { exact: true }).fill(barcode)
    await page.keyboard.press('Enter')
    await page.locator('[data-testid="track-status"][data-code="99"]').waitFor()
    simulator.faults.add({ operation: 'trackCode', fault: { kind: 'resetBeforeReading' } })
    await page.getByLabel('Tracking code', { exact: true }).press('Enter')
    await page.getByText('This is what was stored; the service could not be asked now.').waitFor()
    expect(await page.getByTestId('track-stored').textContent()).toMatch(/^Stored .+, in English\./)
    expect(await page.locator('[data-testid="track-status"][data-code="99"]').count()).toBe(1)
  })

  it('shows 100 of 5,000 events at first, and 100 more on demand', async () => {
    const { page, simulator } = await station()
    simulator.faults.add({ operation: 'trackCode', fault: { kind: 'manyEvents' } })
    await openTab(page, /^One code/)
    await page.getByLabel('Tracking code', { exact: true }).fill(knownBarcodes(1)[0] ?? '')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Show more (4900 left)' }).click()
    await page.getByRole('button', { name: 'Show more (4800 left)' }).waitFor()
  })
})

describe('bulk look-up', () => {
  it('turns a pasted column into a table that is filtered, sorted, copied and saved', async () => {
    const { app, page, folder, simulator, complaints } = await station()
    const ours = await ship(page, 'PASTED-1')
    const codes = [...knownBarcodes(300, new Date(Date.now() - 3_600_000)), ours, 'NOT THERE', '=1+1']
    await openTab(page, /^Bulk look-up/)
    await page.getByLabel('Tracking codes, one a line').focus()
    await paste(app, page, `${codes.join('\r\n')}\r\n${ours}\r\n\r\n`)
    const loaded = page.getByTestId('bulk-loaded')
    await loaded.getByText('Pasted list: 303 codes').waitFor()
    await loaded.getByText('1 duplicate left out · 1 empty line left out').waitFor()
    await page.getByRole('button', { name: 'Look up all' }).click()
    await page.locator('[data-testid="bulk-progress"][data-state="ended"]').waitFor()
    await page.getByText('303 of 303 rows').waitFor()
    expect(await page.getByTestId('bulk-row').count()).toBeLessThan(60)
    await page.getByLabel('Show', { exact: true }).selectOption('not-found')
    await page.getByText('2 of 303 rows').waitFor()
    await page.getByRole('button', { name: 'Code', exact: true }).click()
    await expect
      .poll(() => page.getByTestId('bulk-row').evaluateAll((rows) => rows.map((row) => row.dataset.code)))
      .toEqual(['=1+1', 'NOT THERE'])
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByText('2 rows copied.').waitFor()
    expect(await app.evaluate(({ clipboard }) => clipboard.readText())).toContain('NOT THERE\tNo')
    await saveTo(app, join(folder, 'table.csv'))
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    await page.getByText(`Saved as ${join(folder, 'table.csv')}`).waitFor()
    expect(await readFile(join(folder, 'table.csv'), 'utf8')).toContain("\r\n'=1+1;No;")
    await page.getByLabel('Show', { exact: true }).selectOption('ours')
    await page.getByRole('button', { name: 'Reprint the label of PASTED-1' }).waitFor()
    await saveTo(app, join(folder, 'table.xlsx'))
    await page.getByRole('button', { name: 'Save as XLSX' }).click()
    await page.getByText(`Saved as ${join(folder, 'table.xlsx')}`).waitFor()
    expect(await readSheet(await readFile(join(folder, 'table.xlsx')))).toMatchObject([
      ['Code', 'Found', 'Status code', 'Last status', 'Place', 'Date and time', 'Events', 'Shipment'],
      [ours, 'Yes', '99', 'Label has been created', null, expect.any(String), '1', 'PASTED-1'],
    ])
    expect(simulator.deviations()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('reads codes from a chosen workbook and a dropped file, and offers a failed chunk again', async () => {
    const { app, page, folder, simulator } = await station()
    const codes = knownBarcodes(60)
    const path = join(folder, 'codes.xlsx')
    await writeFile(
      path,
      await writeXlsxFile([['Order', 'Barcode'], ...codes.map((code, row) => [`O-${row}`, code])]).toBuffer(),
    )
    await app.evaluate(({ dialog }, chosen) => {
      dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [chosen] })
    }, path)
    await openTab(page, /^Bulk look-up/)
    await page.getByRole('button', { name: 'Choose a file…' }).click()
    await page.getByText('codes.xlsx: 60 codes').waitFor()
    await page.getByText('from the column “Barcode”').waitFor()
    const transfer = await page.evaluateHandle(
      (text) => {
        const data = new DataTransfer()
        data.items.add(new File([text], 'dropped.csv', { type: 'text/csv' }))
        return data
      },
      `tracking code;name\n${codes.join(';x\n')};x\n`,
    )
    await page
      .getByRole('region', { name: 'Codes to look up' })
      .dispatchEvent('drop', { dataTransfer: transfer })
    await page.getByText('dropped.csv: 60 codes').waitFor()
    simulator.faults.add({ operation: 'trackBulk', fault: { kind: 'redirect' }, times: 1 })
    await page.getByRole('button', { name: 'Look up all' }).click()
    await page.getByText('points to another address').waitFor()
    await page.getByRole('button', { name: 'Ask again for the rest' }).click()
    await page.getByText('60 of 60 codes answered').waitFor()
    expect(simulator.deviations()).toEqual([])
  })
})

describe('the tracking screen', () => {
  it('follows our parcels on its board, and reports an exception once the code has that meaning in the settings', async () => {
    const { page, complaints } = await startStation({}, { trackingStepSeconds: 0.2 })
    await ship(page, 'ORDER-1')
    await ship(page, 'PROBLEM-1')
    await openTab(page, /^Board/)
    const askUntil = async (state: string) => {
      await expect
        .poll(async () => {
          await page.getByRole('button', { name: 'Ask now' }).click()
          return page.locator(`button[data-parcel-state="${state}"] strong`).textContent()
        })
        .toBe('1')
    }
    await askUntil('delivered')
    await askUntil('unclassified')
    await page.getByText('Nothing needs you').waitFor()
    await open(page, 'Settings')
    await page.getByRole('tab', { name: 'Tracking', exact: true }).click()
    await page.getByText('Address is incomplete, parcel is held').waitFor()
    await page.getByLabel('Meaning of 4100').selectOption('exception')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await open(page, 'Track')
    const parcel = page.locator('[data-testid="parcel"][data-parcel-state="exception"]')
    await parcel.getByText('PROBLEM-1').waitFor()
    await page.getByRole('tab', { name: 'Board, 1 needs someone' }).waitFor()
    await parcel.getByRole('button', { name: 'Reprint the label of PROBLEM-1' }).click()
    await parcel.getByRole('button', { name: 'The label of PROBLEM-1 goes to the printer again.' }).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('the Track screen by keyboard alone', () => {
  it('visits one code, the bulk look-up and the board without ever losing the focus', async () => {
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
    simulator.faults.add({ operation: 'trackBulk', fault: { kind: 'redirect' }, times: 1 })
    await page.keyboard.press('Enter')
    await page.getByText('points to another address').waitFor()
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
    await page.getByRole('tab', { name: 'Bulk look-up' }).click()
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
