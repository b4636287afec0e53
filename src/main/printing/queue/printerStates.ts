import type { AppError } from '../../../shared/errors'
import type { PrinterRemark, PrintNote } from '../../../shared/printerRemarks'
import { getPrinterName, type Printer, type PrinterStatus } from '../../../shared/printing'
import type { PrinterLook, PrintOutcome } from '../drivers/driver'
import { isLabelsError, needsChoice, triesAgain, waitsForPrinter } from './jobRecord'

/** What the last jobs showed of each printer, and a look at it while it has none. */
export interface PrinterStates {
  started(printerId: string): void
  noted(printerId: string, note: PrintNote | null): void
  ended(printerId: string, outcome: PrintOutcome): void
  /** A look at a printer; passed over while it has a job, which sees more. */
  looked(printerId: string, look: PrinterLook): void
  isBusy(printerId: string): boolean
  /** What is known of a printer; one that is paused is so whatever else is the matter. */
  toStatus(printer: Printer, queue: { waitingJobs: number; paused: boolean }): PrinterStatus
}

interface Seen {
  /** Jobs under way. */
  busy: number
  note: PrintNote | null
  /** How the last job went; undefined before the first. */
  last: { ok: true } | { ok: false; error: AppError } | undefined
}

/** Starts knowing nothing of any printer. */
export function createPrinterStates(): PrinterStates {
  const printers = new Map<string, Seen>()
  const seen = (printerId: string): Seen => {
    const known = printers.get(printerId) ?? { busy: 0, note: null, last: undefined }
    printers.set(printerId, known)
    return known
  }

  return {
    started(printerId) {
      seen(printerId).busy += 1
    },
    noted(printerId, note) {
      seen(printerId).note = note
    },
    ended(printerId, outcome) {
      const printer = seen(printerId)
      printer.busy -= 1
      const waits = outcome.kind === 'failed' && waitsForPrinter(outcome)
      printer.note = waits ? triesAgain(outcome.error) : null
      printer.last = lesson(outcome) ?? printer.last
    },
    looked(printerId, look) {
      const printer = seen(printerId)
      if (printer.busy > 0) return
      printer.note = look.kind === 'tells' && look.says.length > 0 ? reports(look.says) : null
      if (look.kind === 'away') printer.last = { ok: false, error: look.error }
      else if (look.kind === 'tells') printer.last = { ok: true }
      else if (printer.last?.ok === false && printer.last.error.code === 'printer-unreachable') {
        printer.last = undefined
      }
    },
    isBusy: (printerId) => seen(printerId).busy > 0,
    toStatus(printer, { waitingJobs, paused }) {
      const about = seen(printer.id)
      return {
        id: printer.id,
        name: getPrinterName(printer),
        driver: printer.driver,
        waitingJobs,
        ...getState(about),
        ...(paused && { state: 'paused' as const }),
      }
    },
  }
}

function reports(says: PrinterRemark[]): PrintNote {
  return { code: 'printer-reports', says }
}

/** What an outcome says of the printer; undefined when it says nothing. */
function lesson(outcome: PrintOutcome): Seen['last'] {
  switch (outcome.kind) {
    case 'done':
    case 'handed-over':
      return { ok: true }
    case 'failed':
      // The label is at fault, not the printer's.
      if (isLabelsError(outcome.error) || needsChoice(outcome.error)) return undefined
      if (outcome.error.code === 'label-in-other-language') return undefined
      return { ok: false, error: outcome.error }
    case 'unconfirmed':
      return { ok: false, error: outcome.error }
    default:
      return undefined
  }
}

function getState({ busy, note, last }: Seen): Pick<PrinterStatus, 'state' | 'note' | 'error'> {
  if (note !== null) return { state: 'error', note, error: null }
  if (busy > 0) return { state: 'busy', note, error: null }
  if (last === undefined) return { state: 'unknown', note, error: null }
  return last.ok ? { state: 'ready', note, error: null } : { state: 'error', note, error: last.error }
}
