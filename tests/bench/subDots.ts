import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { producerNames, type SubDotLabel, subDotLabel } from '../support/printing/corpus/subDots'
import { type Barcode, symbols } from '../support/printing/corpus/symbols'
import { joinedPdf } from '../support/printing/labels'
import { wholePages } from '../support/printing/layouts'
import { scanDots, scanPicture } from '../support/printing/scanner'
import type { ZplPicture } from '../support/printing/zplPicture'
import type { Figure } from './bench'
import type { PrintingBench } from './printingDrawing'

const run = promisify(execFile)
const page = { widthMm: 100, heightMm: 100 }

/** Dots per millimetre of each print head, and the number of offsets between two dots at which a symbol is drawn. */
const heads = [
  { dpi: 203, perMm: 8, places: 12 },
  { dpi: 300, perMm: 300 / 25.4, places: 6 },
  { dpi: 600, perMm: 600 / 25.4, places: 2 },
] as const

/** Symbologies, and the width in dots of their narrowest bar or square. */
const kinds: readonly [name: string, symbol: Barcode, dots: number][] = [
  ['Code 128', symbols.code128, 2],
  ['ITF', symbols.itf, 2],
  ['Code 39', symbols.code39, 2],
  ['Data Matrix', symbols.dataMatrix, 4],
]

/**
 * Counts the offsets between two dots at which a symbol can be read from the dots sent to the printer, and from those of
 * `pdftoppm`, over producers and symbologies. One figure per print head; its note names the combinations that are read less
 * often than from `pdftoppm`.
 */
export async function* subDotFigures({ rasterizer }: PrintingBench): AsyncGenerator<Figure> {
  for (const { dpi, perMm, places } of heads) {
    let [ours, theirs, all] = [0, 0, 0]
    const worse: string[] = []
    for (const [name, symbol, dots] of kinds) {
      for (const producer of producerNames) {
        const cell = await countCell(
          { symbol: { ...symbol, moduleMm: dots / perMm }, producer },
          { perMm, places, rasterizer },
        )
        ours += cell.ours
        theirs += cell.theirs
        all += places
        if (cell.ours < cell.theirs) worse.push(`${name} as ${producer} ${cell.ours} of ${cell.theirs}`)
      }
    }
    yield {
      name: `barcodes between two dots at ${dpi} dpi, read from the dots`,
      ...{ value: ours, unit: 'places', reference: { name: 'pdftoppm', value: theirs }, atLeast: 1 },
      note: [`of ${all}`, ...worse].join('; read less often: '),
    }
  }
}

interface Drawing extends Pick<PrintingBench, 'rasterizer'> {
  perMm: number
  places: number
}

async function countCell(
  label: Omit<SubDotLabel, 'shiftMm'>,
  { perMm, places, rasterizer }: Drawing,
): Promise<{ ours: number; theirs: number }> {
  const shifts = Array.from({ length: places }, (_, place) => place / places / perMm)
  const labels = await Promise.all(shifts.map((shiftMm) => subDotLabel({ ...label, shiftMm })))
  const pdf = await joinedPdf(...labels)
  const drawn = await rasterizer.renderZpl(
    pdf,
    wholePages(
      Array.from({ length: places }, () => page),
      perMm,
    ),
  )
  if (!drawn.ok) throw new Error(drawn.error.message)
  const found = await scanDots(drawn.value.zpl)
  const reference = await Promise.all((await drawWithPoppler(pdf, perMm)).map(scanPicture))
  const count = (read: readonly string[][]) =>
    read.filter((texts) => texts.includes(label.symbol.text)).length
  return { ours: count(found), theirs: count(reference) }
}

/** The pages as `pdftoppm` draws them in black and white. */
async function drawWithPoppler(pdf: Buffer, perMm: number): Promise<ZplPicture[]> {
  const resolution = String(perMm * 25.4)
  const ran = run('pdftoppm', ['-r', resolution, '-mono', '-'], { encoding: 'buffer', maxBuffer: 1e9 })
  ran.child.stdin?.end(pdf)
  const { stdout } = await ran
  const pictures: ZplPicture[] = []
  for (let at = 0; at < stdout.length; ) {
    const head = /^P4\s+(\d+)\s+(\d+)\s/.exec(stdout.toString('latin1', at, at + 40))
    if (head === null) throw new Error('pdftoppm wrote no picture')
    const [width, height] = [Number(head[1]), Number(head[2])]
    const rowBytes = Math.ceil(width / 8)
    const start = at + head[0].length
    pictures.push({
      width,
      height,
      dot: (x, y) => x < width && ((stdout[start + y * rowBytes + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) !== 0,
    })
    at = start + rowBytes * height
  }
  return pictures
}
