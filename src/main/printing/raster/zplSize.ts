import type { LabelFinding } from '../../../shared/labels'
import { type Dpi, type Printer, printHeads } from '../../../shared/printing'
import type { PrintableLabel } from '../printableLabel'
import { toDotsPerMm } from './zpl'
import { readZplCommands } from './zplCommands'

/** Labels of 4 x 6 inches are printed on stock of 100 x 150 mm: stated sizes differ by so much, and a millimetre. */
const slackShare = 0.03
const slackMm = 1
/** How near a stated size must come to that of another resolution. */
const sameShare = 0.025
/** The longest parameters that are read. */
const maxParameters = 80

/** One label of a ZPL file in the printer's dots. */
interface ZplLabel {
  /** `^PW` and `^LL`; undefined when the label does not state them. */
  width: number | undefined
  height: number | undefined
  /** How far its fields reach, as far as that can be known. */
  reachX: number
  reachY: number
}

/**
 * Finds labels in ZPL, which printers draw themselves, that were made for another resolution or for larger stock. What a
 * label does not state and a resolution that is not known give no finding.
 */
export function findZplSize(
  { kind, bytes }: Pick<PrintableLabel, 'kind' | 'bytes'>,
  printer: Printer,
): LabelFinding[] {
  if (kind !== 'zpl' || printer.driver === 'folder' || printer.dpi === undefined) return []
  const perMm = toDotsPerMm(printer.dpi)
  const isContinuous = printer.driver === 'socket' && printer.stockTracking === 'continuous'
  const stock = { width: printer.stock.widthMm * perMm, height: printer.stock.heightMm * perMm }
  return readLabels(bytes.toString('latin1')).flatMap((label, index): LabelFinding[] => {
    const page = index + 1
    const size = `${inDots(stock.width)} x ${inDots(stock.height)}`
    const stated = `${inDots(label.width)} x ${inDots(label.height)} > ${size}`
    if (isForOtherHead(label, stock, perMm)) return [{ kind: 'zpl-size', page, name: stated }]
    const room = {
      x: roomFor(stock.width, perMm),
      y: isContinuous ? Number.POSITIVE_INFINITY : roomFor(stock.height, perMm),
    }
    if ((label.width ?? 0) > room.x || (label.height ?? 0) > room.y) {
      return [{ kind: 'zpl-size', page, name: stated }]
    }
    if (label.reachX <= room.x && label.reachY <= room.y) return []
    // What fits may differ from label to label.
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

/** Whether the stated size is that of the stock at the resolution of another head. */
function isForOtherHead(
  { width, height }: ZplLabel,
  stock: { width: number; height: number },
  perMm: number,
): boolean {
  if (width === undefined) return false
  return printHeads.some((head: Dpi) => {
    const ratio = toDotsPerMm(head) / perMm
    // Heads of 300 and 305 dpi differ by less than labels and stock do.
    if (Math.abs(ratio - 1) < 0.1) return false
    // A label that states less than the stock's width alone may just be a smaller one.
    if (ratio < 1 && height === undefined) return false
    const isNear = (dots: number, own: number) => Math.abs(dots / (own * ratio) - 1) < sameShare
    return isNear(width, stock.width) && (height === undefined || isNear(height, stock.height))
  })
}

/** The labels of a file; none when it counts in millimetres or inches, which hold for any resolution. */
function readLabels(text: string): ZplLabel[] {
  const labels: ZplLabel[] = []
  let label = emptyLabel()
  const origin = { x: 0, y: 0 }
  const home = { x: 0, y: 0 }
  // After ^JMB each dot counts for two.
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
        const size = command === '^GB' ? { width: first ?? 0, height: second ?? 0 } : pictureSize(parameters)
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

/** The size of a picture in its own dots, without the last byte of a row, which is filled up. */
function pictureSize(parameters: string): { width: number; height: number } {
  const match = /^\s*[ABC]\s*,\s*\d*\s*,\s*(\d+)\s*,\s*(\d+)/i.exec(parameters)
  const [bytes, rowBytes] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)]
  return rowBytes === 0 ? { width: 0, height: 0 } : { width: (rowBytes - 1) * 8, height: bytes / rowBytes }
}
