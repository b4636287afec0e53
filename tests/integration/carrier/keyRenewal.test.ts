import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Session } from '../../../src/main/account/session'
import { createVault } from '../../../src/main/account/vault'
import {
  type CarrierGateway,
  createCarrierGateway,
  createServiceHealth,
  type ServiceHealth,
} from '../../../src/main/carrier/gateway'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { createLogger, type Logger } from '../../../src/main/log/logger'
import { createRedactor } from '../../../src/main/log/redactor'
import { defaultSettings } from '../../../src/shared/settings'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator'
import { fakeCipher, memoryFile } from '../../unit/account/memoryFile'
import { draft, trackingOptions } from './fixtures'

const account = { user: 'station-user', password: 'station-password' }
const apiKey = 'k3y-0f-the-simulator'

let simulator: Simulator
let session: Session
let health: ServiceHealth
let carrier: CarrierGateway
let logger: Logger
let folder: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'packbench-session-'))
  simulator = await startSimulator({ ...account, apiKey })
  const redactor = createRedactor()
  logger = createLogger({ folder, redactor })
  const bus = createEventBus()
  health = createServiceHealth(() => new Date(), bus)
  const vault = createVault({ file: memoryFile(), cipher: fakeCipher(), allowWeak: () => false })
  session = new Session({
    ...{ vault, memory: { held: null }, redactor, bus, log: logger },
    authenticate: (credentials) => carrier.authenticate(credentials),
  })
  const network = { connectTimeoutMs: 1_000, answerTimeoutMs: 5_000 }
  const settings = { current: () => ({ ...defaultSettings, network }) }
  carrier = createCarrierGateway({ session, health, settings, redactor, log: logger })
  await session.connect({ baseUrl: simulator.baseUrl, ...account })
})

afterEach(async () => {
  await carrier.close()
  await simulator.close()
  await logger.close()
  rmSync(folder, { recursive: true })
})

const refusedThenRenewed = ['auth', 'shipment', 'auth']
const keepNothing = async () => undefined
const mayAlways = () => true

async function open() {
  const opened = await carrier.open()
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}

describe('a refused API key', () => {
  it('is renewed once during tracking, and the tracking request is repeated', async () => {
    simulator.expireKey()
    const tracked = await carrier.trackCode('NOBODY', trackingOptions)
    expect(tracked).toMatchObject({ ok: true, value: { found: false } })
    expect(simulator.requests.map(({ operation }) => operation)).toEqual([
      'auth',
      'trackCode',
      'auth',
      'trackCode',
    ])
  })

  it('is renewed for the next creation without a repetition of the refused creation', async () => {
    simulator.expireKey()
    const first = await (await open()).createShipment(draft, 'in-answer', keepNothing, mayAlways)
    expect(first).toMatchObject({ kind: 'refused', error: { code: 'key-refused' } })
    await expect.poll(() => simulator.requests.map(({ operation }) => operation)).toEqual(refusedThenRenewed)
    expect(await (await open()).createShipment(draft, 'by-url', keepNothing, mayAlways)).toMatchObject({
      ok: true,
    })
    expect(simulator.requests.map(({ operation }) => operation)).toEqual([...refusedThenRenewed, 'shipment'])
  })

  it('is renewed after a refused pre-alert without a repetition of the pre-alert', async () => {
    simulator.expireKey()
    const request = { airWaybillNumber: '123-12345675', estimatedTimeOfArrival: '2026-11-22', grossWeight: 1 }
    const refused = await (await open()).sendPreAlert(request, Buffer.from('%PDF-1.7'))
    expect(refused).toMatchObject({ kind: 'refused', error: { code: 'key-refused' } })
    await expect
      .poll(() => simulator.requests.map(({ operation }) => operation))
      .toEqual(['auth', 'preAlert', 'auth'])
  })
})

describe('the gateway with a signed-in account', () => {
  it('reports the service as «not tried» until its first request', async () => {
    await open()
    expect(health.current().state).toBe('not-tried')
    await carrier.trackCode('NOBODY', trackingOptions)
    expect(health.current().state).toBe('reachable')
  })

  it('writes neither key, credentials nor label URL to the log', async () => {
    const outcome = await (await open()).createShipment(draft, 'by-url', keepNothing, mayAlways)
    if (!outcome.ok) throw new Error(outcome.error.message)
    const labelUrl = outcome.value.creation.labelUrl ?? ''
    await carrier.fetchLabel(labelUrl)
    logger.info(`careless: ${labelUrl} ${apiKey} ${account.user}`, { password: account.password })
    await logger.close()
    const text = readFileSync(join(folder, 'packbench.log'), 'utf8')
    expect(text).toContain('create shipment')
    expect(text).toContain('careless')
    for (const secret of [apiKey, account.user, account.password, labelUrl])
      expect(text).not.toContain(secret)
  })
})
