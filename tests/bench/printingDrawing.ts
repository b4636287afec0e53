import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflateSync } from 'node:zlib'
import { PDFiumLibrary } from '@hyzyla/pdfium'
import { PDFDocument } from 'pdf-lib'
import { toZplLayout } from '../../src/main/printing/layout/labelLayout'
import type { Rasterizer } from '../../src/main/printing/raster/rasterizer'
import { socketPrinterSchema } from '../../src/shared/printing'
import { handWrittenSheet } from '../support/printing/corpus/sheets'
import { symbols } from '../support/printing/corpus/symbols'
import { alternate, type Figure, round } from './bench'

const run = promisify(execFile)
const size = { widthMm: 100, heightMm: 150 }
const pointsPerMm = 72 / 25.4
const rounds = 7
/** The number of pages that the app and the warm references draw in sequence. */
const pages = 8
const question = { carrierOptionId: 34, rules: [] }

/** The inputs of each part of the bench. */
export interface PrintingBench {
  rasterizer: Rasterizer
  /** A folder for files, removed afterwards. */
  folder: string
  /** A label of 100 x 150 mm with three barcodes. */
  pdf: Buffer
}

type Dpi = 203 | 300 | 600

function getLayout(dpi: Dpi) {
  const printer = socketPrinterSchema.parse({ id: 'z', driver: 'socket', host: 'h', dpi, stock: size })
  return toZplLayout(printer, { printer, ...question })
}

/** Converts a PDF to ZPL as the socket driver does. */
export async function drawZpl(rasterizer: Rasterizer, pdf: Buffer, dpi: Dpi): Promise<Buffer> {
  const drawn = await rasterizer.renderZpl(pdf, getLayout(dpi))
  if (!drawn.ok) throw new Error(drawn.error.message)
  return drawn.value.zpl
}

/**
 * The time to draw labels of several producers, compared with warm PDFium and warm poppler, which draw many pages in one process,
 * and with a separate `pdftoppm` process per label.
 */
export async function* drawingFigures({ rasterizer, folder, pdf }: PrintingBench): AsyncGenerator<Figure> {
  const file = (name: string) => join(folder, `${name}.pdf`)
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
  const labels: [name: string, pdf: Buffer, pages: number, dpi: Dpi][] = [
    ['pdf-lib', pdf, 1, 203],
    ['Ghostscript', await readFile(file('gs')), 1, 203],
    ['written by hand', handWrittenSheet(symbols.code128, 'rectangles', size), 1, 203],
    ['JPEG of 300 dpi', jpeg, 1, 203],
    ['five pages', await repeated(pdf, 5), 5, 203],
    ['five JPEG pages', await repeated(jpeg, 5), 5, 203],
    ['pdf-lib', pdf, 1, 300],
    ['pdf-lib', pdf, 1, 600],
  ]
  const library = await PDFiumLibrary.init()
  for (const [name, label, labelPages, dpi] of labels) {
    const copies = Math.ceil(pages / labelPages)
    const [one, many] = [file('one'), file('many')]
    const manyCopies = await repeated(label, copies)
    await writeFile(one, label)
    await writeFile(many, manyCopies)
    const poppler = (of: string) =>
      run('pdftoppm', ['-r', String(dpi), '-mono', of], { encoding: 'buffer', maxBuffer: 1e9 })
    const took = await alternate(rounds, {
      async ours() {
        for (let copy = 0; copy < copies; copy += 1) await drawZpl(rasterizer, label, dpi)
      },
      pdfium: () => drawAll(library, manyCopies, dpi),
      poppler: () => poppler(many),
      cold: () => poppler(one),
    })
    const [ours, pdfium, warm] = [took('ours') / copies, took('pdfium') / copies, took('poppler') / copies]
    const note = `median ${round(ours)} ms; warm PDFium ${round(pdfium)}, warm pdftoppm ${round(warm)}, cold pdftoppm ${round(took('cold'))} ms`
    yield {
      name: `${name} to ZPL at ${dpi} dpi, better warm reference`,
      ...{ value: round(ours), unit: 'ms', atMost: 1, note },
      reference:
        pdfium < warm ? { name: 'warm PDFium', value: pdfium } : { name: 'warm pdftoppm', value: warm },
    }
    yield {
      name: `${name} to ZPL at ${dpi} dpi, cold reference`,
      ...{ value: round(ours), unit: 'ms', ...(dpi === 203 && { atMost: 0.8 }) },
      reference: { name: 'a pdftoppm of its own', value: took('cold') },
    }
  }
  library.destroy()
}

/** The label as a PDF page with a single JPEG, like those of a scanner or a mail program. */
async function jpegLabel(folder: string, source: string): Promise<Buffer> {
  const file = join(folder, 'label.jpg')
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

/** A PDF with the pages repeated. Each copy has its own content streams, so that no reader draws it from a cache. */
async function repeated(pdf: Buffer, times: number): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (let time = 0; time < times; time += 1) {
    const source = await PDFDocument.load(pdf)
    for (const page of await document.copyPages(source, source.getPageIndices())) document.addPage(page)
  }
  return Buffer.from(await document.save({ useObjectStreams: false }))
}

/** Draws with the PDFium package alone, without the app's code. */
async function drawAll(library: PDFiumLibrary, pdf: Buffer, dpi: Dpi): Promise<void> {
  const document = await library.loadDocument(pdf)
  for (const page of document.pages()) await page.render({ scale: dpi / 72, render: 'bitmap' })
  document.destroy()
}

/** The number of bytes that are sent to the printer. */
export async function* wireFigures({ rasterizer, pdf }: PrintingBench): AsyncGenerator<Figure> {
  for (const dpi of [203, 300, 600] as const) {
    const layout = getLayout(dpi)
    const zpl = await drawZpl(rasterizer, pdf, dpi)
    const hex = Math.ceil(layout.widthDots / 8) * layout.heightDots * 2
    const mono = await rasterizer.renderMono(pdf, layout)
    const bits = mono.ok ? mono.value[0]?.bits : undefined
    const z64 = bits === undefined ? 0 : Math.ceil(deflateSync(bits).length / 3) * 4
    yield {
      name: `bytes on the wire at ${dpi} dpi`,
      ...{ value: zpl.length, unit: 'bytes', atMost: 0.35 },
      reference: { name: 'uncompressed hex', value: hex },
      note: `:Z64: would be ${z64} bytes`,
    }
  }
}

/** Whether memory grows with the number of labels. */
export async function* memoryFigures({ rasterizer, pdf }: PrintingBench): AsyncGenerator<Figure> {
  const after = async (labels: number) => {
    for (let number = 0; number < labels; number += 1) await drawZpl(rasterizer, pdf, 203)
    return process.memoryUsage().rss / 1024 / 1024
  }
  const [early, late] = [await after(50), await after(450)]
  yield {
    name: 'memory after 500 labels',
    ...{ value: round(late), unit: 'MB', atMost: 1.1 },
    reference: { name: 'after 50 labels', value: early },
  }
}
