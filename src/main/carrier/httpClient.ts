import type { Socket } from 'node:net'
import { buildConnector, Client, type Dispatcher, Pool } from 'undici'
import type { Result } from '../../shared/result'
import type { ConnectOptions } from '../network/connect'
import { exchange, type HttpAnswer, type HttpRequest, type TransportFailure } from './exchange'

/** Longest waits, in milliseconds: for a connection, and from the first byte sent to the last byte of the answer. */
export interface Timeouts {
  connectTimeoutMs: number
  answerTimeoutMs: number
}

/** The app's way to HTTP services. Follows no redirects and repeats nothing. */
export interface HttpClient {
  /** Over a kept connection, for requests that may safely be asked again. */
  send(request: HttpRequest): Promise<Result<HttpAnswer, TransportFailure>>
  /**
   * Over a connection of its own, for requests that must never be sent twice. A kept connection can be closed by the
   * service at the moment of writing, and then it is not known whether the request arrived; a fresh one that can't be
   * made proves that it did not. With a `lookup` of its own it is asked for that connection's address. The price is a handshake (shortened by TLS session resumption).
   */
  sendAlone(request: HttpRequest): Promise<Result<HttpAnswer, TransportFailure>>
  /** Ends all connections and every request under way, at once. */
  close(): Promise<void>
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
  connector: ({ timeoutMs, lookup }) =>
    buildConnector({ timeout: timeoutMs, ...(lookup !== undefined && { lookup }) }),
}

interface Connections {
  key: string
  connector: buildConnector.connector
  pools: Map<string, Pool>
}

/**
 * Makes the client; `timeouts` is asked at each request.
 * @param network how it connects; directly by default
 */
export function createHttpClient(
  timeouts: () => Timeouts,
  network: Connecting = directConnecting,
): HttpClient {
  const lone = new Set<Client>()
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

  function poolFor(origin: string, { connector, pools }: Connections): Dispatcher {
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

  async function sendAlone(request: HttpRequest): Promise<Result<HttpAnswer, TransportFailure>> {
    if (closed) return closedAnswer
    const { connectTimeoutMs, answerTimeoutMs } = timeouts()
    const connect =
      request.lookup === undefined
        ? currentConnections(connectTimeoutMs).connector
        : network.connector({ timeoutMs: connectTimeoutMs, lookup: request.lookup })
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
    async send(request) {
      if (closed) return closedAnswer
      const { connectTimeoutMs, answerTimeoutMs } = timeouts()
      return exchange(poolFor(request.origin, currentConnections(connectTimeoutMs)), request, answerTimeoutMs)
    },
    sendAlone,
    async close() {
      closed = true
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
