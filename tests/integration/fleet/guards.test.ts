import { randomUUID } from 'node:crypto'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { connectToFleet } from '../../../src/main/fleet/connection'
import { FleetRepository, type SharedShipment } from '../../../src/main/fleet/fleetRepository'
import { OutboxRepository } from '../../../src/main/fleet/outboxRepository'
import { prepareSchema } from '../../../src/main/fleet/schemaRepository'
import { StationsRepository, toStationLock } from '../../../src/main/fleet/stationsRepository'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { DatabaseError } from '../../../src/main/storage/databaseThread'
import { appError } from '../../../src/shared/errors'
import { CountingCarrier } from '../../support/countingCarrier'
import { aDraft } from '../../support/drafts'
import { orderStation } from '../../support/fleetOrders'
import {
  crashImage,
  type FleetStation,
  fleetStation,
  joined,
  published,
  startedOn,
  twoStations,
} from '../../support/fleetStations'
import { importOrderRows, listOrders, orderRow } from '../../support/orderRows'
import { postgresOfBlock, postgresPassword } from '../../support/privatePostgres'
import { ship } from '../../support/ship'
import { temporaryFolder } from '../../support/temporaryFolder'

const postgres = postgresOfBlock()

/** The tables of a new fleet with three stations: `a`, `b` and `c`. */
async function newRepository() {
  const connected = await connectToFleet(await postgres().newFleet(), postgresPassword, () => undefined)
  if (!connected.ok) throw new Error(connected.error.message)
  const { database, close } = connected.value
  onTestFinished(close)
  const prepared = await prepareSchema(database)
  if (!prepared.ok) throw new Error(prepared.error.message)
  const repository = new FleetRepository(database)
  const stations = new StationsRepository(database)
  for (const id of ['a', 'b', 'c']) await stations.enrol(id, `Bench ${id}`, '1', 'first')
  return { repository, stations }
}

function shared(id: string, station: string, state: SharedShipment['state'], references?: string[]) {
  const [first = 'R', ...others] = references ?? []
  return {
    ...{ shipmentId: id, attemptId: `of-${id}`, station, state, references: [first, ...others] },
    ...{ operator: null, takenAt: '2026-11-22T10:00:00.000Z', barcodes: [`3S-${id}`] },
    ...{ carrierOptionId: 1, packages: 1, country: 'NL', searchText: null, document: null },
  } satisfies SharedShipment
}

function claimed(station: string, id: string, confirmedDuplicateOf: string | null = null, reference = 'R') {
  const attempt = { shipmentId: id, attemptId: `of-${id}`, operator: null }
  return { reference, station, ...attempt, confirmedDuplicateOf }
}

describe('a shipment that began while the database was unreachable', () => {
  it.each(['sent', 'unknown'] as const)(
    'guards its reference as %s after the attempt that held the reference ends',
    async (state) => {
      const { repository } = await newRepository()
      expect(await repository.claim(claimed('b', 'b1'))).toMatchObject({ kind: 'granted' })
      await repository.publish(shared('a1', 'a', state))
      await repository.publish(shared('b1', 'b', 'refused'))
      const kind = state === 'unknown' ? 'unresolved' : 'in-progress'
      expect(await repository.claim(claimed('c', 'c1'))).toMatchObject({
        kind: 'blocked',
        blocker: { kind, stationId: 'a', shipmentId: 'a1' },
      })
      await repository.publish(shared('a1', 'a', 'refused'))
      expect(await repository.claim(claimed('c', 'c1'))).toMatchObject({ kind: 'granted' })
    },
  )

  it('guards each reference of a combined parcel after another station releases its claim', async () => {
    const { repository } = await newRepository()
    await repository.claim(claimed('b', 'b1', null, 'R-2'))
    await repository.publish(shared('a1', 'a', 'unknown', ['R-1', 'R-2']))
    await repository.release('R-2', 'b', 'of-b1')
    expect(await repository.claim(claimed('c', 'c1', null, 'R-2'))).toMatchObject({
      kind: 'blocked',
      blocker: { shipmentId: 'a1' },
    })
  })

  it('is listed as one conflict when another station created the reference before the publication', async () => {
    const { repository, stations } = await newRepository()
    await repository.claim(claimed('b', 'b1'))
    await repository.publish(shared('b1', 'b', 'created'))
    await repository.publish(shared('a1', 'a', 'sent'))
    await repository.publish(shared('a1', 'a', 'created'))
    await repository.publish(shared('b1', 'b', 'created'))
    const conflicts = await stations.listConflicts()
    expect(conflicts.map(({ one, other }) => [one.shipmentId, other.shipmentId])).toEqual([['a1', 'b1']])
  })

  it('is listed as one conflict, with times and barcodes, once the attempt that held the reference is created too', async () => {
    const { repository, stations } = await newRepository()
    await repository.claim(claimed('b', 'b1'))
    await repository.publish(shared('a1', 'a', 'created'))
    expect(await stations.listConflicts()).toEqual([])
    const takenAt = '2026-11-22T09:00:00.000Z'
    await repository.publish({ ...shared('b1', 'b', 'created'), takenAt })
    await repository.publish(shared('a1', 'a', 'created'))
    expect(await stations.listConflicts()).toMatchObject([
      {
        one: { shipmentId: 'b1', takenAt, barcodes: ['3S-b1'] },
        other: { shipmentId: 'a1', takenAt: '2026-11-22T10:00:00.000Z', barcodes: ['3S-a1'] },
      },
    ])
  })

  it.each(['refused', 'does-not-exist'] as const)(
    'is no conflict with the attempt that held the reference when that one made no shipment (%s)',
    async (ending) => {
      const { repository, stations } = await newRepository()
      await repository.claim(claimed('b', 'b1'))
      await repository.publish(shared('b1', 'b', 'unknown'))
      await repository.publish(shared('a1', 'a', 'created'))
      if (ending === 'refused') await repository.publish(shared('b1', 'b', ending))
      else {
        const said = { shipmentId: 'b1', verdict: ending, barcode: null, station: 'c', operator: null }
        expect(await repository.resolve(said)).toMatchObject({ ok: true })
      }
      expect(await stations.listConflicts()).toEqual([])
    },
  )

  it('is listed as one conflict with all common references when both stations shipped a combined parcel', async () => {
    const { repository, stations } = await newRepository()
    await repository.publish(shared('a1', 'a', 'created', ['R-2', 'R-3', 'R-1']))
    await repository.publish(shared('c1', 'c', 'created', ['R-4']))
    await repository.publish(shared('b1', 'b', 'created', ['R-1', 'R-0', 'R-4', 'R-2']))
    const conflicts = await stations.listConflicts()
    expect(conflicts.map(({ reference, other }) => [reference, other.shipmentId]).toSorted()).toEqual([
      ['R-1 + R-2', 'a1'],
      ['R-4', 'c1'],
    ])
  })
})

describe('a reference that is left unknown', () => {
  it('is not released as one for which nothing was sent', async () => {
    const { repository } = await newRepository()
    await repository.claim(claimed('a', 'a1'))
    await repository.publish(shared('a1', 'a', 'unknown'))
    expect(await repository.release('R', 'a', 'of-a1')).toBe(false)
    await repository.claim(claimed('a', 'a2', null, 'R-2'))
    expect(await repository.release('R-2', 'a', 'of-a2')).toBe(true)
  })

  it('is free when its shipment was resolved as missing and removed while the database was unreachable', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet()
    const one = await fleetStation(carrier, fleet)
    const id = await putUnknown(one, ['GONE-1', 'GONE-2'])
    await published(one.services)
    expect(await listGuards(fleet.database)).toMatchObject([{ reference: 'GONE-1' }, { reference: 'GONE-2' }])
    await postgres().stop('fast')
    await joined(one.services, 'away')
    await one.services.shipping.resolveUnknown(id, 'does-not-exist', null)
    await one.services.retention.remove(id)
    await postgres().start()
    await joined(one.services)
    await published(one.services)
    expect(await listGuards(fleet.database)).toEqual([])
    expect(await one.services.handlers.changeSettings({ fleet: null })).toMatchObject({ ok: true })
  })
})

describe('a claim confirmed over a created shipment', () => {
  it('causes no conflict with that shipment, even after its own outcome was unknown', async () => {
    const { repository, stations } = await newRepository()
    await repository.publish(shared('b1', 'b', 'created'))
    expect(await repository.claim(claimed('a', 'a1', 'b1'))).toEqual({ kind: 'granted', over: 'b1' })
    await repository.publish(shared('a1', 'a', 'unknown'))
    await repository.publish(shared('a1', 'a', 'created'))
    expect(await stations.listConflicts()).toEqual([])
  })
})

describe('a station with a rebuilt history', () => {
  it('does not reopen a shipment whose outcome the fleet knows', async () => {
    const { repository } = await newRepository()
    await repository.publish(shared('a1', 'a', 'unknown'))
    await repository.publish(shared('a1', 'a', 'created'))
    await repository.publish(shared('a2', 'a', 'refused', ['R-2']))
    // The journal from before the outcomes joins with another identity.
    for (const state of ['sent', 'unknown'] as const) {
      await repository.publish({ ...shared('a1', 'c', state), barcodes: [] })
      await repository.publish(shared('a2', 'c', state, ['R-2']))
    }
    expect(await repository.claim(claimed('b', 'b1'))).toMatchObject({
      kind: 'blocked',
      blocker: { kind: 'already-created', stationId: 'a', barcodes: ['3S-a1'] },
    })
    expect(await repository.claim(claimed('b', 'b2', null, 'R-2'))).toMatchObject({ kind: 'granted' })
  })

  it('frees a reference that it held under its previous identity', async () => {
    const { repository } = await newRepository()
    await repository.claim(claimed('a', 'a1'))
    await repository.publish(shared('a1', 'c', 'unknown'))
    await repository.publish(shared('a1', 'c', 'refused'))
    expect(await repository.claim(claimed('b', 'b1'))).toMatchObject({ kind: 'granted' })
  })
})

/** Adds an unknown shipment of several orders to a station's journal. */
async function putUnknown(
  { services: { shipmentRepository, rebuild } }: FleetStation,
  references: [string, ...string[]],
) {
  const [reference, ...combinedReferences] = references
  const id = randomUUID()
  const order = { attemptId: randomUUID(), origin: 'screen', print: false, operator: null } as const
  const draft = aDraft({ reference, combinedReferences })
  await rebuild.restore({ ...order, id, draft, takenAt: '2026-11-22T10:00:00.000Z' })
  await shipmentRepository.markUnknown(id, appError('fleet-not-joined'), null)
  return id
}

/** Adds a created shipment of several orders to a station's journal. */
async function putCombined(station: FleetStation, references: [string, ...string[]]) {
  const id = await putUnknown(station, references)
  await station.services.shipmentRepository.resolveUnknown(id, {
    ...{ verdict: 'exists', barcode: `3S-${id}`, at: new Date(), by: null, found: null, invoice: [] },
  })
  return id
}

/** The references that a fleet guards, with their holders. */
function listGuards(database: string) {
  return postgres().query('select * from packbench.claims order by reference', [], database)
}

describe('a combined parcel that retention removed', () => {
  it('guards each of its references when it was removed before or after the station joined', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet()
    const one = await fleetStation(carrier, fleet)
    const other = await fleetStation(carrier, { ...fleet, station: 'Bench 2' })
    one.services.settings.change({ fleet: null })
    await joined(one.services, 'off')
    await one.services.retention.remove(await putCombined(one, ['OLD-1', 'OLD-2', 'OLD-3']))
    const later = await putCombined(one, ['LATER-1', 'LATER-2'])
    await postgres().stop('fast')
    one.services.settings.change({ fleet })
    await joined(one.services, 'away')
    await postgres().start()
    await joined(one.services)
    await one.services.retention.remove(later)
    await one.services.retention.remove(await putCombined(one, ['NEW-1', 'NEW-2']))
    await published(one.services)
    await joined(other.services)
    for (const reference of ['OLD-1', 'OLD-2', 'OLD-3', 'LATER-1', 'LATER-2', 'NEW-1', 'NEW-2']) {
      expect(await other.ship(reference)).toMatchObject({
        error: { code: 'shipment-duplicate', details: { station: 'Bench 1' } },
      })
    }
  })
})

describe('a shipment with null characters and lone surrogates in its texts', () => {
  it('is created and published', async () => {
    const carrier = new CountingCarrier()
    const one = await fleetStation(carrier, await postgres().newFleet())
    const companyName = 'Typed \\u0000, half \ud83d, none \u0000'
    const created = await one.services.shipping.create({
      ...{ attemptId: randomUUID(), origin: 'screen', print: false, takenAt: new Date() },
      draft: aDraft({ reference: 'TEXT', companyName }),
    })
    expect(created).toMatchObject({ value: { state: 'created' } })
    await published(one.services)
  })
})

/** An order of an order file. */
function orderRecord(reference: string) {
  const address = { street: 'Dorpsstraat', house_number: '1', postal_code: '3511 AB', city: 'Utrecht' }
  const option = { carrier_id: 1, carrier_option_id: 11 }
  return { reference, last_name: 'Jansen', ...address, country: 'NL', weight: 1.2, ...option }
}

describe('an outdated copy of a station’s data folder', () => {
  it('is refused, creates and frees nothing, and can only join as a new station', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet()
    const one = await fleetStation(carrier, fleet)
    await one.ship('ORDER-0')
    await putUnknown(one, ['OPEN-1'])
    await published(one.services)
    await one.stop()
    const copy = await fleetStation(carrier, null, await crashImage(one))
    await copy.stop()
    const guards = await listGuards(fleet.database)
    expect(guards).toMatchObject([{ reference: 'OPEN-1' }, { reference: 'ORDER-0' }])
    const started = await startedOn(one.dataFolder)
    await joined(started.services, 'refused')
    expect((await started.services.fleet.status()).error?.code).toBe('fleet-station-copied')
    carrier.serve(started.services)
    expect(await ship(started.services, 'ORDER-1')).toMatchObject({ error: { code: 'fleet-station-copied' } })
    expect([...carrier.received.keys()]).toEqual(['ORDER-0'])
    expect(await listGuards(fleet.database)).toEqual(guards)
    const copied = { error: { code: 'fleet-station-copied' } }
    for (const wanted of [null, { ...fleet, host: 'db.example' }]) {
      expect(await started.services.handlers.changeSettings({ fleet: wanted })).toMatchObject(copied)
      const provisioning = { settingsChange: { fleet: wanted }, holdsSecrets: false }
      expect(await started.station.provision(provisioning)).toMatchObject(copied)
    }
    await started.services.handlers.joinFleetAsNewStation(undefined)
    await joined(started.services)
    expect((await started.services.fleet.overview()).stations).toHaveLength(2)
    expect(await ship(started.services, 'ORDER-0')).toMatchObject({ error: { code: 'shipment-duplicate' } })
  })

  it('sends no order of its hot folder that another station shipped, when it joins as a new station', async () => {
    const { carrier, one, other } = await twoStations(postgres())
    const path = await temporaryFolder()
    one.services.settings.change({ hotFolder: { path, print: false } })
    await expect.poll(() => readdir(path)).toContain('in')
    expect(await one.ship('ORDER-0')).toMatchObject({ value: { state: 'created' } })
    await published(one.services)
    await one.stop()
    const copy = await fleetStation(carrier, null, await crashImage(one))
    await copy.stop()
    const started = await startedOn(one.dataFolder, carrier)
    await joined(started.services, 'refused')
    await writeFile(join(path, 'order.json'), JSON.stringify([orderRecord('ELSEWHERE'), orderRecord('NEW')]))
    await rename(join(path, 'order.json'), join(path, 'in', 'order.json'))
    await expect.poll(() => started.services.hotFolder.status().error?.code).toBe('fleet-station-copied')
    expect(await other.ship('ELSEWHERE')).toMatchObject({ value: { state: 'created' } })
    expect(carrier.received.has('NEW')).toBe(false)
    await started.services.handlers.joinFleetAsNewStation(undefined)
    await expect.poll(() => readdir(join(path, 'failed')), { timeout: 10_000 }).toContain('order.json')
    expect(Object.fromEntries(carrier.received)).toEqual({ 'ORDER-0': 1, ELSEWHERE: 1, NEW: 1 })
    expect((await started.services.fleet.overview()).conflicts).toEqual([])
  }, 30_000)

  it('says that only a new station can join while its settings are missing, and joins as one once they name the fleet', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet()
    const one = await fleetStation(carrier, fleet)
    await one.stop()
    const copy = await fleetStation(carrier, null, await crashImage(one))
    await copy.stop()
    const start = () => startedOn(one.dataFolder)
    const { station, services } = await start()
    await joined(services, 'refused')
    await station.stop()
    await rm(join(one.dataFolder, 'settings.json'))
    const { services: again } = await start()
    const copied = { error: { code: 'fleet-station-copied' } }
    expect(await again.fleet.status()).toMatchObject({ state: 'refused', ...copied })
    expect(await again.handlers.changeSettings({ fleet: null })).toMatchObject(copied)
    const joinAsNew = () => again.handlers.joinFleetAsNewStation(undefined)
    expect(await joinAsNew()).toMatchObject({
      error: { code: 'fleet-settings-missing', details: { case: 'as-new' } },
    })
    again.settings.change({ fleet })
    await expect.poll(() => again.fleet.status()).toMatchObject({ state: 'refused', ...copied })
    const leave = vi.spyOn(OutboxRepository.prototype, 'leave')
    onTestFinished(() => leave.mockRestore())
    leave.mockRejectedValueOnce(new DatabaseError('database is locked', 'SQLITE_BUSY'))
    expect(await joinAsNew()).toMatchObject({ ok: true })
    await expect.poll(() => again.fleet.status()).toMatchObject({ state: 'refused', ...copied })
    expect(await joinAsNew()).toMatchObject({ ok: true })
    await joined(again)
    expect((await again.fleet.overview()).stations).toHaveLength(2)
  })

  it('becomes a new station while the database is away too, creates nothing before it has joined, and may leave', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet({ whenUnreachable: 'ship' })
    const one = await fleetStation(carrier, fleet)
    await one.stop()
    const copy = await fleetStation(carrier, null, await crashImage(one))
    await copy.stop()
    const { services } = await startedOn(one.dataFolder, carrier)
    await joined(services, 'refused')
    await postgres().stop('fast')
    await services.handlers.joinFleetAsNewStation(undefined)
    await joined(services, 'away')
    expect(await ship(services, 'ORDER-1')).toMatchObject({
      error: { code: 'fleet-unreachable', details: { case: 'unjoined' } },
    })
    expect(await services.claims.mayLeaveFor(null)).toMatchObject({ ok: true })
    await postgres().start()
    await joined(services)
    expect(await ship(services, 'ORDER-1')).toMatchObject({ value: { state: 'created' } })
  })
})

describe('a station set to «ship» that the fleet refuses because another data folder worked as it', () => {
  it('creates nothing while the database is away either, also after a restart', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet({ whenUnreachable: 'ship' })
    const one = await orderStation(carrier, fleet)
    await importOrderRows(one.services, [orderRow('LISTED')])
    await published(one.services)
    const [order] = await listOrders(one.services)
    await one.stop()
    const copy = await fleetStation(carrier, null, await crashImage(one))
    expect(await copy.ship('ORDER-1')).toMatchObject({ value: { state: 'created' } })
    await copy.stop()
    const bus = createEventBus()
    const start = () => startedOn(one.dataFolder, carrier, { bus })
    const { station, services } = await start()
    await joined(services, 'refused')
    await postgres().stop('fast')
    // The first attempt to connect may have begun before.
    for (let attempts = 0; attempts < 2; attempts += 1) {
      await new Promise((resolve) => onTestFinished(bus.on('fleetChanged', resolve)))
    }
    const refused = { error: { code: 'fleet-station-copied' } }
    expect(await ship(services, 'ORDER-1')).toMatchObject(refused)
    expect(await services.fleet.status()).toMatchObject({ shipsWhenAway: false })
    // The claim says why no order is shipped, not that this station has not taken it.
    expect(await services.sharing.takeForShip(order?.id ?? '', false)).toEqual({ ok: true, value: null })
    await station.stop()
    const { services: again } = await start()
    expect(await ship(again, 'ORDER-1')).toMatchObject(refused)
    expect(await again.fleet.status()).toMatchObject({ state: 'refused', ...refused })
    await postgres().start()
    expect(carrier.received.get('ORDER-1')).toBe(1)
  })
})

describe('a restored copy of a station set to «ship»', () => {
  it('creates nothing while the database is away, also after a restart, until it has joined', async () => {
    const carrier = new CountingCarrier()
    const one = await fleetStation(carrier, await postgres().newFleet({ whenUnreachable: 'ship' }))
    await one.stop()
    const folder = await crashImage(one)
    await writeFile(join(folder, 'packbench.db-replaced'), 'restored')
    await postgres().stop('fast')
    const start = async () => {
      const started = await startedOn(folder, carrier)
      await joined(started.services, 'away')
      return started
    }
    const { station, services } = await start()
    const unjoined = { error: { code: 'fleet-unreachable', details: { case: 'unjoined' } } }
    expect(await services.fleet.status()).toMatchObject({ shipsWhenAway: false, ...unjoined })
    expect(await ship(services, 'ORDER-1')).toMatchObject(unjoined)
    await station.stop()
    const { services: again } = await start()
    expect(await ship(again, 'ORDER-1')).toMatchObject(unjoined)
    await postgres().start()
    await joined(again)
    await postgres().stop('fast')
    await joined(again, 'away')
    expect(await ship(again, 'ORDER-1')).toMatchObject({ value: { state: 'created' } })
    await postgres().start()
  }, 30_000)
})

describe('a station of which the fleet’s database was restored', () => {
  const lost = 'update packbench.stations set lost_at = now(), incarnation = gen_random_uuid()::text'
  const newFleetId = 'update packbench.schema_version set fleet_id = gen_random_uuid()'

  it('creates nothing while the database is away, also after a restart, if it is lost there', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet({ whenUnreachable: 'ship' })
    const one = await fleetStation(carrier, fleet)
    await one.stop()
    for (const change of [lost, newFleetId]) await postgres().query(change, [], fleet.database)
    const { station, services: refused } = await startedOn(one.dataFolder)
    await joined(refused, 'refused')
    expect((await refused.fleet.status()).error?.code).toBe('fleet-station-lost')
    await station.stop()
    await postgres().stop('fast')
    const restarted = await startedOn(one.dataFolder, carrier)
    expect(await ship(restarted.services, 'ORDER-1')).toMatchObject({
      error: { code: 'fleet-station-copied' },
    })
    await postgres().start()
  })

  it('ships while the database is away if only a fleet that it left refused it', async () => {
    const carrier = new CountingCarrier()
    const one = await fleetStation(carrier, await postgres().newFleet({ whenUnreachable: 'ship' }))
    const left = { fleetId: 'left', incarnation: null, nextIncarnation: null }
    await one.services.database.insertInto('fleetIncarnations').values(left).execute()
    await one.stop()
    await postgres().stop('fast')
    const started = await startedOn(one.dataFolder, carrier)
    await joined(started.services, 'away')
    expect(await ship(started.services, 'ORDER-1')).toMatchObject({ value: { state: 'created' } })
    await postgres().start()
  })
})

describe('a station set to «ship» whose identity is connected already when its database goes away', () => {
  it('creates nothing if it has not joined since its start: its data folder may be a copy', async () => {
    const carrier = new CountingCarrier()
    const first = await fleetStation(carrier, await postgres().newFleet({ whenUnreachable: 'ship' }))
    const { services: copy } = await startedOn(await crashImage(first), carrier)
    await joined(copy, 'refused')
    await postgres().stop('fast')
    for (const { fleet } of [first.services, copy]) {
      await expect.poll(async () => (await fleet.status()).state, { timeout: 15_000 }).toBe('away')
    }
    expect(await ship(copy, 'ORDER-1')).toMatchObject({ error: { code: 'fleet-unreachable' } })
    expect(await first.ship('ORDER-1')).toMatchObject({ value: { state: 'created' } })
    await postgres().start()
    expect(carrier.received.get('ORDER-1')).toBe(1)
  }, 30_000)

  it('creates nothing after a restart either, and cannot leave, until it has joined', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet({ whenUnreachable: 'ship' })
    const first = await fleetStation(carrier, fleet)
    const folder = await crashImage(first)
    const start = () => startedOn(folder, carrier)
    const { station, services: copy } = await start()
    // The first while it still connects.
    for (const wanted of [null, { ...fleet, host: 'db.example' }]) {
      expect(await copy.handlers.changeSettings({ fleet: wanted })).toMatchObject({
        error: { code: 'fleet-station-twice' },
      })
    }
    await joined(copy, 'refused')
    await station.stop()
    await postgres().stop('fast')
    const { services: again } = await start()
    await joined(again, 'away')
    expect(await ship(again, 'ORDER-1')).toMatchObject({
      error: { code: 'fleet-unreachable', details: { case: 'unjoined' } },
    })
    await first.stop()
    await postgres().start()
    await joined(again)
    await postgres().stop('fast')
    await joined(again, 'away')
    expect(await ship(again, 'ORDER-1')).toMatchObject({ value: { state: 'created' } })
    await postgres().start()
    expect(carrier.received.get('ORDER-1')).toBe(1)
  }, 30_000)

  it('ships if it has joined since its start: the connection may be its own earlier one', async () => {
    const fleet = await postgres().newFleet({ whenUnreachable: 'ship' })
    const one = await fleetStation(new CountingCarrier(), fleet)
    const connected = await connectToFleet(fleet, postgresPassword, () => undefined)
    if (!connected.ok) throw new Error(connected.error.message)
    const { session, close } = connected.value
    onTestFinished(close)
    const [row] = await postgres().query('select id from packbench.stations', [], fleet.database)
    const locking = session.query('select pg_advisory_lock(hashtextextended($1, 0))', [
      toStationLock(String(row?.id)),
    ])
    const waiting = `select count(*)::int as locks from pg_locks where locktype = 'advisory' and not granted`
    await expect.poll(() => postgres().query(waiting, [], fleet.database)).toEqual([{ locks: 1 }])
    await postgres().query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1
        and pid in (select pid from pg_locks where locktype = 'advisory' and granted)`,
      [fleet.database],
    )
    await locking
    await joined(one.services, 'refused')
    expect((await one.services.fleet.status()).error?.code).toBe('fleet-station-twice')
    await postgres().stop('fast')
    await expect.poll(async () => (await one.services.fleet.status()).state, { timeout: 15_000 }).toBe('away')
    expect(await one.ship('ORDER-1')).toMatchObject({ value: { state: 'created' } })
    await postgres().start()
  }, 30_000)
})

describe('a station set to «ship» whose database never answered', () => {
  const unjoined = { error: { code: 'fleet-unreachable', details: { case: 'unjoined' } } }

  it('creates nothing before it has joined for the first time, and says why', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet({ whenUnreachable: 'ship' })
    const { services } = await startedOn(await temporaryFolder(), carrier)
    services.settings.change({
      printers: [{ driver: 'folder', id: 'file', path: 'out' }],
      fleet: { ...fleet, port: 1 },
    })
    await services.fleet.setPassword(postgresPassword)
    await joined(services, 'away')
    expect(await services.fleet.status()).toMatchObject({ shipsWhenAway: false })
    expect(await ship(services, 'ORDER-1')).toMatchObject(unjoined)
    services.settings.change({ fleet })
    await services.fleet.setPassword(postgresPassword)
    await joined(services)
    expect(await ship(services, 'ORDER-1')).toMatchObject({ value: { state: 'created' } })
  })

  it('creates nothing after a change of its address or after it left, and ships when the database it joined is away', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet({ whenUnreachable: 'ship' })
    const one = await fleetStation(carrier, fleet)
    const { services } = one
    const wrong = { ...fleet, port: 1 }
    const change = async (to: typeof fleet) => {
      services.settings.change({ fleet: to })
      await services.fleet.setPassword(postgresPassword)
    }
    await change(wrong)
    await joined(services, 'away')
    expect(await one.ship('ORDER-1')).toMatchObject(unjoined)
    await change(fleet)
    await joined(services)
    services.settings.change({ fleet: null })
    await joined(services, 'off')
    await change(wrong)
    await joined(services, 'away')
    expect(await one.ship('ORDER-1')).toMatchObject(unjoined)
    await one.stop()
    const { services: again } = await startedOn(one.dataFolder, carrier)
    await joined(again, 'away')
    expect(await ship(again, 'ORDER-1')).toMatchObject(unjoined)
    again.settings.change({ fleet })
    await again.fleet.setPassword(postgresPassword)
    await joined(again)
    await postgres().stop('fast')
    await joined(again, 'away')
    expect(await ship(again, 'ORDER-1')).toMatchObject({ value: { state: 'created' } })
    await postgres().start()
    expect(carrier.received.get('ORDER-1')).toBe(1)
  })
})

describe('a station of a fleet whose settings are missing', () => {
  /** The station after its settings were lost, started again. */
  async function withoutSettings() {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet()
    const one = await orderStation(carrier, fleet)
    await importOrderRows(one.services, [orderRow('LISTED')])
    await published(one.services)
    const [order] = await listOrders(one.services)
    await one.stop()
    await rm(join(one.dataFolder, 'settings.json'))
    const start = () => startedOn(one.dataFolder, carrier)
    return { carrier, fleet, start, orderId: order?.id ?? '' }
  }
  const missing = { error: { code: 'fleet-settings-missing' } }

  it('creates nothing, also after other settings were saved and it was started again, and joins as itself once they name the fleet', async () => {
    const { carrier, fleet, start } = await withoutSettings()
    const { station, services } = await start()
    expect(await ship(services, 'ORDER-1')).toMatchObject(missing)
    expect(await services.fleet.status()).toMatchObject({ state: 'refused', ...missing })
    expect(await services.handlers.changeSettings({ language: 'nl' })).toMatchObject({ ok: true })
    expect(await ship(services, 'ORDER-1')).toMatchObject(missing)
    await station.stop()
    const { services: again } = await start()
    expect(await ship(again, 'ORDER-1')).toMatchObject(missing)
    expect(carrier.received.size).toBe(0)
    again.settings.change({ fleet })
    await joined(again)
    expect(await ship(again, 'ORDER-1')).toMatchObject({ value: { state: 'created' } })
    expect((await again.fleet.overview()).stations).toHaveLength(1)
  })

  it('does not join the database of another fleet, and joins its own once it is corrected', async () => {
    const { carrier, fleet, start } = await withoutSettings()
    const { services } = await start()
    const other = await postgres().newFleet()
    expect(await services.claims.mayLeaveFor(other)).toEqual({ ok: true, value: undefined })
    services.settings.change({ fleet: other })
    await expect
      .poll(() => services.fleet.status())
      .toMatchObject({ state: 'refused', error: { code: 'fleet-not-own' } })
    expect(await ship(services, 'ORDER-1')).toMatchObject({ error: { code: 'fleet-not-own' } })
    expect(await services.claims.mayLeaveFor(fleet)).toEqual({ ok: true, value: undefined })
    services.settings.change({ fleet })
    await joined(services)
    expect(await ship(services, 'ORDER-1')).toMatchObject({ value: { state: 'created' } })
    expect(carrier.received.get('ORDER-1')).toBe(1)
  })

  it('refuses the database of another fleet after restarts too, until it has joined its own', async () => {
    const { carrier, fleet, start } = await withoutSettings()
    const other = await postgres().newFleet()
    await fleetStation(carrier, other)
    const { station } = await start()
    expect(await station.provision({ settingsChange: { fleet: other }, holdsSecrets: false })).toMatchObject({
      ok: true,
    })
    await station.stop()
    const { station: second, services: refused } = await start()
    await joined(refused, 'refused')
    expect(await ship(refused, 'ORDER-1')).toMatchObject({ error: { code: 'fleet-not-own' } })
    expect(await listGuards(other.database)).toEqual([])
    expect(await refused.claims.mayLeaveFor(fleet)).toMatchObject({ ok: true })
    refused.settings.change({ fleet })
    await second.stop()
    const { station: third, services: corrected } = await start()
    await joined(corrected)
    expect(await ship(corrected, 'ORDER-1')).toMatchObject({ value: { state: 'created' } })
    await published(corrected)
    await third.stop()
    const { services: settled } = await start()
    await joined(settled)
    settled.settings.change({ fleet: other })
    await expect.poll(() => settled.fleet.findFleetId()).not.toBeNull()
    await joined(settled)
    expect(carrier.received.get('ORDER-1')).toBe(1)
  })

  it('notes in its journal that it has found its own fleet, also after that failed once', async () => {
    const { fleet, start } = await withoutSettings()
    const { services } = await start()
    const locked = new DatabaseError('database is locked', 'SQLITE_BUSY')
    const note = vi.spyOn(OutboxRepository.prototype, 'setRejoining').mockRejectedValueOnce(locked)
    onTestFinished(() => note.mockRestore())
    services.settings.change({ fleet })
    await joined(services)
    expect(note.mock.settledResults.map(({ type }) => type)).toEqual(['rejected', 'fulfilled'])
    expect(note).toHaveBeenLastCalledWith(false)
  })

  it('creates no schema in a database that has none, and does not join it', async () => {
    const { start } = await withoutSettings()
    const { services } = await start()
    const empty = await postgres().newFleet()
    services.settings.change({ fleet: empty })
    await expect
      .poll(() => services.fleet.status())
      .toMatchObject({ state: 'refused', error: { code: 'fleet-not-own' } })
    const schemas = "select 1 from pg_namespace where nspname = 'packbench'"
    expect(await postgres().query(schemas, [], empty.database)).toEqual([])
  })

  it('creates nothing while the database is away, before it has joined its own fleet', async () => {
    const { carrier, fleet, start, orderId } = await withoutSettings()
    const ships = { ...fleet, whenUnreachable: 'ship' } as const
    const { station, services } = await start()
    services.settings.change({ fleet: { ...ships, port: 1 } })
    await services.fleet.setPassword(postgresPassword)
    await joined(services, 'away')
    const held = { error: { code: 'fleet-unreachable', details: { case: 'unjoined' } } }
    expect(await ship(services, 'ORDER-1')).toMatchObject(held)
    await station.stop()
    const { services: again } = await start()
    await joined(again, 'away')
    expect(await again.fleet.status()).toMatchObject({ shipsWhenAway: false })
    expect(await ship(again, 'ORDER-1')).toMatchObject(held)
    // The claim says why no order is shipped, not that this station has not taken it.
    expect(await again.sharing.takeForShip(orderId, false)).toEqual({ ok: true, value: null })
    again.settings.change({ fleet: ships })
    await again.fleet.setPassword(postgresPassword)
    await joined(again)
    await postgres().stop('fast')
    await joined(again, 'away')
    expect(await again.fleet.status()).toMatchObject({ shipsWhenAway: true })
    expect(await ship(again, 'ORDER-1')).toMatchObject({ value: { state: 'created' } })
    await postgres().start()
    expect(carrier.received.get('ORDER-1')).toBe(1)
  })

  it('creates shipments on its own once a person takes it out of the fleet', async () => {
    const { start } = await withoutSettings()
    const { services } = await start()
    expect(await services.handlers.changeSettings({ fleet: null })).toMatchObject({ ok: true })
    await joined(services, 'off')
    expect(await ship(services, 'ORDER-1')).toMatchObject({ value: { state: 'created' } })
  })

  it('may join any fleet once a person has taken it out of its own, also after a restart', async () => {
    const { start } = await withoutSettings()
    const { station, services } = await start()
    expect(await services.handlers.changeSettings({ fleet: null })).toMatchObject({ ok: true })
    await joined(services, 'off')
    await station.stop()
    const { services: again } = await start()
    expect(await again.fleet.status()).toMatchObject({ state: 'off' })
    again.settings.change({ fleet: await postgres().newFleet() })
    await joined(again)
  })
})

describe('a station that changes to another database and back', () => {
  it('joins both again, unless its data folder was copied', async () => {
    const fleet = await postgres().newFleet()
    const one = await fleetStation(new CountingCarrier(), fleet)
    const { services } = one
    const copied = await crashImage(one)
    const change = async (to: typeof fleet) => {
      services.settings.change({ fleet: { ...to, station: 'Bench 1' } })
      await expect.poll(async () => (await services.fleet.status()).state).not.toBe('connecting')
      return (await services.fleet.status()).error
    }
    const another = await postgres().newFleet()
    for (const to of [another, fleet, another, fleet]) expect(await change(to)).toBeNull()
    expect(await one.ship('ORDER-1')).toMatchObject({ value: { state: 'created' } })
    await one.stop()
    const started = await startedOn(copied)
    await joined(started.services, 'refused')
    expect((await started.services.fleet.status()).error?.code).toBe('fleet-station-copied')
  })
})

describe('a station with an unknown shipment', () => {
  it('cannot leave the fleet before the shipment is resolved', async () => {
    const carrier = new CountingCarrier()
    const one = await fleetStation(carrier, await postgres().newFleet())
    const id = await putUnknown(one, ['OPEN-1', 'OPEN-2'])
    await published(one.services)
    const leave = () => one.services.handlers.changeSettings({ fleet: null })
    expect(await leave()).toMatchObject({
      error: { code: 'fleet-holds-references', details: { references: 'OPEN-1, OPEN-2' } },
    })
    expect(one.services.settings.current().fleet).not.toBeNull()
    await one.services.shipping.resolveUnknown(id, 'does-not-exist', null)
    await published(one.services)
    expect(await leave()).toMatchObject({ ok: true })
  })

  it('cannot change to another database before the shipment is resolved, and frees its unsent claims in the old one', async () => {
    const fleet = await postgres().newFleet()
    const one = await fleetStation(new CountingCarrier(), fleet)
    const { services } = one
    const id = await putUnknown(one, ['OPEN-1'])
    await published(services)
    // A granted claim with a lost answer: the journal has no entry for it.
    await postgres().query(
      `insert into packbench.claims (reference, held_by, held_attempt, held_shipment, held_state, held_since)
        select 'UNSENT', id, 'a', 's', 'claimed', now() from packbench.stations`,
      [],
      fleet.database,
    )
    const wanted = { ...(await postgres().newFleet()), station: 'Bench 1' }
    const change = () => services.handlers.changeSettings({ fleet: wanted })
    const held = {
      error: {
        code: 'fleet-holds-references',
        details: { case: 'other-database', references: 'OPEN-1', count: '1' },
      },
    }
    expect(await change()).toMatchObject(held)
    const provision = () => one.provision({ settingsChange: { fleet: wanted }, holdsSecrets: false })
    expect(await provision()).toMatchObject(held)
    const claims = 'select reference from packbench.claims'
    expect(await postgres().query(claims, [], fleet.database)).toEqual([{ reference: 'OPEN-1' }])
    expect(services.settings.current().fleet?.database).toBe(fleet.database)
    expect(await services.handlers.changeSettings({ fleet: { ...fleet, station: 'Bench 9' } })).toMatchObject(
      {
        ok: true,
      },
    )
    await joined(services)
    await services.shipping.resolveUnknown(id, 'does-not-exist', null)
    await published(services)
    expect(await provision()).toMatchObject({ ok: true })
    await expect.poll(() => services.fleet.findFleetId()).not.toBeNull()
    await joined(services)
    await published(services)
    expect(await postgres().query(claims, [], fleet.database)).toEqual([])
    const shipments = 'select state from packbench.shipments'
    await expect.poll(() => postgres().query(shipments, [], wanted.database)).toEqual([{ state: 'refused' }])
  })
})
