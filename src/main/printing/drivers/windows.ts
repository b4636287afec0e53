import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type AppError, appError } from '../../../shared/errors'
import type { LabelFinding } from '../../../shared/labels'
import type { PrinterRemark } from '../../../shared/printerRemarks'
import { type Dpi, getPrinterName, type SystemPrinter } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { toReason } from '../../lib/toReason'
import { notSupported, refusedByDriver, statedProfile } from '../cups/cupsQueue'
import { toMissingStock } from '../layout/labelLayout'
import type { LaidPdf, Rasterizer } from '../raster/rasterizer'
import { sheetPdf, toSinglePages } from '../raster/sheetPdf'
import {
  nothingPrinted,
  nothingToCalibrate,
  notReady,
  type PrintContext,
  type PrinterDriver,
  type PrintOutcome,
  unconfirmed,
  withFinding,
} from './driver'
import { createBrokenPictures } from './printerBytes'
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
  releaseLeftJobs,
  type SpoolerWaits,
} from './windowsRaw'
import { loadWindowsSpooler, type WindowsSpooler } from './winspool'

const usualTimeoutMs = 60_000

export interface WindowsDriverDeps {
  /** Loads pdf-to-printer, which only Windows needs. */
  load(): Promise<WindowsPrinting>
  /** SumatraPDF's program file, outside of the app's archive: Windows can't start a program inside it. */
  sumatraPdfPath: string
  rasterizer: Pick<Rasterizer, 'renderZpl'>
  /** Loads Windows' print spooler, to which printers of a known language get their bytes. */
  loadSpooler?: typeof loadWindowsSpooler
  spoolerWaits?: SpoolerWaits
  timeoutMs?: number
  /** Asks Windows how a printer is. */
  toStatus?: typeof readWindowsStatus
  /** Asks Windows for its printers and their papers. */
  toQueues?: typeof readWindowsQueues
}

type Context = PrintContext<SystemPrinter>

/**
 * Prints on Windows: raw bytes through the spooler for printers whose language is known, else through SumatraPDF. Its
 * success says that Windows' spooler took the label, not that it came out; after a time-out it may still print.
 */
export function createWindowsDriver(deps: WindowsDriverDeps): PrinterDriver<SystemPrinter> {
  // Asking takes about a second, so it is done once for each queue.
  const papers = new Map<string, WindowsPaper[]>()

  const pictures = createBrokenPictures()
  let spooler: Promise<WindowsSpooler> | undefined

  const loadSpooler = () => {
    spooler ??= (deps.loadSpooler ?? loadWindowsSpooler)()
    return spooler
  }

  async function sendPast(send: typeof printRaw, context: PrintContext<RawPrinter>, signal: AbortSignal) {
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
      return sendPast(calibrateRaw, { ...context, printer }, signal)
    },
    async removeLeftovers(printer, isOver) {
      return isRawPrinter(printer) ? releaseLeftJobs(printer.queue, await loadSpooler(), isOver) : 0
    },
    async print(context, signal) {
      const { printer } = context
      if (isRawPrinter(printer)) return sendPast(printRaw, { ...context, printer }, signal)
      const choice = paperFor(
        printer,
        await listPapers(printer.queue, deps.toQueues ?? readWindowsQueues, papers),
      )
      const pdf = await prepare(choice.ok ? context : withFinding(context, choice.error), deps.rasterizer)
      if (!pdf.ok) return nothingPrinted(pdf.error)
      const folder = await mkdtemp(path.join(tmpdir(), 'packbench-'))
      try {
        const file = path.join(folder, 'label.pdf')
        await writeFile(file, pdf.value.pdf, { mode: 0o600 })
        const printing = await deps.load()
        const notReady = await findRemark(context, deps.toStatus ?? readWindowsStatus)
        if (notReady !== undefined) return notReady
        if (context.cancelled.aborted) return { kind: 'cancelled' }
        if (signal.aborted || !(await context.claim())) return { kind: 'not-started' }
        const printed = printing.print(
          file,
          printOptions(printer, { ...deps, copies: pdf.value.copies }, choice.ok ? choice.value : undefined),
        )
        return await toOutcome(printed, { context, signal, timeoutMs: deps.timeoutMs ?? usualTimeoutMs })
      } catch (error) {
        return windowsFailure(error, printer)
      } finally {
        // A program that was given up may still hold the file; the system clears its temporary folder later.
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
  const pdf = await sheetPdf(pages, toSinglePages(stock))
  return ok({ pdf, copies: isOneLabel ? copies : 1 })
}

/** Why a printer's settings can't be printed with: Windows' drivers take nothing of a profile from a program. */
export function refusedProfile(printer: SystemPrinter): AppError | undefined {
  if (isRawPrinter(printer)) return undefined
  const [stated] = statedProfile(printer)
  return refusedByDriver(printer) ?? (stated && notSupported(stated, printer))
}

function noSpooler(printer: SystemPrinter, error: unknown): AppError {
  const details = { case: 'no-spooler', printer: getPrinterName(printer), queue: printer.queue } as const
  return appError('printer-failed', details, [{ code: 'system-words', words: toReason(error) }])
}

/** Beyond this many square millimetres a stock is an office printer's paper, whose pages must not become too large. */
const maxFineArea = 25_000

/** The driver fits the picture to its own dots, so where these are not stated it gets more than label printers have. */
function toDpi({ dpi, stock }: SystemPrinter): Dpi {
  return dpi ?? (stock.widthMm * stock.heightMm > maxFineArea ? 300 : 600)
}

/**
 * What Windows says of the printer becomes a note, because its spooler keeps the label until the printer is ready;
 * with a standby the label goes there instead. That nothing is known stops nothing.
 */
async function findRemark(
  { printer, hasStandby, progress }: Context,
  toStatus: typeof readWindowsStatus,
): Promise<PrintOutcome | undefined> {
  const status = await toStatus(printer.queue)
  if (!status.ok || status.value.length === 0) return undefined
  const says = status.value
  progress({ code: 'windows-says', says })
  return hasStandby ? nothingPrinted(notReady(printer, says)) : undefined
}

async function listPapers(
  queue: string,
  toQueues: typeof readWindowsQueues,
  known: Map<string, WindowsPaper[]>,
): Promise<WindowsPaper[] | undefined> {
  const before = known.get(queue)
  if (before !== undefined) return before
  const queues = await toQueues()
  const papers = queues.ok ? queues.value.find(({ name }) => name === queue)?.papers : undefined
  if (papers === undefined || papers.length === 0) return undefined
  known.set(queue, papers)
  return papers
}

/**
 * The paper for a printer's stock, and how the page lies on it. Without one the page of another paper would be taken,
 * and the label cut, so a person is asked; one who prints anyway gets what SumatraPDF finds. Where the papers can't be known, SumatraPDF looks for one of the page's size by
 * itself; it gets a high page right, while a wide one would be turned and cut. A paper that a person chose is told
 * without an orientation, which would go by sides that are not known.
 * @param papers undefined when Windows did not say
 */
function paperFor(
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

/** A driver may offer a hundred papers; the operator's eye finds the own one among some. */
const namedPapers = 12

function namePapers(papers: readonly WindowsPaper[]): string[] {
  const names = papers.slice(0, namedPapers).map(({ name }) => name)
  return papers.length > namedPapers ? [...names, '…'] : names
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
    const uncertainty = await Promise.race([printed.then(() => undefined), tooLate])
    if (uncertainty !== undefined)
      return { kind: 'unconfirmed', error: unconfirmed(context.printer, uncertainty) }
    context.accepted()
    return { kind: 'handed-over' }
  } finally {
    finished.abort()
  }
}

function windowsFailure(error: unknown, printer: SystemPrinter): PrintOutcome {
  const { words, ...failure } = describeFailure(error)
  const details = { ...failure, printer: getPrinterName(printer), queue: printer.queue }
  return {
    kind: 'failed',
    nothingPrinted: failure.case !== 'job-ended',
    error: appError('printer-failed', details, [{ code: 'system-words', words }]),
  }
}

/** The part of pdf-to-printer that the app uses. */
export interface WindowsPrinting {
  /** Resolves when SumatraPDF has ended well. */
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
 * Loads pdf-to-printer, which is left out of the bundle: it looks for its programs beside its own file. It is asked for
 * with `require`, because its bundle hides its names from `import`.
 */
export async function loadWindowsPrinting(): Promise<WindowsPrinting> {
  const pdfToPrinter: typeof import('pdf-to-printer') = createRequire(import.meta.url)('pdf-to-printer')
  return pdfToPrinter
}

/** What SumatraPDF says when it ends before it gave Windows a page. */
const labelRefused = /couldn't open file|cannot print this file/i
const tookNothing = /printer with given name|couldn't initialize printer|CreateDC|StartDoc/i

/**
 * What pdf-to-printer rejects with, in words: errors of programs, and plain texts where it is not on Windows.
 * `job-ended`: pages may have gone to Windows. Otherwise nothing can have been printed: the printer took nothing, or this
 * label was refused.
 */
function describeFailure(error: unknown): {
  words: string
  case: 'took-nothing' | 'label-refused' | 'job-ended'
} {
  if (!(error instanceof Error)) return { words: String(error), case: 'took-nothing' }
  const code = 'code' in error ? error.code : undefined
  // ENOENT, EACCES and their like: the system could not start the program.
  if (typeof code === 'string' && /^E[A-Z0-9]+$/.test(code))
    return { words: `${code}: ${error.message}`, case: 'took-nothing' }
  // The message repeats the whole command line, file path and all.
  if (typeof code !== 'number') return { words: error.message, case: 'job-ended' }
  const said = 'stdout' in error && typeof error.stdout === 'string' ? reasonIn(error.stdout) : ''
  const words = said === '' ? `SumatraPDF ended with code ${code}` : `SumatraPDF: ${said}`
  if (labelRefused.test(said)) return { words, case: 'label-refused' }
  return { words, case: tookNothing.test(said) ? 'took-nothing' : 'job-ended' }
}

/** The line that tells why, without the path of the label's file; the last one when none is known. */
function reasonIn(output: string): string {
  const lines = output.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  const tells = (each: string) => labelRefused.test(each) || tookNothing.test(each)
  const line = lines.findLast(tells) ?? lines.at(-1) ?? ''
  return line.replace(/[^\s'"]*label\.pdf/g, 'the label').slice(0, 300)
}
