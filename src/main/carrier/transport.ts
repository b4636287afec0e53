import { buildConnector, Client, type Dispatcher, Pool } from 'undici'
import type { Result } from '../../shared/result'
import { exchange, type HttpAnswer, type HttpRequest } from './exchange'
import { skippingContinue } from './interimAnswer'
import type { TransportFailure } from './transportFailure'

/** Longest waits, in milliseconds: for a connection, and from the first byte sent to the last byte of the answer. */
export interface Timeouts {
  connectTimeoutMs: number
  answerTimeoutMs: number
}

/** The app's way to HTTP services. Follows no redirects and repeats nothing. */
export interface Transport {
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

interface Connections {
  connectTimeoutMs: number
  connector: buildConnector.connector
  pools: Map<string, Pool>
}

/** Makes the transport; `timeouts` is asked at each request. */
export function createTransport(timeouts: () => Timeouts): Transport {
  const lone = new Set<Client>()
  let connections: Connections | undefined
  let closed = false

  /** Connections made with another connect time-out are let go when their requests have ended. */
  function currentConnections(connectTimeoutMs: number): Connections {
    if (connections?.connectTimeoutMs === connectTimeoutMs) return connections
    for (const pool of connections?.pools.values() ?? []) void pool.close()
    connections = {
      connectTimeoutMs,
      connector: buildConnector({ timeout: connectTimeoutMs }),
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
        : buildConnector({ timeout: connectTimeoutMs, lookup: request.lookup })
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
