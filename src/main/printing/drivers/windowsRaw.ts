import { appError } from '../../../shared/errors'
import type { PrinterRemark, PrintNote } from '../../../shared/printerRemarks'
import { type Dpi, getPrinterName, type SystemPrinter } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { rest } from '../../lib/async'
import { inTime } from '../../lib/retry'
import type { PrintableLabel } from '../printableLabel'
import { calibrationCommand } from '../raster/labelLanguages'
import type { Rasterizer } from '../raster/rasterizer'
import {
  type BrokenPictures,
  nothingPrinted,
  nothingToCalibrate,
  notReady,
  type PrintContext,
  type PrinterBytes,
  type PrintOutcome,
  queueFailed,
  type RemarkBits,
  toPrinterBytes,
  toRemarks,
  unconfirmed,
} from './driver'
import type { RawJob, SpoolerJob, WindowsSpooler } from './winspool'

/** JOB_STATUS bits of winspool.h. */
const bits = { paused: 0x1, deleting: 0x4, printing: 0x10, printed: 0x80, deleted: 0x100, complete: 0x1000 }
const remarkBits: RemarkBits = [
  [0x1, 'paused'],
  [0x2, 'error'],
  [0x20, 'offline'],
  [0x40, 'out-of-labels'],
  [0x200, 'not-available'],
  [0x400, 'needs-person'],
]
const usualDpi = 203

/** The timeouts and delays of the spooler. */
export const spoolerWaits = {
  /** One call; a remote print server may be slow. */
  callMs: 30_000,
  /** Without an answer about a job's state. */
  silenceMs: 30_000,
  firstPollMs: 100,
  laterPollMs: 1000,
  /** A job that is still in the queue after this time gets a note. */
  slowMs: 5000,
}

export type SpoolerWaits = typeof spoolerWaits
const quickPolls = 20
/** The wait for the release of a job while the app closes. */
const releaseMs = 500

/** A Windows printer whose language is known: it gets raw bytes instead of a PDF. */
export type RawPrinter = SystemPrinter & { language: NonNullable<SystemPrinter['language']> }
type Context = PrintContext<RawPrinter>

/** Whether a Windows printer gets raw bytes, past its driver. */
export function isRawPrinter(printer: SystemPrinter): printer is RawPrinter {
  return printer.language !== undefined
}

export interface RawPrintingDeps {
  spooler: WindowsSpooler
  rasterizer: Pick<Rasterizer, 'renderZpl'>
  pictures: BrokenPictures
  waits?: SpoolerWaits | undefined
}

type RawBytes = Pick<PrinterBytes, 'zpl' | 'bitmaps'>

/**
 * Has a printer measure its stock, through the same queue as labels; `calibration-not-possible` when its language has
 * no command for it.
 */
export function calibrateRaw(
  context: Context,
  signal: AbortSignal,
  deps: RawPrintingDeps,
): Promise<PrintOutcome> {
  const { printer } = context
  const zpl = calibrationCommand(printer)
  return sendRaw(context, signal, deps, zpl === undefined ? err(nothingToCalibrate(printer)) : ok({ zpl }))
}

/**
 * Sends raw bytes through a Windows queue. A label is `handed-over` when the spooler reports its job as printed. Jobs
 * are retained in the queue until then, so that one that disappears was deleted. If the spooler does not retain jobs, a
 * job that disappears while it was being printed without a remark counts as printed.
 */
export async function printRaw(
  context: Context,
  signal: AbortSignal,
  deps: RawPrintingDeps,
): Promise<PrintOutcome> {
  return sendRaw(context, signal, deps, await draw(context, deps.rasterizer))
}

async function sendRaw(
  context: Context,
  signal: AbortSignal,
  { spooler, pictures, waits = spoolerWaits }: RawPrintingDeps,
  drawn: Result<RawBytes>,
): Promise<PrintOutcome> {
  const { printer, label, cancelled } = context
  if (!drawn.ok) return nothingPrinted(drawn.error)
  if (signal.aborted) return { kind: 'not-started' }
  if (cancelled.aborted) return { kind: 'cancelled' }
  const starting = spooler.startRawJob(printer.queue, toTitle(label, context.jobId))
  const job = await inTime(starting, waits.callMs)
  if (job === undefined) {
    // The call may still succeed later: its empty job must not stay in the queue.
    void starting
      .then((late) => (typeof late === 'string' ? undefined : late.abandon()))
      .catch(() => undefined)
    return nothingPrinted(queueFailed(printer, { case: 'took-nothing' }, [{ code: 'no-answer-in-time' }]))
  }
  if (job === 'no-printer') {
    const details = { case: 'windows', printer: getPrinterName(printer), queue: printer.queue } as const
    return nothingPrinted(appError('printer-not-found', details))
  }
  if (job === 'refused')
    return nothingPrinted(queueFailed(printer, { case: 'took-nothing' }, [{ code: 'error' }]))
  const retained = await inTime(spooler.controlJob(printer.queue, job.id, 'retain'), waits.callMs)
  if (signal.aborted || cancelled.aborted || !(await context.claim())) {
    await inTime(job.abandon(), waits.callMs)
    return { kind: cancelled.aborted ? 'cancelled' : 'not-started' }
  }
  try {
    return await pictures.send(printer.queue, withDpi(printer), drawn.value, async (bytes) => {
      const written = await inTime(writeAll(job, bytes), waits.callMs)
      if (written !== true)
        return unconfirmed(printer, { code: written === undefined ? 'spooler-late' : 'not-all-taken' })
      context.accepted()
      const isRetained = retained === true
      return followJob({ context, signal, spooler, waits, jobId: job.id, isRetained })
    })
  } finally {
    // In any case: a retained job that was printed could be restarted from the queue.
    if (retained !== false) {
      const released = inTime(spooler.controlJob(printer.queue, job.id, 'release'), releaseMs)
      if (signal.aborted) await released
    }
  }
}

/** Windows keeps less than 260 characters and shows fewer. */
const maxTitle = 120

/** The title ends with the print job's id, by which the app finds its own jobs in a queue after a crash. */
function toTitle({ reference, barcode }: PrintableLabel, jobId: string): string {
  return `${`${reference} ${barcode}`.slice(0, maxTitle)} ${jobId}`
}

const jobIdInTitle = / ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/**
 * Releases jobs that a crash left retained in a Windows queue: one that was printed could be restarted there. Jobs of
 * other stations on the same queue are left alone.
 * @param isOver whether a print job belongs to this station and has ended
 * @returns how many were released
 */
export async function releaseRetainedJobs(
  queue: string,
  spooler: WindowsSpooler,
  isOver: (jobId: string) => Promise<boolean>,
  callMs = spoolerWaits.callMs,
): Promise<number> {
  let released = 0
  for (const { id, title } of (await inTime(spooler.listJobs(queue), callMs)) ?? []) {
    const jobId = jobIdInTitle.exec(title)?.[1]
    if (jobId === undefined || !(await isOver(jobId))) continue
    if ((await inTime(spooler.controlJob(queue, id, 'release'), callMs)) === true) released += 1
  }
  return released
}

/**
 * Cancels a job that is in a Windows queue and not printed.
 * @returns false when the spooler gives no answer or does not cancel it
 */
export async function withdrawRawJob(
  queue: string,
  spooler: WindowsSpooler,
  jobId: string,
): Promise<boolean> {
  const jobs = await spooler.listJobs(queue)
  if (jobs === undefined) return false
  for (const { id, title, status } of jobs) {
    if (jobIdInTitle.exec(title)?.[1] !== jobId || (status & (bits.printed | bits.complete)) !== 0) continue
    if (!(await spooler.controlJob(queue, id, 'cancel'))) return false
  }
  return true
}

async function draw(context: Context, rasterizer: Pick<Rasterizer, 'renderZpl'>): Promise<Result<RawBytes>> {
  const drawn = await toPrinterBytes({ ...context, printer: withDpi(context.printer) }, rasterizer)
  if (!drawn.ok) return drawn
  const checked = context.check(drawn.value.findings, drawn.value.barcodes)
  return checked.ok ? drawn : checked
}

function withDpi(printer: RawPrinter): RawPrinter & { dpi: Dpi } {
  return { ...printer, dpi: printer.dpi ?? usualDpi }
}

async function writeAll(job: RawJob, bytes: Buffer): Promise<boolean> {
  if ((await job.write(bytes)) && (await job.end())) return true
  await job.abandon()
  return false
}

interface Following {
  context: Context
  signal: AbortSignal
  spooler: WindowsSpooler
  waits: SpoolerWaits
  jobId: number
  isRetained: boolean
}

async function followJob(following: Following): Promise<PrintOutcome> {
  const { context, signal, spooler, waits, jobId, isRetained } = following
  const { printer, cancelled, hasStandby } = context
  const interrupted = AbortSignal.any([signal, cancelled])
  const startedAt = Date.now()
  let silentSince: number | undefined
  let lastNote = JSON.stringify(null)
  let last: SpoolerJob | undefined
  for (let poll = 0; ; poll += 1) {
    const jobs = await inTime(spooler.listJobs(printer.queue), waits.callMs)
    const job = jobs?.find(({ id }) => id === jobId)
    if (jobs !== undefined) {
      silentSince = undefined
      const outcome =
        job === undefined ? toOutcomeOfMissing(last, isRetained, printer) : toOutcome(job, printer)
      if (outcome !== undefined) return outcome
      last = job
    } else {
      silentSince ??= Date.now()
      if (Date.now() - silentSince > waits.silenceMs) return unconfirmed(printer, { code: 'spooler-silent' })
    }
    if (signal.aborted) return unconfirmed(printer, { code: 'app-closed' })
    const remarks = job === undefined ? [] : listRemarks(job)
    if (job !== undefined && (cancelled.aborted || (hasStandby && remarks.length > 0))) {
      const isCancelled = await cancelUnprinted(following, job)
      if (isCancelled && cancelled.aborted) return { kind: 'cancelled' }
      if (isCancelled) return notReady(printer, remarks)
    }
    const note = getNote(jobs !== undefined, remarks, Date.now() - startedAt > waits.slowMs)
    if (JSON.stringify(note) !== lastNote) context.progress(note)
    lastNote = JSON.stringify(note)
    const ms = poll < quickPolls ? waits.firstPollMs : waits.laterPollMs
    await rest(ms, { signal: cancelled.aborted ? signal : interrupted })
  }
}

function toOutcome({ status }: SpoolerJob, printer: RawPrinter): PrintOutcome | undefined {
  if ((status & (bits.printed | bits.complete)) !== 0) return { kind: 'handed-over' }
  if ((status & (bits.deleting | bits.deleted)) === 0) return undefined
  const error = queueFailed(printer, { case: 'job-ended' }, [{ code: 'cancelled-in-queue' }])
  return { kind: 'failed', nothingPrinted: false, error }
}

/** The outcome of a job that is no longer in the queue. */
function toOutcomeOfMissing(
  last: SpoolerJob | undefined,
  isRetained: boolean,
  printer: RawPrinter,
): PrintOutcome {
  const wasPrinting =
    last === undefined || ((last.status & bits.printing) !== 0 && listRemarks(last).length === 0)
  if (!isRetained && wasPrinting) return { kind: 'handed-over' }
  return unconfirmed(printer, { code: 'job-not-known' })
}

/**
 * Cancels a job if nothing of it was printed. It pauses the job first: the spooler does not start a paused job, so a
 * job that is paused and not printing has not started.
 * @returns false when the job may have started, or Windows gives no answer; the job is then resumed
 */
async function cancelUnprinted(
  { context, spooler, waits, jobId }: Following,
  seen: SpoolerJob,
): Promise<boolean> {
  if ((seen.status & bits.printing) !== 0) return false
  const { queue } = context.printer
  const resume = async () => {
    const wasPaused = (seen.status & bits.paused) !== 0
    if (!wasPaused) await inTime(spooler.controlJob(queue, jobId, 'resume'), waits.callMs)
    return false
  }
  const isPaused = await inTime(spooler.controlJob(queue, jobId, 'pause'), waits.callMs)
  // A call without an answer may still take effect.
  if (isPaused !== true) return isPaused === undefined ? resume() : false
  const jobs = await inTime(spooler.listJobs(queue), waits.callMs)
  const status = jobs?.find(({ id }) => id === jobId)?.status ?? 0
  const mayBePrinted = (status & (bits.printing | bits.printed | bits.complete)) !== 0
  if ((status & bits.paused) === 0 || mayBePrinted) return resume()
  const isCancelled = await inTime(spooler.controlJob(queue, jobId, 'cancel'), waits.callMs)
  return isCancelled === true || resume()
}

function listRemarks({ status }: SpoolerJob): PrinterRemark[] {
  return toRemarks(status, remarkBits)
}

function getNote(isAnswered: boolean, remarks: PrinterRemark[], isSlow: boolean): PrintNote | null {
  if (!isAnswered) return { code: 'spooler-silent', says: [] }
  if (remarks.length > 0) return { code: 'windows-says', says: remarks }
  return isSlow ? { code: 'still-on-its-way', says: [] } : null
}
