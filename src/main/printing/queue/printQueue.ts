import { type PrinterStatus, type PrintJob, printJobStates } from '../../../shared/printing'
import { ok, type Result } from '../../../shared/result'
import { rest } from '../../lib/async'
import type { EventBus } from '../../lib/eventBus'
import { inTime } from '../../lib/retry'
import { toReason } from '../../lib/toReason'
import type { Log } from '../../log/log'
import { getDriver, type PrinterDrivers, type PrintOutcome } from '../drivers/driver'
import type { LabelSource, PrintableLabel } from '../printableLabel'
import { createJobActions, type JobActionsDeps } from './jobActions'
import { PrinterQueue } from './printerQueue'
import type { PausedPrinterRepository } from './printerRepository'
import {
  isOutdated,
  type PrintJobDeps,
  type PrintSubject,
  prepareJob,
  printJob,
  toUnconfirmedError,
} from './printJob'
import { announceChanges } from './repository'
import { findPrinter } from './routing'

const defaultPollMs = 15_000
const retryMs = 1000
const maxStopMs = 2000

export interface PrintQueueDeps
  extends Omit<JobActionsDeps, 'stopSending' | 'withdraw' | 'wake' | 'bus' | 'currentOperator'> {
  paused: PausedPrinterRepository
  drivers: PrinterDrivers
  log: Log
  now(): Date
  /** The name of the operator who is signed in; null when nobody is, which is the default. */
  currentOperator?(): string | null
  /** Receives every new or changed job after it is stored, and every change of a printer's status. */
  bus: EventBus
  /** Between two status polls of an idle printer, in milliseconds. */
  pollEveryMs?: number
}

export type PrintQueue = ReturnType<typeof createPrintQueue>

/**
 * Prints stored jobs: for each printer one job at a time, oldest first; printers work in parallel. A job whose bytes
 * may have arrived is never sent again automatically. Nothing is printed before `start`.
 *
 * `startNextJobs` picks the oldest job of each free printer; `printJob` has its label drawn, claimed, sent and recorded.
 */
export function createPrintQueue(deps: PrintQueueDeps) {
  const { settings, drivers, bus, log } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  const jobs = announceChanges(deps.jobs, bus)
  const fresh = new FreshLabels(deps.labels)
  const isPaused = (printerId: string) => getQueue(printerId).isPaused
  const printing: PrintJobDeps = { ...deps, jobs, labels: fresh, isPaused, signal }
  const queues = new Map<string, PrinterQueue>()
  /** Jobs that this process works on. In the database they stay `queued` until bytes may leave. */
  const startedJobIds = new Set<string>()
  /** Started jobs whose driver can cancel them. */
  const cancellable = new Map<
    string,
    { subject: PrintSubject; cancelling: AbortController; ended: Promise<unknown> }
  >()
  let isStarted = false
  let isStartingJobs = false
  let hasChanged = false

  /** Starts the oldest queued job of each free printer, and reads the queues again while something has changed. */
  async function startNextJobs(): Promise<void> {
    isStartingJobs = true
    while (hasChanged && !signal.aborted) {
      hasChanged = false
      try {
        // A job that ends during the read is still left out of it: its printer must not start a later one.
        const occupied = new Set([...queues.values()].filter((queue) => !queue.isFree()))
        const waiting = await jobs.listQueues([...startedJobIds])
        const before = new Map([...queues].map(([printerId, queue]) => [printerId, queue.waitingJobs]))
        for (const queue of queues.values()) queue.waitingJobs = 0
        for (const { next, count } of waiting) {
          const queue = getQueue(next.printerId)
          queue.waitingJobs = count
          const isFree = queue.isFree() && !occupied.has(queue)
          if (signal.aborted || !isFree || isHeld(next.printerId, queue)) continue
          queue.waitingJobs -= 1
          startedJobIds.add(next.id)
          queue.run((allowNextJob) => runJob(next, allowNextJob))
        }
        // The jobs' own events came before these counts.
        const hasNewCount = [...queues].some(
          ([printerId, queue]) => queue.waitingJobs !== (before.get(printerId) ?? 0),
        )
        if (hasNewCount) bus.emit('statusOutdated')
      } catch (error) {
        log.error('the print queues could not be read; trying again', { reason: toReason(error) })
        hasChanged = true
        await pauseBeforeRetry()
      }
    }
    isStartingJobs = false
  }

  /** A printer that was removed from the settings can't be resumed: its jobs are started, and fail. */
  const isHeld = (printerId: string, queue: PrinterQueue) =>
    queue.isPaused && settings.current().printers.some(({ id }) => id === printerId)

  /** Prints a job and waits, if it is still queued afterwards, until it is to be tried again. Never rejects. */
  async function runJob(job: PrintJob, allowNextJob: () => void): Promise<void> {
    const { id } = job
    // Subscribes before the job starts: a person may cancel it at any moment.
    const end = nextChange(
      (changed) => changed.id === id && !printJobStates.underWay.includes(changed.state),
      bus,
      signal,
    )
    try {
      // The printer stays occupied until the retry, so that its jobs keep their order.
      const queue = getQueue(job.printerId)
      const isRetried =
        (await printCancellableJob(job, allowNextJob)) === 'retry' &&
        (await waitForRetry(end.happened, queue))
      if (!isRetried && queue.clearNote()) bus.emit('statusOutdated')
    } catch (error) {
      log.error('a print job could not be started; trying again', { jobId: id, reason: toReason(error) })
      await pauseBeforeRetry()
    } finally {
      end.stop()
      startedJobIds.delete(id)
    }
  }

  /** Prints a job, which a person may cancel meanwhile. Throws only while nothing was sent; the job is then still queued. */
  async function printCancellableJob(job: PrintJob, allowNextJob: () => void): Promise<'ended' | 'retry'> {
    const rules = getRules()
    const subject = await prepareJob(job, getQueue(job.printerId), printing)
    if (subject === undefined) return 'ended'
    const cancelling = new AbortController()
    const ended = printJob(subject, { cancelled: cancelling.signal, allowNextJob }, printing)
    if (drivers[subject.printer.driver].cancellable) cancellable.set(job.id, { subject, cancelling, ended })
    const end = await ended.finally(() => cancellable.delete(job.id))
    // The job may wait for a choice that a person made while it was drawn.
    if (getRules() !== rules) await releaseWaiting()
    return end
  }

  /** The settings that decide whether a label waits for a choice. */
  const getRules = () => {
    const { printers, routing, labelRules } = settings.current()
    return JSON.stringify([printers, routing, labelRules])
  }
  let lastRules: string | undefined

  const releaseWaiting = () =>
    actions
      .releaseWaiting()
      .catch((error: unknown) =>
        log.error('the jobs that wait for a choice could not be queued again', { reason: toReason(error) }),
      )

  const wake = () => {
    hasChanged = true
    if (isStarted && !isStartingJobs && !signal.aborted) void startNextJobs()
  }

  function getQueue(printerId: string): PrinterQueue {
    const queue = queues.get(printerId) ?? new PrinterQueue(wake)
    queues.set(printerId, queue)
    return queue
  }

  /** Polls idle printers, so that one that is off or open is noticed before an order is packed. */
  async function pollIdlePrinters(): Promise<void> {
    while (!signal.aborted) {
      for (const printer of settings.current().printers) {
        getQueue(printer.id)
          .poll(() => getDriver(drivers, printer).pollStatus(signal), signal)
          .then((hasNewStatus) => (hasNewStatus ? bus.emit('statusOutdated') : undefined))
          .catch(() => undefined)
      }
      await rest(deps.pollEveryMs ?? defaultPollMs, { signal, ref: false })
    }
  }

  /** Waits until the printer is to be tried again. @returns false when the job has ended meanwhile */
  async function waitForRetry(ended: Promise<void>, queue: PrinterQueue): Promise<boolean> {
    const waiting = new AbortController()
    const stop = AbortSignal.any([signal, waiting.signal])
    const delay = rest(queue.getRetryDelayMs(), { signal: stop })
    const isDue = await Promise.race([delay.then(() => true), ended.then(() => false)])
    waiting.abort()
    return isDue
  }

  const pauseBeforeRetry = () => rest(retryMs, { signal })

  const actions = createJobActions({
    ...deps,
    jobs,
    currentOperator: () => deps.currentOperator?.() ?? null,
    wake,
    async stopSending(jobId) {
      const started = cancellable.get(jobId)
      started?.cancelling.abort()
      await started?.ended
      return started !== undefined
    },
    async withdraw({ id, printerId }) {
      const printer = findPrinter(settings.current().printers, printerId)
      if (printer.ok) return getDriver(drivers, printer.value).withdraw(id)
      return (await drivers.system.withdraw?.(id, undefined)) ?? true
    },
  })

  /** Starts unsent jobs again, such as one that waits for a person at its printer, whose settings have changed. */
  const restartOutdated = () => {
    for (const { subject, cancelling } of cancellable.values()) {
      if (!subject.record.mayHaveSent() && isOutdated(subject, printing)) cancelling.abort()
    }
  }

  const unsubscribe = bus.on('settingsChanged', () => {
    restartOutdated()
    wake()
    const rules = getRules()
    if (rules !== lastRules) void releaseWaiting()
    lastRules = rules
  })

  return {
    ...actions,
    /** The stored jobs; it emits an event for each change. */
    jobs,

    /**
     * Call it when another part of the app has stored jobs.
     * @param labels are printed from memory: their first jobs do not read them from the disk again
     */
    wake(labels: readonly PrintableLabel[] = []) {
      fresh.add(labels)
      wake()
    },

    /** Call it when another part of the app has cancelled unsent jobs: it announces them and frees their printers. */
    async noteCancelled(jobIds: readonly string[]) {
      for (const jobId of jobIds) {
        cancellable.get(jobId)?.cancelling.abort()
        const job = await jobs.find(jobId)
        if (job !== undefined) bus.emit('printJobChanged', job)
      }
      wake()
    },

    /** Resumes the jobs of the last run: jobs in `sending` become unconfirmed, queued ones are printed. */
    async start() {
      for (const printerId of await deps.paused.list()) getQueue(printerId).isPaused = true
      for (const job of await jobs.listInStates(['sending'])) {
        await jobs.change(job.id, ['sending'], {
          state: 'unconfirmed',
          note: null,
          error: toUnconfirmedError(job, 'closed'),
        })
      }
      isStarted = true
      wake()
      void pollIdlePrinters()
    },

    /**
     * Resolves with the jobs of a shipment's labels when each has ended or waits for a person; earlier when the signal
     * is aborted or the queue stops. It does not wait for invoices.
     */
    async whenJobsEnded(shipmentId: string, waiting?: AbortSignal): Promise<PrintJob[]> {
      const stopped = waiting === undefined ? signal : AbortSignal.any([waiting, signal])
      for (;;) {
        // Subscribes before it reads, so that no change between the two is missed.
        const change = nextChange((job) => job.shipmentId === shipmentId, bus, stopped)
        try {
          const own = (await jobs.listByShipment(shipmentId)).filter(({ document }) => document === 'label')
          if (stopped.aborted || own.every(({ state }) => !printJobStates.underWay.includes(state)))
            return own
          await change.happened
        } finally {
          change.stop()
        }
      }
    },

    /** Pauses or resumes a printer's queue, durably. A job that is being sent is finished. */
    async pause(printerId: string, paused: boolean) {
      await deps.paused.set(printerId, paused)
      getQueue(printerId).isPaused = paused
      // It may be the standby of labels that wait at another printer.
      restartOutdated()
      wake()
    },

    /**
     * Runs other work on a printer between two of its jobs. The signal that the work gets is aborted when the app closes.
     * @returns undefined, with nothing run, when its running jobs take longer than `maxWaitMs`
     */
    runBetweenJobs: <T>(printerId: string, work: (closing: AbortSignal) => Promise<T>, maxWaitMs: number) =>
      getQueue(printerId).runBetweenJobs(() => work(signal), maxWaitMs),

    /** Updates a printer's status with the outcome of a label that is no job, such as a test label. */
    noteOutcome(printerId: string, outcome: PrintOutcome): void {
      getQueue(printerId).noteOutcome(outcome)
      bus.emit('statusOutdated')
    },

    listStatuses: (): PrinterStatus[] =>
      settings.current().printers.map((printer) => getQueue(printer.id).toStatus(printer)),

    /** Starts no more jobs; resolves within 2 s. The next start makes a job that is still being sent unconfirmed. */
    async stop() {
      stopping.abort()
      unsubscribe()
      await inTime(Promise.all([...queues.values()].map((queue) => queue.whenIdle())), maxStopMs)
    },
  }
}

/** The maximum size of the labels in memory that wait for their first job. */
const maxFreshBytes = 16 * 1024 * 1024

/**
 * A cache in front of the stored labels: a new label comes from memory once, so that its first job does not read the
 * file that was written a moment ago.
 */
export class FreshLabels {
  private readonly fresh = new Map<string, PrintableLabel>()
  private freshBytes = 0

  constructor(private readonly stored: Pick<LabelSource, 'find'>) {}

  /** Keeps labels for their first jobs; drops the oldest above 16 MB. */
  add(labels: readonly PrintableLabel[]): void {
    for (const label of labels) {
      this.take(label.labelId)
      this.fresh.set(label.labelId, label)
      this.freshBytes += label.bytes.length
    }
    for (const labelId of this.fresh.keys()) {
      if (this.freshBytes <= maxFreshBytes) return
      this.take(labelId)
    }
  }

  async find(labelId: string): Promise<Result<PrintableLabel>> {
    const label = this.take(labelId)
    return label === undefined ? this.stored.find(labelId) : ok(label)
  }

  private take(labelId: string): PrintableLabel | undefined {
    const label = this.fresh.get(labelId)
    this.fresh.delete(labelId)
    this.freshBytes -= label?.bytes.length ?? 0
    return label
  }
}

/** Resolves at the next change of a job that `isWanted` accepts, or when the signal is aborted. */
function nextChange(isWanted: (job: PrintJob) => boolean, bus: EventBus, signal: AbortSignal) {
  let end = () => {}
  const happened = new Promise<void>((resolve) => {
    end = resolve
  })
  const unsubscribe = bus.on('printJobChanged', (job) => {
    if (isWanted(job)) end()
  })
  signal.addEventListener('abort', end, { once: true })
  const stop = () => {
    unsubscribe()
    signal.removeEventListener('abort', end)
  }
  return { happened, stop }
}
