import { setTimeout as pause } from 'node:timers/promises'
import { appError } from '../../../shared/errors'
import { type PrinterRemark, toOwnWords } from '../../../shared/printerRemarks'
import { type Dpi, getPrinterName, type SystemPrinter } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import {
  type CupsJobEnd,
  type CupsJobId,
  cancelCupsJobs,
  followCupsJob,
  type LpFailure,
  type LpRequest,
  runLp,
  subscribeToJobEnds,
} from '../cups/cupsJob'
import {
  type CupsQueue,
  findCupsQueue,
  findMargins,
  findMedia,
  findPrintServer,
  findProfileOptions,
  getDrawingDpi,
  noSuchQueue,
  toCustomMedia,
  withoutCups,
} from '../cups/cupsQueue'
import { toDotsPerMm, toStockLayout } from '../layout/labelLayout'
import { findZplSize } from '../raster/carrierZpl'
import { calibrationCommand, frameCarrierZpl } from '../raster/labelLanguages'
import type { Rasterizer } from '../raster/rasterizer'
import {
  createBrokenPictures,
  nothingPrinted,
  nothingToCalibrate,
  notReady,
  otherLanguage,
  type PrintContext,
  type PrinterBytes,
  type PrinterDriver,
  type PrintOutcome,
  queueFailed,
  toPrinterBytes,
  unconfirmed,
  withFinding,
} from './driver'

/** CUPS cuts titles after 255 bytes; the print job's id takes 37 of them. */
const maxTitleBytes = 200

/** How long a queue is asked for the resolution of a preview, for which a person waits. */
const resolutionMs = 1000

type Context = PrintContext<SystemPrinter>
type Drawing = Pick<Rasterizer, 'layOnStock' | 'renderZpl'>
type LpDocument = Pick<LpRequest, 'document' | 'options' | 'copies'>

/**
 * Prints through CUPS: sends the document with `lp` and reads the job's state over IPP. A job that CUPS calls completed
 * is `handed-over`: the printer took it, but nothing proves that a label came out.
 */
export function createCupsDriver(rasterizer: Drawing): PrinterDriver<SystemPrinter> {
  const pictures = createBrokenPictures()

  async function send(
    context: Context,
    prepare: PrepareDocument,
    signal: AbortSignal,
  ): Promise<PrintOutcome> {
    const { printer } = context
    const queue = await findCupsQueue(printer, signal)
    if (signal.aborted) return { kind: 'not-started' }
    if (!queue.ok) return nothingPrinted(queue.error)
    const { stopped } = queue.value
    if (stopped !== undefined && context.hasStandby) return notReady(printer, stopped)
    const [document, subscription] = await Promise.all([
      prepare(context, queue.value),
      subscribeToJobEnds(queue.value.server, signal),
    ])
    try {
      if (signal.aborted) return { kind: 'not-started' }
      if (context.cancelled.aborted) return { kind: 'cancelled' }
      if (!document.ok) return nothingPrinted(document.error)
      if (!(await context.claim())) return { kind: 'not-started' }
      const title = toTitle(context)
      const print = async (document: LpDocument) => {
        const sent = await runLp({ queue: printer.queue, title, ...document })
        if (!sent.ok) return lpOutcome(sent.error, printer)
        context.accepted()
        const job = { server: queue.value.server, queue: printer.queue, number: sent.value, subscription }
        return jobOutcome(await followCupsJob(job, context, signal), job, context)
      }
      const { drawn, ...whole } = document.value
      return drawn === undefined
        ? await print(whole)
        : await pictures.send(printer.queue, { ...printer, dpi: drawn.dpi }, drawn, (bytes) =>
            print({ ...whole, document: bytes }),
          )
    } finally {
      // Not awaited: a subscription that is left behind expires.
      void subscription?.cancel()
    }
  }

  return {
    cancellable: true,
    print: (context, signal) => send(context, (...input) => prepareLabel(...input, rasterizer), signal),
    calibrate: (context, signal) => send(context, prepareCalibration, signal),
    async findDpi(printer) {
      // The signal does not end the question which print server there is.
      const tooLate = pause(resolutionMs, undefined, { ref: false })
      const queue = await Promise.race([findCupsQueue(printer, AbortSignal.timeout(resolutionMs)), tooLate])
      return queue?.ok === true ? getDrawingDpi(queue.value, printer) : undefined
    },
    async withdraw(jobId) {
      const server = await findPrintServer()
      return server.ok ? cancelCupsJobs(server.value, jobId) : server.error === 'missing'
    },
  }
}

/** A document for `lp`; with its drawing when it is in the printer's language. */
type PreparedDocument = LpDocument & { drawn?: Pick<PrinterBytes, 'zpl' | 'bitmaps'> & { dpi: Dpi } }

type PrepareDocument = (context: Context, queue: CupsQueue) => Promise<Result<PreparedDocument>>

/** Only for printers whose language the app writes, past the queue's driver. */
async function prepareCalibration({ printer }: Context, queue: CupsQueue): Promise<Result<PreparedDocument>> {
  const dpi = getDrawingDpi(queue, printer)
  const document = dpi === undefined ? undefined : calibrationCommand(printer)
  if (dpi === undefined || document === undefined) return err(nothingToCalibrate(printer))
  return ok({ document, options: rawOptions, copies: 1, drawn: { zpl: document, bitmaps: [], dpi } })
}

async function prepareLabel(
  context: Context,
  queue: CupsQueue,
  rasterizer: Drawing,
): Promise<Result<PreparedDocument>> {
  const { label, printer } = context
  if (label.kind === 'zpl') {
    const document = frameCarrierZpl(label.bytes, printer, 1)
    if ((printer.language ?? 'zpl') !== 'zpl') return err(otherLanguage(printer))
    if (!queue.takesZpl && printer.language !== 'zpl') {
      return err(appError('printer-takes-no-zpl', { printer: getPrinterName(printer), queue: printer.queue }))
    }
    const fits = context.check(findZplSize(label, printer, queue.zplHead))
    return fits.ok ? ok({ document, options: rawOptions, copies: printer.copies }) : fits
  }
  // CUPS' own drivers for label printers scale and blur: ITF barcodes become unreadable.
  const dpi = getDrawingDpi(queue, printer)
  if (dpi !== undefined) {
    const zpl = await toPrinterBytes({ ...context, printer: { ...printer, dpi } }, rasterizer)
    if (!zpl.ok) return zpl
    const checked = context.check(zpl.value.findings, zpl.value.barcodes)
    if (!checked.ok) return checked
    return ok({ document: zpl.value.zpl, options: rawOptions, copies: 1, drawn: { ...zpl.value, dpi } })
  }
  const media = findMedia(queue, printer)
  const { check } = media.ok ? context : withFinding(context, media.error)
  const profile = await findProfileOptions(printer)
  if (!profile.ok) return profile
  const marginsMm = await findMargins(queue.server, printer)
  const options = [...pdfOptions(media.ok ? media.value : toCustomMedia(printer.stock)), ...profile.value]
  if (context.drawn !== undefined) {
    const checked = check(marginsMm === undefined ? [] : context.drawn.findInkIn(marginsMm))
    return checked.ok ? ok({ document: label.bytes, options, copies: printer.copies }) : checked
  }
  const dotsPerMm = getDotsPerMm(queue, printer)
  const laid = await rasterizer.layOnStock(label.bytes, { ...toStockLayout(context), marginsMm, dotsPerMm })
  if (!laid.ok) return laid
  const { pdf, copies, findings, barcodes } = laid.value
  const checked = check(findings, barcodes)
  if (!checked.ok) return checked
  return ok({ document: pdf, options, copies })
}

/** The dots per mm of a queue's driver, from the settings or else from the queue. */
function getDotsPerMm(queue: CupsQueue, { dpi }: SystemPrinter): number | undefined {
  if (dpi !== undefined) return toDotsPerMm(dpi)
  return queue.dpi === undefined ? undefined : queue.dpi / 25.4
}

/** Bytes in the printer's language, without a banner page. */
const rawOptions = ['raw', 'job-sheets=none,none']

/** Sets every option that could change a label's size or placement: CUPS adds the queue's defaults for all others. */
function pdfOptions(media: string): string[] {
  return [
    'document-format=application/pdf',
    `media=${media}`,
    'print-scaling=none',
    'fit-to-page=false',
    'orientation-requested=3',
    'mirror=false',
    'number-up=1',
    'sides=one-sided',
    'job-sheets=none,none',
  ]
}

/** The title ends with the print job's id, by which the app finds the job in the queue when it no longer follows it. */
function toTitle({ label, jobId }: Context): string {
  const title = Buffer.from(`${label.reference} ${label.barcode}`.replaceAll(/\p{Cc}/gu, ' '))
  return `${title.subarray(0, maxTitleBytes)} ${jobId}`
}

function jobOutcome(end: CupsJobEnd, job: CupsJobId, { printer, cancelled }: Context): PrintOutcome {
  switch (end.kind) {
    case 'completed':
      return { kind: 'handed-over' }
    case 'cancelled':
      if (cancelled.aborted) return { kind: 'cancelled' }
      return jobFailed(job, printer, [{ code: 'cancelled-in-queue' }, ...end.says])
    case 'aborted':
      return jobFailed(job, printer, [{ code: 'given-up' }, ...end.says])
    case 'lost':
      return unconfirmed(printer, end.says)
    case 'left':
      return unconfirmed(printer, { code: 'app-closed' })
  }
}

function jobFailed(job: CupsJobId, printer: SystemPrinter, says: PrinterRemark[]): PrintOutcome {
  const error = queueFailed(printer, { case: 'job-ended', job: String(job.number) }, says)
  return { kind: 'failed', error, nothingPrinted: false }
}

function lpOutcome(failure: LpFailure, printer: SystemPrinter): PrintOutcome {
  switch (failure.kind) {
    case 'missing':
      return nothingPrinted(withoutCups(printer))
    case 'no-queue':
      return nothingPrinted(noSuchQueue(printer))
    case 'refused':
      return nothingPrinted(queueFailed(printer, { case: 'took-nothing' }, [toOwnWords(failure.words)]))
    case 'label-refused':
      return nothingPrinted(queueFailed(printer, { case: 'label-refused' }, [toOwnWords(failure.words)]))
    case 'late':
      return unconfirmed(printer, { code: 'spooler-late' })
    case 'uncertain':
      return unconfirmed(printer, toOwnWords(failure.words))
  }
}
