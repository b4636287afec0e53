import type { LookupFunction, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { buildConnector, Client, Dispatcher, Pool } from 'undici'
import { err, ok, type Result } from '../../shared/result'
import { systemCode } from '../lib/synced'
import {
  type ConnectOptions,
  loadHttpLibrary,
  ProxyError,
  type ProxyFailure,
  toConnector,
  type UnreachedReason,
  unreachedReasons,
  withoutBrackets,
} from '../network/network'
import type { TruncatedAnswer } from './json'

/** In milliseconds: for a connection, and from the first byte sent to the last byte of the answer. */
export interface Timeouts {
  connectTimeoutMs: number
  answerTimeoutMs: number
}

const connectionOptions = {
  pipelining: 1,
  maxHeaderSize: 32 * 1024,
  // Shorter than the time-out of common servers, so that the client closes an idle connection before the server does.
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 15_000,
}
const connectionsPerOrigin = 6

/** Creates connections for the client. */
export interface ConnectionFactory {
  /** Changes when the connection settings change: open connections of another revision are not reused. */
  revision(): string
  connector(options: ConnectOptions): buildConnector.connector
}

const directConnections: ConnectionFactory = {
  revision: () => '',
  connector({ timeoutMs, lookup }) {
    const connecting = toConnector(timeoutMs, lookup === undefined ? {} : { lookup })
    return (options, callback) => void connecting.then((connect) => connect(options, callback))
  },
}

interface Connections {
  key: string
  connector: buildConnector.connector
  pools: Map<string, Pool>
}

/** How long an early connection may stay unused, in milliseconds: far shorter than any server's time-out. */
const maxEarlyMs = 500

/** A connection that is opened before its only request is ready to be sent; nothing is written to it until then. */
export class EarlyConnection {
  private state:
    | { kind: 'connecting' }
    | { kind: 'asked'; callback: buildConnector.Callback }
    | { kind: 'open'; socket: Socket }
    /** Handed over, failed, or not requested in time. */
    | { kind: 'over' } = { kind: 'connecting' }
  private readonly timer: NodeJS.Timeout

  constructor(
    private readonly connect: buildConnector.connector,
    { hostname, host, protocol, port }: URL,
    /** The set of early connections that no request has taken yet; this one adds and removes itself. */
    private readonly unclaimed: Set<EarlyConnection>,
  ) {
    unclaimed.add(this)
    this.timer = setTimeout(() => this.close(), maxEarlyMs).unref()
    connect({ hostname: withoutBrackets(hostname), host, protocol, port }, (...made) =>
      this.onConnected(made),
    )
  }

  /**
   * Returns a connector that hands this connection to a request. It connects by `current` instead when this connection
   * failed, was closed, is too old or was opened with other settings: nothing was sent over it in these cases.
   */
  toConnector(current: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      const { state } = this
      const isCurrent = this.connect === current
      if (isCurrent && state.kind === 'connecting') {
        this.finish({ kind: 'asked', callback })
      } else if (isCurrent && state.kind === 'open' && !hasEnded(state.socket)) {
        this.finish({ kind: 'over' })
        queueMicrotask(() => callback(null, state.socket))
      } else {
        this.close()
        current(options, callback)
      }
    }
  }

  /** Closes the connection unless a request has taken it. */
  close(): void {
    const { state } = this
    if (state.kind === 'asked') return
    if (state.kind === 'open') state.socket.destroy()
    this.finish({ kind: 'over' })
  }

  private onConnected(made: buildConnector.CallbackArgs): void {
    const { state } = this
    // Decided by the error: undici leaves the socket of a failed connection undefined.
    const socket = made[0] === null ? made[1] : undefined
    // An unhandled 'error' event would end the process; the request that takes the socket adds its own listener.
    socket?.on('error', () => undefined)
    if (state.kind === 'connecting' && socket !== undefined) {
      this.state = { kind: 'open', socket }
      return
    }
    this.finish({ kind: 'over' })
    if (state.kind === 'asked') state.callback(...made)
    else socket?.destroy()
  }

  private finish(state: Extract<EarlyConnection['state'], { kind: 'asked' | 'over' }>): void {
    clearTimeout(this.timer)
    this.state = state
    this.unclaimed.delete(this)
  }
}

function hasEnded({ destroyed, readableEnded }: Socket): boolean {
  return destroyed || readableEnded
}

export type HttpClient = ReturnType<typeof createHttpClient>

/**
 * Creates the HTTP client. It follows no redirects and repeats no request.
 * @param timeouts read at each request
 * @param network creates the connections; direct ones by default
 */
export function createHttpClient(timeouts: () => Timeouts, network: ConnectionFactory = directConnections) {
  const dedicatedClients = new Set<Client>()
  const unclaimed = new Set<EarlyConnection>()
  /** Replaced pools until their requests have ended. */
  const retired = new Set<Pool>()
  let connections: Connections | undefined
  let closed = false

  function retire(pool: Pool): void {
    retired.add(pool)
    const forget = () => retired.delete(pool)
    pool.close().then(forget, forget)
  }

  /** Connections with another time-out or of another revision are closed once their requests have ended. */
  function currentConnections(timeoutMs: number): Connections {
    const key = `${timeoutMs} ${network.revision()}`
    if (connections?.key === key) return connections
    for (const pool of connections?.pools.values() ?? []) retire(pool)
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
      connect: skipInterimResponses(connector),
    })
    pools.set(origin, pool)
    return pool
  }

  /**
   * Sends over a new connection, for requests that must never be sent twice. The service may close a reused connection
   * while the request is written, and then it is unknown whether the request arrived. A failure to open a new connection
   * proves that it did not; the same holds for an `EarlyConnection`. The cost is one handshake, shortened by TLS session
   * resumption.
   */
  async function sendOnNewConnection(request: HttpRequest): Promise<Result<HttpAnswer, TransportFailure>> {
    const { Client } = await loadHttpLibrary()
    if (closed) return closedFailure
    const { connectTimeoutMs, answerTimeoutMs } = timeouts()
    const { early, lookup } = request
    const connector =
      lookup === undefined
        ? currentConnections(connectTimeoutMs).connector
        : network.connector({ timeoutMs: connectTimeoutMs, lookup })
    const connect = early?.toConnector(connector) ?? connector
    const client = new Client(request.origin, {
      ...connectionOptions,
      connect: skipInterimResponses(connect),
    })
    dedicatedClients.add(client)
    try {
      return await exchange(client, request, answerTimeoutMs)
    } finally {
      dedicatedClients.delete(client)
      void client.destroy()
    }
  }

  return {
    /** Sends over a reused connection, for requests that may safely be repeated. */
    async send(request: HttpRequest): Promise<Result<HttpAnswer, TransportFailure>> {
      const library = await loadHttpLibrary()
      if (closed) return closedFailure
      const { connectTimeoutMs, answerTimeoutMs } = timeouts()
      const pool = poolFor(request.origin, currentConnections(connectTimeoutMs), library)
      return exchange(pool, request, answerTimeoutMs)
    },
    sendOnNewConnection,
    /** Opens a connection in advance for `HttpRequest.early`; undefined while the app is closing. */
    connect(to: URL): EarlyConnection | undefined {
      if (closed) return undefined
      const { connector } = currentConnections(timeouts().connectTimeoutMs)
      return new EarlyConnection(connector, to, unclaimed)
    },
    /** Closes all connections and aborts every pending request. */
    async close(): Promise<void> {
      closed = true
      for (const early of unclaimed) early.close()
      const open = [...dedicatedClients, ...retired, ...(connections?.pools.values() ?? [])]
      await Promise.all(open.map((dispatcher) => dispatcher.destroy()))
    },
  }
}

const closedFailure: Result<HttpAnswer, TransportFailure> = {
  ok: false,
  error: { kind: 'not-sent', reason: 'closed', code: 'CLOSED' },
}

const start = 'HTTP/1.1 100'
const interim = /^HTTP\/1\.[01] 100[ \r]/
const headEnd = '\r\n\r\n'

/** Larger than the header section of any interim response. */
const maxHeadBytes = 32 * 1024
/** Larger than the interim responses of any answer together. */
const maxSkippedBytes = 64 * 1024

/**
 * Skips interim «100 Continue» responses. The app never requests them, but proxies send them anyway; undici closes the
 * connection on one, which would make the outcome of a creation unknown.
 */
function skipInterimResponses(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...args) => {
      if (args[0] === null) skipContinue(args[1])
      callback(...args)
    })
  }
}

function skipContinue(socket: Socket): void {
  const read = socket.read.bind(socket)
  /** From the start of a response on. */
  let pending: Buffer = Buffer.alloc(0)
  let skippedBytes = 0
  /** What was written when an answer began. Once more is written, the next answer follows: requests are not pipelined. */
  let answeredBytes = -1
  socket.read = (size) => {
    for (;;) {
      const chunk: unknown = read(size)
      if (answeredBytes === socket.bytesWritten || !Buffer.isBuffer(chunk)) return chunk
      const bytes = Buffer.concat([pending, chunk])
      const { rest, hasBegun } = skipContinueIn(bytes)
      pending = rest
      skippedBytes += bytes.length - rest.length
      // SECURITY: a server could send them for ever. undici closes the connection when it gets one.
      const isEndless = skippedBytes > maxSkippedBytes && !hasBegun
      if (hasBegun || isEndless) {
        pending = Buffer.alloc(0)
        skippedBytes = 0
        answeredBytes = socket.bytesWritten
        return isEndless ? bytes : rest
      }
    }
  }
}

/** The bytes after the interim responses that are complete, and whether the final response begins with them. */
function skipContinueIn(bytes: Buffer): { rest: Buffer; hasBegun: boolean } {
  let rest = bytes
  while (interim.test(rest.subarray(0, start.length + 1).toString('latin1'))) {
    const end = rest.indexOf(headEnd)
    if (end === -1) return { rest, hasBegun: rest.length > maxHeadBytes }
    rest = rest.subarray(end + headEnd.length)
  }
  const beginning = rest.subarray(0, start.length + 1).toString('latin1')
  const mayBeInterim =
    beginning.length <= start.length && /^HTTP\/1\.[01] 100$/.test(completeStatusLine(beginning))
  return { rest, hasBegun: !mayBeInterim }
}

/** Completes the start of a status line as if it were that of «100 Continue». */
function completeStatusLine(beginning: string): string {
  return beginning + start.slice(beginning.length)
}

/** An HTTP request. */
export interface HttpRequest {
  method: 'GET' | 'POST'
  /** Scheme, host and port. */
  origin: string
  /** Path and query in encoded form. SECURITY: may contain the API key. */
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string | LongBody
  /** Added to the time-out for the answer, in milliseconds: a long body takes time to send. */
  sendingTimeMs?: number
  /** Size limit for the answer's body. */
  maxAnswerBytes: number
  /** Reads the end of an answer that is too large as well, up to twice the limit: it may contain ids. */
  readsToEnd?: boolean
  /** For `sendOnNewConnection`: resolves the host's address, and may refuse it. */
  lookup?: LookupFunction
  /** For `sendOnNewConnection`: a connection that was opened in advance. */
  early?: EarlyConnection | undefined
  /** Called once connected, just before the first byte is written: false prevents the request from being sent. */
  mayLeave?: () => boolean
}

/** A body that is written in chunks, to report progress. */
interface LongBody {
  bytes: Uint8Array
  /** Called with the number of bytes handed to the connection so far. */
  onSent(bytes: number): void
}

const pieceBytes = 64 * 1024

/** Enough of the end of a too large answer to include the ids that follow its labels. */
const tailBytes = 256 * 1024

/** A complete answer. */
export interface HttpAnswer {
  status: number
  /** The `Location` header; null when there is none. */
  location: string | null
  /** The `Retry-After` header; absent when there is none. */
  retryAfter?: string
  /** Decompressed. */
  body: Buffer
  /** Whether `body` is compressed in a way that could not be undone; false by default. */
  isEncoded?: boolean
  /** Whether the body ended with the connection, and so may be truncated; false by default. */
  endsWithConnection?: boolean
  /** When the last byte was received. */
  receivedAt: Date
}

/**
 * Sends one request over a dispatcher and reads the complete answer. The request is written at most once: when undici
 * would write it again on another connection, it is aborted instead.
 * @param answerTimeoutMs from the first byte written to the last byte read
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
          // The handler enforces one time-out for the whole answer.
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

/** A stream can be read only once, so undici can't write such a body twice. */
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

/** Handles undici's callbacks for one request. */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  private timer: NodeJS.Timeout | undefined
  private started = false
  private status = 0
  private location: string | null = null
  private retryAfter: string | undefined
  private coding: string | undefined
  private endsWithConnection = false
  private chunks: Buffer[] = []
  private size = 0
  private tail = Buffer.alloc(0)

  constructor(
    private readonly request: HttpRequest,
    private readonly answerTimeoutMs: number,
    private readonly complete: Complete,
  ) {}

  failBeforeSending(error: unknown): void {
    this.end(err(classifyConnectError(error, this.request.origin.startsWith('https:'))))
  }

  /** Called once connected, just before the first byte is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.started) {
      this.fail(controller, { kind: 'lost', code: 'WOULD_REPEAT' })
      return
    }
    if (this.request.mayLeave?.() === false) {
      this.fail(controller, { kind: 'not-sent', reason: 'too-late', code: 'TOO_LATE' })
      return
    }
    this.started = true
    this.timer = setTimeout(() => {
      this.fail(controller, { kind: 'timeout', waitedMs: this.answerTimeoutMs, ...this.cut() })
    }, this.answerTimeoutMs)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.status = status
    this.location = getFirst(headers.location) ?? null
    this.retryAfter = getFirst(headers['retry-after'])
    const coding = getFirst(headers['content-encoding'])?.trim().toLowerCase()
    this.coding = coding === '' || coding === 'identity' ? undefined : coding
    this.endsWithConnection = !('content-length' in headers || 'transfer-encoding' in headers)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.size += chunk.length
    const { maxAnswerBytes, readsToEnd = false } = this.request
    if (this.size <= maxAnswerBytes) this.chunks.push(chunk)
    else if (readsToEnd && this.size <= 2 * maxAnswerBytes) {
      this.tail = Buffer.from(Buffer.concat([this.tail, chunk]).subarray(-tailBytes))
    } else this.fail(controller, this.tooLarge())
  }

  onResponseEnd(): void {
    clearTimeout(this.timer)
    if (this.size > this.request.maxAnswerBytes) {
      this.end(err(this.tooLarge()))
      return
    }
    const body = Buffer.concat(this.chunks, this.size)
    const answer = {
      status: this.status,
      location: this.location,
      ...(this.retryAfter !== undefined && { retryAfter: this.retryAfter }),
      ...(this.endsWithConnection && { endsWithConnection: true }),
      receivedAt: new Date(),
    }
    if (this.coding === undefined) {
      this.end(ok({ ...answer, body }))
      return
    }
    void decodeContentEncoding(body, this.coding, this.request.maxAnswerBytes).then((plain) => {
      const isEncoded = plain.ok && plain.value === body
      this.end(plain.ok ? ok({ ...answer, body: plain.value, ...(isEncoded && { isEncoded }) }) : plain)
    })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.started) this.end(err({ kind: 'lost', code: getCode(error), ...this.cut() }))
    else this.failBeforeSending(error)
  }

  private tooLarge(): TransportFailure {
    return { kind: 'too-large', limitBytes: this.request.maxAnswerBytes, ...this.cut() }
  }

  /** The part received so far; a compressed body is unreadable without its end. */
  private cut(): { cut?: TruncatedAnswer } {
    if (this.chunks.length === 0 || this.coding !== undefined) return {}
    const head = Buffer.concat(this.chunks)
    return { cut: { status: this.status, head, tail: this.tail, receivedAt: new Date() } }
  }

  private fail(controller: Dispatcher.DispatchController, failure: TransportFailure): void {
    this.end(err(failure))
    controller.abort(new Error(failure.kind))
  }

  private end(outcome: Result<HttpAnswer, TransportFailure>): void {
    clearTimeout(this.timer)
    this.chunks = []
    this.tail = Buffer.alloc(0)
    this.complete(outcome)
  }
}

function getFirst(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}

/**
 * Why a request did not get a complete answer.
 * - `not-sent`: no byte of the request left this computer
 * - `timeout`, `lost`: the request may have arrived
 * - `too-large`: the request arrived; the answer exceeds the size limit
 *
 * `cut` is the part of the answer that was received.
 */
export type TransportFailure =
  | { kind: 'not-sent'; reason: NotSentReason; code: string }
  | { kind: 'not-sent'; reason: 'proxy'; code: string; proxy: ProxyFailure }
  | { kind: 'timeout'; waitedMs: number; cut?: TruncatedAnswer }
  | { kind: 'lost'; code: string; cut?: TruncatedAnswer }
  | { kind: 'too-large'; limitBytes: number; cut?: TruncatedAnswer }

/**
 * Why a request was not sent, apart from proxy failures. `closed`: the app is closing; `too-late`: `mayLeave` returned
 * false.
 */
export type NotSentReason = UnreachedReason | 'tls' | 'not-sendable' | 'closed' | 'too-late'

const reasonsByCode: ReadonlyMap<string, NotSentReason> = new Map<string, NotSentReason>([
  ...unreachedReasons,
  ['UND_ERR_INVALID_ARG', 'not-sendable'],
  ['UND_ERR_DESTROYED', 'closed'],
  ['UND_ERR_CLOSED', 'closed'],
])

/**
 * Classifies an error that occurred before the first byte was written. Only an error that proves that nothing was sent
 * is `not-sent`; a connection reset at that moment is `lost`, as at any other.
 * @param secure whether the connection uses TLS: an error without a more specific reason is then a failed handshake
 */
export function classifyConnectError(error: unknown, secure: boolean): TransportFailure {
  const code = getCode(error)
  if (error instanceof ProxyError) return { kind: 'not-sent', reason: 'proxy', code, proxy: error.failure }
  const reason = reasonsByCode.get(code) ?? (secure ? 'tls' : undefined)
  return reason === undefined ? { kind: 'lost', code } : { kind: 'not-sent', reason, code }
}

/** The code of an error; never its message, which may quote the request. */
const getCode = (error: unknown) => systemCode(error) || 'unknown'

const decoders = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
])

/**
 * Decompresses an answer's body. The app never requests compression, but servers and proxies may use it anyway. A body
 * that does not match its header is returned unchanged; its reader then reports that it is unreadable.
 * @param coding the `Content-Encoding` header
 * @param limitBytes size limit after decompression: a small body can expand to a very large one
 */
export async function decodeContentEncoding(
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
