import type { Dpi, SocketPrinter } from '../../../shared/printing'
import type { LabelProfile, MonoBitmap, RasterLayout, ZplLayout } from './rasterizer'

// Most heads have a whole number of dots in a millimetre and are sold under the nearest dots per inch.
const dotsPerMm: Record<Dpi, number> = {
  ...{ 152: 6, 203: 8, 300: 300 / 25.4, 305: 12, 406: 16, 600: 600 / 25.4, 609: 24 },
}

/** The letters of ZPL's run lengths: G to Y count 1 to 19, g to z count 20 to 400 in twenties. */
const ones = 'GHIJKLMNOPQRSTUVWXY'
const twenties = 'ghijklmnopqrstuvwxyz'
const maxRun = 400 + ones.length

/** The dots of a printer's label in a millimetre. */
export function toDotsPerMm(dpi: Dpi): number {
  return dotsPerMm[dpi]
}

/** What a ZPL picture needs of a printer's settings. */
type ZplSettings = Pick<SocketPrinter, 'stock' | 'offsetMm' | 'copies' | 'dpi'> &
  Partial<Pick<SocketPrinter, 'greys' | 'language' | 'collate'>> &
  LabelProfile

/** How a printer's settings put placements on its label. */
export function toZplLayout(printer: ZplSettings, placements: RasterLayout['placements']): ZplLayout {
  const perMm = dotsPerMm[printer.dpi]
  const dots = (millimetres: number) => Math.round(millimetres * perMm)
  return {
    dotsPerMm: perMm,
    widthDots: dots(printer.stock.widthMm),
    heightDots: dots(printer.stock.heightMm),
    offsetDots: { x: dots(printer.offsetMm?.x ?? 0), y: dots(printer.offsetMm?.y ?? 0) },
    greys: printer.greys ?? 'threshold',
    placements,
    ...(printer.language !== undefined && { language: printer.language }),
    ...(printer.stockTracking === 'continuous' && { isContinuous: true }),
    ...toProfile(printer),
    copies: printer.copies,
    ...(printer.collate !== undefined && { collate: printer.collate }),
  }
}

/**
 * Takes back what an earlier label may have left in the printer, to what it is after switching on: orientation, mirror,
 * reversal, shifts, units, resolution, darkness, character set, default barcode and font.
 */
const resets = '^PON^PMN^LRN^LS0^LT0^LH0,0^FWN^MCY^JMA^MUD^MD0^CI0^CVN^BY2,3,10^CFA,9,5'

function toProfile(printer: LabelProfile): LabelProfile {
  const { stockTracking, printMode, darkness, darknessChange, speed } = printer
  return {
    ...(stockTracking !== undefined && { stockTracking }),
    ...(printMode !== undefined && { printMode }),
    ...(darkness !== undefined && { darkness }),
    ...(darknessChange !== undefined && { darknessChange }),
    ...(speed !== undefined && { speed }),
  }
}

const tracking = { gap: '^MNY', mark: '^MNM', continuous: '^MNN' }
const modes = { 'tear-off': '^MMT', 'peel-off': '^MMP', cutter: '^MMC' }

/** A profile's commands inside of a format. The printer keeps them until it is switched off; none of them is stored. */
function profileCommands({ stockTracking, printMode, darknessChange, speed }: LabelProfile): string {
  return [
    stockTracking === undefined ? '' : tracking[stockTracking],
    printMode === undefined ? '' : modes[printMode],
    darknessChange === undefined ? '' : `^MD${darknessChange}`,
    speed === undefined ? '' : `^PR${speed}`,
  ].join('')
}

/** A printer's profile by itself, before a label that was not drawn here; empty when nothing is set. */
export function zplProfile(profile: LabelProfile): Buffer {
  const commands = profileCommands(profile)
  return Buffer.from(`${toDarkness(profile.darkness)}${commands === '' ? '' : `^XA${commands}^XZ\n`}`)
}

/**
 * Comes after a label that was not drawn here, so that the next one is not drawn with its settings. It prints nothing.
 * What the printer's settings state is put back; its own values can't be asked for.
 */
export function zplResetFor({ darkness, stockTracking, printMode, speed }: LabelProfile): Buffer {
  const commands = profileCommands({ stockTracking, printMode, speed })
  return Buffer.from(`${toDarkness(darkness)}^XA${resets}${commands}^XZ\n`)
}

/** The same for a printer whose settings state nothing. */
export const zplReset = zplResetFor({})

function toDarkness(darkness: number | undefined): string {
  return darkness === undefined ? '' : `~SD${String(darkness).padStart(2, '0')}\n`
}

/** One label in ZPL: its size, its picture and how many of it. It depends on no label before it. */
export function toZpl(bitmap: MonoBitmap, settings: LabelProfile & { copies: number }): string {
  const size = bitmap.bits.length
  const profile = profileCommands(settings)
  return `${toDarkness(settings.darkness)}^XA${resets}
${profile === '' ? '' : `${profile}\n`}^PW${bitmap.width}
^LL${bitmap.height}
^FO0,0^GFA,${size},${size},${bitmap.rowBytes},${compressRows(bitmap)}^FS
^PQ${settings.copies}
^XZ
`
}

/**
 * A picture in ZPL's run-length hexadecimal: `,` fills the rest of a row with white, `!` with black, and `:` repeats
 * the row above. Every ZPL printer and emulator reads it, unlike the deflated form.
 */
function compressRows({ bits, rowBytes, height }: MonoBitmap): string {
  const rows: string[] = []
  let previous = ''
  const hex = Buffer.from(bits.buffer, bits.byteOffset, bits.length).toString('hex').toUpperCase()
  for (let row = 0; row < height; row += 1) {
    const digits = hex.slice(row * rowBytes * 2, (row + 1) * rowBytes * 2)
    rows.push(digits === previous ? ':' : compressRow(digits))
    previous = digits
  }
  return rows.join('')
}

function compressRow(digits: string): string {
  const last = digits.at(-1) ?? ''
  const ending = last === '0' ? ',' : last === 'F' ? '!' : ''
  const rest = ending === '' ? digits : digits.slice(0, startOfLastRun(digits))
  const runs = rest.match(/(.)\1*/g) ?? []
  return runs.map(compressRun).join('') + ending
}

function startOfLastRun(digits: string): number {
  let start = digits.length
  while (start > 0 && digits[start - 1] === digits.at(-1)) start -= 1
  return start
}

function compressRun(run: string): string {
  const digit = run.charAt(0)
  let text = ''
  for (let left = run.length; left > 0; left -= maxRun) text += count(Math.min(left, maxRun)) + digit
  return text
}

/** A single digit needs no count before it. */
function count(length: number): string {
  if (length === 1) return ''
  return (twenties[Math.floor(length / 20) - 1] ?? '') + (ones[(length % 20) - 1] ?? '')
}
