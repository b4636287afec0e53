import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from '../loopback'
import type { Identity } from './privateAuthority'

export interface ProxyOptions {
  /** Ports of this computer by host, for names that only the proxy resolves. */
  names?: Readonly<Record<string, number>>
  /** The required `user:password`. */
  credentials?: string
  /** Raw HTTP response to every request, instead of a tunnel. */
  answer?: string
  /** Accepts requests and never answers. */
  isSilent?: boolean
  /** Cuts each tunnel after confirming it. */
  cuts?: boolean
  /** TLS to the proxy itself. */
  identity?: Identity
}

export type ConnectProxy = Awaited<ReturnType<typeof startConnectProxy>>

/** Starts a proxy on loopback that supports only CONNECT; it ends with the test. */
export async function startConnectProxy(options: ProxyOptions = {}) {
  /** The requested hosts with their credentials. */
  const asked: { target: string; authorization: string | undefined }[] = []
  const sockets = new Set<Socket>()
  const server = options.identity === undefined ? createServer() : createSecureServer(options.identity)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
  })
  server.on('connect', (request: IncomingMessage, client: Socket, head: Buffer) => {
    client.on('error', () => undefined)
    const target = request.url ?? ''
    const authorization = request.headers['proxy-authorization']
    asked.push({ target, authorization })
    const wanted = options.credentials
    if (options.isSilent) return
    if (options.answer !== undefined) client.end(options.answer)
    else if (wanted !== undefined && authorization !== `Basic ${Buffer.from(wanted).toString('base64')}`) {
      client.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="company"\r\n\r\n',
      )
    } else {
      if (options.cuts) {
        client.end('HTTP/1.1 200 Connection established\r\n\r\n')
        return
      }
      const port = options.names?.[target.split(':')[0] ?? '']
      if (port === undefined) {
        client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n')
        return
      }
      const upstream = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n')
        upstream.write(head)
        upstream.pipe(client).pipe(upstream)
      })
      sockets.add(upstream)
      upstream.on('error', () => client.destroy())
      client.on('close', () => upstream.destroy())
    }
  })
  const port = await listenOnLoopback(server)
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }
  onTestFinished(close)
  return { port, asked, close }
}
