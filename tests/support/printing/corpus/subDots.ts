import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import bwip from 'bwip-js/node'
import { PDFDocument, PDFName } from 'pdf-lib'
import { temporaryRoot } from '../../temporaryRoot'
import type { Barcode } from './symbols'

const pointsPerMm = 72 / 25.4

interface Producer {
  name: string
  /** Size of a unit of the content in points; 1 by default. */
  units?: number
  /** Whether the content is a form that the page draws. */
  isForm?: boolean
  /** The origin of the form on its page, in units. */
  origin?: { x: number; y: number }
  /** The operators for black rectangles; left out for a picture. */
  operators?(boxes: readonly Box[]): string[]
  /** A grey picture, a one-bit picture or a mask, with this number of pixels per module. */
  picture?: { kind: 'grey' | 'bits' | 'mask'; perModule: number }
  /** Whether Ghostscript rewrites the PDF. */
  isRewritten?: boolean
}

/** The ways in which programs write black rectangles: separately or in one path, with various operators and units. */
const producers: Producer[] = [
  { name: 'rectangles one by one', operators: (boxes) => boxes.map((box) => `${rectangle(box)} f`) },
  { name: 'rectangles together', operators: (boxes) => [...boxes.map(rectangle), 'f'] },
  { name: 'even-odd rectangles', operators: (boxes) => boxes.map((box) => `${rectangle(box)} f*`) },
  { name: 'polygons one by one', operators: (boxes) => boxes.map((box) => `${polygon(box)} f`) },
  { name: 'polygons together', operators: (boxes) => [...boxes.map(polygon), 'f'] },
  { name: 'strokes', operators: (boxes) => boxes.map(stroke) },
  {
    name: 'rectangles in tenths of a point',
    units: 0.1,
    operators: (boxes) => boxes.map((box) => `${rectangle(box)} f`),
  },
  {
    name: 'rectangles in a scaled form',
    units: 0.24,
    isForm: true,
    operators: (boxes) => boxes.map((box) => `${rectangle(box)} f`),
  },
  // ReportLab translates to each drawing and writes up to six decimals, f* after each rectangle.
  {
    name: 'ReportLab’s rectangles',
    operators: (boxes) => [
      '1 0 0 1 0 0 cm  BT /F1 12 Tf 14.4 TL ET',
      'q 0 0 0 RG 0 0 0 rg .1 w',
      ...boxes.map(({ x, y, width, height }) => {
        const [left, bottom] = [short(x), short(y)]
        return `q 1 0 0 1 ${left} ${bottom} cm n 0 0 ${short(width)} ${short(height)} re f* Q`
      }),
      'Q',
    ],
  },
  // iText writes a template with all bars in one path, rounded to two decimals.
  {
    name: 'iText’s template',
    isForm: true,
    origin: { x: 28.35, y: 28.35 },
    operators: (boxes) => ['q', '0 g', ...boxes.map((box) => roundedRectangle(box)), 'f', 'Q'],
  },
  // FPDF also rounds to two decimals, and its rectangles begin at their top with a negative height.
  {
    name: 'FPDF’s rectangles',
    operators: (boxes) => [
      '2 J 0.57 w 0 g',
      ...boxes.map(
        ({ x, y, width, height }) =>
          `${x.toFixed(2)} ${(y + height).toFixed(2)} ${width.toFixed(2)} ${(-height).toFixed(2)} re f`,
      ),
    ],
  },
  ...(['rectangles one by one', 'polygons together', 'strokes'] as const).map(
    (name): Producer => ({ name: `${name}, rewritten by Ghostscript`, isRewritten: true }),
  ),
  { name: 'a grey picture', picture: { kind: 'grey', perModule: 1 } },
  { name: 'a picture of one bit', picture: { kind: 'bits', perModule: 1 } },
  { name: 'a picture of four pixels a module', picture: { kind: 'bits', perModule: 4 } },
  { name: 'a mask', picture: { kind: 'mask', perModule: 1 } },
]

/** The path of Ghostscript; undefined when it is not installed. */
const ghostscript = ['/usr/bin/gs', '/usr/local/bin/gs', '/opt/homebrew/bin/gs'].find((each) =>
  existsSync(each),
)

/** The names of the producers. Those that need Ghostscript are included only when it is installed. */
export const producerNames = producers
  .filter(({ isRewritten }) => isRewritten !== true || ghostscript !== undefined)
  .map(({ name }) => name)

/** A rectangle in the units of the content, from the lower left corner. */
interface Box {
  x: number
  y: number
  width: number
  height: number
}

export interface SubDotLabel {
  symbol: Barcode & { moduleMm: number }
  /** One of `producerNames`. */
  producer: string
  /** Shift to the right and up, in millimetres. */
  shiftMm: number
  /** Whether the symbol stands on its side. */
  isTurned?: boolean
}

/** A label of 100 x 100 mm with one symbol at any offset between the dots of the printer. */
export async function subDotLabel({ producer, ...label }: SubDotLabel): Promise<Buffer> {
  const [pdf] = await subDotLabels(producer, [label])
  if (pdf === undefined) throw new Error('no label')
  return pdf
}

/** Draws many labels of one producer at once, because Ghostscript takes longer to start than to write a label. */
export async function subDotLabels(
  producer: string,
  labels: readonly Omit<SubDotLabel, 'producer'>[],
): Promise<Buffer[]> {
  const [name = '', rewritten] = producer.split(', rewritten')
  const pdfs = await Promise.all(labels.map((label) => drawLabel({ ...label, producer: name })))
  return rewritten === undefined ? pdfs : rewrite(pdfs)
}

async function drawLabel({ symbol, producer, shiftMm, isTurned = false }: SubDotLabel): Promise<Buffer> {
  const found = producers.find(({ name }) => name === producer)
  if (found === undefined) throw new Error(`no producer ${producer}`)
  if (found.picture !== undefined) return pictureLabel(symbol, found.picture, shiftMm)
  const { units = 1, isForm = false, origin = { x: 0, y: 0 }, operators } = found
  const perModule = (symbol.moduleMm * pointsPerMm) / units
  const start = ((isTurned ? 5 : 10) + shiftMm) * (pointsPerMm / units)
  const boxes = toBars(symbol).map(({ x, y, width, height }): Box => {
    const box = isTurned ? { x: y, y: x, width: height, height: width } : { x, y, width, height }
    return {
      x: start - origin.x + box.x * perModule,
      y: start - origin.y + box.y * perModule,
      width: box.width * perModule,
      height: box.height * perModule,
    }
  })
  const document = await PDFDocument.create()
  const page = document.addPage([100 * pointsPerMm, 100 * pointsPerMm])
  const { context } = document
  const content = `0 g\n${operators?.(boxes).join('\n')}\n`
  const scale = `${units} 0 0 ${units} 0 0`
  const size = [-origin.x, -origin.y, (100 * pointsPerMm) / units, (100 * pointsPerMm) / units]
  if (isForm) {
    const matrix = [units, 0, 0, units, 0, 0]
    const object = context.stream(content, { Type: 'XObject', Subtype: 'Form', BBox: size, Matrix: matrix })
    page.node.setXObject(PDFName.of('F'), context.register(object))
    const place = `q 1 0 0 1 ${origin.x} ${origin.y} cm /F Do Q`
    page.node.set(PDFName.of('Contents'), context.register(context.stream(place)))
  } else {
    page.node.set(PDFName.of('Contents'), context.register(context.stream(`q ${scale} cm\n${content}Q`)))
  }
  return Buffer.from(await document.save())
}

/** Rewrites PDFs of one page with Ghostscript, as print servers and e-mail gateways do. */
async function rewrite(pdfs: readonly Buffer[]): Promise<Buffer[]> {
  if (ghostscript === undefined) throw new Error('Ghostscript is not installed')
  const folder = await mkdtemp(join(temporaryRoot, 'packbench-rewritten-'))
  try {
    const files = pdfs.map((_, index) => join(folder, `${index + 1}.pdf`))
    await Promise.all(files.map((file, index) => writeFile(file, pdfs[index] ?? '')))
    const out = join(folder, 'rewritten-%d.pdf')
    const options = ['-q', '-dNOPAUSE', '-dBATCH', '-dSAFER', '-sDEVICE=pdfwrite', `-sOutputFile=${out}`]
    await promisify(execFile)(ghostscript, [...options, ...files])
    return await Promise.all(pdfs.map((_, index) => readFile(out.replace('%d', String(index + 1)))))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A label of 100 x 100 mm that shows one symbol as a picture. */
async function pictureLabel(
  symbol: SubDotLabel['symbol'],
  { kind, perModule }: NonNullable<Producer['picture']>,
  shiftMm: number,
): Promise<Buffer> {
  const boxes = toBars(symbol)
  const across = Math.max(...boxes.map(({ x, width }) => x + width))
  const down = Math.max(...boxes.map(({ y, height }) => y + height))
  const [columns, rows] = [across * perModule, down * perModule]
  const isBlack = new Uint8Array(columns * rows)
  for (const { x, y, width, height } of boxes) {
    const top = down - y - height
    for (let row = top * perModule; row < (top + height) * perModule; row += 1) {
      isBlack.fill(1, row * columns + x * perModule, row * columns + (x + width) * perModule)
    }
  }
  const rowBytes = Math.ceil(columns / 8)
  const bits = new Uint8Array(rowBytes * rows)
  for (const [index, black] of isBlack.entries()) {
    // A set bit is white; in a mask it leaves the page unpainted.
    const at = Math.floor(index / columns) * rowBytes + ((index % columns) >> 3)
    if (black === 0) bits[at] = (bits[at] ?? 0) | (0x80 >> ((index % columns) & 7))
  }
  const document = await PDFDocument.create()
  const page = document.addPage([100 * pointsPerMm, 100 * pointsPerMm])
  const { context } = document
  const data = kind === 'grey' ? isBlack.map((black) => (black === 1 ? 0 : 255)) : bits
  const object = context.stream(data, {
    ...{ Type: 'XObject', Subtype: 'Image', Width: columns, Height: rows },
    ...{ BitsPerComponent: kind === 'grey' ? 8 : 1 },
    ...(kind === 'mask' ? { ImageMask: true } : { ColorSpace: 'DeviceGray' }),
  })
  page.node.setXObject(PDFName.of('I'), context.register(object))
  const [width, height] = [across, down].map((modules) => n(modules * symbol.moduleMm * pointsPerMm))
  const corner = n((10 + shiftMm) * pointsPerMm)
  const place = `0 g q ${width} 0 0 ${height} ${corner} ${corner} cm /I Do Q`
  page.node.set(PDFName.of('Contents'), context.register(context.stream(place)))
  return Buffer.from(await document.save())
}

/** The black parts of a symbol in modules, with rows counted from the bottom. Bars are 60 modules high. */
function toBars(symbol: Barcode): Box[] {
  const [raw] = bwip.raw({ bcid: symbol.bcid, text: symbol.text })
  if (raw === undefined) throw new Error(`no symbol for ${symbol.text}`)
  if ('sbs' in raw) {
    let x = 0
    return raw.sbs.flatMap((width, index) => {
      x += width
      return index % 2 === 0 ? [{ x: x - width, y: 0, width, height: 60 }] : []
    })
  }
  const { pixs, pixx, pixy } = raw
  // The rows of PDF417 are three modules high.
  const high = symbol.bcid === 'pdf417' ? 3 : 1
  return pixs.flatMap((dark, index) => {
    const [column, row] = [index % pixx, Math.floor(index / pixx)]
    return dark === 1 ? [{ x: column, y: (pixy - 1 - row) * high, width: 1, height: high }] : []
  })
}

function rectangle({ x, y, width, height }: Box): string {
  return `${n(x)} ${n(y)} ${n(width)} ${n(height)} re`
}

function roundedRectangle({ x, y, width, height }: Box): string {
  return `${[x, y, width, height].map((value) => value.toFixed(2)).join(' ')} re`
}

/** Formats a number without trailing zeros. */
function short(value: number): string {
  return String(Number(value.toFixed(6)))
}

function polygon({ x, y, width, height }: Box): string {
  const [right, top] = [n(x + width), n(y + height)]
  return `${n(x)} ${n(y)} m ${right} ${n(y)} l ${right} ${top} l ${n(x)} ${top} l h`
}

function stroke({ x, y, width, height }: Box): string {
  const middle = n(x + width / 2)
  return `${n(width)} w ${middle} ${n(y)} m ${middle} ${n(y + height)} l S`
}

function n(value: number): string {
  return value.toFixed(4)
}
