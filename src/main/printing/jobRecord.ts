import type { AppError } from '../../shared/errors'
import type { PrintNote } from '../../shared/printerRemarks'
import type { Printer, PrintJob } from '../../shared/printing'
import type { PrintOutcome } from './drivers/driver'
import { persist } from './persist'
import type { NewPrintJob, PrintJobChange, PrintJobStore } from './ports'
import { nameOfPrinter } from './routing'

/** Writes down what happens to one job while it is being sent, in the order in which it happens. */
export interface JobRecord {
  write(change: PrintJobChange): void
  /**
   * Writes how it ended, however long the store takes to work again.
   * @param standby the printer that takes over when provably nothing was printed
   */
  finish(outcome: PrintOutcome, standby: Printer | undefined): Promise<void>
}

/** What a record writes with. */
export interface JobRecordOptions {
  jobs: Pick<PrintJobStore, 'change' | 'replace'>
  /** Aborted when the app closes. */
  signal: AbortSignal
  onTrouble(error: unknown): void
  now(): Date
  newId(): string
}

/** A record of a job that was just taken. */
export function createJobRecord(job: PrintJob, options: JobRecordOptions): JobRecord {
  const { jobs, signal, onTrouble } = options
  let acceptedAt: Date | undefined
  let lastWrite: Promise<unknown> = Promise.resolve()

  return {
    write(change) {
      acceptedAt = change.acceptedAt ?? acceptedAt
      lastWrite = lastWrite.then(() => jobs.change(job.id, ['sending'], change)).catch(onTrouble)
    },
    async finish(outcome, standby) {
      await lastWrite
      const change = changeFor(outcome, acceptedAt ?? options.now())
      if (standby === undefined) {
        await persist(() => jobs.change(job.id, ['sending'], change), signal, onTrouble)
        return
      }
      const successor = movedJob(job, standby, options.newId())
      // The job is closed, since its successor now needs the watching; its error tells why it moved.
      const note: PrintNote = { code: 'moved', says: [], printer: successor.printerName }
      const closed: PrintJobChange = { ...change, state: 'cancelled', note }
      await persist(() => jobs.replace(job.id, ['sending'], closed, successor), signal, onTrouble)
    },
  }
}

/** Whether the standby may take over: once, when no paper came out, and not for a label that nobody can print. */
export function mayMove(job: PrintJob, outcome: PrintOutcome): boolean {
  return (
    job.kind !== 'moved' &&
    outcome.kind === 'failed' &&
    outcome.nothingPrinted &&
    outcome.error.code !== 'label-unreadable' &&
    !needsChoice(outcome.error)
  )
}

/** Whether a person is to choose something about the label before any printer can print it. */
export function needsChoice(error: AppError): boolean {
  return error.code === 'label-needs-placement' || error.code === 'zpl-needs-consent'
}

function movedJob(job: PrintJob, standby: Printer, id: string): NewPrintJob {
  return {
    id,
    shipmentId: job.shipmentId,
    labelId: job.labelId,
    printerId: standby.id,
    printerName: nameOfPrinter(standby),
    kind: 'moved',
    ...(job.pages !== undefined && { pages: job.pages }),
  }
}

function changeFor(outcome: PrintOutcome, acceptedAt: Date): PrintJobChange {
  switch (outcome.kind) {
    case 'done': {
      const { outputPath } = outcome
      return { state: 'done', acceptedAt, note: null, ...(outputPath !== undefined && { outputPath }) }
    }
    case 'handed-over':
      return { state: 'handed-over', acceptedAt, note: null }
    case 'failed':
      if (needsChoice(outcome.error)) return { state: 'waiting', error: outcome.error, note: null }
      return { state: 'failed', error: outcome.error, note: null }
    case 'unconfirmed':
      return { state: outcome.kind, error: outcome.error, note: null }
    case 'cancelled':
      return { state: 'cancelled', note: null }
    case 'not-started':
      return { state: 'queued', note: null }
  }
}
