import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Services } from '../../../src/main/app/compose'
import { FleetOrdersRepository } from '../../../src/main/fleet/fleetOrdersRepository'
import { FleetRepository } from '../../../src/main/fleet/fleetRepository'
import type { Order, OrderState } from '../../../src/shared/orders'
import { deferred } from '../../support/deferred'
import { aDraft } from '../../support/drafts'
import { newOrderFleet, ordersInList } from '../../support/fleetOrders'
import { type FleetStation, fleetStation, joined, lockTable, published } from '../../support/fleetStations'
import { header, importOrderRows, listOrders, orderRow } from '../../support/orderRows'
import { postgresOfBlock } from '../../support/privatePostgres'

const postgres = postgresOfBlock()

async function references(services: Services, state: OrderState = 'to-ship') {
  return (await listOrders(services, state)).map(({ values }) => values.reference)
}

async function get({ orders }: Services, id: string): Promise<Order> {
  const order = await orders.get(id)
  if (!order.ok) throw new Error(order.error.message)
  return order.value
}

async function firstOf(station: FleetStation): Promise<Order> {
  const [order] = await listOrders(station.services)
  if (order === undefined) throw new Error('the list is empty')
  return order
}

async function count(question: string, database: string): Promise<unknown> {
  const [row] = await postgres().query(question, [], database)
  return row?.count
}

async function reconnect({ services }: FleetStation, database: string): Promise<void> {
  await postgres().query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
    [database],
  )
  await expect.poll(async () => (await services.fleet.status()).state).not.toBe('joined')
  await joined(services)
}

/**
 * Ships an order at the first station while the database is away, with an unknown outcome, and stops that station; the other one is
 * connected again.
 * @param meanwhile runs while the database is away, before the order is shipped
 * @returns the shipment's id
 */
async function shipWhileAway(
  { carrier, one, other }: Awaited<ReturnType<typeof newOrderFleet>>,
  { id, values }: Order,
  confirmed: Parameters<FleetStation['ship']>[1] = {},
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<string> {
  const taken = await one.services.handlers.takeOrder({ orderId: id, takeOver: false })
  expect(taken).toMatchObject({ ok: true })
  await postgres().stop('fast')
  await joined(one.services, 'away')
  await meanwhile()
  carrier.whileAnswering = () => Promise.reject(new Error('the answer was lost'))
  const shipped = await one.ship(values.reference ?? '', confirmed)
  expect(shipped).toMatchObject({ value: { state: 'unknown' } })
  await one.stop()
  await postgres().start()
  await joined(other.services)
  return shipped.ok ? shipped.value.id : ''
}

describe('an order imported at one station', () => {
  it('is listed, corrected, skipped, put back and removed at every station', async () => {
    const { one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('A-1'), orderRow('A-2'), orderRow('A-3', '')])
    await ordersInList(other).toEqual(['A-1', 'A-2'])
    expect(await references(other.services, 'problem')).toEqual(['A-3'])

    const { id, values, origin } = await firstOf(other)
    expect(origin).toBe('other-station')
    expect(await other.services.orders.change(id, { ...values, city: 'Delft' })).toMatchObject({ ok: true })
    await expect.poll(async () => (await get(one.services, id)).values.city).toBe('Delft')
    expect((await get(one.services, id)).origin).toBe('file')
    expect((await get(other.services, id)).origin).toBe('other-station')

    await one.services.orders.skip([id], 'no stock')
    await ordersInList(other, 'skipped').toEqual(['A-1'])
    expect((await get(other.services, id)).skippedReason).toBe('no stock')
    await other.services.orders.unskip([id])
    await ordersInList(one, 'skipped').toEqual([])
    await ordersInList(one).toEqual(['A-1', 'A-2'])

    await one.services.orders.skip([id], 'never')
    await ordersInList(other, 'skipped').toEqual(['A-1'])
    await one.services.orders.forgetClosed(new Date(Date.now() + 1000))
    await ordersInList(other, 'skipped').toEqual([])
    const rows = await postgres().query(
      'select state, content from packbench.orders where id = $1',
      [id],
      one.services.settings.current().fleet?.database,
    )
    expect(rows).toEqual([{ state: 'removed', content: null }])
  })

  it('is shown as shipped at every station, and skipped when a station imports it again', async () => {
    const { one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('B-1'), orderRow('B-2')])
    await ordersInList(other).toEqual(['B-1', 'B-2'])
    expect(await other.ship('B-1')).toMatchObject({ value: { state: 'created' } })
    await ordersInList(one, 'shipped').toEqual(['B-1'])
    // This shipment has no order, so that only the fleet's database knows that the reference was shipped.
    expect(await other.ship('B-0')).toMatchObject({ value: { state: 'created' } })
    await published(other.services)
    expect(
      await importOrderRows(one.services, [
        orderRow('B-0'),
        orderRow('B-1'),
        orderRow('B-2'),
        orderRow('B-3'),
      ]),
    ).toMatchObject({
      added: 1,
      skipped: 3,
    })
  })

  it('keeps its reference at every station while the outcome of its shipment at one is unknown', async () => {
    const { carrier, one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('A-1')])
    await ordersInList(other).toEqual(['A-1'])
    carrier.whileAnswering = () => Promise.reject(new Error('the answer was lost'))
    expect(await one.ship('A-1')).toMatchObject({ ok: true, value: { state: 'unknown' } })
    const { id, values } = await firstOf(other)
    await expect
      .poll(() => other.services.orders.change(id, { ...values, reference: 'A-1-X' }))
      .toMatchObject({ error: { code: 'shipment-unsettled', details: { station: 'Bench 1' } } })
    expect(await other.services.orders.change(id, { ...values, city: 'Delft' })).toMatchObject({ ok: true })
  })

  it('keeps its reference when it was corrected while the database was unreachable and the outcome of its shipment at another station is unknown', async () => {
    const { carrier, one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('A-1')])
    await ordersInList(other).toEqual(['A-1'])
    carrier.whileAnswering = () => Promise.reject(new Error('the answer was lost'))
    const shipped = await one.ship('A-1')
    expect(shipped).toMatchObject({ value: { state: 'unknown' } })
    await published(one.services)
    const { id, values } = await firstOf(other)
    await postgres().stop('fast')
    for (const { services } of [one, other]) await joined(services, 'away')
    const changed = await other.services.orders.change(id, { ...values, reference: 'A-1-X' })
    expect(changed).toMatchObject({ ok: true })
    await postgres().start()
    await ordersInList(other, 'problem').toEqual(['A-1'])
    expect((await get(other.services, id)).issues).toEqual([
      { field: 'reference', code: 'changed-elsewhere' },
    ])
    expect(await references(one.services)).toEqual(['A-1'])
    const shipmentId = shipped.ok ? shipped.value.id : ''
    await one.services.shipping.resolveUnknown(shipmentId, 'exists', '3SFOUND0001')
    for (const station of [one, other]) await ordersInList(station, 'shipped').toEqual(['A-1'])
  })

  it('keeps only its reference when another station’s shipment of it was claimed while the correction was checked', async () => {
    const { carrier, one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('A-1')])
    await ordersInList(other).toEqual(['A-1'])
    carrier.whileAnswering = () => Promise.reject(new Error('the answer was lost'))
    expect(await one.ship('A-1')).toMatchObject({ value: { state: 'unknown' } })
    await published(one.services)
    const asked = vi.spyOn(FleetRepository.prototype, 'findBlocker').mockResolvedValueOnce(undefined)
    onTestFinished(() => asked.mockRestore())
    const { id, values } = await firstOf(other)
    const corrected = { ...values, reference: 'A-1-X', city: 'Delft' }
    expect(await other.services.orders.change(id, corrected)).toMatchObject({
      error: { code: 'shipment-unsettled', details: { station: 'Bench 1', reference: 'A-1' } },
    })
    for (const { services } of [other, one]) {
      await expect
        .poll(() => get(services, id))
        .toMatchObject({ state: 'to-ship', values: { reference: 'A-1', city: 'Delft' }, issues: [] })
    }
  })

  it('gets its reference back at every station when another one corrected it before it learned of the shipment', async () => {
    const stations = await newOrderFleet(postgres(), { whenUnreachable: 'ship' })
    const { carrier, fleet, one, other } = stations
    await importOrderRows(one.services, [orderRow('A-1')])
    await ordersInList(other).toEqual(['A-1'])
    const order = await firstOf(one)
    const { id, values } = order
    await shipWhileAway(stations, order)
    const corrected = { ...values, reference: 'A-1-X', city: 'Delft' }
    expect(await other.services.orders.change(id, corrected)).toMatchObject({ ok: true })
    const reference = 'select reference as count from packbench.orders'
    await expect.poll(() => count(reference, fleet.database)).toBe('A-1-X')
    const again = await fleetStation(carrier, null, one.dataFolder)
    for (const { services } of [again, other]) {
      await expect
        .poll(async () => (await get(services, id)).values)
        .toMatchObject({ reference: 'A-1', city: 'Delft' })
    }
    await expect.poll(() => count(reference, fleet.database)).toBe('A-1')
  })

  it('gets its reference back also when the station of the shipment has another unpublished change of it', async () => {
    const stations = await newOrderFleet(postgres(), { whenUnreachable: 'ship' })
    const { carrier, fleet, one, other } = stations
    await importOrderRows(one.services, [orderRow('A-1')])
    await ordersInList(other).toEqual(['A-1'])
    const order = await firstOf(one)
    const { id, values } = order
    const shipmentId = await shipWhileAway(stations, order, {}, () =>
      one.services.orders.change(id, { ...values, city: 'Leiden' }),
    )
    expect(await other.services.orders.change(id, { ...values, reference: 'A-1-X' })).toMatchObject({
      ok: true,
    })
    const reference = 'select reference as count from packbench.orders'
    await expect.poll(() => count(reference, fleet.database)).toBe('A-1-X')
    const again = await fleetStation(carrier, null, one.dataFolder)
    await expect.poll(() => count(reference, fleet.database)).toBe('A-1')
    await ordersInList(other).toEqual(['A-1'])
    expect(await get(again.services, id)).toMatchObject({
      values: { reference: 'A-1', city: 'Amsterdam' },
      issues: [{ field: 'city', code: 'changed-elsewhere' }],
    })
    await again.services.shipping.resolveUnknown(shipmentId, 'exists', '3SFOUND0001')
    for (const station of [again, other]) await ordersInList(station, 'shipped').toEqual(['A-1'])
  })

  it('gets its reference back, and its issue, when it repeats that of an order that was shipped', async () => {
    const stations = await newOrderFleet(postgres(), { whenUnreachable: 'ship' })
    const { carrier, fleet, one, other } = stations
    await importOrderRows(one.services, [orderRow('A-1'), orderRow('A-1', 'Leiden'), orderRow('Z-1')])
    await ordersInList(other, 'problem').toEqual(['A-1'])
    const earlier = await one.ship('A-1')
    if (!earlier.ok) throw new Error(earlier.error.message)
    await ordersInList(other, 'shipped').toEqual(['A-1'])
    const [repeated] = await listOrders(one.services, 'problem')
    if (repeated === undefined) throw new Error('no order is a problem')
    const { id, values } = repeated
    await published(one.services)
    const confirmed = { confirmedDuplicateOf: earlier.value.id }
    const shipmentId = await shipWhileAway(stations, repeated, confirmed)
    expect(await other.services.orders.change(id, { ...values, reference: 'A-1-X' })).toMatchObject({
      ok: true,
    })
    await published(other.services)
    const again = await fleetStation(carrier, null, one.dataFolder)
    const reference = `select reference as count from packbench.orders where id = '${id}'`
    await expect.poll(() => count(reference, fleet.database)).toBe('A-1')
    // At the other station the order may still have the other reference, and be the first one to ship.
    const further = (await listOrders(other.services)).find((each) => each.values.reference === 'Z-1')
    if (further === undefined) throw new Error('the further order is missing')
    expect(
      await other.services.orders.change(further.id, { ...further.values, city: 'Delft' }),
    ).toMatchObject({ ok: true })
    await expect.poll(async () => (await get(again.services, further.id)).values.city).toBe('Delft')
    for (const station of [again, other]) {
      await ordersInList(station, 'problem').toEqual(['A-1'])
      expect(await get(station.services, id)).toMatchObject({
        issues: [{ field: 'reference', code: 'twice-in-file' }],
      })
    }
    await again.services.shipping.resolveUnknown(shipmentId, 'exists', '3SFOUND0001')
    for (const { services } of [again, other]) {
      await expect.poll(() => get(services, id)).toMatchObject({ state: 'shipped', shipmentId })
    }
  })

  it('is listed once when two stations imported it equally, and marked with an issue when the imports differ', async () => {
    const { one, other } = await newOrderFleet(postgres())
    await postgres().stop('fast')
    await joined(one.services, 'away')
    await joined(other.services, 'away')
    await importOrderRows(one.services, [orderRow('C-1'), orderRow('C-2')])
    await importOrderRows(other.services, [orderRow('C-1'), orderRow('C-2', 'Delft')])
    await postgres().start()
    for (const station of [one, other]) {
      await ordersInList(station).toEqual(['C-1', 'C-2'])
      await ordersInList(station, 'problem').toEqual(['C-2'])
      const [problem] = await listOrders(station.services, 'problem')
      expect(problem?.issues).toEqual([{ field: 'reference', code: 'twice-in-fleet' }])
    }
  })
})

it('orders of two stations whose numbers a spreadsheet has rounded to the same text are both listed', async () => {
  const { one, other } = await newOrderFleet(postgres())
  const rounded = '1,23457E+12'
  await importOrderRows(one.services, [orderRow(rounded)])
  await ordersInList(other, 'problem').toEqual([rounded])
  await importOrderRows(other.services, [orderRow(rounded)])
  for (const station of [one, other]) {
    await ordersInList(station, 'problem').toEqual([rounded, rounded])
    for (const { issues } of await listOrders(station.services, 'problem')) {
      expect(issues).toEqual([{ field: 'reference', code: 'cell-error' }])
    }
  }
})

describe('a change of an order that another station has changed', () => {
  it('is refused, and both stations show the accepted change', async () => {
    const { fleet, one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('D-1')])
    await ordersInList(other).toEqual(['D-1'])
    const { id, values } = await firstOf(one)
    // Both wait for the database, so neither station has heard of the other's change when it makes its own.
    const unlock = await lockTable(fleet, 'orders')
    const changing = Promise.all([
      one.services.orders.change(id, { ...values, city: 'Delft' }),
      other.services.orders.change(id, { ...values, city: 'Leiden' }),
    ])
    const waiting = `select count(*)::int as count from pg_stat_activity
      where wait_event_type = 'Lock' and datname = '${fleet.database}'`
    await expect.poll(() => count(waiting, fleet.database), { interval: 2 }).toBeGreaterThanOrEqual(2)
    await unlock()
    const [first, second] = await changing
    const refused = first.ok ? second : first
    expect([first.ok, second.ok].toSorted()).toEqual([false, true])
    expect(refused).toMatchObject({
      error: { code: 'order-changed-elsewhere', details: { reference: 'D-1' } },
    })
    const city = first.ok ? 'Delft' : 'Leiden'
    for (const { services } of [one, other]) {
      await expect.poll(async () => (await get(services, id)).values.city).toBe(city)
      expect(await get(services, id)).toMatchObject({ state: 'to-ship', issues: [] })
    }
  })

  it('is marked as an issue when the refusal arrives after the change was reported as saved', async () => {
    const { fleet, one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('G-1')])
    await ordersInList(other).toEqual(['G-1'])
    const { id, values } = await firstOf(one)
    // Holds the lock of publications longer than the app waits for the verdict.
    const slow = postgres().query('select pg_advisory_lock(7225369), pg_sleep(4)', [], fleet.database)
    await expect
      .poll(
        async () =>
          (await postgres().query('select 1 from pg_locks where objid = 7225369 and granted')).length,
      )
      .toBe(1)
    const changed = await Promise.all([
      one.services.orders.change(id, { ...values, city: 'Delft' }),
      other.services.orders.change(id, { ...values, city: 'Leiden' }),
    ])
    expect(changed.map(({ ok }) => ok)).toEqual([true, true])
    await slow
    const listProblems = async () => [
      ...(await listOrders(one.services, 'problem')),
      ...(await listOrders(other.services, 'problem')),
    ]
    await expect
      .poll(async () => (await listProblems()).map(({ issues }) => issues))
      .toEqual([[{ field: 'city', code: 'changed-elsewhere' }]])
  })

  it('is marked as an issue at the station whose change was refused, and only there, when both changes were made while the database was unreachable', async () => {
    const { one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('E-1')])
    await ordersInList(other).toEqual(['E-1'])
    const { id, values } = await firstOf(one)
    await postgres().stop('fast')
    await joined(one.services, 'away')
    await joined(other.services, 'away')
    await one.services.orders.change(id, { ...values, city: 'Delft' })
    await other.services.orders.change(id, { ...values, city: 'Leiden' })
    await postgres().start()
    await expect
      .poll(
        async () =>
          (await listOrders(one.services, 'problem')).length +
          (await listOrders(other.services, 'problem')).length,
      )
      .toBe(1)
    const cities = [await get(one.services, id), await get(other.services, id)].map(
      (order) => order.values.city,
    )
    expect([
      ['Delft', 'Delft'],
      ['Leiden', 'Leiden'],
    ]).toContainEqual(cities)
    const [accepted, overruled] = cities[0] === 'Delft' ? [one, other] : [other, one]
    expect(await listOrders(accepted.services, 'problem')).toEqual([])
    expect(await listOrders(overruled.services, 'problem')).toMatchObject([
      { id, issues: [{ field: 'city', code: 'changed-elsewhere' }] },
    ])
  })
})

describe('a change of an order whose publication is not confirmed yet', () => {
  it('hides no later change of another station', async () => {
    const { fleet, one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('P-1')])
    await ordersInList(other).toEqual(['P-1'])
    await published(one.services)
    const { id, values } = await firstOf(one)
    const [committed, confirmed] = [deferred<void>(), deferred<void>()]
    const { publish } = FleetOrdersRepository.prototype
    const slow = vi.spyOn(FleetOrdersRepository.prototype, 'publish')
    onTestFinished(() => {
      slow.mockRestore()
      confirmed.resolve()
    })
    slow.mockImplementationOnce(async function (this: FleetOrdersRepository, station, orders) {
      const answer = await publish.call(this, station, orders)
      committed.resolve()
      await confirmed.promise
      return answer
    })
    const changing = one.services.orders.change(id, { ...values, city: 'Delft' })
    await committed.promise
    expect(await other.ship('P-1')).toMatchObject({ value: { state: 'created' } })
    const version = `select version as count from packbench.orders where state = 'shipped'`
    await expect.poll(() => count(version, fleet.database)).toBe(3)
    const taking = one.services.handlers.takeOrder({ orderId: id, takeOver: false })
    // It reads the changes, before the confirmation or after it.
    await Promise.race([taking, changing])
    confirmed.resolve()
    expect(await taking).toMatchObject({ error: { code: 'order-not-open' } })
    await ordersInList(one).toEqual([])
    await ordersInList(one, 'shipped').toEqual(['P-1'])
  })
})

describe('orders that a change of this station’s settings makes problems', () => {
  it('are not published, so what another station corrects meanwhile is not marked as changed elsewhere', async () => {
    const { one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('R-1')])
    await ordersInList(other).toEqual(['R-1'])
    await published(one.services)
    const { id, values } = await firstOf(other)
    await postgres().stop('fast')
    await joined(one.services, 'away')
    await joined(other.services, 'away')
    one.services.settings.change({ orderRules: [{ name: 'all', when: {}, set: { printer: 'gone' } }] })
    await ordersInList(one, 'problem').toEqual(['R-1'])
    expect(await one.services.sharing.countWaiting()).toBe(0)
    await other.services.orders.change(id, { ...values, city: 'Delft' })
    await postgres().start()
    await expect.poll(async () => (await get(one.services, id)).values.city).toBe('Delft')
    expect((await get(one.services, id)).issues).toEqual([{ field: 'printer', code: 'printer-unknown' }])
  })
})

/** Changes an order as a station with a newer version would. */
async function addUnknownField(id: string, database: string): Promise<void> {
  await postgres().query(
    `update packbench.orders set version = version + 1, change = nextval('packbench.order_changes'),
      content = jsonb_set(jsonb_set(content, '{values,city}', '"Delft"'), '{values,floor}', '"3"') where id = $1`,
    [id],
    database,
  )
}

describe('an order with content of an unknown newer format', () => {
  it('does not block the exchange of other orders', async () => {
    const { fleet, one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('H-1'), orderRow('H-2')])
    await ordersInList(other).toEqual(['H-1', 'H-2'])
    const { id } = await firstOf(one)
    await postgres().query(
      `update packbench.orders set version = version + 1, change = nextval('packbench.order_changes'),
        content = jsonb_set(content, '{values}', '"new"') where id = $1`,
      [id],
      fleet.database,
    )
    // The change of this order waits, and nothing else does.
    await other.services.orders.skip([id], 'no stock')
    await importOrderRows(one.services, [orderRow('H-3')])
    await ordersInList(other).toEqual(['H-2', 'H-3'])
    await importOrderRows(other.services, [orderRow('H-4')])
    await ordersInList(one).toEqual(['H-2', 'H-3', 'H-4'])
    await ordersInList(other).toEqual(['H-2', 'H-3', 'H-4'])
  })

  it('is a problem until this version can read it, and is read again when the station joins', async () => {
    const { fleet, one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('H-1'), orderRow('H-2')])
    await ordersInList(other).toEqual(['H-1', 'H-2'])
    const { id } = await firstOf(one)
    await addUnknownField(id, fleet.database)
    await importOrderRows(other.services, [orderRow('H-3')])
    await ordersInList(one).toEqual(['H-2', 'H-3'])
    expect(await get(one.services, id)).toMatchObject({
      state: 'problem',
      issues: [{ field: 'reference', code: 'newer-elsewhere' }],
    })
    expect(await one.services.sharing.countWaiting()).toBe(0)
    const found = await one.services.ordersToShip.findToShip('H-1')
    const { fingerprint } = found?.order ?? {}
    const shipped = one.services.shipping.create({
      ...{ attemptId: randomUUID(), origin: 'screen', print: false, takenAt: new Date() },
      ...{ draft: aDraft({ reference: 'H-1' }), orderId: id, fingerprint },
    })
    expect(await shipped).toMatchObject({ error: { code: 'order-changed' } })
    // As if the station was updated to a version that knows this field.
    await postgres().query(
      "update packbench.orders set content = content #- '{values,floor}' where id = $1",
      [id],
      fleet.database,
    )
    await reconnect(one, fleet.database)
    await ordersInList(one).toEqual(['H-1', 'H-2', 'H-3'])
    expect((await get(one.services, id)).values.city).toBe('Delft')
  })

  it('stays a problem when it is changed, put back or imported again before this version can read it', async () => {
    const { fleet, one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('H-1')])
    await ordersInList(other).toEqual(['H-1'])
    const { id, values } = await firstOf(one)
    await addUnknownField(id, fleet.database)
    await importOrderRows(other.services, [orderRow('H-2')])
    await ordersInList(one).toEqual(['H-2'])
    const { orders, orderImport } = one.services
    const unreadable = { state: 'problem', issues: [{ field: 'reference', code: 'newer-elsewhere' }] }
    await orders.change(id, { ...values, city: 'Breda' })
    expect(await get(one.services, id)).toMatchObject(unreadable)
    await orders.skip([id], 'no stock')
    await orders.unskip([id])
    expect(await get(one.services, id)).toMatchObject(unreadable)
    const file = new TextEncoder().encode([header, orderRow('H-1', 'Gouda')].join('\n'))
    const plan = await orderImport.readFile('orders.csv', file, false)
    if (!plan.ok) throw new Error(plan.error.message)
    const updated = await orderImport.import(plan.value.importId, plan.value.mapping, 'update')
    expect(updated).toMatchObject({ value: { updated: 1, withIssues: 1 } })
    expect(await get(one.services, id)).toMatchObject({ ...unreadable, values: { city: 'Gouda' } })
  })
})

describe('the exchange of order changes', () => {
  it('notifies other stations instead of relying on polling', async () => {
    const { one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('H-1')])
    await ordersInList(other).toEqual(['H-1'])
    const { id } = await firstOf(one)
    const delays: number[] = []
    for (const isSkipped of [true, false, true, false]) {
      const from = performance.now()
      await (isSkipped ? one.services.orders.skip([id], 'no stock') : one.services.orders.unskip([id]))
      await ordersInList(other, 'skipped').toEqual(isSkipped ? ['H-1'] : [])
      delays.push(performance.now() - from)
    }
    // With polling alone each change would take two and a half seconds on average.
    expect(Math.min(...delays)).toBeLessThan(1500)
    const { sharing } = other.services
    await one.services.sharing.takeForShip(id, false)
    await expect.poll(() => sharing.findHolder(id)).toMatchObject({ station: 'Bench 1' })
  })

  it('removes orders from a station that was away until the record of their removal had expired', async () => {
    const { fleet, one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('T-1'), orderRow('T-2'), orderRow('T-3')])
    await ordersInList(other).toEqual(['T-1', 'T-2', 'T-3'])
    const [first, second] = await listOrders(one.services)
    await other.services.sharing.stop()
    await other.services.sharing.waitUntilIdle()
    // This correction was never published.
    const { id = '', values = {} } = first ?? {}
    await other.services.orders.change(id, { ...values, city: 'Delft' })
    await one.services.orders.skip([id, second?.id ?? ''], 'never')
    const countIn = (state: string) =>
      count(`select count(*)::int from packbench.orders where state = '${state}'`, fleet.database)
    await expect.poll(() => countIn('skipped')).toBe(2)
    await one.services.orders.forgetClosed(new Date(Date.now() + 1000))
    await expect.poll(() => countIn('removed')).toBe(2)
    await postgres().query(
      "update packbench.orders set changed_at = now() - interval '91 days' where state = 'removed'",
      [],
      fleet.database,
    )
    await reconnect(one, fleet.database)
    await expect.poll(() => count('select count(*)::int from packbench.orders', fleet.database)).toBe(1)
    await joined(other.services)
    await ordersInList(other).toEqual(['T-3'])
    await expect.poll(() => other.services.sharing.countWaiting()).toBe(0)
    await ordersInList(one).toEqual(['T-3'])
  })
})

describe('the backlog of a station', () => {
  it('includes unpublished orders', async () => {
    const { one } = await newOrderFleet(postgres())
    await postgres().stop('fast')
    await expect.poll(async () => (await one.services.fleet.status()).state).toBe('away')
    await importOrderRows(one.services, [orderRow('W-1'), orderRow('W-2')])
    expect((await one.services.fleet.status()).backlog).toBe(2)
    await postgres().start()
    await joined(one.services)
    await expect.poll(async () => (await one.services.fleet.status()).backlog).toBe(0)
  })
})

describe('the order list of a station', () => {
  it('is shared when the station joins, and again when it returns to the fleet', async () => {
    const { fleet, one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('F-1')])
    await ordersInList(other).toEqual(['F-1'])
    other.services.settings.change({ fleet: null })
    await joined(other.services, 'off')
    await importOrderRows(other.services, [orderRow('F-2')])
    await one.services.orders.skip([(await firstOf(one)).id], 'no stock')
    other.services.settings.change({ fleet: { ...fleet, station: 'Bench 2' } })
    await joined(other.services)
    await ordersInList(one).toEqual(['F-2'])
    await ordersInList(other).toEqual(['F-2'])
    expect(await references(other.services, 'skipped')).toEqual(['F-1'])
  })
})
