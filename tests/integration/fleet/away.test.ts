import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join, sep } from 'node:path'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { toFleetError } from '../../../src/main/fleet/connection'
import { FleetOrdersRepository } from '../../../src/main/fleet/fleetOrdersRepository'
import { FleetRepository } from '../../../src/main/fleet/fleetRepository'
import { Membership } from '../../../src/main/fleet/membership'
import { OutboxRepository } from '../../../src/main/fleet/outboxRepository'
import { wholeHistory } from '../../../src/shared/history'
import { CountingCarrier } from '../../support/countingCarrier'
import { deferred } from '../../support/deferred'
import { newOrderFleet, ordersInList } from '../../support/fleetOrders'
import { fleetStation, joined, lockTable, published, twoStations } from '../../support/fleetStations'
import { listenOnLoopback } from '../../support/loopback'
import { importOrderRows, listOrders, orderRow } from '../../support/orderRows'
import { postgresOfBlock, postgresPassword } from '../../support/privatePostgres'
import { ship } from '../../support/ship'
import { temporaryFolder } from '../../support/temporaryFolder'
import { stationOn } from '../../support/testStation'
import { resultSchema } from '../hotFolder/orderResultSchema'

const postgres = postgresOfBlock()

describe('while the fleet’s database is unreachable', () => {
  it('a station set to «hold» creates no shipment, and resumes by itself when the database is back', async () => {
    const carrier = new CountingCarrier()
    const station = await fleetStation(carrier, await postgres().newFleet())
    expect(await station.ship('HOLD-1')).toMatchObject({ value: { state: 'created' } })
    await postgres().stop('immediate')
    expect(await station.ship('HOLD-2')).toMatchObject({
      error: { code: 'fleet-unreachable', details: { case: 'hold' } },
    })
    expect(await station.ship('HOLD-1')).toMatchObject({ error: { code: 'fleet-unreachable' } })
    expect(carrier.received.has('HOLD-2')).toBe(false)
    expect(
      (await station.services.history.search({ ...wholeHistory, limit: 10, before: null })).shipments,
    ).toHaveLength(1)
    await postgres().start()
    await joined(station.services)
    expect(await station.ship('HOLD-2')).toMatchObject({ value: { state: 'created' } })
  })

  it('stations set to «ship» check their own history only, and a reference that both shipped is listed as a conflict afterwards', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet({ whenUnreachable: 'ship' })
    const one = await fleetStation(carrier, fleet)
    const other = await fleetStation(carrier, { ...fleet, station: 'Bench 2' })
    await postgres().stop('fast')
    for (const reference of ['BOTH', 'ONE-1']) {
      expect(await one.ship(reference)).toMatchObject({ value: { state: 'created' } })
    }
    for (const reference of ['BOTH', 'OTHER-1']) {
      expect(await other.ship(reference)).toMatchObject({ value: { state: 'created' } })
    }
    expect(await one.ship('ONE-1')).toMatchObject({ error: { code: 'shipment-duplicate' } })
    await postgres().start()
    for (const { services } of [one, other]) {
      await joined(services)
      await published(services)
    }
    expect(await other.ship('ONE-1')).toMatchObject({
      error: { code: 'shipment-duplicate', details: { case: 'elsewhere', station: 'Bench 1' } },
    })
    const { conflicts } = await one.services.fleet.overview()
    expect(conflicts.map(({ reference }) => reference)).toEqual(['BOTH'])
    const names = conflicts.flatMap((conflict) => [conflict.one.station, conflict.other.station])
    expect(names.toSorted()).toEqual(['Bench 1', 'Bench 2'])
    await other.services.fleet.closeConflict(conflicts[0]?.id ?? '')
    expect((await one.services.fleet.overview()).conflicts).toEqual([])
    expect(Object.fromEntries(carrier.received)).toEqual({ BOTH: 2, 'ONE-1': 1, 'OTHER-1': 1 })
  })

  it('a station set to «ship» does not send a reference that its own list shows as shipped by another station', async () => {
    const { carrier, one, other } = await newOrderFleet(postgres(), { whenUnreachable: 'ship' })
    await importOrderRows(one.services, [orderRow('LISTED')])
    await ordersInList(other).toEqual(['LISTED'])
    expect(await one.ship('LISTED')).toMatchObject({ value: { state: 'created' } })
    await ordersInList(other, 'shipped').toEqual(['LISTED'])
    await postgres().stop('fast')
    for (const { services } of [one, other]) await joined(services, 'away')
    expect(await other.ship('LISTED')).toMatchObject({
      error: { code: 'order-not-taken', details: { case: 'shipped', reference: 'LISTED' } },
    })
    expect(await one.ship('LISTED')).toMatchObject({ error: { code: 'shipment-duplicate' } })
    expect(carrier.received.get('LISTED')).toBe(1)
    await postgres().start()
    await joined(other.services)
    expect(await other.ship('LISTED')).toMatchObject({
      error: { code: 'shipment-duplicate', details: { case: 'elsewhere', station: 'Bench 1' } },
    })
  })
})

describe('a station with a broken connection to a reachable database', () => {
  it.each(['ship', 'hold'] as const)(
    'reconnects before it decides about an order (whenUnreachable: %s)',
    async (whenUnreachable) => {
      const { carrier, fleet, one, other } = await newOrderFleet(postgres(), { whenUnreachable })
      expect(await other.ship('ELSEWHERE')).toMatchObject({ value: { state: 'created' } })
      await published(other.services)
      const cut = () =>
        postgres().query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
          fleet.database,
        ])
      const elsewhere = { error: { code: 'shipment-duplicate', details: { case: 'elsewhere' } } }
      await cut()
      expect(await one.ship('ELSEWHERE')).toMatchObject(elsewhere)
      await cut()
      await expect.poll(async () => (await one.services.fleet.status()).state, { interval: 2 }).toBe('away')
      expect(await one.ship('ELSEWHERE')).toMatchObject(elsewhere)
      expect(carrier.received.get('ELSEWHERE')).toBe(1)
      expect(await one.ship('NEW')).toMatchObject({ value: { state: 'created' } })
    },
  )
})

describe('a connection that ends while a query is about to use it', () => {
  const cut = (database: string) =>
    postgres().query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database])

  it.each(['ship', 'hold'] as const)(
    'is renewed before the station decides about the order (whenUnreachable: %s)',
    async (whenUnreachable) => {
      const { carrier, fleet, one, other } = await twoStations(postgres(), { whenUnreachable })
      expect(await other.ship('ELSEWHERE')).toMatchObject({ value: { state: 'created' } })
      await published(other.services)
      const [asked, goOn] = [deferred<void>(), deferred<void>()]
      const original = OutboxRepository.prototype.listForReference
      const list = vi.spyOn(OutboxRepository.prototype, 'listForReference')
      onTestFinished(() => list.mockRestore())
      list.mockImplementationOnce(async function (this: OutboxRepository, reference) {
        asked.resolve()
        await goOn.promise
        return original.call(this, reference)
      })
      const shipped = one.ship('ELSEWHERE')
      await asked.promise
      const lost = one.bus.on('fleetChanged', ({ state }) => state === 'away' && goOn.resolve())
      onTestFinished(lost)
      await cut(fleet.database)
      expect(await shipped).toMatchObject({
        error: { code: 'shipment-duplicate', details: { case: 'elsewhere' } },
      })
      expect(carrier.received.get('ELSEWHERE')).toBe(1)
    },
  )

  it('is renewed also for creations that wait for one of its few connections', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet({ whenUnreachable: 'ship' })
    const station = await fleetStation(carrier, fleet)
    await lockTable(fleet, 'claims')
    const references = ['A', 'B', 'C', 'D', 'WAITS-1', 'WAITS-2']
    const shipped = references.map((reference) => station.ship(reference))
    const waiting = `select count(*)::int as claims from pg_stat_activity
      where wait_event_type = 'Lock' and datname = '${fleet.database}'`
    await expect.poll(() => postgres().query(waiting), { interval: 2 }).toEqual([{ claims: 4 }])
    // Ends the lock, too.
    await cut(fleet.database)
    for (const each of await Promise.all(shipped)) expect(each).toMatchObject({ value: { state: 'created' } })
    for (const reference of references) expect(carrier.received.get(reference)).toBe(1)
  })

  it('is reported as a database that can’t be reached, not as one that failed', async () => {
    const fleet = await postgres().newFleet()
    const { services } = await fleetStation(new CountingCarrier(), fleet)
    const search = { ...wholeHistory, stations: 'all' as const, limit: 10, before: null }
    const found = services.fleet.queryHistory(async (history) => {
      await cut(fleet.database)
      await joined(services, 'away')
      return history.search(search)
    })
    expect(await found).toMatchObject({ error: { code: 'fleet-unreachable' } })
  })
})

describe('a station that was away before its computer slept', () => {
  it('tries the database again before it ships without it', async () => {
    const proxy = await startProxy()
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet({ whenUnreachable: 'ship' })
    let sleptMs = 0
    const now = () => new Date(Date.now() + sleptMs)
    const one = await fleetStation(carrier, { ...fleet, port: proxy.port }, undefined, now)
    const other = await fleetStation(carrier, { ...fleet, station: 'Bench 2' })
    proxy.cut()
    await joined(one.services, 'away')
    expect(await other.ship('ELSEWHERE')).toMatchObject({ value: { state: 'created' } })
    await published(other.services)
    expect(await one.ship('OFFLINE')).toMatchObject({ value: { state: 'created' } })
    // From the fifth failed attempt on, the station waits at least four seconds for the next one.
    await expect.poll(proxy.countCut, { timeout: 10_000 }).toBeGreaterThanOrEqual(5)
    proxy.restore()
    sleptMs = 3_600_000
    expect(await one.ship('ELSEWHERE')).toMatchObject({
      error: { code: 'shipment-duplicate', details: { case: 'elsewhere' } },
    })
    expect(carrier.received.get('ELSEWHERE')).toBe(1)
  }, 30_000)
})

describe('a station whose settings name a database without a password right after it lost its connection', () => {
  it('says that the password is missing instead of waiting for a connection', async () => {
    const { fleet, one } = await twoStations(postgres(), { whenUnreachable: 'ship' })
    const { services, bus } = one
    const unsubscribe = bus.on('fleetChanged', ({ state }) => {
      if (state !== 'away') return
      unsubscribe()
      services.settings.change({ fleet: { ...fleet, user: 'other' } })
    })
    await postgres().query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      fleet.database,
    ])
    await joined(services, 'refused')
    expect(await one.ship('WAITING')).toMatchObject({ error: { code: 'fleet-password-missing' } })
  })
})

describe('hot folder orders that arrive while the database is unreachable and whenUnreachable is «hold»', () => {
  it.each(['ship', 'hold'] as const)(
    'wait and are shipped once when the database is back (hot folder mode: %s)',
    async (mode) => {
      const { carrier, one, other } = await newOrderFleet(postgres())
      const folder = await temporaryFolder()
      one.services.settings.change({ hotFolder: { path: folder, print: false, mode } })
      await expect.poll(() => readdir(folder)).toContain('in')
      await postgres().stop('immediate')
      await joined(one.services, 'away')
      const file = join(folder, 'orders.json')
      await writeFile(file, JSON.stringify(['AWAY-1', 'AWAY-2'].map((reference) => aRecord(reference))))
      await rename(file, join(folder, 'in', 'orders.json'))
      const { batches, hotFolder } = one.services
      if (mode === 'hold') {
        await ordersInList(one).toEqual(['AWAY-1', 'AWAY-2'])
        const ids = (await listOrders(one.services)).map(({ id }) => id)
        expect(await batches.begin(ids, 'imported', false)).toMatchObject({ ok: true })
        await expect
          .poll(() => batches.current())
          .toMatchObject({ state: 'paused', error: { code: 'fleet-unreachable' } })
      } else await expect.poll(() => hotFolder.status().error?.code).toBe('fleet-unreachable')
      expect(carrier.received.size).toBe(0)
      await postgres().start()
      await Promise.all([joined(one.services), joined(other.services)])
      if (mode === 'hold') await batches.resume((await batches.current())?.id ?? '')
      const path = join(folder, 'done', 'orders.result.json')
      await expect.poll(() => readFile(path, 'utf8').catch(() => '')).not.toBe('')
      const { results } = resultSchema.parse(JSON.parse(await readFile(path, 'utf8')))
      expect(results.map(({ reference, outcome }) => [reference, outcome])).toEqual([
        ['AWAY-1', 'created'],
        ['AWAY-2', 'created'],
      ])
      await published(one.services)
      for (const reference of ['AWAY-1', 'AWAY-2']) {
        expect(carrier.received.get(reference)).toBe(1)
        expect(await other.ship(reference)).toMatchObject({
          error: { code: 'shipment-duplicate', details: { case: 'elsewhere', station: 'Bench 1' } },
        })
      }
    },
    60_000,
  )
})

describe('hot folder orders that arrive while the fleet refuses the station', () => {
  it('stay available for other stations, and are shipped once when it accepts the station again', async () => {
    const carrier = new CountingCarrier()
    const { services } = await fleetStation(carrier, await postgres().newFleet())
    const folder = await temporaryFolder()
    services.settings.change({ hotFolder: { path: folder, print: false, shared: true } })
    await expect.poll(() => readdir(folder)).toContain('in')
    await services.fleet.setPassword('wrong-5-secret')
    await joined(services, 'refused')
    await writeFile(join(folder, 'order.json'), JSON.stringify([aRecord('REFUSED')]))
    await rename(join(folder, 'order.json'), join(folder, 'in', 'order.json'))
    await expect.poll(() => services.hotFolder.status().error?.code).toBe('fleet-access-refused')
    const files = await readdir(join(folder, 'work'), { recursive: true })
    const [place] = files.filter((each) => each.endsWith('order.json'))
    expect(place?.split(sep)).toEqual([expect.any(String), 'order.json'])
    expect(carrier.received.size).toBe(0)
    await services.fleet.setPassword(postgresPassword)
    await joined(services)
    await expect.poll(() => readdir(join(folder, 'done'))).toContain('order.json')
    expect(carrier.received.get('REFUSED')).toBe(1)
  })

  it('stay available for other stations when the station is started again, before the fleet refuses it again', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet()
    const first = await fleetStation(carrier, fleet)
    const folder = await temporaryFolder()
    first.services.settings.change({ hotFolder: { path: folder, print: false, shared: true } })
    await expect.poll(() => readdir(folder)).toContain('in')
    const begin = vi.spyOn(OutboxRepository.prototype, 'beginIncarnation').mockResolvedValue(false)
    const find = vi.spyOn(Membership.prototype, 'findSession')
    onTestFinished(() => {
      vi.restoreAllMocks()
    })
    await postgres().query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      fleet.database,
    ])
    await joined(first.services, 'refused')
    await writeFile(join(folder, 'order.json'), JSON.stringify([aRecord('REFUSED')]))
    await rename(join(folder, 'order.json'), join(folder, 'in', 'order.json'))
    const listPlaces = async () => {
      const files = await readdir(join(folder, 'work'), { recursive: true })
      return files.filter((each) => each.endsWith('order.json')).map((each) => each.split(sep))
    }
    const code = 'fleet-station-copied'
    await expect.poll(() => first.services.hotFolder.status().error?.code).toBe(code)
    expect(await listPlaces()).toEqual([[expect.any(String), 'order.json']])
    await first.stop()
    const refused = deferred<false>()
    onTestFinished(() => refused.resolve(false))
    begin.mockReturnValue(refused.promise)
    find.mockClear()
    const started = await (await stationOn(first.dataFolder)).start()
    if (!started.ok) throw new Error(started.error.message)
    // The hot folder has come to the order file: it waits for the fleet, or has begun the file.
    const isReached = async () => find.mock.calls.length > 0 || (await listPlaces())[0]?.length !== 2
    await expect.poll(isReached).toBe(true)
    refused.resolve(false)
    await expect.poll(() => started.value.hotFolder.status().error?.code).toBe(code)
    expect(await listPlaces()).toEqual([[expect.any(String), 'order.json']])
    expect(carrier.received.size).toBe(0)
  })
})

describe('a hot folder order that may be at another station while the database is unreachable', () => {
  it('waits without delaying the next order file, and is shipped when the database is back', async () => {
    const { carrier, one } = await newOrderFleet(postgres(), { whenUnreachable: 'ship' })
    await importOrderRows(one.services, [orderRow('SHARED')])
    await published(one.services)
    const folder = await temporaryFolder()
    one.services.settings.change({ hotFolder: { path: folder, print: false } })
    await expect.poll(() => readdir(folder)).toContain('in')
    await postgres().stop('fast')
    await joined(one.services, 'away')
    const drop = async (reference: string) => {
      await writeFile(join(folder, 'order.json'), JSON.stringify([aRecord(reference)]))
      await rename(join(folder, 'order.json'), join(folder, 'in', `${reference}.json`))
    }
    await drop('SHARED')
    await expect.poll(() => one.services.hotFolder.status().error?.code).toBe('order-not-taken')
    await drop('FREE')
    const done = () => readdir(join(folder, 'done'))
    await expect.poll(done, { timeout: 10_000 }).toContain('FREE.json')
    expect([...carrier.received.keys()]).toEqual(['FREE'])
    await postgres().start()
    await joined(one.services)
    await expect.poll(done, { timeout: 10_000 }).toContain('SHARED.json')
    expect(carrier.received.get('SHARED')).toBe(1)
  }, 60_000)
})

function aRecord(reference: string) {
  const address = { street: 'Dorpsstraat', house_number: '1', postal_code: '3511 AB', city: 'Utrecht' }
  const option = { carrier_id: 1, carrier_option_id: 11 }
  return { reference, last_name: 'Jansen', ...address, country: 'NL', weight: 1.2, ...option }
}

describe('a database that answers slowly', () => {
  it('fails the creation that waits for it, even at a station that ships without the database', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet({ whenUnreachable: 'ship' })
    const station = await fleetStation(carrier, fleet)
    const unlock = await lockTable(fleet, 'claims')
    const shipped = station.ship('SLOW-1')
    // The server cancels a statement that takes too long in the same way.
    const cancel = `select pg_cancel_backend(pid) as done from pg_stat_activity
      where wait_event_type = 'Lock' and datname = '${fleet.database}' and query like '%insert into packbench.claims as claim%'`
    await expect.poll(() => postgres().query(cancel), { timeout: 7000 }).toEqual([{ done: true }])
    expect(await shipped).toMatchObject({ error: { code: 'fleet-slow' } })
    expect(carrier.received.has('SLOW-1')).toBe(false)
    await unlock()
    await joined(station.services)
    expect(await station.ship('SLOW-1')).toMatchObject({ value: { state: 'created' } })
  })

  it('holds the orders of a station that joins meanwhile, even if it ships without the database', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet({ whenUnreachable: 'ship' })
    await fleetStation(carrier, fleet)
    const unlock = await lockTable(fleet, 'stations')
    const started = await (await stationOn(await temporaryFolder())).start()
    if (!started.ok) throw new Error(started.error.message)
    const services = started.value
    carrier.serve(services)
    services.settings.change({
      printers: [{ driver: 'folder', id: 'file', path: 'out' }],
      fleet: { ...fleet, station: 'Bench 2' },
    })
    await services.fleet.setPassword(postgresPassword)
    expect(await ship(services, 'JOINING')).toMatchObject({ error: { code: 'fleet-slow' } })
    expect(carrier.received.has('JOINING')).toBe(false)
    await unlock()
    await joined(services)
    expect(await ship(services, 'JOINING')).toMatchObject({ value: { state: 'created' } })
  })

  it.each([
    ['takes too long to answer', new Error('Query read timeout')],
    ['takes too long to answer', new Error('timeout exceeded when trying to connect')],
    ['has no free connection', Object.assign(new Error('too many clients already'), { code: '53300' })],
    ['has no free connection', Object.assign(new Error('could not extend file'), { code: '53100' })],
    ['has no free connection', Object.assign(new Error('out of memory'), { code: '53200' })],
  ])('is reported as slow instead of unreachable, and that it %s, for «%s»', (sentence, failure) => {
    const server = { host: 'db.example', port: 5432, database: 'packbench', user: 'packbench' }
    expect(toFleetError(failure, { ...server, tls: 'verify' })).toMatchObject({
      code: 'fleet-slow',
      message: expect.stringContaining(sentence),
    })
  })

  it.each(['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ENETRESET', 'ENOTCONN', 'ENONET', 'EAI_FAIL'])(
    'is reported as unreachable for %s',
    (code) => {
      const server = { host: 'db.example', port: 5432, database: 'packbench', user: 'packbench' }
      const failure = Object.assign(new Error(`read ${code}`), { code })
      expect(toFleetError(failure, { ...server, tls: 'verify' }).code).toBe('fleet-unreachable')
    },
  )

  it('holds the orders of a station that gets no connection, even if it ships without the database', async () => {
    const carrier = new CountingCarrier()
    const password = `'${postgresPassword}'`
    await postgres().query(`create role crowded login password ${password}`)
    const fleet = await postgres().newFleet({ whenUnreachable: 'ship', user: 'crowded' })
    await postgres().query(`alter database ${fleet.database} owner to crowded`)
    const station = await fleetStation(carrier, fleet)
    await postgres().query('alter role crowded connection limit 0')
    await postgres().query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'crowded'")
    expect(await station.ship('CROWDED')).toMatchObject({ error: { code: 'fleet-slow' } })
    expect(carrier.received.has('CROWDED')).toBe(false)
    await postgres().query('alter role crowded connection limit -1')
    await joined(station.services)
    expect(await station.ship('CROWDED')).toMatchObject({ value: { state: 'created' } })
  })
})

describe('a joined station', () => {
  it('frees its own old claims without a shipment, but no recent ones', async () => {
    const fleet = await postgres().newFleet()
    const station = await fleetStation(new CountingCarrier(), fleet)
    const add = `insert into packbench.claims
      (reference, held_by, held_attempt, held_shipment, held_state, held_since)
      select $1, id, $1, $1, 'claimed', now() - make_interval(secs => $2) from packbench.stations`
    await postgres().query(add, ['LEFT', 31], fleet.database)
    await postgres().query(add, ['YOUNG', 1], fleet.database)
    const list = () => postgres().query('select reference from packbench.claims', [], fleet.database)
    await expect.poll(list).toEqual([{ reference: 'YOUNG' }])
    expect(await station.ship('LEFT')).toMatchObject({ value: { state: 'created' } })
  }, 30_000)

  it('frees a claim that arrives after the refusal of its attempt', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet()
    const station = await fleetStation(carrier, fleet)
    carrier.whileAnswering = async () => 'refused'
    const attemptId = randomUUID()
    const refused = await station.ship('LATE', { attemptId })
    if (!refused.ok) throw new Error(refused.error.message)
    expect(refused.value.state).toBe('refused')
    await published(station.services)
    const late = `insert into packbench.claims
      (reference, held_by, held_attempt, held_shipment, held_state, held_since)
      select 'LATE', id, $1, $2, 'claimed', now() - interval '31 seconds' from packbench.stations`
    await postgres().query(late, [attemptId, refused.value.id], fleet.database)
    const list = () => postgres().query('select reference from packbench.claims', [], fleet.database)
    await expect.poll(list).toEqual([])
  }, 30_000)

  it('releases an old claim once at a time, and its attempt waits for the last release when it is resumed', async () => {
    const fleet = await postgres().newFleet()
    const { services, ship, dataFolder } = await fleetStation(new CountingCarrier(), fleet)
    const attemptId = randomUUID()
    const left = `insert into packbench.claims
      (reference, held_by, held_attempt, held_shipment, held_state, held_since)
      select 'LEFT', id, $1, $1, 'claimed', now() from packbench.stations`
    await postgres().query(left, [attemptId], fleet.database)
    onTestFinished(() => {
      vi.restoreAllMocks()
    })
    const [first, second] = [deferred<undefined>(), deferred<undefined>()]
    const { release: realRelease, claim: realClaim } = FleetRepository.prototype
    const release = vi.spyOn(FleetRepository.prototype, 'release')
    for (const { promise } of [first, second]) {
      release.mockImplementationOnce(async function (this: FleetRepository, ...claim) {
        await promise
        return realRelease.apply(this, claim)
      })
    }
    const count = (spied: { mock: { settledResults: { type: string }[] } }) =>
      spied.mock.settledResults.filter(({ type }) => type === 'fulfilled').length
    const lookUp = vi.spyOn(services.shipmentRepository, 'listEarlier')
    const leaving = [services.claims.mayLeaveFor(null), services.claims.mayLeaveFor(null)]
    await expect.poll(() => count(lookUp)).toBe(2)
    await setImmediate()
    expect(release).toHaveBeenCalledOnce()
    first.resolve(undefined)
    await Promise.race(leaving)
    await expect.poll(() => release.mock.calls.length).toBe(2)
    const claim = vi.spyOn(FleetRepository.prototype, 'claim')
    let releasedBefore = 0
    claim.mockImplementationOnce(async function (this: FleetRepository, ...request) {
      releasedBefore = count(release)
      return realClaim.apply(this, request)
    })
    const resumed = ship('LEFT', { attemptId })
    await expect.poll(() => readdir(join(dataFolder, 'labels'))).toHaveLength(1)
    second.resolve(undefined)
    expect(await resumed).toMatchObject({ value: { state: 'created' } })
    expect(releasedBefore).toBe(2)
  })

  it('publishes other shipments while the publication of a label is blocked', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet()
    const station = await fleetStation(carrier, fleet)
    expect(await station.ship('FIRST')).toMatchObject({ value: { state: 'created' } })
    await published(station.services)
    const unlock = await lockTable(fleet, 'labels')
    for (const reference of ['LARGE', 'NEXT']) {
      expect(await station.ship(reference)).toMatchObject({ value: { state: 'created' } })
    }
    const created = () =>
      postgres().query(
        'select reference from packbench.claims where created_shipment is not null order by reference',
        [],
        fleet.database,
      )
    await expect
      .poll(created)
      .toEqual([{ reference: 'FIRST' }, { reference: 'LARGE' }, { reference: 'NEXT' }])
    expect((await station.services.fleet.status()).backlog).toBe(2)
    await unlock()
    await published(station.services)
    const labels = await postgres().query(
      'select count(*)::int as all, count(bytes)::int as whole from packbench.labels',
      [],
      fleet.database,
    )
    expect(labels).toEqual([{ all: 3, whole: 3 }])
  })

  it('retries waiting hot folder files when it joins again, but not at other status changes', async () => {
    const station = await fleetStation(new CountingCarrier(), await postgres().newFleet())
    const retry = vi.spyOn(station.services.hotFolder, 'retry')
    await station.services.fleet.closeConflict(randomUUID())
    expect(retry).not.toHaveBeenCalled()
    await postgres().stop('fast')
    await joined(station.services, 'away')
    await postgres().start()
    await joined(station.services)
    expect(retry).toHaveBeenCalledOnce()
  })

  it('stops at once while it connects to a server that never answers', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined))
    const port = await listenOnLoopback(server)
    onTestFinished(() => {
      server.close()
    })
    const station = await stationOn(await temporaryFolder())
    const started = await station.start()
    if (!started.ok) throw new Error(started.error.message)
    const { settings, fleet } = started.value
    const connected = once(server, 'connection')
    settings.change({ fleet: { ...(await postgres().newFleet()), port } })
    await fleet.setPassword(postgresPassword)
    await connected
    const late = pause(2000, 'late', { ref: false })
    expect(await Promise.race([fleet.stop(), late])).toBeUndefined()
  })
})

/**
 * A proxy before the private PostgreSQL. Once it hangs, it keeps connections open and passes nothing on. `cut` breaks
 * them and those that follow until `restore`, and `countCut` counts these.
 */
async function startProxy() {
  let isHanging = false
  let isCut = false
  let cut = 0
  const open = new Set<Socket>()
  const server = createServer((station) => {
    if (isCut) {
      cut += 1
      station.destroy()
      return
    }
    open.add(station)
    const real = connect(postgres().port, '127.0.0.1')
    const pass = (from: Socket, to: Socket) => {
      from.on('error', () => undefined)
      from.on('data', (bytes) => isHanging || to.write(bytes))
      from.on('close', () => to.destroy())
    }
    pass(station, real)
    pass(real, station)
  })
  const port = await listenOnLoopback(server)
  onTestFinished(() => {
    server.close()
  })
  return {
    ...{ port, hang: () => (isHanging = true), restore: () => (isCut = false), countCut: () => cut },
    cut: () => {
      isCut = true
      for (const station of open) station.destroy()
    },
  }
}

describe('a joined station whose database stops answering', () => {
  it('stops at once while it exchanges orders', async () => {
    const proxy = await startProxy()
    const fleet = { ...(await postgres().newFleet()), port: proxy.port }
    const { services } = await fleetStation(new CountingCarrier(), fleet)
    const read = vi.spyOn(FleetOrdersRepository.prototype, 'listChanges')
    const end = vi.spyOn(FleetOrdersRepository.prototype, 'listLeases')
    onTestFinished(() => {
      vi.restoreAllMocks()
    })
    // A whole round first, since its other queries would hang before the one that is looked at.
    services.sharing.publishSoon()
    await expect.poll(() => end.mock.settledResults.some(({ type }) => type === 'fulfilled')).toBe(true)
    proxy.hang()
    read.mockClear()
    services.sharing.publishSoon()
    await expect.poll(() => read.mock.calls.length).toBeGreaterThan(0)
    const late = pause(5000, 'late', { ref: false })
    expect(await Promise.race([services.fleet.stop(), late])).toBeUndefined()
  })
})

describe('a station that joins with a history', () => {
  it('publishes its earlier shipments, including removed ones, and lists a reference shipped by two stations as a conflict', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet()
    const old = await fleetStation(carrier, fleet)
    old.services.settings.change({ fleet: null })
    for (const reference of ['OLD-1', 'OLD-2', 'SHARED']) {
      expect(await old.ship(reference)).toMatchObject({ value: { state: 'created' } })
    }
    const [removed] = (await old.services.shipmentRepository.listEarlier('OLD-2')).map(({ id }) => id)
    await old.services.retention.remove(removed ?? '')
    const other = await fleetStation(carrier, { ...fleet, station: 'Bench 2' })
    expect(await other.ship('SHARED')).toMatchObject({ value: { state: 'created' } })
    await published(other.services)
    old.services.settings.change({ fleet })
    await joined(old.services)
    await published(old.services)
    for (const reference of ['OLD-1', 'OLD-2']) {
      expect(await other.ship(reference)).toMatchObject({
        error: { code: 'shipment-duplicate', details: { station: 'Bench 1' } },
      })
    }
    const { conflicts, stations } = await other.services.fleet.overview()
    expect(conflicts.map(({ reference }) => reference)).toEqual(['SHARED'])
    expect(stations.map(({ name }) => name).toSorted()).toEqual(['Bench 1', 'Bench 2'])
  })
})
