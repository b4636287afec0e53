import { appError } from '../../../shared/errors'
import type { BarcodeProof, LabelFinding, LabelRules } from '../../../shared/labels'
import type { PrintNote } from '../../../shared/printerRemarks'
import { type Printer, type PrintJob, printJobStates } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import type { EventBus } from '../../lib/eventBus'
import { persist } from '../../lib/retry'
import { toReason } from '../../lib/toReason'
import type { Log } from '../../log/log'
import {
  getDriver,
  isCertainlyUnprinted,
  needsChoice,
  nothingPrinted,
  type PrinterDrivers,
  type PrintOutcome,
  toWaitingNote,
  waitsForPrinter,
} from '../drivers/driver'
import { refuseMissingStock } from '../layout/labelLayout'
import type { InvoiceSource, LabelSource, PrintableLabel } from '../printableLabel'
import { findZplSize } from '../raster/carrierZpl'
import type { Rasterizer } from '../raster/rasterizer'
import { checkLosses, checkZplCommands } from './labelConsents'
import type { PrinterQueue } from './printerQueue'
import type { PrintJobChange, PrintJobRepository } from './repository'
import {
  findPrinter,
  findStandbyPrinter,
  noPrinter,
  type PrintingSettings,
  planReplacement,
  type Replacement,
  withPrintMode,
} from './routing'

export interface PrintJobDeps {
  jobs: Pick<PrintJobRepository, 'change' | 'replace'>
  labels: Pick<LabelSource, 'find'>
  invoices: Pick<InvoiceSource, 'find'>
  settings: PrintingSettings
  measure: Rasterizer['measure']
  drivers: PrinterDrivers
  /** Whether a person has paused the printer. */
  isPaused(printerId: string): boolean
  bus: Pick<EventBus, 'emit'>
  log: Log
  now(): Date
  /** Aborted when the app closes. */
  signal: AbortSignal
}

/** A job with everything that printing it needs. */
export interface PrintSubject {
  job: PrintJob
  printer: Printer
  label: PrintableLabel
  /** Takes over when the printer can't print. */
  standby: Printer | undefined
  isStandbyPaused: boolean
  /** Placements and consents. */
  rules: LabelRules
  record: JobRecord
  queue: PrinterQueue
}

export interface PrintControls {
  /** Aborted when a person cancels the job, or it is outdated before it is claimed. */
  cancelled: AbortSignal
  /** Frees the printer for its next job before this one ends. */
  allowNextJob(): void
}

/** Finds what printing a job needs. @returns undefined when its printer or its label is missing: the job has failed */
export async function prepareJob(
  job: PrintJob,
  queue: PrinterQueue,
  deps: PrintJobDeps,
): Promise<PrintSubject | undefined> {
  const found = await findPrinterAndLabel(job, deps)
  if (!found.ok) {
    await deps.jobs.change(job.id, ['queued'], { state: 'failed', error: found.error })
    return undefined
  }
  const { labelRules: rules } = deps.settings.current()
  const standby = findStandby(job, found.value.label, deps)
  return { job, ...found.value, ...standby, rules, record: new JobRecord(job, deps), queue }
}

/**
 * Prints a job: its driver draws the label, claims the job right before the first byte and sends it; then the outcome is
 * recorded.
 * @returns `retry` when the job is still queued: the printer takes no labels, or the job could not be claimed
 */
export async function printJob(
  subject: PrintSubject,
  controls: PrintControls,
  deps: PrintJobDeps,
): Promise<'ended' | 'retry'> {
  const { record, queue } = subject
  queue.jobStarted()
  const attempt = await drawClaimAndSend(subject, controls, deps).catch((error: unknown) =>
    toDriverFailure(error, subject, deps.log),
  )
  queue.jobEnded(attempt)
  // Storing the outcome emits no event when the job was cancelled meanwhile.
  deps.bus.emit('statusOutdated')
  const outcome = controls.cancelled.aborted ? toStoppedOutcome(attempt, record) : attempt
  const replacement = await findReplacement(subject, outcome, deps)
  await record.finish(outcome, replacement)
  const isStillQueued = replacement === undefined && (record.hasClaimFailed() || waitsForPrinter(outcome))
  return isStillQueued ? 'retry' : 'ended'
}

/** Has the printer's driver draw the label, claim the job right before the first byte, and send it. */
async function drawClaimAndSend(
  subject: PrintSubject,
  controls: PrintControls,
  deps: PrintJobDeps,
): Promise<PrintOutcome> {
  const { job, printer, label, standby, isStandbyPaused, rules, record, queue } = subject
  const check = (findings: readonly LabelFinding[], barcodes?: BarcodeProof) =>
    checkFindings({ findings, barcodes }, subject, deps.log)
  if (label.kind === 'zpl') {
    const allowed = checkZplCommands(label, printer, rules.zplCommands)
    if (!allowed.ok) return nothingPrinted(allowed.error)
    // Only its driver knows whether a queue without a stated language takes ZPL.
    const isKnown = printer.driver !== 'system' || printer.language !== undefined
    const fits = check(isKnown ? findZplSize(label, printer) : [])
    if (!fits.ok) return nothingPrinted(fits.error)
  }
  const context = {
    jobId: job.id,
    label,
    rules: job.document === 'label' ? rules.placements : [],
    ...(job.pages !== undefined && { range: job.pages }),
    hasStandby: standby !== undefined && !isStandbyPaused,
    check,
    progress(note: PrintNote | null) {
      queue.setNote(note)
      record.note(note)
    },
    async claim() {
      // A person may have paused the printer or changed the settings while the driver waited for it.
      if (controls.cancelled.aborted || queue.isPaused || isOutdated(subject, deps)) return false
      const isClaimed = await record.claim()
      if (isClaimed) queue.setNote(null)
      return isClaimed
    },
    accepted: () => record.accepted(),
    ...controls,
  }
  return getDriver(deps.drivers, printer).print(context, deps.signal)
}

/** Refuses a label that would lose content on its printer until a person has agreed to it. */
function checkFindings(
  { findings, barcodes }: { findings: readonly LabelFinding[]; barcodes: BarcodeProof | undefined },
  { job, printer, label, standby, rules, record }: PrintSubject,
  log: Log,
): Result<void> {
  const stockChecked = refuseMissingStock(findings, printer)
  // The app draws invoices itself: only a missing stock can fail them.
  if (job.document === 'invoice') return stockChecked
  if (barcodes !== undefined) record.addBarcodes(barcodes)
  if (findings.length === 0) return ok(undefined)
  const agreed = job.agreedLosses ?? []
  const checked = checkLosses(findings, { label, printer, consents: rules.losses, agreed })
  // The standby may have the stock, so nobody is asked.
  if (standby !== undefined && isStockMissing(checked)) return stockChecked
  if (!checked.ok) {
    log.warn('a label would lose content; its job waits for a person to decide', {
      jobId: job.id,
      ...checked.error.details,
    })
  }
  return checked
}

/** The outcome when a driver throws, which is a bug: its label may have been printed if it had claimed the job. */
function toDriverFailure(error: unknown, { job, record }: PrintSubject, log: Log): PrintOutcome {
  const mayHaveSent = record.mayHaveSent()
  log.error(
    mayHaveSent
      ? 'a printer driver failed; whether its label was printed is unknown'
      : 'a printer driver failed before it sent its label',
    { jobId: job.id, reason: toReason(error) },
  )
  return mayHaveSent
    ? { kind: 'unconfirmed', error: toUnconfirmedError(job, 'failed') }
    : nothingPrinted(appError('printer-failed', { case: 'before-sending', printer: job.printerName }))
}

async function findReplacement(
  subject: PrintSubject,
  outcome: PrintOutcome,
  deps: PrintJobDeps,
): Promise<Replacement | undefined> {
  return planReplacement(subject, outcome, deps).catch((error: unknown) => {
    deps.log.error('no replacement could be planned for a print job; it ends without one', {
      jobId: subject.job.id,
      reason: toReason(error),
    })
    return undefined
  })
}

/** The outcome of a job whose driver was asked to stop. */
function toStoppedOutcome(attempt: PrintOutcome, record: JobRecord): PrintOutcome {
  // If a person cancelled the job before it was claimed, this is stored. If it was outdated, it starts again.
  if (!record.mayHaveSent()) return { kind: 'not-started' }
  return isCertainlyUnprinted(attempt) ? { kind: 'cancelled' } : attempt
}

function isStockMissing(checked: Result<void>): boolean {
  return !checked.ok && checked.error.findings?.some(({ kind }) => kind === 'stock-missing') === true
}

/** The error of a job of which bytes may have left: the app was closed, or its driver failed. */
export function toUnconfirmedError({ printerName }: PrintJob, because: 'closed' | 'failed') {
  return appError('print-unconfirmed', { case: because, printer: printerName })
}

async function findPrinterAndLabel(
  { printerId, shipmentId, labelId, language }: PrintJob,
  { settings, labels, invoices }: PrintJobDeps,
): Promise<Result<Pick<PrintSubject, 'printer' | 'label'>>> {
  const label =
    labelId === null ? await invoices.find(shipmentId, language ?? 'en') : await labels.find(labelId)
  // After the label: its settings may be changed while the label is read.
  const { printers } = settings.current()
  const printer = findPrinter(printers, printerId)
  if (!printer.ok) return printerId === noPrinter.id ? err(appError('no-document-printer')) : printer
  return label.ok ? ok({ printer: withPrintMode(printer.value, printers), label: label.value }) : label
}

/** Routing rules apply to labels only, and a label moves to a standby once. */
function findStandby(
  { document, kind, printerId }: PrintJob,
  { carrierOptionId }: PrintableLabel,
  { settings, isPaused }: PrintJobDeps,
): Pick<PrintSubject, 'standby' | 'isStandbyPaused'> {
  const { routing, printers } = settings.current()
  const standby =
    document !== 'label' || kind === 'moved'
      ? undefined
      : findStandbyPrinter(routing, printers, carrierOptionId, printerId)
  return { standby, isStandbyPaused: standby !== undefined && isPaused(standby.id) }
}

/** Whether a job's printer, standby or label rules have changed since it started: it is to start again with the new ones. */
export function isOutdated(
  { job, label, printer, standby, isStandbyPaused, rules }: PrintSubject,
  deps: PrintJobDeps,
): boolean {
  const { printers, labelRules } = deps.settings.current()
  const current = findPrinter(printers, printer.id)
  if (!current.ok) return true
  const now = [withPrintMode(current.value, printers), findStandby(job, label, deps), labelRules]
  return JSON.stringify(now) !== JSON.stringify([printer, { standby, isStandbyPaused }, rules])
}

/** Most jobs end so soon after their printer accepted them that both are stored in one write. */
const acceptanceWriteDelayMs = 50

/** Stores what happens to one job from its start to its end, in the order in which it happens. */
class JobRecord {
  private acceptance: { acceptedAt?: Date } = {}
  private acceptanceWrite: NodeJS.Timeout | undefined
  private reading: { barcodes?: BarcodeProof } = {}
  private isClaimRequested = false
  private isClaimed = false
  private isClaimFailed = false
  private lastNote: string
  private lastWrite: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly job: PrintJob,
    private readonly deps: Pick<PrintJobDeps, 'jobs' | 'signal' | 'log' | 'now'>,
  ) {
    this.lastNote = JSON.stringify(job.note)
  }

  /** Stores what the job waits for. The same note again is not written. */
  note(note: PrintNote | null): void {
    if (JSON.stringify(note) === this.lastNote) return
    this.lastNote = JSON.stringify(note)
    this.write({ note })
  }

  /** Adds what reading the label's barcodes showed. It is stored with the next change of the job's state. */
  addBarcodes(barcodes: BarcodeProof): void {
    this.reading = { barcodes }
  }

  /**
   * The printer has all bytes. It is stored together with the outcome, or after 50 ms if the job has not ended then.
   */
  accepted(): void {
    const acceptedAt = this.deps.now()
    this.acceptance = { acceptedAt }
    this.acceptanceWrite = setTimeout(() => this.write({ acceptedAt }), acceptanceWriteDelayMs)
  }

  /**
   * Changes the job from `queued` to `sending`, durably and after every earlier write.
   * @returns false when the job was cancelled or could not be stored: nothing may be sent
   */
  async claim(): Promise<boolean> {
    const { jobs, signal } = this.deps
    this.isClaimRequested = true
    await this.lastWrite
    try {
      const change: PrintJobChange = { ...this.reading, state: 'sending', note: null }
      this.isClaimed = (await jobs.change(this.job.id, ['queued'], change)) !== undefined
      return this.isClaimed
    } catch (error) {
      // The change may be stored in spite of the error. Nothing is sent, so the job goes back to `queued`.
      this.isClaimFailed = true
      this.logError(error)
      const requeue = () => jobs.change(this.job.id, ['sending'], { state: 'queued' })
      await persist(requeue, signal, this.logError)
      return false
    }
  }

  /** Whether `claim` was called, even if it has not ended yet: bytes may have left. */
  mayHaveSent(): boolean {
    return this.isClaimRequested
  }

  /** Whether `claim` failed because the database did. */
  hasClaimFailed(): boolean {
    return this.isClaimFailed
  }

  /**
   * Stores the outcome; tries again until the database takes it.
   * @param replacement the jobs that replace this one, of which provably nothing was printed
   */
  async finish(outcome: PrintOutcome, replacement: Replacement | undefined): Promise<void> {
    const { job } = this
    const { jobs, signal, now } = this.deps
    clearTimeout(this.acceptanceWrite)
    await this.lastWrite
    if (replacement === undefined) {
      const { acceptance } = this
      const change = {
        ...{ ...this.reading, ...acceptance },
        ...changeFor(job, outcome, acceptance.acceptedAt ?? now()),
      }
      const isUnchanged = change.state === 'queued' && JSON.stringify(change.note) === this.lastNote
      if (!this.isClaimed && isUnchanged) return
      await persist(() => jobs.change(job.id, printJobStates.underWay, change), signal, this.logError)
      return
    }
    // Only the new jobs stay open. The error of the closed one says why its label moved.
    const hasFailed = outcome.kind === 'failed' && replacement.note.code === 'moved'
    const error = hasFailed ? { error: outcome.error } : {}
    const closed: PrintJobChange = {
      ...{ ...error, ...this.acceptance },
      ...{ state: 'cancelled', note: replacement.note },
    }
    await persist(
      () => jobs.replace([job.id], printJobStates.underWay, closed, replacement.jobs),
      signal,
      this.logError,
    )
  }

  private write(change: PrintJobChange): void {
    this.lastWrite = this.lastWrite
      .then(() => this.deps.jobs.change(this.job.id, printJobStates.underWay, change))
      .catch(this.logError)
  }

  private readonly logError = (error: unknown): void =>
    this.deps.log.error('a change of a print job could not be stored', {
      jobId: this.job.id,
      reason: toReason(error),
    })
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
      // A person's choices are remembered for labels; an invoice with such an error has failed.
      if (document === 'label' && needsChoice(outcome.error))
        return { state: 'waiting', error: outcome.error, note: null }
      if (waitsForPrinter(outcome)) {
        return { state: 'queued', note: toWaitingNote(outcome.error) }
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
