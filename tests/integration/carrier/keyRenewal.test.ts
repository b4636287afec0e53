import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CarrierClient, createCarrierClient } from '../../../src/main/carrier/carrierClient'
import { createSession, type Session } from '../../../src/main/credentials/session'
import { createVault } from '../../../src/main/credentials/vault'
import { createLogger, type Logger } from '../../../src/main/log/logger'
import { createRedactor } from '../../../src/main/log/redactor'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator'
import { fakeCipher, memoryFile } from '../../unit/credentials/memoryFile'
import { draft, localService, trackingOptions } from './fixtures'

const account = { user: 'station-user', password: 'station-password' }
const apiKey = 'k3y-0f-the-simulator'

let simulator: Simulator
let client: CarrierClient
let session: Session
let logger: Logger
let folder: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'packbench-session-'))
  simulator = await startSimulator({ ...account, apiKey })
  const redactor = createRedactor()
  logger = createLogger({ folder, redactor, level: 'debug' })
  client = createCarrierClient({
    timeouts: () => ({ connectTimeoutMs: 1_000, answerTimeoutMs: 5_000 }),
    labelPolicy: localService,
    log: logger,
    onLabelUrl: (url) => redactor.addPassing(url),
  })
  const vault = createVault({ file: memoryFile(), cipher: fakeCipher(), allowWeak: () => false })
  session = createSession({ vault, client, redactor, log: logger })
  await session.connect({ baseUrl: simulator.baseUrl, ...account })
})

afterEach(async () => {
  await client.close()
  await simulator.close()
  await logger.close()
  rmSync(folder, { recursive: true })
})

describe('a key that the service no longer takes', () => {
  it('is renewed once for tracking, which is asked again', async () => {
    simulator.expireKey()
    const tracked = await session.call((connection) => client.trackOne(connection, 'NOBODY', trackingOptions))
    expect(tracked).toMatchObject({ ok: true, value: { found: false } })
    expect(simulator.requests.map(({ operation }) => operation)).toEqual([
      'auth',
      'trackOne',
      'auth',
      'trackOne',
    ])
  })

  it('is renewed for the next creation; the refused one is not repeated', async () => {
    simulator.expireKey()
    const stale = await session.key()
    if (!stale.ok) throw new Error(stale.error.message)
    const first = await client.createShipment(stale.value, draft, 'in-answer')
    expect(first).toMatchObject({ kind: 'refused', error: { code: 'key-refused' } })
    await session.renewAfterRefusal(stale.value.apiKey)
    expect(simulator.requests.filter(({ operation }) => operation === 'shipment')).toHaveLength(1)
    const fresh = await session.key()
    if (!fresh.ok) throw new Error(fresh.error.message)
    expect(await client.createShipment(fresh.value, draft, 'by-url')).toMatchObject({ kind: 'created' })
  })

  it('leaves no secret in the log', async () => {
    const connection = await session.key()
    if (!connection.ok) throw new Error(connection.error.message)
    const outcome = await client.createShipment(connection.value, draft, 'by-url')
    if (outcome.kind !== 'created') throw new Error(outcome.error.message)
    const labelUrl = outcome.creation.labelUrl ?? ''
    await client.fetchLabel(labelUrl)
    logger.info(`careless: ${labelUrl} ${apiKey} ${account.user}`, { password: account.password })
    await logger.close()
    const text = readFileSync(join(folder, 'packbench.log'), 'utf8')
    expect(text).toContain('create shipment')
    expect(text).toContain('careless')
    for (const secret of [apiKey, account.user, account.password, labelUrl])
      expect(text).not.toContain(secret)
  })
})
