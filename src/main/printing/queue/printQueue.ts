import { setTimeout as pause } from 'node:timers/promises'
import { appError } from '../../../shared/errors'
import type { BarcodeProof, LabelFinding } from '../../../shared/labels'
import type { PrintNote } from '../../../shared/printerRemarks'
import type { Printer, PrinterStatus, PrintJob, PrintJobState } from '../../../shared/printing'
import { ok, type Result } from '../../../shared/result'
import type { EventBus } from '../../lib/eventBus'
import { inTime } from '../../lib/retry'
import { toReason } from '../../lib/toReason'
import type { Log } from '../../log/log'
import { driverFor, nothingPrinted, type PrinterDrivers, type PrintOutcome } from '../drivers/driver'
import { refuseMissingStock } from '../layout/labelLayout'
import { FreshLabels, type PrintableLabel } from '../printableLabel'
import { findZplSize } from '../raster/carrierZpl'
import { createJobActions, type JobActionsDeps } from './jobActions'
import { JobRecord, waitsForPrinter } from './jobRecord'
import { checkLosses, checkZplCommands } from './labelConsents'
import { PrinterQueue } from './printerQueue'
import type { PausedPrinters } from './printerRepository'
import { announceChanges } from './repository'
import { findPrinter, planSuccession, standbyPrinter, withPrintMode } from './routing'

const usualLookMs = 15_000
const retryMs = 1000
const maxStopMs = 2000
const underWayStates: readonly PrintJobState[] = ['queued', 'sending']

export interface PrintQueueDeps
  extends Omit<JobActionsDeps, 'stopSending' | 'wake' | 'bus' | 'currentOperator'> {
  paused: PausedPrinters
  drivers: PrinterDrivers
  log: Log
  now(): Date
  /** The name of the operator who is signed in; null when nobody is, as by default. */
  currentOperator?(): string | null
  /** Hears every new or changed job once it is stored, and a printer that is found in another state. */
  bus: EventBus
  /** Between two looks at a printer that has nothing to print. */
  lookEveryMs?: number
}

/** The queue that `createPrintQueue` makes. */
export type PrintQueue = ReturnType<typeof createPrintQueue>

/**
 * Brings stored labels to printers: one job at a time for each printer in the order in which they were made, printers
 * side by side. A job whose bytes may have arrived is never sent again by itself. It stands still until `start`.
 */
export function createPrintQueue(deps: PrintQueueDeps) {
  const { printers, drivers, bus, log } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  const jobs = announceChanges(deps.jobs, bus)
  const fresh = new FreshLabels(deps.labels)
  const printing: PrintingDeps = { ...deps, jobs, labels: fresh, signal }
  const queues = new Map<string, PrinterQueue>()
  /** Jobs that were begun; they are queued in the store until bytes may leave. */
  const begun = new Set<string>()
  /** Jobs whose driver can stop them. */
  const stoppable = new Map<string, { cancelling: AbortController; ended: Promise<unknown> }>()
  let isStarted = false
  let isLooking = false
  let lookAgain = false

  /** Brings one job to its end. It throws only while nothing was sent, and the job is still queued then. */
  async function printJob(job: PrintJob, makeRoom: () => void): Promise<'ended' | 'again'> {
    const found = await findPrinterAndLabel(job, printing)
    if (!found.ok) {
      await jobs.change(job.id, ['queued'], { state: 'failed', error: found.error })
      return 'ended'
    }
    const { printer, label } = found.value
    const record = new JobRecord(job, printing)
    const standby = findStandby(job, label, printing)
    const queue = getQueue(printer.id)
    const cancelling = new AbortController()
    const subject: PrintSubject = { job, printer, label, standby, record, queue }

    const bringToEnd = async (): Promise<'ended' | 'again'> => {
      const outcome = await drawClaimAndSend(subject, { cancelled: cancelling.signal, makeRoom }, printing)
      const succession = await planSuccession(subject, outcome, printing)
      await record.finish(outcome, succession)
      const isQueued = succession === undefined && (record.couldNotClaim() || waitsForPrinter(outcome))
      return isQueued ? 'again' : 'ended'
    }

    const ended = bringToEnd()
    if (drivers[printer.driver].cancellable) stoppable.set(job.id, { cancelling, ended })
    return ended.finally(() => stoppable.delete(job.id))
  }

  /** Begins the oldest job of each printer that is free, and looks again for as long as something has changed. */
  async function beginJobs(): Promise<void> {
    isLooking = true
    while (lookAgain && !signal.aborted) {
      lookAgain = false
      try {
        const waiting = await jobs.listQueues([...begun])
        for (const queue of queues.values()) queue.waitingJobs = 0
        for (const { next, count } of waiting) {
          const queue = getQueue(next.printerId)
          queue.waitingJobs = count
          if (signal.aborted || !queue.isFree()) continue
          queue.waitingJobs -= 1
          begun.add(next.id)
          queue.take((makeRoom) => tryJob(next, makeRoom))
        }
      } catch (error) {
        logError(error)
        lookAgain = true
        await rest()
      }
    }
    isLooking = false
  }

  async function tryJob(job: PrintJob, makeRoom: () => void): Promise<void> {
    // Listening begins before the job, which a person may cancel at any moment.
    const { id } = job
    const end = nextChange(
      (changed) => changed.id === id && !underWayStates.includes(changed.state),
      bus,
      signal,
    )
    try {
      // The printer stays taken while a job that is still queued rests, so that jobs keep their order.
      if ((await printJob(job, makeRoom)) === 'again') await restUntil(end.happened, getQueue(job.printerId))
    } catch (error) {
      logError(error)
      await rest()
    } finally {
      end.stop()
      begun.delete(id)
    }
  }

  const wake = () => {
    lookAgain = true
    if (isStarted && !isLooking && !signal.aborted) void beginJobs()
  }

  function getQueue(printerId: string): PrinterQueue {
    const queue = queues.get(printerId) ?? new PrinterQueue(wake)
    queues.set(printerId, queue)
    return queue
  }

  /** Looks at idle printers again and again, so that one that is off or open is seen before an order is packed. */
  async function lookAtIdlePrinters(): Promise<void> {
    while (!signal.aborted) {
      for (const printer of printers()) {
        getQueue(printer.id)
          .look(() => driverFor(drivers, printer).look(signal), signal)
          .then((isOther) => (isOther ? bus.emit('statusOutdated') : undefined))
          .catch(() => undefined)
      }
      await pause(deps.lookEveryMs ?? usualLookMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  /** Rests until a job's printer is to be tried again, or until the job has ended. */
  async function restUntil(ended: Promise<void>, queue: PrinterQueue): Promise<void> {
    const rested = new AbortController()
    const stop = AbortSignal.any([signal, rested.signal])
    await Promise.race([pause(queue.getRestMs(), undefined, { signal: stop }).catch(() => undefined), ended])
    rested.abort()
  }

  const rest = () => pause(retryMs, undefined, { signal }).catch(() => undefined)

  const logError = (error: unknown) =>
    log.error('print jobs could not be read or begun', { reason: toReason(error) })

  return {
    ...createJobActions({
      ...deps,
      jobs,
      currentOperator: () => deps.currentOperator?.() ?? null,
      wake,
      async stopSending(jobId) {
        stoppable.get(jobId)?.cancelling.abort()
        await stoppable.get(jobId)?.ended
      },
    }),

    /** Jobs were stored elsewhere; their labels need not be read again when they are handed over. */
    wake(labels: readonly PrintableLabel[] = []) {
      fresh.add(labels)
      wake()
    },

    /** Jobs of which nothing was sent were cancelled elsewhere: whoever watches is told, and their printers are free. */
    async noteCancelled(jobIds: readonly string[]) {
      for (const jobId of jobIds) {
        stoppable.get(jobId)?.cancelling.abort()
        const job = await jobs.find(jobId)
        if (job !== undefined) bus.emit('printJobChanged', job)
      }
      wake()
    },

    /** Takes up the jobs of the last run: those that were being sent become unconfirmed, those queued go on. */
    async start() {
      for (const printerId of await deps.paused.list()) getQueue(printerId).isPaused = true
      for (const job of await jobs.inStates(['sending'])) {
        await jobs.change(job.id, ['sending'], {
          state: 'unconfirmed',
          note: null,
          error: unconfirmed(job, 'closed'),
        })
      }
      isStarted = true
      wake()
      void lookAtIdlePrinters()
    },

    /**
     * The jobs of a shipment's labels once nothing more happens to them by itself; as they are, when the signal is aborted
     * or printing stops. An invoice holds up nobody.
     */
    async whenJobsEnded(shipmentId: string, waiting?: AbortSignal): Promise<PrintJob[]> {
      const ended = waiting === undefined ? signal : AbortSignal.any([waiting, signal])
      for (;;) {
        // Listening begins before reading, so that no change falls between the two.
        const change = nextChange((job) => job.shipmentId === shipmentId, bus, ended)
        try {
          const own = (await jobs.ofShipment(shipmentId)).filter(({ document }) => document === 'label')
          if (ended.aborted || own.every(({ state }) => !underWayStates.includes(state))) return own
          await change.happened
        } finally {
          change.stop()
        }
      }
    },

    /** Lets a printer's jobs wait, or go on; kept over a restart. What is being sent is finished. */
    async pause(printerId: string, paused: boolean) {
      await deps.paused.set(printerId, paused)
      getQueue(printerId).isPaused = paused
      wake()
    },

    /** Does something else on a printer when it is free, in turn with its jobs. */
    between: <T>(printerId: string, work: () => Promise<T>) => getQueue(printerId).between(work),

    /** Notes what became of a label that is no job: it says as much of the printer as a job's does. */
    noteOutcome(printerId: string, outcome: PrintOutcome): void {
      getQueue(printerId).learn(outcome)
      bus.emit('statusOutdated')
    },

    /** What is known of each printer now. */
    statuses: (): PrinterStatus[] => printers().map((printer) => getQueue(printer.id).toStatus(printer)),

    /** Begins nothing more; resolves within 2 s. What was being sent by then is unconfirmed. */
    async stop() {
      stopping.abort()
      await inTime(Promise.all([...queues.values()].map((queue) => queue.whenIdle())), maxStopMs)
    },
  }
}

interface PrintingDeps extends Omit<PrintQueueDeps, 'labels'> {
  labels: FreshLabels
  /** Aborted when the app closes. */
  signal: AbortSignal
}

/** A job with all that it is about. */
interface PrintSubject {
  job: PrintJob
  printer: Printer
  label: PrintableLabel
  /** Takes over when the printer can't print. */
  standby: Printer | undefined
  record: JobRecord
  queue: PrinterQueue
}

async function findPrinterAndLabel(
  { printerId, shipmentId, labelId, language }: PrintJob,
  { printers, labels, invoices }: PrintingDeps,
): Promise<Result<Pick<PrintSubject, 'printer' | 'label'>>> {
  const printer = findPrinter(printers(), printerId)
  if (!printer.ok) return printer
  const label =
    labelId === null ? await invoices.find(shipmentId, language ?? 'en') : await labels.find(labelId)
  return label.ok ? ok({ printer: withPrintMode(printer.value, printers()), label: label.value }) : label
}

/** The routing rules are about labels, and a label moves once. */
function findStandby(
  { document, kind, printerId }: PrintJob,
  { carrierOptionId }: PrintableLabel,
  { routing, printers }: PrintingDeps,
): Printer | undefined {
  if (document !== 'label' || kind === 'moved') return undefined
  return standbyPrinter(routing(), printers(), carrierOptionId, printerId)
}

/**
 * Has the printer's driver draw the label, claim the job right before the first byte, and send it. A driver that throws has
 * a bug, and may have printed before it once it claimed the job.
 */
async function drawClaimAndSend(
  { job, printer, label, standby, record, queue }: PrintSubject,
  { cancelled, makeRoom }: { cancelled: AbortSignal; makeRoom: () => void },
  { drivers, labelRules, signal, log }: PrintingDeps,
): Promise<PrintOutcome> {
  const rules = labelRules()
  let mayHaveSent = false
  const check = (findings: readonly LabelFinding[], barcodes?: BarcodeProof): Result<void> => {
    const onStock = refuseMissingStock(findings, printer)
    // An invoice is drawn by the app itself, and fails where there is no stock for it.
    if (job.document === 'invoice') return onStock
    if (barcodes !== undefined) record.proved(barcodes)
    const agreed = job.agreedLosses ?? []
    const checked = checkLosses(findings, { label, printer, consents: rules.losses, agreed })
    // The standby may have the stock, so nobody is asked.
    if (standby !== undefined && asksForStock(checked)) return onStock
    if (!checked.ok) {
      log.warn('a label waits because it would lose content', { jobId: job.id, ...checked.error.details })
    }
    return checked
  }
  const print = async (): Promise<PrintOutcome> => {
    if (label.kind === 'zpl') {
      const allowed = checkZplCommands(label, printer, rules.zplCommands)
      if (!allowed.ok) return nothingPrinted(allowed.error)
      const fits = check(findZplSize(label, printer))
      if (!fits.ok) return nothingPrinted(fits.error)
    }
    const context = {
      jobId: job.id,
      label,
      rules: job.document === 'label' ? rules.placements : [],
      ...(job.pages !== undefined && { range: job.pages }),
      hasStandby: standby !== undefined,
      check,
      progress(note: PrintNote | null) {
        queue.jobWaits(note)
        record.note(note)
      },
      async claim() {
        mayHaveSent = true
        const isClaimed = await record.claim()
        if (isClaimed) queue.jobWaits(null)
        return isClaimed
      },
      accepted: () => record.accepted(),
      roomForNext: makeRoom,
      cancelled,
    }
    return driverFor(drivers, printer).print(context, signal)
  }
  queue.jobBegan()
  const outcome = await print().catch((error: unknown): PrintOutcome => {
    log.error('a printer driver failed', { jobId: job.id, reason: toReason(error) })
    return mayHaveSent
      ? { kind: 'unconfirmed', error: unconfirmed(job, 'failed') }
      : nothingPrinted(appError('printer-failed', { case: 'before-sending', printer: job.printerName }))
  })
  queue.jobEnded(outcome)
  return outcome
}

/** The next change that makes a job one that is wanted, or the signal's abortion. */
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

function asksForStock(checked: Result<void>): boolean {
  return !checked.ok && checked.error.findings?.some(({ kind }) => kind === 'stock-missing') === true
}

function unconfirmed({ printerName }: PrintJob, because: 'closed' | 'failed') {
  return appError('print-unconfirmed', { case: because, printer: printerName })
}
