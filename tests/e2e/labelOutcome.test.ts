import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { startByteSink } from '../support/printing/byteSink'
import { answeringPrinter, type PrinterState } from '../support/printing/zplPrinter'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { look } from './support/accessibility'
import { launch } from './support/drivenApp'
import { startLooks } from './support/looks'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { picture } from './support/screens'

/** The time limit for all states in both looks. */
const allStatesTimeout = 400_000

/** Texts that a place of the screen contains in each language. */
type Facts = Record<'en' | 'nl', string[]>

/** A station with two printers: the test controls the answers of one, and nothing listens at the address of the other. */
async function station() {
  const folder = await temporaryFolder()
  const simulator = await testSimulator()
  let state: PrinterState = {}
  const { port } = await startByteSink(
    answeringPrinter(
      () => state,
      () => undefined,
    ),
  )
  const exchange = join(folder, 'exchange')
  const provision = await provisionSwitch(folder, {
    ...stationProvisioning(simulator.baseUrl),
    hotFolder: { path: exchange, print: false },
    printers: [
      { id: 'zebra', name: 'Zebra 1', driver: 'socket', host: '127.0.0.1', port },
      { id: 'off', name: 'Zebra 2', driver: 'socket', host: '127.0.0.1', port: 1 },
    ],
    routing: [{ printer: 'zebra' }],
  })
  const { page, complaints } = await launch(join(folder, 'data'), [provision])
  const looks = await startLooks(page)
  const panel = page.getByTestId('outcome')
  return {
    page,
    simulator,
    complaints,
    inbox: join(exchange, 'in'),
    printerIs: (next: PrinterState) => {
      state = next
    },
    /** Ships a reference and waits until its label has the given state. */
    async ship(reference: string, label: string): Promise<void> {
      await typeShipment(page, reference)
      await page.keyboard.press('F9')
      await page.locator(`[data-testid="outcome"][data-label="${label}"]`, { hasText: reference }).waitFor()
    },
    /** Looks at the screen in both looks, and expects each time the facts in that look's language. */
    show: (name: string, facts: Facts = { en: [], nl: [] }, place = panel) =>
      looks.inBoth(async () => {
        const { language, appearance } = looks.current()
        for (const fact of facts[language]) await expect.poll(() => place.textContent()).toContain(fact)
        expect(await place.textContent()).not.toContain('ECONNREFUSED')
        await look(page, `${language} ${name}`)
        await picture(page, `${language}-${appearance}-${name}`)
      }),
    becomes: (label: string) => page.locator(`[data-testid="outcome"][data-label="${label}"]`).waitFor(),
  }
}

/** Finds the fields by name, because their labels are in the language of the screen. */
async function typeShipment(page: Page, reference: string): Promise<void> {
  const typed = { reference, lastName: 'de Vries', street: 'Keizersgracht', city: 'Amsterdam', weight: '2.5' }
  for (const [field, value] of Object.entries(typed)) {
    await page.locator(`input[data-field="${field}"]`).fill(value)
  }
}

describe('the label state of a shipment', () => {
  it(
    'is «out» for a label at the printer, and the reason for every other state, in both languages, light and dark',
    async () => {
      const { page, simulator, complaints, inbox, printerIs, ship, show, becomes } = await station()
      await ship('ORDER-OUT', 'out')
      const always = ['Zebra 1', 'de Vries', 'Amsterdam', 'Parcel Standard']
      await show('out', { en: [...always, '2.5 kg'], nl: [...always, '2,5 kg'] })

      await ship('NOLABEL-1', 'no-label')
      await show('no-label')

      printerIs({ paperOut: true })
      await ship('ORDER-PAPER', 'waiting')
      await show('out-of-labels', { en: ['it is out of labels'], nl: ['de labels zijn op'] })
      printerIs({})
      await becomes('out')

      const pause = (paused: boolean) =>
        page.evaluate((change) => window.packbench.pausePrinter(change), { printerId: 'zebra', paused })
      await pause(true)
      await ship('ORDER-PAUSED', 'waiting')
      await show('paused', { en: ['it is paused'], nl: ['hij staat op pauze'] })
      await pause(false)
      await becomes('out')

      simulator.faults.add({
        operation: 'shipment',
        fault: { kind: 'otherPage', widthMm: 210, heightMm: 297 },
        times: 1,
      })
      await ship('ORDER-A4', 'waiting')
      await show('placement', {
        en: ['choose which part is printed'],
        nl: ['kies welk deel wordt afgedrukt'],
      })

      simulator.faults.add({ operation: 'shipment', fault: { kind: 'htmlError' }, times: 1 })
      await ship('ORDER-UNKNOWN', 'unknown')
      await show('unknown')
      await ship('REFUSE-1', 'refused')
      await show('refused')

      await page.evaluate((change) => window.packbench.changeSettings(change), {
        routing: [{ printer: 'off' }],
      })
      await ship('ORDER-OFF', 'waiting')
      await show('trying-again', { en: ['Zebra 2'], nl: ['Zebra 2'] })
      await page.evaluate((change) => window.packbench.changeSettings(change), { printers: [], routing: [] })
      await ship('ORDER-NOWHERE', 'not-printed')
      expect(await page.getByTestId('job').count()).toBe(0)
      expect(simulator.ledger.listByReference('ORDER-NOWHERE')).toMatchObject([{ outcome: 'created' }])
      await show('no-printer', {
        en: ['Not printed', 'No printer took the label: print it from here.'],
        nl: ['Niet afgedrukt', 'Geen printer nam het label aan: druk het hier af.'],
      })

      await mkdir(inbox, { recursive: true })
      const order = {
        reference: 'ORDER-SILENT',
        last_name: 'de Vries',
        street: 'Kade',
        city: 'Gent',
        country: 'BE',
      }
      await writeFile(`${inbox}.json`, JSON.stringify(order))
      await rename(`${inbox}.json`, join(inbox, 'order.json'))
      await page.keyboard.press('Control+3')
      await page.getByText('ORDER-SILENT').first().click()
      await page.getByRole('heading', { name: 'ORDER-SILENT' }).waitFor()
      await show('history', { en: ['Label stored'], nl: ['Label bewaard'] }, page.getByRole('main'))
      expect(complaints.filter((each) => !each.includes('Content Security Policy'))).toEqual([])
    },
    allStatesTimeout,
  )
})
