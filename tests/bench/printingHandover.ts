import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import Libsql from 'libsql'
import { createEventBus } from '../../src/main/lib/eventBus'
import { createCupsDriver } from '../../src/main/printing/drivers/cups'
import type { PrinterDrivers } from '../../src/main/printing/drivers/driver'
import { createSocketDriver } from '../../src/main/printing/drivers/socket'
import { createPrintQueue } from '../../src/main/printing/queue/printQueue'
import { createPrintJobRepository } from '../../src/main/printing/queue/repository'
import { type SocketPrinter, socketPrinterSchema, systemPrinterSchema } from '../../src/shared/printing'
import { ok } from '../../src/shared/result'
import { startFakePrinter } from '../support/cups/fakePrinter'
import { hasCups, startPrivateCups } from '../support/cups/privateCups'
import { openTestDatabase } from '../support/databaseWorker'
import { listenOnLoopback } from '../support/loopback'
import { labelsInMemory, labelWith, noInvoices } from '../support/printing/labels'
import { contextFor, staysOpen } from '../support/printing/printContext'
import { printingSettings } from '../support/printing/printingSettings'
import { createStubDrivers } from '../support/printing/stubDriver'
import { hostStatus } from '../support/printing/zplPrinter'
import { silentLog } from '../support/silentLog'
import { type Figure, quantile, round, timed } from './bench'
import { drawZpl, type PrintingBench } from './printingDrawing'

const run = promisify(execFile)
const stock = { widthMm: 100, heightMm: 150 }

/** The time from the service's answer until a printer that answers has the last byte, with the real repository. */
export async function* answerFigures({ rasterizer, folder, pdf }: PrintingBench): AsyncGenerator<Figure> {
  const zpl = Buffer.from(`^XA^FO10,10^GB780,1180,4^FS^FO60,60^FD${'x'.repeat(1500)}^FS^XZ`)
  const file = join(folder, 'answer.pdf')
  await writeFile(file, pdf)
  const bare = {
    zpl: async (port: number) => sendTo(port, zpl),
    pdf: async (port: number) => {
      const drawn = await run('pdftoppm', ['-r', '203', '-mono', file], {
        encoding: 'buffer',
        maxBuffer: 1e8,
      })
      const hex = drawn.stdout.subarray(drawn.stdout.indexOf('\n', 3) + 1).toString('hex')
      sendTo(port, Buffer.from(`^XA^GFA,${hex.length / 2},${hex.length / 2},100,${hex}^FS^XZ`))
    },
  }
  for (const kind of ['zpl', 'pdf'] as const) {
    const printer = await startAnsweringPrinter(1)
    const settings = toPrinter(printer.port)
    const station = await openStation(join(folder, `${kind}.db`), [settings], {
      ...{ bytes: kind === 'zpl' ? zpl : pdf, kind },
      drivers: { socket: createSocketDriver(rasterizer) },
    })
    await station.start()
    const disk = openBareDatabase(join(folder, `bare-${kind}.db`))
    const times = { ours: [] as number[], bare: [] as number[], commits: [] as number[] }
    for (let turn = -1; turn < 40; turn += 1) {
      const arrived = printer.nextLabel()
      const ours = await timed(async () => {
        await station.print([settings])
        await arrived
      })
      await station.whenDone()
      const sent = printer.nextLabel()
      const theirs = await timed(async () => {
        await bare[kind](printer.port)
        await sent
      })
      const commits = await timed(disk.commitTwice)
      if (turn < 0) continue
      times.ours.push(ours)
      times.bare.push(theirs)
      times.commits.push(commits)
    }
    disk.close()
    await station.stop()
    printer.close()
    const [ours, theirs] = [quantile(times.ours, 0.5), quantile(times.bare, 0.5)]
    const commits = quantile(times.commits, 0.5)
    yield {
      name: `${kind.toUpperCase()} from the answer to the last byte at the printer, median`,
      ...{ value: round(ours), unit: 'ms', judged: 'difference', atMost: 10 },
      reference: { name: 'a bare script', value: theirs },
      note: `p95 ${round(quantile(times.ours, 0.95))} ms; real store, a printer that answers`,
    }
    yield {
      name: `${kind.toUpperCase()}, the same without the two commits that no label is sent before`,
      ...{ value: round(ours - commits), unit: 'ms', judged: 'difference', atMost: 10 },
      reference: { name: 'a bare script', value: theirs },
      note: `two commits of a bare database on the same disk take ${round(commits)} ms`,
    }
  }
}

/** The same time compared with drawing alone, at a silent printer, which is given time to close the connection. */
export async function* silentPrinterFigures({
  rasterizer,
  folder,
  pdf,
}: PrintingBench): AsyncGenerator<Figure> {
  const printer = await startSilentPrinter()
  const settings = toPrinter(printer.port)
  const drivers = { socket: createSocketDriver(rasterizer) }
  const station = await openStation(join(folder, 'silent.db'), [settings], { bytes: pdf, drivers })
  await station.start()
  const [over, drawing]: [number[], number[]] = [[], []]
  for (let turn = -1; turn < 60; turn += 1) {
    const drawn = await timed(() => drawZpl(rasterizer, pdf, 203))
    const arrived = printer.nextLabel()
    const took = await timed(async () => {
      await station.print([settings])
      await arrived
    })
    await station.whenDone()
    if (turn < 0) continue
    drawing.push(drawn)
    over.push(took)
  }
  await station.stop()
  printer.close()
  const typical = quantile(drawing, 0.5)
  yield {
    name: 'PDF from the answer to the last byte at a silent printer, p95 of 60',
    ...{ value: round(quantile(over, 0.95)), unit: 'ms', judged: 'difference', atMost: 25 },
    reference: { name: 'drawing alone, median', value: typical },
    note: `median ${round(quantile(over, 0.5))} ms; 20 ms of it are the time to close`,
  }
}

/** The rate of many labels in sequence. */
export async function* rateFigures({ rasterizer, folder, pdf }: PrintingBench): AsyncGenerator<Figure> {
  const drivers = { socket: createSocketDriver(rasterizer) }
  const [labelMs, labels] = [300, 24]
  const printer = await startAnsweringPrinter(labelMs)
  const settings = toPrinter(printer.port)
  const station = await openStation(join(folder, 'rate.db'), [settings], { bytes: pdf, drivers })
  await station.start()
  await station.print(Array.from({ length: labels }, () => settings))
  await printer.printed(1)
  const took = await timed(() => printer.printed(labels))
  await station.whenDone()
  await station.stop()
  printer.close()
  yield {
    name: 'labels a second to a printer that answers',
    ...{ value: round(((labels - 1) * 1000) / took), unit: '/s', atLeast: 0.97 },
    reference: { name: 'its own speed', value: 1000 / labelMs },
    note: `${labels} labels of ${labelMs} ms each, through the real store`,
  }

  const rate = async (count: number) => {
    const printers = await Promise.all(Array.from({ length: count }, () => startSilentPrinter(250)))
    const all = printers.map(({ port }) => toPrinter(port))
    const file = join(folder, `rate-${count}.db`)
    const one = await openStation(file, all, { bytes: pdf, drivers })
    await one.start()
    const inAll = await timed(async () => {
      await one.print(Array.from({ length: 12 }, () => all).flat())
      await one.whenDone()
    })
    await one.stop()
    for (const each of printers) each.close()
    return (12_000 * count) / inAll
  }
  const [one, four] = [await rate(1), await rate(4)]
  yield {
    name: '48 labels to 4 printers',
    ...{ value: round(four), unit: '/s', atLeast: 3.5 },
    reference: { name: 'one printer', value: one },
    note: 'a printer takes 250 ms a label',
  }
}

/** The time through a private CUPS, compared with `lp` and the same label. */
export async function* cupsFigures({ rasterizer, folder, pdf }: PrintingBench): AsyncGenerator<Figure> {
  if (!hasCups()) return
  const file = join(folder, 'cups.pdf')
  await writeFile(file, pdf)
  const cups = await startPrivateCups()
  const fake = await startFakePrinter()
  const before = process.env.CUPS_SERVER
  process.env.CUPS_SERVER = cups.server
  try {
    await cups.addQueue('LABEL', fake.uri)
    const driver = createCupsDriver(rasterizer)
    const printer = systemPrinterSchema.parse({ id: 'cups', driver: 'system', queue: 'LABEL', stock })
    const handed = { ours: [] as number[], theirs: [] as number[] }
    let jobs = 0
    const untilNextJob = async () => {
      jobs += 1
      while (fake.jobs.length < jobs) await pause(1)
      return performance.now()
    }
    const arrived = { ours: [] as number[], theirs: [] as number[] }
    for (let turn = -1; turn < 15; turn += 1) {
      const context = contextFor(printer, labelWith({ bytes: pdf }))
      const start = performance.now()
      let accepted = start
      const noteAccepted = () => {
        accepted = performance.now()
      }
      const printed = driver.print({ ...context, accepted: noteAccepted }, staysOpen)
      const ours = (await untilNextJob()) - start
      await printed
      const begun = performance.now()
      await run('lp', ['-d', 'LABEL', '-o', 'media=Custom.100x150mm', '-o', 'print-scaling=none', file])
      const taken = performance.now() - begun
      const theirs = (await untilNextJob()) - begun
      // Without this pause the next job would wait for the printer's state.
      await pause(200)
      if (turn < 0) continue
      handed.ours.push(accepted - start)
      handed.theirs.push(taken)
      arrived.ours.push(ours)
      arrived.theirs.push(theirs)
    }
    const figure = (name: string, { ours, theirs }: typeof handed): Figure => {
      const [own, bare] = [quantile(ours, 0.5), quantile(theirs, 0.5)]
      return { name, value: round(own), unit: 'ms', reference: { name: 'a bare lp', value: bare } }
    }
    yield {
      ...figure('through CUPS until the printer has the label, median', arrived),
      atMost: 1.15,
    }
    yield figure('through CUPS until the queue has the label, median', handed)
  } finally {
    if (before === undefined) delete process.env.CUPS_SERVER
    else process.env.CUPS_SERVER = before
    await fake.close()
    await cups.close()
  }
}

/** The processor time of a job in the real repository, with ten queued jobs and with 10,000. */
export async function* backlogFigures({ folder }: PrintingBench): AsyncGenerator<Figure> {
  const printed = 150
  const printer = toPrinter(9100)
  const perJob = async (backlog: number, turn: number) => {
    let left = printed
    let enough = () => {}
    const through = new Promise<void>((resolve) => {
      enough = resolve
    })
    const socket: PrinterDrivers['socket'] = {
      cancellable: false,
      async print(context) {
        await context.claim()
        left -= 1
        // Each printed job is added again, so that the length of the queue stays the same.
        if (left > 0) await station.add([printer])
        else enough()
        return { kind: 'handed-over' }
      },
    }
    const file = join(folder, `backlog-${backlog}-${turn}.db`)
    const station = await openStation(file, [printer], { bytes: Buffer.from('%PDF'), drivers: { socket } })
    for (let added = 0; added < backlog; added += 500) {
      await station.add(Array.from({ length: Math.min(500, backlog - added) }, () => printer))
    }
    const before = process.cpuUsage()
    await station.start()
    await through
    const { user, system } = process.cpuUsage(before)
    await station.stop()
    return (user + system) / 1000 / printed
  }
  const [few, many]: [number[], number[]] = [[], []]
  await perJob(9, 0)
  for (let turn = 0; turn < 3; turn += 1) {
    few.push(await perJob(10, turn))
    many.push(await perJob(10_000, turn))
  }
  const [ofFew, ofMany] = [quantile(few, 0.5), quantile(many, 0.5)]
  yield {
    name: 'processor time of a job with 10,000 queued',
    ...{ value: round(ofMany), unit: 'ms', atMost: 1.2 },
    reference: { name: 'with ten', value: ofFew },
    note: 'the part of the store alone, with a printer that takes no time',
  }
}

/**
 * A database to measure two commits without the app: the job and its claim are on the disk before the first byte of a label is
 * sent.
 */
function openBareDatabase(file: string) {
  const database = new Libsql(file)
  database.exec('pragma journal_mode = WAL; pragma synchronous = FULL; create table rows (row)')
  const insert = database.prepare('insert into rows values (?)')
  return {
    async commitTwice() {
      insert.run('x'.repeat(400))
      insert.run('x'.repeat(400))
    },
    close: () => database.close(),
  }
}

function toPrinter(port: number): SocketPrinter {
  return socketPrinterSchema.parse({ id: `z${port}`, driver: 'socket', host: '127.0.0.1', port, stock })
}

/** A print queue on the real repository, not started yet. */
async function openStation(
  file: string,
  printers: SocketPrinter[],
  {
    bytes,
    kind = 'pdf',
    drivers,
  }: { bytes: Buffer; kind?: 'zpl' | 'pdf'; drivers: Pick<PrinterDrivers, 'socket'> },
) {
  const database = await openTestDatabase(file)
  if (!database.ok) throw new Error(database.error.message)
  await database.value.insertInto('shipments').values(storedLabel.shipment).execute()
  await database.value.insertInto('labels').values(storedLabel.label).execute()
  const jobs = createPrintJobRepository(database.value, () => new Date())
  let open = 0
  let done: () => void = () => undefined
  const bus = createEventBus()
  const queue = createPrintQueue({
    jobs,
    labels: labelsInMemory([labelWith({ labelId: 'label', shipmentId: 's', bytes, kind })]),
    invoices: noInvoices,
    settings: printingSettings(() => ({ printers })),
    measure: async () => ok([]),
    paused: { list: async () => [], set: async () => undefined },
    drivers: { ...createStubDrivers(), ...drivers },
    log: silentLog,
    now: () => new Date(),
    bus,
  })
  bus.on('printJobChanged', (job) => {
    if (job.state === 'queued' || job.state === 'sending') return
    if (job.state !== 'handed-over') throw new Error(`a job is ${job.state}: ${job.error?.message ?? ''}`)
    open -= 1
    if (open === 0) done()
  })
  const add = (wanted: readonly SocketPrinter[]) =>
    jobs.add(
      wanted.map(({ id }) => ({
        ...{ id: randomUUID(), shipmentId: 's', labelId: 'label', printerId: id, printerName: id },
        kind: 'first' as const,
      })),
    )
  return {
    add,
    start: () => queue.start(),
    /** Queues a label for each of the printers. */
    async print(wanted: readonly SocketPrinter[]) {
      open += wanted.length
      await add(wanted)
      queue.wake()
    },
    whenDone: () =>
      new Promise<void>((resolve) => {
        done = resolve
        if (open === 0) resolve()
      }),
    async stop() {
      await queue.stop()
      await database.value.destroy()
    },
  }
}

/** The database rows that print jobs refer to. */
const storedLabel = {
  shipment: {
    ...{ id: 's', attemptId: 'a', reference: 'REF', draft: '{}' },
    state: 'created' as const,
    origin: 'screen' as const,
    ...{ recipient: '', city: '', country: 'NL', carrierOptionId: 34, print: 1, takenAt: '' },
    ...{ searchText: '', barcodes: '[]' },
  },
  label: { id: 'label', shipmentId: 's', position: 1, barcode: '3S', kind: 'pdf' as const, byteLength: 4 },
}

/** A printer that answers `~HS` and prints its labels one after another, each in `labelMs`. */
async function startAnsweringPrinter(labelMs: number) {
  const sockets = new Set<Socket>()
  let [inside, done, isBusy] = [0, 0, false]
  let seen: () => void = () => undefined
  let printed: () => void = () => undefined
  const printNext = () => {
    if (isBusy || inside === 0) return
    isBusy = true
    setTimeout(() => {
      isBusy = false
      inside -= 1
      done += 1
      printed()
      printNext()
    }, labelMs)
  }
  const server = createServer((socket) => {
    let text = ''
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (part) => {
      text += part.toString('latin1')
      for (;;) {
        const next = /~HS\r\n|\^XZ/.exec(text)
        if (next === null) return
        text = text.slice(next.index + next[0].length)
        if (next[0] !== '^XZ') socket.write(hostStatus({ formatsInside: inside }))
        else {
          inside += 1
          seen()
          printNext()
        }
      }
    })
  })
  return {
    port: await listenOnLoopback(server),
    nextLabel: () =>
      new Promise<void>((resolve) => {
        seen = resolve
      }),
    printed: (count: number) =>
      new Promise<void>((resolve) => {
        printed = () => done >= count && resolve()
        printed()
      }),
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** A printer that never answers. @param labelMs the time that it needs for a label before it accepts the next */
async function startSilentPrinter(labelMs = 0) {
  let seen: () => void = () => undefined
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let tail = ''
    socket.on('error', () => undefined)
    socket.on('data', (part) => {
      tail = (tail + part.toString('latin1')).slice(-8)
      if (tail.trimEnd().endsWith('^XZ')) seen()
    })
    socket.on('end', () => setTimeout(() => socket.end(), labelMs))
  })
  return {
    port: await listenOnLoopback(server),
    nextLabel: () =>
      new Promise<void>((resolve) => {
        seen = resolve
      }),
    close: () => server.close(),
  }
}

function sendTo(port: number, bytes: Buffer): void {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => socket.end(bytes))
  socket.on('error', () => undefined)
}
