import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createHttpClient, type EarlyConnection, type HttpAnswer } from '../../../src/main/carrier/httpClient'
import { jsonText, type RawServer, startRawServer } from './rawServer'

type Client = ReturnType<typeof createHttpClient>

interface Setup {
  server: RawServer
  client: Client
  /** The server's ends, in the order of their connections. */
  sockets: Socket[]
}

async function setUp(): Promise<Setup> {
  const sockets: Socket[] = []
  const server = await startRawServer((socket) => socket.end(jsonText({})), {
    onConnection: (socket) => sockets.push(socket),
  })
  const client = createHttpClient(() => ({ connectTimeoutMs: 2000, answerTimeoutMs: 2000 }))
  onTestFinished(async () => {
    await client.close()
    await server.close()
  })
  return { server, client, sockets }
}

/** The server's end of the connection that was begun. */
async function arrived(sockets: readonly Socket[], count: number): Promise<Socket> {
  await expect.poll(() => sockets.length).toBe(count)
  const socket = sockets.at(-1)
  if (socket === undefined) throw new Error('nothing came')
  return socket
}

async function send({ client, server }: Setup, early: EarlyConnection): Promise<HttpAnswer> {
  const answer = await client.sendAlone({
    ...{ method: 'POST', origin: server.origin, path: '/', body: '{}', maxAnswerBytes: 1000, early },
  })
  if (!answer.ok) throw new Error(JSON.stringify(answer.error))
  return answer.value
}

it('carries its request on the connection that was begun before', async () => {
  const setup = await setUp()
  const early = setup.client.connect(new URL(setup.server.origin))
  await arrived(setup.sockets, 1)
  expect(await send(setup, early)).toMatchObject({ status: 200 })
  expect(setup.server.connections()).toBe(1)
})

it('waits for a connection that is still being made', async () => {
  const setup = await setUp()
  expect(await send(setup, setup.client.connect(new URL(setup.server.origin)))).toMatchObject({ status: 200 })
  expect(setup.server.connections()).toBe(1)
})

it.each(['end', 'resetAndDestroy'] as const)(
  'connects anew, and sends once, where the service has closed it by %s before',
  async (close) => {
    const setup = await setUp()
    const early = setup.client.connect(new URL(setup.server.origin))
    const socket = await arrived(setup.sockets, 1)
    const closed = once(socket, 'close')
    socket[close]()
    await closed
    // The client's end has heard of it by the time that another connection is made.
    const other = setup.client.connect(new URL(setup.server.origin))
    await arrived(setup.sockets, 2)
    other.close()
    expect(await send(setup, early)).toMatchObject({ status: 200 })
    expect(setup.server.requests.map(({ connection }) => connection)).toEqual([3])
  },
)

it('is closed when nothing is sent on it, and a late request connects anew', async () => {
  const setup = await setUp()
  const early = setup.client.connect(new URL(setup.server.origin))
  const socket = await arrived(setup.sockets, 1)
  await once(socket, 'close')
  expect(await send(setup, early)).toMatchObject({ status: 200 })
  expect(setup.server.requests.map(({ connection }) => connection)).toEqual([2])
})

it('is handed over once: a second request has a connection of its own', async () => {
  const setup = await setUp()
  const early = setup.client.connect(new URL(setup.server.origin))
  await send(setup, early)
  await send(setup, early)
  expect(setup.server.requests.map(({ connection }) => connection)).toEqual([1, 2])
})

it('proves that nothing was sent where nobody takes the connection', async () => {
  const setup = await setUp()
  const { origin } = setup.server
  await setup.server.close()
  const early = setup.client.connect(new URL(origin))
  const answer = await setup.client.sendAlone({
    ...{ method: 'POST', origin, path: '/', body: '{}', maxAnswerBytes: 1000, early },
  })
  expect(answer).toMatchObject({ ok: false, error: { kind: 'not-sent', reason: 'connection-refused' } })
})
