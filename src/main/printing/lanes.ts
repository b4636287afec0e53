import { setTimeout as pause } from 'node:timers/promises'
import type { PrintJob } from '../../shared/printing'
import type { PrintJobStore } from './ports'

const retryMs = 1000
const longestStopMs = 2000

/** One lane for each printer: jobs of a printer go one after the other, printers side by side. */
export interface Lanes {
  /** Looks for queued jobs and begins those whose printer is free. */
  wake(): void
  /** How many queued jobs wait for a printer, as of the last look. */
  waitingJobs(printerId: string): number
  /** Does something else on a printer when it is free, in turn with its jobs. */
  between<T>(printerId: string, work: () => Promise<T>): Promise<T>
  /** Begins nothing more and waits up to 2 s for what is under way. */
  stop(): Promise<void>
}

/** What lanes work with. */
export interface LanesOptions {
  jobs: Pick<PrintJobStore, 'inStates'>
  /** Does one job; throws only while it could not be begun, e.g. because the store fails. */
  run(job: PrintJob): Promise<void>
  /** Printers whose jobs wait because a person wants it. */
  isPaused(printerId: string): boolean
  /** Aborted by `stop`. */
  stopping: AbortController
  onTrouble(error: unknown): void
}

/** Starts with all lanes free and nothing looked up. */
export function createLanes({ jobs, run, isPaused, stopping, onTrouble }: LanesOptions): Lanes {
  const { signal } = stopping
  const running = new Map<string, Promise<void>>()
  let queued: PrintJob[] = []
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
        queued = await jobs.inStates(['queued'])
        beginFree()
      } catch (error) {
        onTrouble(error)
        lookAgain = true
        await rest()
      }
    }
    looking = false
  }

  function beginFree(): void {
    const begun = queued.filter((job) => {
      if (signal.aborted || running.has(job.printerId) || isPaused(job.printerId)) return false
      running.set(job.printerId, inLane(job))
      return true
    })
    queued = queued.filter((job) => !begun.includes(job))
  }

  async function inLane(job: PrintJob): Promise<void> {
    try {
      await run(job)
    } catch (error) {
      // The job is still queued. The lane stays taken, so that jobs keep their order.
      onTrouble(error)
      await rest()
    } finally {
      running.delete(job.printerId)
      wake()
    }
  }

  const rest = () => pause(retryMs, undefined, { signal }).catch(() => undefined)

  return {
    wake,
    async between(printerId, work) {
      while (running.has(printerId)) await running.get(printerId)
      const worked = work()
      running.set(
        printerId,
        worked.then(
          () => undefined,
          () => undefined,
        ),
      )
      return worked.finally(() => {
        running.delete(printerId)
        wake()
      })
    },
    waitingJobs: (printerId) => queued.filter((job) => job.printerId === printerId).length,
    async stop() {
      stopping.abort()
      const waited = new AbortController()
      await Promise.race([
        Promise.allSettled(running.values()),
        pause(longestStopMs, undefined, { signal: waited.signal }).catch(() => undefined),
      ])
      waited.abort()
    },
  }
}
