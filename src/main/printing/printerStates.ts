import type { Printer, PrinterStatus } from '../../shared/printing'
import type { PrintOutcome } from './drivers/driver'
import { needsChoice } from './jobRecord'
import { nameOfPrinter } from './routing'

/** What the last jobs showed of each printer. Nothing is asked of a printer that has no job. */
export interface PrinterStates {
  started(printerId: string): void
  noted(printerId: string, note: string | null): void
  ended(printerId: string, outcome: PrintOutcome): void
  /** What is known of a printer; one that is paused is so whatever else is the matter. */
  statusOf(printer: Printer, queue: { waitingJobs: number; paused: boolean }): PrinterStatus
}

interface Seen {
  busy: boolean
  note: string | null
  /** How the last job went; undefined before the first. */
  last: { ok: true } | { ok: false; message: string } | undefined
}

/** Starts knowing nothing of any printer. */
export function createPrinterStates(): PrinterStates {
  const printers = new Map<string, Seen>()
  const seen = (printerId: string): Seen => {
    const known = printers.get(printerId) ?? { busy: false, note: null, last: undefined }
    printers.set(printerId, known)
    return known
  }

  return {
    started(printerId) {
      seen(printerId).busy = true
    },
    noted(printerId, note) {
      seen(printerId).note = note
    },
    ended(printerId, outcome) {
      const printer = seen(printerId)
      printer.busy = false
      printer.note = null
      printer.last = lesson(outcome) ?? printer.last
    },
    statusOf(printer, { waitingJobs, paused }) {
      const about = seen(printer.id)
      return {
        id: printer.id,
        name: nameOfPrinter(printer),
        driver: printer.driver,
        waitingJobs,
        ...stateOf(about),
        ...(paused && { state: 'paused' as const }),
      }
    },
  }
}

/** What an outcome says of the printer; undefined when it says nothing. */
function lesson(outcome: PrintOutcome): Seen['last'] {
  switch (outcome.kind) {
    case 'done':
    case 'handed-over':
      return { ok: true }
    case 'failed':
      // The label's fault, not the printer's.
      if (outcome.error.code === 'label-unreadable' || needsChoice(outcome.error)) return undefined
      return { ok: false, message: outcome.error.message }
    case 'unconfirmed':
      return { ok: false, message: outcome.error.message }
    default:
      return undefined
  }
}

function stateOf({ busy, note, last }: Seen): Pick<PrinterStatus, 'state' | 'message'> {
  if (note !== null) return { state: 'trouble', message: note }
  if (busy) return { state: 'busy', message: null }
  if (last === undefined) return { state: 'unknown', message: null }
  return last.ok ? { state: 'ready', message: null } : { state: 'trouble', message: last.message }
}
