import type { LookupFunction } from 'node:net'
import { performance } from 'node:perf_hooks'
import { expect, it, onTestFinished } from 'vitest'
import { createHttpClient } from '../../../src/main/carrier/httpClient'
import { Network } from '../../../src/main/network/network'
import { Trust } from '../../../src/main/network/trust'
import { defaultSettings } from '../../../src/shared/settings'
import { silentLog } from '../../support/silentLog'
import { jsonText, startRawServer } from './rawServer'

/** Longer than Node tries one address of a name by default. */
const handshakeMs = 400

/** Resolves a name to a reachable address and one of another kind, and makes the handshake with the first one take long. */
const slowLookup: LookupFunction = (_hostname, _options, callback) => {
  callback(null, [
    { address: '127.0.0.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ])
  const start = performance.now()
  while (performance.now() - start < handshakeMs);
}

const network = new Network({
  settings: { current: () => ({ ...defaultSettings, proxy: { mode: 'off' } }) },
  systemProxy: async () => 'DIRECT',
  trust: new Trust({ system: async () => [], log: silentLog }),
  findCredentials: () => null,
})

it.each([
  ['with the settings of the network', network],
  ['without them', undefined],
])(
  'a connection %s reaches a service whose handshake takes long and whose other address is unreachable',
  async (_which, connections) => {
    const server = await startRawServer((socket) => socket.end(jsonText({})))
    const client = createHttpClient(() => ({ connectTimeoutMs: 10_000, answerTimeoutMs: 2_000 }), connections)
    onTestFinished(async () => {
      await client.close()
      await server.close()
    })
    const origin = `http://service.test:${server.port}`
    const request = { method: 'GET', origin, path: '/', maxAnswerBytes: 1000, lookup: slowLookup } as const
    expect(await client.sendOnNewConnection(request)).toMatchObject({ ok: true, value: { status: 200 } })
  },
)
