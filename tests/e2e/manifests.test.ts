import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { toCsv } from '../support/manifests/lines'
import { axeFindings } from './support/accessibility'
import { launch } from './support/drivenApp'
import { sharedStation, startStation } from './support/provisioned'
import { open } from './support/screens'

const station = sharedStation()

async function openWaybill(page: Page, number: string): Promise<void> {
  await open(page, 'Manifests')
  await page.getByLabel('Air waybill number').fill(number)
  await page.getByRole('button', { name: 'Open air waybill' }).click()
  await page.getByRole('grid').waitFor()
}

/** The text of a file with valid lines of an air waybill. */
function linesOf(number: string, count: number): string {
  return toCsv(count).replaceAll('074-12345675', number)
}

async function importLines(page: Page, folder: string, lines: number, number: string): Promise<void> {
  const file = join(folder, 'lines.csv')
  await writeFile(file, linesOf(number, lines))
  await page.locator('input[type="file"]').first().setInputFiles(file)
  // The mapping is rendered after the dialog and moves the button.
  await page.getByLabel('Decimal mark of the numbers').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(lines + 2))
}

async function pdfFile(folder: string): Promise<string> {
  const document = await PDFDocument.create()
  document.addPage([300, 400])
  const path = join(folder, 'awb.pdf')
  await writeFile(path, await document.save())
  return path
}

/** Fills in the form of a pre-alert. */
async function fillPreAlert(page: Page, pdf: string): Promise<void> {
  await page.getByRole('tab', { name: 'Pre-alert' }).click()
  await page.locator('input[type="file"]').first().setInputFiles(pdf)
  await page.getByRole('img', { name: /First page/ }).waitFor()
  await page.getByLabel('Estimated time of arrival').fill('2031-12-24')
  await page.getByLabel('Gross weight').fill('195')
}

/** Sends a pre-alert by the bridge, without the screen; returns `sent` or the error code of main. */
async function sendByBridge(page: Page, number: string): Promise<unknown> {
  return page.evaluate(async (airWaybillNumber) => {
    const list = await window.packbench.listManifests(undefined)
    const [manifest] = list.ok ? list.value : []
    const sent = await window.packbench.sendPreAlert({
      manifestId: manifest?.id ?? '',
      request: { airWaybillNumber, estimatedTimeOfArrival: '2031-12-24', grossWeight: 195 },
      fileName: 'awb.pdf',
      bytes: new TextEncoder().encode('%PDF-1.7').buffer,
      uploadedElsewhere: true,
    })
    return sent.ok ? 'sent' : sent.error.code
  }, number)
}

describe('an air waybill', () => {
  it('is imported from a file, checked, uploaded and pre-alerted', async () => {
    const { page, folder, simulator, complaints } = await station()
    const number = '074-10000012'
    await openWaybill(page, number)
    await importLines(page, folder, 300, number)

    // An invalid value is typed into a cell; the checks report it, and a click on it opens the cell.
    const grid = page.getByRole('grid')
    await grid.focus()
    for (let step = 0; step < 7; step += 1) await page.keyboard.press('ArrowRight')
    await page.keyboard.type('NLD')
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: /Checks.*1 error/ }).click()
    await page.getByRole('button', { name: 'Line 1, Country' }).click()
    await page.getByText('This is no country code of two capital letters.').waitFor()
    await page.getByRole('tab', { name: 'Send' }).click()
    expect(await page.getByRole('button', { name: 'Send the manifest' }).isDisabled()).toBe(true)
    await page.getByRole('tab', { name: 'Lines' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()

    await page.getByRole('tab', { name: 'Pre-alert' }).click()
    expect(await page.getByRole('button', { name: 'Send pre-alert' }).isDisabled()).toBe(true)
    await page.getByRole('tab', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'Send the manifest' }).click()
    await page.locator('[data-testid="upload"][data-state="accepted"]').waitFor()
    await page.getByText('Manifest data received').waitFor()

    await page.getByRole('tab', { name: 'Pre-alert' }).click()
    await page
      .locator('input[type="file"]')
      .first()
      .setInputFiles(await pdfFile(folder))
    await page.getByRole('img', { name: /First page/ }).waitFor()
    await page.getByLabel('Estimated time of arrival').fill('2031-12-24')
    await page.getByLabel('Gross weight').fill('195')
    // The input stays while another tab is shown.
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('tab', { name: 'Pre-alert' }).click()
    expect(await page.getByLabel('Gross weight').inputValue()).toBe('195')
    await page.getByRole('button', { name: 'Send pre-alert' }).click()
    await page.locator('[data-testid="pre-alert"][data-state="accepted"]').waitFor()
    await page.getByText('KLM').waitFor()
    expect(simulator.deviations()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('shows an unknown upload, and uploads again only after a person resolved it as not accepted', async () => {
    const { page, folder, simulator } = await station()
    const number = '074-10000023'
    await openWaybill(page, number)
    await importLines(page, folder, 5, number)
    const sent = () => simulator.requests.filter(({ operation }) => operation === 'manifest').length
    const before = sent()
    simulator.faults.add({ operation: 'manifest', fault: { kind: 'status', status: 500 }, times: 1 })
    await page.getByRole('tab', { name: 'Send' }).click()
    const send = page.getByRole('button', { name: 'Send the manifest' })
    await send.click()
    const upload = page.getByTestId('upload')
    await upload.and(page.locator('[data-state="unknown"]')).waitFor()
    await page.getByText('Outcome unknown', { exact: true }).waitFor()
    expect(await send.isDisabled()).toBe(true)
    await open(page, 'Ship')
    await page.getByRole('contentinfo').getByRole('button', { name: '1 open problem' }).click()
    await page.getByText('Upload: outcome unknown').waitFor()
    await page.getByRole('button', { name: new RegExp(number) }).click()
    await page.getByRole('tab', { name: 'Send' }).click()
    await upload.getByRole('button', { name: 'It was not accepted' }).press('Enter')
    await upload.and(page.locator('[data-state="refused"]:focus')).waitFor()
    await page.getByRole('contentinfo').getByText('No open problems').waitFor()
    await send.click()
    await upload.and(page.locator('[data-state="accepted"]')).waitFor()
    expect(sent()).toBe(before + 2)
  })

  it('can be removed if its number was mistyped; an unknown pre-alert blocks the next one until it is resolved, even after a restart', async () => {
    const { page, folder, simulator, provision, close } = await startStation()
    const number = '074-10000034'
    await openWaybill(page, '074-10000093')
    await page.getByRole('button', { name: 'Remove this air waybill' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove this air waybill' }).click()
    await page.getByText('No air waybills yet').waitFor()

    await openWaybill(page, number)
    await importLines(page, folder, 5, number)
    await page.getByRole('tab', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'Send the manifest' }).click()
    await page.locator('[data-testid="upload"][data-state="accepted"]').waitFor()
    const pdf = await pdfFile(folder)
    simulator.faults.add({ operation: 'preAlert', fault: { kind: 'htmlError', created: true }, times: 1 })
    await fillPreAlert(page, pdf)
    await page.getByRole('button', { name: 'Send pre-alert' }).click()
    await page.locator('[data-testid="pre-alert"][data-state="unknown"]').waitFor()
    await page.locator('[role="status"]:focus').getByText('Outcome of the pre-alert unknown').waitFor()
    expect(await page.getByRole('button', { name: 'Send pre-alert' }).isDisabled()).toBe(true)
    await close()

    const again = await launch(join(folder, 'data'), [provision])
    await open(again.page, 'Manifests')
    await again.page.getByText('Pre-alert: outcome unknown').waitFor()
    await again.page.getByRole('button', { name: new RegExp(number) }).click()
    await fillPreAlert(again.page, pdf)
    const send = again.page.getByRole('button', { name: 'Send pre-alert' })
    expect(await send.isDisabled()).toBe(true)
    expect(await sendByBridge(again.page, number)).toBe('pre-alert-unknown')
    const preAlert = again.page.getByTestId('pre-alert')
    await preAlert.getByRole('button', { name: 'It was accepted' }).press('Enter')
    await preAlert.and(again.page.locator('[data-state="accepted"]:focus')).waitFor()
    await again.page.getByText(/Accepted \(resolved by hand on/).waitFor()
    // The form of the next pre-alert is filled in again.
    await fillPreAlert(again.page, pdf)
    expect(await send.isDisabled()).toBe(true)
    expect(await sendByBridge(again.page, number)).toBe('pre-alert-accepted')
    await again.page.getByLabel('Send another pre-alert').check()
    await send.click()
    await again.page.getByText('The service took the pre-alert').waitFor()
    expect(simulator.requests.filter(({ operation }) => operation === 'preAlert')).toHaveLength(2)
  })

  it('is locked only after its number was typed, and the lock is shown as assumed at first', async () => {
    const { page, folder } = await station()
    const number = '074-10000045'
    await page.evaluate(() => window.packbench.changeSettings({ manifestLockAgreed: true }))
    await openWaybill(page, number)
    await importLines(page, folder, 5, number)
    await page.getByRole('tab', { name: 'Send' }).click()
    await page.getByLabel('Lock the manifest after the upload').check()
    const send = page.getByRole('button', { name: 'Send the manifest' })
    expect(await send.isDisabled()).toBe(true)
    await page.getByLabel('Type the air waybill number to lock it').fill(number)
    await send.click()
    await page.getByText('Locked (assumed)').waitFor()
  })
})

it('an air waybill can be filled, imported and sent without losing the keyboard focus', async () => {
  const { page, folder, simulator } = await station()
  const number = '074-10000056'
  const manifestRequests = () => simulator.requests.filter(({ operation }) => operation === 'manifest').length
  const focused = (role: 'button' | 'grid' | 'textbox', name: string) =>
    page.getByRole(role, { name }).and(page.locator(':focus')).waitFor()
  const before = manifestRequests()
  await page.keyboard.press('Control+5')
  await focused('textbox', 'Air waybill number')
  await page.keyboard.type(number)
  await page.keyboard.press('Enter')
  await focused('grid', 'Lines of the manifest')
  await page.getByRole('button', { name: 'Add shipments' }).focus()
  await page.keyboard.press('Enter')
  await focused('textbox', 'Reference, name, city or barcode')
  await page.keyboard.press('Escape')
  await focused('button', 'Add shipments')
  const file = join(folder, 'lines.csv')
  await writeFile(file, linesOf(number, 3))
  await page.locator('input[type="file"]').first().setInputFiles(file)
  await focused('button', 'Import')
  await page.keyboard.press('Enter')
  await page.getByRole('gridcell', { name: 'P2' }).waitFor()
  // In the grid F2 edits a cell; elsewhere it moves to the reference.
  await page.getByRole('grid').focus()
  await page.keyboard.press('F2')
  await focused('textbox', 'Line 1, Package')
  await page.keyboard.press('F2')
  await page.keyboard.press('Escape')
  await focused('grid', 'Lines of the manifest')
  await page.getByRole('tab', { name: 'Send' }).focus()
  await page.keyboard.press('Enter')
  const send = page.getByRole('button', { name: 'Send the manifest' })
  await expect.poll(() => send.isEnabled()).toBe(true)
  await send.focus()
  await page.keyboard.press('Enter')
  await page.locator('[data-testid="upload"][data-state="accepted"]').waitFor()
  await page.locator('[role="status"]:focus').getByText('Accepted').waitFor()
  // Sending again needs a confirmation first: a second press must not send twice.
  expect(await send.isDisabled()).toBe(true)
  await page.getByLabel('Send all lines once more').check()
  await send.click()
  await expect.poll(() => manifestRequests()).toBe(before + 2)
})

it('the import accepts the same file again after it was cancelled', async () => {
  const { page, folder } = await station()
  const number = '074-10000060'
  await openWaybill(page, number)
  const file = join(folder, 'lines.csv')
  await writeFile(file, linesOf(number, 3))
  await page.locator('input[type="file"]').first().setInputFiles(file)
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await importLines(page, folder, 3, number)
})

it('the import names the number that the chosen decimal mark would change, and imports nothing', async () => {
  const { page, folder } = await station()
  await openWaybill(page, '074-10000071')
  const file = join(folder, 'points.csv')
  await writeFile(file, 'parcelId;weight\nP1;1.250\nP2;0.100\n')
  await page.locator('input[type="file"]').first().setInputFiles(file)
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Decimal mark of the numbers').selectOption('comma')
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog.getByText('Line 3, column “weight”: “0.100” has a point').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await dialog.getByLabel('Decimal mark of the numbers').selectOption('point')
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('gridcell', { name: 'P2' }).waitFor()
})

describe('the grid of an air waybill', () => {
  it('pastes a block from a spreadsheet, fills down, finds and undoes', async () => {
    const { page } = await station()
    await openWaybill(page, '074-10000082')
    const grid = page.getByRole('grid')
    await grid.focus()
    await grid.evaluate((element) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'BOX-1\tP1\tZoë\nBOX-1\tP2\t"Jan ""de"" Boer"')
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    })
    await page.getByRole('gridcell', { name: 'Jan "de" Boer' }).waitFor()
    // Two cells are selected by dragging with the mouse.
    await page.getByRole('gridcell', { name: 'Zoë' }).hover()
    await page.mouse.down()
    await page.getByRole('gridcell', { name: 'Jan "de" Boer' }).hover()
    await page.mouse.up()
    await page.keyboard.press('Control+d')
    await expect.poll(() => page.getByRole('gridcell', { name: 'Zoë' }).count()).toBe(2)
    await page.keyboard.press('Control+z')
    await page.getByRole('gridcell', { name: 'Jan "de" Boer' }).waitFor()
    await page.getByLabel('Find in the lines').fill('p2')
    await page.keyboard.press('Enter')
    await page.getByText('Line 2, Parcel').waitFor()
  })
})
