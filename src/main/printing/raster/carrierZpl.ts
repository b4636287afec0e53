import type { LabelFinding } from '../../../shared/labels'
import { type Dpi, type Printer, printHeads } from '../../../shared/printing'
import { type LabelProfile, toDotsPerMm } from '../layout/labelLayout'
import type { PrintableLabel } from '../printableLabel'

/**
 * Commands that only draw their label, or whose effect is undone by the reset before each label. `^A` with a font's
 * letter counts as `^A`. All other commands store, delete, calibrate, feed, query or configure.
 */
const labelCommands = new Set(
  [
    // barcodes
    '^B0 ^B1 ^B2 ^B3 ^B4 ^B5 ^B6 ^B7 ^B8 ^B9 ^BA ^BB ^BC ^BD ^BE ^BF ^BI ^BJ ^BK ^BL ^BM ^BO ^BP ^BQ ^BR ^BS ^BT ^BU',
    '^BX ^BY ^BZ',
    // text and fields
    '^A ^CF ^CI ^CV ^FB ^FC ^FD ^FE ^FH ^FM ^FN ^FO ^FP ^FR ^FS ^FT ^FV ^FW ^FX ^SF ^SN ^TB',
    // graphics
    '^GB ^GC ^GD ^GE ^GF ^GS ^IL ^IM ^XG',
    // the label
    '^JM ^LH ^LL ^LR ^LS ^LT ^MC ^MD ^MU ^PM ^PO ^PQ ^PW ^XA ^XB ^XF ^XZ',
    // graphics and forms in the printer's volatile memory; in other memories they stay
    '^DF ~DG ~DY',
  ].flatMap((group) => group.split(' ')),
)

/** Commands that write to the memory that they name, or to `R:`. */
const storing = new Set(['^DF', '~DG', '~DY'])

/**
 * Commands whose setting stays in the printer after the label, and is restored only if the printer's settings state it.
 * Otherwise labels of other carriers are pale, burnt or smeared until the printer is switched off.
 */
const settingsByCommand = new Map<string, 'darkness' | 'speed'>([
  ['~SD', 'darkness'],
  ['^PR', 'speed'],
])

/** The letters of the printer's own fonts. A letter that is assigned to another font stays so for all later labels. */
const ownFonts = /[A-HP-V0]/i

/** Commands of other languages that ZPL printers execute. */
const otherLanguages: readonly [RegExp, (match: string) => string][] = [
  [/!\s*U1?\s+(?:setvar|getvar|do)\b/gi, (match) => match.replaceAll(/\s+/g, ' ')],
  [/!\s+\d+\s+\d+\s+\d+/g, () => '!'],
  [/\{\s*\}\s*\{/g, () => '{}'],
]

/** The maximum of words of other languages that are named. */
const maxWords = 20

/** Printers ignore these inside a command. */
const skipped = '\r\n\t\0'

/**
 * Lists the commands in a ZPL label that do more than draw it, each once, in their order. A command that writes to a
 * non-volatile memory has the memory's letter, as in `~DYE:`, or `?` if it is not understood; one that reassigns a font has the font's letter; a line
 * outside labels is listed by its first word.
 * @param stated the printer's settings, which are restored after the label
 */
export function commandsBeyondTheLabel(
  zpl: Buffer,
  stated: Pick<LabelProfile, 'darkness' | 'speed'> = {},
): string[] {
  const text = zpl.toString('latin1')
  const found = new Set<string>()
  for (const { command, end } of readZplCommands(text)) {
    const memory = storing.has(command) ? readMemory(text, end) : 'R'
    const setting = settingsByCommand.get(command)
    const isPutBack = setting !== undefined && stated[setting] !== undefined
    if (command === '^CW') {
      const letter = readSigns(text, end, 1)
      if (ownFonts.test(letter)) found.add(`^CW${letter}`)
    } else if (!labelCommands.has(command) && !isPutBack) found.add(command)
    else if (memory !== 'R') found.add(`${command}${memory}:`)
  }
  for (const [pattern, toName] of otherLanguages) {
    for (const [match] of text.matchAll(pattern)) found.add(toName(match))
  }
  const words = new Set(
    listLinesOutsideLabels(text)
      .filter((line) => otherLanguages.every(([pattern]) => line.search(pattern) < 0))
      .map(toWord),
  )
  for (const word of [...words].slice(0, maxWords)) found.add(word)
  if (words.size > maxWords) found.add('…')
  return [...found]
}

/** Lines outside labels that are no parameters of a command: printers read them as EPL, CPCL or line-printer text. */
function listLinesOutsideLabels(text: string): string[] {
  const parts: { text: string; command: string | undefined }[] = []
  let isInside = false
  let last: string | undefined
  let from = 0
  for (const { command, start, end } of readZplCommands(text)) {
    if (!isInside) parts.push({ text: text.slice(from, start), command: last })
    if (command === '^XA' || command === '^XZ') isInside = command === '^XA'
    const endOfPicture = findBinaryEnd(command, text, end)
    last = command === '^XZ' || endOfPicture > 0 ? undefined : command
    from = Math.max(end, endOfPicture)
  }
  if (!isInside) parts.push({ text: text.slice(from), command: last })
  return parts.flatMap((part) => otherLines(part.text, part.command))
}

/** STX, ETX, NUL and a byte order mark have no effect between commands. */
const ignoredCharacters = ['\u0002', '\u0003', '\0', '\u00ef\u00bb\u00bf']

/** The lines that are not parameters of the command before them. */
function otherLines(text: string, command: string | undefined): string[] {
  const isDownload = command !== undefined && /^~D[A-Z]$/.test(command)
  return ignoredCharacters
    .reduce((all, sign) => all.replaceAll(sign, '\n'), text)
    .split(/[\r\n]+/)
    .map((line, index) => {
      if (command === undefined) return line
      // The rows of a picture: hexadecimal, run-length encoded, or Z64.
      if (index > 0) return isDownload && !/[^\w,:;+/=!]/.test(line.trim()) ? '' : line
      const parameters = command === '^FX' ? /[^\t -~\u0080-\u00ff]/ : /[^!-~]/
      const rest = line.trim().replaceAll(/,\s+/g, ',')
      const length = rest.search(parameters)
      return length < 0 ? '' : rest.slice(length)
    })
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** The command at the start of a line: `OD`, `! U1 SPEED`. */
function toWord(line: string): string {
  const word = /^(?:!\s*(?:U1?\s+)?)?\S*/i.exec(line.slice(0, 40))?.[0] ?? ''
  return word
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[^ -~]/g, '?')
    .slice(0, 20)
}

/**
 * Reads the commands of a ZPL label in order, with the prefixes that the label sets. Binary pictures are skipped.
 * @returns each command, its start, and the start of its parameters
 */
function* readZplCommands(text: string): Generator<{ command: string; start: number; end: number }> {
  // RS and DLE replace the prefixes when a host can't send them; a label may set others.
  const prefixes = { '^': '^\u001e', '~': '~\u0010' }
  let next = matchAny(prefixes)
  for (let at = nextIn(text, next, 0); at >= 0; at = nextIn(text, next, at + 1)) {
    const prefix = prefixes['^'].includes(text.charAt(at)) ? '^' : '~'
    const { name, end } = readName(text, at + 1)
    if (!/^[A-Z0-9@]/.test(name)) continue
    const command = prefix === '^' && name.startsWith('A') ? '^A' : `${prefix}${name}`
    yield { command, start: at, end }
    if (name === 'CC') prefixes['^'] = text.charAt(end)
    if (name === 'CT') prefixes['~'] = text.charAt(end)
    if (name === 'CC' || name === 'CT') next = matchAny(prefixes)
    at = Math.max(at, findBinaryEnd(command, text, end) - 1)
  }
}

/** Finds the next prefix without reading each character: a picture in a label has hundreds of thousands. */
function matchAny(prefixes: Record<'^' | '~', string>): RegExp {
  const codes = [...`${prefixes['^']}${prefixes['~']}`].map(
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return codes.length === 0 ? /(?!)/g : new RegExp(`[${codes.join('')}]`, 'g')
}

function nextIn(text: string, prefix: RegExp, from: number): number {
  prefix.lastIndex = from
  return prefix.exec(text)?.index ?? -1
}

/** The two characters after a prefix in upper case, and their end. */
function readName(text: string, from: number): { name: string; end: number } {
  let name = ''
  let end = from
  for (; end < text.length && name.length < 2; end += 1) {
    const sign = text.charAt(end)
    if (!skipped.includes(sign)) name += sign.toUpperCase()
  }
  return { name, end }
}

/** The letter of the memory that a name begins with: R without one, ? if what follows is no name either. */
function readMemory(text: string, from: number): string {
  const signs = readSigns(text, from, 2)
  if (/^[A-Z]:/.test(signs)) return signs.charAt(0)
  return /^(?:\w(?!:)|[\^~,]|$)/.test(signs) ? 'R' : '?'
}

/** The next characters of a command as a printer reads them, in capitals. */
function readSigns(text: string, from: number, count: number): string {
  let signs = ''
  for (let at = from; at < text.length && signs.length < count; at += 1) {
    const sign = text.charAt(at)
    if (!skipped.includes(sign) && sign.trim() !== '') signs += sign.toUpperCase()
  }
  return signs
}

/** The end of a binary picture, which may contain any byte; 0 for all other commands. */
function findBinaryEnd(command: string, text: string, from: number): number {
  const head = text.slice(from, from + 200)
  const graphic = command === '^GF' ? /^[BC],(\d+),\d+,\d+,/i.exec(head) : null
  const stored = command === '~DY' ? /^[^,]*,[BP],\w*,(\d+),\d*,/i.exec(head) : null
  const match = graphic ?? stored
  if (match === null) return 0
  // If the label ends earlier, it contains no binary picture and is read completely.
  const end = from + match[0].length + Number(match[1])
  return end <= text.length ? end : 0
}

/** Labels of 4 x 6 inches are printed on stock of 100 x 150 mm: stated sizes may differ by this share plus 1 mm. */
const slackShare = 0.03
const slackMm = 1
/** The maximum deviation of a stated size from the stock's size at another resolution. */
const sameShare = 0.025
/** The finest resolution of print heads. */
const finestHead: Dpi = 609
/** The longest parameters that are read. */
const maxParameters = 80

/** One label of a ZPL file in the printer's dots. */
interface ZplLabel {
  /** `^PW` and `^LL`; undefined when the label does not state them. */
  width: number | undefined
  height: number | undefined
  /** The extent of its fields, as far as it is known. */
  reachX: number
  reachY: number
}

/**
 * Finds ZPL labels that were made for another resolution or for larger stock; printers draw ZPL unchecked. A label that
 * states no size has no finding, nor has one for a printer of another language, which gets no ZPL. If the resolution is
 * unknown, a label that is too large for every print head has one.
 * @param head the resolution, if the printer's settings do not state it
 */
export function findZplSize(
  { kind, bytes }: Pick<PrintableLabel, 'kind' | 'bytes'>,
  printer: Printer,
  head?: Dpi,
): LabelFinding[] {
  if (kind !== 'zpl' || printer.driver === 'folder' || (printer.language ?? 'zpl') !== 'zpl') return []
  const dpi = printer.dpi ?? head
  const perMm = toDotsPerMm(dpi ?? finestHead)
  const isContinuous = printer.stockTracking === 'continuous'
  const stock = { width: printer.stock.widthMm * perMm, height: printer.stock.heightMm * perMm }
  return readLabels(bytes.toString('latin1')).flatMap((label, index): LabelFinding[] => {
    const page = index + 1
    const size = `${inDots(stock.width)} x ${inDots(stock.height)}`
    const stated = `${inDots(label.width)} x ${inDots(label.height)} > ${size}`
    if (dpi !== undefined && isForOtherHead(label, stock, perMm))
      return [{ kind: 'zpl-size', page, name: stated }]
    const room = {
      x: roomFor(stock.width, perMm),
      y: isContinuous ? Number.POSITIVE_INFINITY : roomFor(stock.height, perMm),
    }
    if ((label.width ?? 0) > room.x || (label.height ?? 0) > room.y) {
      return [{ kind: 'zpl-size', page, name: stated }]
    }
    if (label.reachX <= room.x && label.reachY <= room.y) return []
    // Each label of a file may state another size.
    const past = (reached: number, most: number) => inDots(reached > most ? reached : undefined)
    const reached = `${past(label.reachX, room.x)} x ${past(label.reachY, room.y)}`
    return [{ kind: 'zpl-size', page, name: `${reached} > ${size}` }]
  })
}

function inDots(dots: number | undefined): string {
  return dots === undefined ? '?' : String(Math.round(dots))
}

function roomFor(dots: number, perMm: number): number {
  return dots * (1 + slackShare) + slackMm * perMm
}

/** Whether the stated size is the stock's size at another head's resolution. */
function isForOtherHead(
  { width, height }: ZplLabel,
  stock: { width: number; height: number },
  perMm: number,
): boolean {
  if (width === undefined) return false
  return printHeads.some((head: Dpi) => {
    const ratio = toDotsPerMm(head) / perMm
    // 300 and 305 dpi differ by less than labels and stock do.
    if (Math.abs(ratio - 1) < 0.1) return false
    // A label that states only a smaller width than the stock's may simply be smaller.
    if (ratio < 1 && height === undefined) return false
    const isNear = (dots: number, own: number) => Math.abs(dots / (own * ratio) - 1) < sameShare
    return isNear(width, stock.width) && (height === undefined || isNear(height, stock.height))
  })
}

/** The labels of a file; none when it uses millimetres or inches, which are right at any resolution. */
function readLabels(text: string): ZplLabel[] {
  const labels: ZplLabel[] = []
  let label = emptyLabel()
  const origin = { x: 0, y: 0 }
  const home = { x: 0, y: 0 }
  // After ^JMB each dot is doubled.
  let dot = 1
  let isFromTop = true
  for (const { command, end } of readZplCommands(text)) {
    const parameters = text.slice(end, end + maxParameters)
    const [first, second] = numbersIn(parameters)
    switch (command) {
      case '^CD':
      case '^MU':
        if (command === '^CD' || !/^\s*D\s*($|[^\s,\w])/i.test(parameters)) return []
        break
      case '^XA':
        label = emptyLabel()
        break
      case '^XZ':
        labels.push(label)
        break
      case '^JM':
        dot = /^\s*B/i.test(parameters) ? 2 : 1
        break
      case '^PW':
        if (first !== undefined) label.width = first * dot
        break
      case '^LL':
        if (first !== undefined) label.height = first * dot
        break
      case '^LH':
        home.x = first ?? 0
        home.y = second ?? 0
        break
      case '^FO':
      case '^FT':
        isFromTop = command === '^FO'
        origin.x = home.x + (first ?? 0)
        origin.y = home.y + (second ?? 0)
        reach(label, origin.x * dot, origin.y * dot)
        break
      case '^GB':
      case '^GF': {
        const size =
          command === '^GB' ? { width: first ?? 0, height: second ?? 0 } : readPictureSize(parameters)
        reach(label, (origin.x + size.width) * dot, (origin.y + (isFromTop ? size.height : 0)) * dot)
        break
      }
    }
  }
  return labels
}

function emptyLabel(): ZplLabel {
  return { width: undefined, height: undefined, reachX: 0, reachY: 0 }
}

function reach(label: ZplLabel, x: number, y: number): void {
  label.reachX = Math.max(label.reachX, x)
  label.reachY = Math.max(label.reachY, y)
}

function numbersIn(parameters: string): (number | undefined)[] {
  const match = /^\s*(\d+)?\s*(?:,\s*(\d+)?)?/.exec(parameters)
  return [match?.[1], match?.[2]].map((digits) => (digits === undefined ? undefined : Number(digits)))
}

/** The size of a picture in dots, without the last byte of each row, which may be padding. */
function readPictureSize(parameters: string): { width: number; height: number } {
  const match = /^\s*[ABC]\s*,\s*\d*\s*,\s*(\d+)\s*,\s*(\d+)/i.exec(parameters)
  const [bytes, rowBytes] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)]
  return rowBytes === 0 ? { width: 0, height: 0 } : { width: (rowBytes - 1) * 8, height: bytes / rowBytes }
}
