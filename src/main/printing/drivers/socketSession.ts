import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { PrinterRemark } from '../../../shared/printerRemarks'
import { isDevicePath, type SocketPrinter } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { deferred, rest } from '../../lib/async'
import { untilStopped } from '../../lib/retry'
import { systemCode } from '../../lib/synced'
import { toReason } from '../../lib/toReason'
import { type StatusProtocol, statusProtocols, type ZplAnswers, type ZplQuestion } from './statusReplies'
import { openUsbDevice } from './usbDevice'

/** The socket driver's timeouts and delays, in milliseconds. */
export const usualWaits = {
  connect: 3000,
  /** The same for a label with a standby, while the printer is known not to answer: one that is back answers sooner. */
  connectBriefly: 500,
  /** How long after attempts of full length a printer is known not to answer; as often as idle printers are polled. */
  silence: 15_000,
  /** Before each further attempt to connect. */
  retries: [300, 1000, 2500],
  /** Timeout for the status of a printer that was never asked before. */
  status: 400,
  /** Timeout for the status of a printer that has never answered and has closed a connection early before. */
  quiet: 50,
  /** Timeout for the status of a printer that has never answered and never closed a connection early. */
  served: 20,
  /** Between two status queries while the printer needs a person. */
  poll: 1000,
  /**
   * Without progress until the operator sees that the printer takes no data; timeout for the status of a printer that
   * answers.
   */
  stall: 2000,
  /** Without progress until the driver gives up on a printer that takes no data, or neither answers nor closes. */
  giveUp: 60_000,
  /**
   * Between the last byte that a printer without status has taken and our FIN, so that a close by the printer shows
   * first.
   */
  linger: 100,
  /** Until an idle connection is closed, for other stations. */
  release: 2000,
  /** The time that a batch may keep one connection, before other stations get the printer. */
  hold: 60_000,
  /** The pause for other stations before the next connection. */
  turn: 1000,
  /** The total of waits without an answer after which a printer that used to answer counts as one that does not. */
  forget: 120_000,
  /** The time without a remark after which an unchanged label count is a constant of the printer. */
  steady: 15_000,
}

export type SocketWaits = typeof usualWaits

/** What a status query shows. */
export type StatusReading =
  | { kind: 'reports'; remarks: PrinterRemark[]; labelsInside: number; millimetres: number | undefined }
  /** It has never answered; it may be any printer that takes ZPL. */
  | { kind: 'no-status' }
  /** It has answered before and does not now. */
  | { kind: 'no-answer' }
  /** The connection ended before anything of a label was sent. */
  | { kind: 'ended'; says: PrinterRemark }

/** A label that was written and is not known to be printed. */
export interface PendingLabel {
  /** How many labels the printer counts for it, at least. */
  formats: number
  /** The length of each, at least. */
  heightMm: number
  /** The odometer's reading before the label was sent. */
  odometerFrom?: number | undefined
}

/** The connection to one printer, kept open while there is something to print, and what is known of the printer. */
export class SocketSession {
  /** Oldest first. */
  readonly pendingLabels: PendingLabel[] = []
  /** Whether the odometer has moved with a label. */
  hasOdometer = false
  /**
   * Whether the printer has closed a connection before it had a whole label: later ones get the time to do so again.
   */
  hasClosedEarly = false
  /** The questions that it answers; undefined for those that were never asked. */
  private readonly known: { [Q in ZplQuestion]?: boolean } = {}
  /** The total of waits without an answer, since the last answer or since the printer was unreachable. */
  private unansweredMs = 0
  private gaveNoStatusWhenIdle = false
  /** The attempts of full length without an answer since the last answer, and when the last of them ended. */
  private silentAttempts = 0
  private silentAt = 0
  private connection: PrinterConnection | undefined
  private connectedAt = 0
  private idleTimer: NodeJS.Timeout | undefined
  /** How many jobs and polls hold the lock or wait for it. */
  private lockUsers = 0
  private lastHolder: Promise<void> = Promise.resolve()

  constructor(
    private readonly printer: Pick<SocketPrinter, 'host' | 'port' | 'language'>,
    private readonly waits: SocketWaits,
  ) {}

  /**
   * Waits until no other job or poll holds the session.
   * @param stop ends the wait: the session must not be used once it is aborted
   * @returns the function that unlocks it
   */
  async lock(stop?: AbortSignal): Promise<() => void> {
    const before = this.lastHolder
    const { promise: released, resolve: release } = deferred()
    // The next one also waits for the holder before this one, which may give up its wait.
    this.lastHolder = Promise.all([before, released]).then(() => undefined)
    this.lockUsers += 1
    clearTimeout(this.idleTimer)
    await (stop === undefined ? before : untilStopped(before, stop).catch(() => undefined))
    let isReleased = false
    return () => {
      if (!isReleased) this.lockUsers -= 1
      isReleased = true
      release()
    }
  }

  /**
   * The open connection, or a new one.
   * @param isBrief whether to wait only as long as a printer takes that is back
   */
  async connect(signal: AbortSignal, isBrief = false): Promise<Result<PrinterConnection, PrinterRemark>> {
    if (this.connection !== undefined && this.isOpen()) return ok(this.connection)
    this.close()
    const { connect, connectBriefly } = this.waits
    const opened = await openConnection(this.printer, isBrief ? connectBriefly : connect, signal)
    if (!opened.ok) {
      // A printer that starts refuses connections: it is no longer off.
      if (opened.error.words === 'ECONNREFUSED') this.silentAttempts = 0
      else if (!isBrief && !signal.aborted) {
        this.silentAttempts += 1
        this.silentAt = performance.now()
      }
      // A printer that comes back may answer slowly while it starts: earlier silence does not count.
      this.unansweredMs = 0
      return err(opened.error)
    }
    this.silentAttempts = 0
    this.connection = opened.value
    this.connectedAt = Date.now()
    return opened
  }

  /**
   * Whether nothing answered at the printer's address a moment ago, as when it is switched off. A single attempt does not
   * show it: the printer may serve another station.
   */
  isKnownSilent(): boolean {
    return this.silentAttempts >= 2 && performance.now() - this.silentAt < this.waits.silence
  }

  isOpen(): boolean {
    return this.connection !== undefined && this.connection.ended() === undefined
  }

  /** Whether the printer is known to report no status. */
  reportsNoStatus(): boolean {
    return this.known.status === false || (this.known.status === undefined && this.gaveNoStatusWhenIdle)
  }

  /**
   * Asks for the printer's status.
   * @param idleMs the timeout of a poll, when nothing is to be printed. A poll without an answer proves little: the
   *   printer may wake up, or serve another station. Left out before a label is sent
   */
  async readStatus(connection: PrinterConnection, idleMs?: number): Promise<StatusReading> {
    const { known } = this
    const isIdle = idleMs !== undefined
    const timeoutMs = idleMs ?? this.getStatusTimeoutMs()
    const asking = connection.ask('status', timeoutMs)
    const askDetails = () =>
      Promise.all([this.askMore(connection, 'errors'), this.askMore(connection, 'odometer')])
    const details = known.status === true ? askDetails() : undefined
    const status = await asking
    const ended = connection.ended()
    if (ended !== undefined) {
      this.hasClosedEarly = true
      this.close()
      return { kind: 'ended', says: endedUnread(ended) }
    }
    if (status === undefined) {
      this.gaveNoStatusWhenIdle = isIdle
      if (known.status === true && (isIdle || !this.isForgotten(timeoutMs))) return { kind: 'no-answer' }
      // After a poll without an answer, the status is asked for once more before a label is sent.
      if (!isIdle) known.status ??= false
      return { kind: 'no-status' }
    }
    this.unansweredMs = 0
    this.gaveNoStatusWhenIdle = false
    known.status = true
    const [errors, odometer] = await (details ?? askDetails())
    const remarks = [...status.remarks, ...(errors?.remarks ?? [])]
    return {
      kind: 'reports',
      remarks: remarks.filter(({ code }, index) => remarks.findIndex((each) => each.code === code) === index),
      labelsInside: status.labelsInside,
      millimetres: odometer?.millimetres,
    }
  }

  /**
   * Whether other stations are to get the printer: no further label is sent ahead then, so that the printer becomes
   * empty.
   */
  shouldYield(): boolean {
    // A USB device belongs to this computer alone.
    const isShared = this.connection !== undefined && !isDevicePath(this.printer.host)
    return isShared && Date.now() - this.connectedAt >= this.waits.hold
  }

  /** Disconnects for a while, if other stations are to get the printer and no label is pending. */
  async yieldToOtherStations(signal: AbortSignal): Promise<void> {
    if (this.pendingLabels.length > 0 || !this.shouldYield()) return
    this.close()
    await rest(this.waits.turn, { signal })
  }

  /** Closes the connection after a delay, unless the session is locked or a label is pending. */
  closeWhenIdle(): void {
    clearTimeout(this.idleTimer)
    if (this.pendingLabels.length > 0 || this.lockUsers > 0) return
    this.idleTimer = setTimeout(() => this.close(), this.waits.release)
    this.idleTimer.unref()
  }

  /** Closes the connection at once. */
  close(): void {
    clearTimeout(this.idleTimer)
    // It answered, perhaps too late: the next query waits longer.
    if (this.connection?.hasAnswered() === true) this.known.status = true
    this.connection?.destroy()
    this.connection = undefined
  }

  /** Closes a connection at once, unless a newer one has replaced it: that one may carry a later label. */
  drop(connection: PrinterConnection): void {
    if (this.connection === connection) this.close()
  }

  /** Asks a question that older printers do not answer: after one timeout it is not asked again. */
  private async askMore<Q extends 'errors' | 'odometer'>(connection: PrinterConnection, question: Q) {
    if (this.known[question] === false) return undefined
    const answer = await connection.ask(question, this.waits.status)
    this.known[question] ??= answer !== undefined
    return answer
  }

  private getStatusTimeoutMs(): number {
    if (this.known.status === undefined) return this.waits.status
    if (this.known.status) return this.waits.stall
    return this.hasClosedEarly ? this.waits.quiet : this.waits.served
  }

  /**
   * Whether a printer that used to answer has not done so for so long that it may have been replaced. Only waits on
   * connections that stayed open count: a printer that was off or was not asked has not been silent, and its first
   * slow answer must not lead to a label that is sent without knowing whether there is paper.
   */
  private isForgotten(waitedMs: number): boolean {
    this.unansweredMs += waitedMs
    if (this.unansweredMs < this.waits.forget) return false
    this.known.status = false
    return true
  }
}

/** The remark for a connection that ended before anything of a label was sent. */
function endedUnread(end: ConnectionEnd): PrinterRemark {
  return end.kind === 'closed' ? { code: 'closed-unread' } : { code: 'connection-broke', words: end.words }
}

/** The system takes a part whole or not at all: smaller parts show the progress of a long label. */
const partBytes = 65_536

/** How the printer's side of a connection ended. */
type ConnectionEnd = { kind: 'closed' } | { kind: 'broke'; words: string }

/** A connection to a printer, which may answer on it. */
export type PrinterConnection = ReturnType<typeof createConnection>

/**
 * Connects to a printer's TCP port, or opens its USB device.
 * @param signal ends the attempt
 * @returns the reason when it fails
 */
export async function openConnection(
  printer: Pick<SocketPrinter, 'host' | 'port' | 'language'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Result<PrinterConnection, PrinterRemark>> {
  if (!isDevicePath(printer.host)) return openSocket(printer, timeoutMs, signal)
  try {
    const device = await openUsbDevice(printer.host)
    return ok(createConnection(device, statusProtocols[printer.language ?? 'zpl'], async () => undefined))
  } catch (error) {
    return err(getFailure(error))
  }
}

function getFailure(error: unknown): PrinterRemark {
  return { code: 'system-words', words: systemCode(error) || toReason(error) }
}

function openSocket(
  { host, port, language }: Pick<SocketPrinter, 'host' | 'port' | 'language'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Result<PrinterConnection, PrinterRemark>> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true, allowHalfOpen: true })
    const end = (failure?: PrinterRemark) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      socket.removeListener('error', failed)
      const { localPort, remotePort, remoteAddress } = socket
      const state = () => readTcpState({ localPort, remotePort, remoteAddress })
      if (failure === undefined)
        return resolve(ok(createConnection(socket, statusProtocols[language ?? 'zpl'], state)))
      socket.on('error', () => undefined)
      socket.destroy()
      resolve(err(failure))
    }
    const failed = (error: Error) => end(getFailure(error))
    const giveUp = () => end({ code: 'no-answer-in-time' })
    const timer = setTimeout(giveUp, timeoutMs)
    if (signal.aborted) return giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    socket.on('error', failed)
    socket.once('connect', () => end())
  })
}

/** A question that was written. An answer belongs to the oldest open question of its form. */
interface OpenQuestion<A> {
  /** Undefined after the timeout. A late answer still belongs to this question. */
  resolve: ((answer: A) => void) | undefined
}

function createConnection(
  socket: Duplex,
  protocol: StatusProtocol,
  /** The system's state of the connection; undefined where it is not known. */
  readState: () => Promise<TcpState | undefined>,
) {
  const open: { [Q in ZplQuestion]: OpenQuestion<ZplAnswers[Q]>[] } = { status: [], errors: [], odometer: [] }
  let hasAnswered = false
  let ending: ConnectionEnd | undefined
  const { promise: whenEnded, resolve: finish } = deferred()
  const end = (how: ConnectionEnd) => {
    ending ??= how
    finish()
  }

  function writeQuestion(question: ZplQuestion): void {
    const text = protocol.questions[question]
    if (text !== undefined && socket.writable) socket.write(text, 'latin1')
  }

  function answered<Q extends ZplQuestion>(question: Q, answer: ZplAnswers[Q]): void {
    hasAnswered = true
    const asked: OpenQuestion<ZplAnswers[Q]>[] = open[question]
    const oldest = asked.shift()
    if (oldest === undefined) return
    oldest.resolve?.(answer)
    if (oldest.resolve !== undefined || asked.every(({ resolve }) => resolve === undefined)) return
    // Either an answer got lost or this one is late. One more question gives the waiting one an answer in both cases.
    asked.push({ resolve: undefined })
    writeQuestion(question)
  }

  const read = protocol.createReader({
    status: (answer) => answered('status', answer),
    errors: (answer) => answered('errors', answer),
    odometer: (answer) => answered('odometer', answer),
  })
  // Node reports the end of the connection only after all answers were read.
  socket.on('data', (part: Buffer) => read(part.toString('latin1')))
  socket.on('error', (error) => end({ kind: 'broke', words: error.message }))
  socket.on('end', () => end({ kind: 'closed' }))
  socket.on('close', () => end({ kind: 'closed' }))

  return {
    /** Asks a question. @returns its own answer; undefined after the timeout or the end of the connection */
    async ask<Q extends ZplQuestion>(question: Q, timeoutMs: number): Promise<ZplAnswers[Q] | undefined> {
      if (ending !== undefined) return undefined
      // A status query waits even when the language has none: a peer that closes at once shows then.
      if (question !== 'status' && protocol.questions[question] === undefined) return undefined
      if (!socket.writable) {
        // A write failed and its event is still to come; it would never come if the caller asked again at once.
        await Promise.race([whenEnded, pause(timeoutMs, undefined, { ref: false })])
        return undefined
      }
      const asked: OpenQuestion<ZplAnswers[Q]>[] = open[question]
      const entry: OpenQuestion<ZplAnswers[Q]> = { resolve: undefined }
      const timeout = new AbortController()
      const answer = new Promise<ZplAnswers[Q]>((resolve) => {
        entry.resolve = resolve
      })
      asked.push(entry)
      writeQuestion(question)
      const late = rest(timeoutMs, { signal: timeout.signal })
      const first = await Promise.race([answer, late, whenEnded.then(() => undefined)])
      timeout.abort()
      entry.resolve = undefined
      return first
    },
    /** Writes bytes. Calls back with the number of bytes left whenever the system has taken a part. */
    write(bytes: Buffer, onTaken: (left: number) => void): void {
      for (const question of protocol.findQuestions(bytes)) open[question].push({ resolve: undefined })
      for (let from = 0; from < bytes.length; from += partBytes) {
        const left = Math.max(0, bytes.length - from - partBytes)
        socket.write(bytes.subarray(from, from + partBytes), () => onTaken(left))
      }
    },
    /** Closes the writing side. */
    end: () => void socket.end(),
    hasAnswered: () => hasAnswered,
    /** How the printer's side ended; undefined while it is open. */
    ended: () => ending,
    /** Resolves when the printer's side has ended. */
    whenEnded,
    readState,
    destroy: () => void socket.destroy(),
  }
}

/** A connection's state in Linux. */
interface TcpState {
  /** Bytes that the peer has not acknowledged; our FIN counts as one. */
  unacknowledged: number
  /** Both sides have closed, ours first, and everything was acknowledged. */
  isClosedInOrder: boolean
}

/** TCP's TIME_WAIT. Only a side whose FIN was acknowledged before the peer's arrived gets there. */
const timeWait = '06'

/** Both ends of a connection, read while it was open. */
type TcpEnds = Pick<Socket, 'localPort' | 'remotePort' | 'remoteAddress'>

/**
 * Finds a connection in the system's list, which keeps it for a minute after its end.
 * @returns undefined on systems other than Linux, and for a connection that is no longer listed
 */
async function readTcpState(ends: TcpEnds): Promise<TcpState | undefined> {
  if (process.platform !== 'linux') return undefined
  const local = hexPort(ends.localPort)
  const remote = `${hexAddress(ends.remoteAddress)}${hexPort(ends.remotePort)}`
  const lists = await Promise.all(['tcp', 'tcp6'].map((family) => listConnections(family)))
  const [found, ...others] = lists
    .flat()
    .filter(({ from, to }) => from.endsWith(local) && to.endsWith(remote))
    .filter(({ state }) => !Number.isNaN(state.unacknowledged))
  return others.length === 0 ? found?.state : undefined
}

async function listConnections(family: string): Promise<{ from: string; to: string; state: TcpState }[]> {
  const list = await readFile(`/proc/self/net/${family}`, 'latin1').catch(() => '')
  return list.split('\n').map((line) => {
    const [, from = '', to = '', state, queues = ''] = line.trim().split(/\s+/)
    const unacknowledged = Number.parseInt(queues, 16)
    return { from, to, state: { unacknowledged, isClosedInOrder: state === timeWait } }
  })
}

function hexPort(port: number | undefined): string {
  return `:${(port ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** An IPv4 address as the list writes it; empty for IPv6, whose connections are found by their ports. */
function hexAddress(address = ''): string {
  const bytes = address.split('.').map(Number)
  return bytes.length === 4 ? Buffer.from(bytes.reverse()).toString('hex').toUpperCase() : ''
}
