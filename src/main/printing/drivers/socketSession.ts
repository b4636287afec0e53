import type { PrinterRemark } from '../../../shared/printerRemarks'
import { isDevicePath, type SocketPrinter } from '../../../shared/printing'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'
import type { ConnectionEnd, PrinterConnection } from './socketConnection'
import { openConnection, rest } from './socketConnection'
import type { ZplQuestion } from './zplStatus'

/** Waits of the socket driver in milliseconds. */
export interface SocketWaits {
  connect: number
  /** Before each further attempt to connect. */
  retries: readonly number[]
  /** For an answer of a printer that is not known to answer. */
  status: number
  /** For an answer of a printer that has never given one, and for a peer to close that did so before. */
  quiet: number
  /** The same for a printer that has never closed a connection before its label was sent. */
  served: number
  /** Between two status queries while the printer needs someone. */
  poll: number
  /** Until it is said that the printer takes no data; for an answer of a printer that is known to answer. */
  stall: number
  /** Without any progress until a printer that takes no data, or neither answers nor closes, is given up. */
  giveUp: number
  /** Between the last byte that a silent printer has taken and our end, so that a close of its own shows first. */
  linger: number
  /** Until a connection that nothing is sent on is free for other stations. */
  release: number
  /** Of one connection in a batch, until other stations get a turn. */
  hold: number
  /** Of such a turn: until the printer is connected to again. */
  turn: number
  /** Of waiting for answers, taken together, until a printer that used to answer counts as one that does not. */
  forget: number
  /** Of an unchanged count without a remark until it counts as a constant of the printer. */
  steady: number
}

export const usualWaits: SocketWaits = {
  connect: 3000,
  retries: [300, 1000, 2500],
  status: 400,
  quiet: 50,
  served: 20,
  poll: 1000,
  stall: 2000,
  giveUp: 60_000,
  linger: 100,
  release: 2000,
  hold: 60_000,
  turn: 1000,
  forget: 120_000,
  steady: 15_000,
}

/** How a printer was found. */
export type Look =
  | { kind: 'tells'; remarks: PrinterRemark[]; labelsInside: number; millimetres: number | undefined }
  /** It has never answered; it may be any printer that takes ZPL. */
  | { kind: 'silent' }
  /** It is known to answer and does not. */
  | { kind: 'mute' }
  /** The connection ended before anything of a label was sent. */
  | { kind: 'ended'; says: PrinterRemark }

/** A label of ours that is inside of a printer. */
export interface LabelInside {
  /** So many labels the printer counts of it at least. */
  formats: number
  /** How long each of them is at least. */
  heightMm: number
  /** Where the odometer stood before the label was sent. */
  odometerFrom?: number | undefined
}

/** What is known of one printer, and the connection to it that is kept while there is something to print. */
export interface SocketSession {
  /** Waits until no other job or look holds the session; the function that it gives unlocks it. */
  lock(): Promise<() => void>
  /** The connection that is kept, or a new one. */
  connect(signal: AbortSignal): Promise<Result<PrinterConnection, PrinterRemark>>
  /** Asks how the printer is, before something is printed. */
  look(connection: PrinterConnection): Promise<Look>
  /**
   * Asks how it is while nobody waits for it. That it gives no answer in time says little: it may wake up, or serve
   * another station.
   */
  lookIdle(connection: PrinterConnection, atMostMs: number): Promise<Look>
  /** Whether it has never answered and was asked, or counts as one that does not. */
  isQuiet(): boolean
  /** Whether a connection is kept. */
  isOpen(): boolean
  /** Labels that were written and are not known to be printed, oldest first. */
  inside: LabelInside[]
  /** Whether its odometer was seen to move with a label. */
  hasOdometer: boolean
  /** Whether it has ended a connection before it had a whole label: it may do so again, and is given time to. */
  hasTurnedAway: boolean
  /** Whether other stations are to get a turn: then nothing more is sent ahead, so that the printer becomes empty. */
  hasHeldLong(): boolean
  /** Gives them their turn when they are to have one and nothing is inside of the printer. */
  giveTurn(signal: AbortSignal): Promise<void>
  /** Lets the connection go soon when nothing holds or waits for the lock and nothing is inside of the printer. */
  release(): void
  /** Closes the connection at once. */
  drop(): void
}

/** A session without a connection, which knows nothing of the printer. */
export function createSocketSession(
  printer: Pick<SocketPrinter, 'host' | 'port' | 'language'>,
  waits: SocketWaits,
): SocketSession {
  /** Which questions it answers; undefined while it was never asked. */
  const known: { [Q in ZplQuestion]?: boolean } = {}
  /** So long it was waited for answers since the last one, or since the printer was away. */
  let muteMs = 0
  let wasQuietWhenIdle = false
  let kept: PrinterConnection | undefined
  let keptSince = 0
  let idle: NodeJS.Timeout | undefined
  /** How many hold the lock or wait for it. */
  let wanted = 0
  let lastHolder: Promise<void> = Promise.resolve()

  const drop = () => {
    clearTimeout(idle)
    // A slow one is asked with more patience from now on.
    if (kept?.hasAnswered() === true) known.status = true
    kept?.destroy()
    kept = undefined
  }

  /** Asks what older printers do not know: they are waited for once. */
  async function askMore<Q extends 'errors' | 'odometer'>(connection: PrinterConnection, question: Q) {
    if (known[question] === false) return undefined
    const answer = await connection.ask(question, waits.status)
    known[question] ??= answer !== undefined
    return answer
  }

  /**
   * Whether a printer that used to answer is silent for so long that it may be another one by now. Only waits on
   * connections that stood to their end count: one that was off, or that nobody asked, has not been silent, and its
   * first slow answer must not cost a label that is sent without knowing whether there is paper.
   */
  function isForgotten(waitedMs: number): boolean {
    muteMs += waitedMs
    if (muteMs < waits.forget) return false
    known.status = false
    return true
  }

  function usualWait(): number {
    if (known.status === undefined) return waits.status
    if (known.status) return waits.stall
    return session.hasTurnedAway ? waits.quiet : waits.served
  }

  const session: SocketSession = {
    async lock() {
      const before = lastHolder
      let over: () => void = () => undefined
      lastHolder = new Promise<void>((resolve) => {
        over = resolve
      })
      wanted += 1
      clearTimeout(idle)
      await before
      let isBack = false
      return () => {
        if (!isBack) wanted -= 1
        isBack = true
        over()
      }
    },
    async connect(signal) {
      if (kept !== undefined && session.isOpen()) return ok(kept)
      drop()
      const opened = await openConnection(printer, waits.connect, signal)
      if (!opened.ok) {
        // What comes back may be slow while it starts, whatever was silent before.
        muteMs = 0
        return err(opened.error)
      }
      kept = opened.value
      keptSince = Date.now()
      return opened
    },
    look: (connection) => look(connection, usualWait(), false),
    lookIdle: (connection, atMostMs) => look(connection, atMostMs, true),
    isQuiet: () => known.status === false || (known.status === undefined && wasQuietWhenIdle),
    isOpen: () => kept?.ended() === undefined && kept !== undefined,
    inside: [],
    hasOdometer: false,
    hasTurnedAway: false,
    // A device belongs to this computer alone.
    hasHeldLong: () =>
      kept !== undefined && !isDevicePath(printer.host) && Date.now() - keptSince >= waits.hold,
    async giveTurn(signal) {
      if (session.inside.length > 0 || !session.hasHeldLong()) return
      drop()
      await rest(waits.turn, signal)
    },
    release() {
      clearTimeout(idle)
      if (session.inside.length > 0 || wanted > 0) return
      idle = setTimeout(drop, waits.release)
      idle.unref()
    },
    drop,
  }

  async function look(connection: PrinterConnection, atMostMs: number, isIdle: boolean): Promise<Look> {
    const asking = connection.ask('status', atMostMs)
    const askDetails = () => Promise.all([askMore(connection, 'errors'), askMore(connection, 'odometer')])
    const details = known.status === true ? askDetails() : undefined
    const status = await asking
    const ended = connection.ended()
    if (ended !== undefined) {
      session.hasTurnedAway = true
      drop()
      return { kind: 'ended', says: endedUnread(ended) }
    }
    if (status === undefined) {
      wasQuietWhenIdle = isIdle
      if (known.status === true && (isIdle || !isForgotten(atMostMs))) return { kind: 'mute' }
      // A label is not sent unasked to one that did not answer when it was idle.
      if (!isIdle) known.status ??= false
      return { kind: 'silent' }
    }
    muteMs = 0
    wasQuietWhenIdle = false
    known.status = true
    const [errors, odometer] = await (details ?? askDetails())
    const remarks = [...status.remarks, ...(errors?.remarks ?? [])]
    return {
      kind: 'tells',
      remarks: remarks.filter(({ code }, index) => remarks.findIndex((each) => each.code === code) === index),
      labelsInside: status.labelsInside,
      millimetres: odometer?.millimetres,
    }
  }

  return session
}

/** How a connection ended on which nothing of a label was sent. */
function endedUnread(end: ConnectionEnd): PrinterRemark {
  return end.kind === 'closed' ? { code: 'closed-unread' } : { code: 'connection-broke', words: end.words }
}
