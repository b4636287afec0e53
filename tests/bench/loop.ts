import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ElectronApplication, Page } from 'playwright'
import { importOrders, startBatch } from '../e2e/support/orders'
import { knownBarcodes } from '../support/barcodes'
import { answeringPrinter } from '../support/printing/zplPrinter'
import { inApp } from './appWindow'
import { type Figure, inFolder, listen, type Parts, quantile, round, simulatorProcess } from './bench'
import { toOrdersCsv } from './orderFiles'

const importedOrders = Number(process.env.PACKBENCH_BENCH_ORDERS ?? 100_000)
const batchOrders = 2000
const bulkCodes = 10_000
const network = { kind: 'slow', ms: 20 } as const

/** The delays of main's event loop, which delay every creation, label and click. */
export const parts: Parts = { busy: measureBusyMain }

/** A batch with rasterised labels, an import of 100,000 orders and bulk runs at the same time, in the real app. */
async function* measureBusyMain(): AsyncGenerator<Figure> {
  const simulator = await simulatorProcess({ trackBulk: network, shipment: network })
  const printer = await listen(
    answeringPrinter(
      () => ({}),
      () => undefined,
    ),
  )
  try {
    yield* await inFolder((folder) => {
      const inbox = join(folder, 'orders')
      const zebra = { id: 'z', driver: 'socket', host: '127.0.0.1', port: printer.port }
      return inApp(folder, simulator.baseUrl, (bench) => measureAll(bench.app, bench.page, inbox), {
        batch: { parallelCreations: 4 },
        orderImport: { path: inbox },
        printers: [zebra],
        routing: [{ printer: 'z' }],
      })
    })
  } finally {
    await printer.close()
    simulator.stop()
  }
}

async function measureAll(app: ElectronApplication, page: Page, inbox: string): Promise<Figure[]> {
  await mkdir(inbox, { recursive: true })
  await importOrders(page, toOrdersCsv('BATCH', batchOrders))
  const quiet = await watchLoop(app, () => pause(5000))
  await startBatch(page, batchOrders)
  const file = join(inbox, 'orders.csv')
  await writeFile(`${file}.part`, toOrdersCsv('IMPORT', importedOrders))
  let bulkRuns = 0
  const busy = await watchLoop(app, async () => {
    await rename(`${file}.part`, file)
    while (!(await isImported(inbox))) {
      await runBulk(page)
      bulkRuns += 1
    }
  })
  const created = await page.evaluate(async () => {
    const batch = await window.packbench.getBatch(undefined)
    return batch.ok ? (batch.value?.outcomes.created ?? 0) : 0
  })
  return [
    {
      name: 'event loop of main: delay in a batch, an import and bulk runs, p99',
      ...{ value: round(busy.p99), unit: 'ms', judged: 'value', atMost: 20 },
      reference: { name: 'the app at rest', value: quiet.p99 },
      note: `longest ${round(busy.max)} ms; ${importedOrders} orders imported in ${round(busy.ms / 1000)} s, ${created} shipments created, ${bulkRuns} bulk runs of ${bulkCodes}`,
    },
    {
      name: 'time in which the loop was held up for 20 ms or longer',
      ...{ value: round(busy.heldUpMs), unit: 'ms' },
      reference: { name: 'the time that was watched', value: busy.ms },
    },
  ]
}

async function isImported(inbox: string): Promise<boolean> {
  const done = await readdir(join(inbox, 'done')).catch(() => [])
  const failed = await readdir(join(inbox, 'failed')).catch(() => [])
  if (failed.length > 0) throw new Error(`not imported: ${failed.join(', ')}`)
  return done.length > 0
}

async function runBulk(page: Page): Promise<void> {
  await page.evaluate(
    (codes) =>
      new Promise<void>((resolve, reject) => {
        const options = {
          flightTracking: 'include',
          language: 'en',
          type: 'barcode',
          details: 'full',
        } as const
        const stop = window.packbench.on('bulkTrackingProgressed', ({ state }) => {
          if (state === 'running') return
          stop()
          resolve()
        })
        void window.packbench.startBulkTracking({ codes, options }).then((begun) => {
          if (!begun.ok) reject(new Error(begun.error.message))
        })
      }),
    knownBarcodes(bulkCodes, new Date(Date.now() - 3_600_000)),
  )
}

interface LoopDelay {
  p99: number
  max: number
  /** Sum of the delays of 20 ms and longer. */
  heldUpMs: number
  /** The duration of the measurement. */
  ms: number
}

/** Measures the delays of the event loop of the real app's main process in milliseconds, by a timer of 1 ms. */
async function watchLoop(app: ElectronApplication, work: () => Promise<unknown>): Promise<LoopDelay> {
  await app.evaluate(() => {
    const delays: number[] = []
    let last = performance.now()
    const timer = setInterval(() => {
      const now = performance.now()
      delays.push(now - last - 1)
      last = now
    }, 1)
    Reflect.set(globalThis, 'benchLoop', { delays, timer })
  })
  const startedAt = performance.now()
  await work()
  const ms = performance.now() - startedAt
  const delays = await app.evaluate((): number[] => {
    const watched: { delays: number[]; timer: NodeJS.Timeout } = Reflect.get(globalThis, 'benchLoop')
    clearInterval(watched.timer)
    return watched.delays
  })
  const heldUp = delays.filter((delay) => delay >= 20)
  return {
    p99: quantile(delays, 0.99),
    max: quantile(delays, 1),
    heldUpMs: heldUp.reduce((sum, delay) => sum + delay, 0),
    ms,
  }
}
