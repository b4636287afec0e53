import type { AppError } from '../../shared/errors'
import { appError } from '../../shared/errors'
import type { LabelRules } from '../../shared/labelRules'
import type { PrintNote } from '../../shared/printerRemarks'
import type { Printer, PrintJob, RoutingRule } from '../../shared/printing'
import type { Result } from '../../shared/result'
import { ok } from '../../shared/result'
import type { Log } from '../log/log'
import type { PrinterDrivers, PrintOutcome } from './drivers/driver'
import { nothingPrinted, printWith } from './drivers/driver'
import type { JobRecord } from './jobRecord'
import { createJobRecord, mayMove } from './jobRecord'
import { persist } from './persist'
import type { LabelSource, PrintableLabel, PrintJobStore } from './ports'
import type { PrinterStates } from './printerStates'
import { findPrinter, standbyPrinter } from './routing'
import { checkZplCommands } from './zplGuard'

/** What running jobs needs. */
export interface JobRunnerOptions {
  jobs: PrintJobStore
  labels: LabelSource
  printers(): Printer[]
  routing(): RoutingRule[]
  /** What a person decided once about labels, as it is now. */
  labelRules(): LabelRules
  drivers: PrinterDrivers
  states: PrinterStates
  /** Aborted when the app closes. */
  signal: AbortSignal
  log: Log
  now(): Date
  newId(): string
}

/** Runs print jobs from queued to settled. */
export interface JobRunner {
  /** Throws only when the job could not be begun; it is still queued then. */
  run(job: PrintJob): Promise<void>
  /** Asks a job that is being sent to stop, and resolves when it ended; at once when it can't be stopped. */
  cancel(jobId: string): Promise<void>
}

interface Prepared {
  printer: Printer
  label: PrintableLabel
}

interface Sending extends Prepared {
  job: PrintJob
  record: JobRecord
  cancelled: AbortSignal
}

/** Makes a runner with nothing under way. */
export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const sending = new Map<string, { cancelling: AbortController; ended: Promise<void> }>()

  async function send(job: PrintJob, prepared: Prepared): Promise<void> {
    const cancelling = new AbortController()
    const record = createJobRecord(job, { ...options, onTrouble: storeTrouble(options, job) })
    const ended = sendClaimed({ ...prepared, job, record, cancelled: cancelling.signal }, options)
    if (options.drivers[prepared.printer.driver].cancellable) sending.set(job.id, { cancelling, ended })
    await ended.finally(() => sending.delete(job.id))
  }

  return {
    async run(job) {
      const prepared = await prepare(job, options)
      if (!prepared.ok) {
        await options.jobs.change(job.id, ['queued'], { state: 'failed', error: prepared.error })
      } else if (await claim(job, options)) {
        await send(job, prepared.value)
      }
    },
    async cancel(jobId) {
      sending.get(jobId)?.cancelling.abort()
      await sending.get(jobId)?.ended
    },
  }
}

async function prepare(job: PrintJob, { printers, labels }: JobRunnerOptions): Promise<Result<Prepared>> {
  const printer = findPrinter(printers(), job.printerId)
  if (!printer.ok) return printer
  const label = await labels.find(job.labelId)
  return label.ok ? ok({ printer: printer.value, label: label.value }) : label
}

/** Takes the job, or leaves it queued: whatever a failing store did, nothing is printed after an error here. */
async function claim(job: PrintJob, options: JobRunnerOptions): Promise<boolean> {
  const { jobs, signal } = options
  try {
    return (await jobs.change(job.id, ['queued'], { state: 'sending', note: null })) !== undefined
  } catch (error) {
    const giveBack = () => jobs.change(job.id, ['sending'], { state: 'queued' })
    await persist(giveBack, signal, storeTrouble(options, job))
    throw error
  }
}

async function sendClaimed(sending: Sending, options: JobRunnerOptions): Promise<void> {
  const { job, printer, label, record } = sending
  options.states.started(printer.id)
  const standby = standbyPrinter(options.routing(), options.printers(), label.carrierOptionId, printer.id)
  const outcome = await outcomeOf(
    { ...sending, hasStandby: standby !== undefined && job.kind !== 'moved' },
    options,
  )
  options.states.ended(printer.id, outcome)
  await record.finish(outcome, mayMove(job, outcome) ? standby : undefined)
}

/** A driver that throws has a bug, and may have printed before it. */
async function outcomeOf(
  { job, printer, label, record, cancelled, hasStandby }: Sending & { hasStandby: boolean },
  { drivers, states, signal, log, now, labelRules }: JobRunnerOptions,
): Promise<PrintOutcome> {
  const rules = labelRules()
  const allowed = checkZplCommands(label, printer, rules.zplCommands)
  if (!allowed.ok) return nothingPrinted(allowed.error)
  const context = {
    jobId: job.id,
    label,
    rules: rules.placements,
    hasStandby,
    ...(job.pages !== undefined && { range: job.pages }),
    cancelled,
    progress: (note: PrintNote | null) => {
      states.noted(printer.id, note)
      record.write({ note })
    },
    accepted: () => record.write({ acceptedAt: now() }),
  }
  try {
    return await printWith(drivers, printer, context, signal)
  } catch (error) {
    log.error('a printer driver failed', { jobId: job.id, reason: reasonOf(error) })
    return { kind: 'unconfirmed', error: driverFailed(job) }
  }
}

function storeTrouble({ log }: JobRunnerOptions, job: PrintJob): (error: unknown) => void {
  return (error) => log.error('a print job could not be stored', { jobId: job.id, reason: reasonOf(error) })
}

function driverFailed(job: PrintJob): AppError {
  return appError(
    'print-unconfirmed',
    `Something went wrong in Packbench while it was sending a label to printer ${job.printerName}: look at the printer, then say so or print again.`,
    { printer: job.printerName },
  )
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
