import type { PrinterRemark } from '../../../shared/printerRemarks'
import { sayInEnglish } from '../../../shared/printerRemarks'
import type { SocketPrinter } from '../../../shared/printing'
import type { PrintContext, PrintOutcome } from './driver'
import { unconfirmed } from './printerErrors'
import type { PrinterConnection } from './socketConnection'
import { rest } from './socketConnection'
import { shortQuery } from './zplStatus'

/** Waits of the socket driver in milliseconds. */
export interface SocketWaits {
  connect: number
  /** Before each further attempt to connect. */
  retries: readonly number[]
  /** For an answer to a status query. */
  status: number
  /** Between two status queries while the printer needs someone. */
  poll: number
  /** Until it is said that the printer takes no data. */
  stall: number
  /** Until a printer that takes no data, or neither answers nor closes, is given up. */
  giveUp: number
}

export const usualWaits: SocketWaits = {
  connect: 3000,
  retries: [300, 1000, 2500],
  status: 400,
  poll: 1000,
  stall: 2000,
  giveUp: 60_000,
}

/** What goes with the bytes. */
interface Sending {
  context: PrintContext<SocketPrinter>
  waits: SocketWaits
  signal: AbortSignal
  /** Labels in the printer before; undefined when it tells nothing. */
  labelsBefore: number | undefined
}

/**
 * Writes all bytes and finds out whether the printer has them: it has when it answers a question that comes after them,
 * or when it closes the connection after our end.
 */
export async function sendLabel(
  connection: PrinterConnection,
  bytes: Buffer,
  sending: Sending,
): Promise<PrintOutcome> {
  const { context, waits, signal } = sending
  const watch = watchConnection(connection, sending)
  const stall = setTimeout(() => context.progress({ code: 'takes-no-data', says: [] }), waits.stall)
  const givenUpAfter = () => setTimeout(() => watch.doubt({ code: 'not-all-taken' }), waits.giveUp)
  let giveUp = givenUpAfter()
  const interrupt = () => watch.doubt(stopReason(signal))
  const stop = AbortSignal.any([signal, context.cancelled])
  if (stop.aborted) interrupt()
  stop.addEventListener('abort', interrupt, { once: true })
  try {
    await Promise.race([writeAll(connection, bytes), watch.ended])
    if (watch.outcome() === undefined && sending.labelsBefore !== undefined) {
      await followStatus(connection, sending, { watch, heard: () => clearTimers(stall, giveUp) })
      clearTimeout(giveUp)
      giveUp = givenUpAfter()
    }
    if (watch.outcome() === undefined) {
      watch.expectEnd()
      connection.socket.end()
      await watch.ended
    }
    return watch.outcome() ?? { kind: 'handed-over' }
  } finally {
    clearTimers(stall, giveUp)
    stop.removeEventListener('abort', interrupt)
    connection.socket.destroy()
  }
}

function clearTimers(...timers: NodeJS.Timeout[]): void {
  for (const timer of timers) clearTimeout(timer)
}

function stopReason(signal: AbortSignal): PrinterRemark {
  return { code: signal.aborted ? 'app-closed' : 'stopped-meanwhile' }
}

function writeAll({ socket }: PrinterConnection, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => socket.write(bytes, () => resolve()))
}

/** Sees how a connection ends, and judges it by what was to come. */
interface Watch {
  /** Resolves when the outcome is known. */
  ended: Promise<void>
  outcome(): PrintOutcome | undefined
  doubt(says: PrinterRemark): void
  handedOver(): void
  /** All bytes are written: from now on the printer's end says that it has them. */
  expectEnd(): void
}

function watchConnection({ socket }: PrinterConnection, { context }: Sending): Watch {
  const { printer, accepted } = context
  let outcome: PrintOutcome | undefined
  let endExpected = false
  let finish: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    finish = resolve
  })
  const settle = (settled: PrintOutcome) => {
    outcome ??= settled
    finish()
  }
  const doubt = (says: PrinterRemark) => settle({ kind: 'unconfirmed', error: unconfirmed(printer, says) })
  const handedOver = () => {
    if (outcome === undefined) accepted()
    settle({ kind: 'handed-over' })
  }
  const closedEarly = () => doubt({ code: 'closed-early' })
  socket.on('error', (error) => doubt({ code: 'connection-broke', words: error.message }))
  socket.on('end', () => (endExpected ? handedOver() : closedEarly()))
  socket.on('close', closedEarly)
  return {
    ended,
    outcome: () => outcome,
    doubt,
    handedOver,
    expectEnd() {
      endExpected = true
    },
  }
}

/**
 * Asks a printer that answers until it has printed what it was sent. Its answer proves that it has read all bytes before
 * the question; while a person is needed, the label waits in the printer. Ends without an outcome when it falls silent.
 */
async function followStatus(
  connection: PrinterConnection,
  { context, waits, signal, labelsBefore = 0 }: Sending,
  { watch, heard }: { watch: Watch; heard: () => void },
): Promise<void> {
  const stop = AbortSignal.any([signal, context.cancelled])
  let noted = ''
  for (;;) {
    const status = await Promise.race([connection.ask(shortQuery, waits.stall), watch.ended])
    if (watch.outcome() !== undefined || !status) return
    heard()
    const troubles = sayInEnglish(status.troubles)
    if (status.labelsInside <= labelsBefore && troubles === '') return watch.handedOver()
    if (troubles !== noted) {
      context.progress(troubles === '' ? null : { code: 'has-the-label', says: status.troubles })
    }
    noted = troubles
    await rest(troubles === '' ? Math.min(waits.poll, 200) : waits.poll, stop)
    if (watch.outcome() !== undefined) return
  }
}
