import { setTimeout as pause } from 'node:timers/promises'
import type { PrintJob } from '../../../shared/printing'
import type { PrintJobRepository } from './repository'

const retryMs = 1000
const maxStopMs = 2000

/** One queue for each printer: jobs of a printer go one after the other, printers side by side. */
export interface PrinterQueues {
  /** Looks for queued jobs and begins those whose printer is free. */
  wake(): void
  /** How many queued jobs wait for a printer, as of the last look. */
  waitingJobs(printerId: string): number
  /** Does something else on a printer when it is free, in turn with its jobs. */
  between<T>(printerId: string, work: () => Promise<T>): Promise<T>
  /** Begins nothing more and waits up to 2 s for what is under way. */
  stop(): Promise<void>
}

/** What the queues work with. */
export interface PrinterQueuesDeps {
  jobs: Pick<PrintJobRepository, 'listQueues'>
  /**
   * Does one job; throws only while it could not be begun, e.g. because the store fails.
   * @param roomForNext the printer takes its next job while this one ends
   * @returns `again` when the job is still queued and is to be tried again
   */
  run(job: PrintJob, roomForNext: () => void): Promise<'ended' | 'again'>
  /** Printers whose jobs wait because a person wants it. */
  isPaused(printerId: string): boolean
  /** Aborted by `stop`. */
  stopping: AbortController
  onError(error: unknown): void
}

/** Starts with all printers free and nothing looked up. */
export function createPrinterQueues({
  jobs,
  run,
  isPaused,
  stopping,
  onError,
}: PrinterQueuesDeps): PrinterQueues {
  const { signal } = stopping
  /** Printers that take no job now. */
  const taken = new Set<string>()
  const running = new Map<string, Set<Promise<void>>>()
  /** Jobs that were begun; they are queued in the store until bytes may leave. */
  const underWay = new Set<string>()
  /** Other work on printers, the last of each. */
  const otherWork = new Map<string, Promise<void>>()
  let waiting = new Map<string, number>()
  let looking = false
  let lookAgain = false

  const wake = () => {
    lookAgain = true
    if (!looking && !signal.aborted) void look()
  }

  async function look(): Promise<void> {
    looking = true
    while (lookAgain && !signal.aborted) {
      lookAgain = false
      try {
        const queues = await jobs.listQueues([...underWay])
        waiting = new Map(queues.map(({ next, count }) => [next.printerId, count]))
        for (const { next, count } of queues) {
          if (!takesJob(next.printerId)) continue
          waiting.set(next.printerId, count - 1)
          taken.add(next.printerId)
          follow(next.printerId, runOn(next))
        }
      } catch (error) {
        onError(error)
        lookAgain = true
        await rest()
      }
    }
    looking = false
  }

  function takesJob(printerId: string): boolean {
    return !(signal.aborted || taken.has(printerId) || isPaused(printerId) || otherWork.has(printerId))
  }

  async function runOn(job: PrintJob): Promise<void> {
    let isTaken = true
    const release = () => {
      if (!isTaken) return
      isTaken = false
      taken.delete(job.printerId)
      wake()
    }
    underWay.add(job.id)
    try {
      // The printer stays taken while a job that is still queued rests, so that jobs keep their order.
      if ((await run(job, release)) === 'again') await rest()
    } catch (error) {
      onError(error)
      await rest()
    } finally {
      underWay.delete(job.id)
      release()
      wake()
    }
  }

  function follow(printerId: string, work: Promise<void>): void {
    const all = running.get(printerId) ?? new Set()
    running.set(printerId, all.add(work))
    void work.finally(() => {
      all.delete(work)
      if (all.size === 0) running.delete(printerId)
    })
  }

  const rest = () => pause(retryMs, undefined, { signal }).catch(() => undefined)

  return {
    wake,
    async between(printerId, work) {
      // Whoever asks is next: no job begins until the work is done.
      const before = otherWork.get(printerId) ?? Promise.resolve()
      const worked = before.then(async () => {
        await Promise.all(running.get(printerId) ?? [])
        return work()
      })
      const over = worked.then(
        () => undefined,
        () => undefined,
      )
      otherWork.set(printerId, over)
      return worked.finally(() => {
        if (otherWork.get(printerId) === over) otherWork.delete(printerId)
        wake()
      })
    },
    waitingJobs: (printerId) => waiting.get(printerId) ?? 0,
    async stop() {
      stopping.abort()
      const waited = new AbortController()
      await Promise.race([
        Promise.allSettled([...[...running.values()].flatMap((works) => [...works]), ...otherWork.values()]),
        pause(maxStopMs, undefined, { signal: waited.signal }).catch(() => undefined),
      ])
      waited.abort()
    },
  }
}
