import { randomUUID } from 'node:crypto'
import { appError } from '../../../shared/errors'
import type { LabelRules } from '../../../shared/labels'
import type { Printer, PrinterStatus, PrintJob, RoutingRule } from '../../../shared/printing'
import type { EventBus } from '../../lib/eventBus'
import { toReason } from '../../lib/toReason'
import type { Log } from '../../log/log'
import type { PrinterDrivers } from '../drivers/driver'
import type { InvoiceSource, LabelSource } from '../printableLabel'
import type { Rasterizer } from '../raster/rasterizer'
import { createEndedJobs } from './endedJobs'
import { createIdleLooks } from './idleLooks'
import type { JobActions } from './jobActions'
import { createJobActions } from './jobActions'
import { createJobRunner } from './jobRunner'
import { createPrinterQueues } from './printerQueues'
import { createPrinterStates } from './printerStates'
import type { PausedPrinters, PrintJobRepository } from './repository'
import { announceChanges } from './repository'

const usualLookMs = 15_000

/** What the print queue works with. */
export interface PrintQueueDeps {
  jobs: PrintJobRepository
  labels: LabelSource
  invoices: InvoiceSource
  /** The printers of the settings as they are now. */
  printers(): Printer[]
  /** The routing rules of the settings as they are now. */
  routing(): RoutingRule[]
  /** What a person decided once about labels, as it is now. */
  labelRules(): LabelRules
  paused: PausedPrinters
  drivers: PrinterDrivers
  /** The sizes of a label's pages. */
  measure: Rasterizer['measure']
  log: Log
  now(): Date
  /** The name of the operator who is signed in; null when nobody is, as by default. */
  currentOperator?(): string | null
  /** Is told of every new or changed job once it is stored, and of a printer that is found in another state. */
  bus: Pick<EventBus, 'emit'>
  /** Between two looks at a printer that has nothing to print. */
  lookEveryMs?: number
}

/**
 * Brings stored labels to printers: one job at a time for each printer in the order in which they were made, printers
 * side by side. A job whose bytes may have arrived is never sent again by itself.
 */
export interface PrintQueue extends JobActions {
  /** Takes up the jobs of the last run: those that were being sent become unconfirmed, those queued go on. */
  start(): Promise<void>
  /** Jobs were stored elsewhere. */
  wake(): void
  /** A shipment's jobs once nothing more happens to them by itself; as they are, when the signal is aborted. */
  whenJobsEnded(shipmentId: string, signal?: AbortSignal): Promise<PrintJob[]>
  /** Lets a printer's jobs wait, or go on; kept over a restart. What is being sent is finished. */
  pause(printerId: string, paused: boolean): Promise<void>
  /** Does something else on a printer when it is free, in turn with its jobs. */
  between<T>(printerId: string, work: () => Promise<T>): Promise<T>
  /** What is known of each printer now. */
  statuses(): PrinterStatus[]
  /** Begins nothing more; resolves within 2 s. What was being sent by then is unconfirmed. */
  stop(): Promise<void>
}

/** Makes a queue that stands still until `start`. */
export function createPrintQueue(deps: PrintQueueDeps): PrintQueue {
  const { labels, invoices, printers, routing, labelRules, drivers, log } = deps
  const stopping = new AbortController()
  const states = createPrinterStates()
  const endedJobs = createEndedJobs(deps.jobs)
  const jobs = announceChanges(deps.jobs, (job) => {
    endedJobs.announce(job)
    deps.bus.emit('printJobChanged', job)
  })
  const shared = {
    jobs,
    labels,
    invoices,
    printers,
    routing,
    labelRules,
    measure: deps.measure,
    newId: randomUUID,
  }
  const runner = createJobRunner({
    ...shared,
    drivers,
    states,
    signal: stopping.signal,
    log,
    now: deps.now,
  })
  const paused = new Set<string>()
  const queues = createPrinterQueues({
    jobs,
    run: (job, roomForNext) => runner.run(job, roomForNext),
    isPaused: (printerId) => paused.has(printerId),
    stopping,
    onError: (error) =>
      log.error('print jobs could not be read or begun', {
        reason: toReason(error),
      }),
  })
  const lookAtIdle = createIdleLooks({
    ...{ printers, drivers, states, signal: stopping.signal },
    isWanted: (printerId) => queues.waitingJobs(printerId) > 0,
    onChange: () => deps.bus.emit('statusOutdated'),
  })
  let started = false
  const wake = () => {
    if (started) queues.wake()
  }

  return {
    ...createJobActions({
      ...shared,
      runner,
      wake,
      currentOperator: () => deps.currentOperator?.() ?? null,
      // No job of it is made, because no document printer is chosen.
      onInvoiceRefused: (refusal) => deps.bus.emit('invoicePrinted', { ...refusal, printer: null }),
    }),
    wake,
    async start() {
      for (const printerId of await deps.paused.list()) paused.add(printerId)
      for (const job of await jobs.inStates(['sending'])) {
        await jobs.change(job.id, ['sending'], { state: 'unconfirmed', note: null, error: interrupted(job) })
      }
      started = true
      queues.wake()
      void lookAtIdle(deps.lookEveryMs ?? usualLookMs)
    },
    whenJobsEnded: (shipmentId, signal) => endedJobs.wait(shipmentId, signal),
    async pause(printerId, pausing) {
      await deps.paused.set(printerId, pausing)
      if (pausing) paused.add(printerId)
      else paused.delete(printerId)
      wake()
    },
    between: (printerId, work) => queues.between(printerId, work),
    statuses: () =>
      printers().map((printer) =>
        states.toStatus(printer, {
          waitingJobs: queues.waitingJobs(printer.id),
          paused: paused.has(printer.id),
        }),
      ),
    async stop() {
      await queues.stop()
      endedJobs.stop()
    },
  }
}

function interrupted(job: PrintJob) {
  return appError('print-unconfirmed', { case: 'closed', printer: job.printerName })
}
