import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { connectToFleet } from '../../../src/main/fleet/connection'
import { FleetRepository } from '../../../src/main/fleet/fleetRepository'
import { FleetNotifications } from '../../../src/main/fleet/notifications'
import { prepareSchema } from '../../../src/main/fleet/schemaRepository'
import { StationsRepository } from '../../../src/main/fleet/stationsRepository'
import { toDay } from '../../../src/main/lib/localDay'
import { wholeHistory } from '../../../src/shared/history'
import { CountingCarrier } from '../../support/countingCarrier'
import { deferred } from '../../support/deferred'
import {
  type FleetStation,
  fleetStation,
  joined,
  lockTable,
  published,
  twoStations,
} from '../../support/fleetStations'
import { postgresOfBlock, postgresPassword } from '../../support/privatePostgres'
import { temporaryFolder } from '../../support/temporaryFolder'
import { stationOn } from '../../support/testStation'

const postgres = postgresOfBlock()

/** Counts the events `fleetShipmentsChanged` of a station. */
function countChangeEvents({ bus }: FleetStation): () => number {
  let count = 0
  bus.on('fleetShipmentsChanged', () => {
    count += 1
  })
  return () => count
}

async function addConflict(database: string): Promise<void> {
  await postgres().query(
    `insert into packbench.conflicts (reference, shipment, station, barcodes, taken_at, other_shipment, other_station,
      other_barcodes, other_taken_at) select 'R', $1, id, '{}', now(), 'o', id, '{}', now() from packbench.stations limit 1`,
    [randomUUID()],
    database,
  )
}

describe('the notification of a change at one station', () => {
  it('reaches other stations without polling, and also after a reconnection', async () => {
    // The periodic query never ends, and so finds nothing.
    const look = vi.spyOn(FleetRepository.prototype, 'findNewestChange')
    look.mockReturnValue(new Promise(() => undefined))
    onTestFinished(() => look.mockRestore())
    const { fleet, one, other } = await twoStations(postgres())
    const countEvents = countChangeEvents(other)
    await one.ship('ORDER-1')
    await expect.poll(countEvents, { timeout: 3000 }).toBeGreaterThan(0)
    await published(one.services)
    await postgres().query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [fleet.database],
    )
    for (const { services } of [one, other]) {
      await expect.poll(async () => (await services.fleet.status()).state).not.toBe('joined')
    }
    for (const { services } of [one, other]) await joined(services)
    const before = countEvents()
    await one.ship('ORDER-2')
    await expect.poll(countEvents, { timeout: 3000 }).toBeGreaterThan(before)
  })

  it('is replaced by polling at a station that cannot listen', async () => {
    const listen = vi
      .spyOn(FleetNotifications.prototype, 'listen')
      .mockRejectedValue(new Error('no listening here'))
    onTestFinished(() => listen.mockRestore())
    const { fleet, one, other } = await twoStations(postgres())
    const countEvents = countChangeEvents(other)
    await one.ship('ORDER-1')
    await addConflict(fleet.database)
    await expect.poll(countEvents).toBeGreaterThan(0)
    await expect.poll(async () => (await other.services.fleet.status()).conflicts).toBe(1)
  }, 40_000)

  it('is replaced by polling that also finds a change that becomes visible after a newer one', async () => {
    const fleet = await postgres().newFleet()
    const connected = await connectToFleet(fleet, postgresPassword, () => undefined)
    if (!connected.ok) throw new Error(connected.error.message)
    const { database, session, close } = connected.value
    onTestFinished(close)
    expect(await prepareSchema(database)).toMatchObject({ ok: true })
    await session.query("insert into packbench.stations (id, name, version) values ('a', 'Bench 1', '1')")
    await session.query(`insert into packbench.shipments (id, reference, station, attempt, state, taken_at, carrier_option,
        packages, country, barcodes)
      select id, id, 'a', id, 'sent', now(), 1, 1, 'NL', '{}' from unnest(array['late', 'newer']) as id`)
    const repository = new FleetRepository(database)
    const change = (id: string) => `update packbench.shipments set changed_at = now() where id = '${id}'`
    await session.query('set idle_in_transaction_session_timeout = 0')
    await session.query('begin')
    await session.query(change('late'))
    const before = await repository.findNewestChange()
    await postgres().query(change('newer'), [], fleet.database)
    const between = await repository.findNewestChange()
    await session.query('commit')
    const after = await repository.findNewestChange()
    expect(new Set([before, between, after]).size).toBe(3)
    expect(await repository.findNewestChange()).toBe(after)
  })

  it('is followed by another one when the labels of a shipment arrive later, also for stations that poll', async () => {
    vi.spyOn(FleetNotifications.prototype, 'listen').mockRejectedValue(new Error('no listening here'))
    const announce = vi.spyOn(FleetNotifications.prototype, 'announce')
    const arriving = deferred<void>()
    onTestFinished(() => {
      vi.restoreAllMocks()
      arriving.resolve()
    })
    const { putLabel } = FleetRepository.prototype
    const put = vi.spyOn(FleetRepository.prototype, 'putLabel')
    put.mockImplementation(async function (this: FleetRepository, shipment, label, bytes) {
      if (bytes !== null) await arriving.promise
      return putLabel.call(this, shipment, label, bytes)
    })
    const { fleet, one, other } = await twoStations(postgres())
    let seen: unknown[] = []
    const labels = 'select count(*)::int from packbench.labels where bytes is not null'
    const shipments = `select reference, (${labels}) as labels from packbench.shipments`
    other.bus.on('fleetShipmentsChanged', async () => {
      seen = await postgres().query(shipments, [], fleet.database)
    })
    await one.ship('ORDER-1')
    await expect.poll(() => seen, { timeout: 15_000 }).toEqual([{ reference: 'ORDER-1', labels: 0 }])
    expect(announce).not.toHaveBeenCalledWith('shipments')
    arriving.resolve()
    await expect.poll(() => seen, { timeout: 15_000 }).toEqual([{ reference: 'ORDER-1', labels: 1 }])
    expect(announce).toHaveBeenCalledWith('shipments')
  }, 60_000)

  it('is sent at most once a second while the labels of 50 shipments arrive', async () => {
    const announce = vi.spyOn(FleetNotifications.prototype, 'announce')
    const note = vi.spyOn(FleetRepository.prototype, 'noteLabels')
    onTestFinished(() => {
      vi.restoreAllMocks()
    })
    const { fleet, one } = await twoStations(postgres(), { whenUnreachable: 'ship' })
    await postgres().stop('fast')
    await joined(one.services, 'away')
    for (let number = 0; number < 50; number += 1) await one.ship(`AWAY-${number}`)
    await postgres().start()
    await joined(one.services)
    await published(one.services)
    const whole = 'select count(bytes)::int as labels from packbench.labels'
    expect(await postgres().query(whole, [], fleet.database)).toEqual([{ labels: 50 }])
    const announced = () => announce.mock.calls.filter((topics) => topics.join() === 'shipments').length
    await expect.poll(announced).toBeGreaterThan(0)
    expect(announced()).toBeLessThan(25)
    expect(note.mock.calls.length).toBeLessThan(25)
  }, 60_000)

  it('is sent at once, and 29 further ones of the same kind are sent together', async () => {
    const fleet = await postgres().newFleet()
    const connect = async () => {
      const connection = await connectToFleet(fleet, postgresPassword, () => undefined)
      if (!connection.ok) throw new Error(connection.error.message)
      onTestFinished(() => connection.value.close())
      return connection.value.session
    }
    const heard: string[][] = []
    const other = new FleetNotifications(await connect(), 'other', (changed) => heard.push([...changed]))
    await other.listen()
    const one = new FleetNotifications(await connect(), 'one', () => undefined)
    for (let number = 0; number < 30; number += 1) one.announce('shipments')
    await expect.poll(() => heard).toEqual([['shipments'], ['shipments']])
    one.announce('claims')
    await expect.poll(() => heard).toEqual([['shipments'], ['shipments'], ['claims']])
  })

  it('is sent after the previous one is completed on a slow connection', async () => {
    const connected = await connectToFleet(await postgres().newFleet(), postgresPassword, () => undefined)
    if (!connected.ok) throw new Error(connected.error.message)
    const { session, close } = connected.value
    onTestFinished(close)
    const steps: string[] = []
    const query = vi.spyOn(session, 'query').mockImplementation(async () => {
      const number = query.mock.calls.length
      steps.push(`begins ${number}`)
      await postgres().query('select pg_sleep(0.4)')
      steps.push(`ends ${number}`)
    })
    const one = new FleetNotifications(session, 'one', () => undefined)
    one.announce('shipments')
    one.announce('claims')
    await expect.poll(() => steps).toEqual(['begins 1', 'ends 1', 'begins 2', 'ends 2'])
  })

  it('lets other stations show which station holds which reference', async () => {
    const { one, other } = await twoStations(postgres())
    const carrier = new CountingCarrier()
    carrier.serve(one.services)
    const answered = deferred<'created'>()
    carrier.whileAnswering = () => answered.promise
    const shipping = one.ship('ORDER-1')
    const holds = async () => (await other.services.fleet.overview()).holds
    await expect.poll(holds).toMatchObject([{ reference: 'ORDER-1', station: 'Bench 1', isUnknown: false }])
    answered.resolve('created')
    await shipping
    await published(one.services)
    expect(await holds()).toEqual([])
  })
})

describe('searches that take longer than the station waits for a connection', () => {
  it('do not end the session', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet()
    const station = await fleetStation(carrier, fleet)
    const { services, bus } = station
    const unlock = await lockTable(fleet, 'labels')
    const states = new Set<string>()
    bus.on('fleetChanged', ({ state }) => states.add(state))
    let isOver = false
    const search = async () => {
      // Without a session the answers come at once, and nothing else could run.
      const isJoined = () => [...states].every((state) => state === 'joined')
      while (!isOver && isJoined())
        await services.fleet.queryHistory((history) => history.listLabelContents('id', 'none'))
    }
    // One more than there are connections for searches.
    const searches = [search(), search(), search()]
    // The station gives a sign of life, and then looks for changes, every few seconds.
    const sign = vi.spyOn(StationsRepository.prototype, 'noteSeen')
    onTestFinished(() => sign.mockRestore())
    await expect.poll(() => sign.mock.calls.length, { timeout: 60_000 }).toBeGreaterThan(3)
    expect([...states]).toEqual(['joined'])
    expect(await station.ship('ORDER-1')).toMatchObject({ value: { state: 'created' } })
    isOver = true
    await unlock()
    await Promise.all(searches)
  })
})

const days = { retentionDays: 30, guardDays: 60 }

describe('a conflict beyond the guard period', () => {
  it('is removed if it is closed', async () => {
    const { fleet, one } = await twoStations(postgres())
    const add = `insert into packbench.conflicts (reference, shipment, station, barcodes, taken_at, other_shipment,
        other_station, other_barcodes, other_taken_at, noted_at, closed_at)
      select $1, $1, id, '{}', now(), 'o', id, '{}', now(), now() - make_interval(days => $2), $3
      from packbench.stations where name = 'Bench 1'`
    await postgres().query(add, ['OLD-CLOSED', 61, new Date()], fleet.database)
    await postgres().query(add, ['OLD-OPEN', 61, null], fleet.database)
    await postgres().query(add, ['YOUNG-CLOSED', 59, new Date()], fleet.database)
    await one.services.fleet.applyRetention(days, (total) => total)
    const left = 'select reference from packbench.conflicts order by 1'
    expect(await postgres().query(left, [], fleet.database)).toEqual([
      { reference: 'OLD-OPEN' },
      { reference: 'YOUNG-CLOSED' },
    ])
  })
})

describe('a shipment beyond its retention period in the fleet', () => {
  const age = (database: string, interval: string, reference: string) =>
    Promise.all([
      ageByStation(database, interval, reference),
      postgres().query(
        `update packbench.claims set created_noted_at = now() - interval '${interval}' where reference = $1`,
        [reference],
        database,
      ),
      postgres().query(
        `update packbench.shipments set noted_at = now() - interval '${interval}' where reference = $1`,
        [reference],
        database,
      ),
    ])
  /** Ages only the times that the station states, as a station with a wrong clock does. */
  const ageByStation = (database: string, interval: string, reference: string) =>
    Promise.all([
      postgres().query(
        `update packbench.claims set created_taken_at = now() - interval '${interval}' where reference = $1`,
        [reference],
        database,
      ),
      postgres().query(
        `update packbench.shipments set taken_at = now() - interval '${interval}' where reference = $1`,
        [reference],
        database,
      ),
    ])

  it('loses its claim and row after the guard period once its station has removed its details', async () => {
    const { fleet, one, other } = await twoStations(postgres())
    for (const reference of ['OLD', 'YOUNG']) await one.ship(reference)
    await other.ship('OF-OTHER')
    for (const { services } of [one, other]) await published(services)
    await age(fleet.database, '61 days', 'OLD')
    await age(fleet.database, '59 days', 'YOUNG')
    await age(fleet.database, '61 days', 'OF-OTHER')
    const [old] = await one.services.shipmentRepository.listEarlier('OLD')
    await one.services.retention.remove(old?.id ?? '')
    await published(one.services)
    await age(fleet.database, '61 days', 'OLD')
    await one.services.fleet.applyRetention(days, (total) => total)
    const list = async (table: string) =>
      (await postgres().query(`select reference from packbench.${table} order by 1`, [], fleet.database)).map(
        ({ reference }) => reference,
      )
    expect(await list('claims')).toEqual(['OF-OTHER', 'YOUNG'])
    expect(await list('shipments')).toEqual(['OF-OTHER', 'YOUNG'])
  })

  it('loses its details if it was refused and its station removed it while it was not in the fleet', async () => {
    const { carrier, fleet, one } = await twoStations(postgres())
    carrier.whileAnswering = async () => 'refused'
    const ids: string[] = []
    for (const reference of ['REMOVED', 'KEPT']) {
      const refused = await one.ship(reference)
      expect(refused).toMatchObject({ value: { state: 'refused' } })
      if (refused.ok) ids.push(refused.value.id)
    }
    await published(one.services)
    one.services.settings.change({ fleet: null })
    await joined(one.services, 'off')
    await one.services.retention.remove(ids[0] ?? '')
    one.services.settings.change({ fleet })
    await joined(one.services)
    for (const reference of ['REMOVED', 'KEPT']) await age(fleet.database, '31 days', reference)
    await one.services.fleet.applyRetention(days, (total) => total)
    const list = 'select reference from packbench.shipments where document is not null order by 1'
    await expect.poll(() => postgres().query(list, [], fleet.database)).toEqual([{ reference: 'KEPT' }])
  })

  /** The operators that the fleet knows of a reference. */
  const listOperators = (database: string, reference: string) =>
    postgres().query(
      `select shipment.operator, created_operator as creator, resolution.operator as resolver from packbench.shipments shipment
        join packbench.claims on created_shipment = shipment.id
        join packbench.resolutions resolution on resolution.shipment = shipment.id where shipment.reference = $1`,
      [reference],
      database,
    )
  const noOperators = { operator: null, creator: null, resolver: null }
  /** Ships a reference by Ann, and adds a resolution by Bob. */
  const shipByAnn = async ({ ship, services }: FleetStation, database: string, reference: string) => {
    await ship(reference, { operator: 'Ann' })
    await published(services)
    await postgres().query(
      `insert into packbench.resolutions (shipment, verdict, station, operator, answered_at)
        select id, 'exists', station, 'Bob', now() from packbench.shipments where reference = $1`,
      [reference],
      database,
    )
    expect(await listOperators(database, reference)).toEqual([
      { operator: 'Ann', creator: 'Ann', resolver: 'Bob' },
    ])
  }
  const listAll = async ({ services }: FleetStation) => {
    const all = { ...wholeHistory, stations: 'all' as const, limit: 100, before: null }
    return (await services.history.search(all)).shipments.map(({ reference }) => reference)
  }

  it('is no longer listed or counted, and names no operator, once its station has removed it', async () => {
    const { fleet, one, other } = await twoStations(postgres())
    await shipByAnn(one, fleet.database, 'REMOVED')
    await shipByAnn(one, fleet.database, 'KEPT')
    const duplicate = (operator: string) => ({
      error: { code: 'shipment-duplicate', details: { station: 'Bench 1', operator } },
    })
    expect(await other.ship('REMOVED')).toMatchObject(duplicate('Ann'))
    const [removed] = await one.services.shipmentRepository.listEarlier('REMOVED')
    await one.services.retention.remove(removed?.id ?? '')
    await published(one.services)
    expect(await listOperators(fleet.database, 'REMOVED')).toEqual([noOperators])
    expect(await listAll(other)).toEqual(['KEPT'])
    const today = toDay(new Date())
    expect(await other.services.fleet.report(today, today)).toMatchObject({
      value: { total: { shipments: 1, weight: 1.25 } },
    })
    expect(await other.ship('REMOVED')).toMatchObject(duplicate(''))
    expect(await other.ship('KEPT')).toMatchObject(duplicate('Ann'))
  })

  it('loses the operators that an older version of its station left, after the retention period', async () => {
    const { fleet, one, other } = await twoStations(postgres())
    for (const reference of ['OLD', 'YOUNG', 'STILL-HERE']) {
      await shipByAnn(one, fleet.database, reference)
      await age(fleet.database, reference === 'YOUNG' ? '29 days' : '31 days', reference)
    }
    await postgres().query(
      "update packbench.shipments set document = null, search_text = null where reference <> 'STILL-HERE'",
      [],
      fleet.database,
    )
    const left = async () => {
      const rows = await postgres().query(
        'select reference from packbench.shipments where operator is not null order by 1',
        [],
        fleet.database,
      )
      return rows.map(({ reference }) => reference)
    }
    await other.services.fleet.applyRetention(days, (total) => total)
    expect(await left()).toEqual(['OLD', 'STILL-HERE', 'YOUNG'])
    await one.services.fleet.applyRetention(days, (total) => total)
    expect(await left()).toEqual(['STILL-HERE', 'YOUNG'])
    expect(await listOperators(fleet.database, 'OLD')).toEqual([noOperators])
    expect(await listAll(other)).toEqual(['STILL-HERE'])
  })

  it('is guarded from the time of its publication when the clock of its station was wrong', async () => {
    const { fleet, one, other } = await twoStations(postgres())
    await one.ship('BY-2020')
    await published(one.services)
    const [shipment] = await one.services.shipmentRepository.listEarlier('BY-2020')
    await one.services.retention.remove(shipment?.id ?? '')
    await published(one.services)
    await ageByStation(fleet.database, '6 years', 'BY-2020')
    await one.services.fleet.applyRetention(days, (total) => total)
    expect(await other.ship('BY-2020')).toMatchObject({ error: { code: 'shipment-duplicate' } })
  })

  it('loses its personal data and labels, but not its guard, when its station has been silent for 31 days', async () => {
    const { fleet, one, other } = await twoStations(postgres())
    await shipByAnn(one, fleet.database, 'OLD')
    await shipByAnn(one, fleet.database, 'YOUNG')
    await one.stop()
    await age(fleet.database, '31 days', 'OLD')
    const gone = "update packbench.stations set seen_at = now() - interval '31 days' where name = 'Bench 1'"
    await other.services.fleet.applyRetention(days, (total) => total)
    const left = () =>
      postgres().query(
        `select reference from packbench.shipments where document is not null
          and exists (select 1 from packbench.labels where shipment = shipments.id) order by 1`,
        [],
        fleet.database,
      )
    expect(await left()).toHaveLength(2)
    await postgres().query(gone, [], fleet.database)
    await other.services.fleet.applyRetention(days, (total) => total)
    expect(await left()).toEqual([{ reference: 'YOUNG' }])
    expect(await listOperators(fleet.database, 'OLD')).toEqual([noOperators])
    expect(await listAll(other)).toEqual(['YOUNG'])
    expect(await other.ship('OLD')).toMatchObject({ error: { code: 'shipment-duplicate' } })
  })
})

describe('the fleet’s part of the daily retention', () => {
  it('is done at the next check when the station was not joined at the first one, and once', async () => {
    const started = await (await stationOn(await temporaryFolder())).start()
    if (!started.ok) throw new Error(started.error.message)
    const { upkeep, fleet, settings } = started.value
    // The first run is that of the start.
    await upkeep.run()
    const apply = vi.spyOn(fleet, 'applyRetention')
    await upkeep.run()
    settings.change({ fleet: await postgres().newFleet() })
    await fleet.setPassword(postgresPassword)
    await joined(started.value)
    await upkeep.run()
    await upkeep.run()
    expect(apply.mock.settledResults.map(({ value }) => value)).toEqual([false, true])
  })
})
