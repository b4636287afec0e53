import { constants, existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import path from 'node:path'
import type { PrinterRemark } from '../../../shared/printerRemarks'
import type { Printer, PrinterCheck, SocketPrinter, SystemPrinter } from '../../../shared/printing'
import { ok } from '../../../shared/result'
import { toReason } from '../../lib/toReason'
import { findProfileOptions } from '../cups/cupsOptions'
import { drawnDpi, findCupsQueue, mediaForStock } from '../cups/cupsQueue'
import { toAddress } from './socket'
import { openConnection } from './socketConnection'
import { refusedProfile } from './windows'
import { readWindowsStatus } from './windowsStatus'

const connectMs = 3000
const answerMs = 1500
const askMs = 5000

/**
 * Looks whether a printer can be reached and how it is, without printing.
 * @param dataFolder absolute; relative folders of printers lie in it
 */
export function checkPrinter(
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
      return checkFolder(path.resolve(dataFolder, printer.path))
  }
}

async function checkSocket(printer: SocketPrinter): Promise<PrinterCheck> {
  const subject = toAddress(printer)
  const connection = await openConnection(printer, connectMs, AbortSignal.timeout(connectMs + 100))
  if (!connection.ok) return unreachable('unreachable', { subject }, [connection.error])
  const status = await connection.value.ask('status', answerMs)
  const closed = connection.value.ended() !== undefined
  connection.value.destroy()
  if (status !== undefined) return getState(subject, status.remarks)
  return closed
    ? unreachable('unreachable', { subject }, [{ code: 'closed-unread' }])
    : { ...sound('no-status', { subject }), answersStatus: false }
}

async function checkCups(printer: SystemPrinter): Promise<PrinterCheck> {
  const queue = await findCupsQueue(printer, AbortSignal.timeout(askMs))
  if (!queue.ok) return { ...unreachable('failed'), error: queue.error }
  const media = mediaForStock(queue.value, printer)
  const answer = sound('queue-ready', { subject: printer.queue, media: media.ok ? media.value : '' })
  if (!media.ok) return { ...answer, code: 'failed', error: media.error }
  const profile = drawnDpi(queue.value, printer) === undefined ? await findProfileOptions(printer) : ok([])
  return profile.ok ? answer : { ...answer, code: 'failed', error: profile.error }
}

async function checkWindows(printer: SystemPrinter): Promise<PrinterCheck> {
  const refused = refusedProfile(printer)
  if (refused !== undefined) return { ...unreachable('failed'), error: refused }
  const status = await readWindowsStatus(printer.queue)
  if (!status.ok) return unreachable(status.error, { subject: printer.queue })
  return getState(printer.queue, status.value.remarks)
}

async function checkFolder(folder: string): Promise<PrinterCheck> {
  try {
    // The slash lets a file fail that is in the folder's place.
    await access(`${nearestFolder(folder)}${path.sep}`, constants.W_OK)
    return sound('folder-ready', { subject: folder })
  } catch (error) {
    const words = toReason(error)
    return unreachable('folder-not-writable', { subject: folder }, [{ code: 'system-words', words }])
  }
}

/** The folder itself, or the one in which the first print will make it. */
function nearestFolder(folder: string): string {
  const parent = path.dirname(folder)
  return existsSync(folder) || parent === folder ? folder : nearestFolder(parent)
}

/** A printer that tells its state: ready, or what is the matter with it. */
function getState(subject: string, remarks: PrinterRemark[]): PrinterCheck {
  return { ...sound(remarks.length === 0 ? 'ready' : 'with-remarks', { subject }), remarks }
}

function unreachable(
  code: PrinterCheck['code'],
  details: PrinterCheck['details'] = {},
  remarks: PrinterRemark[] = [],
): PrinterCheck {
  return { code, details, reachable: false, answersStatus: false, remarks }
}

function sound(code: PrinterCheck['code'], details: PrinterCheck['details']): PrinterCheck {
  return { code, details, reachable: true, answersStatus: true, remarks: [] }
}
