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

/** The system takes a part whole or not at all, so parts show how far a long label has come. */
const partBytes = 65_536

/** How the printer's side of a connection ended. */
export type ConnectionEnd = { kind: 'closed' } | { kind: 'broke'; words: string }

/** A connection to a printer, on which it may answer. */
export interface PrinterConnection {
  /** Asks a question and waits for its own answer; undefined when there is none in time. */
  ask<Q extends ZplQuestion>(question: Q, timeoutMs: number): Promise<ZplAnswers[Q] | undefined>
  /** Writes bytes behind everything before them; calls back whenever the system has taken a part of them. */
  write(bytes: Buffer, onTaken: (left: number) => void): void
  /** Ends this side: nothing more is written. */
  end(): void
  /** Whether it has answered any question, in time or late. */
  hasAnswered(): boolean
  /** How the printer's side ended; undefined while it is open. */
  ended(): ConnectionEnd | undefined
  /** Resolves when the printer's side has ended. */
  whenEnded: Promise<void>
  /** What the system knows of it; undefined where it does not tell. */
  tcpState(): Promise<TcpState | undefined>
  destroy(): void
}

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
  tcpState: PrinterConnection['tcpState'],
): PrinterConnection {
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
    async ask<Q extends ZplQuestion>(question: Q, timeoutMs: number) {
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
    write(bytes, onTaken) {
      for (const question of protocol.questionsIn(bytes)) open[question].push({ take: undefined })
      for (let from = 0; from < bytes.length; from += partBytes) {
        const left = Math.max(0, bytes.length - from - partBytes)
        socket.write(bytes.subarray(from, from + partBytes), () => onTaken(left))
      }
    },
    end: () => socket.end(),
    hasAnswered: () => hasAnswered,
    ended: () => ending,
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
export interface TcpState {
  /** Bytes that the other side has not acknowledged, our end counted as one. */
  unacknowledged: number
  /** Both sides have ended, ours first, and everything was acknowledged. */
  isClosedInOrder: boolean
}

/** TIME_WAIT of the kernel's states: only a side whose end was acknowledged before the other one's comes there. */
const timeWait = '06'

/** Both ends of a connection, as they were while it was open. */
export type TcpEnds = Pick<Socket, 'localPort' | 'remotePort' | 'remoteAddress'>

/**
 * Looks a connection up in the system's list, which also holds it for a minute after its end.
 * @returns undefined on other systems than Linux, and for a connection that is gone
 */
export async function readTcpState(ends: TcpEnds): Promise<TcpState | undefined> {
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
