import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import type { SettingsChange } from '../../src/shared/settings'
import { demoAccount } from '../../src/simulator/demo'
import { knownBarcodes } from '../support/barcodes'
import { toCsv } from '../support/manifests/lines'
import { startByteSink } from '../support/printing/byteSink'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { axeFindings } from './support/accessibility'
import { answerDialogs } from './support/dialogs'
import { launch } from './support/drivenApp'
import { misfits, type WindowSize, windowSizes } from './support/layout'
import { startLooks } from './support/looks'
import { outcome } from './support/screens'

/** The time limit for all screens in six window sizes and both looks. */
const walkTimeout = 1_200_000

/** Settings with more content than usual: long names and two printers. */
function busySettings(port: number): SettingsChange {
  return {
    carriers: [
      { name: 'Parcel Standard', carrierId: 1, carrierOptionId: 11 },
      { name: 'Parcel Express before noon with a signature', carrierId: 1, carrierOptionId: 12 },
    ],
    shipmentDefaults: { weight: 1, country: 'NL', carrierId: 1, carrierOptionId: 11, createdBy: 'station-1' },
    printers: [
      {
        driver: 'socket',
        id: 'zebra',
        name: 'Zebra packing bench 1',
        host: '127.0.0.1',
        port,
        dpi: 203,
        stock: { widthMm: 152, heightMm: 102 },
        rotate: 0,
        copies: 1,
      },
      { driver: 'folder', id: 'file', name: 'Label folder', path: 'out' },
    ],
    routing: [{ printer: 'file' }, { carrierOptionId: 12, printer: 'zebra' }],
  }
}

/** A rule for pages, a rule for a carrier option, and the rule for everything else. */
const rulesOfAllKinds: SettingsChange['routing'] = [
  { pages: 'larger-than-stock', printer: 'file' },
  { carrierOptionId: 11, printer: 'zebra', standby: 'file' },
  { printer: 'file' },
]

/** No connection is made to this database, because no password is set. */
const unreachableFleet: SettingsChange['fleet'] = {
  ...{ host: 'database.of-the-warehouse.example', port: 5432, database: 'packbench', user: 'packbench' },
  ...{ tls: 'verify', station: 'Packing bench 1 beside the door', whenUnreachable: 'hold' },
}

const orderRules: SettingsChange['orderRules'] = [
  { name: 'Germany and Austria', when: { countries: ['DE', 'AT'] }, set: { carrierOptionId: 12 } },
  { name: 'Heavy', when: { weight: { min: 20 } }, set: { signatureRequired: true } },
]

async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [field, value] of Object.entries(fields)) {
    await page.locator(`input[data-field="${field}"]`).fill(value)
  }
}

/** An order of another program, without a city. */
const wireOrder = {
  reference: 'WEB-SHOP-2026-000123',
  last_name: 'van den Oetelaar-de Vries',
  street: 'Burgemeester Stramanweg',
  country: 'NL',
}

const consignee = {
  companyName: 'Van Dijk Webshops en Magazijnen B.V.',
  firstName: 'Jannie',
  lastName: 'van den Oetelaar-de Vries',
  street: 'Burgemeester Stramanweg',
  houseNumber: '102A',
  postalCode: '1015 CJ',
  city: 'Amsterdam',
}

it(
  'the layout and accessibility of all screens from 1024x700 at 200 % to 4K have no issue, in both languages, light and dark',
  async () => {
    const folder = await temporaryFolder()
    const simulator = await testSimulator()
    const sink = await startByteSink()
    const { app, page, complaints } = await launch(join(folder, 'data'))
    await answerDialogs(app, 0)
    const found: string[] = []
    const looks = await startLooks(page)
    const { t } = looks
    const runAxe = async (what: string) => {
      const { language } = looks.current()
      found.push(...(await axeFindings(page)).map((finding) => `${language} ${what}: ${finding}`))
    }
    const lookWithAxe = (what: string) => looks.inBoth(() => runAxe(what))
    const measure = async (what: string, sizes: readonly WindowSize[]) => {
      found.push(...(await misfits(app, page, `${looks.current().language} ${what}`, sizes)))
    }
    /** The second look goes back through the sizes of the first, so that axe runs at the usual size in both. */
    const look = async (what: string) => {
      await runAxe(what)
      await measure(what, windowSizes)
      await looks.change()
      await measure(what, windowSizes.toReversed())
      await runAxe(what)
    }
    const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click()
    const closeDialog = async () => {
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    const tab = (name: string) => page.getByRole('tab', { name })
    const change = (settings: SettingsChange) =>
      page.evaluate((each) => window.packbench.changeSettings(each), settings)

    await look('Set-up, language')
    await press(looks.current().language === 'nl' ? 'Nederlands' : 'English')
    await page.getByLabel(t('setup.baseUrl')).waitFor()
    await look('Set-up, account')
    const account = demoAccount(simulator.baseUrl)
    await page.getByLabel(t('setup.baseUrl')).fill(account.baseUrl)
    await page.getByLabel(t('setup.user')).fill(account.user)
    await page.getByLabel(t('setup.password'), { exact: true }).fill(account.password)
    await press(t('setup.connect'))
    await page.getByText(t('setup.carriersTitle')).waitFor()
    await press(t('carriersTab.add'))
    await look('Set-up, carriers')
    await press(t('setup.skip'))
    await press(t('printersTab.addSocket'))
    await press(t('printersTab.addFolder'))
    await look('Set-up, printer')
    const remove = new RegExp(t('printersTab.remove', { name: 'network-[0-9a-f]+' }))
    await page.getByRole('button', { name: remove }).click()
    await page.getByLabel(t('printersTab.path')).fill('out')
    await press(t('setup.next', { step: t('setup.stepTest') }))
    await page.getByText(t('setup.testTitle')).waitFor()
    await look('Set-up, test label')
    await press(t('printerTools.testLabel'))
    await press(t('testVerdict.answers.nothing'))
    await page.getByText(t('testVerdict.said.nothing')).waitFor()
    await look('Set-up, no test label came')
    await press(t('setup.next', { step: t('setup.stepOrder') }))
    await page.getByText(t('setup.orderTitle')).waitFor()
    await look('Set-up, order')
    await press(t('setup.finish'))

    const changed = await change(busySettings(sink.port))
    expect(changed).toMatchObject({ ok: true })
    await page.locator('input[data-field="reference"]').waitFor()
    await look('Ship, empty')
    await page.getByTestId('ship-form').locator('button[aria-expanded="false"]').click()
    await fill(page, { reference: '', weight: 'heavy' })
    await page.keyboard.press('F9')
    await look('Ship, faulty')
    await fill(page, { reference: 'ORDER-1', ...consignee, weight: '1.25', numberOfPackages: '3' })
    await page.keyboard.press('F9')
    const [barcode = ''] = (await outcome(page, 'created')).barcode.split(' ')
    await look('Ship, created')
    await fill(page, { reference: 'ORDER-1', ...consignee })
    await page.keyboard.press('F9')
    await page.getByRole('dialog').waitFor()
    await look('Ship, duplicate')
    await page.keyboard.press('Escape')
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'htmlError' }, times: 1 })
    await fill(page, { reference: 'ORDER-2', ...consignee })
    await page.keyboard.press('F9')
    await outcome(page, 'unknown')
    await look('Ship, unknown')
    await page.getByRole('button', { name: t('outcome.resolve') }).click()
    await page.getByRole('dialog').waitFor()
    await look('Resolve')
    await closeDialog()
    await page.keyboard.press('F1')
    await page.getByRole('dialog').waitFor()
    const help = page.getByRole('dialog')
    await help.getByRole('article').waitFor()
    await look('Help')
    await help.getByRole('searchbox').fill(t('outcome.duplicate'))
    await help.getByRole('status').waitFor()
    await look('Help, search')
    await help.getByRole('button', { name: t('help.keys'), exact: true }).click()
    await help.getByText(t('shortcuts.zoom')).waitFor()
    await look('Help, keys')
    await help.getByRole('button', { name: t('help.licences'), exact: true }).click()
    await help.getByText(t('help.licencesIntro')).waitFor()
    await lookWithAxe('Help, licences')
    await closeDialog()
    await change({ routing: [{ printer: 'zebra' }] })
    await fill(page, { reference: 'ORDER-3', ...consignee })
    await page.keyboard.press('F9')
    await page.locator('[data-testid="job"][data-state="waiting"]').first().waitFor()
    await look('Ship, label waits')
    await change({ routing: [{ printer: 'file' }] })

    await page.keyboard.press('F3')
    await page.getByText(t('orders.empty')).waitFor()
    await look('Orders, none')
    const ordered = fileURLToPath(new URL('../support/orderExports/shopify.csv', import.meta.url))
    await page.locator('input[type="file"]').setInputFiles(ordered)
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('orders.take', { count: 2 }) })
      .waitFor()
    await look('Orders, import')
    await press(t('orders.take', { count: 2 }))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByTestId('order-row').first().getByRole('button').click()
    await page.getByRole('complementary').waitFor()
    await look('Orders')
    await page.getByTestId('order-row').getByRole('checkbox').first().check()
    await page.keyboard.press('F9')
    await page.getByRole('dialog').waitFor()
    await look('Orders, batch question')
    await page.keyboard.press('Enter')
    await page.locator('[data-testid="batch"][data-state="ended"]').waitFor()
    await look('Orders, batch')
    await press(t('batch.summary'))
    await press(t('batch.shown.all'))
    await page.getByTestId('batch-item').first().waitFor()
    await look('Orders, batch summary')
    await closeDialog()

    await page.keyboard.press('Control+3')
    await page.getByTestId('shipment-row').first().waitFor()
    await look('History, table')
    await press(t('historyTable.filters'))
    await page.getByRole('dialog').waitFor()
    await look('History, filters')
    await closeDialog()
    await press(t('historyTable.report'))
    await page.getByRole('figure').waitFor()
    await look('Report of a day')
    await press(t('historyReport.week'))
    await page.getByRole('table', { name: t('historyReport.byHour') }).waitFor()
    await look('Report of a week')
    await press(t('historyTable.backToList'))
    await page.getByText('ORDER-1').first().click()
    await page.getByRole('heading', { level: 2, name: 'ORDER-1' }).waitFor()
    await look('History')
    await press(t('historyTable.cancel'))
    await page.getByRole('dialog').waitFor()
    await look('Cancelled at the carrier')
    await closeDialog()
    await page
      .getByRole('button', { name: t('queue.preview') })
      .first()
      .click()
    await page.getByRole('dialog').getByRole('img').first().waitFor()
    await look('Print preview')
    await closeDialog()
    await page.getByLabel(t('orders.searchHint')).fill('nothing like this')
    await page.getByText(t('history.nothingFound')).waitFor()
    await look('History, nothing found')

    await page.keyboard.press('Control+4')
    await page.getByTestId('job').first().waitFor()
    await look('Queue')
    await press(t('queue.choose'))
    await page.getByRole('dialog').getByRole('img').first().waitFor()
    await look('Placement')
    await closeDialog()

    await page.keyboard.press('Control+2')
    await look('Track, nothing yet')
    await page.getByLabel(t('track.code'), { exact: true }).fill(barcode)
    await page.keyboard.press('Enter')
    await page.getByTestId('track-status').waitFor()
    await page.getByText(t('track.ours', { reference: 'ORDER-1' })).waitFor()
    await look('Track')
    await tab(t('track.tabBulk')).click()
    await look('Track, many, empty')
    await page.getByLabel(t('bulk.codes')).fill([...knownBarcodes(40), 'NOT-THERE'].join('\n'))
    await press(t('bulk.start'))
    await page.locator('[data-testid="bulk-progress"][data-state="ended"]').waitFor()
    await page.getByTestId('bulk-row').first().waitFor()
    await look('Track, many')
    await page.getByRole('tab', { name: t('track.tabBoard') }).click()
    await press(t('board.allParcels'))
    await page.getByTestId('parcel').filter({ hasText: 'ORDER-1' }).first().waitFor()
    await look('Track, board')

    await page.keyboard.press('Control+5')
    await look('Manifests, none')
    await page.getByLabel(t('manifests.newNumber')).fill('074-12345675')
    await press(t('manifests.create'))
    await page.getByRole('grid').waitFor()
    const lines = join(folder, 'lines of the second truck of this evening.csv')
    await writeFile(lines, toCsv(40))
    await page.locator('input[type="file"]').first().setInputFiles(lines)
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('manifests.take'), exact: true })
      .waitFor()
    await page.getByRole('dialog').locator('select').nth(8).waitFor()
    await look('Import')
    await press(t('manifests.take'))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await look('Manifest, lines')
    await press(t('manifests.addShipments'))
    await page.getByLabel('ORDER-1').waitFor()
    await look('Add shipments')
    await closeDialog()
    for (const name of ['tabChecks', 'tabSend', 'tabPreAlert', 'tabHistory'] as const) {
      await tab(t(`manifests.${name}`)).click()
      await look(`Manifest, ${name}`)
    }
    await press(t('manifests.back'))
    await look('Manifests')

    await change({ routing: rulesOfAllKinds, orderRules, fleet: unreachableFleet })
    await page.keyboard.press('Control+6')
    await page.getByRole('tab').first().waitFor()
    for (const part of await page.getByRole('tab').all()) {
      await part.click()
      const folds = page.getByRole('button', { name: t('printersTab.fineTuning') })
      for (const fold of await folds.all()) await fold.click()
      const rule = page.getByRole('button', { name: '1. Germany and Austria' })
      if (await rule.isVisible()) await rule.click()
      await look(`Settings, ${await part.textContent()}`)
    }
    await change({ fleet: null })

    await change({ hotFolder: { path: join(folder, 'exchange'), print: false } })
    const orders = join(folder, 'exchange', 'in')
    await expect
      .poll(() =>
        access(orders).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
    await writeFile(join(orders, 'orders of Sunday.xlsx'), 'not taken')
    await writeFile(join(orders, 'web shop.json'), JSON.stringify([{ ...wireOrder, plaats: 'Delft' }]))
    await page.getByRole('button', { name: t('statusBar.hotFolderIssues', { count: 2 }) }).click()
    await page.getByText(wireOrder.reference).first().click()
    await page.getByRole('button', { name: t('hotFolder.send'), exact: true }).waitFor()
    await look('Hot folder')

    await page.keyboard.press('Control+1')
    await fill(page, { reference: 'EXPORT-1', ...consignee })
    await page.getByLabel(t('customs.on')).check()
    await press(t('customs.addItem'))
    await look('Ship, customs')
    await page.locator('input[data-field="companyName"]').fill('')
    await page.locator('input[data-field="companyName"]').pressSequentially('van')
    await page.locator('[role="option"]').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await lookWithAxe('Ship, suggestions')
    expect(found).toEqual([])
    expect(complaints).toEqual([])
  },
  walkTimeout,
)

// In English only: the station's language can't be read from broken settings.
it('the start error screens fit into every window size, and axe reports no violation', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'settings.json'), '{ "version": 1, "retentionDays": "ninety" }')
  const { app, page } = await launch(folder)
  await page.getByRole('alert').waitFor()
  expect(await misfits(app, page, 'Start error')).toEqual([])
  expect(await axeFindings(page)).toEqual([])
})
