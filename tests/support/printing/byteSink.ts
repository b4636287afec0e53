import type { Socket } from 'node:net'
import { createServer } from 'node:net'
import { endWithTest } from '../lifetime'
import { listenOnLoopback } from '../loopback'

/** A fake printer on a TCP port that keeps all bytes that it receives. */
export type ByteSink = Awaited<ReturnType<typeof startByteSink>>

/** How the fake printer handles a connection; by default it reads everything and closes after the sender. */
export type SinkBehaviour = (socket: Socket) => void

/** Starts a fake printer; it is closed when the test ends, or the tests that share it. */
export async function startByteSink(behave?: SinkBehaviour) {
  const parts: Buffer[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    if (behave !== undefined) behave(socket)
    else socket.on('data', (part: Buffer) => parts.push(part))
  })
  const turnOff = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  const port = await listenOnLoopback(server)
  endWithTest(turnOff)
  return {
    port,
    /** The bytes of all connections, in order. */
    received: () => Buffer.concat(parts),
    /** How many connections were made. */
    connections: () => connections,
    turnOff,
    /** Listens on the same port again. */
    turnOn: async () => {
      await listenOnLoopback(server, port)
    },
  }
}
