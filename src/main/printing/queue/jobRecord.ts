import type { AppError, ErrorCode } from '../../../shared/errors'
import type { BarcodeProof } from '../../../shared/labels'
import type { PrinterRemark, PrintNote } from '../../../shared/printerRemarks'
import type { PrintJob, PrintJobState } from '../../../shared/printing'
import { persist } from '../../lib/retry'
import { toReason } from '../../lib/toReason'
import type { Log } from '../../log/log'
import type { PrintOutcome } from '../drivers/driver'
import type { NewPrintJob, PrintJobChange, PrintJobRepository } from './repository'

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
  log: Log
  now(): Date
}

/** Until its end a job is queued, and `sending` once bytes may leave. */
const underWay: PrintJobState[] = ['queued', 'sending']

/** Most jobs end within this time after their printer accepted them, and are written once then, in milliseconds. */
const endsSoonMs = 50

/** Writes down what happens to one job from being taken to its end, in the order in which it happens. */
export class JobRecord {
  private acceptance: { acceptedAt?: Date } = {}
  private accepting: NodeJS.Timeout | undefined
  private proof: { barcodes?: BarcodeProof } = {}
  private isClaimed = false
  private hasFailedToClaim = false
  private noted: string
  private lastWrite: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly job: PrintJob,
    private readonly deps: JobRecordDeps,
  ) {
    this.noted = JSON.stringify(job.note)
  }

  /** What the job waits for; the same note twice is written once. */
  note(note: PrintNote | null): void {
    if (JSON.stringify(note) === this.noted) return
    this.noted = JSON.stringify(note)
    this.write({ note })
  }

  /** What reading the label's barcodes showed; stored with the next change of the job's state. */
  proved(barcodes: BarcodeProof): void {
    this.proof = { barcodes }
  }

  /** The printer has all bytes now: stored with how the job ends, or by itself where that takes a while longer. */
  accepted(): void {
    const acceptedAt = this.deps.now()
    this.acceptance = { acceptedAt }
    this.accepting = setTimeout(() => this.write({ acceptedAt }), endsSoonMs)
  }

  /**
   * Makes the job `sending`, after everything written before; a store that fails leaves it queued.
   * @returns whether it is this one's to send
   */
  async claim(): Promise<boolean> {
    const { jobs, signal } = this.deps
    await this.lastWrite
    try {
      const change: PrintJobChange = { ...this.proof, state: 'sending', note: null }
      this.isClaimed = (await jobs.change(this.job.id, ['queued'], change)) !== undefined
      return this.isClaimed
    } catch (error) {
      // Whatever the failing store did: nothing is sent after an error here.
      this.hasFailedToClaim = true
      this.logError(error)
      const giveBack = () => jobs.change(this.job.id, ['sending'], { state: 'queued' })
      await persist(giveBack, signal, this.logError)
      return false
    }
  }

  /** Whether the store failed when the job was to be claimed. */
  couldNotClaim(): boolean {
    return this.hasFailedToClaim
  }

  /**
   * Writes how it ended, however long the store takes to work again.
   * @param succession the jobs that take its place when provably nothing was printed
   */
  async finish(outcome: PrintOutcome, succession: Succession | undefined): Promise<void> {
    const { job } = this
    const { jobs, signal, now } = this.deps
    clearTimeout(this.accepting)
    await this.lastWrite
    if (succession === undefined) {
      const { acceptance } = this
      const change = {
        ...{ ...this.proof, ...acceptance },
        ...changeFor(job, outcome, acceptance.acceptedAt ?? now()),
      }
      const isAsBefore = change.state === 'queued' && JSON.stringify(change.note) === this.noted
      if (!this.isClaimed && isAsBefore) return
      await persist(() => jobs.change(job.id, underWay, change), signal, this.logError)
      return
    }
    // The job is closed, since its successors now need the watching; its error tells why it moved.
    const hasFailed = outcome.kind === 'failed' && succession.note.code === 'moved'
    const error = hasFailed ? { error: outcome.error } : {}
    const closed: PrintJobChange = {
      ...{ ...error, ...this.acceptance },
      ...{ state: 'cancelled', note: succession.note },
    }
    await persist(() => jobs.replace([job.id], underWay, closed, succession.jobs), signal, this.logError)
  }

  private write(change: PrintJobChange): void {
    this.lastWrite = this.lastWrite
      .then(() => this.deps.jobs.change(this.job.id, underWay, change))
      .catch(this.logError)
  }

  private readonly logError = (error: unknown): void =>
    this.deps.log.error('a print job could not be stored', { jobId: this.job.id, reason: toReason(error) })
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

/** What a printer that takes no labels is said to be where it has no words of its own. */
const awayRemarks = new Map<ErrorCode, PrinterRemark['code']>([
  ['printer-stopped', 'queue-closed'],
  ['printer-not-found', 'queue-missing'],
  ['disk-full', 'folder-full'],
  ['folder-not-writable', 'folder-away'],
])

/** Whether the job keeps its place until the printer takes labels again: nothing of it was sent, and it is not to blame. */
export function waitsForPrinter(outcome: PrintOutcome): boolean {
  if (outcome.kind !== 'failed' || !outcome.nothingPrinted) return false
  const { code, details } = outcome.error
  if (code === 'printer-failed') return details?.case === 'took-nothing'
  return code === 'printer-unreachable' || awayRemarks.has(code)
}

/** What is said of a job that waits for its printer. */
export function triesAgain({ code, details, says = [] }: AppError): PrintNote {
  if (code === 'printer-unreachable') return { code: 'trying-again', says }
  const remark = says.length === 0 ? awayRemarks.get(code) : undefined
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
