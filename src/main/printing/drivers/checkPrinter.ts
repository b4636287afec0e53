import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Printer, SocketPrinter, SystemPrinter } from '../../../shared/printing'
import type { PrinterCheck } from '../../../shared/printingBridge'
import { findCupsQueue, mediaForStock } from './cupsQueue'
import { openConnection } from './socketConnection'
import { readWindowsStatus } from './windowsStatus'
import { statusQuery } from './zplStatus'

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
  const address = `${printer.host}:${printer.port}`
  const connection = await openConnection(printer, connectMs, AbortSignal.timeout(connectMs + 100))
  if (!connection.ok)
    return unreachable(`${address} can't be reached (${connection.error}).`, 'unreachable', {
      subject: address,
      reason: connection.error,
    })
  const status = await connection.value.ask(statusQuery, answerMs)
  connection.value.socket.destroy()
  if (status === undefined) {
    return sound(
      false,
      `${address} is reached; it does not tell its state, which is no fault.`,
      'no-status',
      {
        subject: address,
      },
    )
  }
  return {
    ...stateOf(address, status.troubles),
    message:
      status.troubles.length === 0
        ? `${address} is reached and ready.`
        : `${address} is reached and says that ${status.troubles.join(', ')}.`,
  }
}

async function checkCups(printer: SystemPrinter): Promise<PrinterCheck> {
  const queue = await findCupsQueue(printer, AbortSignal.timeout(askMs))
  if (!queue.ok) return unreachable(queue.error.message)
  const media = mediaForStock(queue.value, printer)
  if (!media.ok)
    return {
      reachable: true,
      answersStatus: true,
      troubles: [media.error.message],
      message: media.error.message,
    }
  return sound(
    true,
    `Print queue ${printer.queue} takes jobs and knows the label size (${media.value}).`,
    'queue-ready',
    { subject: printer.queue, media: media.value },
  )
}

async function checkWindows(printer: SystemPrinter): Promise<PrinterCheck> {
  const status = await readWindowsStatus(printer.queue)
  if (!status.ok) return unreachable(status.error)
  const { troubles } = status.value
  const message =
    troubles.length === 0
      ? `Windows printer ${printer.queue} is ready.`
      : `Windows says of printer ${printer.queue}: ${troubles.join(', ')}.`
  return { ...stateOf(printer.queue, troubles), message }
}

async function checkFolder(folder: string): Promise<PrinterCheck> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
    return sound(true, `Folder ${folder} can be written to.`, 'folder-ready', { subject: folder })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return unreachable(`Folder ${folder} can't be written to (${reason}).`, 'folder-not-writable', {
      subject: folder,
      reason,
    })
  }
}

type Wording = Pick<PrinterCheck, 'code' | 'details'>

/** A printer that tells its state: ready, or what is the matter with it. */
function stateOf(subject: string, troubles: string[]): Omit<PrinterCheck, 'message'> {
  const code = troubles.length === 0 ? 'ready' : 'troubled'
  return {
    reachable: true,
    answersStatus: true,
    troubles,
    code,
    details: { subject, troubles: troubles.join(', ') },
  }
}

function unreachable(
  message: string,
  code?: Wording['code'],
  details: Wording['details'] = {},
): PrinterCheck {
  const check = { reachable: false, answersStatus: false, troubles: [message], message }
  return code === undefined ? check : { ...check, code, details }
}

function sound(
  answersStatus: boolean,
  message: string,
  code: NonNullable<Wording['code']>,
  details: NonNullable<Wording['details']>,
): PrinterCheck {
  return { reachable: true, answersStatus, troubles: [], message, code, details }
}
