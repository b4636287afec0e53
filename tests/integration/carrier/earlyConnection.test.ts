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

/** The server's end of the newest connection, once the server has `count` of them. */
async function waitForConnection(sockets: readonly Socket[], count: number): Promise<Socket> {
  await expect.poll(() => sockets.length).toBe(count)
  const socket = sockets.at(-1)
  if (socket === undefined) throw new Error('no connection arrived')
  return socket
}

/** Makes a connection and closes it: the client has received all earlier events of its other connections by then. */
async function connectOnceMore({ server, client, sockets }: Setup): Promise<void> {
  const count = sockets.length
  const other = client.connect(new URL(server.origin))
  await waitForConnection(sockets, count + 1)
  other?.close()
}

async function send({ client, server }: Setup, early: EarlyConnection | undefined): Promise<HttpAnswer> {
  const answer = await client.sendOnNewConnection({
    ...{ method: 'POST', origin: server.origin, path: '/', body: '{}', maxAnswerBytes: 1000, early },
  })
  if (!answer.ok) throw new Error(JSON.stringify(answer.error))
  return answer.value
}

it('the client sends the request on the early connection', async () => {
  const setup = await setUp()
  const early = setup.client.connect(new URL(setup.server.origin))
  await waitForConnection(setup.sockets, 1)
  expect(await send(setup, early)).toMatchObject({ status: 200 })
  expect(setup.server.connections()).toBe(1)
})

it('the client waits for an early connection that is still being established', async () => {
  const setup = await setUp()
  expect(await send(setup, setup.client.connect(new URL(setup.server.origin)))).toMatchObject({ status: 200 })
  expect(setup.server.connections()).toBe(1)
})

it.each(['end', 'resetAndDestroy'] as const)(
  'the client sends the request once, on a new connection, when the service has closed the early connection by %s',
  async (close) => {
    const setup = await setUp()
    const early = setup.client.connect(new URL(setup.server.origin))
    const socket = await waitForConnection(setup.sockets, 1)
    const closed = once(socket, 'close')
    socket[close]()
    await closed
    await connectOnceMore(setup)
    expect(await send(setup, early)).toMatchObject({ status: 200 })
    expect(setup.server.requests.map(({ connection }) => connection)).toEqual([3])
  },
)

it.each(['write', 'end'] as const)(
  'the client ignores an answer that arrives before the request (%s), and sends the request on a new connection',
  async (say) => {
    const setup = await setUp()
    const early = setup.client.connect(new URL(setup.server.origin))
    const socket = await waitForConnection(setup.sockets, 1)
    socket[say](httpText(503, 'too many connections'))
    await connectOnceMore(setup)
    expect(await send(setup, early)).toMatchObject({ status: 200 })
    expect(setup.server.requests.map(({ connection }) => connection)).toEqual([3])
    await expect.poll(() => socket.destroyed).toBe(true)
  },
)

it('the client closes the early connection without using it when the network settings have changed', async () => {
  let revision = 'by one proxy'
  const connector = () => buildConnector({ timeout: 2000 })
  const setup = await setUp({ revision: () => revision, connector })
  const early = setup.client.connect(new URL(setup.server.origin))
  const socket = await waitForConnection(setup.sockets, 1)
  revision = 'by another'
  expect(await send(setup, early)).toMatchObject({ status: 200 })
  expect(setup.server.requests.map(({ connection }) => connection)).toEqual([2])
  await expect.poll(() => socket.destroyed).toBe(true)
})

it('close of the client closes the early connection, and the client opens none afterwards', async () => {
  const { server, client, sockets } = await setUp()
  // Keeps the age limit from closing the connection.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  client.connect(new URL(server.origin))
  const socket = await waitForConnection(sockets, 1)
  const closed = once(socket, 'close')
  await client.close()
  await closed
  expect(client.connect(new URL(server.origin))).toBeUndefined()
})

it('the client closes an unused early connection, and sends a late request on a new one', async () => {
  const setup = await setUp()
  const early = setup.client.connect(new URL(setup.server.origin))
  const socket = await waitForConnection(setup.sockets, 1)
  await once(socket, 'close')
  expect(await send(setup, early)).toMatchObject({ status: 200 })
  expect(setup.server.requests.map(({ connection }) => connection)).toEqual([2])
})

it('the client uses the early connection for one request, and a new one for the next', async () => {
  const setup = await setUp()
  const early = setup.client.connect(new URL(setup.server.origin))
  await send(setup, early)
  await send(setup, early)
  expect(setup.server.requests.map(({ connection }) => connection)).toEqual([1, 2])
})

it('the client uses the early connection for one of two concurrent requests', async () => {
  const setup = await setUp()
  const early = setup.client.connect(new URL(setup.server.origin))
  const answers = await Promise.all([send(setup, early), send(setup, early)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(setup.server.connections()).toBe(2)
})

it.each([false, true])(
  'the client reports that nothing was sent when the early connection is refused (refused before the request: %s)',
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
