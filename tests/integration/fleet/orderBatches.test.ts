import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Services } from '../../../src/main/app/compose'
import { FleetOrdersRepository } from '../../../src/main/fleet/fleetOrdersRepository'
import type { OrderState } from '../../../src/shared/orders'
import { deferred } from '../../support/deferred'
import { newOrderFleet, orderStation, ordersInList } from '../../support/fleetOrders'
import { joined, published } from '../../support/fleetStations'
import { importOrderRows, listOrders, orderRow } from '../../support/orderRows'
import { postgresOfBlock } from '../../support/privatePostgres'
import { ship } from '../../support/ship'

const postgres = postgresOfBlock()

async function begin({ batches }: Services, ids: readonly string[]) {
  const begun = await batches.begin(ids, 'imported', false)
  if (!begun.ok) throw new Error(begun.error.message)
}

async function ended({ batches }: Services) {
  await expect.poll(async () => (await batches.current())?.state, { timeout: 30_000 }).toBe('ended')
  const batch = await batches.current()
  if (batch === null) throw new Error('the batch is gone')
  return batch
}

/** Gives some orders to a station of the fleet that is not running, for a number of seconds. */
async function leaseElsewhere(
  database: string | undefined,
  ids: readonly string[],
  seconds: number,
  isBatch = true,
) {
  await postgres().query(
    "insert into packbench.stations (id, name, version) values ('gone', 'Bench 9', '1') on conflict do nothing",
    [],
    database,
  )
  await postgres().query(
    `insert into packbench.order_leases (order_id, station, is_batch, lease_until)
     select id, 'gone', $3, now() + make_interval(secs => $2) from unnest($1::text[]) id
     on conflict (order_id) do update set lease_until = excluded.lease_until`,
    [ids, seconds, isBatch],
    database,
  )
}

describe('a batch of orders in a fleet', () => {
  it('ships each order once when three stations run it together, and counts the orders of the other stations', async () => {
    const { carrier, fleet, one, other } = await newOrderFleet(postgres())
    const third = await orderStation(carrier, { ...fleet, station: 'Bench 3' })
    const references = Array.from({ length: 45 }, (_, index) => `BATCH-${index}`)
    await importOrderRows(
      one.services,
      references.map((reference) => orderRow(reference)),
    )
    const stations = [one, other, third]
    for (const station of stations) await ordersInList(station).toHaveLength(45)
    const ids = (await listOrders(one.services)).map(({ id }) => id)
    for (const { services } of stations) await begin(services, ids)
    const batches = await Promise.all(stations.map(({ services }) => ended(services)))
    expect([...carrier.received.values()]).toEqual(references.map(() => 1))
    expect(batches.reduce((sum, { outcomes }) => sum + outcomes.created, 0)).toBe(45)
    for (const { outcomes } of batches) {
      expect(outcomes.created).toBeGreaterThan(0)
      expect(outcomes.created + outcomes.elsewhere).toBe(45)
    }
    for (const station of stations) await ordersInList(station, 'shipped').toHaveLength(45)
  })

  it('ships the orders of a silent station’s batch when its lease ends, but not the order open on its Ship screen', async () => {
    const { fleet, one } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('LEFT-1'), orderRow('LEFT-2'), orderRow('LEFT-3')])
    const ids = (await listOrders(one.services)).map(({ id }) => id)
    const count = () => postgres().query('select id from packbench.orders', [], fleet.database)
    await expect.poll(async () => (await count()).length).toBe(3)
    await leaseElsewhere(fleet.database, ids.slice(0, 1), 60, false)
    await leaseElsewhere(fleet.database, ids.slice(1), 60)
    await begin(one.services, ids)
    await expect.poll(async () => (await one.services.batches.current())?.waitsForOthers).toBe(true)
    await leaseElsewhere(fleet.database, ids.slice(1), 0)
    // The first order is open on the Ship screen of that station.
    const batch = await ended(one.services)
    expect(batch).toMatchObject({ outcomes: { created: 2, elsewhere: 1 }, unshipped: 1 })
    const shown = { batchId: batch.id, shown: 'not-created' as const, offset: 0, limit: 10 }
    expect(await one.services.batches.listItems(shown)).toMatchObject({ items: [{ outcome: 'elsewhere' }] })
    // The lease of that station ends.
    await leaseElsewhere(fleet.database, ids.slice(0, 1), 0)
    await one.services.batches.repeat(batch.id)
    expect((await ended(one.services)).outcomes).toMatchObject({ created: 1, elsewhere: 0 })
  })

  it('ships the order open on its own station’s Ship screen, and counts an order skipped meanwhile as left', async () => {
    const { carrier, fleet, one } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('OWN-1'), orderRow('OWN-2')])
    const [first = '', second = ''] = (await listOrders(one.services)).map(({ id }) => id)
    const states = () => postgres().query('select state from packbench.orders', [], fleet.database)
    await expect.poll(async () => (await states()).length).toBe(2)
    const taken = await one.services.handlers.takeOrder({ orderId: first, takeOver: false })
    expect(taken).toEqual({ ok: true, value: null })
    const { sharing } = one.services
    const takePortion = sharing.takePortion.bind(sharing)
    vi.spyOn(sharing, 'takePortion').mockImplementationOnce(async (...asked) => {
      await one.services.orders.skip([second], 'Cancelled by the customer')
      await sharing.publishChange(second)
      return takePortion(...asked)
    })
    await begin(one.services, [first, second])
    expect((await ended(one.services)).outcomes).toMatchObject({ created: 1, left: 1, elsewhere: 0 })
    expect([...carrier.received.keys()]).toEqual(['OWN-1'])
  })
})

describe('a batch that was begun while the database was unreachable', () => {
  it('ships the orders that become those of another station, which imported the same ones', async () => {
    const { carrier, one, other } = await newOrderFleet(postgres())
    const stations = [one, other]
    await postgres().stop('fast')
    for (const { services } of stations) {
      await joined(services, 'away')
      await importOrderRows(services, [orderRow('TWIN-1'), orderRow('TWIN-2')])
      await begin(
        services,
        (await listOrders(services)).map(({ id }) => id),
      )
      await expect
        .poll(() => services.batches.current(), { timeout: 10_000 })
        .toMatchObject({ state: 'paused', error: { code: 'fleet-unreachable' } })
    }
    await postgres().start()
    const ids = ({ services }: typeof one) =>
      listOrders(services).then((orders) => orders.map(({ id }) => id))
    await expect
      .poll(async () => JSON.stringify(await ids(one)) === JSON.stringify(await ids(other)), {
        timeout: 10_000,
      })
      .toBe(true)
    for (const { services } of stations) {
      const { id = '' } = (await services.batches.current()) ?? {}
      await services.batches.resume(id)
      const { outcomes } = await ended(services)
      expect(outcomes).toMatchObject({ left: 0 })
      expect(outcomes.created + outcomes.elsewhere).toBe(2)
    }
    expect([...carrier.received]).toEqual([
      ['TWIN-1', 1],
      ['TWIN-2', 1],
    ])
  }, 30_000)
})

describe('a batch whose station loses the database and ships without it', () => {
  it('ships the orders that it took, although other orders repeat their references', async () => {
    const { carrier, one } = await newOrderFleet(postgres(), { whenUnreachable: 'ship' })
    const repeated = orderRow('TWICE').replace('Jan Smit', 'Piet Bakker')
    await importOrderRows(one.services, [orderRow('TWICE'), repeated, orderRow('OTHER')])
    await published(one.services)
    const { sharing } = one.services
    const takePortion = sharing.takePortion.bind(sharing)
    vi.spyOn(sharing, 'takePortion').mockImplementationOnce(async (...asked) => {
      const portion = await takePortion(...asked)
      await postgres().stop('fast')
      await joined(one.services, 'away')
      return portion
    })
    await begin(
      one.services,
      (await listOrders(one.services)).map(({ id }) => id),
    )
    expect((await ended(one.services)).outcomes).toMatchObject({ created: 2 })
    expect([...carrier.received.keys()]).toEqual(['TWICE', 'OTHER'])
    await postgres().start()
  })

  it('ships the order that it had opened on Ship, also when that is given back before the batch comes to it', async () => {
    const { carrier, one } = await newOrderFleet(postgres(), { whenUnreachable: 'ship' })
    await importOrderRows(one.services, [orderRow('ON-SHIP')])
    await published(one.services)
    const [id = ''] = (await listOrders(one.services)).map((order) => order.id)
    const { handlers, sharing } = one.services
    expect(await handlers.takeOrder({ orderId: id, takeOver: false })).toEqual({ ok: true, value: null })
    await postgres().stop('fast')
    await joined(one.services, 'away')
    const takePortion = sharing.takePortion.bind(sharing)
    vi.spyOn(sharing, 'takePortion').mockImplementationOnce(async (...asked) => {
      const portion = await takePortion(...asked)
      await handlers.giveBackOrder(undefined)
      return portion
    })
    await begin(one.services, [id])
    expect((await ended(one.services)).outcomes).toMatchObject({ created: 1 })
    expect([...carrier.received.keys()]).toEqual(['ON-SHIP'])
    await postgres().start()
  })
})

describe('an order that a batch took before its publication', () => {
  it('is not shipped without the database if another station took it after its publication', async () => {
    const { carrier, one, other } = await newOrderFleet(postgres(), { whenUnreachable: 'ship' })
    const [mayPublish, mayRenew] = [deferred<void>(), deferred<string[]>()]
    const { publish } = FleetOrdersRepository.prototype
    const slow = vi.spyOn(FleetOrdersRepository.prototype, 'publish')
    // A renewal would notice that this station has no lease.
    const renewing = vi.spyOn(FleetOrdersRepository.prototype, 'renewLeases')
    onTestFinished(() => {
      slow.mockRestore()
      renewing.mockRestore()
      mayPublish.resolve()
      mayRenew.resolve([])
    })
    renewing.mockReturnValue(mayRenew.promise)
    slow.mockImplementationOnce(async function (this: FleetOrdersRepository, ...published) {
      await mayPublish.promise
      return publish.apply(this, published)
    })
    await importOrderRows(one.services, [orderRow('EARLY')])
    const [id = ''] = (await listOrders(one.services)).map((order) => order.id)
    const { sharing } = one.services
    const takePortion = sharing.takePortion.bind(sharing)
    vi.spyOn(sharing, 'takePortion').mockImplementationOnce(async (...asked) => {
      const portion = await takePortion(...asked)
      mayPublish.resolve()
      await ordersInList(other).toEqual(['EARLY'])
      await published(one.services)
      const taken = await other.services.handlers.takeOrder({ orderId: id, takeOver: false })
      expect(taken).toEqual({ ok: true, value: null })
      await postgres().stop('fast')
      for (const { services } of [one, other]) await joined(services, 'away')
      return portion
    })
    await begin(one.services, [id])
    await expect
      .poll(() => one.services.batches.current(), { timeout: 30_000 })
      .toMatchObject({ state: 'paused', error: { code: 'order-not-taken' } })
    expect(await other.ship('EARLY')).toMatchObject({ value: { state: 'created' } })
    expect(carrier.received.get('EARLY')).toBe(1)
    await postgres().start()
  })
})

describe('an order open on the Ship screen of a station', () => {
  it('is shown with its station, can be taken over, and is free when the lease ends or it is given back', async () => {
    const { fleet, one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('OPEN-1')])
    await ordersInList(other).toEqual(['OPEN-1'])
    const [order] = await listOrders(one.services)
    const id = order?.id ?? ''
    const take = ({ services }: typeof one, takeOver = false) =>
      services.handlers.takeOrder({ orderId: id, takeOver })
    expect(await take(one)).toEqual({ ok: true, value: null })
    expect(await take(one)).toEqual({ ok: true, value: null })
    await expect
      .poll(async () => (await listOrders(other.services))[0]?.holder)
      .toMatchObject({
        station: 'Bench 1',
        isBatch: false,
      })
    expect(await take(other)).toMatchObject({ value: { station: 'Bench 1' } })
    expect(await take(other, true)).toEqual({ ok: true, value: null })
    expect(await take(one)).toMatchObject({ value: { station: 'Bench 2' } })
    await postgres().query(
      "update packbench.order_leases set lease_until = now() - interval '1 s'",
      [],
      fleet.database,
    )
    expect(await take(one)).toEqual({ ok: true, value: null })
    await one.services.handlers.giveBackOrder(undefined)
    expect(await take(other)).toEqual({ ok: true, value: null })
    expect(await other.ship('OPEN-1')).toMatchObject({ value: { state: 'created' } })
    await ordersInList(one, 'shipped').toEqual(['OPEN-1'])
    expect(await take(one)).toMatchObject({ error: { code: 'order-not-open' } })
  })

  it('is reported to the station that loses it when another one takes it over, ships it, or has opened it first', async () => {
    const { one, other } = await newOrderFleet(postgres())
    const stations = [one, other]
    await importOrderRows(
      one.services,
      ['LOST-1', 'LOST-2', 'LOST-3'].map((each) => orderRow(each)),
    )
    await ordersInList(other).toEqual(['LOST-1', 'LOST-2', 'LOST-3'])
    const [first = '', second = '', third = ''] = (await listOrders(one.services)).map(({ id }) => id)
    const take = ({ services }: typeof one, orderId: string, takeOver = false) =>
      services.handlers.takeOrder({ orderId, takeOver })
    const [lost, lostByOther] = stations.map(({ bus }) => {
      const ids: string[] = []
      bus.on('claimedOrderLost', ({ orderId }) => ids.push(orderId))
      return ids
    })
    await take(one, first)
    expect(await take(other, first, true)).toEqual({ ok: true, value: null })
    await expect.poll(() => lost).toEqual([first])
    expect(await take(one, first)).toMatchObject({ value: { station: 'Bench 2' } })
    await take(one, second)
    expect(await other.ship('LOST-2')).toMatchObject({ value: { state: 'created' } })
    await expect.poll(() => lost, { timeout: 10_000 }).toEqual([first, second])
    expect(await take(one, second)).toMatchObject({ error: { code: 'order-not-open' } })
    await postgres().stop('fast')
    for (const { services } of stations) await joined(services, 'away')
    for (const each of stations) expect(await take(each, third)).toEqual({ ok: true, value: null })
    await postgres().start()
    const lostLast = () => [...(lost?.slice(2) ?? []), ...(lostByOther ?? [])]
    await expect.poll(lostLast, { timeout: 20_000 }).toEqual([third])
  }, 60_000)

  it('is reported, and not found any more, when it becomes the equal order of another station', async () => {
    const { one, other } = await newOrderFleet(postgres())
    const stations = [one, other]
    await postgres().stop('fast')
    const opened: string[] = []
    const lost: string[] = []
    for (const { services, bus } of stations) {
      await joined(services, 'away')
      await importOrderRows(services, [orderRow('TWIN-1')])
      const [{ id } = { id: '' }] = await listOrders(services)
      opened.push(id)
      expect(await services.handlers.takeOrder({ orderId: id, takeOver: false })).toEqual({
        ok: true,
        value: null,
      })
      bus.on('claimedOrderLost', ({ orderId }) => lost.push(orderId))
    }
    await postgres().start()
    const kept = async ({ services }: typeof one) => (await listOrders(services))[0]?.id
    await expect.poll(() => lost, { timeout: 10_000 }).toHaveLength(1)
    const [orderId = ''] = lost
    const loser = opened[0] === orderId ? one : other
    expect(await kept(loser)).toBe(opened.find((id) => id !== orderId))
    expect(await loser.services.handlers.takeOrder({ orderId, takeOver: false })).toMatchObject({
      error: { code: 'order-not-found' },
    })
  }, 30_000)

  it('is the last one that was opened, whichever others were opened and left right before', async () => {
    const { fleet, one } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('OPEN-1'), orderRow('OPEN-2')])
    await published(one.services)
    const [first = '', second = ''] = (await listOrders(one.services)).map(({ id }) => id)
    const { takeOrder, giveBackOrder } = one.services.handlers
    await Promise.all([
      takeOrder({ orderId: first, takeOver: false }),
      giveBackOrder(undefined),
      takeOrder({ orderId: second, takeOver: false }),
    ])
    const leases = 'select order_id as id from packbench.order_leases where lease_until > now()'
    expect(await postgres().query(leases, [], fleet.database)).toEqual([{ id: second }])
  })

  it('is put into a combined parcel while the database is unreachable only if this station had taken it', async () => {
    const { carrier, one, other } = await newOrderFleet(postgres(), { whenUnreachable: 'ship' })
    one.services.settings.change({ combineOrders: 'ask' })
    await importOrderRows(one.services, [orderRow('COMBINED-1'), orderRow('COMBINED-2')])
    await ordersInList(other).toEqual(['COMBINED-1', 'COMBINED-2'])
    const [first] = (await listOrders(one.services)).map(({ id }) => id)
    const companions = async () => (await one.services.ordersToShip.findToShip('COMBINED-1'))?.companions
    const take = () => one.services.handlers.takeOrder({ orderId: first ?? '', takeOver: false })
    expect(await take()).toEqual({ ok: true, value: null })
    expect(await companions()).toHaveLength(1)
    await postgres().stop('fast')
    await joined(one.services, 'away')
    expect(await companions()).toEqual([])
    const notTaken = { error: { code: 'order-not-taken', details: { reference: 'COMBINED-2' } } }
    const both = { reference: 'COMBINED-1', combinedReferences: ['COMBINED-2'] }
    expect(await ship(one.services, both)).toMatchObject(notTaken)
    expect(await one.ship('COMBINED-2')).toMatchObject(notTaken)
    expect(carrier.received.size).toBe(0)
    expect(await one.ship('COMBINED-1')).toMatchObject({ value: { state: 'created' } })
    await postgres().start()
  })

  it('is shipped while the database is unreachable although another order repeats its reference, which is not', async () => {
    const { carrier, one, other } = await newOrderFleet(postgres(), { whenUnreachable: 'ship' })
    const repeated = orderRow('TWICE').replace('Jan Smit', 'Piet Bakker')
    await importOrderRows(one.services, [orderRow('TWICE'), repeated])
    await ordersInList(other).toEqual(['TWICE'])
    await ordersInList(other, 'problem').toEqual(['TWICE'])
    const take = async ({ services }: typeof one, state: OrderState) => {
      const [order] = await listOrders(services, state)
      return services.handlers.takeOrder({ orderId: order?.id ?? '', takeOver: false })
    }
    expect(await take(one, 'to-ship')).toEqual({ ok: true, value: null })
    expect(await take(other, 'problem')).toEqual({ ok: true, value: null })
    await postgres().stop('fast')
    for (const { services } of [one, other]) await joined(services, 'away')
    expect(await other.ship('TWICE')).toMatchObject({ error: { code: 'order-not-taken' } })
    expect(await one.ship('TWICE')).toMatchObject({ value: { state: 'created' } })
    expect(carrier.received.get('TWICE')).toBe(1)
    await postgres().start()
  })

  it('stays usable while the database is unreachable, as does a local order, but not one that others may have', async () => {
    const { one, other } = await newOrderFleet(postgres(), { whenUnreachable: 'ship' })
    await importOrderRows(one.services, [orderRow('AWAY-1'), orderRow('AWAY-2')])
    await ordersInList(other).toEqual(['AWAY-1', 'AWAY-2'])
    const [first, second] = (await listOrders(one.services)).map(({ id }) => id)
    const take = (orderId = '') => one.services.handlers.takeOrder({ orderId, takeOver: false })
    expect(await take(first)).toEqual({ ok: true, value: null })
    await postgres().stop('fast')
    await joined(one.services, 'away')
    await importOrderRows(one.services, [orderRow('AWAY-3')])
    const [, , third] = (await listOrders(one.services)).map(({ id }) => id)
    expect(await take(first)).toEqual({ ok: true, value: null })
    expect(await take(second)).toMatchObject({
      error: { code: 'order-not-taken', details: { reference: 'AWAY-2' } },
    })
    expect(await take(third)).toEqual({ ok: true, value: null })
    await postgres().start()
  })

  it.each(['ship', 'hold'] as const)(
    'is taken when the database is back if it was opened while that was unreachable (whenUnreachable: %s)',
    async (whenUnreachable) => {
      const { one, other } = await newOrderFleet(postgres(), { whenUnreachable })
      await importOrderRows(one.services, [orderRow('SHARED')])
      await ordersInList(other).toEqual(['SHARED'])
      await postgres().stop('fast')
      await joined(one.services, 'away')
      await importOrderRows(one.services, [orderRow('LOCAL')])
      const [shared, local] = (await listOrders(one.services)).map(({ id }) => id)
      const id = (whenUnreachable === 'ship' ? local : shared) ?? ''
      const taken = await one.services.handlers.takeOrder({ orderId: id, takeOver: false })
      expect(taken).toEqual({ ok: true, value: null })
      await postgres().start()
      const findHolder = async () =>
        (await listOrders(other.services)).find((order) => order.id === id)?.holder ?? null
      await expect.poll(findHolder, { timeout: 15_000 }).toMatchObject({ station: 'Bench 1', isBatch: false })
      await one.services.handlers.giveBackOrder(undefined)
      await expect.poll(findHolder, { timeout: 10_000 }).toBeNull()
    },
    60_000,
  )
})
