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
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { picture } from './support/screens'

/** A station with two printers: the test controls the answers of one, and nothing listens at the address of the other. */
async function station(language: 'en' | 'nl', appearance: 'light' | 'dark') {
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
    language,
    hotFolder: { path: exchange, print: false },
    printers: [
      { id: 'zebra', name: 'Zebra 1', driver: 'socket', host: '127.0.0.1', port },
      { id: 'off', name: 'Zebra 2', driver: 'socket', host: '127.0.0.1', port: 1 },
    ],
    routing: [{ printer: 'zebra' }],
  })
  const { page, complaints } = await launch(join(folder, 'data'), [provision])
  await page.evaluate((change) => window.packbench.changeSettings(change), { appearance })
  const prefix = `${language}-${appearance}`
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
    async ship(reference: string, label: string): Promise<string> {
      await typeShipment(page, reference)
      await page.keyboard.press('F9')
      await page.locator(`[data-testid="outcome"][data-label="${label}"]`, { hasText: reference }).waitFor()
      return (await panel.textContent()) ?? ''
    },
    async show(name: string): Promise<void> {
      await look(page, name)
      await picture(page, `${prefix}-${name}`)
    },
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

describe.each([
  ['en', 'light'],
  ['nl', 'dark'],
] as const)('the label state of a shipment (%s, %s)', (language, appearance) => {
  it('shows «out» for a label at the printer, and the reason for every other state', async () => {
    const { page, simulator, complaints, inbox, printerIs, ship, show, becomes } = await station(
      language,
      appearance,
    )
    const out = await ship('ORDER-OUT', 'out')
    expect(out).toContain('Zebra 1')
    for (const fact of [
      'de Vries',
      'Amsterdam',
      language === 'nl' ? '2,5 kg' : '2.5 kg',
      'Parcel Standard',
    ]) {
      expect(out).toContain(fact)
    }
    await show('out')

    await ship('NOLABEL-1', 'no-label')
    await show('no-label')

    printerIs({ paperOut: true })
    const words = { en: 'it is out of labels', nl: 'de labels zijn op' }
    expect(await ship('ORDER-PAPER', 'waiting')).toContain(words[language])
    await show('out-of-labels')
    printerIs({})
    await becomes('out')

    const pause = (paused: boolean) =>
      page.evaluate((change) => window.packbench.pausePrinter(change), { printerId: 'zebra', paused })
    await pause(true)
    const paused = { en: 'it is paused', nl: 'hij staat op pauze' }
    expect(await ship('ORDER-PAUSED', 'waiting')).toContain(paused[language])
    await show('paused')
    await pause(false)
    await becomes('out')

    simulator.faults.add({
      operation: 'shipment',
      fault: { kind: 'otherPage', widthMm: 210, heightMm: 297 },
      times: 1,
    })
    const choose = { en: 'choose which part is printed', nl: 'kies welk deel wordt afgedrukt' }
    expect(await ship('ORDER-A4', 'waiting')).toContain(choose[language])
    await show('placement')

    simulator.faults.add({ operation: 'shipment', fault: { kind: 'htmlError' }, times: 1 })
    await ship('ORDER-UNKNOWN', 'unknown')
    await show('unknown')
    await ship('REFUSE-1', 'refused')
    await show('refused')

    await page.evaluate((change) => window.packbench.changeSettings(change), {
      routing: [{ printer: 'off' }],
    })
    const text = await ship('ORDER-OFF', 'waiting')
    expect(text).toContain('Zebra 2')
    expect(text).not.toContain('ECONNREFUSED')
    await show('trying-again')
    await page.evaluate((change) => window.packbench.changeSettings(change), { printers: [], routing: [] })
    await ship('ORDER-NOWHERE', 'not-printed')
    await show('no-printer')

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
    const stored = { en: 'Label stored', nl: 'Label bewaard' }
    await page.getByText(stored[language]).first().waitFor()
    await show('history')
    expect(complaints.filter((each) => !each.includes('Content Security Policy'))).toEqual([])
  })
})
