import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { deflateSync } from 'node:zlib'
import { build } from 'vite'
import { createEventBus } from '../../src/main/lib/eventBus'
import { createCupsDriver } from '../../src/main/printing/drivers/cups'
import { createFolderDriver } from '../../src/main/printing/drivers/folder'
import { createSocketDriver } from '../../src/main/printing/drivers/socket'
import { toZplLayout } from '../../src/main/printing/layout/labelLayout'
import { createPrintQueue } from '../../src/main/printing/queue/printQueue'
import { createPrintJobRepository } from '../../src/main/printing/queue/repository'
import { createWorkerRasterizer, type Rasterizer } from '../../src/main/printing/raster/rasterizer'
import { openDatabase } from '../../src/main/storage/database'
import { type SocketPrinter, socketPrinterSchema, systemPrinterSchema } from '../../src/shared/printing'
import { ok } from '../../src/shared/result'
import { startFakePrinter } from '../support/cups/fakePrinter'
import { hasCups, startPrivateCups } from '../support/cups/privateCups'
import { labelSheet } from '../support/printing/corpus/sheets'
import { symbols } from '../support/printing/corpus/symbols'
import { labelsInMemory, labelWith, noInvoices } from '../support/printing/labels'
import { createMemoryJobs } from '../support/printing/memoryJobs'
import { contextFor, staysOpen } from '../support/printing/printContext'
import { createStubDrivers } from '../support/printing/stubDriver'
import { silentLog } from '../support/silentLog'
import { barcodeFigures } from './barcodeProof'
import type { Figure } from './bench'
import { referenceFigures, storedLabel, storeFigures } from './printingReferences'

const run = promisify(execFile)
const size = { widthMm: 100, heightMm: 150 }

/** The printing engine's figures, each beside its reference in the same run. */
export async function measure(): Promise<Figure[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'packbench-bench-'))
  const rasterizer = createWorkerRasterizer(await builtWorker())
  try {
    const pdf = await labelSheet([symbols.code128, symbols.qr, symbols.itf])
    const file = path.join(folder, 'label.pdf')
    await writeFile(file, pdf)
    return [
      ...(await rasterFigures(rasterizer, pdf, file)),
      ...(await wireFigures(rasterizer, pdf)),
      ...(await latencyFigures(rasterizer, pdf)),
      ...(await throughputFigures(rasterizer, pdf)),
      ...(await cupsFigures(rasterizer, pdf, file)),
      ...(await referenceFigures(rasterizer, folder, pdf)),
      ...(await storeFigures(rasterizer, folder, pdf)),
      ...(await backlogFigures(folder)),
      ...(await barcodeFigures(rasterizer, pdf)),
      ...(await memoryFigures(rasterizer, pdf)),
    ]
  } finally {
    await rasterizer.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function builtWorker(): Promise<URL> {
  const outDir = path.resolve('out/bench/rasterWorker')
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: path.resolve('src/main/printing/raster/worker.ts'),
      target: 'node20.18',
      outDir,
      emptyOutDir: true,
      rollupOptions: { output: { format: 'es', entryFileNames: 'rasterWorker.mjs' } },
    },
  })
  return pathToFileURL(path.join(outDir, 'rasterWorker.mjs'))
}

function getPrinter(dpi: 203 | 300 | 600, port = 9100): SocketPrinter {
  return socketPrinterSchema.parse({
    id: `z${port}`,
    driver: 'socket',
    host: '127.0.0.1',
    port,
    dpi,
    stock: size,
  })
}

/** From the bytes of a PDF to ZPL, as the socket driver does it. */
async function rasterise(rasterizer: Rasterizer, pdf: Buffer, dpi: 203 | 300 | 600): Promise<Buffer> {
  const printer = getPrinter(dpi)
  const zpl = await rasterizer.renderZpl(
    pdf,
    toZplLayout(printer, { printer, carrierOptionId: 34, rules: [] }),
  )
  if (!zpl.ok) throw new Error(zpl.error.message)
  return zpl.value.zpl
}

async function rasterFigures(rasterizer: Rasterizer, pdf: Buffer, file: string): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const dpi of [203, 300, 600] as const) {
    const times = { ours: [] as number[], theirs: [] as number[] }
    await rasterise(rasterizer, pdf, dpi)
    for (let round = 0; round < 25; round += 1) {
      times.ours.push(await timed(() => rasterise(rasterizer, pdf, dpi)))
      times.theirs.push(
        await timed(() =>
          run('pdftoppm', ['-r', String(dpi), '-mono', file], { encoding: 'buffer', maxBuffer: 1e8 }),
        ),
      )
    }
    const [ours, theirs] = [quantile(times.ours, 0.5), quantile(times.theirs, 0.5)]
    figures.push({
      name: `PDF to ZPL at ${dpi} dpi, of pdftoppm -mono`,
      value: round(ours / theirs),
      unit: 'of the reference',
      ...(dpi === 203 && { limit: 0.8 }),
      note: `median ${round(ours)} ms, pdftoppm ${round(theirs)} ms`,
    })
  }
  return figures
}

async function wireFigures(rasterizer: Rasterizer, pdf: Buffer): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const dpi of [203, 300, 600] as const) {
    const printer = getPrinter(dpi)
    const zpl = await rasterise(rasterizer, pdf, dpi)
    const layout = toZplLayout(printer, [])
    const rowBytes = Math.ceil(layout.widthDots / 8)
    const hex = rowBytes * layout.heightDots * 2
    const question = { printer, carrierOptionId: 34, rules: [] }
    const mono = await rasterizer.renderMono(pdf, toZplLayout(printer, question))
    const bits = mono.ok ? mono.value[0]?.bits : undefined
    const z64 = bits === undefined ? 0 : Math.ceil(deflateSync(bits).length / 3) * 4
    figures.push({
      name: `bytes on the wire at ${dpi} dpi, of uncompressed hex`,
      value: round(zpl.length / hex),
      unit: 'of the reference',
      limit: 0.35,
      note: `${zpl.length} bytes of ${hex}; :Z64: would be ${z64}`,
    })
  }
  return figures
}

/** A printer on a TCP port. `labelMs`: how long it takes for a label before it takes the next. */
async function startPrinter(labelMs = 0) {
  let labelSeen: () => void = () => undefined
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let tail = ''
    socket.on('error', () => undefined)
    socket.on('data', (part) => {
      tail = (tail + part.toString('latin1')).slice(-8)
      if (tail.trimEnd().endsWith('^XZ')) labelSeen()
    })
    socket.on('end', () => setTimeout(() => socket.end(), labelMs))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    nextLabel: () =>
      new Promise<void>((resolve) => {
        labelSeen = resolve
      }),
    close: () => server.close(),
  }
}

function startQueue(rasterizer: Rasterizer, pdf: Buffer, printers: SocketPrinter[]) {
  const label = labelWith({ bytes: pdf })
  const jobs = createMemoryJobs()
  const queue = createPrintQueue({
    jobs,
    labels: labelsInMemory([label]),
    invoices: noInvoices,
    printers: () => printers,
    routing: () => [],
    labelRules: () => ({ placements: [], zplCommands: [], losses: [] }),
    paused: { list: async () => [], set: async () => undefined },
    drivers: {
      socket: createSocketDriver(rasterizer),
      system: createCupsDriver(rasterizer),
      folder: createFolderDriver('/nowhere', rasterizer),
    },
    measure: (pdf) => rasterizer.measure(pdf),
    log: silentLog,
    now: () => new Date(),
    bus: createEventBus(),
  })
  const add = (printer: SocketPrinter) =>
    jobs.add([
      {
        id: randomUUID(),
        shipmentId: label.shipmentId,
        labelId: label.labelId,
        printerId: printer.id,
        printerName: printer.id,
        kind: 'first',
      },
    ])
  return { queue, jobs, add }
}

async function latencyFigures(rasterizer: Rasterizer, pdf: Buffer): Promise<Figure[]> {
  const printer = await startPrinter()
  const settings = getPrinter(203, printer.port)
  const { queue, jobs, add } = startQueue(rasterizer, pdf, [settings])
  await queue.start()
  const [over, raster]: [number[], number[]] = [[], []]
  for (let number = 0; number < 500; number += 1) {
    raster.push(await timed(() => rasterise(rasterizer, pdf, 203)))
    const arrived = printer.nextLabel()
    over.push(
      await timed(async () => {
        await add(settings)
        queue.wake()
        await arrived
      }),
    )
    while (jobs.all().at(-1)?.state !== 'handed-over') await pause(1)
  }
  await queue.stop()
  printer.close()
  const typical = quantile(raster, 0.5)
  return [
    {
      name: 'from the job to the last byte at the printer, over the raster time, p95 of 500',
      value: round(quantile(over, 0.95) - typical),
      unit: 'ms',
      limit: 25,
      note: `median ${round(quantile(over, 0.5) - typical)} ms over ${round(typical)} ms of rasterising; jobs kept in memory`,
    },
  ]
}

async function throughputFigures(rasterizer: Rasterizer, pdf: Buffer): Promise<Figure[]> {
  const labelMs = 250
  const rate = async (count: number, labels: number) => {
    const printers = await Promise.all(Array.from({ length: count }, () => startPrinter(labelMs)))
    const settings = printers.map(({ port }) => getPrinter(203, port))
    const { queue, jobs, add } = startQueue(rasterizer, pdf, settings)
    await queue.start()
    const took = await timed(async () => {
      for (let number = 0; number < labels; number += 1) {
        const printer = settings[number % count]
        if (printer !== undefined) await add(printer)
      }
      queue.wake()
      while (jobs.all().some((job) => job.state !== 'handed-over')) await pause(5)
    })
    await queue.stop()
    for (const printer of printers) printer.close()
    return labels / took
  }
  const [one, four] = [await rate(1, 50), await rate(4, 200)]
  return [
    {
      name: '200 labels to 4 printers, of one printer’s rate (at least 3.5)',
      value: round(four / one),
      unit: 'of the reference',
      note: `a printer takes ${labelMs} ms a label; ${round(four * 1000)} labels a second against ${round(one * 1000)}`,
    },
  ]
}

async function cupsFigures(rasterizer: Rasterizer, pdf: Buffer, file: string): Promise<Figure[]> {
  if (!hasCups()) return []
  const cups = await startPrivateCups()
  const fake = await startFakePrinter()
  const before = process.env.CUPS_SERVER
  process.env.CUPS_SERVER = cups.server
  try {
    await cups.addQueue('LABEL', fake.uri)
    const driver = createCupsDriver(rasterizer)
    const printer = systemPrinterSchema.parse({ id: 'cups', driver: 'system', queue: 'LABEL', stock: size })
    const [handed, arrived] = [pairs(), pairs()]
    for (let round = 0; round < 20; round += 1) {
      const context = contextFor(printer, labelWith({ bytes: pdf }))
      const start = performance.now()
      const printed = driver.print(
        { ...context, accepted: () => handed.ours.push(performance.now() - start) },
        staysOpen,
      )
      await untilJobs(fake, round * 2 + 1)
      arrived.ours.push(performance.now() - start)
      await printed
      const begun = performance.now()
      await run('lp', ['-d', 'LABEL', '-o', 'media=Custom.100x150mm', '-o', 'print-scaling=none', file])
      handed.theirs.push(performance.now() - begun)
      await untilJobs(fake, round * 2 + 2)
      arrived.theirs.push(performance.now() - begun)
      // The next job waits for the printer's state otherwise.
      await pause(200)
    }
    return [
      ratio('through CUPS until the printer has the label, of a bare lp', arrived, 1.15),
      ratio('through CUPS until the queue has the label, of a bare lp', handed),
    ]
  } finally {
    if (before === undefined) delete process.env.CUPS_SERVER
    else process.env.CUPS_SERVER = before
    await fake.close()
    await cups.close()
  }
}

interface Pairs {
  ours: number[]
  theirs: number[]
}

function pairs(): Pairs {
  return { ours: [], theirs: [] }
}

function ratio(name: string, { ours, theirs }: Pairs, limit?: number): Figure {
  const [our, their] = [quantile(ours, 0.5), quantile(theirs, 0.5)]
  return {
    name,
    value: round(our / their),
    unit: 'of the reference',
    ...(limit !== undefined && { limit }),
    note: `median ${round(our)} ms, lp ${round(their)} ms`,
  }
}

async function untilJobs(printer: { jobs: readonly unknown[] }, count: number): Promise<void> {
  while (printer.jobs.length < count) await pause(1)
}

/** The processor time of a job in the real store, behind ten queued jobs and behind 10,000. */
async function backlogFigures(folder: string): Promise<Figure[]> {
  const printed = 300
  const perJob = async (backlog: number) => {
    const database = openDatabase(path.join(folder, `backlog-${backlog}.db`))
    if (!database.ok) throw new Error(database.error.message)
    await database.value.insertInto('shipments').values(storedLabel.shipment).execute()
    await database.value.insertInto('labels').values(storedLabel.label).execute()
    const jobs = createPrintJobRepository(database.value, () => new Date())
    const printer = getPrinter(203)
    const add = (count: number) =>
      jobs.add(
        Array.from({ length: count }, () => ({
          ...{ id: randomUUID(), shipmentId: 's', labelId: 'label', printerId: printer.id },
          ...{ printerName: printer.id, kind: 'first' as const },
        })),
      )
    for (let added = 0; added < backlog; added += 500) await add(Math.min(500, backlog - added))
    let left = printed
    let through = () => undefined
    const enough = new Promise<undefined>((resolve) => {
      through = () => void resolve(undefined)
    })
    const drivers = createStubDrivers()
    const queue = createPrintQueue({
      jobs,
      labels: labelsInMemory([labelWith({ labelId: 'label', shipmentId: 's', bytes: Buffer.from('%PDF') })]),
      invoices: noInvoices,
      printers: () => [printer],
      routing: () => [],
      labelRules: () => ({ placements: [], zplCommands: [], losses: [] }),
      measure: async () => ok([]),
      paused: { list: async () => [], set: async () => undefined },
      drivers: {
        ...drivers,
        socket: {
          cancellable: false,
          async print(context) {
            await context.claim()
            left -= 1
            // What is printed comes in again, so that the queue stays as long as it is.
            if (left > 0) await add(1)
            else through()
            return { kind: 'handed-over' }
          },
        },
      },
      log: silentLog,
      now: () => new Date(),
      bus: createEventBus(),
    })
    const before = process.cpuUsage()
    await queue.start()
    await enough
    const { user, system } = process.cpuUsage(before)
    await queue.stop()
    await database.value.destroy()
    return (user + system) / 1000 / printed
  }
  await perJob(9)
  const [few, many] = [await perJob(10), await perJob(10_000)]
  return [
    {
      name: 'processor time of a job with 10,000 queued, of one with ten',
      value: round(many / few),
      unit: 'of the reference',
      limit: 1.2,
      note: `${round(many)} ms against ${round(few)} ms; the store's part alone, with a printer that takes no time`,
    },
  ]
}

async function memoryFigures(rasterizer: Rasterizer, pdf: Buffer): Promise<Figure[]> {
  const after = async (labels: number) => {
    for (let number = 0; number < labels; number += 1) await rasterise(rasterizer, pdf, 203)
    return process.memoryUsage().rss / 1024 / 1024
  }
  const [early, late] = [await after(50), await after(450)]
  return [
    {
      name: 'memory after 500 labels, of memory after 50',
      value: round(late / early),
      unit: 'of the reference',
      limit: 1.1,
      note: `${round(late)} MB against ${round(early)} MB`,
    },
  ]
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
