import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Batch, BatchItem } from '../../src/shared/batches'
import { header } from '../support/orderRows'
import { answeringPrinter } from '../support/printing/zplPrinter'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { axeFindings } from './support/accessibility'
import { launch } from './support/drivenApp'
import { importOrders, startBatch } from './support/orders'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { open, picture } from './support/screens'

/** The number of orders, a multiple of 50; PACKBENCH_BATCH_ORDERS=500 is the work of a whole day. */
const ordered = Number(process.env.PACKBENCH_BATCH_ORDERS ?? 150)
const ofEachFault = ordered / 50
/** The factor for time-outs: more orders take longer. */
const slower = Math.max(1, ordered / 150)
const references = Array.from({ length: ordered }, (_, index) => `WEB-${String(index + 1).padStart(4, '0')}`)

/** A network printer that can be switched off and on. While it is off, its port is closed and its connections are cut. */
async function switchablePrinter() {
  const labels: string[] = []
  const sockets = new Set<Socket>()
  const behave = answeringPrinter(
    () => ({}),
    (label) => labels.push(label),
  )
  let server: Server | undefined
  let port = 0
  const on = () =>
    new Promise<void>((resolve) => {
      server = createServer((socket) => {
        sockets.add(socket)
        socket.on('error', () => undefined)
        socket.on('close', () => sockets.delete(socket))
        behave(socket)
      })
      server.listen(port, '127.0.0.1', () => {
        const address = server?.address()
        if (typeof address === 'object' && address !== null) port = address.port
        resolve()
      })
    })
  const off = () =>
    new Promise<void>((resolve) => {
      if (server === undefined) return resolve()
      server.close(() => resolve())
      server = undefined
      for (const socket of sockets) socket.destroy()
    })
  onTestFinished(off)
  await on()
  return { labels, on, off, port: () => port }
}

async function current(page: Page): Promise<Batch> {
  const answer = await page.evaluate(() => window.packbench.getBatch(undefined))
  if (!answer.ok) throw new Error(answer.error.message)
  if (answer.value === null) throw new Error('there is no batch')
  return answer.value
}

/** Resumes a batch until it has ended; the service's failures may pause it several times. */
async function resumeToEnd(page: Page): Promise<Batch> {
  await expect
    .poll(
      async () => {
        const { id: batchId, state } = await current(page)
        if (state === 'paused') {
          await page.evaluate((id) => window.packbench.resumeBatch({ batchId: id }), batchId)
        }
        return state
      },
      { timeout: 240_000 * slower, interval: 300 },
    )
    .toBe('ended')
  return current(page)
}

async function listItems(page: Page, batchId: string): Promise<BatchItem[]> {
  const answer = await page.evaluate(
    (id) => window.packbench.listBatchItems({ batchId: id, shown: 'all', offset: 0, limit: 500 }),
    batchId,
  )
  if (!answer.ok) throw new Error(answer.error.message)
  return answer.value.items
}

describe('a batch of orders', () => {
  it(
    'gives each order exactly one outcome and sends none twice, despite faults of the service, a printer that is off for a while and two kills',
    async () => {
      const folder = await temporaryFolder()
      const data = join(folder, 'data')
      const simulator = await testSimulator()
      const printer = await switchablePrinter()
      const base = stationProvisioning(simulator.baseUrl)
      const { weight: _weight, ...shipmentDefaults } = base.shipmentDefaults
      const provision = await provisionSwitch(folder, {
        ...base,
        shipmentDefaults,
        batch: { parallelCreations: 2 },
        printers: [
          {
            ...{ id: 'zebra', driver: 'socket', host: '127.0.0.1', port: printer.port(), dpi: 203 },
            stock: { widthMm: 100, heightMm: 150 },
          },
        ],
        routing: [{ printer: 'zebra' }],
      })
      const everyFiftieth = (from: number) => references.filter((_, index) => index % 50 === from)
      for (const reference of everyFiftieth(7)) {
        simulator.faults.add({
          operation: 'shipment',
          fault: { kind: 'refused', message: 'no such street' },
          reference,
        })
      }
      for (const reference of everyFiftieth(13)) {
        simulator.faults.add({ operation: 'shipment', fault: { kind: 'cutOff' }, reference })
      }
      for (const reference of everyFiftieth(21)) {
        simulator.faults.add({
          operation: 'shipment',
          fault: { kind: 'htmlError', created: true },
          reference,
        })
      }
      for (const reference of everyFiftieth(34)) {
        simulator.faults.add({ operation: 'shipment', fault: { kind: 'resetAfterReading' }, reference })
      }
      const incomplete = new Set(everyFiftieth(42))
      const rows = references.map(
        (reference) =>
          `${reference};Jan Smit;Dam;1;1012 JS;Amsterdam;NL;${incomplete.has(reference) ? '' : 500}`,
      )
      /** Waits until the service has received the given share of the orders. */
      const sent = (part: number) =>
        expect
          .poll(() => simulator.ledger.entries.length, { timeout: 120_000 * slower })
          .toBeGreaterThanOrEqual(Math.floor(ordered * part))

      const first = await launch(data, [provision])
      await importOrders(first.page, [header, ...rows].join('\n'))
      await open(first.page, 'Orders')
      await first.page.getByRole('button', { name: `To ship (${ordered})` }).waitFor()
      expect(await startBatch(first.page, ordered)).toMatchObject({ total: ordered })
      await sent(0.12)
      await first.page.getByTestId('batch').waitFor()
      await picture(first.page, 'batch-running')
      await sent(0.24)
      await printer.off()
      await sent(0.32)
      await first.kill()

      const second = await launch(data, [provision])
      await open(second.page, 'Orders')
      await second.page.getByText('Packbench was closed during this batch.').waitFor()
      const { id, pausedBy } = await current(second.page)
      expect(pausedBy).toBe('restart')
      expect(await axeFindings(second.page)).toEqual([])
      await picture(second.page, 'batch-restarted')
      await second.page.getByRole('button', { name: 'Resume' }).click()
      await sent(0.52)
      await printer.on()
      await sent(0.66)
      await second.kill()

      const third = await launch(data, [provision])
      const end = await resumeToEnd(third.page)
      expect(end.id).toBe(id)
      const items = await listItems(third.page, id)
      expect(items.map(({ reference }) => reference)).toEqual(references)
      expect(items.filter(({ outcome }) => outcome === null || outcome === 'left')).toEqual([])
      expect(
        items.filter(({ outcome }) => outcome === 'incomplete').map(({ reference }) => reference),
      ).toEqual([...incomplete])
      expect(items.filter(({ outcome }) => outcome === 'refused').map(({ reference }) => reference)).toEqual(
        everyFiftieth(7),
      )
      const unknown = items.filter(({ outcome }) => outcome === 'unknown')
      // Unknown are the orders with damaged answers, and at most the creations in flight at the two kills.
      expect(unknown.length).toBeGreaterThanOrEqual(3 * ofEachFault)
      expect(unknown.length).toBeLessThanOrEqual(3 * ofEachFault + 4)
      const twice = [...simulator.ledger.countByReference()].filter(([, count]) => count > 1)
      expect(twice).toEqual([])
      const created = items.filter(({ outcome }) => outcome === 'created')
      const existing = new Set(
        simulator.ledger.entries.flatMap((entry) => (entry.created ? [entry.reference] : [])),
      )
      expect(created.filter(({ reference }) => !existing.has(reference))).toEqual([])

      // A job that provably sent nothing is printed automatically once the printer is back. A label that may have come out
      // waits for a person.
      await expect
        .poll(async () => (await current(third.page)).labels.underWay, { timeout: 120_000 * slower })
        .toBe(0)
      const jobs = (await listItems(third.page, id)).flatMap((item) => item.jobs)
      expect(jobs.length).toBe(created.length)
      const unprinted = jobs.filter(({ state }) => state !== 'done' && state !== 'handed-over')
      expect(unprinted.every(({ state }) => state === 'unconfirmed')).toBe(true)
      expect(unprinted.length).toBeLessThanOrEqual(3)
      // The printer may still be reading bytes that were sent to it.
      await expect.poll(() => printer.labels.length).toBeGreaterThanOrEqual(created.length - unprinted.length)
      expect(printer.labels.length).toBeLessThanOrEqual(created.length)

      await open(third.page, 'Orders')
      await third.page.getByRole('button', { name: 'Summary' }).click()
      await third.page.getByTestId('batch-item').first().waitFor()
      await picture(third.page, 'batch-summary')
      await third.page.keyboard.press('Escape')
      await third.page.getByRole('button', { name: `Ship ${2 * ofEachFault} that are left` }).click()
      await expect.poll(async () => (await current(third.page)).id).not.toBe(id)
      expect(await resumeToEnd(third.page)).toMatchObject({
        total: 2 * ofEachFault,
        outcomes: { refused: ofEachFault, incomplete: ofEachFault },
      })
      expect(simulator.deviations()).toEqual([])
    },
    420_000 * slower,
  )

  it('is started from the ticked orders with the keyboard, and its panel can be closed when it has ended', async () => {
    const folder = await temporaryFolder()
    const simulator = await testSimulator()
    const provision = await provisionSwitch(folder, stationProvisioning(simulator.baseUrl))
    const { page, complaints } = await launch(join(folder, 'data'), [provision])
    await importOrders(page, [header, 'A-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500'].join('\n'))
    await open(page, 'Orders')
    await page.getByLabel('Select order A-1').check()
    await page.keyboard.press('F9')
    await page.getByRole('dialog').getByText('They are created one after another').waitFor()
    await picture(page, 'batch-question')
    await page.keyboard.press('Enter')
    await page.getByText('Batch has ended').waitFor()
    await page.getByRole('button', { name: 'Shipped (1)' }).waitFor()
    await picture(page, 'batch-ended')
    await page.getByTestId('batch').getByRole('button', { name: 'Close' }).click()
    await page.getByTestId('batch').waitFor({ state: 'detached' })
    expect(simulator.ledger.countByReference()).toEqual(new Map([['A-1', 1]]))
    expect(complaints).toEqual([])
  })
})
