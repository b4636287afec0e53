import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { Lifecycle } from '../../../src/main/app/lifecycle'
import { findMissingHistory } from '../../../src/main/shipments/missingHistory'
import { RebuildRepository } from '../../../src/main/shipments/rebuildRepository'
import { ShipmentRepository } from '../../../src/main/shipments/repository'
import { placesIn } from '../../../src/main/storage/dataFolder'
import { closeDatabase } from '../../../src/main/storage/openDatabase'
import { appError } from '../../../src/shared/errors'
import type { Simulator } from '../../../src/simulator/simulator'
import { openTestDatabase } from '../../support/databaseWorker'
import { ship } from '../../support/ship'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, stationOn, testSimulator } from '../../support/testStation'

const hotFolder = { path: 'exchange', print: true }

/** Long timeouts, so that no shipment becomes unknown on a busy machine. */
const network = { connectTimeoutMs: 30_000, answerTimeoutMs: 60_000 }

/** A stopped station that has shipped these references. */
async function shippedStation(references: readonly string[]) {
  const data = await temporaryFolder()
  const simulator = await testSimulator()
  const { station, features } = await connectedStation(data, simulator, { hotFolder, network })
  for (const reference of references) expect((await ship(features, reference)).ok).toBe(true)
  await station.stop()
  return { data, simulator }
}

async function databaseFiles(data: string): Promise<string[]> {
  return (await readdir(data)).filter((name) => /^packbench\.db(-wal|-shm)?$/.test(name))
}

async function removeDatabase(data: string): Promise<void> {
  for (const name of await databaseFiles(data)) await rm(join(data, name), { force: true })
}

/** Drops the orders into the hot folder while the station is off. */
async function order(data: string, references: readonly string[]): Promise<void> {
  const orders = references.map((reference) => ({
    ...{ reference, last_name: 'Jansen', street: 'Dorpsstraat', city: 'Utrecht', country: 'NL' },
    ...{ carrier_id: 12, carrier_option_id: 34, weight: 1 },
  }))
  const file = join(data, 'exchange', 'orders.json')
  await mkdir(join(data, 'exchange', 'in'), { recursive: true })
  await writeFile(file, JSON.stringify(orders))
  await rename(file, join(data, 'exchange', 'in', 'orders.json'))
}

async function outcomes(data: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const file = join(data, 'exchange', 'failed', 'orders.result.json')
  await expect.poll(() => readFile(file, 'utf8').catch(() => '')).not.toBe('')
  for (const { outcome } of JSON.parse(await readFile(file, 'utf8')).results) {
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}

async function expectHeld(station: Lifecycle, simulator: Simulator, sent: number, count: string) {
  const started = await station.start()
  expect(started).toMatchObject({ ok: false, error: { code: 'history-missing', details: { count } } })
  expect(station.services().ok).toBe(false)
  expect((await station.status()).startError?.message).toContain('Nothing is sent')
  expect(simulator.ledger.entries).toHaveLength(sent)
}

const sixty = Array.from({ length: 60 }, (_, index) => `ORDER-${index}`)

describe('a lost database with shipments in the labels folder', () => {
  it('blocks 60 orders of the hot folder, which are all duplicates after the rebuild', async () => {
    const { data, simulator } = await shippedStation(sixty)
    await removeDatabase(data)
    await order(data, sixty)
    const station = await stationOn(data)
    await expectHeld(station, simulator, 60, '60')
    expect(await readdir(join(data, 'exchange', 'in'))).toEqual(['orders.json'])
    expect(await readFile(join(data, 'logs', 'packbench.log'), 'utf8')).toContain('history-missing')

    const rebuilt = await station.recoverHistory('rebuild')
    if (!rebuilt.ok) throw new Error(rebuilt.error.message)
    expect(await outcomes(data)).toEqual({ duplicate: 60 })
    expect(simulator.ledger.entries).toHaveLength(60)
    const [earlier] = await rebuilt.value.shipmentRepository.listEarlier('ORDER-7')
    const details = await rebuilt.value.history.getDetails(earlier?.id ?? '')
    expect(details).toMatchObject({
      ok: true,
      value: {
        ...{ reference: 'ORDER-7', state: 'created', consignee: 'Jannie de Vries', jobs: [] },
        labels: [{ problem: null }],
        barcodes: [simulator.ledger.entries[7]?.barcodes[0]],
      },
    })
  })

  it.each([
    [
      'an empty file',
      async (data: string) => {
        await removeDatabase(data)
        await writeFile(join(data, 'packbench.db'), '')
      },
    ],
    [
      'the database of another station',
      async (data: string) => {
        const other = await shippedStation(['OTHER-1'])
        await removeDatabase(data)
        for (const name of await databaseFiles(other.data)) {
          await copyFile(join(other.data, name), join(data, name))
        }
      },
    ],
  ])('is detected at each start until a person decides when the file is %s', async (_, damage) => {
    const { data, simulator } = await shippedStation(['ORDER-1', 'ORDER-2'])
    await damage(data)
    await expectHeld(await stationOn(data), simulator, 2, '2')
    const station = await stationOn(data)
    await expectHeld(station, simulator, 2, '2')
    const rebuilt = await station.recoverHistory('rebuild')
    if (!rebuilt.ok) throw new Error(rebuilt.error.message)
    expect(await ship(rebuilt.value, 'ORDER-2')).toMatchObject({ error: { code: 'shipment-duplicate' } })
  })

  it('is detected when the file is an older copy, and the rebuild adds the missing shipment', async () => {
    const { data, simulator } = await shippedStation(['ORDER-1'])
    const copies = await databaseFiles(data)
    for (const name of copies) await copyFile(join(data, name), join(data, `${name}.copy`))
    const { station, features } = await connectedStation(data, simulator, { network })
    await ship(features, 'ORDER-2')
    await station.stop()
    await removeDatabase(data)
    for (const name of copies) await copyFile(join(data, `${name}.copy`), join(data, name))

    const next = await stationOn(data)
    await expectHeld(next, simulator, 2, '1')
    const rebuilt = await next.recoverHistory('rebuild')
    if (!rebuilt.ok) throw new Error(rebuilt.error.message)
    expect(await rebuilt.value.shipmentRepository.count()).toBe(2)
    for (const reference of ['ORDER-1', 'ORDER-2']) {
      expect(await ship(rebuilt.value, reference)).toMatchObject({ error: { code: 'shipment-duplicate' } })
    }
  })

  it('is kept after the rebuild until somebody sets how long, if the settings are missing too', async () => {
    const { data } = await shippedStation(['ORDER-1', 'ORDER-2'])
    await removeDatabase(data)
    await rm(join(data, 'settings.json'))
    const station = await stationOn(data, { now: () => new Date(Date.now() + 100 * 24 * 60 * 60 * 1000) })
    const rebuilt = await station.recoverHistory('rebuild')
    if (!rebuilt.ok) throw new Error(rebuilt.error.message)
    const { upkeep, settings, shipmentRepository } = rebuilt.value
    await station.confirmClock()
    await upkeep.run()
    expect(await shipmentRepository.count()).toBe(2)
    expect(settings.current()).toMatchObject({ retentionDays: 3650, guardDays: 36_500 })
  })

  it('guards a reference with an unknown outcome after an interrupted rebuild', async () => {
    const data = await temporaryFolder()
    const simulator = await testSimulator()
    const first = await connectedStation(data, simulator, { network })
    await ship(first.features, 'ORDER-1')
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'resetAfterReading' }, times: 1 })
    expect(await ship(first.features, 'ORDER-UNKNOWN')).toMatchObject({ value: { state: 'unknown' } })
    await first.station.stop()
    await removeDatabase(data)
    const places = placesIn(data)
    const database = await openTestDatabase(places.database)
    if (!database.ok) throw new Error(database.error.message)
    const shipmentRepository = new ShipmentRepository(database.value)
    const rebuild = new RebuildRepository(database.value)
    const restore = rebuild.restore.bind(rebuild)
    const cutOff = vi.spyOn(rebuild, 'restore').mockImplementationOnce(restore)
    cutOff.mockRejectedValueOnce(new Error('the process was killed'))
    const unknown = { kind: 'unknown', error: appError('shipment-interrupted'), stored: null } as const
    const shipping = { recover: async () => 0, readOutcome: async () => unknown }
    const submissions = { holdManifestsOfCopy: async () => undefined }
    const fleet = { noteRestoredCopy: async () => undefined }
    const databaseProcess = () => Promise.reject(new Error('no backup is there'))
    const deps = { places, databaseProcess, log: silentLog, now: () => new Date() }
    await expect(
      findMissingHistory({ shipmentRepository, rebuild, shipping, submissions, fleet }, deps, 'rebuild'),
    ).rejects.toThrow('killed')
    await closeDatabase(database.value)

    const station = await stationOn(data)
    await expectHeld(station, simulator, 2, '1')
    const rebuilt = await station.recoverHistory('rebuild')
    if (!rebuilt.ok) throw new Error(rebuilt.error.message)
    expect(await ship(rebuilt.value, 'ORDER-UNKNOWN')).toMatchObject({
      error: { code: 'shipment-unsettled' },
    })
    await station.stop()
    expect((await (await stationOn(data)).start()).ok).toBe(true)
  })

  it('is rebuilt completely in spite of order files left by repeated attempts', async () => {
    const { data } = await shippedStation(['ORDER-1'])
    const [id = ''] = await readdir(join(data, 'labels'))
    const order = JSON.parse(await readFile(join(data, 'labels', id, 'order.json'), 'utf8'))
    const other = { ...order, attemptId: randomUUID(), draft: { ...order.draft, reference: 'ORDER-2' } }
    for (const left of [order, other, other]) {
      const folder = join(data, 'labels', randomUUID())
      await mkdir(folder)
      await writeFile(join(folder, 'order.json'), JSON.stringify(left))
    }
    await removeDatabase(data)
    const rebuilt = await (await stationOn(data)).recoverHistory('rebuild')
    if (!rebuilt.ok) throw new Error(rebuilt.error.message)
    expect(await rebuilt.value.shipmentRepository.listEarlier('ORDER-1')).toMatchObject([
      { id, state: 'created' },
    ])
    expect(await rebuilt.value.shipmentRepository.listEarlier('ORDER-2')).toMatchObject([
      { state: 'unknown' },
    ])
  })

  it('lets a reference be sent again only after a person continues without the history', async () => {
    const { data, simulator } = await shippedStation(['ORDER-1'])
    await removeDatabase(data)
    const station = await stationOn(data)
    await expectHeld(station, simulator, 1, '1')
    const continued = await station.recoverHistory('continue')
    if (!continued.ok) throw new Error(continued.error.message)
    expect((await ship(continued.value, 'ORDER-1')).ok).toBe(true)
    await station.stop()
    expect((await (await stationOn(data)).start()).ok).toBe(true)
  })

  it('needs a second decision when old files lack their reference, and then shows their labels in the history', async () => {
    const { data, simulator } = await shippedStation(['ORDER-1', 'ORDER-2'])
    const [old = ''] = await readdir(join(data, 'labels'))
    for (const name of ['shipment.json', 'order.json']) {
      const file = join(data, 'labels', old, name)
      const text = await readFile(file, 'utf8').catch(() => undefined)
      if (text === undefined) continue
      if (name === 'order.json') await rm(file)
      else await writeFile(file, JSON.stringify({ ...JSON.parse(text), order: undefined }))
    }
    await removeDatabase(data)
    const station = await stationOn(data)
    await expectHeld(station, simulator, 2, '2')
    expect(await station.recoverHistory('rebuild')).toMatchObject({
      ok: false,
      error: { code: 'history-missing', details: { count: '1' } },
    })
    const continued = await station.recoverHistory('continue')
    if (!continued.ok) throw new Error(continued.error.message)
    const barcodes = simulator.ledger.entries.map((entry) => entry.barcodes[0])
    expect(await continued.value.history.getDetails(old)).toMatchObject({
      ok: true,
      value: { state: 'created', labels: [{ problem: null }], barcodes: [expect.toBeOneOf(barcodes)] },
    })
  })
})

describe('a labels folder that matches its database', () => {
  it('causes no error when a crash left an order without an intent or files of a removed shipment', async () => {
    const { data, simulator } = await shippedStation(['ORDER-1'])
    const [id = ''] = await readdir(join(data, 'labels'))
    const kept = join(data, 'kept')
    await mkdir(kept)
    for (const name of await readdir(join(data, 'labels', id))) {
      await copyFile(join(data, 'labels', id, name), join(kept, name))
    }
    const { station, features } = await connectedStation(data, simulator, { network })
    await features.retention.remove(id)
    await features.files.remove(id)
    await ship(features, 'ORDER-2')
    await station.stop()
    await rename(kept, join(data, 'labels', id))
    const crashed = join(data, 'labels', randomUUID())
    await mkdir(crashed)
    await writeFile(join(crashed, 'order.json'), '{}')
    expect((await (await stationOn(data)).start()).ok).toBe(true)
  })
})
