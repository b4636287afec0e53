import type { Socket } from 'node:net'
import { connect } from 'node:net'
import type { AppError } from '../../../shared/errors'
import { appError } from '../../../shared/errors'
import type { SocketPrinter } from '../../../shared/printing'
import type { Result } from '../../../shared/result'
import { ok } from '../../../shared/result'
import type { PrintableLabel } from '../ports'
import type { Rasterizer } from '../raster/rasterizer'
import { zplLayoutOf } from '../raster/zpl'
import { nameOfPrinter } from '../routing'
import { checkPagesFit } from '../stock'
import type { PrintContext, PrinterDriver, PrintOutcome } from './driver'
import { nothingPrinted } from './driver'

/** Waits of the socket driver in milliseconds. */
export interface SocketWaits {
  connect: number
  /** Until it is said that the printer takes no data. */
  stall: number
  /** Until a printer that takes no data, or does not close, is given up. */
  giveUp: number
}

const usualWaits: SocketWaits = { connect: 3000, stall: 2000, giveUp: 60_000 }

type Context = PrintContext<SocketPrinter>

/**
 * Sends ZPL to a label printer's TCP port: ZPL labels as they are, PDFs drawn dot for dot. The printer has the label
 * when it has closed the connection after the last byte; whatever happens between the first byte and that leaves it
 * open whether a label came out.
 */
export function createSocketDriver(
  rasterizer: Pick<Rasterizer, 'measure' | 'renderZpl'>,
  waits: SocketWaits = usualWaits,
): PrinterDriver<SocketPrinter> {
  return {
    cancellable: false,
    async print(context, signal) {
      const zpl = await zplOfLabel(context.label, context.printer, rasterizer)
      if (signal.aborted) return { kind: 'not-started' }
      if (!zpl.ok) return nothingPrinted(zpl.error)
      const connection = await open(context.printer, waits.connect, signal)
      if (signal.aborted) {
        connection.socket.destroy()
        return { kind: 'not-started' }
      }
      if (connection.failure !== undefined) return unreachable(context.printer, connection.failure)
      return send(connection.socket, zpl.value, { context, waits, signal })
    },
  }
}

async function zplOfLabel(
  label: PrintableLabel,
  printer: SocketPrinter,
  rasterizer: Pick<Rasterizer, 'measure' | 'renderZpl'>,
): Promise<Result<Buffer>> {
  if (label.kind === 'zpl') {
    return ok(Buffer.concat(Array.from({ length: printer.copies }, () => label.bytes)))
  }
  const pages = await rasterizer.measure(label.bytes)
  if (!pages.ok) return pages
  const fits = checkPagesFit(pages.value, printer)
  return fits.ok ? rasterizer.renderZpl(label.bytes, zplLayoutOf(printer)) : fits
}

function open(
  { host, port }: SocketPrinter,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ socket: Socket; failure?: string }> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true })
    const end = (failure?: string) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      socket.removeListener('error', failed)
      if (failure === undefined) return resolve({ socket })
      socket.on('error', () => undefined)
      socket.destroy()
      resolve({ socket, failure })
    }
    const failed = (error: Error & { code?: unknown }) =>
      end(typeof error.code === 'string' ? error.code : error.message)
    const abort = () => end('closing')
    const timer = setTimeout(() => end(`no answer within ${timeoutMs / 1000} s`), timeoutMs)
    signal.addEventListener('abort', abort, { once: true })
    socket.on('error', failed)
    socket.once('connect', () => end())
  })
}

/** Writes all bytes, says that there are no more, and waits until the printer says so too. */
function send(
  socket: Socket,
  bytes: Buffer,
  { context, waits, signal }: { context: Context; waits: SocketWaits; signal: AbortSignal },
): Promise<PrintOutcome> {
  const { printer, progress, accepted } = context
  return new Promise((resolve) => {
    let allWritten = false
    const end = (outcome: PrintOutcome) => {
      clearTimeout(stall)
      clearTimeout(giveUp)
      signal.removeEventListener('abort', abort)
      socket.destroy()
      resolve(outcome)
    }
    const doubt = (reason: string) => end({ kind: 'unconfirmed', error: unconfirmed(printer, reason) })
    const abort = () => doubt('Packbench was closed while the label was being sent')
    const stall = setTimeout(
      () =>
        progress('The printer has not taken the whole label yet: it may be out of labels, open or paused.'),
      waits.stall,
    )
    const giveUp = setTimeout(() => doubt('it has not taken the whole label'), waits.giveUp)
    const closedEarly = () => doubt('it closed the connection before it had the whole label')
    signal.addEventListener('abort', abort, { once: true })
    socket.on('error', (error) => doubt(`the connection broke: ${error.message}`))
    socket.on('end', () => {
      if (!allWritten) return closedEarly()
      accepted()
      end({ kind: 'handed-over' })
    })
    socket.on('close', closedEarly)
    // What a printer says meanwhile is not asked for; unread it would keep the end of the connection from being seen.
    socket.resume()
    socket.end(bytes, () => {
      allWritten = true
    })
  })
}

function unreachable(printer: SocketPrinter, reason: string): PrintOutcome {
  const name = nameOfPrinter(printer)
  const address = `${printer.host}:${printer.port}`
  return nothingPrinted(
    appError(
      'printer-unreachable',
      `Printer ${name} at ${address} can't be reached (${reason}): check that it is on and that its address is right, or choose another printer.`,
      { printer: name, address, reason },
    ),
  )
}

function unconfirmed(printer: SocketPrinter, reason: string): AppError {
  const name = nameOfPrinter(printer)
  return appError(
    'print-unconfirmed',
    `It is not known whether printer ${name} printed the label (${reason}): look at the printer, then say so or print again.`,
    { printer: name, reason },
  )
}
