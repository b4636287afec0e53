import type { AppError, ErrorCode } from '../../../shared/errors'
import type { BarcodeProof } from '../../../shared/labels'
import type { PrinterRemark, PrintNote } from '../../../shared/printerRemarks'
import { type PrintJob, printJobStates } from '../../../shared/printing'
import { persist } from '../../lib/retry'
import { toReason } from '../../lib/toReason'
import type { Log } from '../../log/log'
import type { PrintOutcome } from '../drivers/driver'
import type { NewPrintJob, PrintJobChange, PrintJobRepository } from './repository'

/** New jobs that replace one of which nothing was printed. */
export interface Replacement {
  jobs: NewPrintJob[]
  /** Kept with the replaced job: why it was replaced, or where its label went. */
  note: PrintNote
}

export interface JobRecordDeps {
  jobs: Pick<PrintJobRepository, 'change' | 'replace'>
  /** Aborted when the app closes. */
  signal: AbortSignal
  log: Log
  now(): Date
}

/** Most jobs end so soon after their printer accepted them that both are stored in one write. */
const acceptanceWriteDelayMs = 50

/** Stores what happens to one job from its start to its end, in the order in which it happens. */
export class JobRecord {
  private acceptance: { acceptedAt?: Date } = {}
  private acceptanceWrite: NodeJS.Timeout | undefined
  private reading: { barcodes?: BarcodeProof } = {}
  private isClaimRequested = false
  private isClaimed = false
  private isClaimFailed = false
  private lastNote: string
  private lastWrite: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly job: PrintJob,
    private readonly deps: JobRecordDeps,
  ) {
    this.lastNote = JSON.stringify(job.note)
  }

  /** Stores what the job waits for. The same note again is not written. */
  note(note: PrintNote | null): void {
    if (JSON.stringify(note) === this.lastNote) return
    this.lastNote = JSON.stringify(note)
    this.write({ note })
  }

  /** Adds what reading the label's barcodes showed. It is stored with the next change of the job's state. */
  addBarcodes(barcodes: BarcodeProof): void {
    this.reading = { barcodes }
  }

  /**
   * The printer has all bytes. It is stored together with the outcome, or after 50 ms if the job has not ended then.
   */
  accepted(): void {
    const acceptedAt = this.deps.now()
    this.acceptance = { acceptedAt }
    this.acceptanceWrite = setTimeout(() => this.write({ acceptedAt }), acceptanceWriteDelayMs)
  }

  /**
   * Changes the job from `queued` to `sending`, durably and after every earlier write.
   * @returns false when the job was cancelled or could not be stored: nothing may be sent
   */
  async claim(): Promise<boolean> {
    const { jobs, signal } = this.deps
    this.isClaimRequested = true
    await this.lastWrite
    try {
      const change: PrintJobChange = { ...this.reading, state: 'sending', note: null }
      this.isClaimed = (await jobs.change(this.job.id, ['queued'], change)) !== undefined
      return this.isClaimed
    } catch (error) {
      // The change may be stored in spite of the error. Nothing is sent, so the job goes back to `queued`.
      this.isClaimFailed = true
      this.logError(error)
      const requeue = () => jobs.change(this.job.id, ['sending'], { state: 'queued' })
      await persist(requeue, signal, this.logError)
      return false
    }
  }

  /** Whether `claim` was called, even if it has not ended yet: bytes may have left. */
  mayHaveSent(): boolean {
    return this.isClaimRequested
  }

  /** Whether `claim` failed because the database did. */
  hasClaimFailed(): boolean {
    return this.isClaimFailed
  }

  /**
   * Stores the outcome; tries again until the database takes it.
   * @param replacement the jobs that replace this one, of which provably nothing was printed
   */
  async finish(outcome: PrintOutcome, replacement: Replacement | undefined): Promise<void> {
    const { job } = this
    const { jobs, signal, now } = this.deps
    clearTimeout(this.acceptanceWrite)
    await this.lastWrite
    if (replacement === undefined) {
      const { acceptance } = this
      const change = {
        ...{ ...this.reading, ...acceptance },
        ...changeFor(job, outcome, acceptance.acceptedAt ?? now()),
      }
      const isUnchanged = change.state === 'queued' && JSON.stringify(change.note) === this.lastNote
      if (!this.isClaimed && isUnchanged) return
      await persist(() => jobs.change(job.id, printJobStates.underWay, change), signal, this.logError)
      return
    }
    // Only the new jobs stay open. The error of the closed one says why its label moved.
    const hasFailed = outcome.kind === 'failed' && replacement.note.code === 'moved'
    const error = hasFailed ? { error: outcome.error } : {}
    const closed: PrintJobChange = {
      ...{ ...error, ...this.acceptance },
      ...{ state: 'cancelled', note: replacement.note },
    }
    await persist(
      () => jobs.replace([job.id], printJobStates.underWay, closed, replacement.jobs),
      signal,
      this.logError,
    )
  }

  private write(change: PrintJobChange): void {
    this.lastWrite = this.lastWrite
      .then(() => this.deps.jobs.change(this.job.id, printJobStates.underWay, change))
      .catch(this.logError)
  }

  private readonly logError = (error: unknown): void =>
    this.deps.log.error('a change of a print job could not be stored', {
      jobId: this.job.id,
      reason: toReason(error),
    })
}

/** Whether the label is defective, so that no printer can print it. */
export function isLabelDefect({ code }: AppError): boolean {
  const issues: ErrorCode[] = ['label-unreadable', 'label-needs-password', 'label-too-long']
  return issues.includes(code)
}

const choiceCodes: ErrorCode[] = ['label-needs-placement', 'zpl-needs-consent', 'label-loses-content']

/** Whether a person has to decide something about the label before any printer prints it. */
export function needsChoice(error: AppError): boolean {
  return choiceCodes.includes(error.code)
}

/** The remark for a printer that takes no labels and gives no reason itself. */
const unavailableRemarks = new Map<ErrorCode, PrinterRemark['code']>([
  ['printer-stopped', 'queue-closed'],
  ['printer-not-found', 'queue-missing'],
  ['disk-full', 'folder-full'],
  ['folder-not-writable', 'folder-away'],
])

/**
 * Whether the job stays queued until the printer takes labels again: nothing was sent, and the label is not the cause.
 */
export function waitsForPrinter(outcome: PrintOutcome): boolean {
  if (outcome.kind !== 'failed' || !outcome.nothingPrinted) return false
  const { code, details } = outcome.error
  if (code === 'printer-failed') return details?.case === 'took-nothing'
  return code === 'printer-unreachable' || unavailableRemarks.has(code)
}

/** The note of a job that waits for its printer. */
export function toWaitingNote({ code, details, says = [] }: AppError): PrintNote {
  if (code === 'printer-unreachable') return { code: 'trying-again', says }
  const remark = says.length === 0 ? unavailableRemarks.get(code) : undefined
  const folder = details?.folder === undefined ? {} : { words: details.folder }
  return { code: 'takes-no-labels', says: remark === undefined ? says : [{ code: remark, ...folder }] }
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
      // A person's choices are remembered for labels; an invoice with such an error has failed.
      if (document === 'label' && needsChoice(outcome.error))
        return { state: 'waiting', error: outcome.error, note: null }
      if (waitsForPrinter(outcome)) {
        return { state: 'queued', note: toWaitingNote(outcome.error) }
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
