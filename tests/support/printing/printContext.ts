import { randomUUID } from 'node:crypto'
import type { PrintContext } from '../../../src/main/printing/drivers/driver'
import type { PrintableLabel } from '../../../src/main/printing/printableLabel'
import { checkLosses } from '../../../src/main/printing/queue/labelConsents'
import type { PrintNote } from '../../../src/shared/printerRemarks'
import { printerSchema } from '../../../src/shared/printing'

/** A print context that records the driver's calls. */
export interface RecordedContext<P> extends PrintContext<P> {
  notes: (PrintNote | null)[]
  acceptedTimes(): number
  /** How often the driver claimed the job. */
  claimedTimes(): number
}

const anyPrinter = printerSchema.parse({ id: 'file', driver: 'folder', path: 'out' })

/** A context for one label and printer; nothing is cancelled unless a signal is given. */
export function contextFor<P>(
  printer: P,
  label: PrintableLabel,
  cancelled: AbortSignal = new AbortController().signal,
): RecordedContext<P> {
  const notes: (PrintNote | null)[] = []
  let accepted = 0
  let claimed = 0
  return {
    jobId: randomUUID(),
    printer,
    label,
    rules: [],
    hasStandby: false,
    check: (findings) => checkLosses(findings, { label, printer: anyPrinter, consents: [], agreed: [] }),
    cancelled,
    notes,
    progress: (note) => notes.push(note),
    claim: async () => {
      claimed += 1
      return true
    },
    claimedTimes: () => claimed,
    allowNextJob: () => undefined,
    accepted: () => {
      accepted += 1
    },
    acceptedTimes: () => accepted,
  }
}

/** The signal of an app that stays open. */
export const staysOpen = new AbortController().signal
