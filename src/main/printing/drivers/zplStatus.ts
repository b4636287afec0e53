import type { PrinterRemark } from '../../../shared/printerRemarks'
import type { PrinterLanguage } from '../../../shared/printing'
import { type RemarkBits, remarksIn } from './driver'

/** What a printer can be asked, with what one that reads ZPL is asked by. */
export const zplQuestions = {
  /** Its state and how many labels are still inside. */
  status: '~HS\r\n',
  /** Its errors in more detail; newer printers alone. */
  errors: '~HQES\r\n',
  /** How far it has printed; newer printers alone. */
  odometer: '~HQOD\r\n',
} as const
export type ZplQuestion = keyof typeof zplQuestions

/** One whole answer of a printer. It has the form of its question, by which the two are matched. */
export interface ZplAnswers {
  /** What keeps it from printing, and labels that it has received and not printed. */
  status: { remarks: PrinterRemark[]; labelsInside: number }
  errors: { remarks: PrinterRemark[] }
  odometer: { millimetres: number }
}

/** Takes each answer as soon as it is whole. */
export type AnswerTaker = { [Q in ZplQuestion]: (answer: ZplAnswers[Q]) => void }

const start = '\u0002'
const end = '\u0003'
/** No printer says more at once. */
const maxUnread = 16_384

/** The bits of `~HQES`' errors, from the programmer's guide. */
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
 * Reads what a printer says, in parts as they come. Each answer lies between STX and ETX; `~HS` answers in three such
 * lines of 12, 11 and 2 fields. Everything else is passed over.
 */
export function createAnswerReader(taker: AnswerTaker): (part: string) => void {
  let unread = ''
  let firstLine: string[] | undefined

  const take = (frame: string) => {
    const fields = frame.split(',').map((field) => field.trim())
    if (firstLine !== undefined && fields.length >= 9) {
      taker.status(hostStatus(firstLine, fields))
      firstLine = undefined
      return
    }
    firstLine = fields.length >= 12 && /^\d{3}$/.test(fields[0] ?? '') ? fields : undefined
    const errors = extendedErrors(frame)
    if (errors !== undefined) taker.errors(errors)
    const odometer = printedLength(frame)
    if (odometer !== undefined) taker.odometer(odometer)
  }

  return (part) => {
    unread = (unread + part).slice(-maxUnread)
    for (;;) {
      const to = unread.indexOf(end)
      if (to < 0) return
      const from = unread.lastIndexOf(start, to)
      if (from >= 0) take(unread.slice(from + 1, to))
      unread = unread.slice(to + 1)
    }
  }
}

function hostStatus(one: string[], two: string[]): ZplAnswers['status'] {
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

function extendedErrors(frame: string): ZplAnswers['errors'] | undefined {
  const match = /ERRORS:\s*([01])\s+([0-9A-F]{8})\s+([0-9A-F]{8})/i.exec(frame)
  if (match === null) return undefined
  const bits = match[1] === '0' ? 0 : Number.parseInt(match[3] ?? '0', 16)
  return { remarks: remarksIn(bits, errorBits) }
}

/** `TOTAL NONRESETTABLE: 8560 "`, in inches or `cm` as the printer is set. */
function printedLength(frame: string): ZplAnswers['odometer'] | undefined {
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

/** A label may hold questions of its own, whose answers would be taken for those to later questions. */
function questionsIn(bytes: Buffer): ZplQuestion[] {
  if (!bytes.includes('~')) return []
  const found = bytes.toString('latin1').matchAll(/~(?:(HS)|(HQES)|(HQOD))/gi)
  return [...found].map(([, status, errors]) => (status ? 'status' : errors ? 'errors' : 'odometer'))
}

/** How printers of a language are asked how they are, and how they answer. */
export interface StatusProtocol {
  /** What they can be asked. */
  questions: { [Q in ZplQuestion]?: string }
  createReader(taker: AnswerTaker): (part: string) => void
  /** Questions inside of a label, whose answers come as well. */
  questionsIn(label: Buffer): ZplQuestion[]
  /** Whether they answer in order, so that an answer says that everything before its question was read. */
  answersInOrder: boolean
}

const none = () => []

/** TSPL's state is one byte, which it tells ahead of what it has still to read; EPL2 tells its own only where the printer was set up to do so. */
export const statusProtocols: Record<PrinterLanguage, StatusProtocol> = {
  zpl: { questions: zplQuestions, createReader: createAnswerReader, questionsIn, answersInOrder: true },
  tspl: {
    questions: { status: '\u001b!?' },
    createReader: createTsplReader,
    questionsIn: none,
    answersInOrder: false,
  },
  epl2: { questions: {}, createReader: () => () => undefined, questionsIn: none, answersInOrder: false },
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

function createTsplReader(taker: AnswerTaker): (part: string) => void {
  return (part) => {
    for (const byte of Buffer.from(part, 'latin1')) {
      taker.status({
        remarks: remarksIn(byte, tsplBits),
        labelsInside: (byte & tsplPrinting) === 0 ? 0 : 1,
      })
    }
  }
}
