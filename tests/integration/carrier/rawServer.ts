import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { listenOnLoopback } from '../../support/loopback'

/** A request as received, byte for byte. */
export interface RawRequest {
  /** 1 for the first connection that the server accepted. */
  connection: number
  requestLine: string
  /** Header lines with their order and case on the wire. */
  headers: string[]
  body: string
}

type Respond = (socket: Socket, request: RawRequest) => void

/** A server that records requests byte for byte and lets a test answer on the bare socket. */
export interface RawServer {
  port: number
  origin: string
  requests: RawRequest[]
  connections: () => number
  close(): Promise<void>
}

/** Starts a server on loopback, with TLS if `tls` is given. With `read: false` it accepts connections and never reads. */
export async function startRawServer(
  respond: Respond,
  options: {
    tls?: { key: string; cert: string }
    read?: boolean
    onConnection?: (socket: Socket) => void
  } = {},
): Promise<RawServer> {
  const requests: RawRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const onConnection = (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => sockets.delete(socket))
    socket.on('close', () => sockets.delete(socket))
    options.onConnection?.(socket)
    if (options.read === false) socket.pause()
    else readRequests(socket, connections, requests, respond)
  }
  const server = options.tls ? createTlsServer(options.tls, onConnection) : createServer(onConnection)
  const port = await listenOnLoopback(server)
  return {
    port,
    origin: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    close: () => closeServer(server, sockets),
  }
}

function readRequests(socket: Socket, connection: number, requests: RawRequest[], respond: Respond): void {
  let pending = ''
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1')
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const [requestLine = '', ...headers] = pending.slice(0, headEnd).split('\r\n')
      const length = Number(/^content-length: (\d+)$/im.exec(headers.join('\n'))?.[1] ?? 0)
      const bodyEnd = headEnd + 4 + length
      if (pending.length < bodyEnd) return
      const body = Buffer.from(pending.slice(headEnd + 4, bodyEnd), 'latin1').toString('utf8')
      pending = pending.slice(bodyEnd)
      const request = { connection, requestLine, headers, body }
      requests.push(request)
      respond(socket, request)
    }
  })
}

function closeServer(server: Server, sockets: Set<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy()
  return new Promise((resolve) => server.close(() => resolve()))
}

/** A whole HTTP answer; the connection stays open. */
export function httpText(
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const bytes = Buffer.from(body)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} Answer\r\n${lines.join('')}Content-Length: ${bytes.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), bytes])
}

/** A whole JSON answer with status 200. */
export function jsonText(value: unknown): Buffer {
  return httpText(200, JSON.stringify(value), { 'Content-Type': 'application/json' })
}
