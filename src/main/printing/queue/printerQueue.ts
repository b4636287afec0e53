import type { AppError } from '../../../shared/errors'
import type { PrintNote } from '../../../shared/printerRemarks'
import { getPrinterName, type Printer, type PrinterStatus } from '../../../shared/printing'
import { rest } from '../../lib/async'
import { inTime } from '../../lib/retry'
import {
  isLabelDefect,
  needsChoice,
  type PolledStatus,
  type PrintOutcome,
  toWaitingNote,
  waitsForPrinter,
} from '../drivers/driver'

/** An idle printer that does not answer a poll may be busy with another station: it is polled a second time. */
const pollAgainMs = 1000

/** The delay before a job whose printer takes no labels is tried again; it doubles with each try. */
const firstRetryMs = 1000
const maxRetryMs = 8000

/** What jobs and polls have shown of a printer. */
interface KnownStatus {
  note: PrintNote | null
  /** Undefined before the first job. */
  lastResult: { ok: true } | { ok: false; error: AppError } | undefined
}

/** The queue of one printer: whether the next job may start, what is running, and the printer's status. */
export class PrinterQueue {
  /** A person has paused the printer. */
  isPaused = false
  /** Queued jobs that were not started when the database was last read. */
  waitingJobs = 0
  private isOccupied = false
  private isPolling = false
  /** Jobs at the printer: the next one may start while the last one ends. */
  private jobsAtPrinter = 0
  private readonly runningJobs = new Set<Promise<void>>()
  /** The last work that was requested between jobs, such as a test label. */
  private otherWork: Promise<void> | undefined
  private known: KnownStatus = { note: null, lastResult: undefined }
  /** Tries since the printer last took a job. */
  private failedTries = 0

  /** @param onFree called whenever the next job may start */
  constructor(private readonly onFree: () => void) {}

  /** Whether the next job may start, unless the printer is paused. */
  isFree(): boolean {
    return !this.isOccupied && this.otherWork === undefined
  }

  /**
   * Runs a job. The printer is occupied until the job ends or allows the next one.
   * @param job never rejects
   */
  run(job: (allowNextJob: () => void) => Promise<void>): void {
    let isOccupying = true
    this.isOccupied = true
    const release = () => {
      if (isOccupying) this.isOccupied = false
      isOccupying = false
      this.onFree()
    }
    // Drivers call it at each answer of the printer, ten times a second.
    const ended = job(() => (isOccupying ? release() : undefined)).finally(() => {
      this.runningJobs.delete(ended)
      release()
    })
    this.runningJobs.add(ended)
  }

  /**
   * Runs other work once the running jobs have ended. It goes before all queued jobs.
   * @returns undefined, with nothing run, when they take longer than `maxWaitMs`
   */
  async runBetweenJobs<T>(work: () => Promise<T>, maxWaitMs: number): Promise<T | undefined> {
    const before = this.otherWork ?? Promise.resolve()
    const isTurn = before.then(async () => {
      await Promise.all(this.runningJobs)
      return true
    })
    const worked = inTime(isTurn, maxWaitMs).then((isFree) => (isFree === true ? work() : undefined))
    // The work before it may outlast its wait.
    const ended = Promise.allSettled([before, worked]).then(() => undefined)
    this.otherWork = ended
    void ended.then(() => {
      if (this.otherWork === ended) this.otherWork = undefined
      this.onFree()
    })
    return worked
  }

  /** Resolves when all running jobs and other work have ended. */
  async whenIdle(): Promise<void> {
    await Promise.allSettled([...this.runningJobs, this.otherWork])
  }

  jobStarted(): void {
    this.jobsAtPrinter += 1
  }

  /** @param note what the job at the printer waits for */
  setNote(note: PrintNote | null): void {
    this.known.note = note
  }

  /** Removes the note of a job that no longer waits, unless another one is at the printer. @returns whether there was one */
  clearNote(): boolean {
    const hasNote = this.jobsAtPrinter === 0 && this.known.note !== null
    if (hasNote) this.known.note = null
    return hasNote
  }

  jobEnded(outcome: PrintOutcome): void {
    this.jobsAtPrinter -= 1
    const isWaiting = outcome.kind === 'failed' && waitsForPrinter(outcome)
    this.failedTries = isWaiting ? this.failedTries + 1 : 0
    this.known.note = isWaiting ? toWaitingNote(outcome.error) : null
    this.noteOutcome(outcome)
  }

  /** Updates the printer's status with the outcome of a job, or of a label that is no job. */
  noteOutcome(outcome: PrintOutcome): void {
    const result = toResult(outcome)
    this.known = {
      note: result?.ok === true ? null : this.known.note,
      lastResult: result ?? this.known.lastResult,
    }
  }

  /** The delay before the next try of a job, in milliseconds. */
  getRetryDelayMs(): number {
    return Math.min(maxRetryMs, firstRetryMs * 2 ** Math.max(0, this.failedTries - 1))
  }

  /**
   * Polls the printer's status, unless a job is running or waits: jobs show more than a poll.
   * @param ask holds the printer's connection for a moment only; it may wait for a job of another entry for the same
   *   device
   * @returns whether the status has changed
   */
  async poll(ask: () => Promise<PolledStatus | undefined>, signal: AbortSignal): Promise<boolean> {
    if (this.isPolling || this.jobsAtPrinter > 0 || this.waitingJobs > 0) return false
    this.isPolling = true
    try {
      let found = await ask()
      if (found?.kind === 'unreachable' || found?.kind === 'no-answer') {
        await rest(pollAgainMs, { signal, ref: false })
        found = await ask()
      }
      if (found === undefined || signal.aborted || this.jobsAtPrinter > 0) return false
      const before = JSON.stringify(this.getState())
      this.known = applyPoll(found, this.known)
      return JSON.stringify(this.getState()) !== before
    } finally {
      this.isPolling = false
    }
  }

  /** The status that is shown. `paused` hides every other state. */
  toStatus(printer: Printer): PrinterStatus {
    return {
      id: printer.id,
      name: getPrinterName(printer),
      driver: printer.driver,
      waitingJobs: this.waitingJobs,
      ...this.getState(),
      ...(this.isPaused && { state: 'paused' as const }),
    }
  }

  private getState(): Pick<PrinterStatus, 'state' | 'note' | 'error'> {
    const { note, lastResult } = this.known
    if (note !== null) return { state: 'error', note, error: null }
    if (this.jobsAtPrinter > 0) return { state: 'busy', note, error: null }
    if (lastResult === undefined) return { state: 'unknown', note, error: null }
    if (lastResult.ok) return { state: 'ready', note, error: null }
    return { state: 'error', note, error: lastResult.error }
  }
}

function applyPoll(polled: PolledStatus, { note, lastResult }: KnownStatus): KnownStatus {
  switch (polled.kind) {
    case 'unreachable':
      return { note: null, lastResult: { ok: false, error: polled.error } }
    case 'reports':
      return {
        note: polled.says.length > 0 ? { code: 'printer-reports', says: polled.says } : null,
        lastResult: { ok: true },
      }
    case 'available':
      return { note: null, lastResult: lastResult ?? { ok: true } }
    case 'no-status':
      return { note: null, lastResult: wasUnreachable(lastResult) ? undefined : lastResult }
    case 'no-answer':
      // It may have been opened since it was ready; what it needed then it may still need.
      return {
        note: note?.code === 'printer-reports' ? note : null,
        lastResult: lastResult?.ok === true || wasUnreachable(lastResult) ? undefined : lastResult,
      }
  }
}

function wasUnreachable(lastResult: KnownStatus['lastResult']): boolean {
  return lastResult?.ok === false && lastResult.error.code === 'printer-unreachable'
}

/** Whether a label is in a language that its printer does not read. The printer takes others. */
function isOtherLanguage({ code }: AppError): boolean {
  return code === 'label-in-other-language' || code === 'printer-takes-no-zpl'
}

/** What an outcome shows of the printer; undefined when it shows nothing, such as when the label is defective. */
function toResult(outcome: PrintOutcome): KnownStatus['lastResult'] {
  switch (outcome.kind) {
    case 'done':
    case 'handed-over':
      return { ok: true }
    case 'failed': {
      const { error } = outcome
      const isAboutLabel = isLabelDefect(error) || needsChoice(error) || isOtherLanguage(error)
      return isAboutLabel ? undefined : { ok: false, error }
    }
    case 'unconfirmed':
      return { ok: false, error: outcome.error }
    default:
      return undefined
  }
}
