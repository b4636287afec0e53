import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type AppError, appError } from '../../../shared/errors'
import type { LabelFinding } from '../../../shared/labels'
import type { PrinterRemark } from '../../../shared/printerRemarks'
import { type Dpi, getPrinterName, type SystemPrinter } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { toReason } from '../../lib/toReason'
import { findSettingWithoutLanguage, listProfile, notSupported } from '../cups/cupsQueue'
import { toMissingStock } from '../layout/labelLayout'
import type { LaidPdf, Rasterizer } from '../raster/rasterizer'
import { toSinglePages, writeSheetPdf } from '../raster/sheetPdf'
import {
  createBrokenPictures,
  nothingPrinted,
  nothingToCalibrate,
  notReady,
  type PrintContext,
  type PrinterDriver,
  type PrintOutcome,
  queueFailed,
  unconfirmed,
  withFinding,
} from './driver'
import { drawLabels } from './sheets'
import {
  choosePaper,
  type PaperChoice,
  readWindowsQueues,
  readWindowsStatus,
  type WindowsPaper,
} from './windowsQueues'
import {
  calibrateRaw,
  isRawPrinter,
  printRaw,
  type RawPrinter,
  releaseRetainedJobs,
  type SpoolerWaits,
  withdrawRawJob,
} from './windowsRaw'
import { loadWindowsSpooler, type WindowsSpooler } from './winspool'

const usualTimeoutMs = 60_000

export interface WindowsDriverDeps {
  /** Loads pdf-to-printer, which only Windows needs. */
  load(): Promise<WindowsPrinting>
  /** SumatraPDF's program file outside the app's archive: Windows can't start a program inside it. */
  sumatraPdfPath: string
  rasterizer: Pick<Rasterizer, 'renderZpl'>
  /** Loads Windows' print spooler, which passes raw bytes to printers of a known language. */
  loadSpooler?: typeof loadWindowsSpooler
  spoolerWaits?: SpoolerWaits
  timeoutMs?: number
  /** Reads a printer's status from Windows. */
  readStatus?: typeof readWindowsStatus
  /** Reads Windows' printers and their papers. */
  readQueues?: typeof readWindowsQueues
}

type Context = PrintContext<SystemPrinter>

/**
 * Prints on Windows: raw bytes through the spooler for printers whose language is known, PDFs through SumatraPDF for
 * others. SumatraPDF's success means that the spooler took the label, not that it was printed; after a timeout it may
 * still print. If Windows says that the printer is not ready, the outcome is `unconfirmed`.
 */
export function createWindowsDriver(deps: WindowsDriverDeps): PrinterDriver<SystemPrinter> {
  // Cached for each queue: reading papers takes about a second.
  const papers = new Map<string, WindowsPaper[]>()

  const pictures = createBrokenPictures()
  let spooler: Promise<WindowsSpooler> | undefined

  const loadSpooler = () => {
    spooler ??= (deps.loadSpooler ?? loadWindowsSpooler)()
    return spooler
  }

  async function sendThroughSpooler(
    send: typeof printRaw,
    context: PrintContext<RawPrinter>,
    signal: AbortSignal,
  ) {
    const loaded = await loadSpooler().catch((error: unknown) => noSpooler(context.printer, error))
    if ('code' in loaded) return nothingPrinted(loaded)
    const { rasterizer, spoolerWaits: waits } = deps
    return send(context, signal, { spooler: loaded, rasterizer, pictures, waits })
  }

  return {
    cancellable: true,
    async calibrate(context, signal) {
      const { printer } = context
      if (!isRawPrinter(printer)) return nothingPrinted(nothingToCalibrate(printer))
      return sendThroughSpooler(calibrateRaw, { ...context, printer }, signal)
    },
    async removeLeftovers(printer, isOver) {
      return isRawPrinter(printer) ? releaseRetainedJobs(printer.queue, await loadSpooler(), isOver) : 0
    },
    // What SumatraPDF has passed to Windows can't be told from the labels of other programs.
    async withdraw(jobId, printer) {
      const isRaw = printer !== undefined && isRawPrinter(printer)
      return !isRaw || withdrawRawJob(printer.queue, await loadSpooler(), jobId)
    },
    findDpi: async (printer) => (isRawPrinter(printer) ? undefined : toDpi(printer)),
    async print(context, signal) {
      const { printer } = context
      if (isRawPrinter(printer)) return sendThroughSpooler(printRaw, { ...context, printer }, signal)
      const choice = await findCurrentPaper(printer, deps.readQueues ?? readWindowsQueues, papers)
      const pdf = await prepare(choice.ok ? context : withFinding(context, choice.error), deps.rasterizer)
      if (!pdf.ok) return nothingPrinted(pdf.error)
      const folder = await mkdtemp(join(tmpdir(), 'packbench-'))
      try {
        const file = join(folder, 'label.pdf')
        await writeFile(file, pdf.value.pdf, { mode: 0o600 })
        const printing = await deps.load()
        const status = await (deps.readStatus ?? readWindowsStatus)(printer.queue)
        // An unknown status stops nothing.
        const says = status.ok ? status.value : []
        // Windows may be wrong about it, as for labels: a test would never be printed.
        if (says.length > 0 && context.hasStandby && context.isTest !== true) return notReady(printer, says)
        if (context.cancelled.aborted) return { kind: 'cancelled' }
        if (signal.aborted || !(await context.claim())) return { kind: 'not-started' }
        if (says.length > 0) context.progress({ code: 'windows-says', says })
        const printed = printing.print(
          file,
          printOptions(printer, { ...deps, copies: pdf.value.copies }, choice.ok ? choice.value : undefined),
        )
        const timeoutMs = deps.timeoutMs ?? usualTimeoutMs
        const outcome = await toOutcome(printed, { context, signal, timeoutMs })
        if (outcome.kind !== 'handed-over' || says.length === 0) return outcome
        // The spooler keeps the label until the printer is ready, unless Windows is wrong about it.
        const details = { case: 'windows-keeps', printer: getPrinterName(printer) } as const
        return { kind: 'unconfirmed', error: appError('print-unconfirmed', details, says) }
      } catch (error) {
        return toFailure(error, printer)
      } finally {
        // After a timeout SumatraPDF may still have the file open; the system clears its temporary folder later.
        await rm(folder, { recursive: true, force: true }).catch(() => undefined)
      }
    },
  }
}

async function prepare(
  context: Context,
  rasterizer: Pick<Rasterizer, 'renderZpl'>,
): Promise<Result<Pick<LaidPdf, 'pdf' | 'copies'>>> {
  const { label, printer } = context
  if (label.kind === 'zpl') {
    const details = { case: 'windows', printer: getPrinterName(printer), queue: printer.queue } as const
    return err(appError('printer-takes-no-zpl', details))
  }
  const refused = refusedProfile(printer)
  if (refused !== undefined) return err(refused)
  const { copies, stock } = printer
  if (context.drawn !== undefined) {
    const checked = context.check([])
    return checked.ok ? ok({ pdf: label.bytes, copies }) : checked
  }
  const labels = await drawLabels({ ...context, printer: { ...printer, dpi: toDpi(printer) } }, rasterizer)
  if (!labels.ok) return labels
  const isOneLabel = labels.value.length === copies
  const bitmaps = labels.value.map(({ bitmap }) => bitmap)
  const pages = isOneLabel ? bitmaps.slice(0, 1) : bitmaps
  const pdf = await writeSheetPdf(pages, toSinglePages(stock))
  return ok({ pdf, copies: isOneLabel ? copies : 1 })
}

/** The error for settings that can't be applied: a program can't pass a stock profile to a Windows driver. */
export function refusedProfile(printer: SystemPrinter): AppError | undefined {
  if (isRawPrinter(printer)) return undefined
  const [stated] = listProfile(printer)
  return findSettingWithoutLanguage(printer) ?? (stated && notSupported(stated, printer))
}

function noSpooler(printer: SystemPrinter, error: unknown): AppError {
  return queueFailed(printer, { case: 'no-spooler' }, [{ code: 'system-words', words: toReason(error) }])
}

/** In square millimetres. A larger stock is an office printer's paper, whose bitmaps would be too large at 600 dpi. */
const maxFineArea = 25_000

/** The driver resamples the picture: without a stated dpi it gets a finer one than label printers have. */
function toDpi({ dpi, stock }: SystemPrinter): Dpi {
  return dpi ?? (stock.widthMm * stock.heightMm > maxFineArea ? 300 : 600)
}

/**
 * The paper for a printer's stock: see `findPaper`. Papers that offer none are read again, because a person may have added one
 * to the driver meanwhile.
 */
async function findCurrentPaper(
  printer: SystemPrinter,
  readQueues: typeof readWindowsQueues,
  cache: Map<string, WindowsPaper[]>,
): Promise<Result<PaperChoice | undefined, LabelFinding>> {
  const cached = cache.get(printer.queue)
  const known = cached && findPaper(printer, cached)
  if (known?.ok === true) return known
  const papers = await readPapers(printer.queue, readQueues)
  if (papers !== undefined) cache.set(printer.queue, papers)
  return findPaper(printer, papers ?? cached)
}

async function readPapers(
  queue: string,
  readQueues: typeof readWindowsQueues,
): Promise<WindowsPaper[] | undefined> {
  const queues = await readQueues()
  const papers = queues.ok ? queues.value.find(({ name }) => name === queue)?.papers : undefined
  return papers === undefined || papers.length === 0 ? undefined : papers
}

/**
 * The paper for a printer's stock, and the page's orientation on it. If no paper fits, the label would be cut on
 * another one, so a person is asked; if they print anyway, SumatraPDF chooses the paper. If the papers are unknown,
 * SumatraPDF finds one of the page's size itself: that works for portrait pages, while a landscape page would be turned
 * and cut. A paper that a person chose gets no orientation when its sides are unknown.
 * @param papers undefined when they are unknown
 */
function findPaper(
  printer: SystemPrinter,
  papers: WindowsPaper[] | undefined,
): Result<PaperChoice | undefined, LabelFinding> {
  const { stock, paper } = printer
  // SumatraPDF splits its settings at commas.
  if (papers === undefined && paper?.includes(',') === false) return ok({ paper })
  if (papers === undefined && paper === undefined && stock.widthMm <= stock.heightMm) return ok(undefined)
  const choice = choosePaper(papers ?? [], stock, paper)
  return choice === undefined ? err(toMissingStock(printer, namePapers(papers ?? []))) : ok(choice)
}

/** A driver may offer a hundred papers: a list that short can still be read. */
const maxNamedPapers = 12

function namePapers(papers: readonly WindowsPaper[]): string[] {
  const names = papers.slice(0, maxNamedPapers).map(({ name }) => name)
  return papers.length > maxNamedPapers ? [...names, '…'] : names
}

function printOptions(
  printer: SystemPrinter,
  { sumatraPdfPath, copies }: { sumatraPdfPath: string; copies: number },
  choice: PaperChoice | undefined,
) {
  return {
    printer: printer.queue,
    scale: 'noscale' as const,
    copies,
    silent: true,
    sumatraPdfPath,
    ...(choice !== undefined && { paperSize: choice.paper }),
    ...(choice?.orientation !== undefined && { orientation: choice.orientation }),
  }
}

async function toOutcome(
  printed: Promise<void>,
  { context, signal, timeoutMs }: { context: Context; signal: AbortSignal; timeoutMs: number },
): Promise<PrintOutcome> {
  const finished = new AbortController()
  const waitSignal = AbortSignal.any([signal, finished.signal])
  const late: PrinterRemark = { code: 'spooler-late' }
  const closed: PrinterRemark = { code: 'app-closed' }
  const tooLate = pause(timeoutMs, late, { signal: waitSignal }).catch(() => closed)
  try {
    const reason = await Promise.race([printed.then(() => undefined), tooLate])
    if (reason !== undefined) return unconfirmed(context.printer, reason)
    context.accepted()
    return { kind: 'handed-over' }
  } finally {
    finished.abort()
  }
}

function toFailure(thrown: unknown, printer: SystemPrinter): PrintOutcome {
  const { words, ...failure } = describeFailure(thrown)
  const error = queueFailed(printer, failure, [{ code: 'system-words', words }])
  return { kind: 'failed', nothingPrinted: failure.case !== 'job-ended', error }
}

/** The part of pdf-to-printer that the app uses. */
export interface WindowsPrinting {
  /** Resolves when SumatraPDF has ended successfully. */
  print(
    file: string,
    options: {
      printer: string
      scale: 'noscale'
      orientation?: 'portrait' | 'landscape'
      copies: number
      silent: boolean
      sumatraPdfPath: string
      paperSize?: string
    },
  ): Promise<void>
}

/**
 * Loads pdf-to-printer, which is not bundled because it looks for its programs beside its own file. It is loaded with
 * `require`, because `import` does not see the names that it exports.
 */
export async function loadWindowsPrinting(): Promise<WindowsPrinting> {
  const pdfToPrinter: typeof import('pdf-to-printer') = createRequire(import.meta.url)('pdf-to-printer')
  return pdfToPrinter
}

/** SumatraPDF's messages when it ends before it passed a page to Windows. */
const labelRefused = /couldn't open file|cannot print this file/i
const tookNothing = /printer with given name|couldn't initialize printer|CreateDC|StartDoc/i

/**
 * Classifies what pdf-to-printer rejects with: an error of the program, or a plain text when it does not run on
 * Windows. `job-ended`: pages may have been passed to Windows. Otherwise nothing was printed: the printer took nothing,
 * or this label was refused.
 */
function describeFailure(error: unknown): {
  words: string
  case: 'took-nothing' | 'label-refused' | 'job-ended'
} {
  if (!(error instanceof Error)) return { words: String(error), case: 'took-nothing' }
  const code = 'code' in error ? error.code : undefined
  // ENOENT, EACCES and the like: the system could not start the program.
  if (typeof code === 'string' && /^E[A-Z0-9]+$/.test(code))
    return { words: `${code}: ${error.message}`, case: 'took-nothing' }
  // With a numeric code, the message repeats the whole command line with the file's path.
  if (typeof code !== 'number') return { words: error.message, case: 'job-ended' }
  const reason = 'stdout' in error && typeof error.stdout === 'string' ? findReason(error.stdout) : ''
  const words = reason === '' ? `SumatraPDF ended with code ${code}` : `SumatraPDF: ${reason}`
  if (labelRefused.test(reason)) return { words, case: 'label-refused' }
  return { words, case: tookNothing.test(reason) ? 'took-nothing' : 'job-ended' }
}

/** The line with the reason, or else the last one, without the path of the label's file. */
function findReason(output: string): string {
  const lines = output.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  const isReason = (each: string) => labelRefused.test(each) || tookNothing.test(each)
  const line = lines.findLast(isReason) ?? lines.at(-1) ?? ''
  return line.replace(/[^\s'"]*label\.pdf/g, 'the label').slice(0, 300)
}
