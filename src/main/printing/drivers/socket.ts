import { appError } from '../../../shared/errors'
import { type PrinterRemark, toEnglish } from '../../../shared/printerRemarks'
import { getPrinterName, isDevicePath, type SocketPrinter } from '../../../shared/printing'
import { ok, type Result } from '../../../shared/result'
import { deferred, rest } from '../../lib/async'
import { toDotsPerMm, toPlacementRequest, toZplLayout } from '../layout/labelLayout'
import { calibrationCommand } from '../raster/labelLanguages'
import type { Rasterizer } from '../raster/rasterizer'
import {
  createBrokenPictures,
  nothingPrinted,
  nothingToCalibrate,
  notReady,
  type PrintContext,
  type PrinterBytes,
  type PrinterDriver,
  type PrintOutcome,
  toPrinterBytes,
  unconfirmed,
} from './driver'
import {
  type PendingLabel,
  type PrinterConnection,
  SocketSession,
  type SocketWaits,
  type StatusReading,
  usualWaits,
} from './socketSession'
import { statusProtocols } from './statusReplies'

/** Timeout for the status of an idle printer. It may be long: nobody waits for it. */
const idleStatusMs = 1500

type Context = PrintContext<SocketPrinter>

/** A label that is drawn while its printer is connected and asked for its status. */
interface Drawing {
  /** The job and the layout. */
  key: string
  zpl: Promise<Result<PrinterBytes>>
  /** Resolves when every page has its placement on the stock, or with the error when one has none. */
  placed: Promise<Result<unknown>>
}

/** The printer is ready for the label, or the job has ended before anything of the label was sent. */
type Readiness =
  | { kind: 'ready'; connection: PrinterConnection; status: StatusReading }
  | { kind: 'job-ended'; outcome: PrintOutcome }

/**
 * Sends labels to a label printer's TCP port: ZPL labels unchanged, PDFs drawn dot for dot in its language. Before the
 * first byte of a label nothing can have been printed, so the driver waits and tries again. After it, the label is
 * `handed-over` only with proof that the printer has all of it.
 */
export function createSocketDriver(
  rasterizer: Pick<Rasterizer, 'renderZpl'>,
  someWaits: Partial<SocketWaits> = {},
): PrinterDriver<SocketPrinter> {
  const waits = { ...usualWaits, ...someWaits }
  const sessions = new Map<string, SocketSession>()
  const pictures = createBrokenPictures()
  const getSession = (printer: SocketPrinter) => {
    // What a session knows of its printer holds for one language only.
    const key = `${toAddress(printer)} ${printer.language ?? 'zpl'}`
    const session = sessions.get(key) ?? new SocketSession(printer, waits)
    sessions.set(key, session)
    return session
  }
  /** The last drawing of each printer: a label is not drawn again for each retry of an unreachable printer. */
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
    // A job of another entry for the same device may hold it until a person has seen to the printer.
    const unlock = await session.lock(AbortSignal.any([signal, context.cancelled]))
    try {
      const interrupted = getInterruption(context, signal)
      if (interrupted !== undefined) return interrupted.outcome
      if (!placed.ok) return nothingPrinted(placed.error)
      const ready = await connectWhenReady(context, { session, waits, signal })
      if (ready.kind === 'job-ended') return ready.outcome
      const zpl = await drawing.zpl
      if (!zpl.ok) return nothingPrinted(zpl.error)
      const checked = context.check(zpl.value.findings, zpl.value.barcodes)
      if (!checked.ok) return nothingPrinted(checked.error)
      if (!(await context.claim())) return { kind: 'not-started' }
      const { connection, status } = ready
      if (connection.ended() !== undefined) return unreachable(context.printer, { code: 'closed-unread' })
      const allowNextJob = () => {
        unlock()
        context.allowNextJob()
      }
      const sending = { connection, session, context: { ...context, allowNextJob }, waits, signal }
      const { answersInOrder } = statusProtocols[context.printer.language ?? 'zpl']
      return await pictures.send(toAddress(context.printer), context.printer, zpl.value, (bytes) =>
        status.kind === 'reports' && answersInOrder
          ? sendConfirmedByStatus(bytes, status, sending)
          : sendConfirmedByClose(bytes, status.kind === 'reports', sending),
      )
    } finally {
      unlock()
      session.closeWhenIdle()
    }
  }

  return {
    cancellable: true,
    async print(context, signal) {
      const drawing = draw(context)
      const outcome = await send(context, drawing, signal)
      const address = toAddress(context.printer)
      if (!isRetried(outcome) && drawings.get(address) === drawing) drawings.delete(address)
      return outcome
    },
    async calibrate(context, signal) {
      const command = calibrationCommand(context.printer)
      if (command === undefined) return nothingPrinted(nothingToCalibrate(context.printer))
      const zpl = Promise.resolve(ok({ zpl: command, findings: [] }))
      return send(context, { key: '', zpl, placed: zpl }, signal)
    },
    async pollStatus(printer, signal) {
      const session = getSession(printer)
      const unlock = await session.lock()
      const wasOpen = session.isOpen()
      try {
        const connection = await session.connect(signal)
        if (!connection.ok) return { kind: 'unreachable', error: unreachableError(printer, connection.error) }
        // A printer that never answers is not asked at each poll: it might print a query that it does not know.
        if (session.reportsNoStatus()) return { kind: 'no-status' }
        const status = await session.readStatus(connection.value, idleStatusMs)
        if (status.kind === 'ended')
          return { kind: 'unreachable', error: unreachableError(printer, status.says) }
        return status.kind === 'reports' ? { kind: 'reports', says: status.remarks } : status
      } finally {
        unlock()
        if (!wasOpen) session.close()
        else session.closeWhenIdle()
      }
    },
  }
}

/** Whether the job will be tried again with the same drawing. */
function isRetried(outcome: PrintOutcome): boolean {
  if (outcome.kind === 'not-started') return true
  return outcome.kind === 'failed' && outcome.nothingPrinted && outcome.error.code === 'printer-unreachable'
}

/** Starts to draw a label, or returns the drawing of the previous try. */
function getDrawing(
  context: Context,
  rasterizer: Pick<Rasterizer, 'renderZpl'>,
  previous: Drawing | undefined,
): Drawing {
  const key = JSON.stringify([context.jobId, toZplLayout(context.printer, toPlacementRequest(context))])
  if (previous?.key === key) return previous
  const { promise: placed, resolve: onPlaced } = deferred<Result<unknown>>()
  const zpl = toPrinterBytes(context, rasterizer, () => onPlaced(ok(undefined)))
  return { key, zpl, placed: Promise.race([placed, zpl]) }
}

interface Connecting {
  session: SocketSession
  waits: SocketWaits
  signal: AbortSignal
}

/** Connects to the printer and waits until it is ready; tries again after a delay when it can't be reached. */
async function connectWhenReady(context: Context, connecting: Connecting): Promise<Readiness> {
  const { printer, cancelled, progress } = context
  const { session, waits, signal } = connecting
  const stop = AbortSignal.any([signal, cancelled])
  // An earlier label or a poll has found out that the printer is off: this one need not wait as long before it moves.
  const isImpatient = context.hasStandby && context.isTest !== true && session.isKnownSilent()
  const isBrief = () => isImpatient && session.isKnownSilent()
  const retries = context.hasStandby ? waits.retries.slice(0, 1) : waits.retries
  // With a standby, a printer that another station occupies would move labels there.
  if (!context.hasStandby) await session.yieldToOtherStations(stop)
  for (let attempt = 0; ; ) {
    const wasOpen = session.isOpen()
    const connection = await session.connect(stop, isBrief())
    const found = connection.ok
      ? await waitUntilReady(connection.value, context, connecting)
      : { kind: 'ended' as const, says: connection.error }
    const interrupted = getInterruption(context, signal)
    if (interrupted !== undefined) return interrupted
    if (found.kind !== 'ended') {
      if (attempt > 0) progress(null)
      return found
    }
    // The printer may have closed an idle connection: the next try with a new one is not counted.
    if (wasOpen) continue
    const isStillSilent = isBrief() && !connection.ok && connection.error.code === 'no-answer-in-time'
    const wait = isStillSilent ? undefined : retries[attempt]
    if (wait === undefined) return { kind: 'job-ended', outcome: unreachable(printer, found.says) }
    progress({ code: 'trying-again', says: [found.says] })
    await rest(wait, { signal: stop })
    attempt += 1
  }
}

/** Waits while the printer needs a person. A printer that has never answered counts as ready. */
async function waitUntilReady(
  connection: PrinterConnection,
  context: Context,
  { session, waits, signal }: Connecting,
): Promise<Readiness | Extract<StatusReading, { kind: 'ended' }>> {
  const stop = AbortSignal.any([signal, context.cancelled])
  let noted = ''
  for (;;) {
    const status = await session.readStatus(connection)
    const interrupted = getInterruption(context, signal)
    if (interrupted !== undefined) return interrupted
    if (status.kind === 'ended') return status
    if (status.kind === 'no-answer' && session.pendingLabels.length === 0) {
      // The printer may have been switched off without closing the connection.
      session.close()
      return { kind: 'ended', says: { code: 'no-answer-in-time' } }
    }
    const says = getAlerts(status)
    if (says.length === 0) {
      if (noted !== '') context.progress(null)
      return { kind: 'ready', connection, status }
    }
    if (context.hasStandby) {
      return { kind: 'job-ended', outcome: notReady(context.printer, says) }
    }
    const remarks = toEnglish(says)
    if (remarks !== noted) context.progress({ code: 'nothing-sent-yet', says })
    noted = remarks
    await rest(waits.poll, { signal: stop })
  }
}

function getAlerts(status: Exclude<StatusReading, { kind: 'ended' }>): PrinterRemark[] {
  if (status.kind === 'reports') return status.remarks
  return status.kind === 'no-answer' ? [{ code: 'no-answer-in-time' }] : []
}

/** How a job of which nothing was sent ends when the app closes or a person cancels it; undefined otherwise. */
function getInterruption(
  { cancelled }: Context,
  signal: AbortSignal,
): Extract<Readiness, { kind: 'job-ended' }> | undefined {
  if (signal.aborted) return { kind: 'job-ended', outcome: { kind: 'not-started' } }
  if (cancelled.aborted) return { kind: 'job-ended', outcome: { kind: 'cancelled' } }
  return undefined
}

/** A printer's host and port, or the path of its USB device. */
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

/** Between two looks at what the printer's side has acknowledged. */
const acknowledgedEveryMs = 10
/** The maximum time that an orderly close of a connection takes. */
const closingMs = 1000

/** Between two labels on a roll. */
const gapMm = 3

interface Sending {
  connection: PrinterConnection
  session: SocketSession
  context: Context
  waits: SocketWaits
  signal: AbortSignal
}

/**
 * Sends a label to a printer that answers in order. The printer has the label when it answers a question that was sent
 * after the last byte. It has printed the label when it then counts no labels but those that were sent later, and when
 * its odometer has moved, if it has one.
 * @param before the printer's status right before
 */
async function sendConfirmedByStatus(
  bytes: Buffer,
  before: Extract<StatusReading, { kind: 'reports' }>,
  sending: Sending,
): Promise<PrintOutcome> {
  const { connection, session, context } = sending
  const ahead = session.pendingLabels.reduce((sum, { formats }) => sum + formats, 0)
  const own: PendingLabel = { formats: countFormats(bytes, context), heightMm: getMinHeight(bytes, context) }
  // If another label of ours is pending, the odometer counts from the end of that one.
  if (ahead === 0) own.odometerFrom = before.millimetres
  const watch = watchProgress(sending)
  try {
    session.pendingLabels.push(own)
    connection.write(bytes, watch.progressed)
    const others = Math.max(0, before.labelsInside - ahead)
    const reason = await Promise.race([watch.unconfirmed, followLabel(own, { others, watch, ...sending })])
    if (reason !== undefined) {
      // A person cancelled this job only: the labels that were sent after it still need the connection.
      if (reason.code !== 'stopped-meanwhile') session.drop(connection)
      return unconfirmed(context.printer, reason)
    }
    context.accepted()
    return { kind: 'handed-over' }
  } finally {
    watch.stop()
    session.pendingLabels.splice(session.pendingLabels.indexOf(own), 1)
  }
}

interface Following extends Sending {
  /** Labels of other stations that the printer had before. */
  others: number
  watch: Watch
}

/**
 * Polls the printer until it has printed the label. The job's note shows what a person has to do meanwhile.
 * @returns the reason when the outcome is unknown
 */
async function followLabel(own: PendingLabel, following: Following): Promise<PrinterRemark | undefined> {
  const { connection, session, context, waits, signal, others, watch } = following
  const stop = AbortSignal.any([signal, context.cancelled])
  let noted = ''
  let unchanged = { inside: Number.NaN, since: 0 }
  let printedSince: number | undefined
  while (!watch.isOver()) {
    const after = countFormatsAfter(own, session)
    const status = await connection.ask('status', waits.stall)
    if (connection.ended() !== undefined) return endedEarly(connection)
    if (status === undefined) {
      noted = ''
      continue
    }
    watch.progressed()
    watch.expectConfirmation()
    const remarks = toEnglish(status.remarks)
    if (remarks !== noted) {
      context.progress(remarks === '' ? null : { code: 'has-the-label', says: status.remarks })
    }
    noted = remarks
    if (status.labelsInside !== unchanged.inside) {
      unchanged = { inside: status.labelsInside, since: Date.now() }
    }
    const isFirst = session.pendingLabels[0] === own
    if (isFirst && remarks === '') {
      if (context.hasStandby || !session.shouldYield()) context.allowNextJob()
      // Some printers count labels that are never printed: a count that stays constant includes none of ours.
      const isConstant = Date.now() - unchanged.since >= waits.steady && status.labelsInside <= others + after
      if (status.labelsInside <= after || isConstant) {
        printedSince ??= Date.now()
        if (await hasOdometerMoved(own, following)) return undefined
        if (Date.now() - printedSince >= waits.steady) return { code: 'odometer-still' }
      }
    }
    await rest(remarks === '' ? Math.min(waits.poll, 100) : waits.poll, { signal: stop })
  }
  return { code: 'no-answer-in-time' }
}

/** Whether the odometer shows that the label was printed. It counts only after it was seen to move with a label. */
async function hasOdometerMoved(
  own: PendingLabel,
  { connection, session, waits }: Sending,
): Promise<boolean> {
  const { heightMm } = own
  // Half a label of tolerance, and the inch in which the odometer counts.
  const needed = (own.formats - 0.5) * heightMm - 25.4
  if (own.odometerFrom === undefined || needed <= 0) return true
  const now = await connection.ask('odometer', waits.status)
  if (now === undefined) return true
  const moved = now.millimetres - own.odometerFrom >= needed
  session.hasOdometer ||= moved
  const [, next] = session.pendingLabels
  if (moved && next !== undefined) {
    // The next label may already be printed as well.
    next.odometerFrom = Math.min(now.millimetres, own.odometerFrom + own.formats * (heightMm + gapMm))
  }
  return moved || !session.hasOdometer
}

/** How many formats were sent after a label. */
function countFormatsAfter(own: PendingLabel, { pendingLabels }: SocketSession): number {
  return pendingLabels.slice(pendingLabels.indexOf(own) + 1).reduce((sum, { formats }) => sum + formats, 0)
}

/** How many labels the printer counts, at least: a carrier's ZPL may hold formats that print nothing. */
function countFormats(bytes: Buffer, { label, printer }: Sending['context']): number {
  if (label.kind === 'zpl') return printer.copies
  let found = 0
  for (let at = bytes.indexOf('^XZ'); at >= 0; at = bytes.indexOf('^XZ', at + 1)) found += 1
  return Math.max(1, found)
}

/** The minimum in mm by which each label moves the odometer: on continuous stock the length that the label sets. */
function getMinHeight(bytes: Buffer, { label, printer }: Sending['context']): number {
  // Calibration feeds an unknown length.
  if (label.kind === 'other') return 0
  if (printer.stockTracking !== 'continuous') return printer.stock.heightMm
  const lengths = label.kind === 'zpl' ? [] : [...bytes.toString('latin1').matchAll(/\^LL(\d+)/g)]
  const dots = lengths.map(([, length]) => Number(length))
  return dots.length === 0 ? 0 : Math.min(...dots) / toDotsPerMm(printer.dpi)
}

/**
 * Sends a label to a printer that reports no status, or answers before it has read everything. The proof that it has
 * the label is the end of the connection: all bytes were acknowledged while its side was open, and it closed its side
 * without an error after ours. A peer that closes for another reason does so before: our FIN waits for that.
 * @param reportsStatus whether it can be asked meanwhile what it needs
 */
async function sendConfirmedByClose(
  bytes: Buffer,
  reportsStatus: boolean,
  sending: Sending,
): Promise<PrintOutcome> {
  const { context } = sending
  const watch = watchProgress(sending)
  try {
    const sent = sendAndClose(bytes, { watch, reportsStatus, ...sending })
    const reason = await Promise.race([watch.unconfirmed, sent])
    if (reason !== undefined) {
      sending.session.hasClosedEarly = true
      return unconfirmed(context.printer, reason)
    }
    context.accepted()
    return { kind: 'handed-over' }
  } finally {
    watch.stop()
    sending.session.close()
  }
}

interface ClosingSending extends Sending {
  watch: Watch
  reportsStatus: boolean
}

/** @returns the reason when the outcome is unknown */
async function sendAndClose(bytes: Buffer, sending: ClosingSending): Promise<PrinterRemark | undefined> {
  const { connection, waits, watch, reportsStatus } = sending
  const early = connection.whenEnded.then(() => endedEarly(connection))
  let isTaken = false
  const taken = new Promise<void>((resolve) => {
    connection.write(bytes, (left) => {
      watch.progressed()
      if (left === 0) resolve()
    })
  })
  const acknowledged = taken.then(() => waitUntilAcknowledged(connection, watch))
  const needsNobody = reportsStatus ? reportNeeds(sending, () => isTaken) : Promise.resolve()
  const lingered = acknowledged.then(async (isStateKnown) => {
    watch.expectConfirmation()
    isTaken = true
    await needsNobody
    await rest(waits.linger)
    return isStateKnown
  })
  const isStateKnown = await Promise.race([early, lingered])
  if (typeof isStateKnown === 'object') return isStateKnown
  if (connection.ended() !== undefined) return endedEarly(connection)
  connection.end()
  await connection.whenEnded
  if (connection.ended()?.kind === 'broke') return endedEarly(connection)
  return isStateKnown && !(await wasClosedInOrder(connection)) ? { code: 'closed-early' } : undefined
}

/**
 * Shows what the printer needs while it takes the label. The status queries are written after the label: inside it, the
 * printer would take them for a part of the picture.
 * @returns when the printer needs nobody, or has all bytes and no longer answers
 */
async function reportNeeds(
  { connection, context, waits, signal, watch }: ClosingSending,
  isTaken: () => boolean,
): Promise<void> {
  const stop = AbortSignal.any([signal, context.cancelled])
  let noted = ''
  while (!watch.isOver() && connection.ended() === undefined) {
    const hadAll = isTaken()
    const status = await connection.ask('status', waits.status)
    if (status === undefined && hadAll) return
    const remarks = status === undefined ? noted : toEnglish(status.remarks)
    if (status !== undefined && remarks !== noted) {
      context.progress(remarks === '' ? null : { code: 'has-the-label', says: status.remarks })
    }
    noted = remarks
    if (status !== undefined) watch.progressed()
    if (remarks === '' && hadAll) return
    await rest(remarks === '' ? Math.min(waits.poll, 100) : waits.poll, { signal: stop })
  }
}

/**
 * Waits until the peer has acknowledged all bytes.
 * @returns whether this system shows that; false on systems other than Linux
 */
async function waitUntilAcknowledged(connection: PrinterConnection, watch: Watch): Promise<boolean> {
  let before = Number.NaN
  for (;;) {
    const state = await connection.readState()
    if (state === undefined) return false
    if (state.unacknowledged === 0) return true
    if (state.unacknowledged !== before) watch.progressed()
    before = state.unacknowledged
    await rest(acknowledgedEveryMs)
    if (connection.ended() !== undefined) return true
  }
}

/** Whether all bytes and our FIN were acknowledged before the connection ended. */
async function wasClosedInOrder(connection: PrinterConnection): Promise<boolean> {
  const until = Date.now() + closingMs
  for (;;) {
    const state = await connection.readState()
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

type Watch = ReturnType<typeof watchProgress>

/** Watches the progress of a label until the printer has confirmed it. */
function watchProgress({ context, waits, signal }: Sending) {
  const { promise: unconfirmed, resolve: giveUpWith } = deferred<PrinterRemark>()
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
    // Unwritten parts of a label still call back after their connection was closed.
    if (isOver) return
    stopTimers()
    if (isStalled) context.progress(null)
    isStalled = false
    stall = setTimeout(() => {
      isStalled = true
      context.progress({ code: isTaken ? 'not-confirmed' : 'takes-no-data', says: [] })
    }, waits.stall)
    giveUp = setTimeout(() => giveUpWith({ code: isTaken ? 'not-confirmed' : 'not-all-taken' }), waits.giveUp)
  }
  const interrupt = () => giveUpWith({ code: signal.aborted ? 'app-closed' : 'stopped-meanwhile' })
  const stop = AbortSignal.any([signal, context.cancelled])
  if (stop.aborted) interrupt()
  stop.addEventListener('abort', interrupt, { once: true })
  progressed()
  return {
    /** Resolves with the reason why the outcome is unknown: no progress, an abort, or the app closes. */
    unconfirmed,
    /** Restarts the timeouts. */
    progressed,
    /** All bytes were taken: from now on only the confirmation is missing. */
    expectConfirmation() {
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
