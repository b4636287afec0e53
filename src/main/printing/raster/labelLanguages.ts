import type { SocketPrinter } from '../../../shared/printing'
import type { LabelProfile, LabelSettings, MonoBitmap, ZplLayout } from '../layout/labelLayout'

/** Encodes a label in its printer's language. */
export function encodeLabel(bitmap: MonoBitmap, layout: ZplLayout): Buffer {
  switch (layout.language) {
    case 'epl2':
      return toEpl(bitmap, layout)
    case 'tspl':
      return toTspl(bitmap, layout)
    default:
      return Buffer.from(toZpl(bitmap, layout), 'latin1')
  }
}

/** ZPL's run lengths: G to Y are 1 to 19, g to z are 20 to 400 in steps of 20. */
const ones = 'GHIJKLMNOPQRSTUVWXY'
const twenties = 'ghijklmnopqrstuvwxyz'
const maxRun = 400 + ones.length

/**
 * Resets what an earlier label may have changed to the values after switching on: orientation, mirror, reversal,
 * shifts, units, resolution, darkness, character set, default barcode and font.
 */
const resets = '^PON^PMN^LRN^LS0^LT0^LH0,0^FWN^MCY^JMA^MUD^MD0^CI0^CVN^BY2,3,10^CFA,9,5'

const zplTracking = { gap: '^MNY', mark: '^MNM', continuous: '^MNN' }
const zplModes = { 'tear-off': '^MMT', 'peel-off': '^MMP', cutter: '^MMC' }

/**
 * A profile's commands inside a format. The printer keeps their values until it is switched off and stores none of
 * them.
 */
function profileCommands({ stockTracking, printMode, darknessChange, speed }: LabelProfile): string {
  return [
    stockTracking === undefined ? '' : zplTracking[stockTracking],
    printMode === undefined ? '' : zplModes[printMode],
    darknessChange === undefined ? '' : `^MD${darknessChange}`,
    speed === undefined ? '' : `^PR${speed}`,
  ].join('')
}

/** A profile as a format of its own, before a carrier's label; empty when nothing is set. */
export function zplProfile(profile: LabelProfile): Buffer {
  const commands = profileCommands(profile)
  return Buffer.from(`${toDarkness(profile.darkness)}${commands === '' ? '' : `^XA${commands}^XZ\n`}`)
}

/**
 * Follows a carrier's label, so that its settings do not apply to the next label. It prints nothing. It restores the
 * values that the printer's settings state; the printer's own values can't be read.
 */
export function zplResetFor({ darkness, stockTracking, printMode, speed }: LabelProfile): Buffer {
  const commands = profileCommands({ stockTracking, printMode, speed })
  return Buffer.from(`${toDarkness(darkness)}^XA${resets}${commands}^XZ\n`)
}

/**
 * A carrier's ZPL unchanged, repeated for each copy: with the printer's profile before it and a reset after it. It
 * states its own size.
 */
export function frameCarrierZpl(zpl: Buffer, profile: LabelProfile, copies: number): Buffer {
  const repeated = Array.from({ length: copies }, () => zpl)
  return Buffer.concat([zplProfile(profile), ...repeated, zplResetFor(profile)])
}

/** The reset for a printer whose settings state nothing. */
export const zplReset = zplResetFor({})

/**
 * The command that has a printer measure its stock. EPL2 measures gaps only; continuous stock has nothing to measure.
 * @returns undefined when the language has no command for it
 */
export function calibrationCommand({
  language = 'zpl',
  stockTracking,
}: Pick<SocketPrinter, 'language' | 'stockTracking'>): Buffer | undefined {
  switch (language) {
    case 'zpl':
      return Buffer.concat([zplProfile({ stockTracking }), Buffer.from('~JC\n')])
    case 'epl2':
      return (stockTracking ?? 'gap') === 'gap' ? Buffer.from('\nxa\n') : undefined
    case 'tspl':
      if (stockTracking === 'continuous') return undefined
      return Buffer.from(stockTracking === 'mark' ? '\r\nBLINEDETECT\r\n' : '\r\nGAPDETECT\r\n')
  }
}

function toDarkness(darkness: number | undefined): string {
  return darkness === undefined ? '' : `~SD${String(darkness).padStart(2, '0')}\n`
}

/** Encodes a label in ZPL: size, picture and number of copies. It depends on no label before it. */
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
 * Encodes a picture in ZPL's run-length hexadecimal: `,` fills the rest of a row with white, `!` with black, and `:`
 * repeats the row above. All ZPL printers and emulators read it, unlike the deflated form.
 */
function compressRows({ bits, rowBytes, height }: MonoBitmap): string {
  const bytes = Buffer.from(bits.buffer, bits.byteOffset, bits.length)
  let text = ''
  for (let row = 0; row < height; row += 1) {
    const [start, end] = [row * rowBytes, (row + 1) * rowBytes]
    const isRepeated = row > 0 && bytes.compare(bytes, start, end, start - rowBytes, start) === 0
    text += isRepeated ? ':' : compressRow(bytes.toString('hex', start, end).toUpperCase())
  }
  return text
}

const [white, black] = ['0', 'F']

function compressRow(digits: string): string {
  let text = ''
  for (let start = 0; start < digits.length; ) {
    const digit = digits.charAt(start)
    let end = start + 1
    while (end < digits.length && digits[end] === digit) end += 1
    if (end === digits.length && digit === white) return `${text},`
    if (end === digits.length && digit === black) return `${text}!`
    text += compressRun(digit, end - start)
    start = end
  }
  return text
}

function compressRun(digit: string, length: number): string {
  let text = ''
  for (let left = length; left > 0; left -= maxRun) text += count(Math.min(left, maxRun)) + digit
  return text
}

/** A single digit needs no count before it. */
function count(length: number): string {
  if (length === 1) return ''
  return (twenties[Math.floor(length / 20) - 1] ?? '') + (ones[(length % 20) - 1] ?? '')
}

/** The gap between two labels, or the thickness of a mark, which EPL2 needs with each length. */
const gapMm = 3
/** The feed after a label on continuous stock. */
const feedMm = 5
/** The gaps that EPL2 accepts, in dots. */
const [minGap, maxGap] = [16, 240]
const maxSpeed = 6

/**
 * Encodes a label in EPL2: size, picture and number of copies. A line end first completes a line that may be
 * unfinished. Sizes and direction are set each time. The reference point is not: it would reset the label's width. Nor
 * are the options for peeling and cutting: the printer stores them, and setting one resets the others.
 */
export function toEpl(bitmap: MonoBitmap, settings: LabelSettings): Buffer {
  const { width, height, rowBytes, bits } = bitmap
  const { darkness, speed, copies } = settings
  const start = [
    ...['', 'N', `q${width}`, toForm(height, settings), 'ZT'],
    ...(darkness === undefined ? [] : [`D${Math.round(darkness / 2)}`]),
    ...(speed === undefined ? [] : [`S${Math.min(speed, maxSpeed)}`]),
    ...['N', `GW0,0,${rowBytes},${height},`],
  ]
  return Buffer.concat([Buffer.from(start.join('\n')), invert(bits), Buffer.from(`\nP${copies}\n`)])
}

function toForm(height: number, { stockTracking, dotsPerMm }: LabelSettings): string {
  // On continuous stock a form is as long as its ink, and its length is the feed after it.
  if (stockTracking === 'continuous') return `Q${Math.round(feedMm * dotsPerMm)},0`
  const gap = Math.min(maxGap, Math.max(minGap, Math.round(gapMm * dotsPerMm)))
  return `Q${height},${stockTracking === 'mark' ? `B${gap}+0` : gap}`
}

/** Inverts the dots for languages in which 0 is black. */
function invert(bits: Uint8Array): Uint8Array {
  return bits.map((byte) => ~byte)
}

const tsplTracking = { gap: 'GAP 3 mm,0 mm', mark: 'BLINE 3 mm,0 mm', continuous: 'GAP 0 mm,0 mm' }
/** Each mode switches the others off, because printers keep them separately. */
const tsplModes = {
  'tear-off': ['SET PEEL OFF', 'SET CUTTER OFF', 'SET TEAR ON'],
  'peel-off': ['SET TEAR OFF', 'SET CUTTER OFF', 'SET PEEL ON'],
  cutter: ['SET TEAR OFF', 'SET PEEL OFF', 'SET CUTTER 1'],
}

/**
 * Encodes a label in TSPL: size, picture and number of copies. A line end first completes a line that may be
 * unfinished. Size, direction, reference point and shift are set each time.
 */
export function toTspl(bitmap: MonoBitmap, settings: LabelSettings): Buffer {
  const { width, height, rowBytes, bits } = bitmap
  // Only newer printers accept sizes in dots.
  const mm = (dots: number) => `${Math.round((dots / settings.dotsPerMm) * 100) / 100} mm`
  const start = [
    ...['', `SIZE ${mm(width)},${mm(height)}`, ...tsplProfile(settings)],
    ...['DIRECTION 0,0', 'REFERENCE 0,0', 'SHIFT 0', 'CLS', `BITMAP 0,0,${rowBytes},${height},0,`],
  ]
  return Buffer.concat([
    Buffer.from(start.join('\r\n')),
    invert(bits),
    Buffer.from(`\r\nPRINT 1,${settings.copies}\r\n`),
  ])
}

function tsplProfile({ stockTracking, printMode, darkness, speed }: LabelProfile): string[] {
  return [
    ...(stockTracking === undefined ? [] : [tsplTracking[stockTracking]]),
    ...(printMode === undefined ? [] : tsplModes[printMode]),
    ...(darkness === undefined ? [] : [`DENSITY ${Math.round(darkness / 2)}`]),
    ...(speed === undefined ? [] : [`SPEED ${speed}`]),
  ]
}
