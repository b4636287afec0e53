import { mkdir, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTranslator } from '../../src/renderer/i18n/translator'
import type { SettingsChange } from '../../src/shared/settings'
import { startByteSink } from '../support/printing/byteSink'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { answerDialogs } from './support/dialogs'
import { launch } from './support/drivenApp'
import { resize } from './support/layout'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { outcome, picture } from './support/screens'

/** A realistic folder path for the pictures. The test creates and removes it, so it must not exist before. */
const labels = '/srv/labels'

/** The label printer takes sideways labels, so that the service's upright ones wait for a choice. */
function toSettings(port: number): SettingsChange {
  const stock = { widthMm: 152, heightMm: 102 }
  const address = { host: '127.0.0.1', port }
  return {
    printers: [
      { driver: 'socket', id: 'zebra', name: 'Zebra', ...address, dpi: 203, stock, rotate: 0, copies: 1 },
      { driver: 'folder', id: 'file', name: 'Label folder', path: labels },
    ],
    routing: [{ printer: 'file' }],
  }
}

const consignee = {
  ...{ companyName: 'De Vries Fietsen', lastName: 'de Vries', street: 'Keizersgracht', houseNumber: '12' },
  ...{ postalCode: '1015 CJ', city: 'Amsterdam', weight: '1.25' },
}

// `PACKBENCH_PICTURES=docs/guides/images npm test -- tests/e2e/guidePictures.test.ts` takes the pictures again.
describe.skipIf(process.env.PACKBENCH_PICTURES === undefined).each(['en', 'nl'] as const)(
  'pictures of the guides (%s)',
  (language) => {
    const { t } = createTranslator(language)

    it('show the screens that the guides describe', async () => {
      const folder = await temporaryFolder()
      await mkdir(labels)
      onTestFinished(() => rm(labels, { recursive: true }))
      const simulator = await testSimulator()
      const sink = await startByteSink()
      const station = { ...stationProvisioning(simulator.baseUrl), language }
      const { app, page } = await launch(`${folder}/data`, [await provisionSwitch(folder, station)])
      await answerDialogs(app, 0)
      const change = (settings: SettingsChange) =>
        page.evaluate((each) => window.packbench.changeSettings(each), settings)
      const take = (name: string) => picture(page, `${name}-${language}`)
      expect(await change({ appearance: 'light', ...toSettings(sink.port) })).toMatchObject({ ok: true })
      for (const notice of (
        await page.getByRole('button', { name: t('common.dismiss') }).all()
      ).toReversed()) {
        await notice.click()
      }
      await resize(app, page, { width: 1024, height: 700, zoom: 1 })
      const ship = async (reference: string) => {
        for (const [field, value] of Object.entries({ reference, ...consignee })) {
          await page.locator(`input[data-field="${field}"]`).fill(value)
        }
        await page.keyboard.press('F9')
        await outcome(page, 'created')
      }

      await ship('WEB-1041')
      await page.locator('[data-testid="job"][data-state="done"]').first().waitFor()
      await take('ship')

      await page.keyboard.press('F3')
      const ordered = fileURLToPath(new URL('../support/orderExports/shopify.csv', import.meta.url))
      await page.locator('input[type="file"]').setInputFiles(ordered)
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: t('orders.take', { count: 2 }) }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByTestId('order-row').first().getByRole('button').click()
      await page.getByRole('complementary').waitFor()
      await take('orders')

      await change({ routing: [{ printer: 'zebra' }] })
      await page.keyboard.press('Control+1')
      await ship('WEB-1042')
      await page.keyboard.press('Control+4')
      await page.getByRole('button', { name: t('queue.choose') }).waitFor()
      await take('queue')

      await page.keyboard.press('Control+6')
      await page.getByRole('tab', { name: t('settings.printers') }).click()
      await page
        .getByRole('button', { name: t('printerTools.testLabel') })
        .first()
        .waitFor()
      await take('printers')
    })
  },
)
