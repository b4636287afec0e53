import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it, vi } from 'vitest'
import type { Cipher } from '../../../src/main/account/vault'
import { createAppHandlers } from '../../../src/main/app/handlers'
import type { Lifecycle } from '../../../src/main/app/lifecycle'
import { toPasswordServer } from '../../../src/main/fleet/membership'
import type { Target } from '../../../src/main/lib/desktop'
import { createEventBus } from '../../../src/main/lib/eventBus'
import type { DatabaseProcess } from '../../../src/main/storage/databaseChecks'
import { placesIn } from '../../../src/main/storage/dataFolder'
import { copyStation, findStationCopy, restoreStation } from '../../../src/main/storage/stationCopy'
import type { Backup } from '../../../src/shared/app'
import type { Language } from '../../../src/shared/fields'
import { fleetSettingsSchema } from '../../../src/shared/fleet'
import { hotFolderSchema } from '../../../src/shared/settings'
import { nodeDatabaseProcess } from '../../support/databaseProcess'
import { deferred } from '../../support/deferred'
import { listNeedingAttention, ship, shipAndPrint } from '../../support/ship'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, reversingCipher, stationOn, testSimulator } from '../../support/testStation'
import { order } from '../hotFolder/exchange'
import { resultSchema } from '../hotFolder/orderResultSchema'

let databaseProcess: DatabaseProcess
beforeAll(async () => {
  databaseProcess = await nodeDatabaseProcess()
})

const network = { connectTimeoutMs: 30_000, answerTimeoutMs: 60_000 }
const options = { keep: 7, labelDays: 90, mayRemove: true, signal: new AbortController().signal }

/** Copies a station that has shipped ORDER-1 to a folder. */
async function copyOfStation() {
  const [data, folder] = [await temporaryFolder(), await temporaryFolder()]
  const simulator = await testSimulator()
  const { station, features } = await connectedStation(data, simulator, { network, retentionDays: 30 })
  expect((await ship(features, 'ORDER-1')).ok).toBe(true)
  const copied = await copyStation(
    { places: placesIn(data), databaseProcess, now: () => new Date() },
    folder,
    options,
  )
  expect(copied).toEqual({ ok: true, value: 1 })
  await station.stop()
  return { folder, simulator }
}

/** The restore as the window starts it, with a person who chooses a folder and answers the question. */
function restoreBy(station: Lifecycle, data: string, folder: string | null, isAgreed = true) {
  const asked: { language: Language; folder: string; copy: Backup }[] = []
  const named: Target[] = []
  let relaunches = 0
  const handlers = createAppHandlers({
    lifecycle: station,
    relaunch: () => {
      relaunches += 1
    },
    desktop: {
      openFolder: async () => ({ ok: true, value: undefined }),
      copyText: () => undefined,
      saveFile: async () => ({ ok: true, value: null }),
      chooseFolder: async () => folder,
      async askRestore(language, from, copy, targets) {
        asked.push({ language, folder: from, copy })
        named.push(...targets)
        return isAgreed
      },
    },
    places: placesIn(data),
    databaseProcess,
    licencesFile: '',
    bus: createEventBus(),
    runtime: {},
    now: () => new Date(),
    log: silentLog,
  })
  return { restore: () => handlers.restoreStation(undefined), asked, named, relaunches: () => relaunches }
}

it('a restore ends a running backup of the database, and waits until its process has ended', async () => {
  const { folder, simulator } = await copyOfStation()
  const data = await temporaryFolder()
  const { station: earlier, features } = await connectedStation(data, simulator, { network })
  expect((await ship(features, 'ORDER-OWN')).ok).toBe(true)
  await earlier.stop()
  const backingUp = deferred<undefined>()
  const wasReplacedAtEnd: boolean[] = []
  const station = await stationOn(data, {
    async databaseProcess(args, signal) {
      if (!args.some((each) => each.startsWith('--into='))) return databaseProcess(args, signal)
      backingUp.resolve(undefined)
      await new Promise<void>((ended) => {
        signal.addEventListener('abort', () => void readdir(data).then(() => ended()), { once: true })
      })
      wasReplacedAtEnd.push(existsSync(join(data, 'packbench.db-replaced')))
      return { output: '', code: null }
    },
  })
  expect((await station.start()).ok).toBe(true)
  await backingUp.promise
  expect(await restoreBy(station, data, folder).restore()).toEqual({ ok: true, value: true })
  expect(wasReplacedAtEnd).toEqual([false])
})

it('a restored copy replaces the data of a station after a person agrees, and guards its references', async () => {
  const { folder, simulator } = await copyOfStation()
  const data = await temporaryFolder()
  const station = await stationOn(data, { databaseProcess })
  expect((await station.start()).ok).toBe(true)
  const { restore, asked, relaunches } = restoreBy(station, data, folder)
  expect(await restore()).toEqual({ ok: true, value: true })
  expect(asked).toEqual([{ language: 'en', folder, copy: expect.objectContaining({ shipments: 1 }) }])
  expect(relaunches()).toBe(1)
  await station.stop()
  const { station: next, features } = await connectedStation(
    data,
    simulator,
    { network },
    { databaseProcess },
  )
  expect(next.settings().retentionDays).toBe(30)
  expect(await ship(features, 'ORDER-1')).toMatchObject({ ok: false, error: { code: 'shipment-duplicate' } })
})

it('a restore names the places that the settings of the copy bring, and restores the settings that it named', async () => {
  const { folder } = await copyOfStation()
  const name = (await readdir(folder)).find((each) => each.startsWith('settings-')) ?? ''
  const copied = await readFile(join(folder, name), 'utf8')
  const proxy = {
    mode: 'manual',
    host: 'proxy.example',
    port: 8080,
    tls: false,
    exceptions: [],
    loopback: true,
  }
  const changed = { ...JSON.parse(copied), proxy, allowWeakStorage: true, labelHosts: ['10.0.0.8'] }
  await writeFile(join(folder, name), JSON.stringify(changed))
  const data = await temporaryFolder()
  await writeFile(
    join(data, 'settings.json'),
    JSON.stringify({ ...JSON.parse(copied), labelHosts: ['10.0.0.8'] }),
  )
  const station = await stationOn(data, { databaseProcess })
  expect((await station.start()).ok).toBe(true)
  const refused = restoreBy(station, data, folder, false)
  expect(await refused.restore()).toEqual({ ok: true, value: false })
  expect(refused.named).toEqual([
    { kind: 'proxy', place: 'http://proxy.example:8080' },
    { kind: 'weak-storage', place: join(data, 'vault.json') },
  ])
  expect(station.settings().proxy).toEqual({ mode: 'system' })

  const copy = await findStationCopy({ databaseProcess, now: () => new Date() }, folder, options.signal)
  if (!copy.ok) throw new Error(copy.error.message)
  await writeFile(
    join(folder, name),
    JSON.stringify({ ...changed, proxy: { ...proxy, host: 'other.example' } }),
  )
  expect((await station.restoreStation(folder, copy.value)).ok).toBe(true)
  await station.stop()
  expect(await readFile(join(data, 'settings.json'), 'utf8')).toBe(JSON.stringify(changed))
})

it('a restored station keeps what its PIN guards closed on another computer until a provisioning file removes the PIN', async () => {
  const [copied, folder, data] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()]
  const { station: original, features } = await connectedStation(copied, await testSimulator())
  expect((await features.people.setPin('4711')).ok).toBe(true)
  const deps = { databaseProcess, now: () => new Date() }
  expect((await copyStation({ ...deps, places: placesIn(copied) }, folder, options)).ok).toBe(true)
  await original.stop()
  const copy = await findStationCopy(deps, folder, options.signal)
  if (!copy.ok) throw new Error(copy.error.message)
  const first = await stationOn(data, { databaseProcess })
  expect((await first.start()).ok).toBe(true)
  expect((await first.restoreStation(folder, copy.value)).ok).toBe(true)
  await first.stop()
  const station = await stationOn(data, { databaseProcess })
  const started = await station.start()
  if (!started.ok) throw new Error(started.error.message)
  const { people } = started.value
  expect(await people.enterPin('4711')).toMatchObject({ error: { code: 'pin-unusable' } })
  expect(people.permit('forgetAccount', undefined)).toMatchObject({ error: { code: 'pin-required' } })
  expect((await station.provision({ settingsChange: {}, pin: null, holdsSecrets: false })).ok).toBe(true)
  expect(people.permit('forgetAccount', undefined)).toMatchObject({ ok: true })
})

it('a restored backup prints nothing that was queued or being created when it was made', async () => {
  const [data, folder] = [await temporaryFolder(), await temporaryFolder()]
  const simulator = await testSimulator()
  const { station, features } = await connectedStation(data, simulator, { network }, { databaseProcess })
  const { shipmentRepository, printing, settings } = features
  const copied = deferred<undefined>()
  await printing.pause('file', true)
  const queued = await shipAndPrint(features, { reference: 'QUEUED' })
  settings.change({ labelDelivery: 'by-url' })
  const completeLabel = shipmentRepository.completeLabel.bind(shipmentRepository)
  vi.spyOn(shipmentRepository, 'completeLabel').mockImplementationOnce(async (...label) => {
    await copied.promise
    await completeLabel(...label)
  })
  const withoutLabel = shipAndPrint(features, { reference: 'WITHOUT-LABEL' })
  await expect.poll(() => shipmentRepository.listWithMissingLabels()).toHaveLength(1)
  settings.change({ labelDelivery: 'in-answer' })
  const markCreated = shipmentRepository.markCreated.bind(shipmentRepository)
  vi.spyOn(shipmentRepository, 'markCreated').mockImplementationOnce(async (...creation) => {
    await copied.promise
    await markCreated(...creation)
  })
  const beingCreated = shipAndPrint(features, { reference: 'BEING-CREATED' })
  await expect.poll(() => shipmentRepository.listInStates(['sent'])).toHaveLength(1)
  const places = placesIn(data)
  const copy = await copyStation({ places, databaseProcess, now: () => new Date() }, folder, options)
  expect(copy).toEqual({ ok: true, value: 3 })
  copied.resolve(undefined)
  await printing.pause('file', false)
  const shipped = await Promise.all([queued, withoutLabel, beingCreated])
  const printed = () => readdir(join(data, 'out'))
  await expect.poll(printed).toHaveLength(3)
  await expect.poll(() => features.findHold()).toBeNull()
  expect(await restoreBy(station, data, folder).restore()).toEqual({ ok: true, value: true })
  await station.stop()

  const restored = await connectedStation(data, simulator, { network }, { databaseProcess })
  await restored.features.printing.pause('file', false)
  const open = () => restored.features.shipmentRepository.listWithMissingLabels()
  await expect.poll(open).toEqual([])
  const details = shipped.map((each) => restored.features.history.getDetails(each.ok ? each.value.id : ''))
  const stored = { state: 'created', labels: [{ problem: null }] }
  const unconfirmed = { state: 'unconfirmed', error: { details: { case: 'restored', printer: 'file' } } }
  expect(await Promise.all(details)).toMatchObject([
    { value: { ...stored, reference: 'QUEUED', jobs: [unconfirmed] } },
    { value: { ...stored, reference: 'WITHOUT-LABEL', jobs: [] } },
    { value: { ...stored, reference: 'BEING-CREATED', jobs: [] } },
  ])
  const [, ...withoutJobs] = shipped.map((each) => (each.ok ? each.value.id : ''))
  expect(await listNeedingAttention(restored.features.history)).toEqual(expect.arrayContaining(withoutJobs))
  expect((await restored.features.historyRepository.countOpen()).labelProblems).toBe(2)
  expect(await printed()).toHaveLength(3)
})

it('a restored station sends nothing of an order file in work/ that the lost station continued after the copy', async () => {
  const [lost, folder, exchange] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()]
  const simulator = await testSimulator()
  const { station, features } = await connectedStation(lost, simulator, {
    network,
    shipmentDefaults: { carrierId: 1, carrierOptionId: 11, weight: 1, country: 'NL' },
    hotFolder: { path: exchange, print: true },
  })
  await features.printing.pause('file', true)
  const copied = deferred<undefined>()
  const open = features.carrier.open.bind(features.carrier)
  // The second call to fetch the key, made for LATER, is delayed.
  const opened = vi.spyOn(features.carrier, 'open').mockImplementation(async () => {
    if (opened.mock.calls.length === 2) await copied.promise
    return open()
  })
  await expect.poll(() => readdir(exchange)).toContain('in')
  await writeFile(join(exchange, 'two.part'), JSON.stringify([order('EARLIER'), order('LATER')]))
  await rename(join(exchange, 'two.part'), join(exchange, 'in', 'two.json'))
  await expect
    .poll(() => features.shipmentRepository.listEarlier('EARLIER'))
    .toMatchObject([{ state: 'created' }])
  const deps = { databaseProcess, now: () => new Date() }
  expect(await copyStation({ ...deps, places: placesIn(lost) }, folder, options)).toMatchObject({ value: 1 })
  copied.resolve(undefined)
  await expect
    .poll(() => features.shipmentRepository.listEarlier('LATER'))
    .toMatchObject([{ state: 'created' }])
  await station.stop()
  await rm(join(exchange, '.packbench-owner'))

  const data = await temporaryFolder()
  const copy = await findStationCopy(deps, folder, options.signal)
  if (!copy.ok) throw new Error(copy.error.message)
  expect((await restoreStation({ ...deps, places: placesIn(data) }, folder, copy.value)).ok).toBe(true)
  await connectedStation(data, simulator, { network }, { databaseProcess })
  const result = join(exchange, 'failed', 'two.result.json')
  await expect.poll(() => existsSync(result)).toBe(true)
  const { results } = resultSchema.parse(JSON.parse(await readFile(result, 'utf8')))
  expect(results).toMatchObject([
    { reference: 'EARLIER', outcome: 'duplicate' },
    { reference: 'LATER', outcome: 'unknown', error: { code: 'order-journal-lost' } },
  ])
  expect([...simulator.ledger.countByReference()]).toEqual([
    ['EARLIER', 1],
    ['LATER', 1],
  ])
})

it('a restore changes nothing without a chosen folder, without agreement or without a copy in the folder', async () => {
  const { folder } = await copyOfStation()
  const data = await temporaryFolder()
  const station = await stationOn(data, { databaseProcess })
  expect((await station.start()).ok).toBe(true)
  for (const way of [restoreBy(station, data, null), restoreBy(station, data, folder, false)]) {
    expect(await way.restore()).toEqual({ ok: true, value: false })
    expect(way.relaunches()).toBe(0)
  }
  const empty = restoreBy(station, data, await temporaryFolder())
  expect(await empty.restore()).toMatchObject({ ok: false, error: { code: 'backup-unusable' } })
  expect(empty.asked).toEqual([])
  expect(station.services().ok).toBe(true)
  expect((await readdir(data)).filter((name) => name.includes('set-aside'))).toEqual([])
})

it('a restore after a start error is asked about in the language of the station', async () => {
  const { folder } = await copyOfStation()
  const data = await temporaryFolder()
  await writeFile(join(data, 'settings.json'), JSON.stringify({ version: 1, language: 'nl' }))
  await writeFile(join(data, 'packbench.db'), 'not a database')
  const station = await stationOn(data, { databaseProcess })
  expect(await station.start()).toMatchObject({ ok: false })
  const { restore, asked } = restoreBy(station, data, folder, false)
  expect(await restore()).toEqual({ ok: true, value: false })
  expect(asked).toMatchObject([{ language: 'nl' }])
})

it('a copy that disappears before it is restored replaces neither the database nor the settings', async () => {
  const { folder, simulator } = await copyOfStation()
  const data = await temporaryFolder()
  const { station, features } = await connectedStation(data, simulator, { network }, { databaseProcess })
  expect((await ship(features, 'ORDER-OWN')).ok).toBe(true)
  const retentionDays = station.settings().retentionDays
  const copy = await findStationCopy({ databaseProcess, now: () => new Date() }, folder, options.signal)
  if (!copy.ok) throw new Error(copy.error.message)
  await rm(join(folder, copy.value.name))
  expect(await station.restoreStation(folder, copy.value)).toMatchObject({
    ok: false,
    error: { code: 'backup-unusable' },
  })
  expect((await readdir(data)).filter((name) => /set-aside|part|replaced/.test(name))).toEqual([])
  expect(station.settings().retentionDays).toBe(retentionDays)
  const started = station.services()
  if (!started.ok) throw new Error(started.error.message)
  expect(await ship(started.value, 'ORDER-OWN')).toMatchObject({ error: { code: 'shipment-duplicate' } })
})

it('a restore that fails while labels are put in place leaves the station to start as before', async () => {
  const { folder } = await copyOfStation()
  const data = await temporaryFolder()
  const station = await stationOn(data, { databaseProcess })
  expect((await station.start()).ok).toBe(true)
  await writeFile(join(folder, 'labels', 'last'), 'f'.repeat(100_000))
  await mkdir(join(data, 'labels', 'last', 'in the way'), { recursive: true })
  const copy = await findStationCopy({ databaseProcess, now: () => new Date() }, folder, options.signal)
  if (!copy.ok) throw new Error(copy.error.message)
  expect(await station.restoreStation(folder, copy.value)).toMatchObject({
    error: { code: 'backup-unusable' },
  })
  expect(station.services()).toMatchObject({ ok: true })
  expect((await station.status()).startError).toBeNull()
  expect(await readdir(join(data, 'labels'))).toEqual(['last'])
  expect((await readdir(data)).filter((name) => name.startsWith('.restoring-'))).toEqual([])
})

it('the files of a restore that was cut off are removed by the next start, which knows nothing of them', async () => {
  const data = await temporaryFolder()
  const cutOff = join(data, '.restoring-cut-off')
  await mkdir(join(cutOff, 'labels', 'shipment'), { recursive: true })
  await writeFile(join(cutOff, 'labels', 'shipment', 'answer.json'), '{}')
  const station = await stationOn(data, { databaseProcess })
  expect((await station.start()).ok).toBe(true)
  await expect.poll(() => existsSync(cutOff)).toBe(false)
  expect((await station.status()).startError).toBeNull()
})

it('a restore that fails leaves the account of a station without a keyring connected, and one that succeeds asks for it', async () => {
  const { folder, simulator } = await copyOfStation()
  const data = await temporaryFolder()
  const cipher: Cipher = { ...reversingCipher, available: () => 'weak' }
  const { station, features } = await connectedStation(
    data,
    simulator,
    { network },
    { databaseProcess, cipher },
  )
  const fleet = fleetSettingsSchema.parse({
    ...{
      host: '127.0.0.1',
      port: 1,
      database: 'packbench',
      user: 'packbench',
      tls: 'off',
      station: 'Bench 1',
    },
  })
  expect(features.settings.change({ fleet })).toMatchObject({ ok: true })
  expect(await features.fleet.setPassword('fleet-7-secret')).toMatchObject({ ok: true })
  const copy = await findStationCopy({ databaseProcess, now: () => new Date() }, folder, options.signal)
  if (!copy.ok) throw new Error(copy.error.message)
  const missing = { ...copy.value, name: 'missing' }
  expect(await station.restoreStation(folder, missing)).toMatchObject({ error: { code: 'backup-unusable' } })
  const kept = station.services()
  if (!kept.ok) throw new Error(kept.error.message)
  expect(kept.value).not.toBe(features)
  expect(kept.value.session.status()).toMatchObject({ state: 'connected', storage: 'memory' })
  expect(kept.value.fleetPassword.find(toPasswordServer(fleet))).toBe('fleet-7-secret')
  expect(existsSync(join(data, 'vault.json'))).toBe(false)

  expect(await station.restoreStation(folder, copy.value)).toMatchObject({ ok: true })
  const restored = await station.start()
  if (!restored.ok) throw new Error(restored.error.message)
  expect(restored.value.session.status()).toMatchObject({ state: 'none' })
  expect(restored.value.fleetPassword.find(toPasswordServer(fleet))).toBeNull()
})

it('a restore is refused while a shipment is unknown, because the copy would not guard it', async () => {
  const { folder } = await copyOfStation()
  const data = await temporaryFolder()
  const simulator = await testSimulator()
  const { station, features } = await connectedStation(data, simulator, { network }, { databaseProcess })
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'resetAfterReading' }, times: 1 })
  expect(await ship(features, 'ORDER-UNKNOWN')).toMatchObject({ value: { state: 'unknown' } })
  const { restore, relaunches } = restoreBy(station, data, folder)
  expect(await restore()).toMatchObject({
    ok: false,
    error: { code: 'restore-not-now', details: { case: 'unknown' } },
  })
  expect(relaunches()).toBe(0)
  expect(station.services().ok).toBe(true)
})

it('a station on which a restore failed before it began works on, with its hot folder', async () => {
  const { folder, simulator } = await copyOfStation()
  const data = await temporaryFolder()
  const hotFolder = hotFolderSchema.parse({ path: 'exchange' })
  const { station, features } = await connectedStation(
    data,
    simulator,
    { network, hotFolder },
    { databaseProcess },
  )
  vi.spyOn(features, 'findHold')
    .mockResolvedValueOnce(null)
    .mockRejectedValueOnce(new Error('disk I/O error'))
  const { restore, relaunches } = restoreBy(station, data, folder)
  expect(await restore()).toMatchObject({
    error: { code: 'restore-not-now', message: expect.stringContaining('the disk has an error') },
  })
  expect(relaunches()).toBe(0)
  expect(await station.status()).toMatchObject({
    startError: null,
    account: { state: 'connected' },
    hotFolder: { state: 'watching' },
  })
})
