import { randomUUID } from 'node:crypto'
import { cp, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Services } from '../../../src/main/app/compose'
import { connectToFleet } from '../../../src/main/fleet/connection'
import { OutboxRepository } from '../../../src/main/fleet/outboxRepository'
import { toStationLock } from '../../../src/main/fleet/stationsRepository'
import { DatabaseError } from '../../../src/main/storage/databaseThread'
import { appError } from '../../../src/shared/errors'
import { wholeHistory } from '../../../src/shared/history'
import { CountingCarrier } from '../../support/countingCarrier'
import { deferred } from '../../support/deferred'
import { aDraft } from '../../support/drafts'
import { fleetStation, joined, published } from '../../support/fleetStations'
import { postgresOfBlock, postgresPassword } from '../../support/privatePostgres'
import { temporaryFolder } from '../../support/temporaryFolder'
import { stationOn } from '../../support/testStation'

const postgres = postgresOfBlock()

describe('a station with a long history', () => {
  it('creates shipments while its history is still being queued for the fleet', async () => {
    const queued = deferred<void>()
    const original = OutboxRepository.prototype.queueHistory
    const queue = vi.spyOn(OutboxRepository.prototype, 'queueHistory')
    queue.mockImplementation(async function (this: OutboxRepository, ...args) {
      await queued.promise
      return original.apply(this, args)
    })
    const fleet = await postgres().newFleet()
    const station = await fleetStation(new CountingCarrier(), fleet)
    // The backlog is not empty before the history is queued.
    expect((await station.services.fleet.status()).backlog).toBe(1)
    expect(await station.ship('ORDER-1')).toMatchObject({ value: { state: 'created' } })
    queued.resolve()
    queue.mockRestore()
    await published(station.services)
  })

  it('queues its history in parts, including a shipment in progress, and completes it after an interruption', async () => {
    const started = await (await stationOn(await temporaryFolder())).start()
    if (!started.ok) throw new Error(started.error.message)
    const { rebuild, database } = started.value
    const order = {
      origin: 'screen',
      print: false,
      operator: null,
      takenAt: '2026-11-22T10:00:00.000Z',
    } as const
    await database.transaction().execute(async (transaction) => {
      for (let number = 0; number < 1100; number += 1) {
        const draft = JSON.stringify(aDraft({ reference: `OLD-${number}` }))
        const [id, attemptId] = [randomUUID(), randomUUID()]
        await transaction
          .insertInto('shipments')
          .values({
            ...{ id, attemptId, reference: `OLD-${number}`, state: 'created', origin: 'screen', draft },
            ...{
              recipient: '',
              city: '',
              country: 'NL',
              carrierOptionId: 1,
              print: 0,
              takenAt: order.takenAt,
            },
            ...{ barcodes: '[]', searchText: '' },
          })
          .execute()
      }
    })
    await rebuild.restore({
      ...order,
      ...{ id: randomUUID(), attemptId: randomUUID(), draft: aDraft({ reference: 'SENT' }) },
    })
    const entries = new OutboxRepository(database)
    await entries.activate(randomUUID)
    let parts = 0
    await entries.queueHistory('fleet', () => {
      parts += 1
      return parts === 1
    })
    // The unqueued rest counts as one entry.
    expect(await entries.count()).toBe(1001)
    await entries.queueHistory('fleet', () => true)
    expect(await entries.count()).toBe(1101)
    expect(await entries.listForReference('SENT')).toHaveLength(1)
  })
})

describe('a shipment with a carrier option that PostgreSQL’s integer cannot hold', () => {
  it('still guards its reference at other stations, and is listed there', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet()
    const one = await fleetStation(carrier, fleet)
    const other = await fleetStation(carrier, { ...fleet, station: 'Bench 2' })
    const created = await one.services.shipping.create({
      ...{ attemptId: randomUUID(), origin: 'screen', print: false, takenAt: new Date() },
      draft: aDraft({ reference: 'LARGE', carrierOptionId: 3_000_000_000 }),
    })
    expect(created).toMatchObject({ value: { state: 'created' } })
    await published(one.services)
    expect(await other.ship('LARGE')).toMatchObject({ error: { code: 'shipment-duplicate' } })
    const all = { ...wholeHistory, stations: 'all' as const, limit: 10, before: null }
    expect((await other.services.history.search(all)).shipments).toMatchObject([{ reference: 'LARGE' }])
  })
})

describe('an unreadable label file', () => {
  it('stays in the backlog without delaying its shipment or other labels, and is not announced when it fails again', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet({ whenUnreachable: 'ship' })
    const station = await fleetStation(carrier, fleet)
    await postgres().stop('fast')
    await joined(station.services, 'away')
    const damaged = await station.ship('DAMAGED')
    await station.ship('SOUND')
    if (!damaged.ok) throw new Error(damaged.error.message)
    const [label] = await station.services.shipmentRepository.listLabels(damaged.value.id)
    const path = join(station.dataFolder, 'labels', label?.file ?? '')
    // Damages the label and the stored answer that it could be unpacked from.
    for (const file of await readdir(dirname(path))) await writeFile(join(dirname(path), file), 'x')
    await postgres().start()
    await joined(station.services)
    const state = () =>
      postgres().query(
        `select reference, count(bytes)::int as labels from packbench.shipments
          left join packbench.labels on labels.shipment = shipments.id group by 1 order by 1`,
        [],
        fleet.database,
      )
    await expect.poll(state).toEqual([
      { reference: 'DAMAGED', labels: 0 },
      { reference: 'SOUND', labels: 1 },
    ])
    await expect.poll(async () => (await station.services.fleet.status()).backlog).toBe(1)
    const changes = "select changed_at::text from packbench.shipments where reference = 'DAMAGED'"
    const before = await postgres().query(changes, [], fleet.database)
    const runningTime = performance.now.bind(performance)
    const later = vi.spyOn(performance, 'now').mockImplementation(() => runningTime() + 10 * 60_000)
    onTestFinished(() => later.mockRestore())
    await station.ship('NEXT')
    await expect.poll(state).toContainEqual({ reference: 'NEXT', labels: 1 })
    expect(await postgres().query(changes, [], fleet.database)).toEqual(before)
  }, 30_000)
})

describe('a claim without a shipment in the journal', () => {
  it('is not released when its attempt resumes during the check', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet()
    const station = await fleetStation(carrier, fleet)
    const attemptId = randomUUID()
    await postgres().query(
      `insert into packbench.claims (reference, held_by, held_attempt, held_shipment, held_state, held_since)
        select 'AGAIN', id, $1, $1, 'claimed', now() from packbench.stations`,
      [attemptId],
      fleet.database,
    )
    const [asked, goOn] = [deferred<void>(), deferred<void>()]
    const { shipmentRepository } = station.services
    const original = shipmentRepository.listEarlier.bind(shipmentRepository)
    vi.spyOn(shipmentRepository, 'listEarlier').mockImplementationOnce(async (reference) => {
      asked.resolve()
      await goOn.promise
      return original(reference)
    })
    const answering = deferred<'created'>()
    carrier.whileAnswering = () => answering.promise
    const blocked = station.ship('AGAIN')
    await asked.promise
    const shipping = station.ship('AGAIN', { attemptId })
    await expect.poll(() => carrier.received.get('AGAIN')).toBe(1)
    goOn.resolve()
    expect(await blocked).toMatchObject({ error: { code: 'shipment-in-progress' } })
    answering.resolve('created')
    expect(await shipping).toMatchObject({ value: { state: 'created' } })
    expect(carrier.received.get('AGAIN')).toBe(1)
  })
})

describe('a data folder that was copied and restored between two joins', () => {
  it('is refused because its journal is older than the fleet’s record', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet()
    const one = await fleetStation(carrier, fleet)
    await one.ship('ORDER-0')
    await published(one.services)
    const copy = await temporaryFolder()
    await cp(one.dataFolder, copy, { recursive: true })
    await one.ship('ORDER-1')
    await published(one.services)
    await one.stop()
    await rm(one.dataFolder, { recursive: true })
    await cp(copy, one.dataFolder, { recursive: true })
    const started = await (await stationOn(one.dataFolder)).start()
    if (!started.ok) throw new Error(started.error.message)
    await joined(started.value, 'refused')
    expect((await started.value.fleet.status()).error?.code).toBe('fleet-station-copied')
  })
})

describe('a station whose own database fails for a moment', () => {
  const locked = new DatabaseError('database is locked', 'SQLITE_BUSY')
  /** The connections to the fleet's database that hold a station's lock. */
  const listLocks = (database: string) =>
    postgres().query(
      `select pid from pg_locks where locktype = 'advisory' and database =
        (select oid from pg_database where datname = $1) order by pid`,
      [database],
    )

  it('stays joined, and gives the next sign of life', async () => {
    const fleet = await postgres().newFleet()
    const { services } = await fleetStation(new CountingCarrier(), fleet)
    await published(services)
    const before = await listLocks(fleet.database)
    const number = vi.spyOn(OutboxRepository.prototype, 'findJournalNumber').mockRejectedValueOnce(locked)
    onTestFinished(() => number.mockRestore())
    const results = () => number.mock.settledResults.map(({ type }) => type)
    await expect.poll(results).toEqual(['rejected', 'fulfilled'])
    expect((await services.fleet.status()).state).toBe('joined')
    expect(await listLocks(fleet.database)).toEqual(before)
  })

  it('stays joined, and publishes its shipments and its history at a later attempt', async () => {
    const queue = vi.spyOn(OutboxRepository.prototype, 'queueHistory').mockRejectedValueOnce(locked)
    onTestFinished(() => queue.mockRestore())
    const fleet = await postgres().newFleet()
    const { services, ship } = await fleetStation(new CountingCarrier(), fleet)
    const before = await listLocks(fleet.database)
    expect(before).toHaveLength(1)
    const list = vi.spyOn(OutboxRepository.prototype, 'list').mockRejectedValueOnce(locked)
    onTestFinished(() => list.mockRestore())
    expect(await ship('ORDER-1')).toMatchObject({ value: { state: 'created' } })
    await published(services)
    expect(queue.mock.settledResults.map(({ type }) => type)).toEqual(['rejected', 'fulfilled'])
    expect(list.mock.settledResults[0]).toMatchObject({ type: 'rejected' })
    expect(await listLocks(fleet.database)).toEqual(before)
  })

  it('says so while it joins, and joins at a later attempt', async () => {
    const begin = vi.spyOn(OutboxRepository.prototype, 'beginIncarnation').mockRejectedValue(locked)
    onTestFinished(() => begin.mockRestore())
    const station = await stationOn(await temporaryFolder())
    const started = await station.start()
    if (!started.ok) throw new Error(started.error.message)
    const { settings, fleet } = started.value
    settings.change({ fleet: await postgres().newFleet() })
    await fleet.setPassword(postgresPassword)
    await joined(started.value, 'refused')
    expect((await fleet.status()).error).toMatchObject({ code: 'journal-not-written' })
    begin.mockRestore()
    await joined(started.value)
  })

  it('refuses a shipment because of that database, not because of the fleet’s', async () => {
    const { ship } = await fleetStation(new CountingCarrier(), await postgres().newFleet())
    const list = vi.spyOn(OutboxRepository.prototype, 'listForReference').mockRejectedValueOnce(locked)
    onTestFinished(() => list.mockRestore())
    expect(await ship('ORDER-1')).toMatchObject({ error: { code: 'journal-not-written' } })
    expect(await ship('ORDER-1')).toMatchObject({ value: { state: 'created' } })
  })
})

/** Adds an unknown shipment to a station's journal. */
async function putUnknown({ rebuild, shipmentRepository }: Services): Promise<string> {
  const id = randomUUID()
  const order = { attemptId: randomUUID(), origin: 'screen', print: false, operator: null } as const
  const draft = aDraft({ reference: 'OPEN' })
  await rebuild.restore({ ...order, id, draft, takenAt: '2026-11-22T10:00:00.000Z' })
  await shipmentRepository.markUnknown(id, appError('fleet-not-joined'), null)
  return id
}

describe('a station with an unknown shipment', () => {
  it('may correct the name of a database that it never joined, or turn the fleet off', async () => {
    const fleet = await postgres().newFleet()
    const station = await stationOn(await temporaryFolder())
    const started = await station.start()
    if (!started.ok) throw new Error(started.error.message)
    const services = started.value
    await putUnknown(services)
    services.settings.change({ fleet: { ...fleet, database: 'mistyped' } })
    await services.fleet.setPassword(postgresPassword)
    await joined(services, 'refused')
    expect(await services.handlers.changeSettings({ fleet: null })).toMatchObject({ ok: true })
    await joined(services, 'off')
    services.settings.change({ fleet: { ...fleet, database: 'mistyped' } })
    await services.fleet.setPassword(postgresPassword)
    await joined(services, 'refused')
    expect(await station.provision({ settingsChange: { fleet }, holdsSecrets: false })).toMatchObject({
      ok: true,
    })
    await services.fleet.setPassword(postgresPassword)
    await joined(services)
    await published(services)
    expect(await services.handlers.changeSettings({ fleet: null })).toMatchObject({
      error: { code: 'fleet-holds-references' },
    })
  })

  it('may correct the name of a database that it changed to and never joined, after it had joined another one', async () => {
    const fleet = await postgres().newFleet()
    const { services, provision } = await fleetStation(new CountingCarrier(), fleet)
    const next = await postgres().newFleet()
    const change = (database: string) =>
      provision({ settingsChange: { fleet: { ...next, database } }, holdsSecrets: false })
    expect(await change('mistyped')).toMatchObject({ ok: true })
    await services.fleet.setPassword(postgresPassword)
    await joined(services, 'refused')
    await putUnknown(services)
    expect(await change(next.database)).toMatchObject({ ok: true })
    await services.fleet.setPassword(postgresPassword)
    await joined(services)
    await published(services)
    const claims = 'select reference from packbench.claims'
    expect(await postgres().query(claims, [], next.database)).toEqual([{ reference: 'OPEN' }])
    expect(await change('mistyped')).toMatchObject({ error: { code: 'fleet-holds-references' } })
  })

  it('cannot leave the fleet while the server still has its earlier connection', async () => {
    const fleet = await postgres().newFleet()
    const station = await fleetStation(new CountingCarrier(), fleet)
    await putUnknown(station.services)
    await published(station.services)
    await station.stop()
    const [row] = await postgres().query('select id from packbench.stations', [], fleet.database)
    const connected = await connectToFleet(fleet, postgresPassword, () => undefined)
    if (!connected.ok) throw new Error(connected.error.message)
    onTestFinished(connected.value.close)
    const { session } = connected.value
    await session.query('select pg_advisory_lock(hashtextextended($1, 0))', [toStationLock(String(row?.id))])
    const started = await (await stationOn(station.dataFolder)).start()
    if (!started.ok) throw new Error(started.error.message)
    const { value: services } = started
    await joined(services, 'refused')
    expect((await services.fleet.status()).error?.code).toBe('fleet-station-twice')
    expect(await services.handlers.changeSettings({ fleet: null })).toMatchObject({
      error: { code: 'fleet-holds-references' },
    })
  })

  it('cannot leave the fleet, neither by a settings change nor by provisioning, while the database refuses it', async () => {
    const fleet = await postgres().newFleet()
    const station = await fleetStation(new CountingCarrier(), fleet)
    const { services } = station
    const id = await putUnknown(services)
    await services.fleet.setPassword('wrong-5-secret')
    await joined(services, 'refused')
    const leave = () => services.handlers.changeSettings({ fleet: null })
    expect(await leave()).toMatchObject({ error: { code: 'fleet-holds-references' } })
    expect(await station.provision({ settingsChange: { fleet: null }, holdsSecrets: false })).toMatchObject({
      error: { code: 'fleet-holds-references' },
    })
    await services.shipping.resolveUnknown(id, 'does-not-exist', null)
    expect(await leave()).toMatchObject({ ok: true })
  })
})
