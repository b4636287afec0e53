import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { appError } from '../../../shared/errors'
import type { PrinterRemark } from '../../../shared/printerRemarks'
import type { SystemPrinter } from '../../../shared/printing'
import type { Result } from '../../../shared/result'
import { err } from '../../../shared/result'
import { planLabel } from '../labelPlan'
import type { Rasterizer } from '../raster/rasterizer'
import { nameOfPrinter } from '../routing'
import type { PrintContext, PrinterDriver, PrintOutcome } from './driver'
import { nothingPrinted } from './driver'
import { preparePdf } from './preparePdf'
import { notReady, unconfirmed } from './printerErrors'
import { paperForStock } from './windowsPaper'
import type { WindowsPrinting } from './windowsPrinting'
import { describeProblem } from './windowsPrinting'
import { readWindowsStatus } from './windowsStatus'

const usualTimeoutMs = 60_000

/** What printing on Windows needs. */
export interface WindowsDriverOptions {
  /** Loads pdf-to-printer, which only Windows needs. */
  load(): Promise<WindowsPrinting>
  /** SumatraPDF's program file, outside of the app's archive: Windows can't start a program inside it. */
  sumatraPdfPath: string
  rasterizer: Pick<Rasterizer, 'measure'>
  timeoutMs?: number
  /** Asks Windows how a printer is. */
  statusOf?: typeof readWindowsStatus
}

type Context = PrintContext<SystemPrinter>

/**
 * Prints on Windows through SumatraPDF. Its success says that Windows' spooler took the label, not that it came out;
 * after a time-out it may still print.
 */
export function createWindowsDriver(options: WindowsDriverOptions): PrinterDriver<SystemPrinter> {
  const papers = new Map<string, string[]>()

  return {
    cancellable: false,
    async print(context, signal) {
      const { printer } = context
      const pdf = await prepare(context, options.rasterizer)
      if (!pdf.ok) return nothingPrinted(pdf.error)
      const folder = await mkdtemp(path.join(tmpdir(), 'packbench-'))
      try {
        const file = path.join(folder, 'label.pdf')
        await writeFile(file, pdf.value, { mode: 0o600 })
        const printing = await options.load()
        const paperSize = paperForStock(await papersOf(printing, printer.queue, papers), printer.stock)
        const notReady = await troubleOf(context, options.statusOf ?? readWindowsStatus)
        if (notReady !== undefined) return notReady
        if (signal.aborted || !(await context.begin())) return { kind: 'not-started' }
        const printed = printing.print(file, printOptions(printer, options.sumatraPdfPath, paperSize))
        return await outcomeOf(printed, { context, signal, timeoutMs: options.timeoutMs ?? usualTimeoutMs })
      } catch (error) {
        return windowsFailure(error, printer)
      } finally {
        // A program that was given up may still hold the file; the system clears its temporary folder later.
        await rm(folder, { recursive: true, force: true }).catch(() => undefined)
      }
    },
  }
}

async function prepare(context: Context, rasterizer: Pick<Rasterizer, 'measure'>): Promise<Result<Buffer>> {
  const { label, printer } = context
  if (label.kind === 'zpl') {
    return err(
      appError(
        'printer-takes-no-zpl',
        `The label is ZPL, which Windows printer ${printer.queue} does not take: print it on a printer set up by its network address.`,
        { printer: nameOfPrinter(printer), queue: printer.queue },
      ),
    )
  }
  const plan = await planLabel(context, rasterizer)
  return plan.ok ? preparePdf(label.bytes, printer, plan.value) : plan
}

/**
 * What Windows says of the printer becomes a note, because its spooler keeps the label until the printer is ready;
 * with a standby the label goes there instead. That nothing is known stops nothing.
 */
async function troubleOf(
  { printer, hasStandby, progress }: Context,
  statusOf: typeof readWindowsStatus,
): Promise<PrintOutcome | undefined> {
  const status = await statusOf(printer.queue)
  if (!status.ok || status.value.troubles.length === 0) return undefined
  const says = status.value.troubles
  progress({ code: 'windows-says', says })
  return hasStandby ? nothingPrinted(notReady(printer, says)) : undefined
}

/** Asking Windows for a driver's papers takes about a second, so it is done once for each queue. */
async function papersOf(
  printing: WindowsPrinting,
  queue: string,
  known: Map<string, string[]>,
): Promise<string[]> {
  const before = known.get(queue)
  if (before !== undefined) return before
  // Without the list the driver's own paper holds; whether printing works shows in a moment.
  const printers = await printing.getPrinters().catch(() => [])
  const papers = printers.find((printer) => printer.name === queue)?.paperSizes ?? []
  known.set(queue, papers)
  return papers
}

function printOptions(printer: SystemPrinter, sumatraPdfPath: string, paperSize: string | undefined) {
  const { widthMm, heightMm } = printer.stock
  return {
    printer: printer.queue,
    scale: 'noscale' as const,
    orientation: widthMm > heightMm ? ('landscape' as const) : ('portrait' as const),
    copies: printer.copies,
    silent: true,
    sumatraPdfPath,
    ...(paperSize !== undefined && { paperSize }),
  }
}

async function outcomeOf(
  printed: Promise<void>,
  { context, signal, timeoutMs }: { context: Context; signal: AbortSignal; timeoutMs: number },
): Promise<PrintOutcome> {
  const finished = new AbortController()
  const waitSignal = AbortSignal.any([signal, finished.signal])
  const late: PrinterRemark = { code: 'spooler-late' }
  const closed: PrinterRemark = { code: 'app-closed' }
  const tooLate = pause(timeoutMs, late, { signal: waitSignal }).catch(() => closed)
  try {
    const doubt = await Promise.race([printed.then(() => undefined), tooLate])
    if (doubt !== undefined) return { kind: 'unconfirmed', error: unconfirmed(context.printer, doubt) }
    context.accepted()
    return { kind: 'handed-over' }
  } finally {
    finished.abort()
  }
}

function windowsFailure(error: unknown, printer: SystemPrinter): PrintOutcome {
  const problem = describeProblem(error)
  const name = nameOfPrinter(printer)
  return {
    kind: 'failed',
    nothingPrinted: problem.nothingStarted,
    error: {
      ...appError(
        'printer-failed',
        `Windows printer ${printer.queue} did not take the label (${problem.words}): see to printer ${name}, look whether a label came out, and print again.`,
        { printer: name, queue: printer.queue },
      ),
      says: [{ code: 'system-words', words: problem.words }],
    },
  }
}
