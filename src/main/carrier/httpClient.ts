import type { LookupFunction, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { buildConnector, Client, Dispatcher, Pool } from 'undici'
import { err, ok, type Result } from '../../shared/result'
import {
  addressNotAllowed,
  type ConnectOptions,
  loadHttpLibrary,
  ProxyError,
  type ProxyFailure,
} from '../network/network'
import type { CutAnswer } from './json'

/** Longest waits, in milliseconds: for a connection, and from the first byte sent to the last byte of the answer. */
export interface Timeouts {
  connectTimeoutMs: number
  answerTimeoutMs: number
}

const connectionOptions = {
  pipelining: 1,
  maxHeaderSize: 32 * 1024,
  // Shorter than any usual server's: a kept connection is dropped here before it is dropped there.
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 15_000,
}
const connectionsPerOrigin = 6

/** How the client connects. */
export interface Connecting {
  /** Connections of another revision are not used again. */
  revision(): string
  connector(options: ConnectOptions): buildConnector.connector
}

const directConnecting: Connecting = {
  revision: () => '',
  connector({ timeoutMs, lookup }) {
    const connecting = loadHttpLibrary().then(({ buildConnector }) =>
      buildConnector({ timeout: timeoutMs, ...(lookup !== undefined && { lookup }) }),
    )
    return (options, callback) => void connecting.then((connect) => connect(options, callback))
  },
}

interface Connections {
  key: string
  connector: buildConnector.connector
  pools: Map<string, Pool>
}

/** How long a connection may be waiting for its request, in milliseconds: far shorter than any server waits for one. */
const earlyMs = 500

/** A connection that is begun before the one request that is to go over it; nothing is written to it until then. */
export class EarlyConnection {
  private state:
    | { kind: 'connecting' }
    | { kind: 'asked'; callback: buildConnector.Callback }
    | { kind: 'open'; socket: Socket }
    /** Handed over, failed, or not asked for in time. */
    | { kind: 'over' } = { kind: 'connecting' }
  private readonly timer: NodeJS.Timeout

  constructor(
    private readonly connect: buildConnector.connector,
    { hostname, host, protocol, port }: URL,
    /** Those that no request has asked for yet: it is among them as long as it is one. */
    private readonly begun: Set<EarlyConnection>,
  ) {
    begun.add(this)
    this.timer = setTimeout(() => this.close(), earlyMs).unref()
    const name = hostname.replaceAll(/^\[|\]$/g, '')
    connect({ hostname: name, host, protocol, port }, (...made) => this.takeIn(made))
  }

  /**
   * The way of a request that connects by `current`. It is handed the connection; another is made where this one failed, has
   * ended, is too old or was begun in another way, which proves that nothing was sent over it.
   */
  handOver(current: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      const { state } = this
      const isCurrent = this.connect === current
      if (isCurrent && state.kind === 'connecting') {
        this.become({ kind: 'asked', callback })
      } else if (isCurrent && state.kind === 'open' && !hasEnded(state.socket)) {
        this.become({ kind: 'over' })
        queueMicrotask(() => callback(null, state.socket))
      } else {
        this.close()
        current(options, callback)
      }
    }
  }

  /** Ends a connection that no request has asked for. */
  close(): void {
    const { state } = this
    if (state.kind === 'asked') return
    if (state.kind === 'open') state.socket.destroy()
    this.become({ kind: 'over' })
  }

  private takeIn(made: buildConnector.CallbackArgs): void {
    const { state } = this
    // By the error, as the library leaves the socket of a failed connection undefined.
    const socket = made[0] === null ? made[1] : undefined
    // Whoever gets it listens as well.
    socket?.on('error', () => undefined)
    if (state.kind === 'connecting' && socket !== undefined) {
      this.state = { kind: 'open', socket }
      return
    }
    this.become({ kind: 'over' })
    if (state.kind === 'asked') state.callback(...made)
    else socket?.destroy()
  }

  private become(state: Extract<EarlyConnection['state'], { kind: 'asked' | 'over' }>): void {
    clearTimeout(this.timer)
    this.state = state
    this.begun.delete(this)
  }
}

function hasEnded({ destroyed, readableEnded }: Socket): boolean {
  return destroyed || readableEnded
}

export type HttpClient = ReturnType<typeof createHttpClient>

/**
 * The app's way to HTTP services. Follows no redirects and repeats nothing.
 * @param timeouts asked at each request
 * @param network how it connects; directly by default
 */
export function createHttpClient(timeouts: () => Timeouts, network: Connecting = directConnecting) {
  const lone = new Set<Client>()
  const begun = new Set<EarlyConnection>()
  let connections: Connections | undefined
  let closed = false

  /** Connections made with another connect time-out, or in another way, are let go when their requests have ended. */
  function currentConnections(timeoutMs: number): Connections {
    const key = `${timeoutMs} ${network.revision()}`
    if (connections?.key === key) return connections
    for (const pool of connections?.pools.values() ?? []) void pool.close()
    connections = {
      key,
      connector: network.connector({ timeoutMs }),
      pools: new Map(),
    }
    return connections
  }

  function poolFor(
    origin: string,
    { connector, pools }: Connections,
    { Pool }: Pick<typeof import('undici'), 'Pool'>,
  ): Dispatcher {
    const existing = pools.get(origin)
    if (existing !== undefined) return existing
    const pool = new Pool(origin, {
      ...connectionOptions,
      connections: connectionsPerOrigin,
      connect: connector,
    })
    pools.set(origin, pool)
    return pool
  }

  /**
   * Over a connection of its own, for requests that must never be sent twice. A kept connection can be closed by the
   * service at the moment of writing, and then it is not known whether the request arrived; a fresh one that can't be
   * made proves that it did not; one that was begun a moment before is as good (`EarlyConnection`). With a `lookup` of its own it is asked for that connection's address. The price is a handshake (shortened by TLS session resumption).
   */
  async function sendAlone(request: HttpRequest): Promise<Result<HttpAnswer, TransportFailure>> {
    const { Client } = await loadHttpLibrary()
    if (closed) return closedAnswer
    const { connectTimeoutMs, answerTimeoutMs } = timeouts()
    const { early, lookup } = request
    const connector =
      lookup === undefined
        ? currentConnections(connectTimeoutMs).connector
        : network.connector({ timeoutMs: connectTimeoutMs, lookup })
    const connect = early?.handOver(connector) ?? connector
    const client = new Client(request.origin, { ...connectionOptions, connect: skippingContinue(connect) })
    lone.add(client)
    try {
      return await exchange(client, request, answerTimeoutMs)
    } finally {
      lone.delete(client)
      void client.destroy()
    }
  }

  return {
    /** Over a kept connection, for requests that may safely be asked again. */
    async send(request: HttpRequest): Promise<Result<HttpAnswer, TransportFailure>> {
      const library = await loadHttpLibrary()
      if (closed) return closedAnswer
      const { connectTimeoutMs, answerTimeoutMs } = timeouts()
      const pool = poolFor(request.origin, currentConnections(connectTimeoutMs), library)
      return exchange(pool, request, answerTimeoutMs)
    },
    sendAlone,
    /** Begins to connect for a request that is to be sent alone in a moment (`HttpRequest.early`); not when the app is ending. */
    connect(to: URL): EarlyConnection | undefined {
      if (closed) return undefined
      const { connector } = currentConnections(timeouts().connectTimeoutMs)
      return new EarlyConnection(connector, to, begun)
    },
    /** Ends all connections and every request under way, at once. */
    async close(): Promise<void> {
      closed = true
      for (const early of begun) early.close()
      const open = [...lone, ...(connections?.pools.values() ?? [])]
      await Promise.all(open.map((dispatcher) => dispatcher.destroy()))
    },
  }
}

const closedAnswer: Result<HttpAnswer, TransportFailure> = {
  ok: false,
  error: { kind: 'not-sent', reason: 'closed', code: 'CLOSED' },
}

const start = 'HTTP/1.1 100'
const interim = /^HTTP\/1\.[01] 100[ \r]/
const headEnd = '\r\n\r\n'

/** More than any head that says nothing. */
const maxHeadBytes = 32 * 1024

/**
 * Skips «100 Continue» before the answer. The app never asks for it, and proxies send it all the same; the HTTP library
 * ends the connection on it, and the outcome of a creation would be unknown.
 */
function skippingContinue(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...args) => {
      if (args[0] === null) skipContinue(args[1])
      callback(...args)
    })
  }
}

function skipContinue(socket: Socket): void {
  const read = socket.read.bind(socket)
  let pending = Buffer.alloc(0)
  let hasBegun = false
  socket.read = (size) => {
    for (;;) {
      const chunk: unknown = read(size)
      if (hasBegun || !Buffer.isBuffer(chunk)) return chunk
      pending = Buffer.concat([pending, chunk])
      const answer = withoutContinue(pending)
      if (answer !== undefined) {
        hasBegun = true
        return answer
      }
    }
  }
}

/** The bytes from the answer on; undefined as long as it has not begun. */
function withoutContinue(bytes: Buffer): Buffer | undefined {
  let rest = bytes
  while (interim.test(rest.subarray(0, start.length + 1).toString('latin1'))) {
    const end = rest.indexOf(headEnd)
    if (end === -1) return rest.length > maxHeadBytes ? rest : undefined
    rest = rest.subarray(end + headEnd.length)
  }
  const beginning = rest.subarray(0, start.length + 1).toString('latin1')
  const mayBeInterim = beginning.length <= start.length && /^HTTP\/1\.[01] 100$/.test(padded(beginning))
  return mayBeInterim ? undefined : rest
}

/** A beginning with what would follow if it were «100 Continue». */
function padded(beginning: string): string {
  return beginning + start.slice(beginning.length)
}

/** A request in the terms of HTTP. */
export interface HttpRequest {
  method: 'GET' | 'POST'
  /** Scheme, host and port. */
  origin: string
  /** Path and query as they go on the wire. May hold the API key. */
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string | LongBody
  /** Added to the longest wait for the answer, in milliseconds: a long body takes time to leave. */
  sendingTimeMs?: number
  /** Most bytes of an answer's body that are taken. */
  maxAnswerBytes: number
  /** Reads on to the end of an answer that is too large, for what stands there; up to twice the size. */
  readsToEnd?: boolean
  /** Looks up the host's address, and may refuse it: for `sendAlone`. */
  lookup?: LookupFunction
  /** The connection that it goes over, for `sendAlone`; without it one is made when it is sent. */
  early?: EarlyConnection | undefined
  /** Asked with the connection up, just before the first byte is written: false keeps the request from leaving. */
  mayLeave?: () => boolean
}

/** A body that is written in pieces, so that its way out can be watched. */
interface LongBody {
  bytes: Uint8Array
  /** Told how many bytes were handed to the connection so far. */
  onSent(bytes: number): void
}

const pieceBytes = 64 * 1024

/** Enough of the end of a too large answer to find the ids in that stand behind its labels. */
const tailBytes = 256 * 1024

/** A whole answer. */
export interface HttpAnswer {
  status: number
  /** The `Location` header; null when there is none. */
  location: string | null
  /** The `Retry-After` header; absent when there is none. */
  retryAfter?: string
  /** Without the compression that it may have come in. */
  body: Buffer
  /** When the last byte had come. */
  receivedAt: Date
}

/**
 * Sends one request over a dispatcher and takes in the whole answer. The request is written at most once: when the
 * library would write it again on another connection, it is ended instead.
 * @param answerTimeoutMs longest time from the first byte written to the last byte read
 */
function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  answerTimeoutMs: number,
): Promise<Result<HttpAnswer, TransportFailure>> {
  return new Promise((resolve) => {
    const handler = new ExchangeHandler(request, answerTimeoutMs + (request.sendingTimeMs ?? 0), resolve)
    const { body } = request
    const long = typeof body === 'object' ? body : undefined
    try {
      dispatcher.dispatch(
        {
          origin: request.origin,
          path: request.path,
          method: request.method,
          headers: {
            ...request.headers,
            ...(long === undefined ? {} : { 'Content-Length': String(long.bytes.length) }),
          },
          body: long === undefined ? (typeof body === 'string' ? body : null) : toStream(long),
          // A body on GET would make undici close the connection after the answer (spec: Track several codes).
          reset: false,
          // The one time limit for the whole answer is kept by the handler, exactly.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        handler,
      )
    } catch (error) {
      handler.failBeforeSending(error)
    }
  })
}

/** A stream can be read once only, so the library can't write such a body twice. */
function toStream({ bytes, onSent }: LongBody): Readable {
  function* pieces(): Generator<Uint8Array> {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      const end = Math.min(start + pieceBytes, bytes.length)
      yield bytes.subarray(start, end)
      onSent(end)
    }
  }
  return Readable.from(pieces(), { objectMode: false, highWaterMark: pieceBytes })
}

type Complete = (outcome: Result<HttpAnswer, TransportFailure>) => void

/** Follows one request through the library's callbacks. */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest
  readonly #answerTimeoutMs: number
  readonly #complete: Complete
  #timer: NodeJS.Timeout | undefined
  #started = false
  #status = 0
  #location: string | null = null
  #retryAfter: string | undefined
  #coding: string | undefined
  #chunks: Buffer[] = []
  #size = 0
  #tail = Buffer.alloc(0)

  constructor(request: HttpRequest, answerTimeoutMs: number, complete: Complete) {
    this.#request = request
    this.#answerTimeoutMs = answerTimeoutMs
    this.#complete = complete
  }

  failBeforeSending(error: unknown): void {
    this.#end(err(beforeSending(error, this.#request.origin.startsWith('https:'))))
  }

  /** Called with the connection up, just before the first byte is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#started) {
      this.#fail(controller, { kind: 'lost', code: 'WOULD_REPEAT' })
      return
    }
    if (this.#request.mayLeave?.() === false) {
      this.#fail(controller, { kind: 'not-sent', reason: 'too-late', code: 'TOO_LATE' })
      return
    }
    this.#started = true
    this.#timer = setTimeout(() => {
      this.#fail(controller, { kind: 'timeout', waitedMs: this.#answerTimeoutMs, ...this.#cut() })
    }, this.#answerTimeoutMs)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status
    this.#location = getFirst(headers.location) ?? null
    this.#retryAfter = getFirst(headers['retry-after'])
    this.#coding = getFirst(headers['content-encoding'])
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    const { maxAnswerBytes, readsToEnd = false } = this.#request
    if (this.#size <= maxAnswerBytes) this.#chunks.push(chunk)
    else if (readsToEnd && this.#size <= 2 * maxAnswerBytes) {
      this.#tail = Buffer.from(Buffer.concat([this.#tail, chunk]).subarray(-tailBytes))
    } else this.#fail(controller, this.#tooLarge())
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer)
    if (this.#size > this.#request.maxAnswerBytes) {
      this.#end(err(this.#tooLarge()))
      return
    }
    const body = Buffer.concat(this.#chunks, this.#size)
    const answer = {
      status: this.#status,
      location: this.#location,
      ...(this.#retryAfter !== undefined && { retryAfter: this.#retryAfter }),
      receivedAt: new Date(),
    }
    if (this.#coding === undefined) {
      this.#end(ok({ ...answer, body }))
      return
    }
    void withoutCoding(body, this.#coding, this.#request.maxAnswerBytes).then((plain) => {
      this.#end(plain.ok ? ok({ ...answer, body: plain.value }) : plain)
    })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#started) this.#end(err({ kind: 'lost', code: getCode(error), ...this.#cut() }))
    else this.failBeforeSending(error)
  }

  #tooLarge(): TransportFailure {
    return { kind: 'too-large', limitBytes: this.#request.maxAnswerBytes, ...this.#cut() }
  }

  /** What came so far; of a compressed body nothing can be read without its end. */
  #cut(): { cut?: CutAnswer } {
    if (this.#chunks.length === 0 || this.#coding !== undefined) return {}
    const head = Buffer.concat(this.#chunks)
    return { cut: { status: this.#status, head, tail: this.#tail, receivedAt: new Date() } }
  }

  #fail(controller: Dispatcher.DispatchController, failure: TransportFailure): void {
    this.#end(err(failure))
    controller.abort(new Error(failure.kind))
  }

  #end(outcome: Result<HttpAnswer, TransportFailure>): void {
    clearTimeout(this.#timer)
    this.#chunks = []
    this.#tail = Buffer.alloc(0)
    this.#complete(outcome)
  }
}

function getFirst(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}

/**
 * Why an exchange did not give a whole answer.
 * - `not-sent`: no byte of the request left; the service can't know of it
 * - `timeout`, `lost`: the request may have arrived
 * - `too-large`: the answer exceeds what is taken; the request arrived
 *
 * `cut` is what came of the answer all the same.
 */
export type TransportFailure =
  | { kind: 'not-sent'; reason: NotSentReason; code: string }
  | { kind: 'not-sent'; reason: 'proxy'; code: string; proxy: ProxyFailure }
  | { kind: 'timeout'; waitedMs: number; cut?: CutAnswer }
  | { kind: 'lost'; code: string; cut?: CutAnswer }
  | { kind: 'too-large'; limitBytes: number; cut?: CutAnswer }

/**
 * What kept a request from leaving, besides a proxy. `address-not-allowed`: the host's address is private; `closed`: the app
 * is ending; `too-late`: it may not leave any more.
 */
export type NotSentReason =
  | 'name-not-found'
  | 'connection-refused'
  | 'connect-timeout'
  | 'unreachable'
  | 'tls'
  | 'not-sendable'
  | 'address-not-allowed'
  | 'closed'
  | 'too-late'

const reasonOfCode: ReadonlyMap<string, NotSentReason> = new Map<string, NotSentReason>([
  ['ENOTFOUND', 'name-not-found'],
  ['EAI_AGAIN', 'name-not-found'],
  ['EAI_FAIL', 'name-not-found'],
  ['EAI_NODATA', 'name-not-found'],
  ['EAI_NONAME', 'name-not-found'],
  ['ECONNREFUSED', 'connection-refused'],
  ['ETIMEDOUT', 'connect-timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect-timeout'],
  ['EHOSTUNREACH', 'unreachable'],
  ['EHOSTDOWN', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['ENETDOWN', 'unreachable'],
  ['EADDRNOTAVAIL', 'unreachable'],
  ['EACCES', 'unreachable'],
  ['EPERM', 'unreachable'],
  [addressNotAllowed, 'address-not-allowed'],
  ['UND_ERR_INVALID_ARG', 'not-sendable'],
  ['UND_ERR_DESTROYED', 'closed'],
  ['UND_ERR_CLOSED', 'closed'],
])

/**
 * Classifies an error that came before the first byte was written. Only what proves by itself that nothing left counts
 * as `not-sent`; a reset at that moment is treated like any other broken line.
 * @param secure whether the connection was to be TLS: what has no better name failed in its handshake then
 */
export function beforeSending(error: unknown, secure: boolean): TransportFailure {
  const code = getCode(error)
  if (error instanceof ProxyError) return { kind: 'not-sent', reason: 'proxy', code, proxy: error.failure }
  const reason = reasonOfCode.get(code) ?? (secure ? 'tls' : undefined)
  return reason === undefined ? { kind: 'lost', code } : { kind: 'not-sent', reason, code }
}

/** The system's or library's code of an error; never its message, which may quote the request. */
function getCode(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') {
    return error.code
  }
  return 'unknown'
}

const decoders = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
])

/**
 * Undoes the compression of an answer's body. The app never asks for any, and servers and proxies may use it all the
 * same. A body that is not what its header says stays as it came: whoever reads it sees that it is not understood.
 * @param coding the `Content-Encoding` header
 * @param limitBytes most bytes that it may unpack to: a small answer can hold a very large one
 */
export async function withoutCoding(
  body: Buffer,
  coding: string | undefined,
  limitBytes: number,
): Promise<Result<Buffer, TransportFailure>> {
  const decode = decoders.get(coding?.trim().toLowerCase() ?? '')
  if (decode === undefined) return ok(body)
  try {
    return ok(await decode(body, { maxOutputLength: limitBytes }))
  } catch (error) {
    const tooLarge = error instanceof RangeError
    return tooLarge ? err({ kind: 'too-large', limitBytes }) : ok(body)
  }
}
