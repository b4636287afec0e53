import { existsSync } from 'node:fs'
import {
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Services } from '../../../src/main/app/compose'
import type { Lifecycle, LifecycleDeps } from '../../../src/main/app/lifecycle'
import { LabelCopyRepository } from '../../../src/main/fleet/labelCopyRepository'
import { checkDatabase, type DatabaseProcess } from '../../../src/main/storage/databaseChecks'
import { createThread } from '../../../src/main/storage/databaseThread'
import { closeDatabase } from '../../../src/main/storage/openDatabase'
import { demoAccount } from '../../../src/simulator/demo'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator'
import { alterIndexPages, spoilText } from '../../support/databaseDamage'
import { nodeDatabaseProcess } from '../../support/databaseProcess'
import { databaseWorker, openTestDatabase } from '../../support/databaseWorker'
import { deferred } from '../../support/deferred'
import { ship } from '../../support/ship'
import { temporaryFolder } from '../../support/temporaryFolder'
import { temporaryRoot } from '../../support/temporaryRoot'
import { connectedStation, stationOn } from '../../support/testStation'

let databaseProcess: DatabaseProcess
beforeAll(async () => {
  databaseProcess = await nodeDatabaseProcess()
})

const never = new AbortController().signal
const references = Array.from({ length: 12 }, (_, index) => `ORDER-${100 + index}`)

/** Long timeouts, so that no shipment becomes unknown on a busy machine. */
const network = { connectTimeoutMs: 30_000, answerTimeoutMs: 60_000 }

async function getBackups(data: string): Promise<string[]> {
  return readdir(join(data, 'backups')).catch(() => [])
}

/** The service of all tests, and the data folder of a station that has shipped there. Each test copies the folder. */
let simulator: Simulator
let shipped: string
beforeAll(async () => {
  simulator = await startSimulator({})
  shipped = await mkdtemp(join(temporaryRoot, 'packbench-shipped-'))
})
afterAll(async () => {
  await simulator.close()
  await rm(shipped, { recursive: true, force: true })
})

/** The data folder of a station that has shipped, made its daily backup at its second start, and shipped twice afterwards. */
async function shippedStation() {
  if ((await readdir(shipped)).length === 0) await cp(await shipAndBackUp(), shipped, whole)
  const data = await temporaryFolder()
  await cp(shipped, data, whole)
  return { data, database: join(data, 'packbench.db') }
}

const whole = { recursive: true, preserveTimestamps: true }

async function shipAndBackUp(): Promise<string> {
  const data = await temporaryFolder()
  const first = await connectedStation(data, simulator, { network })
  for (const reference of references) expect((await ship(first.features, reference)).ok).toBe(true)
  await first.station.stop()
  const second = await connectedStation(data, simulator, { network }, { databaseProcess })
  await expect.poll(() => getBackups(data)).toEqual([expect.stringMatching(/^packbench-[\d-]{10}-12\.db$/)])
  expect((await ship(second.features, 'ORDER-SINCE')).ok).toBe(true)
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'resetAfterReading' }, times: 1 })
  expect(await ship(second.features, 'ORDER-UNKNOWN')).toMatchObject({ value: { state: 'unknown' } })
  await second.station.stop()
  return data
}

function damagedStation(data: string, hearing: Partial<LifecycleDeps> = {}): Promise<Lifecycle> {
  return stationOn(data, { databaseProcess, checkBudgetMs: () => 60_000, ...hearing })
}

async function expectGuarded(features: Services) {
  const sent = simulator.ledger.entries.length
  for (const reference of [...references, 'ORDER-SINCE']) {
    expect(await ship(features, reference)).toMatchObject({
      ok: false,
      error: { code: 'shipment-duplicate' },
    })
  }
  expect(await ship(features, 'ORDER-UNKNOWN')).toMatchObject({ error: { code: 'shipment-unsettled' } })
  expect(simulator.ledger.entries).toHaveLength(sent)
}

const damages: [string, (database: string) => void, RegExp][] = [
  [
    'one byte that is not valid UTF-8',
    (database) => expect(spoilText(database, 'Keizersgracht')).toBeGreaterThan(0),
    /table (shipments|consignees) holds a text that is not valid UTF-8/,
  ],
  [
    'altered pages of an index',
    (database) => expect(alterIndexPages(database, 'ORDER-1')).toBeGreaterThan(0),
    /index shipments_by_reference/,
  ],
]

describe.each(damages)('a database with %s', (_, damage, reason) => {
  it('is detected at the start and can be replaced by a backup and the newer shipments of the labels folder', async () => {
    const { data, database } = await shippedStation()
    damage(database)
    const damaged = await readFile(database)
    const station = await damagedStation(data)
    expect(await station.start()).toMatchObject({
      ok: false,
      error: { code: 'database-damaged', details: { reason: expect.stringMatching(reason) } },
    })
    expect((await readFile(database)).equals(damaged)).toBe(true)
    const [backup] = await station.backups()
    expect(backup).toMatchObject({ shipments: 12 })

    const restored = await station.restoreBackup(backup?.name ?? '')
    if (!restored.ok) throw new Error(restored.error.message)
    await expectGuarded(restored.value)
    const aside = (await readdir(data)).filter((name) => /^packbench\.set-aside-.*\.db$/.test(name))
    expect(aside).toHaveLength(1)
    expect((await readFile(join(data, aside[0] ?? ''))).equals(damaged)).toBe(true)
  })

  it('can be rebuilt from the labels folder alone', async () => {
    const { data, database } = await shippedStation()
    damage(database)
    const station = await damagedStation(data)
    expect((await station.start()).ok).toBe(false)
    const rebuilt = await station.recoverHistory('rebuild')
    if (!rebuilt.ok) throw new Error(rebuilt.error.message)
    await expectGuarded(rebuilt.value)
  })
})

it('a database with a copy of another station’s PDF label is sound', async () => {
  const database = join(await temporaryFolder(), 'packbench.db')
  const opened = await openTestDatabase(database)
  if (!opened.ok) throw new Error(opened.error.message)
  await new LabelCopyRepository(opened.value).keep([
    {
      shipment: {
        id: 'S1',
        reference: 'ORDER-1',
        station: 'Station 2',
        carrierOptionId: 34,
        takenAt: '2026-11-22T10:00:00.000Z',
        labelCount: 1,
      },
      label: {
        id: 'L1',
        position: 0,
        barcode: '3SABCD',
        kind: 'pdf',
        sha256: '',
        bytes: Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1'),
      },
    },
  ])
  await closeDatabase(opened.value)
  expect(await checkDatabase(databaseProcess, database, never)).toEqual({ kind: 'sound', shipments: 0 })
})

it('a rebuilt database takes the guard of removed shipments from the newest sound backup', async () => {
  const { data, database } = await shippedStation()
  const { station, features } = await connectedStation(data, simulator, { network })
  const [removed] = await features.shipmentRepository.listEarlier('ORDER-100')
  const id = removed?.id ?? ''
  await features.retention.remove(id)
  await features.files.remove(id)
  await station.stop()
  await rm(database)
  const next = await damagedStation(data)
  expect(await next.start()).toMatchObject({ error: { code: 'database-missing' } })
  const rebuilt = await next.recoverHistory('rebuild')
  if (!rebuilt.ok) throw new Error(rebuilt.error.message)
  expect(await rebuilt.value.shipmentRepository.find(id)).toBeUndefined()
  await expectGuarded(rebuilt.value)
})

it('a restored backup with an unknown outcome takes over the shipment that was made after its resolution', async () => {
  const own = await startSimulator({})
  onTestFinished(() => own.close())
  const data = await temporaryFolder()
  const first = await connectedStation(data, own, { network })
  own.faults.add({ operation: 'shipment', fault: { kind: 'resetAfterReading' }, times: 1 })
  const unknown = await ship(first.features, 'ORDER-1')
  if (!unknown.ok) throw new Error(unknown.error.message)
  const { id } = unknown.value
  await first.station.stop()
  const second = await connectedStation(data, own, { network }, { databaseProcess })
  await expect.poll(() => getBackups(data)).toHaveLength(1)
  expect((await second.features.shipping.resolveUnknown(id, 'does-not-exist', null)).ok).toBe(true)
  const created = await ship(second.features, 'ORDER-1')
  if (!created.ok) throw new Error(created.error.message)
  await second.station.stop()
  // A crash of the computer may lose the summary, which is not synced.
  await rm(join(data, 'labels', created.value.id, 'shipment.json'))
  await rm(join(data, 'packbench.db'))

  const next = await damagedStation(data)
  expect(await next.start()).toMatchObject({ error: { code: 'database-missing' } })
  const [backup = ''] = await getBackups(data)
  const restored = await next.restoreBackup(backup)
  if (!restored.ok) throw new Error(restored.error.message)
  const { shipping, shipmentRepository } = restored.value
  expect(await shipmentRepository.listEarlier('ORDER-1')).toMatchObject([
    { id: created.value.id, state: 'created', barcodes: created.value.barcodes },
    { id, state: 'unknown' },
  ])
  expect((await shipping.resolveUnknown(id, 'does-not-exist', null)).ok).toBe(true)
  expect(await ship(restored.value, 'ORDER-1')).toMatchObject({ error: { code: 'shipment-duplicate' } })
  expect(own.ledger.entries).toHaveLength(2)
})

it('a restored backup with an unknown outcome does not count a later unknown one of its reference as resolved', async () => {
  const own = await startSimulator({})
  onTestFinished(() => own.close())
  const data = await temporaryFolder()
  const first = await connectedStation(data, own, { network })
  own.faults.add({ operation: 'shipment', fault: { kind: 'resetAfterReading' }, times: 1 })
  const unknown = await ship(first.features, 'ORDER-1')
  if (!unknown.ok) throw new Error(unknown.error.message)
  await first.station.stop()
  const second = await connectedStation(data, own, { network }, { databaseProcess })
  await expect.poll(() => getBackups(data)).toHaveLength(1)
  const { shipping } = second.features
  expect((await shipping.resolveUnknown(unknown.value.id, 'does-not-exist', null)).ok).toBe(true)
  own.faults.add({ operation: 'shipment', fault: { kind: 'notJson' }, times: 1 })
  expect(await ship(second.features, 'ORDER-1')).toMatchObject({ value: { state: 'unknown' } })
  await second.station.stop()
  await rm(join(data, 'packbench.db'))

  const next = await damagedStation(data)
  const [backup = ''] = await getBackups(data)
  expect(await next.restoreBackup(backup)).toMatchObject({ error: { code: 'history-missing' } })
})

describe('the check of a large database', () => {
  /** A check that waits until the test calls `end`. */
  function slowProcess() {
    const permission = deferred<undefined>()
    const slow = vi.fn<DatabaseProcess>(async (args, signal) => {
      await permission.promise
      return databaseProcess(args, signal)
    })
    return {
      slow,
      end: () => permission.resolve(undefined),
      areAwaited: () => slow.mock.calls.map((call) => call[2]),
    }
  }

  it('runs while the database thread starts, and a failed start’s thread is reused and ends with the station', async () => {
    const { data, database } = await shippedStation()
    expect(alterIndexPages(database, 'ORDER-1')).toBeGreaterThan(0)
    const threads: Worker[] = []
    const note = (thread: Worker) => threads.push(thread)
    process.on('worker', note)
    onTestFinished(() => void process.off('worker', note))
    const { slow, end } = slowProcess()
    const script = await databaseWorker()
    const station = await stationOn(data, {
      databaseProcess: slow,
      checkBudgetMs: () => 60_000,
      createDatabaseThread: () => createThread(script),
    })
    const starting = station.start()
    await expect.poll(() => threads.length).toBe(1)
    end()
    expect(await starting).toMatchObject({ error: { code: 'database-damaged' } })
    expect(await station.start()).toMatchObject({ error: { code: 'database-damaged' } })
    expect(threads.length).toBe(1)
    await station.stop()
    expect(threads.map(({ threadId }) => threadId)).toEqual([-1])
  })

  it('does not delay a start after a clean end, and stops the work when it finds damage later', async () => {
    const { data, database } = await shippedStation()
    expect(alterIndexPages(database, 'ORDER-1')).toBeGreaterThan(0)
    const { slow, end, areAwaited } = slowProcess()
    const stopped = vi.fn()
    const station = await stationOn(data, {
      databaseProcess: slow,
      checkBudgetMs: () => 1,
      onWorkStopped: stopped,
    })
    expect((await station.start()).ok).toBe(true)
    expect(areAwaited()).toEqual([false])
    end()
    await expect.poll(() => stopped.mock.calls.length).toBe(1)
    expect(station.services()).toMatchObject({ ok: false, error: { code: 'database-damaged' } })
    // The damage is recorded: the next start waits for its check, even beyond the time limit.
    await station.stop()
    const later = slowProcess()
    const next = await stationOn(data, { databaseProcess: later.slow, checkBudgetMs: () => 1 })
    expect(await next.start()).toMatchObject({ ok: false, error: { code: 'database-checking' } })
    later.end()
    await expect.poll(() => next.services()).toMatchObject({ error: { code: 'database-damaged' } })
  })

  it('stops the work when it finds damage while the station is still starting', async () => {
    const { data } = await shippedStation()
    const found = deferred<{ output: string; code: number }>()
    const stopped = vi.fn()
    const station = await stationOn(data, {
      databaseProcess: () => found.promise,
      checkBudgetMs: () => 1,
      onWorkStopped: stopped,
      // The start reads the clock once the database is open.
      now: () => {
        found.resolve({ output: '{"kind":"damaged","reason":"an index"}', code: 0 })
        return new Date()
      },
    })
    await station.start()
    await expect.poll(() => stopped.mock.calls.length).toBe(1)
    expect(station.services()).toMatchObject({ ok: false, error: { code: 'database-damaged' } })
  })

  it('stops the work when the damage cannot be recorded on the disk', async () => {
    const { data, database } = await shippedStation()
    const found = deferred<{ output: string; code: number }>()
    const stopped = vi.fn()
    const station = await stationOn(data, {
      databaseProcess: () => found.promise,
      checkBudgetMs: () => 1,
      onWorkStopped: stopped,
    })
    expect((await station.start()).ok).toBe(true)
    await mkdir(`${database}-damaged`)
    found.resolve({ output: '{"kind":"damaged","reason":"an index"}', code: 0 })
    await expect.poll(() => stopped.mock.calls.length).toBe(1)
    expect(station.services()).toMatchObject({ ok: false, error: { code: 'database-damaged' } })
  })

  it('has no effect on a backup that replaced the database during the check', async () => {
    const { data, database } = await shippedStation()
    await writeFile(`${database}-damaged`, 'an index')
    const found = deferred<{ output: string; code: number }>()
    const station = await stationOn(data, {
      databaseProcess: vi.fn(databaseProcess).mockReturnValueOnce(found.promise),
      checkBudgetMs: () => 1,
    })
    expect(await station.start()).toMatchObject({ ok: false, error: { code: 'database-checking' } })
    const [backup] = await station.backups()
    expect((await station.restoreBackup(backup?.name ?? '')).ok).toBe(true)
    found.resolve({ output: '{"kind":"damaged","reason":"an index"}', code: 0 })
    expect(await station.status()).toMatchObject({ startError: null })
    expect(existsSync(`${database}-damaged`)).toBe(false)
  })

  it('lets a backup replace the database only after the stopped work has ended', async () => {
    const { data } = await shippedStation()
    const found = deferred<{ output: string; code: number }>()
    const stopped = vi.fn()
    const station = await stationOn(data, {
      databaseProcess: vi.fn(databaseProcess).mockReturnValueOnce(found.promise),
      checkBudgetMs: () => 1,
      onWorkStopped: stopped,
    })
    const features = await station.start()
    if (!features.ok) throw new Error(features.error.message)
    const connected = await features.value.session.connect(demoAccount(simulator.baseUrl))
    expect(connected.ok).toBe(true)
    const sent = simulator.ledger.entries.length
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 1000 }, times: 1 })
    const shipping = ship(features.value, 'ORDER-UNDER-WAY')
    await expect.poll(() => simulator.ledger.entries.length).toBe(sent + 1)
    found.resolve({ output: '{"kind":"damaged","reason":"an index"}', code: 0 })
    await expect.poll(() => stopped.mock.calls.length).toBe(1)
    const [backup] = await station.backups()
    const restored = await station.restoreBackup(backup?.name ?? '')
    const shipped = await shipping
    if (!restored.ok || !shipped.ok) throw new Error('the restore or the creation failed')
    // The outcome was written before the database was set aside, so the rebuild finds it in the labels folder.
    const { state } = shipped.value
    expect(await restored.value.shipmentRepository.listEarlier('ORDER-UNDER-WAY')).toMatchObject([{ state }])
  })

  it('delays the start after an interrupted run, and the work starts by itself when the check ends', async () => {
    const { data, database } = await shippedStation()
    const crashed = await temporaryFolder()
    const running = await connectedStation(data, simulator, { network })
    await ship(running.features, 'ORDER-LAST')
    expect((await stat(`${database}-wal`)).size).toBeGreaterThan(0)
    // The files that a SIGKILL leaves.
    for (const name of ['packbench.db', 'packbench.db-wal', 'settings.json']) {
      await copyFile(join(data, name), join(crashed, name))
    }
    const { slow, end, areAwaited } = slowProcess()
    const started = vi.fn(async () => undefined)
    const station = await stationOn(crashed, {
      databaseProcess: slow,
      checkBudgetMs: () => 1,
      onStarted: started,
    })
    expect(await station.start()).toMatchObject({ ok: false, error: { code: 'database-checking' } })
    expect(areAwaited()).toEqual([true])
    end()
    await expect.poll(() => started.mock.calls.length).toBe(1)
    expect(station.services().ok).toBe(true)
  })
})

describe('a small database', () => {
  async function startInThread(data: string) {
    const processes = vi.fn(databaseProcess)
    const station = await damagedStation(data, { databaseProcess: processes, checksInThread: true })
    const started = await station.start()
    return { started, checks: () => processes.mock.calls.filter(([args]) => args.length === 1) }
  }

  it.each(damages)('is checked in its own thread, which finds %s', async (_, damage, reason) => {
    const { data, database } = await shippedStation()
    damage(database)
    const damaged = await readFile(database)
    const first = await startInThread(data)
    expect(first.started).toMatchObject({
      error: { code: 'database-damaged', details: { reason: expect.stringMatching(reason) } },
    })
    expect(first.checks()).toEqual([])
    expect((await readFile(database)).equals(damaged)).toBe(true)
    // After the damage, the next check runs in a separate process.
    const second = await startInThread(data)
    expect(second.started).toMatchObject({ error: { code: 'database-damaged' } })
    expect(second.checks()).toHaveLength(1)
  })

  it('starts without a check process unless the last check crashed the app', async () => {
    const { data, database } = await shippedStation()
    const { station } = await connectedStation(data, simulator, {}, { checksInThread: true })
    await station.stop()
    expect(existsSync(`${database}-checking`)).toBe(false)
    await writeFile(`${database}-checking`, '')
    const { started, checks } = await startInThread(data)
    expect(started.ok).toBe(true)
    expect(checks()).toHaveLength(1)
    expect(existsSync(`${database}-checking`)).toBe(false)
  })

  it('is checked in a separate process after an interrupted run', async () => {
    const { data, database } = await shippedStation()
    const running = await connectedStation(data, simulator, { network })
    await ship(running.features, 'ORDER-LAST')
    const crashed = await temporaryFolder()
    for (const name of ['packbench.db', 'packbench.db-wal', 'settings.json']) {
      await copyFile(join(data, name), join(crashed, name))
    }
    await cp(join(data, 'labels'), join(crashed, 'labels'), { recursive: true })
    expect((await stat(`${database}-wal`)).size).toBeGreaterThan(0)
    const { started, checks } = await startInThread(crashed)
    expect(started.ok).toBe(true)
    expect(checks()).toHaveLength(1)
  })
})

describe('recorded damage of the database', () => {
  it('prevents the start when no check can run, and a backup can replace the database', async () => {
    const { data, database } = await shippedStation()
    await writeFile(`${database}-damaged`, 'an index')
    const checks = vi.fn(databaseProcess).mockRejectedValueOnce(new Error('no process can be started'))
    const station = await damagedStation(data, { databaseProcess: checks })
    expect(await station.start()).toMatchObject({
      ok: false,
      error: { code: 'database-damaged', details: { reason: 'an index' } },
    })
    const [backup] = await station.backups()
    const restored = await station.restoreBackup(backup?.name ?? '')
    if (!restored.ok) throw new Error(restored.error.message)
    await expectGuarded(restored.value)
  })
})

it('a restore of a backup that can not set the database aside leaves it as it was, and can be repeated', async () => {
  const { data, database } = await shippedStation()
  spoilText(database, 'Keizersgracht')
  const at = new Date()
  const station = await damagedStation(data, { now: () => at })
  expect(await station.start()).toMatchObject({ error: { code: 'database-damaged' } })
  const before = await readFile(database)
  const folderInTheWay = join(data, `packbench.set-aside-${at.toISOString().replaceAll(':', '-')}.db`)
  await mkdir(folderInTheWay)
  const [backup] = await station.backups()
  const name = backup?.name ?? ''
  expect(await station.restoreBackup(name)).toMatchObject({ error: { code: 'backup-unusable' } })
  expect((await readFile(database)).equals(before)).toBe(true)
  expect(existsSync(`${database}-replaced`)).toBe(false)
  expect(existsSync(`${database}-damaged`)).toBe(true)
  await rm(folderInTheWay, { recursive: true })
  expect((await station.restoreBackup(name)).ok).toBe(true)
})

describe('the WAL of a database', () => {
  it('is set aside when the database is empty, because SQLite would delete the WAL', async () => {
    const { data, database } = await shippedStation()
    await truncate(database)
    await writeFile(`${database}-wal`, 'what the last run wrote')
    const station = await damagedStation(data)
    expect(await station.start()).toMatchObject({ ok: false, error: { code: 'database-missing' } })
    const [log = ''] = (await readdir(data)).filter((name) => name.endsWith('.db-wal'))
    expect(await readFile(join(data, log), 'utf8')).toBe('what the last run wrote')
    const [backup] = await station.backups()
    const restored = await station.restoreBackup(backup?.name ?? '')
    if (!restored.ok) throw new Error(restored.error.message)
    await expectGuarded(restored.value)
  })

  it('that is incomplete is detected by a shipment in the labels folder that the database lacks', async () => {
    const data = await temporaryFolder()
    const { features } = await connectedStation(data, simulator, { network })
    await ship(features, 'ORDER-1')
    const copy = await temporaryFolder()
    await copyFile(join(data, 'packbench.db'), join(copy, 'packbench.db'))
    const log = await readFile(join(data, 'packbench.db-wal'))
    await writeFile(join(copy, 'packbench.db-wal'), log)
    await ship(features, 'ORDER-2')
    await cp(join(data, 'labels'), join(copy, 'labels'), { recursive: true })
    const station = await damagedStation(copy)
    expect(await station.start()).toMatchObject({
      error: { code: 'history-missing', details: { count: '1' } },
    })
  })
})

describe('a damaged backup', () => {
  it('is refused and does not replace the database', async () => {
    const { data, database } = await shippedStation()
    const [name = ''] = await getBackups(data)
    const backup = join(data, 'backups', name)
    expect(await checkDatabase(databaseProcess, backup, never)).toEqual({ kind: 'sound', shipments: 12 })
    expect(spoilText(backup, 'Keizersgracht')).toBeGreaterThan(0)
    spoilText(database, 'Keizersgracht')
    const before = await readFile(database)
    const station = await damagedStation(data)
    await station.start()
    expect(await station.restoreBackup(name)).toMatchObject({ error: { code: 'backup-unusable' } })
    expect((await readFile(database)).equals(before)).toBe(true)
    expect(existsSync(`${database}.part`)).toBe(false)
  })
})
