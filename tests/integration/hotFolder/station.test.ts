import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { Cipher } from '../../../src/main/account/vault'
import { HotFolderService } from '../../../src/main/hotFolder/hotFolderService'
import { createEventBus } from '../../../src/main/lib/eventBus'
import type { Log } from '../../../src/main/log/log'
import { placesIn } from '../../../src/main/storage/dataFolder'
import { readTable } from '../../../src/main/tables/readTable'
import type { SettingsChange } from '../../../src/shared/settings'
import { demoCredentials } from '../../../src/simulator/account'
import type { Simulator } from '../../../src/simulator/simulator'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, reversingCipher, stationOn, testSimulator } from '../../support/testStation'
import { order } from './exchange'
import { resultSchema } from './orderResultSchema'

/** A station with a hot folder, connected to a simulator. */
async function hotStation(simulator: Simulator, exchange: string, settings: SettingsChange = {}) {
  return connectedStation(await temporaryFolder(), simulator, {
    shipmentDefaults: { carrierId: 1, carrierOptionId: 11, weight: 1, country: 'NL' },
    hotFolder: { path: exchange, print: true },
    ...settings,
  })
}

async function drop(exchange: string, name: string, content: unknown): Promise<void> {
  await expect.poll(() => readdir(exchange)).toContain('in')
  await writeFile(join(exchange, name), JSON.stringify(content))
  await rename(join(exchange, name), join(exchange, 'in', name))
}

async function toResult(exchange: string, place: 'done' | 'failed', name: string) {
  const path = join(exchange, place, `${name}.result.json`)
  await expect.poll(() => readFile(path, 'utf8').catch(() => undefined)).toBeDefined()
  return resultSchema.parse(JSON.parse(await readFile(path, 'utf8'))).results
}

describe('two stations on one hot folder that is not shared', () => {
  it('send each order once while the second one reports the owner', async () => {
    const simulator = await testSimulator()
    const exchange = await temporaryFolder()
    const { station: first } = await hotStation(simulator, exchange)
    await expect.poll(async () => (await first.status()).hotFolder.state).toBe('watching')
    const { station: second } = await hotStation(simulator, exchange)
    await expect.poll(async () => (await second.status()).hotFolder.state).toBe('error')
    const references = Array.from({ length: 10 }, (_, index) => `ORDER-${index}`)
    for (const reference of references) await drop(exchange, `${reference}.json`, order(reference))
    for (const reference of references) await toResult(exchange, 'done', reference)
    expect([...simulator.ledger.countByReference()].sort()).toEqual(references.map((each) => [each, 1]))
    expect((await second.status()).hotFolder.message).toContain('belongs to the Packbench on computer')
  })
})

describe('a station whose keyring is locked', () => {
  it('ships the waiting order once the keyring was unlocked elsewhere', async () => {
    const simulator = await testSimulator()
    const exchange = await temporaryFolder()
    const data = await temporaryFolder()
    const { station } = await connectedStation(data, simulator, {
      shipmentDefaults: { carrierId: 1, carrierOptionId: 11, weight: 1, country: 'NL' },
      hotFolder: { path: exchange, print: true },
    })
    await station.stop()

    let kind: 'locked' | 'keyring' = 'locked'
    let isUnlocked = false
    const cipher: Cipher = {
      ...reversingCipher,
      available: () => kind,
      async checkUnlocked() {
        if (isUnlocked) kind = 'keyring'
        return isUnlocked
      },
    }
    const locked = await stationOn(data, { cipher })
    await locked.start()
    await drop(exchange, 'one.json', order('ORDER-1'))
    await expect
      .poll(async () => (await locked.status()).hotFolder.error, { timeout: 10_000 })
      .toMatchObject({ code: 'vault-locked' })
    isUnlocked = true
    expect(await toResult(exchange, 'done', 'one')).toMatchObject([{ outcome: 'created' }])
  })
})

describe('the result of a created shipment', () => {
  it('reports a label printed by the standby printer as accepted', async () => {
    const simulator = await testSimulator()
    const exchange = await temporaryFolder()
    await hotStation(simulator, exchange, {
      printers: [
        {
          driver: 'socket',
          id: 'zebra',
          host: '127.0.0.1',
          port: 1,
          dpi: 203,
          stock: { widthMm: 100, heightMm: 150 },
          rotate: 0,
          copies: 1,
        },
        { driver: 'folder', id: 'file', path: 'out' },
      ],
      routing: [{ printer: 'zebra', standby: 'file' }],
    })
    await drop(exchange, 'one.json', order('ORDER-1'))
    const [entry] = await toResult(exchange, 'done', 'one')
    expect(entry).toMatchObject({
      outcome: 'created',
      jobs: [
        { printer: 'zebra', state: 'failed', error: { code: 'printer-unreachable' } },
        { printer: 'file', state: 'done', error: null },
      ],
      error: null,
    })
    expect(entry?.at.printerAccepted).not.toBeNull()
  })

  it('reports a label that is not a PDF', async () => {
    const simulator = await testSimulator()
    const exchange = await temporaryFolder()
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'notPdf' }, times: 1 })
    await hotStation(simulator, exchange)
    await drop(exchange, 'one.json', order('ORDER-1'))
    expect(await toResult(exchange, 'done', 'one')).toMatchObject([
      { outcome: 'created', jobs: [], error: { code: 'label-unreadable' } },
    ])
  })

  it('reports a label without a printer', async () => {
    const simulator = await testSimulator()
    const exchange = await temporaryFolder()
    await hotStation(simulator, exchange, { printers: [], routing: [] })
    await drop(exchange, 'one.json', order('ORDER-1'))
    expect(await toResult(exchange, 'done', 'one')).toMatchObject([
      { outcome: 'created', jobs: [], error: { code: 'no-printer' } },
    ])
  })
})

describe('a station with a refused account', () => {
  it('signs in once, however many files arrive, until the account is changed', async () => {
    const simulator = await testSimulator()
    const exchange = await temporaryFolder()
    const { station, features } = await hotStation(simulator, exchange)
    const { user, password } = demoCredentials
    features.session.provision({ baseUrl: simulator.baseUrl, user, password: `${password}-of-yesterday` })
    simulator.clearRequests()
    const signIns = () => simulator.requests.filter(({ path }) => path.endsWith('/auth')).length
    for (const name of ['a', 'b', 'c']) await drop(exchange, `${name}.json`, order(name))
    await expect.poll(async () => (await station.status()).account.error?.code).toBe('account-refused')
    // Longer than the first retry delays of the hot folder.
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect((await station.status()).hotFolder.state).toBe('error')
    expect(signIns()).toBe(1)
    features.session.provision({ baseUrl: simulator.baseUrl, user, password })
    for (const name of ['a', 'b', 'c']) await toResult(exchange, 'done', name)
  })
})

describe('the hot folder service', () => {
  it('reports an exception during the start, can be started again, and can be stopped in spite of one', async () => {
    const simulator = await testSimulator()
    const folder = await temporaryFolder()
    const { features } = await connectedStation(folder, simulator)
    let broken = true
    const log: Log = {
      ...silentLog,
      info() {
        if (broken) throw new Error('the log is full')
      },
    }
    const service = new HotFolderService({
      ...features,
      tables: { readRows: readTable },
      customs: { listSendingCountries: async () => ['NL'] },
      currentOperator: () => null,
      places: placesIn(folder),
      bus: createEventBus(),
      log,
      now: () => new Date(),
    })
    await service.follow({ path: 'exchange', print: true })
    expect(service.status()).toMatchObject({
      state: 'error',
      message: expect.stringContaining('the log is full'),
      error: { code: 'hot-folder-not-started', details: { reason: 'the log is full' } },
    })
    await service.stop()
    broken = false
    await service.follow({ path: 'exchange', print: true })
    expect(service.status()).toEqual({ state: 'watching', message: null, error: null, waiting: 0 })
    broken = true
    await service.stop()
    expect(service.status().state).toBe('off')
  })

  it('closes the problems with files that were not taken only after the folder that contains them was stopped', async () => {
    const folder = await temporaryFolder()
    const { features } = await connectedStation(folder, await testSimulator())
    const service = new HotFolderService({
      ...features,
      tables: { readRows: readTable },
      customs: { listSendingCountries: async () => ['NL'] },
      currentOperator: () => null,
      places: placesIn(folder),
      bus: createEventBus(),
      log: silentLog,
      now: () => new Date(),
    })
    await service.follow({ path: 'exchange', print: true })
    await expect.poll(() => readdir(join(folder, 'exchange')).catch(() => [])).toContain('in')
    await writeFile(join(folder, 'exchange', 'in', 'readme.txt'), 'Hello')
    const listFiles = async () => (await service.issues.list(false)).issues.map(({ file }) => file)
    await expect.poll(listFiles).toEqual(['readme.txt'])
    const states: string[] = []
    const noteIgnored = service.issues.noteIgnored.bind(service.issues)
    vi.spyOn(service.issues, 'noteIgnored').mockImplementation((files) => {
      states.push(service.status().state)
      return noteIgnored(files)
    })
    await service.follow(null)
    expect(states).toEqual(['off'])
    expect(await listFiles()).toEqual([])
  })

  it('gives the folder up when the settings name another one, so that another station can use it', async () => {
    const simulator = await testSimulator()
    const exchange = await temporaryFolder()
    const { features } = await hotStation(simulator, exchange)
    await expect.poll(() => readdir(exchange)).toContain('.packbench-owner')
    features.settings.change({ hotFolder: { path: exchange, print: false } })
    features.settings.change({ hotFolder: { path: 'elsewhere', print: false } })
    await expect.poll(() => readdir(exchange)).not.toContain('.packbench-owner')
    const { station } = await hotStation(simulator, exchange)
    await expect.poll(async () => (await station.status()).hotFolder.state).toBe('watching')
  })
})
