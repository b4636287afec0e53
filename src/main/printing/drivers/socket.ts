import { appError } from '../../../shared/errors'
import { type PrinterRemark, sayInEnglish } from '../../../shared/printerRemarks'
import { getPrinterName, isDevicePath, type SocketPrinter } from '../../../shared/printing'
import { ok, type Result } from '../../../shared/result'
import { toDotsPerMm } from '../layout/geometry'
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
  unconfirmed,
} from './driver'
import { createBrokenPictures, type PrinterBytes, toPrinterBytes } from './printerBytes'
import {
  type LabelInside,
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

/** How often the system is asked what the printer's side has acknowledged. */
const acknowledgedEveryMs = 10
/** How long the system may take to close a connection in order. */
const closingMs = 1000

/** Between two labels on a roll. */
const gapMm = 3

/** What goes with the bytes. */
interface Sending {
  connection: PrinterConnection
  session: SocketSession
  context: Context
  waits: SocketWaits
  signal: AbortSignal
}

/** Whatever ends the wait for a printer before it has confirmed the label. */
interface Watch {
  /** Resolves with why the outcome is unknown. */
  uncertain: Promise<PrinterRemark>
  /** The printer did something: the wait for it begins again. */
  progressed(): void
  /** Everything was taken: what is missing from now on is its word. */
  expectWord(): void
  isOver(): boolean
  stop(): void
}

/**
 * Sends a label to a printer that answers in order. It has the label when it answers a question that came after the last byte,
 * because TCP keeps the order; it has printed the label when it then counts no labels but those that were sent later,
 * and its odometer has moved, if it has one.
 * @param before how the printer was found right before
 */
async function sendAnswered(
  bytes: Buffer,
  before: Extract<Look, { kind: 'tells' }>,
  sending: Sending,
): Promise<PrintOutcome> {
  const { connection, session, context } = sending
  const ahead = session.inside.reduce((sum, { formats }) => sum + formats, 0)
  const own: LabelInside = { formats: countFormats(bytes, context), heightMm: shortestLabel(bytes, context) }
  // While another label of ours is being printed, the odometer counts from the end of that one.
  if (ahead === 0) own.odometerFrom = before.millimetres
  const watch = watchFor(sending)
  try {
    session.inside.push(own)
    connection.write(bytes, watch.progressed)
    const others = Math.max(0, before.labelsInside - ahead)
    const found = await Promise.race([watch.uncertain, followLabel(own, { others, watch, ...sending })])
    if (found !== undefined) {
      // What was sent after it goes on when it was only this job that a person stopped.
      if (found.code !== 'stopped-meanwhile') session.drop()
      return uncertain(context, found)
    }
    context.accepted()
    return { kind: 'handed-over' }
  } finally {
    watch.stop()
    session.inside.splice(session.inside.indexOf(own), 1)
  }
}

interface Following extends Sending {
  /** Labels of other stations that were inside before. */
  others: number
  watch: Watch
}

/** Asks until the label is printed; the note says what a person has to do meanwhile. */
async function followLabel(own: LabelInside, following: Following): Promise<PrinterRemark | undefined> {
  const { connection, session, context, waits, signal, others, watch } = following
  const stop = AbortSignal.any([signal, context.cancelled])
  let noted = ''
  let unchanged = { inside: Number.NaN, since: 0 }
  let isOutSince: number | undefined
  while (!watch.isOver()) {
    const after = formatsAfter(own, session)
    const status = await connection.ask('status', waits.stall)
    if (connection.ended() !== undefined) return endedEarly(connection)
    if (status === undefined) {
      noted = ''
      continue
    }
    watch.progressed()
    watch.expectWord()
    const remarks = sayInEnglish(status.remarks)
    if (remarks !== noted) {
      context.progress(remarks === '' ? null : { code: 'has-the-label', says: status.remarks })
    }
    noted = remarks
    if (status.labelsInside !== unchanged.inside) {
      unchanged = { inside: status.labelsInside, since: Date.now() }
    }
    const isFirst = session.inside[0] === own
    if (isFirst && remarks === '') {
      if (context.hasStandby || !session.hasHeldLong()) context.roomForNext()
      // Some printers count what is never printed: a constant is not a label of ours.
      const isConstant = Date.now() - unchanged.since >= waits.steady && status.labelsInside <= others + after
      if (status.labelsInside <= after || isConstant) {
        isOutSince ??= Date.now()
        if (await hasMoved(own, following)) return undefined
        if (Date.now() - isOutSince >= waits.steady) return { code: 'odometer-still' }
      }
    }
    await rest(remarks === '' ? Math.min(waits.poll, 100) : waits.poll, stop)
  }
  return { code: 'no-answer-in-time' }
}

/** Whether the odometer shows a printed label. It has a say once it was seen to move with one. */
async function hasMoved(own: LabelInside, { connection, session, waits }: Sending): Promise<boolean> {
  const { heightMm } = own
  // All but half a label, less the inch that it counts in.
  const needed = (own.formats - 0.5) * heightMm - 25.4
  if (own.odometerFrom === undefined || needed <= 0) return true
  const now = await connection.ask('odometer', waits.status)
  if (now === undefined) return true
  const moved = now.millimetres - own.odometerFrom >= needed
  session.hasOdometer ||= moved
  const [, next] = session.inside
  if (moved && next !== undefined) {
    // The next label may be out by now as well.
    next.odometerFrom = Math.min(now.millimetres, own.odometerFrom + own.formats * (heightMm + gapMm))
  }
  return moved || !session.hasOdometer
}

/** Formats that were sent after a label, whose questions come after them. */
function formatsAfter(own: LabelInside, { inside }: SocketSession): number {
  return inside.slice(inside.indexOf(own) + 1).reduce((sum, { formats }) => sum + formats, 0)
}

/** So many labels the printer counts at least: a carrier's ZPL may hold formats that print nothing. */
function countFormats(bytes: Buffer, { label, printer }: Sending['context']): number {
  if (label.kind === 'zpl') return printer.copies
  let found = 0
  for (let at = bytes.indexOf('^XZ'); at >= 0; at = bytes.indexOf('^XZ', at + 1)) found += 1
  return Math.max(1, found)
}

/** What the odometer moves by with each label at least: on continuous stock by what the label says. */
function shortestLabel(bytes: Buffer, { label, printer }: Sending['context']): number {
  // Nothing is known of what calibrating moves.
  if (label.kind === 'other') return 0
  if (printer.stockTracking !== 'continuous') return printer.stock.heightMm
  const lengths = label.kind === 'zpl' ? [] : [...bytes.toString('latin1').matchAll(/\^LL(\d+)/g)]
  const dots = lengths.map(([, length]) => Number(length))
  return dots.length === 0 ? 0 : Math.min(...dots) / toDotsPerMm(printer.dpi)
}

/**
 * Sends a label to a printer that answers nothing, or ahead of what it has still to read. What proves that it has the label is the end of the connection: all
 * bytes were acknowledged while its side was open, and it closed its side without an error after our end. A peer that
 * closes for any other reason does so before our end, which waits for that.
 * @param tellsState whether it told its state before, so that it is asked meanwhile what it needs
 */
async function sendSilent(bytes: Buffer, tellsState: boolean, sending: Sending): Promise<PrintOutcome> {
  const { context } = sending
  const watch = watchFor(sending)
  try {
    const sent = sendAndEnd(bytes, { watch, tellsState, ...sending })
    const found = await Promise.race([watch.uncertain, sent])
    if (found !== undefined) {
      sending.session.hasTurnedAway = true
      return uncertain(context, found)
    }
    context.accepted()
    return { kind: 'handed-over' }
  } finally {
    watch.stop()
    sending.session.drop()
  }
}

interface SilentSending extends Sending {
  watch: Watch
  tellsState: boolean
}

async function sendAndEnd(bytes: Buffer, silent: SilentSending): Promise<PrinterRemark | undefined> {
  const { connection, waits, watch, tellsState } = silent
  const early = connection.whenEnded.then(() => endedEarly(connection))
  let isTaken = false
  const taken = new Promise<void>((resolve) => {
    connection.write(bytes, (left) => {
      watch.progressed()
      if (left === 0) resolve()
    })
  })
  const toldBefore = taken.then(() => acknowledged(connection, watch))
  const needsNobody = tellsState ? tellNeeds(silent, () => isTaken) : Promise.resolve()
  const lingered = toldBefore.then(async (tells) => {
    watch.expectWord()
    isTaken = true
    await needsNobody
    await rest(waits.linger)
    return tells
  })
  const tells = await Promise.race([early, lingered])
  if (typeof tells === 'object') return tells
  if (connection.ended() !== undefined) return endedEarly(connection)
  connection.end()
  await connection.whenEnded
  if (connection.ended()?.kind === 'broke') return endedEarly(connection)
  return tells && !(await closedInOrder(connection)) ? { code: 'closed-early' } : undefined
}

/**
 * Says what a printer needs while it takes a label and until it has it, as far as it tells. Its questions come behind the
 * label, of whose picture they would be taken for a part otherwise.
 * @returns when it needs nobody, or has everything and tells nothing any more
 */
async function tellNeeds(
  { connection, context, waits, signal, watch }: SilentSending,
  isTaken: () => boolean,
): Promise<void> {
  const stop = AbortSignal.any([signal, context.cancelled])
  let noted = ''
  while (!watch.isOver() && connection.ended() === undefined) {
    const hadAll = isTaken()
    const status = await connection.ask('status', waits.status)
    if (status === undefined && hadAll) return
    const remarks = status === undefined ? noted : sayInEnglish(status.remarks)
    if (status !== undefined && remarks !== noted) {
      context.progress(remarks === '' ? null : { code: 'has-the-label', says: status.remarks })
    }
    noted = remarks
    if (status !== undefined) watch.progressed()
    if (remarks === '' && hadAll) return
    await rest(remarks === '' ? Math.min(waits.poll, 100) : waits.poll, stop)
  }
}

/**
 * Waits until the other side's system has everything.
 * @returns whether this system tells
 */
async function acknowledged(connection: PrinterConnection, watch: Watch): Promise<boolean> {
  let before = Number.NaN
  for (;;) {
    const state = await connection.tcpState()
    if (state === undefined) return false
    if (state.unacknowledged === 0) return true
    if (state.unacknowledged !== before) watch.progressed()
    before = state.unacknowledged
    await rest(acknowledgedEveryMs)
    if (connection.ended() !== undefined) return true
  }
}

/** Whether everything, our end as well, was acknowledged before the connection went away. */
async function closedInOrder(connection: PrinterConnection): Promise<boolean> {
  const until = Date.now() + closingMs
  for (;;) {
    const state = await connection.tcpState()
    if (state === undefined) return false
    if (state.isClosedInOrder) return true
    if (Date.now() > until) return false
    await rest(acknowledgedEveryMs)
  }
}

function endedEarly(connection: PrinterConnection): PrinterRemark {
  const end = connection.ended()
  return end?.kind === 'broke' ? { code: 'connection-broke', words: end.words } : { code: 'closed-early' }
}

function uncertain({ printer }: Sending['context'], says: PrinterRemark): PrintOutcome {
  return { kind: 'unconfirmed', error: unconfirmed(printer, says) }
}

function watchFor({ context, waits, signal }: Sending): Watch {
  let reportUncertain: (says: PrinterRemark) => void = () => undefined
  const uncertain = new Promise<PrinterRemark>((resolve) => {
    reportUncertain = resolve
  })
  let isTaken = false
  let isStalled = false
  let isOver = false
  let stall: NodeJS.Timeout | undefined
  let giveUp: NodeJS.Timeout | undefined
  const stopTimers = () => {
    clearTimeout(stall)
    clearTimeout(giveUp)
  }
  const progressed = () => {
    // The parts of a label that were not written are still called back when their connection is dropped.
    if (isOver) return
    stopTimers()
    if (isStalled) context.progress(null)
    isStalled = false
    stall = setTimeout(() => {
      isStalled = true
      context.progress({ code: isTaken ? 'not-confirmed' : 'takes-no-data', says: [] })
    }, waits.stall)
    giveUp = setTimeout(
      () => reportUncertain({ code: isTaken ? 'not-confirmed' : 'not-all-taken' }),
      waits.giveUp,
    )
  }
  const interrupt = () => reportUncertain({ code: signal.aborted ? 'app-closed' : 'stopped-meanwhile' })
  const stop = AbortSignal.any([signal, context.cancelled])
  if (stop.aborted) interrupt()
  stop.addEventListener('abort', interrupt, { once: true })
  progressed()
  return {
    uncertain,
    progressed,
    expectWord() {
      isTaken = true
    },
    isOver: () => isOver,
    stop() {
      isOver = true
      stopTimers()
      stop.removeEventListener('abort', interrupt)
    },
  }
}
