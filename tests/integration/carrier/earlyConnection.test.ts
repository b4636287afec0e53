import { once } from 'node:events'
import type { Socket } from 'node:net'
import { buildConnector } from 'undici'
import { expect, it, onTestFinished, vi } from 'vitest'
import {
  type ConnectionFactory,
  createHttpClient,
  type EarlyConnection,
  type HttpAnswer,
} from '../../../src/main/carrier/httpClient'
import { httpText, jsonText, type RawServer, startRawServer } from './rawServer'

type Client = ReturnType<typeof createHttpClient>

interface Setup {
  server: RawServer
  client: Client
  /** The server's ends, in the order of their connections. */
  sockets: Socket[]
}

async function setUp(network?: ConnectionFactory): Promise<Setup> {
  const sockets: Socket[] = []
  const server = await startRawServer((socket) => socket.end(jsonText({})), {
    onConnection: (socket) => sockets.push(socket),
  })
  const client = createHttpClient(() => ({ connectTimeoutMs: 2000, answerTimeoutMs: 2000 }), network)
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

/** Connects to the server, and gives that connection up; all that came before on others has been heard of by then. */
async function connectOnceMore({ server, client, sockets }: Setup): Promise<void> {
  const count = sockets.length
  const other = client.connect(new URL(server.origin))
  await arrived(sockets, count + 1)
  other?.close()
}

async function send({ client, server }: Setup, early: EarlyConnection | undefined): Promise<HttpAnswer> {
  const answer = await client.sendOnNewConnection({
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
    await connectOnceMore(setup)
    expect(await send(setup, early)).toMatchObject({ status: 200 })
    expect(setup.server.requests.map(({ connection }) => connection)).toEqual([3])
  },
)

it.each(['write', 'end'] as const)(
  'takes nothing for its answer that came before it was sent (%s), and connects anew',
  async (say) => {
    const setup = await setUp()
    const early = setup.client.connect(new URL(setup.server.origin))
    const socket = await arrived(setup.sockets, 1)
    socket[say](httpText(503, 'too many connections'))
    await connectOnceMore(setup)
    expect(await send(setup, early)).toMatchObject({ status: 200 })
    expect(setup.server.requests.map(({ connection }) => connection)).toEqual([3])
    await expect.poll(() => socket.destroyed).toBe(true)
  },
)

it('is not used where connections are made in another way since', async () => {
  let revision = 'by one proxy'
  const connector = () => buildConnector({ timeout: 2000 })
  const setup = await setUp({ revision: () => revision, connector })
  const early = setup.client.connect(new URL(setup.server.origin))
  const socket = await arrived(setup.sockets, 1)
  revision = 'by another'
  expect(await send(setup, early)).toMatchObject({ status: 200 })
  expect(setup.server.requests.map(({ connection }) => connection)).toEqual([2])
  await expect.poll(() => socket.destroyed).toBe(true)
})

it('is closed with the client, which begins none after that', async () => {
  const { server, client, sockets } = await setUp()
  // It is not to be closed for being too old.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  client.connect(new URL(server.origin))
  const socket = await arrived(sockets, 1)
  const closed = once(socket, 'close')
  await client.close()
  await closed
  expect(client.connect(new URL(server.origin))).toBeUndefined()
})

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

it('is handed over once to two requests at the same time', async () => {
  const setup = await setUp()
  const early = setup.client.connect(new URL(setup.server.origin))
  const answers = await Promise.all([send(setup, early), send(setup, early)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(setup.server.connections()).toBe(2)
})

it.each([false, true])(
  'proves that nothing was sent where nobody takes the connection (known before: %s)',
  async (isKnown) => {
    let attempts = 0
    const connect = buildConnector({ timeout: 2000 })
    const connector: ConnectionFactory['connector'] = () => (target, callback) => {
      connect(target, (...made) => {
        callback(...made)
        attempts += 1
      })
    }
    const setup = await setUp({ revision: () => '', connector })
    const { origin } = setup.server
    await setup.server.close()
    const early = setup.client.connect(new URL(origin))
    if (isKnown) await expect.poll(() => attempts).toBe(1)
    const answer = await setup.client.sendOnNewConnection({
      ...{ method: 'POST', origin, path: '/', body: '{}', maxAnswerBytes: 1000, early },
    })
    expect(answer).toMatchObject({ ok: false, error: { kind: 'not-sent', reason: 'connection-refused' } })
  },
)
