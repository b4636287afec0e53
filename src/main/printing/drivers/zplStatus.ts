import type { PrinterRemark } from '../../../shared/printerRemarks'

/** Asks a ZPL printer for its state: first what all of them know, then what newer ones tell in more detail. */
export const statusQuery = '~HS~HQES\r\n'
/** Asks for the part that says how many labels are still in the printer. */
export const shortQuery = '~HS\r\n'

/** What a printer says of itself. */
export interface ZplStatus {
  /** What keeps it from printing; empty when nothing does. */
  troubles: PrinterRemark[]
  /** Labels that it has received and not printed. */
  labelsInside: number
}

const start = '\u0002'
const end = '\u0003'

/** The bits of `~HQES`' errors, from the programmer's guide. */
const errorBits: readonly [bit: number, code: PrinterRemark['code']][] = [
  [0x1, 'out-of-labels'],
  [0x2, 'ribbon-used-up'],
  [0x4, 'head-open'],
  [0x8, 'cutter-fault'],
  [0x10, 'head-too-hot'],
  [0x20, 'motor-too-hot'],
  [0x40, 'head-element-broken'],
  [0x80, 'head-not-found'],
  [0x10000, 'paused'],
]

/**
 * Reads a printer's answer to `~HS`, `~HQES` or both.
 * @returns undefined while nothing of it is whole
 */
export function readStatus(answer: string): ZplStatus | undefined {
  const frames = framesOf(answer)
  const host = hostStatus(frames)
  const extended = extendedErrors(frames)
  if (host === undefined && extended === undefined) return undefined
  return {
    troubles: [...new Set([...(host?.codes ?? []), ...(extended ?? [])])].map((code) => ({ code })),
    labelsInside: host?.labelsInside ?? 0,
  }
}

/** What stands between STX and ETX, in order. */
function framesOf(answer: string): string[] {
  return answer
    .split(start)
    .slice(1)
    .flatMap((part) => (part.includes(end) ? [part.slice(0, part.indexOf(end))] : []))
}

/** `~HS` answers in three lines of 12, 11 and 2 fields. */
function hostStatus(frames: string[]): { codes: PrinterRemark['code'][]; labelsInside: number } | undefined {
  const lines = frames.map((frame) => frame.split(',').map((field) => field.trim()))
  const first = lines.findLastIndex((line) => line.length >= 12 && /^\d{3}$/.test(line[0] ?? ''))
  const one = lines[first]
  const two = lines[first + 1]
  if (one === undefined || two === undefined || two.length < 9) return undefined
  const flags: [string | undefined, PrinterRemark['code']][] = [
    [one[1], 'out-of-labels'],
    [one[2], 'paused'],
    [one[5], 'memory-full'],
    [one[9], 'memory-damaged'],
    [one[10], 'head-too-cold'],
    [one[11], 'head-too-hot'],
    [two[2], 'head-open'],
    [two[3], 'ribbon-used-up'],
  ]
  const codes = flags.filter(([flag]) => flag === '1').map(([, code]) => code)
  return { codes, labelsInside: number(one[4]) + number(two[8]) }
}

function extendedErrors(frames: string[]): PrinterRemark['code'][] | undefined {
  const match = frames
    .map((frame) => /ERRORS:\s*([01])\s+([0-9A-F]{8})\s+([0-9A-F]{8})/i.exec(frame))
    .find(Boolean)
  if (match === undefined || match === null) return undefined
  if (match[1] === '0') return []
  const bits = Number.parseInt(match[3] ?? '0', 16)
  return errorBits.filter(([bit]) => (bits & bit) !== 0).map(([, code]) => code)
}

function number(text: string | undefined): number {
  const value = Number(text)
  return Number.isFinite(value) ? value : 0
}
