import { type AppError, appError } from '../../../shared/errors'
import type { BarcodeProof, LabelFinding, LabelRules } from '../../../shared/labels'
import type { PrintNote } from '../../../shared/printerRemarks'
import { getPrinterName, type Printer, type PrintJob, type RoutingRule } from '../../../shared/printing'
import { ok, type Result } from '../../../shared/result'
import { toReason } from '../../lib/toReason'
import type { Log } from '../../log/log'
import { nothingPrinted, type PrinterDrivers, type PrintOutcome } from '../drivers/driver'
import { printWith } from '../drivers/drivers'
import type { InvoiceSource, LabelSource, PrintableLabel } from '../printableLabel'
import { findZplSize } from '../raster/carrierZpl'
import type { Rasterizer } from '../raster/rasterizer'
import {
  createJobRecord,
  type JobRecord,
  mayMove,
  movedTo,
  type Succession,
  waitsForPrinter,
} from './jobRecord'
import { checkLosses, checkZplCommands } from './labelConsents'
import type { PrinterStates } from './printerStates'
import type { PrintJobRepository } from './repository'
import { findPrinter, isRoutedByPage, planParts, standbyPrinter } from './routing'

/** What running jobs needs. */
export interface JobRunnerDeps {
  jobs: PrintJobRepository
  labels: LabelSource
  invoices: Pick<InvoiceSource, 'find'>
  printers(): Printer[]
  routing(): RoutingRule[]
  /** What a person decided once about labels, as it is now. */
  labelRules(): LabelRules
  drivers: PrinterDrivers
  /** The sizes of a label's pages. */
  measure: Rasterizer['measure']
  states: PrinterStates
  /** Aborted when the app closes. */
  signal: AbortSignal
  log: Log
  now(): Date
  newId(): string
}

/** Runs print jobs from queued to their end. */
export interface JobRunner {
  /**
   * Throws only when the job could not be begun; it is still queued then.
   * @param roomForNext called when the printer's next job may begin although this one has not ended
   * @returns `again` when the job is still queued: the printer is away, or the job could not be stored
   */
  run(job: PrintJob, roomForNext: () => void): Promise<'ended' | 'again'>
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
  roomForNext(): void
}

/** Makes a runner with nothing under way. */
export function createJobRunner(deps: JobRunnerDeps): JobRunner {
  const sending = new Map<string, { cancelling: AbortController; ended: Promise<unknown> }>()

  async function send(
    job: PrintJob,
    prepared: Prepared,
    roomForNext: () => void,
  ): Promise<'ended' | 'again'> {
    const cancelling = new AbortController()
    const record = createJobRecord(job, { ...deps, onError: storeError(deps, job) })
    const ended = sendPrepared({ ...prepared, job, record, cancelled: cancelling.signal, roomForNext }, deps)
    if (deps.drivers[prepared.printer.driver].cancellable) sending.set(job.id, { cancelling, ended })
    return await ended.finally(() => sending.delete(job.id))
  }

  return {
    async run(job, roomForNext) {
      const prepared = await prepare(job, deps)
      if (prepared.ok) return send(job, prepared.value, roomForNext)
      await deps.jobs.change(job.id, ['queued'], { state: 'failed', error: prepared.error })
      return 'ended'
    },
    async cancel(jobId) {
      sending.get(jobId)?.cancelling.abort()
      await sending.get(jobId)?.ended
    },
  }
}

async function prepare(
  job: PrintJob,
  { printers, labels, invoices }: JobRunnerDeps,
): Promise<Result<Prepared>> {
  const printer = findPrinter(printers(), job.printerId)
  if (!printer.ok) return printer
  const label =
    job.labelId === null
      ? await invoices.find(job.shipmentId, job.language ?? 'en')
      : await labels.find(job.labelId)
  return label.ok ? ok({ printer: printer.value, label: label.value }) : label
}

async function sendPrepared(sending: Sending, deps: JobRunnerDeps): Promise<'ended' | 'again'> {
  const { job, printer, label, record } = sending
  deps.states.started(printer.id)
  // The routing rules are about labels.
  const standby =
    job.document === 'label'
      ? standbyPrinter(deps.routing(), deps.printers(), label.carrierOptionId, printer.id)
      : undefined
  const outcome = await toOutcome(
    { ...sending, hasStandby: standby !== undefined && job.kind !== 'moved' },
    deps,
  )
  deps.states.ended(printer.id, outcome)
  const moves = standby !== undefined && mayMove(job, outcome)
  const succession = moves ? movedTo(job, standby, deps.newId()) : await inParts(sending, outcome, deps)
  await record.finish(outcome, succession)
  return !moves && (record.couldNotBegin() || waitsForPrinter(outcome)) ? 'again' : 'ended'
}

/**
 * The parts in which a label is printed that one printer can't take at once: it has too many pages, or pages for which
 * the rules name another printer, and it could not be measured before. They come behind what waits already.
 */
async function inParts(
  { job, printer, label }: Sending,
  outcome: PrintOutcome,
  { measure, routing, printers, labelRules, newId }: JobRunnerDeps,
): Promise<Succession | undefined> {
  if (outcome.kind !== 'failed' || !outcome.nothingPrinted) return undefined
  const { carrierOptionId } = label
  // Where a person asked for a printer or for pages, they stay there.
  const isByRules =
    job.document === 'label' &&
    job.kind === 'first' &&
    job.pages === undefined &&
    isRoutedByPage(routing(), carrierOptionId)
  const { code } = outcome.error
  if (code !== 'label-too-long' && !(code === 'label-needs-placement' && isByRules)) return undefined
  const pages = await measure(label.bytes)
  if (!pages.ok) return undefined
  const parts = planParts({
    ...{ pages: pages.value, range: job.pages, printer, carrierOptionId, printers: printers() },
    routing: isByRules ? routing() : [],
    placements: labelRules().placements,
  })
  const [first] = parts
  if (parts.length === 1 && first?.printer.id === printer.id) return undefined
  return {
    jobs: parts.map((part) => ({
      id: newId(),
      shipmentId: job.shipmentId,
      labelId: job.labelId,
      ...(job.language !== undefined && { language: job.language }),
      printerId: part.printer.id,
      printerName: getPrinterName(part.printer),
      kind: job.kind,
      ...(part.pages !== undefined && { pages: part.pages }),
    })),
    note: { code: 'in-parts', says: [] },
  }
}

/** A driver that throws has a bug, and may have printed before it once it asked to begin. */
async function toOutcome(
  { job, printer, label, record, cancelled, hasStandby, roomForNext }: Sending & { hasStandby: boolean },
  { drivers, states, signal, log, labelRules }: JobRunnerDeps,
): Promise<PrintOutcome> {
  const rules = labelRules()
  const allowed = checkZplCommands(label, printer, rules.zplCommands)
  if (!allowed.ok) return nothingPrinted(allowed.error)
  let mayHaveSent = false
  const context = {
    jobId: job.id,
    label,
    rules: job.document === 'label' ? rules.placements : [],
    check(findings: readonly LabelFinding[], barcodes?: BarcodeProof) {
      // An invoice is drawn by the app itself.
      if (job.document === 'invoice') return ok(undefined)
      if (barcodes !== undefined) record.proved(barcodes)
      const agreed = job.agreedLosses ?? []
      const checked = checkLosses(findings, { label, printer, consents: rules.losses, agreed })
      if (!checked.ok) {
        log.warn('a label waits because it would lose content', { jobId: job.id, ...checked.error.details })
      }
      return checked
    },
    hasStandby,
    ...(job.pages !== undefined && { range: job.pages }),
    cancelled,
    progress: (note: PrintNote | null) => {
      states.noted(printer.id, note)
      record.note(note)
    },
    async begin() {
      mayHaveSent = true
      const begun = await record.begin()
      if (begun) states.noted(printer.id, null)
      return begun
    },
    roomForNext,
    accepted: () => record.accepted(),
  }
  const fits = context.check(findZplSize(label, printer))
  if (!fits.ok) return nothingPrinted(fits.error)
  try {
    return await printWith(drivers, printer, context, signal)
  } catch (error) {
    log.error('a printer driver failed', { jobId: job.id, reason: toReason(error) })
    return mayHaveSent
      ? { kind: 'unconfirmed', error: driverFailed(job) }
      : nothingPrinted(driverFailedBefore(job))
  }
}

function storeError({ log }: JobRunnerDeps, job: PrintJob): (error: unknown) => void {
  return (error) => log.error('a print job could not be stored', { jobId: job.id, reason: toReason(error) })
}

function driverFailed(job: PrintJob): AppError {
  return appError('print-unconfirmed', { case: 'failed', printer: job.printerName })
}

function driverFailedBefore({ printerName }: PrintJob): AppError {
  return appError('printer-failed', { case: 'before-sending', printer: printerName })
}
