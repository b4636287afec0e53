import type { Socket } from 'node:net'
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** A pretended printer on a TCP port, which keeps all bytes that it is sent. */
export interface ByteSink {
  port: number
  /** What came over all connections, in order. */
  received(): Buffer
  /** How many connections were made. */
  connections(): number
}

/** How a pretended printer behaves when someone connects; it reads all and closes after the sender when left out. */
export type SinkBehaviour = (socket: Socket) => void

/** Starts one; it goes away when the test ends. */
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP port')
  return { port: address.port, received: () => Buffer.concat(parts), connections: () => connections }
}
