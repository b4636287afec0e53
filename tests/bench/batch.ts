import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright'
import type { Fault } from '../../src/simulator/faults'
import { importOrders, startBatch } from '../e2e/support/orders'
import { inApp } from './appWindow'
import { bareShipments } from './bareShipments'
import { type Figure, inFolder, type Parts, round, simulatorProcess, timed } from './bench'
import { toOrdersCsv } from './orderFiles'

const slowMs = 300
/** Shipped before each measurement, because the first shipment requests the API key and runs all code for the first time. */
const warmOrders = 30
const slowOrders = 240
const quickOrders = 100

/** The shipments per second of a batch in the real app, with labels printed into a folder. */
export const parts: Parts = {
  slow: measureSlowService,
  one: () => measureQuickService(1),
  four: () => measureQuickService(4),
}

/** Four creations in flight against a slow service, after a warm-up. */
async function* measureSlowService(): AsyncGenerator<Figure> {
  yield* await withStation({ shipment: { kind: 'slow', ms: slowMs } }, 4, async (page) => {
    await shipAll(page, 'WARM', warmOrders)
    const rate = await shipAll(page, 'SLOW', slowOrders)
    return [
      {
        name: `shipments of a batch, four in flight, a service of ${slowMs} ms`,
        ...{ value: round(rate), unit: '/s', atLeast: 0.97 },
        reference: { name: 'four at a time without a break', value: 4000 / slowMs },
        note: `${slowOrders} orders, after ${warmOrders} others`,
      },
    ]
  })
}

/** Against a service that answers at once, compared with a bare script in alternating rounds. */
async function* measureQuickService(atOnce: number): AsyncGenerator<Figure> {
  yield* await withStation({}, atOnce, async (page, folder, baseUrl) => {
    const bare = await bareShipments(baseUrl, folder)
    await shipAll(page, 'WARM', warmOrders)
    const rates: [own: number, bare: number][] = []
    for (let round = 0; round < 2; round += 1) {
      rates.push([
        await shipAll(page, `APP-${round}`, quickOrders),
        await shipBare(bare.ship, `BARE-${round}`, quickOrders, atOnce),
      ])
    }
    await bare.close()
    // The best round is the one least disturbed by other programs of the machine.
    const [own, reference] = [
      Math.max(...rates.map(([rate]) => rate)),
      Math.max(...rates.map(([, rate]) => rate)),
    ]
    return [
      {
        name: `shipments of a batch, ${atOnce} in flight, a service of 0 ms`,
        ...{ value: round(own), unit: '/s', atLeast: 0.6 },
        reference: { name: 'a bare script, as many in flight', value: reference },
        note: 'the better of two rounds each',
      },
    ]
  })
}

/** @returns shipments per second, from the start of a batch to its end */
async function shipAll(page: Page, prefix: string, count: number): Promise<number> {
  await importOrders(page, toOrdersCsv(prefix, count))
  await startBatch(page, count)
  for (;;) {
    const answer = await page.evaluate(() => window.packbench.getBatch(undefined))
    if (!answer.ok || answer.value === null) throw new Error('there is no batch')
    const { state, outcomes, createdAt, endedAt, error } = answer.value
    if (state === 'paused') throw new Error(error?.message ?? 'the batch is paused')
    if (state === 'ended' && endedAt !== null) {
      if (outcomes.created !== count)
        throw new Error(`only ${outcomes.created ?? 0} of ${count} were created`)
      return (count * 1000) / (Date.parse(endedAt) - Date.parse(createdAt))
    }
    await pause(200)
  }
}

async function shipBare(
  ship: (reference: string) => Promise<unknown>,
  prefix: string,
  count: number,
  atOnce: number,
): Promise<number> {
  let next = 0
  const work = async () => {
    while (next < count) {
      next += 1
      await ship(`${prefix}-${next}`)
    }
  }
  const ms = await timed(() => Promise.all(Array.from({ length: atOnce }, work)))
  return (count * 1000) / ms
}

async function withStation(
  faults: { shipment?: Fault },
  parallelCreations: number,
  measure: (page: Page, folder: string, baseUrl: string) => Promise<Figure[]>,
): Promise<Figure[]> {
  const simulator = await simulatorProcess(faults)
  try {
    return await inFolder((folder) =>
      inApp(folder, simulator.baseUrl, ({ page }) => measure(page, folder, simulator.baseUrl), {
        batch: { parallelCreations },
      }),
    )
  } finally {
    simulator.stop()
  }
}
