import { appError } from '../../../shared/errors'
import { type PrinterRemark, sayInEnglish } from '../../../shared/printerRemarks'
import { getPrinterName, isDevicePath, type SocketPrinter } from '../../../shared/printing'
import { ok, type Result } from '../../../shared/result'
import { toQuestion, toZplLayout } from '../layout/labelLayout'
import { calibrationCommand } from '../raster/labelLanguages'
import type { Rasterizer } from '../raster/rasterizer'
import {
  nothingPrinted,
  nothingToCalibrate,
  notReady,
  type PrintContext,
  type PrinterDriver,
  type PrintOutcome,
} from './driver'
import { createBrokenPictures, type PrinterBytes, toPrinterBytes } from './printerBytes'
import { sendAnswered, sendSilent } from './socketSending'
import {
  type Look,
  type PrinterConnection,
  rest,
  SocketSession,
  type SocketWaits,
  usualWaits,
} from './socketSession'
import { statusProtocols } from './zplStatus'

/** For the answer of a printer that has nothing to print: nobody waits for it. */
const idleLookMs = 1500

type Context = PrintContext<SocketPrinter>

/** A label that is drawn while its printer is asked. */
interface Drawing {
  /** Tells one drawing from another. */
  key: string
  zpl: Promise<Result<PrinterBytes>>
  /** Resolves when the label's pages have their places on the stock, or with why they have none. */
  placed: Promise<Result<unknown>>
}

/** How a printer was found before anything of a label was sent to it. */
type Ready =
  | { kind: 'ready'; connection: PrinterConnection; look: Look }
  | { kind: 'over'; outcome: PrintOutcome }

/**
 * Sends labels to a label printer's TCP port: ZPL labels as they are, PDFs drawn dot for dot in its language. Before the first byte of a
 * label nothing can have been printed, so it is tried again and waited for; after it, only what proves that the printer
 * has the label makes it handed over.
 */
export function createSocketDriver(
  rasterizer: Pick<Rasterizer, 'renderZpl'>,
  someWaits: Partial<SocketWaits> = {},
): PrinterDriver<SocketPrinter> {
  const waits = { ...usualWaits, ...someWaits }
  const sessions = new Map<string, SocketSession>()
  const pictures = createBrokenPictures()
  const getSession = (printer: SocketPrinter) => {
    // What is known of a printer is known of it in its language.
    const key = `${toAddress(printer)} ${printer.language ?? 'zpl'}`
    const session = sessions.get(key) ?? new SocketSession(printer, waits)
    sessions.set(key, session)
    return session
  }
  /** The last label of each printer, so that it is not drawn again whenever a printer that is away is tried again. */
  const drawings = new Map<string, Drawing>()
  const draw = (context: Context) => {
    const before = drawings.get(toAddress(context.printer))
    const drawing = getDrawing(context, rasterizer, before)
    drawings.set(toAddress(context.printer), drawing)
    return drawing
  }

  async function send(context: Context, drawing: Drawing, signal: AbortSignal): Promise<PrintOutcome> {
    const placed = await drawing.placed
    const session = getSession(context.printer)
    const unlock = await session.lock()
    try {
      const interrupted = interruption(context, signal)
      if (interrupted !== undefined) return interrupted.outcome
      if (!placed.ok) return nothingPrinted(placed.error)
      const ready = await makeReady(context, { session, waits, signal })
      if (ready.kind === 'over') return ready.outcome
      const zpl = await drawing.zpl
      if (!zpl.ok) return nothingPrinted(zpl.error)
      const checked = context.check(zpl.value.findings, zpl.value.barcodes)
      if (!checked.ok) return nothingPrinted(checked.error)
      if (!(await context.claim())) return { kind: 'not-started' }
      const { connection, look } = ready
      if (connection.ended() !== undefined) return unreachable(context.printer, { code: 'closed-unread' })
      const roomForNext = () => {
        unlock()
        context.roomForNext()
      }
      const sending = { connection, session, context: { ...context, roomForNext }, waits, signal }
      const { answersInOrder } = statusProtocols[context.printer.language ?? 'zpl']
      return await pictures.send(toAddress(context.printer), context.printer, zpl.value, (bytes) =>
        look.kind === 'tells' && answersInOrder
          ? sendAnswered(bytes, look, sending)
          : sendSilent(bytes, look.kind === 'tells', sending),
      )
    } finally {
      unlock()
      session.release()
    }
  }

  return {
    cancellable: true,
    async print(context, signal) {
      const drawing = draw(context)
      const outcome = await send(context, drawing, signal)
      const address = toAddress(context.printer)
      if (!isTriedAgain(outcome) && drawings.get(address) === drawing) drawings.delete(address)
      return outcome
    },
    async calibrate(context, signal) {
      const command = calibrationCommand(context.printer)
      if (command === undefined) return nothingPrinted(nothingToCalibrate(context.printer))
      const zpl = Promise.resolve(ok({ zpl: command, findings: [] }))
      return send(context, { key: '', zpl, placed: zpl }, signal)
    },
    async look(printer, signal) {
      const session = getSession(printer)
      const unlock = await session.lock()
      const wasOpen = session.isOpen()
      try {
        const connection = await session.connect(signal)
        if (!connection.ok) return { kind: 'away', error: unreachableError(printer, connection.error) }
        // A printer that never answers is not asked again and again: what it does not know it might print.
        if (session.isQuiet()) return { kind: 'silent' }
        const found = await session.look(connection.value, idleLookMs)
        if (found.kind === 'ended') return { kind: 'away', error: unreachableError(printer, found.says) }
        return found.kind === 'tells' ? { kind: 'tells', says: found.remarks } : found
      } finally {
        unlock()
        if (!wasOpen) session.drop()
        else session.release()
      }
    },
  }
}

/** Whether the same job comes back: its drawing is kept until then, and no longer. */
function isTriedAgain(outcome: PrintOutcome): boolean {
  if (outcome.kind === 'not-started') return true
  return outcome.kind === 'failed' && outcome.nothingPrinted && outcome.error.code === 'printer-unreachable'
}

/** Begins to draw a label, or goes on with the drawing of the attempt before. */
function getDrawing(
  context: Context,
  rasterizer: Pick<Rasterizer, 'renderZpl'>,
  before: Drawing | undefined,
): Drawing {
  const key = JSON.stringify([context.jobId, toZplLayout(context.printer, toQuestion(context))])
  if (before?.key === key) return before
  let begun: (placed: Result<unknown>) => void = () => undefined
  const begins = new Promise<Result<unknown>>((resolve) => {
    begun = resolve
  })
  const zpl = toPrinterBytes(context, rasterizer, () => begun(ok(undefined)))
  return { key, zpl, placed: Promise.race([begins, zpl]) }
}

interface MakingReady {
  session: SocketSession
  waits: SocketWaits
  signal: AbortSignal
}

/** Connects and asks how the printer is, again after a while when it can't be reached. */
async function makeReady(context: Context, making: MakingReady): Promise<Ready> {
  const { printer, cancelled, progress } = context
  const { session, waits, signal } = making
  const stop = AbortSignal.any([signal, cancelled])
  const retries = context.hasStandby ? waits.retries.slice(0, 1) : waits.retries
  // With a standby, a turn that another station takes would move labels there.
  if (!context.hasStandby) await session.giveTurn(stop)
  for (let attempt = 0; ; ) {
    const wasOpen = session.isOpen()
    const connection = await session.connect(stop)
    const found = connection.ok
      ? await waitUntilReady(connection.value, context, making)
      : { kind: 'ended' as const, says: connection.error }
    const interrupted = interruption(context, signal)
    if (interrupted !== undefined) return interrupted
    if (found.kind !== 'ended') {
      if (attempt > 0) progress(null)
      return found
    }
    // A printer may have closed a connection that was kept.
    if (wasOpen) continue
    const wait = retries[attempt]
    if (wait === undefined) return { kind: 'over', outcome: unreachable(printer, found.says) }
    progress({ code: 'trying-again', says: [found.says] })
    await rest(wait, stop)
    attempt += 1
  }
}

/** Waits while a person is needed at the printer. One that has never answered is taken as ready. */
async function waitUntilReady(
  connection: PrinterConnection,
  context: Context,
  { session, waits, signal }: MakingReady,
): Promise<Ready | Extract<Look, { kind: 'ended' }>> {
  const stop = AbortSignal.any([signal, context.cancelled])
  let noted = ''
  for (;;) {
    const look = await session.look(connection)
    const interrupted = interruption(context, signal)
    if (interrupted !== undefined) return interrupted
    if (look.kind === 'ended') return look
    if (look.kind === 'mute' && session.inside.length === 0) {
      // The printer at the other end may be gone without a word.
      session.drop()
      return { kind: 'ended', says: { code: 'no-answer-in-time' } }
    }
    const says = alertsIn(look)
    if (says.length === 0) {
      if (noted !== '') context.progress(null)
      return { kind: 'ready', connection, look }
    }
    if (context.hasStandby) {
      return { kind: 'over', outcome: nothingPrinted(notReady(context.printer, says)) }
    }
    const remarks = sayInEnglish(says)
    if (remarks !== noted) context.progress({ code: 'nothing-sent-yet', says })
    noted = remarks
    await rest(waits.poll, stop)
  }
}

function alertsIn(look: Exclude<Look, { kind: 'ended' }>): PrinterRemark[] {
  if (look.kind === 'tells') return look.remarks
  return look.kind === 'mute' ? [{ code: 'no-answer-in-time' }] : []
}

/** The end of a job of which nothing was sent, when the app is closing or a person took it back. */
function interruption(
  { cancelled }: Context,
  signal: AbortSignal,
): Extract<Ready, { kind: 'over' }> | undefined {
  if (signal.aborted) return { kind: 'over', outcome: { kind: 'not-started' } }
  if (cancelled.aborted) return { kind: 'over', outcome: { kind: 'cancelled' } }
  return undefined
}

/** Where a printer is, in words: its host and port, or its device. */
export function toAddress({ host, port }: Pick<SocketPrinter, 'host' | 'port'>): string {
  return isDevicePath(host) ? host : `${host}:${port}`
}

function unreachable(printer: SocketPrinter, says: PrinterRemark): PrintOutcome {
  return nothingPrinted(unreachableError(printer, says))
}

function unreachableError(printer: SocketPrinter, says: PrinterRemark) {
  const details = { printer: getPrinterName(printer), address: toAddress(printer) }
  return appError('printer-unreachable', details, [says])
}
