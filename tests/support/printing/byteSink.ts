import type { Socket } from 'node:net'
import { createServer } from 'node:net'
import { endWithTest } from '../lifetime'
import { listenOnLoopback } from '../loopback'

/** A fake printer on a TCP port that keeps all bytes that it receives. */
export interface ByteSink {
  port: number
  /** The bytes of all connections, in order. */
  received(): Buffer
  /** How many connections were made. */
  connections(): number
  /** Stops listening on the port. */
  turnOff(): Promise<void>
  /** Listens on the same port again. */
  turnOn(): Promise<void>
}

/** How the fake printer handles a connection; by default it reads everything and closes after the sender. */
export type SinkBehaviour = (socket: Socket) => void

/** Starts a fake printer; it is closed when the test ends, or the tests that share it. */
export async function startByteSink(behave?: SinkBehaviour): Promise<ByteSink> {
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
    ...{ port, received: () => Buffer.concat(parts), connections: () => connections },
    turnOff,
    turnOn: async () => {
      await listenOnLoopback(server, port)
    },
  }
}
