import type { PrinterRemark } from '../../../shared/printerRemarks'
import type { PrinterLanguage } from '../../../shared/printing'
import { type RemarkBits, toRemarks } from './driver'

/** The status questions, with the ZPL commands that ask them. */
export const zplQuestions = {
  /** State, and how many received labels are not printed. */
  status: '~HS\r\n',
  /** Errors in detail; newer printers only. */
  errors: '~HQES\r\n',
  /** The printed length; newer printers only. */
  odometer: '~HQOD\r\n',
} as const
export type ZplQuestion = keyof typeof zplQuestions

/** A complete answer for each question. Its form tells which question it answers. */
export interface ZplAnswers {
  /** What keeps the printer from printing, and how many received labels are not printed. */
  status: { remarks: PrinterRemark[]; labelsInside: number }
  errors: { remarks: PrinterRemark[] }
  odometer: { millimetres: number }
}

/** Called with each answer as soon as it is complete. */
export type AnswerHandlers = { [Q in ZplQuestion]: (answer: ZplAnswers[Q]) => void }

const start = '\u0002'
const end = '\u0003'
/** Longer than any answer. */
const maxUnread = 16_384

/** The error bits of `~HQES`, from the ZPL programming guide. */
const errorBits: RemarkBits = [
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
 * Reads answers from the parts in which they arrive. Each answer lies between STX and ETX; `~HS` answers in three such
 * lines of 12, 11 and 2 fields. Everything else is ignored.
 */
export function createAnswerReader(handlers: AnswerHandlers): (part: string) => void {
  let unread = ''
  let firstLine: string[] | undefined

  const readFrame = (frame: string) => {
    const fields = frame.split(',').map((field) => field.trim())
    if (firstLine !== undefined && fields.length >= 9) {
      handlers.status(toHostStatus(firstLine, fields))
      firstLine = undefined
      return
    }
    firstLine = fields.length >= 12 && /^\d{3}$/.test(fields[0] ?? '') ? fields : undefined
    const errors = readErrors(frame)
    if (errors !== undefined) handlers.errors(errors)
    const odometer = readOdometer(frame)
    if (odometer !== undefined) handlers.odometer(odometer)
  }

  return (part) => {
    unread = (unread + part).slice(-maxUnread)
    for (;;) {
      const to = unread.indexOf(end)
      if (to < 0) return
      const from = unread.lastIndexOf(start, to)
      if (from >= 0) readFrame(unread.slice(from + 1, to))
      unread = unread.slice(to + 1)
    }
  }
}

function toHostStatus(one: string[], two: string[]): ZplAnswers['status'] {
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
  return {
    remarks: flags.filter(([flag]) => flag === '1').map(([, code]) => ({ code })),
    labelsInside: number(one[4]) + number(two[8]),
  }
}

function readErrors(frame: string): ZplAnswers['errors'] | undefined {
  const match = /ERRORS:\s*([01])\s+([0-9A-F]{8})\s+([0-9A-F]{8})/i.exec(frame)
  if (match === null) return undefined
  const bits = match[1] === '0' ? 0 : Number.parseInt(match[3] ?? '0', 16)
  return { remarks: toRemarks(bits, errorBits) }
}

/** Reads `TOTAL NONRESETTABLE: 8560 "`, in inches, cm or m as the printer is set. */
function readOdometer(frame: string): ZplAnswers['odometer'] | undefined {
  const match = /TOTAL\s+NONRESETTABLE\s*:\s*([\d.,]+)\s*(cm|m\b)?/i.exec(frame)
  const total = Number(match?.[1]?.replaceAll(',', ''))
  if (match === null || !Number.isFinite(total)) return undefined
  const unit = match[2]?.toLowerCase()
  return { millimetres: total * (unit === 'cm' ? 10 : unit === 'm' ? 1000 : 25.4) }
}

function number(text: string | undefined): number {
  const value = Number(text)
  return Number.isFinite(value) ? value : 0
}

/** The questions inside a label. The printer answers them too, before later questions. */
function findQuestions(bytes: Buffer): ZplQuestion[] {
  if (!bytes.includes('~')) return []
  const found = bytes.toString('latin1').matchAll(/~(?:(HS)|(HQES)|(HQOD))/gi)
  return [...found].map(([, status, errors]) => (status ? 'status' : errors ? 'errors' : 'odometer'))
}

/** How the printers of a language are asked for their status, and how they answer. */
export interface StatusProtocol {
  questions: { [Q in ZplQuestion]?: string }
  createReader(handlers: AnswerHandlers): (part: string) => void
  /** The questions inside a label: the printer answers them too. */
  findQuestions(label: Buffer): ZplQuestion[]
  /** Whether an answer proves that the printer has read everything before its question. */
  answersInOrder: boolean
}

const findNoQuestions = () => []

/**
 * TSPL printers report their state as one byte, before they have read everything. EPL2 printers report theirs only when
 * they are set up for it: they are not asked.
 */
export const statusProtocols: Record<PrinterLanguage, StatusProtocol> = {
  zpl: { questions: zplQuestions, createReader: createAnswerReader, findQuestions, answersInOrder: true },
  tspl: {
    questions: { status: '\u001b!?' },
    createReader: createTsplReader,
    findQuestions: findNoQuestions,
    answersInOrder: false,
  },
  epl2: {
    questions: {},
    createReader: () => () => undefined,
    findQuestions: findNoQuestions,
    answersInOrder: false,
  },
}

/** The bits of TSPL's state that need a person, from TSC's manual. */
const tsplBits: RemarkBits = [
  [0x01, 'head-open'],
  [0x02, 'jammed'],
  [0x04, 'out-of-labels'],
  [0x08, 'ribbon-used-up'],
  [0x10, 'paused'],
  [0x80, 'error'],
]
const tsplPrinting = 0x20

function createTsplReader(handlers: AnswerHandlers): (part: string) => void {
  return (part) => {
    for (const byte of Buffer.from(part, 'latin1')) {
      handlers.status({
        remarks: toRemarks(byte, tsplBits),
        labelsInside: (byte & tsplPrinting) === 0 ? 0 : 1,
      })
    }
  }
}
