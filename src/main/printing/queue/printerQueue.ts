import { setTimeout as pause } from 'node:timers/promises'
import type { AppError } from '../../../shared/errors'
import type { PrintNote } from '../../../shared/printerRemarks'
import { getPrinterName, type Printer, type PrinterStatus } from '../../../shared/printing'
import type { PrinterLook, PrintOutcome } from '../drivers/driver'
import { isLabelsError, needsChoice, triesAgain, waitsForPrinter } from './jobRecord'

/** An idle printer that is away or gives no answer may only serve another station at this moment. */
const lookAgainMs = 1000

/** Before a job that waits for its printer is tried again: twice as long each time. */
const firstRestMs = 1000
const maxRestMs = 8000

/** What is known of a printer. */
interface Seen {
  note: PrintNote | null
  /** How the last job went; undefined before the first. */
  last: { ok: true } | { ok: false; error: AppError } | undefined
}

/** One printer in the queue: whether it takes a job, what else waits for it, and how it is. */
export class PrinterQueue {
  /** Its jobs wait because a person wants it. */
  isPaused = false
  /** Queued jobs that were not begun, as of the last look into the store. */
  waitingJobs = 0
  private isTaken = false
  private isLookedAt = false
  /** Jobs at the printer: a second one may come while the first one ends. */
  private jobsInside = 0
  private readonly underWay = new Set<Promise<void>>()
  /** Work besides jobs, the last of it. */
  private otherWork: Promise<void> | undefined
  private seen: Seen = { note: null, last: undefined }
  /** Tries since it last took a job. */
  private triesInVain = 0

  /** @param onFree called whenever the next job may begin */
  constructor(private readonly onFree: () => void) {}

  /** Whether it takes a job now. */
  isFree(): boolean {
    return !this.isTaken && !this.isPaused && this.otherWork === undefined
  }

  /**
   * Gives the printer to a job until that has ended.
   * @param work never rejects; it may make room for the next job before it ends
   */
  take(work: (makeRoom: () => void) => Promise<void>): void {
    let isHeld = true
    this.isTaken = true
    const makeRoom = () => {
      if (isHeld) this.isTaken = false
      isHeld = false
      this.onFree()
    }
    const ended = work(makeRoom).finally(() => {
      this.underWay.delete(ended)
      makeRoom()
    })
    this.underWay.add(ended)
  }

  /** Does something else when the printer is free. Whoever asks is next: no job begins until it is done. */
  async between<T>(work: () => Promise<T>): Promise<T> {
    const before = this.otherWork ?? Promise.resolve()
    const worked = before.then(async () => {
      await Promise.all(this.underWay)
      return work()
    })
    const over = worked.then(
      () => undefined,
      () => undefined,
    )
    this.otherWork = over
    return worked.finally(() => {
      if (this.otherWork === over) this.otherWork = undefined
      this.onFree()
    })
  }

  /** Resolves when nothing of what was begun goes on. */
  async whenIdle(): Promise<void> {
    await Promise.allSettled([...this.underWay, this.otherWork])
  }

  /** A job is at the printer from now on. */
  jobBegan(): void {
    this.jobsInside += 1
  }

  /** What the job at the printer waits for. */
  jobWaits(note: PrintNote | null): void {
    this.seen.note = note
  }

  /** How a job went, which says something of the printer as well. */
  jobEnded(outcome: PrintOutcome): void {
    this.jobsInside -= 1
    const waits = outcome.kind === 'failed' && waitsForPrinter(outcome)
    this.triesInVain = waits ? this.triesInVain + 1 : 0
    this.seen.note = waits ? triesAgain(outcome.error) : null
    this.learn(outcome)
  }

  /** How a label went that was printed in between. */
  learn(outcome: PrintOutcome): void {
    this.seen.last = toLesson(outcome) ?? this.seen.last
  }

  /** How long a job rests that is to be tried again, in milliseconds. */
  getRestMs(): number {
    return Math.min(maxRestMs, firstRestMs * 2 ** Math.max(0, this.triesInVain - 1))
  }

  /**
   * Looks how the printer is, unless a job is there or comes soon, which sees more.
   * @param ask holds the printer's connection for a moment only; it may wait for a job of another entry for the printer
   * @returns whether the printer is found in another state than before
   */
  async look(ask: () => Promise<PrinterLook | undefined>, signal: AbortSignal): Promise<boolean> {
    if (this.isLookedAt || this.jobsInside > 0 || this.waitingJobs > 0) return false
    this.isLookedAt = true
    try {
      let found = await ask()
      if (found?.kind === 'away' || found?.kind === 'mute') {
        await pause(lookAgainMs, undefined, { signal, ref: false }).catch(() => undefined)
        found = await ask()
      }
      if (found === undefined || signal.aborted || this.jobsInside > 0) return false
      const before = JSON.stringify(this.getState())
      this.seen = learnFrom(found, this.seen)
      return JSON.stringify(this.getState()) !== before
    } finally {
      this.isLookedAt = false
    }
  }

  /** What is known of the printer; one that is paused is so whatever else is the matter. */
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
    const { note, last } = this.seen
    if (note !== null) return { state: 'error', note, error: null }
    if (this.jobsInside > 0) return { state: 'busy', note, error: null }
    if (last === undefined) return { state: 'unknown', note, error: null }
    return last.ok ? { state: 'ready', note, error: null } : { state: 'error', note, error: last.error }
  }
}

function learnFrom(look: PrinterLook, { note, last }: Seen): Seen {
  switch (look.kind) {
    case 'away':
      return { note: null, last: { ok: false, error: look.error } }
    case 'tells':
      return {
        note: look.says.length > 0 ? { code: 'printer-reports', says: look.says } : null,
        last: { ok: true },
      }
    case 'there':
      return { note: null, last: last ?? { ok: true } }
    case 'silent':
      return { note: null, last: wasAway(last) ? undefined : last }
    case 'mute':
      // It may have been opened since it was ready; what it needed it may need still.
      return {
        note: note?.code === 'printer-reports' ? note : null,
        last: last?.ok === true || wasAway(last) ? undefined : last,
      }
  }
}

function wasAway(last: Seen['last']): boolean {
  return last?.ok === false && last.error.code === 'printer-unreachable'
}

/** What an outcome says of the printer; undefined when it says nothing, such as when the label is to blame. */
function toLesson(outcome: PrintOutcome): Seen['last'] {
  switch (outcome.kind) {
    case 'done':
    case 'handed-over':
      return { ok: true }
    case 'failed': {
      const { error } = outcome
      const isOfLabel = isLabelsError(error) || needsChoice(error) || error.code === 'label-in-other-language'
      return isOfLabel ? undefined : { ok: false, error }
    }
    case 'unconfirmed':
      return { ok: false, error: outcome.error }
    default:
      return undefined
  }
}
