import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startFakePrinter } from '../support/cups/fakePrinter'
import { hasCups, startPrivateCups } from '../support/cups/privateCups'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { launch } from './support/drivenApp'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { fillShipment, outcome, printed } from './support/screens'

describe.runIf(hasCups())('a printer of the operating system', () => {
  it('gets the label as one page through CUPS, and is offered in the settings', async () => {
    const cups = await startPrivateCups()
    onTestFinished(() => cups.close())
    const printer = await startFakePrinter()
    onTestFinished(() => printer.close())
    await cups.addQueue('LABEL', printer.uri, 'Zebra by the door')
    const folder = await temporaryFolder()
    const simulator = await testSimulator()
    const station = {
      ...stationProvisioning(simulator.baseUrl),
      printers: [{ id: 'zebra', driver: 'system', queue: 'LABEL', stock: { widthMm: 100, heightMm: 150 } }],
      routing: [{ printer: 'zebra' }],
    }
    const { page } = await launch(join(folder, 'data'), [await provisionSwitch(folder, station)], cups.env)
    await fillShipment(page, { Reference: 'ORDER-1' })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await printed(page, 'handed-over')
    expect(printer.jobs).toHaveLength(1)
    const queues = await page.evaluate(() => window.packbench.listSystemQueues(undefined))
    expect(queues).toMatchObject({ ok: true, value: [{ queue: 'LABEL', description: 'Zebra by the door' }] })
  })
})
