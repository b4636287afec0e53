import bwip from 'bwip-js/node'
import { PDFDocument, PDFName } from 'pdf-lib'
import type { Barcode } from './symbols'

const pointsPerMm = 72 / 25.4

interface Producer {
  name: string
  /** Units of the content in points; 1 when left out. */
  units?: number
  /** Whether the content is a form that the page calls. */
  isForm?: boolean
  /** The content's operators for black rectangles. */
  operators(boxes: readonly Box[]): string[]
}

/** How programs write black rectangles: one by one or together, as what shape, in whose units. */
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
]

export const producerNames = producers.map(({ name }) => name)

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

/** A label of 100 x 100 mm with one symbol that lies where it likes between the printer's dots. */
export async function subDotLabel({
  symbol,
  producer,
  shiftMm,
  isTurned = false,
}: SubDotLabel): Promise<Buffer> {
  const found = producers.find(({ name }) => name === producer)
  if (found === undefined) throw new Error(`no producer ${producer}`)
  const { units = 1, isForm = false, operators } = found
  const perModule = (symbol.moduleMm * pointsPerMm) / units
  const start = ((isTurned ? 5 : 10) + shiftMm) * (pointsPerMm / units)
  const boxes = toBars(symbol).map(({ x, y, width, height }): Box => {
    const box = isTurned ? { x: y, y: x, width: height, height: width } : { x, y, width, height }
    return {
      x: start + box.x * perModule,
      y: start + box.y * perModule,
      width: box.width * perModule,
      height: box.height * perModule,
    }
  })
  const document = await PDFDocument.create()
  const page = document.addPage([100 * pointsPerMm, 100 * pointsPerMm])
  const { context } = document
  const content = `0 g\n${operators(boxes).join('\n')}\n`
  const scale = `${units} 0 0 ${units} 0 0`
  const size = [0, 0, (100 * pointsPerMm) / units, (100 * pointsPerMm) / units]
  if (isForm) {
    const matrix = [units, 0, 0, units, 0, 0]
    const object = context.stream(content, { Type: 'XObject', Subtype: 'Form', BBox: size, Matrix: matrix })
    page.node.setXObject(PDFName.of('F'), context.register(object))
    page.node.set(PDFName.of('Contents'), context.register(context.stream('/F Do')))
  } else {
    page.node.set(PDFName.of('Contents'), context.register(context.stream(`q ${scale} cm\n${content}Q`)))
  }
  return Buffer.from(await document.save())
}

/** A symbol's black parts in modules, rows from below; bars are 60 modules high. */
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
