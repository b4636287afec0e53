import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { PDFiumLibrary } from '@hyzyla/pdfium'
import { PDFDocument } from 'pdf-lib'
import { createEventBus } from '../../src/main/lib/eventBus'
import { createSocketDriver } from '../../src/main/printing/drivers/socket'
import { toZplLayout } from '../../src/main/printing/layout/labelLayout'
import { createPrintQueue } from '../../src/main/printing/queue/printQueue'
import { createPrintJobRepository } from '../../src/main/printing/queue/repository'
import type { Rasterizer } from '../../src/main/printing/raster/rasterizer'
import { openDatabase } from '../../src/main/storage/database'
import { socketPrinterSchema } from '../../src/shared/printing'
import { ok } from '../../src/shared/result'
import { handWrittenSheet } from '../support/printing/corpus/sheets'
import { symbols } from '../support/printing/corpus/symbols'
import { labelsInMemory, labelWith, noInvoices } from '../support/printing/labels'
import { createStubDrivers } from '../support/printing/stubDriver'
import { hostStatus } from '../support/printing/zplPrinter'
import { silentLog } from '../support/silentLog'
import { type Figure, quantile, round } from './bench'

const run = promisify(execFile)
const size = { widthMm: 100, heightMm: 150 }
const pointsPerMm = 72 / 25.4
/** The app and the references that are warm draw so many copies one after the other. */
const copies = 4
const rounds = 7

/** Drawing labels of several producers, beside warm PDFium, warm poppler and a `pdftoppm` of its own for each label. */
export async function referenceFigures(
  rasterizer: Rasterizer,
  folder: string,
  pdf: Buffer,
): Promise<Figure[]> {
  const file = (name: string) => path.join(folder, `${name}.pdf`)
  await writeFile(file('pdf-lib'), pdf)
  await run('gs', [
    '-q',
    '-dBATCH',
    '-dNOPAUSE',
    '-sDEVICE=pdfwrite',
    `-sOutputFile=${file('gs')}`,
    file('pdf-lib'),
  ])
  const jpeg = await jpegLabel(folder, file('pdf-lib'))
  const labels: [string, Buffer][] = [
    ['pdf-lib', pdf],
    ['Ghostscript', await readFile(file('gs'))],
    ['written by hand', handWrittenSheet(symbols.code128, 'rectangles', size)],
    ['JPEG of 300 dpi', jpeg],
    ['five pages', await repeated(pdf, 5)],
    ['five JPEG pages', await repeated(jpeg, 5)],
  ]
  const library = await PDFiumLibrary.init()
  const figures: Figure[] = []
  for (const [name, label] of labels) {
    const [one, many] = [file('one'), file('many')]
    const manyCopies = await repeated(label, copies)
    await writeFile(one, label)
    await writeFile(many, manyCopies)
    const printer = socketPrinterSchema.parse({ id: 'z', driver: 'socket', host: 'h', stock: size })
    const times = {
      ours: [] as number[],
      cold: [] as number[],
      poppler: [] as number[],
      pdfium: [] as number[],
    }
    const poppler = (of: string) =>
      run('pdftoppm', ['-r', '203', '-mono', of], { encoding: 'buffer', maxBuffer: 1e9 })
    // One after the other in each round, because others use the machine as well.
    for (let turn = -1; turn < rounds; turn += 1) {
      const layout = toZplLayout(printer, { printer, carrierOptionId: 34, rules: [] })
      const ours =
        (await timed(async () => {
          for (let copy = 0; copy < copies; copy += 1) await rasterizer.renderZpl(label, layout)
        })) / copies
      const cold = await timed(() => poppler(one))
      const warm = (await timed(() => poppler(many))) / copies
      const pdfium = (await timed(() => drawAll(library, manyCopies))) / copies
      if (turn < 0) continue
      times.ours.push(ours)
      times.cold.push(cold)
      times.poppler.push(warm)
      times.pdfium.push(pdfium)
    }
    const median = (values: readonly number[]) => quantile(values, 0.5)
    const [ours, best] = [median(times.ours), Math.min(median(times.poppler), median(times.pdfium))]
    figures.push({
      name: `${name} to ZPL at 203 dpi, of the better warm reference`,
      value: round(ours / best),
      unit: 'of the reference',
      limit: 1,
      note: `median ${round(ours)} ms; warm PDFium ${round(median(times.pdfium))}, warm pdftoppm ${round(median(times.poppler))}, cold pdftoppm ${round(median(times.cold))} ms`,
    })
  }
  library.destroy()
  return figures
}

/** The page as a scanner or a mail program gives it: one JPEG. */
async function jpegLabel(folder: string, source: string): Promise<Buffer> {
  const file = path.join(folder, 'label.jpg')
  const smooth = ['-dTextAlphaBits=4', '-dGraphicsAlphaBits=4']
  await run('gs', [
    '-q',
    '-dBATCH',
    '-dNOPAUSE',
    '-sDEVICE=jpeg',
    '-r300',
    ...smooth,
    `-sOutputFile=${file}`,
    source,
  ])
  const document = await PDFDocument.create()
  const [width, height] = [size.widthMm * pointsPerMm, size.heightMm * pointsPerMm]
  const picture = await document.embedJpg(await readFile(file))
  document.addPage([width, height]).drawImage(picture, { x: 0, y: 0, width, height })
  return Buffer.from(await document.save())
}

/** The pages again and again. Each copy has content of its own, so that no reader draws it from a cache. */
async function repeated(pdf: Buffer, times: number): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (let time = 0; time < times; time += 1) {
    const source = await PDFDocument.load(pdf)
    for (const page of await document.copyPages(source, source.getPageIndices())) document.addPage(page)
  }
  return Buffer.from(await document.save({ useObjectStreams: false }))
}

/** PDFium as its package draws, without what the app adds. */
async function drawAll(library: PDFiumLibrary, pdf: Buffer): Promise<void> {
  const document = await library.loadDocument(pdf)
  for (const page of document.pages()) await page.render({ scale: 203 / 72, render: 'bitmap' })
  document.destroy()
}

/** From the stored answer to the printer's last byte, and labels in a row, at a printer that answers. */
export async function storeFigures(rasterizer: Rasterizer, folder: string, pdf: Buffer): Promise<Figure[]> {
  const zpl = Buffer.from(`^XA^FO10,10^GB780,1180,4^FS^FO60,60^FD${'x'.repeat(1500)}^FS^XZ`)
  const file = path.join(folder, 'answer.pdf')
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
  const figures: Figure[] = []
  for (const kind of ['zpl', 'pdf'] as const) {
    const printer = await answeringPrinter(1)
    const station = await stationFor(rasterizer, path.join(folder, `${kind}.db`), {
      ...{ port: printer.port, bytes: kind === 'zpl' ? zpl : pdf, kind },
    })
    const times = { ours: [] as number[], bare: [] as number[] }
    for (let turn = -1; turn < 40; turn += 1) {
      const arrived = printer.nextLabel()
      const ours = await timed(async () => {
        await station.print(1)
        await arrived
      })
      await station.whenDone()
      const sent = printer.nextLabel()
      const theirs = await timed(async () => {
        await bare[kind](printer.port)
        await sent
      })
      if (turn < 0) continue
      times.ours.push(ours)
      times.bare.push(theirs)
    }
    await station.stop()
    printer.close()
    const [ours, theirs] = [quantile(times.ours, 0.5), quantile(times.bare, 0.5)]
    figures.push({
      name: `${kind.toUpperCase()} from the answer to the last byte at the printer, over a bare script`,
      value: round(ours - theirs),
      unit: 'ms',
      limit: 10,
      note: `median ${round(ours)} ms, p95 ${round(quantile(times.ours, 0.95))}; bare script ${round(theirs)} ms; real store, a printer that answers`,
    })
  }
  return [...figures, await rateFigure(rasterizer, folder, pdf)]
}

async function rateFigure(rasterizer: Rasterizer, folder: string, pdf: Buffer): Promise<Figure> {
  const [labelMs, labels] = [300, 30]
  const printer = await answeringPrinter(labelMs)
  const station = await stationFor(rasterizer, path.join(folder, 'rate.db'), {
    ...{ port: printer.port, bytes: pdf, kind: 'pdf' },
  })
  await station.print(labels)
  await printer.printed(1)
  const took = await timed(() => printer.printed(labels))
  await station.whenDone()
  await station.stop()
  printer.close()
  const rate = ((labels - 1) * labelMs) / took
  return {
    name: 'labels a second to a printer that answers, of its own speed (at least 0.97)',
    value: round(rate),
    unit: 'of the reference',
    note: `${labels} labels of ${labelMs} ms each, through the real store`,
  }
}

/** A printer that answers `~HS`, and prints what it has one label after the other. */
async function answeringPrinter(labelMs: number) {
  const sockets = new Set<Socket>()
  let [inside, done, busy] = [0, 0, false]
  let seen: () => void = () => undefined
  let printed: () => void = () => undefined
  const printNext = () => {
    if (busy || inside === 0) return
    busy = true
    setTimeout(() => {
      busy = false
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    nextLabel: () =>
      new Promise<void>((resolve) => {
        seen = resolve
      }),
    printed: (count: number) =>
      new Promise<void>((resolve) => {
        printed = () => done >= count && resolve()
        printed()
      }),
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** A queue on the real store with one printer. */
async function stationFor(
  rasterizer: Rasterizer,
  file: string,
  { port, bytes, kind }: { port: number; bytes: Buffer; kind: 'zpl' | 'pdf' },
) {
  const database = openDatabase(file)
  if (!database.ok) throw new Error(database.error.message)
  await database.value.insertInto('shipments').values(storedLabel.shipment).execute()
  await database.value.insertInto('labels').values(storedLabel.label).execute()
  const jobs = createPrintJobRepository(database.value, () => new Date())
  const printer = socketPrinterSchema.parse({
    ...{ id: 'z', driver: 'socket', host: '127.0.0.1', port, stock: size },
  })
  let open = 0
  let done: () => void = () => undefined
  const bus = createEventBus()
  const queue = createPrintQueue({
    jobs,
    labels: labelsInMemory([labelWith({ labelId: 'label', shipmentId: 's', bytes, kind })]),
    invoices: noInvoices,
    printers: () => [printer],
    routing: () => [],
    labelRules: () => ({ placements: [], zplCommands: [], losses: [] }),
    measure: async () => ok([]),
    paused: { list: async () => [], set: async () => undefined },
    drivers: { ...createStubDrivers(), socket: createSocketDriver(rasterizer) },
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
  await queue.start()
  return {
    async print(count: number) {
      open += count
      await jobs.add(
        Array.from({ length: count }, () => ({
          ...{ id: randomUUID(), shipmentId: 's', labelId: 'label', printerId: 'z', printerName: 'z' },
          kind: 'first' as const,
        })),
      )
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

/** The store's rows that print jobs point to. */
export const storedLabel = {
  shipment: {
    ...{
      id: 's',
      attemptId: 'a',
      reference: 'REF',
      state: 'created' as const,
      origin: 'screen' as const,
      draft: '{}',
    },
    ...{ recipient: '', city: '', country: 'NL', carrierOptionId: 34, print: 1, takenAt: '' },
    ...{ searchText: '', barcodes: '[]' },
  },
  label: { id: 'label', shipmentId: 's', position: 1, barcode: '3S', kind: 'pdf' as const, byteLength: 4 },
}

function sendTo(port: number, bytes: Buffer): void {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => socket.end(bytes))
  socket.on('error', () => undefined)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
