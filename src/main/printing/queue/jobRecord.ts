import type { AppError, ErrorCode } from '../../../shared/errors'
import type { BarcodeProof } from '../../../shared/labels'
import type { PrintNote } from '../../../shared/printerRemarks'
import { getPrinterName, type Printer, type PrintJob, type PrintJobState } from '../../../shared/printing'
import { persist } from '../../lib/retry'
import type { PrintOutcome } from '../drivers/driver'
import type { NewPrintJob, PrintJobChange, PrintJobRepository } from './repository'

/** Writes down what happens to one job while it is being sent, in the order in which it happens. */
export interface JobRecord {
  /** What the job waits for; the same note twice is written once. */
  note(note: PrintNote | null): void
  /** What reading the label's barcodes showed; stored with the next change of the job's state. */
  proved(barcodes: BarcodeProof): void
  /** The printer has all bytes now. */
  accepted(): void
  /**
   * Makes the job `sending`, after everything written before; a store that fails leaves it queued.
   * @returns whether it is this one's to send
   */
  begin(): Promise<boolean>
  /** Whether the store failed when the job was to begin. */
  couldNotBegin(): boolean
  /**
   * Writes how it ended, however long the store takes to work again.
   * @param succession the jobs that take its place when provably nothing was printed
   */
  finish(outcome: PrintOutcome, succession: Succession | undefined): Promise<void>
}

/** Jobs that take the place of one, which then needs nobody any more. */
export interface Succession {
  jobs: NewPrintJob[]
  /** Why, or where the label went. */
  note: PrintNote
}

/** What a record writes with. */
export interface JobRecordDeps {
  jobs: Pick<PrintJobRepository, 'change' | 'replace'>
  /** Aborted when the app closes. */
  signal: AbortSignal
  onError(error: unknown): void
  now(): Date
}

/** Until its end a job is queued, and `sending` once bytes may leave. */
const underWay: PrintJobState[] = ['queued', 'sending']

/** A record of a job that was just taken. */
export function createJobRecord(job: PrintJob, deps: JobRecordDeps): JobRecord {
  const { jobs, signal, onError } = deps
  let acceptedAt: Date | undefined
  let proof: { barcodes?: BarcodeProof } = {}
  let begun = false
  let failedToBegin = false
  let noted = JSON.stringify(job.note)
  let lastWrite: Promise<unknown> = Promise.resolve()
  const write = (change: PrintJobChange) => {
    lastWrite = lastWrite.then(() => jobs.change(job.id, underWay, change)).catch(onError)
  }

  return {
    note(note) {
      if (JSON.stringify(note) === noted) return
      noted = JSON.stringify(note)
      write({ note })
    },
    proved(barcodes) {
      proof = { barcodes }
    },
    accepted() {
      acceptedAt = deps.now()
      write({ acceptedAt })
    },
    async begin() {
      await lastWrite
      try {
        const change: PrintJobChange = { ...proof, state: 'sending', note: null }
        begun = (await jobs.change(job.id, ['queued'], change)) !== undefined
        return begun
      } catch (error) {
        // Whatever the failing store did: nothing is sent after an error here.
        failedToBegin = true
        onError(error)
        const giveBack = () => jobs.change(job.id, ['sending'], { state: 'queued' })
        await persist(giveBack, signal, onError)
        return false
      }
    },
    couldNotBegin: () => failedToBegin,
    async finish(outcome, succession) {
      await lastWrite
      if (succession === undefined) {
        const change = { ...proof, ...changeFor(job, outcome, acceptedAt ?? deps.now()) }
        if (!begun && change.state === 'queued' && JSON.stringify(change.note) === noted) return
        await persist(() => jobs.change(job.id, underWay, change), signal, onError)
        return
      }
      // The job is closed, since its successors now need the watching; its error tells why it moved.
      const hasFailed = outcome.kind === 'failed' && succession.note.code === 'moved'
      const error = hasFailed ? { error: outcome.error } : {}
      const closed: PrintJobChange = { ...error, state: 'cancelled', note: succession.note }
      await persist(() => jobs.replace([job.id], underWay, closed, succession.jobs), signal, onError)
    },
  }
}

/** Whether the standby may take over: once, when no paper came out, and not for a label that nobody can print. */
export function mayMove(job: PrintJob, outcome: PrintOutcome): boolean {
  return (
    job.kind !== 'moved' &&
    outcome.kind === 'failed' &&
    outcome.nothingPrinted &&
    !isLabelsError(outcome.error) &&
    !needsChoice(outcome.error)
  )
}

/** Whether no printer can print the label as it is. */
export function isLabelsError({ code }: AppError): boolean {
  const issues: ErrorCode[] = ['label-unreadable', 'label-needs-password', 'label-too-long']
  return issues.includes(code)
}

const choiceCodes: ErrorCode[] = ['label-needs-placement', 'zpl-needs-consent', 'label-loses-content']

/** Whether a person is to choose something about the label before any printer can print it. */
export function needsChoice(error: AppError): boolean {
  return choiceCodes.includes(error.code)
}

/** Whether the job keeps its place until the printer is back: it can't be reached, and nothing was sent to it. */
export function waitsForPrinter(outcome: PrintOutcome): boolean {
  return outcome.kind === 'failed' && outcome.nothingPrinted && outcome.error.code === 'printer-unreachable'
}

/** What is said of a job that waits for its printer. */
export function triesAgain(error: AppError): PrintNote {
  return { code: 'trying-again', says: error.says ?? [] }
}

/** The job of the standby printer, which takes over. */
export function movedTo(job: PrintJob, standby: Printer, id: string): Succession {
  const moved: NewPrintJob = {
    id,
    shipmentId: job.shipmentId,
    labelId: job.labelId,
    printerId: standby.id,
    printerName: getPrinterName(standby),
    kind: 'moved',
    ...(job.pages !== undefined && { pages: job.pages }),
  }
  return { jobs: [moved], note: { code: 'moved', says: [], printer: moved.printerName } }
}

function changeFor({ document }: PrintJob, outcome: PrintOutcome, acceptedAt: Date): PrintJobChange {
  switch (outcome.kind) {
    case 'done': {
      const { outputPath } = outcome
      return { state: 'done', acceptedAt, note: null, ...(outputPath !== undefined && { outputPath }) }
    }
    case 'handed-over':
      return { state: 'handed-over', acceptedAt, note: null }
    case 'failed':
      // What a person chooses is remembered for labels.
      if (document === 'label' && needsChoice(outcome.error))
        return { state: 'waiting', error: outcome.error, note: null }
      if (waitsForPrinter(outcome)) {
        return { state: 'queued', note: triesAgain(outcome.error) }
      }
      return { state: 'failed', error: outcome.error, note: null }
    case 'unconfirmed':
      return { state: outcome.kind, error: outcome.error, note: null }
    case 'cancelled':
      return { state: 'cancelled', note: null }
    case 'not-started':
      return { state: 'queued', note: null }
  }
}
