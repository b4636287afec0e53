import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TFunction } from 'i18next'
import { PDFDocument } from 'pdf-lib'
import type { Page } from 'playwright'
import { describe, it } from 'vitest'
import { toCsv } from '../support/manifests/lines'
import { textCell, toWorkbook } from '../support/workbooks'
import { look } from './support/accessibility'
import { startLooks } from './support/looks'
import { sharedStation } from './support/provisioned'
import { outcome } from './support/screens'

/** A workbook that causes every notice about spreadsheets: merged cells, errors, formulas, codes as numbers. */
const invalidWorkbook = toWorkbook(
  `<row r="1">${['parcelId', 'name', 'hsCode', 'parcelWeight'].map((name, column) => textCell(`${'ABCD'[column]}1`, name)).join('')}</row>` +
    `<row r="2">${textCell('A2', 'P1')}${textCell('B2', 'Zoë')}<c r="C2"><v>10121</v></c><c r="D2"><f>Z1*2</f></c></row>` +
    `<row r="3">${textCell('A3', 'P2')}<c r="B3" t="e"><v>#REF!</v></c><c r="C3"><v>490199</v></c><c r="D3"><v>0</v></c></row>`,
  ['A2:A3'],
)

const sender = {
  companyName: 'Van Dijk Webshops B.V.',
  name: 'Jannie van Dijk',
  street: 'Kade',
  houseNumber: '1',
  postalCode: '3011 AB',
  city: 'Rotterdam',
  country: 'NL',
  email: 'a@example.com',
  phoneNumber: '+31101234567',
  type: 'Y',
  vatNumber: '123456789B01',
  eoriNumber: 'NL123456789',
} as const

async function waybillPdf(folder: string): Promise<string> {
  const document = await PDFDocument.create()
  document.addPage([595, 842]).drawText('AIR WAYBILL 074-12345675', { x: 60, y: 760, size: 20 })
  const path = join(folder, 'awb.pdf')
  await writeFile(path, await document.save())
  return path
}

async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [field, value] of Object.entries(fields)) {
    await page.locator(`input[data-field="${field}"]`).fill(value)
    await page.keyboard.press('Tab')
  }
}

describe('axe reports no violation and nothing is clipped on the screens for export, in both languages, light and dark', () => {
  const tab = (page: Page, name: string) => page.getByRole('tab', { name })

  const printers = [
    { id: 'file', driver: 'folder', path: 'out' },
    { id: 'office', driver: 'folder', path: 'office' },
  ]
  const shared = sharedStation({ printers, manifestLockAgreed: true })

  async function station() {
    const { folder, simulator, page } = await shared()
    await page.evaluate((change) => window.packbench.changeSettings(change), {
      customs: {
        documentPrinter: 'office',
        printInvoice: 'on-demand' as const,
        invoiceLanguage: 'en' as const,
        invoicePrefix: 'INV-',
      },
    })
    const looks = await startLooks(page)
    const lookAt = (what: string) => looks.inBoth(() => look(page, `${looks.current().language} ${what}`))
    return { folder, simulator, page, lookAt, t: looks.t }
  }

  async function openWaybill(page: Page, t: TFunction, number: string): Promise<void> {
    await page.keyboard.press('Control+5')
    await page.getByLabel(t('manifests.newNumber')).fill(number)
    await page.getByRole('button', { name: t('manifests.create') }).click()
    await page.getByRole('grid').waitFor()
  }

  async function chooseLines(page: Page, name: string, content: string | Buffer, folder: string) {
    const path = join(folder, name)
    await writeFile(path, content)
    await page.locator('input[type="file"]').first().setInputFiles(path)
    await page.getByRole('dialog').waitFor()
  }

  it('in the customs settings, the customs block and the invoice', async () => {
    const { page, folder, lookAt, t } = await station()
    await page.evaluate(
      (party) =>
        window.packbench.saveSenderProfile({
          id: '00000000-0000-4000-8000-000000000001',
          name: 'Van Dijk',
          party,
        }),
      sender,
    )
    await page.keyboard.press('Control+6')
    await tab(page, t('customs.title')).click()
    const products = join(folder, 'products.csv')
    await writeFile(
      products,
      'code;name;hsCode;countryOfOrigin;weight;price\nB1;Book;49019;NL;0,4;12,5\nP1;Pen;960810;CN;0,01;1,2\nX1;Bad;;NLD;heavy;#REF!\n',
    )
    await page.locator('input[type="file"]').setInputFiles(products)
    await page.getByText(t('customs.imported', { added: 2, changed: 0, issues: 1 })).waitFor()
    await lookAt('Settings, customs')

    await page.keyboard.press('Control+1')
    await fill(page, {
      reference: 'EXPORT-1',
      lastName: 'de Vries',
      street: 'Bahnhofstrasse',
      houseNumber: '1',
      postalCode: '8001',
      city: 'Zürich',
      country: 'CH',
      weight: '0.7',
    })
    await page.getByText(t('customs.suggested')).waitFor()
    await page.getByLabel(t('customs.on')).check()
    await page.getByLabel(t('customs.consigneeVat')).fill('12')
    await page.getByLabel(t('customs.consigneeEori')).fill('12')
    const scan = page.getByLabel(t('customs.scan'))
    for (const code of ['B1', 'B1', 'P1', 'unknown']) {
      await scan.fill(code)
      await scan.press('Enter')
    }
    await page.getByText(t('customs.unknownCode', { code: 'unknown' })).waitFor()
    await lookAt('Ship with customs data')
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await page.keyboard.press('Control+3')
    await page.getByText('EXPORT-1').first().click()
    await page.getByRole('button', { name: t('customs.showInvoice') }).click()
    await page.getByRole('img', { name: t('customs.invoicePicture') }).waitFor()
    await lookAt('History with an invoice')
  })

  it('in the lines, checks and dialogs of an air waybill', async () => {
    const { page, folder, lookAt, t } = await station()
    await fill(page, {
      reference: 'ORDER-1',
      lastName: 'de Vries',
      street: 'Kade',
      city: 'Gent',
      weight: '1',
    })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await openWaybill(page, t, '074-12345670')
    await chooseLines(page, 'startError.xlsx', invalidWorkbook, folder)
    await lookAt('Import')
    await page.getByRole('button', { name: t('manifests.take'), exact: true }).click()
    await tab(page, t('manifests.tabChecks')).click()
    await page.getByText(t('issues.cell-error')).first().waitFor()
    await lookAt('Checks')
    await tab(page, t('manifests.tabSend')).click()
    await lookAt('Send, blocked')
    await tab(page, t('manifests.tabPreAlert')).click()
    await lookAt('Pre-alert, blocked')
    await tab(page, t('manifests.tabLines')).click()
    await page.getByRole('button', { name: t('manifests.addShipments') }).click()
    await page.getByLabel('ORDER-1').check()
    await lookAt('Add shipments')
    await page.getByRole('button', { name: t('manifests.shipmentsAdd', { count: 1 }) }).click()
    await page.getByRole('gridcell', { name: 'de Vries' }).first().waitFor()
    // While a dialog fades out, its contrast is lower than axe requires.
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await lookAt('Lines with errors')
  })

  it('in upload, pre-alert and history of an air waybill', async () => {
    const { page, folder, simulator, lookAt, t } = await station()
    await openWaybill(page, t, '074-12345675')
    await chooseLines(page, 'lines.csv', toCsv(40), folder)
    await page.getByRole('button', { name: t('manifests.take'), exact: true }).click()
    await tab(page, t('manifests.tabSend')).click()
    simulator.faults.add({ operation: 'manifest', fault: { kind: 'resetAfterReading' }, times: 1 })
    const send = () => page.getByRole('button', { name: t('manifests.send') }).click()
    await send()
    await page.locator('[data-testid="upload"][data-state="unknown"]').waitFor()
    await lookAt('Send, outcome not known')
    await page.getByRole('button', { name: t('manifests.itWasNot') }).click()
    await page.locator('[data-testid="upload"][data-state="refused"]').waitFor()
    await lookAt('Send, resolved')
    await page.getByLabel(t('manifests.lock'), { exact: true }).check()
    await page.getByLabel(t('manifests.lockNumber')).fill('074-12345675')
    await lookAt('Send with lock')
    await send()
    await page.locator('[data-testid="upload"][data-state="accepted"]').waitFor()
    await lookAt('Sent')
    await tab(page, t('manifests.tabLines')).click()
    await page.getByRole('button', { name: t('manifests.insertLine') }).click()
    await page.getByText(t('manifests.unsentLines')).waitFor()
    await tab(page, t('manifests.tabSend')).click()
    await lookAt('Changed since the upload')
    await tab(page, t('manifests.tabPreAlert')).click()
    await page
      .locator('input[type="file"]')
      .first()
      .setInputFiles(await waybillPdf(folder))
    await page.getByRole('img', { name: t('manifests.pdfPreview', { file: 'awb.pdf' }) }).waitFor()
    await page.getByLabel(t('manifests.eta')).fill('2020-01-02')
    await page.getByText(t('manifests.etaPast', { day: '' }).replace(' .', '')).waitFor()
    await page.getByLabel(t('manifests.grossWeight')).fill('31,5')
    await lookAt('Pre-alert')
    simulator.faults.add({ operation: 'preAlert', fault: { kind: 'status', status: 500 }, times: 1 })
    await page.getByRole('button', { name: t('manifests.sendPreAlert') }).click()
    await page.locator('[data-testid="pre-alert"][data-state="unknown"]').waitFor()
    await lookAt('Pre-alert, outcome not known')
    await page.getByRole('button', { name: t('manifests.itWasNot') }).click()
    await page.locator('[data-testid="pre-alert"][data-state="refused"]').waitFor()
    await page.getByRole('button', { name: t('manifests.sendPreAlert') }).click()
    await page.locator('[data-testid="pre-alert"][data-state="accepted"]').waitFor()
    await lookAt('Pre-alert, answered')
    await tab(page, t('manifests.tabHistory')).click()
    await lookAt('Air waybill, history')
    await page.keyboard.press('Control+5')
    await page.getByRole('button', { name: t('manifests.back') }).click()
    await lookAt('Air waybills')
  })
})
