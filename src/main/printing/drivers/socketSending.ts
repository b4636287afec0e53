import { type PrinterRemark, sayInEnglish } from '../../../shared/printerRemarks'
import type { SocketPrinter } from '../../../shared/printing'
import { toDotsPerMm } from '../layout/geometry'
import { type PrintContext, type PrintOutcome, unconfirmed } from './driver'
import {
  type LabelInside,
  type Look,
  type PrinterConnection,
  rest,
  type SocketSession,
  type SocketWaits,
} from './socketSession'

/** How often the system is asked what the printer's side has acknowledged. */
const acknowledgedEveryMs = 10
/** How long the system may take to close a connection in order. */
const closingMs = 1000

/** Between two labels on a roll. */
const gapMm = 3

/** What goes with the bytes. */
export interface Sending {
  connection: PrinterConnection
  session: SocketSession
  context: PrintContext<SocketPrinter>
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
export async function sendAnswered(
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
export async function sendSilent(
  bytes: Buffer,
  tellsState: boolean,
  sending: Sending,
): Promise<PrintOutcome> {
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
