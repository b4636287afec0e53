import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { PrinterRemark } from '../../../shared/printerRemarks'
import { isDevicePath, type SocketPrinter } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { systemCode } from '../../lib/synced'
import { toReason } from '../../lib/toReason'
import { openUsbDevice } from './usbDevice'
import { type StatusProtocol, statusProtocols, type ZplAnswers, type ZplQuestion } from './zplStatus'

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
export class SocketSession {
  /** Labels that were written and are not known to be printed, oldest first. */
  readonly inside: LabelInside[] = []
  /** Whether its odometer was seen to move with a label. */
  hasOdometer = false
  /** Whether it has ended a connection before it had a whole label: it may do so again, and is given time to. */
  hasTurnedAway = false
  /** Which questions it answers; undefined while it was never asked. */
  private readonly known: { [Q in ZplQuestion]?: boolean } = {}
  /** So long it was waited for answers since the last one, or since the printer was away. */
  private muteMs = 0
  private wasQuietWhenIdle = false
  private kept: PrinterConnection | undefined
  private keptSince = 0
  private idle: NodeJS.Timeout | undefined
  /** How many hold the lock or wait for it. */
  private wanted = 0
  private lastHolder: Promise<void> = Promise.resolve()

  constructor(
    private readonly printer: Pick<SocketPrinter, 'host' | 'port' | 'language'>,
    private readonly waits: SocketWaits,
  ) {}

  /** Waits until no other job or look holds the session; the function that it gives unlocks it. */
  async lock(): Promise<() => void> {
    const before = this.lastHolder
    let over: () => void = () => undefined
    this.lastHolder = new Promise<void>((resolve) => {
      over = resolve
    })
    this.wanted += 1
    clearTimeout(this.idle)
    await before
    let isBack = false
    return () => {
      if (!isBack) this.wanted -= 1
      isBack = true
      over()
    }
  }

  /** The connection that is kept, or a new one. */
  async connect(signal: AbortSignal): Promise<Result<PrinterConnection, PrinterRemark>> {
    if (this.kept !== undefined && this.isOpen()) return ok(this.kept)
    this.drop()
    const opened = await openConnection(this.printer, this.waits.connect, signal)
    if (!opened.ok) {
      // What comes back may be slow while it starts, whatever was silent before.
      this.muteMs = 0
      return err(opened.error)
    }
    this.kept = opened.value
    this.keptSince = Date.now()
    return opened
  }

  /** Whether a connection is kept. */
  isOpen(): boolean {
    return this.kept !== undefined && this.kept.ended() === undefined
  }

  /** Whether it has never answered and was asked, or counts as one that does not. */
  isQuiet(): boolean {
    return this.known.status === false || (this.known.status === undefined && this.wasQuietWhenIdle)
  }

  /**
   * Asks how the printer is.
   * @param idleMs how long it is waited for when nobody waits for the printer. That it gives no answer in time says little
   *   then: it may wake up, or serve another station. Left out before something is printed
   */
  async look(connection: PrinterConnection, idleMs?: number): Promise<Look> {
    const { known } = this
    const isIdle = idleMs !== undefined
    const atMostMs = idleMs ?? this.getUsualWaitMs()
    const asking = connection.ask('status', atMostMs)
    const askDetails = () =>
      Promise.all([this.askMore(connection, 'errors'), this.askMore(connection, 'odometer')])
    const details = known.status === true ? askDetails() : undefined
    const status = await asking
    const ended = connection.ended()
    if (ended !== undefined) {
      this.hasTurnedAway = true
      this.drop()
      return { kind: 'ended', says: endedUnread(ended) }
    }
    if (status === undefined) {
      this.wasQuietWhenIdle = isIdle
      if (known.status === true && (isIdle || !this.isForgotten(atMostMs))) return { kind: 'mute' }
      // A label is not sent unasked to one that did not answer when it was idle.
      if (!isIdle) known.status ??= false
      return { kind: 'silent' }
    }
    this.muteMs = 0
    this.wasQuietWhenIdle = false
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

  /** Whether other stations are to get a turn: then nothing more is sent ahead, so that the printer becomes empty. */
  hasHeldLong(): boolean {
    // A device belongs to this computer alone.
    const isShared = this.kept !== undefined && !isDevicePath(this.printer.host)
    return isShared && Date.now() - this.keptSince >= this.waits.hold
  }

  /** Gives other stations their turn when they are to have one and nothing is inside of the printer. */
  async giveTurn(signal: AbortSignal): Promise<void> {
    if (this.inside.length > 0 || !this.hasHeldLong()) return
    this.drop()
    await rest(this.waits.turn, signal)
  }

  /** Lets the connection go soon when nothing holds or waits for the lock and nothing is inside of the printer. */
  release(): void {
    clearTimeout(this.idle)
    if (this.inside.length > 0 || this.wanted > 0) return
    this.idle = setTimeout(() => this.drop(), this.waits.release)
    this.idle.unref()
  }

  /** Closes the connection at once. */
  drop(): void {
    clearTimeout(this.idle)
    // A slow one is asked with more patience from now on.
    if (this.kept?.hasAnswered() === true) this.known.status = true
    this.kept?.destroy()
    this.kept = undefined
  }

  /** Asks what older printers do not know: they are waited for once. */
  private async askMore<Q extends 'errors' | 'odometer'>(connection: PrinterConnection, question: Q) {
    if (this.known[question] === false) return undefined
    const answer = await connection.ask(question, this.waits.status)
    this.known[question] ??= answer !== undefined
    return answer
  }

  private getUsualWaitMs(): number {
    if (this.known.status === undefined) return this.waits.status
    if (this.known.status) return this.waits.stall
    return this.hasTurnedAway ? this.waits.quiet : this.waits.served
  }

  /**
   * Whether a printer that used to answer is silent for so long that it may be another one by now. Only waits on
   * connections that stood to their end count: one that was off, or that nobody asked, has not been silent, and its
   * first slow answer must not cost a label that is sent without knowing whether there is paper.
   */
  private isForgotten(waitedMs: number): boolean {
    this.muteMs += waitedMs
    if (this.muteMs < this.waits.forget) return false
    this.known.status = false
    return true
  }
}

/** How a connection ended on which nothing of a label was sent. */
function endedUnread(end: ConnectionEnd): PrinterRemark {
  return end.kind === 'closed' ? { code: 'closed-unread' } : { code: 'connection-broke', words: end.words }
}

/** The system takes a part whole or not at all, so parts show how far a long label has come. */
const partBytes = 65_536

/** How the printer's side of a connection ended. */
type ConnectionEnd = { kind: 'closed' } | { kind: 'broke'; words: string }

/** A connection to a printer, on which it may answer. */
export type PrinterConnection = ReturnType<typeof connectionOn>

/**
 * Connects to a printer's TCP port, or opens its USB device.
 * @param signal ends the attempt
 * @returns the reason when there is no connection
 */
export async function openConnection(
  printer: Pick<SocketPrinter, 'host' | 'port' | 'language'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Result<PrinterConnection, PrinterRemark>> {
  if (!isDevicePath(printer.host)) return openSocket(printer, timeoutMs, signal)
  try {
    const device = await openUsbDevice(printer.host)
    return ok(connectionOn(device, statusProtocols[printer.language ?? 'zpl'], async () => undefined))
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
        return resolve(ok(connectionOn(socket, statusProtocols[language ?? 'zpl'], state)))
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

/** A question that was written: the first of its form that is open gets the next answer of that form. */
interface Open<A> {
  /** Undefined when nobody waits for it any more; its answer may come late all the same, and is nobody else's. */
  take: ((answer: A) => void) | undefined
}

function connectionOn(
  socket: Duplex,
  protocol: StatusProtocol,
  /** What the system knows of it; undefined where it does not tell. */
  tcpState: () => Promise<TcpState | undefined>,
) {
  const open: { [Q in ZplQuestion]: Open<ZplAnswers[Q]>[] } = { status: [], errors: [], odometer: [] }
  let hasAnswered = false
  let ending: ConnectionEnd | undefined
  let finish: () => void = () => undefined
  const whenEnded = new Promise<void>((resolve) => {
    finish = resolve
  })
  const end = (how: ConnectionEnd) => {
    ending ??= how
    finish()
  }

  function put(question: ZplQuestion): void {
    const text = protocol.questions[question]
    if (text !== undefined && socket.writable) socket.write(text, 'latin1')
  }

  function answered<Q extends ZplQuestion>(question: Q, answer: ZplAnswers[Q]): void {
    hasAnswered = true
    const asked: Open<ZplAnswers[Q]>[] = open[question]
    const oldest = asked.shift()
    if (oldest === undefined) return
    oldest.take?.(answer)
    if (oldest.take !== undefined || asked.every(({ take }) => take === undefined)) return
    // An answer got lost, or this one is late: which of the two shows only with one more answer than there are questions.
    asked.push({ take: undefined })
    put(question)
  }

  const read = protocol.createReader({
    status: (answer) => answered('status', answer),
    errors: (answer) => answered('errors', answer),
    odometer: (answer) => answered('odometer', answer),
  })
  // Unread, an answer would keep the end of the connection from being seen.
  socket.on('data', (part: Buffer) => read(part.toString('latin1')))
  socket.on('error', (error) => end({ kind: 'broke', words: error.message }))
  socket.on('end', () => end({ kind: 'closed' }))
  socket.on('close', () => end({ kind: 'closed' }))

  return {
    /** Asks a question and waits for its own answer; undefined when there is none in time. */
    async ask<Q extends ZplQuestion>(question: Q, timeoutMs: number): Promise<ZplAnswers[Q] | undefined> {
      if (ending !== undefined) return undefined
      // Whoever asks for its state waits all the same, so that a peer shows which closes at once.
      if (question !== 'status' && protocol.questions[question] === undefined) return undefined
      if (!socket.writable) {
        // A write failed and its event is still to come. It would never come if the caller asked again at once.
        await Promise.race([whenEnded, pause(timeoutMs, undefined, { ref: false })])
        return undefined
      }
      const asked: Open<ZplAnswers[Q]>[] = open[question]
      const entry: Open<ZplAnswers[Q]> = { take: undefined }
      const timeout = new AbortController()
      const answer = new Promise<ZplAnswers[Q]>((resolve) => {
        entry.take = resolve
      })
      asked.push(entry)
      put(question)
      const late = pause(timeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined)
      const first = await Promise.race([answer, late, whenEnded.then(() => undefined)])
      timeout.abort()
      entry.take = undefined
      return first
    },
    /** Writes bytes behind everything before them; calls back whenever the system has taken a part of them. */
    write(bytes: Buffer, onTaken: (left: number) => void): void {
      for (const question of protocol.questionsIn(bytes)) open[question].push({ take: undefined })
      for (let from = 0; from < bytes.length; from += partBytes) {
        const left = Math.max(0, bytes.length - from - partBytes)
        socket.write(bytes.subarray(from, from + partBytes), () => onTaken(left))
      }
    },
    /** Ends this side: nothing more is written. */
    end: () => void socket.end(),
    /** Whether it has answered any question, in time or late. */
    hasAnswered: () => hasAnswered,
    /** How the printer's side ended; undefined while it is open. */
    ended: () => ending,
    /** Resolves when the printer's side has ended. */
    whenEnded,
    tcpState,
    destroy: () => void socket.destroy(),
  }
}

/** Waits, or less when one of the signals says so. */
export async function rest(milliseconds: number, ...signals: AbortSignal[]): Promise<void> {
  await pause(milliseconds, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined)
}

/** What Linux knows of a connection. */
interface TcpState {
  /** Bytes that the other side has not acknowledged, our end counted as one. */
  unacknowledged: number
  /** Both sides have ended, ours first, and everything was acknowledged. */
  isClosedInOrder: boolean
}

/** TIME_WAIT of the kernel's states: only a side whose end was acknowledged before the other one's comes there. */
const timeWait = '06'

/** Both ends of a connection, as they were while it was open. */
type TcpEnds = Pick<Socket, 'localPort' | 'remotePort' | 'remoteAddress'>

/**
 * Looks a connection up in the system's list, which also holds it for a minute after its end.
 * @returns undefined on other systems than Linux, and for a connection that is gone
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

/** The end of an address as the list writes it; nothing for IPv6, where the ports have to tell. */
function hexAddress(address = ''): string {
  const bytes = address.split('.').map(Number)
  return bytes.length === 4 ? Buffer.from(bytes.reverse()).toString('hex').toUpperCase() : ''
}
