import { resolve } from 'node:path'
import type { PrinterRemark } from '../../../shared/printerRemarks'
import {
  type OfferedStock,
  type Printer,
  type PrinterCheck,
  type SocketPrinter,
  type SystemPrinter,
  type SystemQueue,
  stockSchema,
} from '../../../shared/printing'
import { ok } from '../../../shared/result'
import { findSystemProgram, runProgram } from '../../lib/programs'
import { toReason } from '../../lib/toReason'
import {
  findCupsQueue,
  findMedia,
  findPrintServer,
  findProfileOptions,
  getDrawingDpi,
  listNamedMedia,
} from '../cups/cupsQueue'
import { askPrintServer, groupTag, operation, toText, toTexts } from '../cups/ipp'
import { type PageSize, toTenth } from '../layout/geometry'
import { refuseMissingStock } from '../layout/labelLayout'
import type { Rasterizer } from '../raster/rasterizer'
import { createCupsDriver } from './cups'
import type { PrinterDrivers } from './driver'
import { createFolderDriver, requireWritable } from './folder'
import { createSocketDriver, toAddress } from './socket'
import { openConnection } from './socketSession'
import { createWindowsDriver, loadWindowsPrinting, refusedProfile } from './windows'
import { readWindowsQueues, readWindowsStatus } from './windowsQueues'

export interface PrinterDriversDeps {
  platform: NodeJS.Platform
  /** Absolute; relative folders of folder printers lie in it. */
  dataFolder: string
  /** SumatraPDF's program file outside of the app's archive; used on Windows only. */
  sumatraPdfPath: string
  rasterizer: Rasterizer
}

/** Creates the drivers for an operating system. */
export function createPrinterDrivers({
  platform,
  dataFolder,
  sumatraPdfPath,
  rasterizer,
}: PrinterDriversDeps): PrinterDrivers {
  return {
    folder: createFolderDriver(dataFolder, rasterizer),
    system:
      platform === 'win32'
        ? createWindowsDriver({ load: loadWindowsPrinting, sumatraPdfPath, rasterizer })
        : createCupsDriver(rasterizer),
    socket: createSocketDriver(rasterizer),
  }
}

const connectMs = 3000
const statusTimeoutMs = 1500
/** For a question to the system's spooler; short, because a person waits for the answer. */
const spoolerTimeoutMs = 5000

/**
 * Checks whether a printer can be reached and what it reports, without printing.
 * @param dataFolder absolute; relative folders of printers lie in it
 */
export function probePrinter(
  printer: Printer,
  dataFolder: string,
  platform: NodeJS.Platform,
): Promise<PrinterCheck> {
  switch (printer.driver) {
    case 'socket':
      return checkSocket(printer)
    case 'system':
      return platform === 'win32' ? checkWindows(printer) : checkCups(printer)
    case 'folder':
      return checkFolder(resolve(dataFolder, printer.path))
  }
}

async function checkSocket(printer: SocketPrinter): Promise<PrinterCheck> {
  const subject = toAddress(printer)
  const connection = await openConnection(printer, connectMs, AbortSignal.timeout(connectMs + 100))
  if (!connection.ok) return unreachable('unreachable', { subject }, [connection.error])
  const status = await connection.value.ask('status', statusTimeoutMs)
  const closed = connection.value.ended() !== undefined
  connection.value.destroy()
  if (status !== undefined) return toCheck(subject, status.remarks)
  return closed
    ? unreachable('unreachable', { subject }, [{ code: 'closed-unread' }])
    : reachable('no-status', { subject })
}

async function checkCups(printer: SystemPrinter): Promise<PrinterCheck> {
  const queue = await findCupsQueue(printer, AbortSignal.timeout(spoolerTimeoutMs))
  if (!queue.ok) return { ...unreachable('failed'), error: queue.error }
  const media = findMedia(queue.value, printer)
  const answer = reachable('queue-ready', { subject: printer.queue, media: media.ok ? media.value : '' })
  const offered = media.ok ? ok(undefined) : refuseMissingStock([media.error], printer)
  if (!offered.ok) return { ...answer, code: 'failed', error: offered.error }
  const profile =
    getDrawingDpi(queue.value, printer) === undefined ? await findProfileOptions(printer) : ok([])
  return profile.ok ? answer : { ...answer, code: 'failed', error: profile.error }
}

async function checkWindows(printer: SystemPrinter): Promise<PrinterCheck> {
  const refused = refusedProfile(printer)
  if (refused !== undefined) return { ...unreachable('failed'), error: refused }
  const status = await readWindowsStatus(printer.queue)
  if (!status.ok) return unreachable(status.error, { subject: printer.queue })
  return toCheck(printer.queue, status.value)
}

async function checkFolder(folder: string): Promise<PrinterCheck> {
  try {
    await requireWritable(folder)
    return reachable('folder-ready', { subject: folder })
  } catch (error) {
    const words = toReason(error)
    return unreachable('folder-not-writable', { subject: folder }, [{ code: 'system-words', words }])
  }
}

/** The result for a printer that reports its status. */
function toCheck(subject: string, remarks: PrinterRemark[]): PrinterCheck {
  return { ...reachable(remarks.length === 0 ? 'ready' : 'with-remarks', { subject }), remarks }
}

function unreachable(
  code: PrinterCheck['code'],
  details: PrinterCheck['details'] = {},
  remarks: PrinterRemark[] = [],
): PrinterCheck {
  return { code, details, reachable: false, remarks }
}

function reachable(code: PrinterCheck['code'], details: PrinterCheck['details']): PrinterCheck {
  return { code, details, reachable: true, remarks: [] }
}

/**
 * The print queues that the operating system offers. A machine without a print service, or whose print service does
 * not run, has none, which is no error.
 */
export function listSystemQueues(
  platform: NodeJS.Platform,
  readQueues: typeof readWindowsQueues = readWindowsQueues,
): Promise<SystemQueue[]> {
  return platform === 'win32' ? listWindowsQueues(readQueues) : listCupsQueues()
}

async function listCupsQueues(): Promise<SystemQueue[]> {
  const server = await findPrintServer()
  if (!server.ok) return []
  const [answer, standard] = await Promise.all([
    askPrintServer(server.value, {
      operation: operation.getPrinters,
      target: [],
      wanted: ['printer-name', 'printer-info', 'media-supported'],
    }),
    runProgram(findSystemProgram('lpstat'), ['-d'], { timeoutMs: spoolerTimeoutMs }),
  ])
  if (!answer.ok) return []
  const defaultQueue = standard.kind === 'success' ? getDefaultQueue(standard.output) : undefined
  return answer.value.groups
    .filter((group) => group.tag === groupTag.printer)
    .flatMap((group) => {
      const queue = toText(group, 'printer-name')
      if (queue === undefined) return []
      const description = toText(group, 'printer-info') ?? ''
      return [
        {
          queue,
          description: description === '' ? queue : description,
          isDefault: queue === defaultQueue,
          media: toTexts(group, 'media-supported'),
        },
      ]
    })
}

/**
 * The stocks that a printer's queue or driver offers; empty when it names none. A size that no stock can have is null.
 */
export async function listOfferedStocks(
  printer: Printer,
  platform: NodeJS.Platform,
  readQueues: typeof readWindowsQueues = readWindowsQueues,
): Promise<OfferedStock[]> {
  if (printer.driver !== 'system') return []
  if (platform === 'win32') {
    const queues = await readQueues()
    const papers = queues.ok ? queues.value.find(({ name }) => name === printer.queue)?.papers : undefined
    return (papers ?? []).map(({ name, size }) => toOfferedStock(name, size ?? null))
  }
  const queue = await findCupsQueue(printer, AbortSignal.timeout(spoolerTimeoutMs))
  return queue.ok
    ? listNamedMedia(queue.value.media).map(({ paper, size }) => toOfferedStock(paper, size))
    : []
}

function toOfferedStock(paper: string, size: PageSize | null): OfferedStock {
  const stock = size && { widthMm: toTenth(size.widthMm), heightMm: toTenth(size.heightMm) }
  const checked = stockSchema.safeParse(stock)
  return { paper, size: checked.success ? checked.data : null }
}

/** Reads `system default destination: QUEUE`, or QUEUE/NAME for a user's own instance of the queue. */
function getDefaultQueue(answer: string): string | undefined {
  return /^system default destination: ([^/\n]+)/m.exec(answer)?.[1]
}

async function listWindowsQueues(readQueues: typeof readWindowsQueues): Promise<SystemQueue[]> {
  const queues = await readQueues()
  // Windows' spooler service is off, or a policy forbids PowerShell.
  if (!queues.ok) return []
  return queues.value.map(({ name, isDefault, papers }) => ({
    queue: name,
    description: name,
    isDefault,
    media: papers.map((paper) => paper.name),
  }))
}
