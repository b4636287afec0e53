import { setTimeout as pause } from 'node:timers/promises'
import { type AppError, appError } from '../../../shared/errors'
import type { PrinterRemark, PrintNote } from '../../../shared/printerRemarks'
import { type Dpi, getPrinterName, type SystemPrinter } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { inTime } from '../../lib/retry'
import type { PrintableLabel } from '../printableLabel'
import { calibrationCommand } from '../raster/labelLanguages'
import type { Rasterizer } from '../raster/rasterizer'
import {
  nothingPrinted,
  nothingToCalibrate,
  notReady,
  type PrintContext,
  type PrintOutcome,
  type RemarkBits,
  remarksIn,
  unconfirmed,
} from './driver'
import { type BrokenPictures, type PrinterBytes, toPrinterBytes } from './printerBytes'
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

/** How long the spooler is waited for. */
export interface SpoolerWaits {
  /** One call, which a print server at the far end of a line may hold up. */
  callMs: number
  /** Without any word of a job's state. */
  silenceMs: number
  firstPollMs: number
  laterPollMs: number
  /** A job that is still in the queue then gets a note, whatever Windows says of it. */
  slowMs: number
}

/** What a driver waits, unless a test is in a hurry. */
export const spoolerWaits: SpoolerWaits = {
  ...{ callMs: 30_000, silenceMs: 30_000, firstPollMs: 100, laterPollMs: 1000, slowMs: 5000 },
}
const quickPolls = 20
/** The app waits for no more while it closes. */
const releaseMs = 500

/** A Windows printer whose language is known, so that its labels are sent as they are. */
export type RawPrinter = SystemPrinter & { language: NonNullable<SystemPrinter['language']> }
type Context = PrintContext<RawPrinter>

/** Whether a Windows printer's labels go past its driver. */
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
 * Has a printer measure its stock, in the way in which labels are printed; `calibration-not-possible` where its language
 * has no command for it.
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
 * Prints through a Windows queue with bytes that its driver passes on. A label is handed over when the spooler says that
 * its job is printed. A job that disappears was deleted, because it is retained until then; where the spooler does not
 * retain jobs, one that was being printed without a remark has been printed.
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
    // Nobody is to find an empty job in the queue minutes later.
    void starting
      .then((late) => (typeof late === 'string' ? undefined : late.abandon()))
      .catch(() => undefined)
    return nothingPrinted(tookNothing(printer, { code: 'no-answer-in-time' }))
  }
  if (job === 'no-printer') {
    const details = { case: 'windows', printer: getPrinterName(printer), queue: printer.queue } as const
    return nothingPrinted(appError('printer-not-found', details))
  }
  if (job === 'refused') return nothingPrinted(tookNothing(printer, { code: 'error' }))
  const retained = await inTime(spooler.controlJob(printer.queue, job.id, 'retain'), waits.callMs)
  if (signal.aborted || cancelled.aborted || !(await context.claim())) {
    await inTime(job.abandon(), waits.callMs)
    return { kind: cancelled.aborted ? 'cancelled' : 'not-started' }
  }
  try {
    return await pictures.send(printer.queue, withDpi(printer), drawn.value, async (bytes) => {
      const written = await inTime(writeAll(job, bytes), waits.callMs)
      if (written !== true) {
        const says: PrinterRemark = { code: written === undefined ? 'spooler-late' : 'not-all-taken' }
        return { kind: 'unconfirmed', error: unconfirmed(printer, says) }
      }
      context.accepted()
      const isRetained = retained === true
      return followJob({ context, signal, spooler, waits, jobId: job.id, isRetained })
    })
  } finally {
    // However it ends: a job that stays in the queue after it was printed could be started once more.
    if (retained !== false) {
      const released = inTime(spooler.controlJob(printer.queue, job.id, 'release'), releaseMs)
      if (signal.aborted) await released
    }
  }
}

/** Windows shows no more of a title in most places, and keeps less than 260 characters. */
const maxTitle = 120

/** It ends with the print job's id, by which the app finds its own jobs in a queue after a crash. */
function toTitle({ reference, barcode }: PrintableLabel, jobId: string): string {
  return `${`${reference} ${barcode}`.slice(0, maxTitle)} ${jobId}`
}

const jobIdInTitle = / ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/**
 * Lets go of jobs that a crash left retained in a Windows queue: one that was printed could be started once more from there.
 * Other stations may print on the same queue, and their jobs stay as they are.
 * @param isOver whether a print job is this station's and nothing more is done with it
 * @returns how many were released
 */
export async function releaseLeftJobs(
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
  const left = AbortSignal.any([signal, cancelled])
  const begunAt = Date.now()
  let silentSince: number | undefined
  let lastNote = JSON.stringify(null)
  let last: SpoolerJob | undefined
  for (let poll = 0; ; poll += 1) {
    const jobs = await inTime(spooler.listJobs(printer.queue), waits.callMs)
    const job = jobs?.find(({ id }) => id === jobId)
    if (jobs !== undefined) {
      silentSince = undefined
      const outcome = job === undefined ? goneOutcome(last, isRetained, printer) : getEnd(job, printer)
      if (outcome !== undefined) return outcome
      last = job
    } else {
      silentSince ??= Date.now()
      if (Date.now() - silentSince > waits.silenceMs)
        return { kind: 'unconfirmed', error: unconfirmed(printer, { code: 'spooler-silent' }) }
    }
    if (signal.aborted) return { kind: 'unconfirmed', error: unconfirmed(printer, { code: 'app-closed' }) }
    const remarks = job === undefined ? [] : listRemarks(job)
    if (job !== undefined && (cancelled.aborted || (hasStandby && remarks.length > 0))) {
      const isBack = await takeBack(following, job)
      if (isBack && cancelled.aborted) return { kind: 'cancelled' }
      if (isBack) return nothingPrinted(notReady(printer, remarks))
    }
    const note = getNote(jobs !== undefined, remarks, Date.now() - begunAt > waits.slowMs)
    if (JSON.stringify(note) !== lastNote) context.progress(note)
    lastNote = JSON.stringify(note)
    const ms = poll < quickPolls ? waits.firstPollMs : waits.laterPollMs
    await pause(ms, undefined, { signal: cancelled.aborted ? signal : left }).catch(() => undefined)
  }
}

function getEnd({ status }: SpoolerJob, printer: RawPrinter): PrintOutcome | undefined {
  if ((status & (bits.printed | bits.complete)) !== 0) return { kind: 'handed-over' }
  if ((status & (bits.deleting | bits.deleted)) === 0) return undefined
  const says: PrinterRemark[] = [{ code: 'cancelled-in-queue' }]
  const name = getPrinterName(printer)
  const details = { case: 'job-ended', printer: name, queue: printer.queue } as const
  const error = appError('printer-failed', details, says)
  return { kind: 'failed', nothingPrinted: false, error }
}

function goneOutcome(last: SpoolerJob | undefined, isRetained: boolean, printer: RawPrinter): PrintOutcome {
  const wasPrinting =
    last === undefined || ((last.status & bits.printing) !== 0 && listRemarks(last).length === 0)
  if (!isRetained && wasPrinting) return { kind: 'handed-over' }
  return { kind: 'unconfirmed', error: unconfirmed(printer, { code: 'job-not-known' }) }
}

/**
 * Cancels a job of which nothing was printed. It is held first: the spooler begins no job that is held, so one that is
 * held and not being printed has not been begun.
 * @returns false when it may have been begun, or Windows does not say; it goes its way then
 */
async function takeBack({ context, spooler, waits, jobId }: Following, seen: SpoolerJob): Promise<boolean> {
  if ((seen.status & bits.printing) !== 0) return false
  const { queue } = context.printer
  if ((await inTime(spooler.controlJob(queue, jobId, 'pause'), waits.callMs)) !== true) return false
  const jobs = await inTime(spooler.listJobs(queue), waits.callMs)
  const status = jobs?.find(({ id }) => id === jobId)?.status ?? 0
  const mayBePrinted = (status & (bits.printing | bits.printed | bits.complete)) !== 0
  if ((status & bits.paused) === 0 || mayBePrinted) {
    const wasHeld = (seen.status & bits.paused) !== 0
    if (!wasHeld) await inTime(spooler.controlJob(queue, jobId, 'resume'), waits.callMs)
    return false
  }
  return (await inTime(spooler.controlJob(queue, jobId, 'cancel'), waits.callMs)) === true
}

function listRemarks({ status }: SpoolerJob): PrinterRemark[] {
  return remarksIn(status, remarkBits)
}

function getNote(isAnswered: boolean, remarks: PrinterRemark[], isSlow: boolean): PrintNote | null {
  if (!isAnswered) return { code: 'spooler-silent', says: [] }
  if (remarks.length > 0) return { code: 'windows-says', says: remarks }
  return isSlow ? { code: 'still-on-its-way', says: [] } : null
}

function tookNothing(printer: RawPrinter, says: PrinterRemark): AppError {
  const name = getPrinterName(printer)
  return appError('printer-failed', { case: 'took-nothing', printer: name, queue: printer.queue }, [says])
}
