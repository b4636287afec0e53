import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { toConsigneeKey } from '../../../src/main/orders/address'
import { HeldOrders } from '../../../src/main/orders/heldOrders'
import { OrderListRepository } from '../../../src/main/orders/listRepository'
import { OrderImport } from '../../../src/main/orders/orderImport'
import { emptyOrderContent, Orders } from '../../../src/main/orders/orders'
import { OrdersToShip } from '../../../src/main/orders/ordersToShip'
import { OrderRecheck } from '../../../src/main/orders/recheck'
import { OrderRepository } from '../../../src/main/orders/repository'
import { readTable } from '../../../src/main/tables/readTable'
import { methods } from '../../../src/shared/bridge'
import {
  type OrderMapping,
  type OrderQuery,
  type OrderRule,
  type OrderState,
  orderOriginSchema,
} from '../../../src/shared/orders'
import { defaultSettings } from '../../../src/shared/settings'
import type { ShipmentDefaults } from '../../../src/shared/shipments'
import { openTestDatabase } from '../../support/databaseWorker'
import { unshared } from '../../support/noFleet'
import { firstToShip } from '../../support/orderRows'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'
import { textCell, toWorkbook } from '../../support/workbooks'

/** An order list with its own database; `shipped` are the references that the station has shipped. */
async function openOrders(
  shipped = new Set<string>(),
  scanner = { ...defaultSettings.scanner },
  station: { rules: OrderRule[]; printers: string[]; defaults?: ShipmentDefaults; from?: string[] } = {
    rules: [{ name: 'Germany', when: { countries: ['DE'] }, set: { carrierOptionId: 34 } }],
    printers: ['file'],
  },
) {
  const { from = ['NL'] } = station
  const database = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  const repository = new OrderRepository(database.value)
  const orderList = new OrderListRepository(database.value)
  const deps = {
    currentOperator: () => 'Anna',
    sharing: unshared,
    claims: { findBlocker: async () => undefined },
    ...{ repository, orderList },
    readTable,
    sendingCountries: async () => from,
    settings: {
      current: () => ({
        ...defaultSettings,
        ...{ shipmentDefaults: station.defaults ?? { country: 'NL' }, orderRules: station.rules, scanner },
        printers: station.printers.map((id) => ({ driver: 'folder' as const, id, path: 'out' })),
      }),
    },
    shippedReferences: async (references: readonly string[]) =>
      new Set(references.filter((reference) => shipped.has(reference))),
    now: () => new Date('2026-11-22T08:00:00.000Z'),
    bus: createEventBus(),
    log: silentLog,
    people: { isGuarded: () => false },
  }
  const orders = new Orders(deps)
  const orderImport = new OrderImport(deps)
  const take = async (name: string, text: string, onDuplicate: 'skip' | 'update' = 'skip') => {
    const plan = await orderImport.readFile(name, new TextEncoder().encode(text), false)
    if (!plan.ok) throw new Error(plan.error.message)
    const result = await orderImport.import(plan.value.importId, plan.value.mapping, onDuplicate)
    if (!result.ok) throw new Error(result.error.message)
    return result.value
  }
  const references = async (state: OrderState) => {
    const { orders: listed } = await orders.list({ ...firstToShip, state })
    return listed.map(({ values }) => values.reference)
  }
  return {
    ...{ orders, orderImport, ordersToShip: new OrdersToShip(deps), heldOrders: new HeldOrders(deps) },
    ...{
      orderRecheck: new OrderRecheck(deps),
      repository,
      orderList,
      take,
      references,
      database: database.value,
    },
  }
}

const header = 'Order number;Name;Street;House number;Postal code;City;Country;Weight (g)'

it('an incomplete order is listed with its issues, and moves to the orders to ship when it is corrected', async () => {
  const { orders, take, references } = await openOrders()
  const result = await take(
    'orders.csv',
    `${header}\nA-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500\nA-2;;Dam;2;1012 JS;;NL;\n`,
  )
  expect(result).toEqual({ added: 2, updated: 0, skipped: 0, withIssues: 1 })
  expect(await references('to-ship')).toEqual(['A-1'])
  const [problem] = (await orders.list({ ...firstToShip, state: 'problem' })).orders
  expect(problem).toMatchObject({
    source: { kind: 'file', name: 'orders.csv', line: 3 },
    issues: [
      { field: 'city', code: 'required' },
      { field: 'lastName', code: 'name-required' },
    ],
  })
  if (problem === undefined) return
  const corrected = await orders.change(problem.id, { ...problem.values, city: 'Amsterdam', lastName: 'Bos' })
  expect(corrected).toMatchObject({ ok: true, value: { state: 'to-ship', issues: [] } })
  expect(await references('to-ship')).toEqual(['A-1', 'A-2'])
})

it('an order names its line in the file as a spreadsheet program counts, with rows without a value', async () => {
  const { orders, take } = await openOrders()
  await take('orders.csv', `${header}\n\nA-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500\n;;;;;;;\nA-2;;;;;;;\n`)
  const [problem] = (await orders.list({ ...firstToShip, state: 'problem' })).orders
  expect(problem).toMatchObject({ values: { reference: 'A-2' }, source: { name: 'orders.csv', line: 5 } })
})

it('add lists a typed order, with issues if incomplete, and refuses a known reference', async () => {
  const { orders, references } = await openOrders(new Set(['A-0']))
  const values = { lastName: 'Jansen', street: 'Dorpsstraat', city: 'Utrecht', country: 'NL' }
  expect(await orders.add({ reference: 'A-1', ...values })).toMatchObject({
    ok: true,
    value: { state: 'to-ship', source: { kind: 'typed', line: null } },
  })
  expect(await orders.add({ reference: 'A-2' })).toMatchObject({ value: { state: 'problem' } })
  for (const reference of ['A-0', 'A-1', ' A-2'])
    expect(await orders.add({ reference, ...values })).toMatchObject({ error: { code: 'order-known' } })
  expect(await references('to-ship')).toEqual(['A-1'])
})

it('an order with a reference like a scanner command or badge has an issue until the prefix changes', async () => {
  const scanner = { ...defaultSettings.scanner }
  const { orders, take, references, orderRecheck } = await openOrders(new Set(), scanner)
  const line = (reference: string) => `${reference};Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500`
  const result = await take(
    'orders.csv',
    [header, line('A-1'), line('pbcmdSHIP'), line('PBBADGE-7'), line('W-9')].join('\n'),
  )
  expect(result).toEqual({ added: 4, updated: 0, skipped: 0, withIssues: 2 })
  expect((await orders.list({ ...firstToShip, state: 'problem' })).orders).toMatchObject([
    { issues: [{ field: 'reference', code: 'scanned-as-command' }] },
    { issues: [{ field: 'reference', code: 'scanned-as-badge' }] },
  ])
  Object.assign(scanner, { commandPrefix: 'W-', badgePrefix: '%%' })
  await orderRecheck.followScanner()
  expect(await references('to-ship')).toEqual(['A-1', 'pbcmdSHIP', 'PBBADGE-7'])
  expect(await references('problem')).toEqual(['W-9'])
  Object.assign(scanner, { commands: false })
  await orderRecheck.followScanner()
  expect(await references('problem')).toEqual([])
})

it('an order with a missing printer in its rule has an issue until the printer or the rule changes', async () => {
  const germany = { name: 'Germany', when: { countries: ['DE'] }, set: { printer: 'wide' } }
  const station = { rules: [germany], printers: ['file'] }
  const { orders, take, references, orderRecheck } = await openOrders(new Set(), undefined, station)
  const line = (reference: string, country: string) =>
    `${reference};Jan Smit;Dam;1;1012 JS;Amsterdam;${country};500`
  await take('orders.csv', [header, line('A-1', 'NL'), line('A-2', 'DE')].join('\n'))
  expect(await references('to-ship')).toEqual(['A-1'])
  expect((await orders.list({ ...firstToShip, state: 'problem' })).orders).toMatchObject([
    { values: { reference: 'A-2' }, issues: [{ field: 'printer', code: 'printer-unknown' }] },
  ])
  station.printers = ['file', 'wide']
  await orderRecheck.followSettings()
  expect(await references('to-ship')).toEqual(['A-1', 'A-2'])
  // The printer is removed while the app is not running.
  station.printers = ['file']
  await orderRecheck.start()
  await vi.waitFor(async () => expect(await references('problem')).toEqual(['A-2']))
  station.rules = []
  await orderRecheck.start()
  await vi.waitFor(async () => expect(await references('problem')).toEqual([]))
})

it('an order without a country is a problem until the shipment defaults have one, and again without it', async () => {
  const station = { rules: [], printers: ['file'], defaults: {} }
  const { orders, take, references, orderRecheck } = await openOrders(new Set(), undefined, station)
  const line = (reference: string, name = 'Jan Smit') => `${reference};${name};Dam;1;1012 JS;Amsterdam;;500`
  await take(
    'orders.csv',
    [header, line('A-1'), line('A-2', ''), line('A-3'), line('A-3', 'Zoë Bos')].join('\n'),
  )
  expect(await references('problem')).toEqual(['A-1', 'A-2', 'A-3', 'A-3'])
  const listProblems = async () =>
    (await orders.list({ ...firstToShip, state: 'problem' })).orders.map(({ values, issues }) => [
      values.reference,
      ...issues.map(({ code }) => code),
    ])
  const withCountry = [
    ['A-2', 'name-required'],
    ['A-3', 'twice-in-file'],
  ]
  station.defaults = { country: 'NL' }
  await orderRecheck.followSettings()
  expect(await listProblems()).toEqual(withCountry)
  station.defaults = {}
  await orderRecheck.followSettings()
  expect(await references('problem')).toEqual(['A-1', 'A-2', 'A-3', 'A-3'])
  // The default is set while the app is not running.
  station.defaults = { country: 'NL' }
  await orderRecheck.start()
  await vi.waitFor(async () => expect(await listProblems()).toEqual(withCountry))
})

it('findToShip offers open orders with the same consignee and carrier option as companions', async () => {
  const { orders, repository, take, ordersToShip } = await openOrders(new Set(['A-6']))
  const line = (reference: string, rest: string) => `${reference};${rest};500`
  await take(
    'orders.csv',
    [
      header,
      line('A-1', 'Zoë van Dam;Dam;12 A;1012 JS;Amsterdam;NL'),
      line('A-2', 'ZOE VAN DAM;Dam;12a;1012js;AMSTERDAM;NL'),
      line('A-3', 'Zoë van Dam;Dam;12 B;1012 JS;Amsterdam;NL'),
      line('A-4', 'Jan van Dam;Dam;12 A;1012 JS;Amsterdam;NL'),
      line('A-5', 'Zoë van Dam;Dam;12 A;1012 JS;Amsterdam;DE'),
      line('A-7', 'Zoë van Dam;Dam;12 A;1012 JS;Amsterdam;NL'),
      line('A-8', 'Zoë van Dam;Dam;12 A;1012 JS;Amsterdam;NL'),
      line('A-9', 'Zoë van Dam;Damrak;12 A;1012 JS;Amsterdam;NL'),
      line('A-10', 'Zoë van Dam;Dam;12 A;1012 JS;Amstelveen;NL'),
    ].join('\n'),
  )
  const [, , , , , seventh, eighth] = (await orders.list(firstToShip)).orders
  if (seventh === undefined || eighth === undefined) throw new Error('orders are missing')
  await orders.change(eighth.id, { ...eighth.values, carrierOptionId: '35' })
  const offered = async () =>
    (await ordersToShip.findToShip('A-1'))?.companions.map(({ order }) => order.values.reference)
  expect(await offered()).toEqual(['A-2', 'A-7'])
  await orders.skip([seventh.id], 'sold out')
  expect(await offered()).toEqual(['A-2'])
  await repository.markShipped(['A-2'], randomUUID())
  expect(await offered()).toEqual([])
})

it('an import skips or replaces listed orders as chosen, but never shipped ones', async () => {
  const shipped = new Set(['A-3'])
  const { orders, take, orderList } = await openOrders(shipped)
  const line = (reference: string, city: string) => `${reference};Jan Smit;Dam;1;1012 JS;${city};NL;500`
  await take('first.csv', [header, line('A-1', 'Amsterdam'), line('A-2', 'Amsterdam')].join('\n'))
  await orders.noteShipment({ id: randomUUID(), reference: 'A-2', state: 'created', resolution: null })
  const again = [header, line('A-1', 'Utrecht'), line('A-2', 'Utrecht'), line('A-3', 'Utrecht')].join('\n')
  expect(await take('second.csv', again)).toEqual({ added: 0, updated: 0, skipped: 3, withIssues: 0 })
  expect(await take('second.csv', again, 'update')).toEqual({
    added: 0,
    updated: 1,
    skipped: 2,
    withIssues: 0,
  })
  expect((await orders.list(firstToShip)).orders).toMatchObject([
    { values: { reference: 'A-1', city: 'Utrecht' } },
  ])
  expect(await orderList.counts()).toEqual({ 'to-ship': 1, problem: 0, shipped: 1, skipped: 0 })
})

it('an order shipped during an import or a correction stays shipped and unchanged', async () => {
  const { orders, repository, take, orderImport, orderList } = await openOrders()
  const line = (reference: string, city: string) => `${reference};Jan Smit;Dam;1;1012 JS;${city};NL;500`
  await take('first.csv', [header, line('A-1', 'Amsterdam'), line('A-2', 'Amsterdam')].join('\n'))
  const [, corrected] = (await orders.list(firstToShip)).orders
  if (corrected === undefined) throw new Error('the order is missing')
  const shipmentId = randomUUID()
  const ship = (reference: string) => repository.markShipped([reference], shipmentId)
  const { findKnownReferences, find } = repository

  const again = new TextEncoder().encode([header, line('A-1', '')].join('\n'))
  const plan = await orderImport.readFile('second.csv', again, false)
  if (!plan.ok) throw new Error(plan.error.message)
  vi.spyOn(repository, 'findKnownReferences').mockImplementationOnce(async (references) => {
    const found = await findKnownReferences.call(repository, references)
    await ship('A-1')
    return found
  })
  expect(await orderImport.import(plan.value.importId, plan.value.mapping, 'update')).toEqual({
    ok: true,
    value: { added: 0, updated: 0, skipped: 1, withIssues: 0 },
  })

  vi.spyOn(repository, 'find').mockImplementationOnce(async (id) => {
    const found = await find.call(repository, id)
    await ship('A-2')
    return found
  })
  expect(await orders.change(corrected.id, { ...corrected.values, city: 'Utrecht' })).toMatchObject({
    ok: false,
    error: { code: 'order-not-open' },
  })
  expect(await orderList.counts()).toEqual({ 'to-ship': 0, problem: 0, shipped: 2, skipped: 0 })
  const { orders: shipped } = await orders.list({ ...firstToShip, state: 'shipped' })
  expect(shipped.map(({ values }) => values.city)).toEqual(['Amsterdam', 'Amsterdam'])
})

it('a skipped order has its reason and operator, and an order put back has neither', async () => {
  const { orders, take } = await openOrders()
  await take('orders.csv', `${header}\nA-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500`)
  const [order] = (await orders.list(firstToShip)).orders
  if (order === undefined) throw new Error('the order is missing')
  await orders.skip([order.id], 'sold out')
  expect(await orders.get(order.id)).toMatchObject({
    value: { skippedReason: 'sold out', skippedBy: 'Anna' },
  })
  await orders.unskip([order.id])
  expect(await orders.get(order.id)).toMatchObject({ value: { skippedReason: null, skippedBy: null } })
})

it('an import that replaces a hot folder order keeps the order’s origin and extra fields', async () => {
  const { take, ordersToShip, heldOrders } = await openOrders()
  const values = { reference: 'A-1', lastName: 'Smit', street: 'Dam', city: 'Amsterdam', country: 'NL' }
  const source = { kind: 'hot-folder' as const, name: 'A-1.json', line: 1 }
  const extras = { printPhoneNumber: '+31201234567', signatureRequired: true, returnLabel: true }
  const content = { items: [], orderDate: null, orderValue: '', currency: '', columns: {} }
  await heldOrders.hold([{ id: randomUUID(), values, source, extras, ...content }])
  await take('orders.csv', `${header}\nA-1;Jan Smit;Dam;1;1012 JS;Utrecht;NL;500`, 'update')
  expect(await ordersToShip.findToShip('A-1')).toMatchObject({
    order: { origin: 'hot-folder' },
    values: { city: 'Utrecht' },
    extras,
  })
})

it('a repeated import of a folder file keeps the correction of a hot folder order that it replaced', async () => {
  const { orderImport, heldOrders, orders } = await openOrders()
  const values = { reference: 'A-1', lastName: 'Smit', street: 'Dam', city: 'Amsterdam', country: 'NL' }
  const source = { kind: 'hot-folder' as const, name: 'A-1.json', line: 1 }
  const content = { items: [], orderDate: null, orderValue: '', currency: '', columns: {}, extras: {} }
  const id = randomUUID()
  await heldOrders.hold([{ id, values, source, ...content }])
  const bytes = new TextEncoder().encode(`${header}\nA-1;Jan Smit;Dam;1;1012 JS;Utrecht;NL;500`)
  const importFile = (resumedFrom: string | null) =>
    orderImport.importFile('shop.csv', bytes, null, 'update', { id: 'claim', resumedFrom })
  expect(await importFile(null)).toMatchObject({ value: { updated: 1 } })
  const replaced = await orders.get(id)
  expect(replaced).toMatchObject({ value: { values: { city: 'Utrecht' } } })
  if (replaced.ok) await orders.change(id, { ...replaced.value.values, city: 'Zwolle' })
  expect(await importFile('2026-11-22T08:00:00.000Z')).toMatchObject({ value: { updated: 1 } })
  expect(await orders.get(id)).toMatchObject({ value: { values: { city: 'Zwolle' } } })
})

it('a repeated import of a folder file replaces a hot folder order that it had not replaced yet', async () => {
  const { orderImport, heldOrders, orders } = await openOrders()
  const values = { reference: 'A-1', lastName: 'Smit', street: 'Dam', city: 'Amsterdam', country: 'NL' }
  const source = { kind: 'hot-folder' as const, name: 'A-1.json', line: 1 }
  const content = { items: [], orderDate: null, orderValue: '', currency: '', columns: {}, extras: {} }
  const id = randomUUID()
  await heldOrders.hold([{ id, values, source, ...content }])
  const bytes = new TextEncoder().encode(`${header}\nA-1;Jan Smit;Dam;1;1012 JS;Utrecht;NL;500`)
  const claim = { id: 'claim', resumedFrom: '2026-11-22T08:00:00.000Z' }
  await orderImport.importFile('shop.csv', bytes, null, 'update', claim)
  expect(await orders.get(id)).toMatchObject({ value: { values: { city: 'Utrecht' } } })
})

it.each([
  ['marks an order as shipped whose shipment was created', null, { 'to-ship': 0, shipped: 1 }],
  ['puts back an order whose shipment was cancelled at the carrier', 1, { 'to-ship': 1, shipped: 0 }],
])('unskip %s while it was skipped', async (_what, cancelledAt, counts) => {
  const { orders, take, orderList, database } = await openOrders()
  await take('orders.csv', `${header}\nA-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500`)
  const ids = (await orders.list(firstToShip)).orders.map(({ id }) => id)
  await orders.skip(ids, 'sold out')
  await sql`insert into shipments (id, attempt_id, reference, state, origin, draft, recipient, city, country,
    carrier_option_id, print, taken_at, search_text, cancelled_at)
    values ('S-1', 'S-1', 'A-1', 'created', 'screen', '{}', '', '', '', 1, 0, '', '', ${cancelledAt})`.execute(
    database,
  )
  await orders.unskip(ids)
  expect(await orderList.counts()).toMatchObject({ ...counts, skipped: 0 })
})

it('unskip does not put back an order that was shipped meanwhile', async () => {
  const { orders, repository, take, orderList } = await openOrders()
  await take('orders.csv', `${header}\nA-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500`)
  const ids = (await orders.list(firstToShip)).orders.map(({ id }) => id)
  await orders.skip(ids, 'sold out')
  const findAll = repository.findAll.bind(repository)
  vi.spyOn(repository, 'findAll').mockImplementationOnce(async (each) => {
    const found = await findAll(each)
    await orders.unskip(ids)
    await repository.markShipped(['A-1'], randomUUID())
    return found
  })
  expect(await orders.unskip(ids)).toEqual({ ok: true, value: 0 })
  expect(await orderList.counts()).toMatchObject({ 'to-ship': 0, shipped: 1, skipped: 0 })
})

it('a second order with the same reference and another consignee in a file has an issue', async () => {
  const { orders, take, orderList } = await openOrders()
  await take(
    'orders.csv',
    `${header}\nA-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500\nA-1;Els Bos;Meir;24;2000;Antwerpen;BE;300\n`,
  )
  expect(await orderList.counts()).toMatchObject({ 'to-ship': 1, problem: 1 })
  expect((await orders.list({ ...firstToShip, state: 'problem' })).orders).toMatchObject([
    { values: { lastName: 'Bos' }, issues: [{ field: 'reference', code: 'twice-in-file' }] },
  ])
})

const twoOfOne = `${header}\nA-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500\nA-1;Els Bos;Meir;24;2000;Antwerpen;BE;300\n`

it('a shipment that was cancelled at the carrier does not end an order that was put back into the list', async () => {
  const { orders, take, references } = await openOrders()
  await take('orders.csv', `${header}\nA-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500\n`)
  const shipment = { id: randomUUID(), reference: 'A-1', state: 'created', resolution: null } as const
  const cancellation = { at: '2026-11-22T08:00:00.000Z', by: null, note: 'By phone' }
  await orders.noteShipment({ ...shipment, cancellation })
  expect(await references('to-ship')).toEqual(['A-1'])
  await orders.noteShipment(shipment)
  expect(await references('shipped')).toEqual(['A-1'])
})

/** An order list with two orders of one reference in a file. */
async function openTwoOfOne(shipped = new Set<string>()) {
  const opened = await openOrders(shipped)
  await opened.take('orders.csv', twoOfOne)
  const [problem] = (await opened.orders.list({ ...firstToShip, state: 'problem' })).orders
  if (problem === undefined) throw new Error('the order is missing')
  const noteShipment = (reference = 'A-1') => {
    shipped.add(reference)
    return opened.orders.noteShipment({ id: randomUUID(), reference, state: 'created', resolution: null })
  }
  return { ...opened, problem, noteShipment }
}

const correctedFirst = `${header}\nA-1;Jan Smit;Dam;1;1012 JS;Utrecht;NL;500\n`

const twiceInFile = [{ field: 'reference' as const, code: 'twice-in-file' }]

describe('the second order of a reference', () => {
  it('stays open when the first one is shipped, and is shipped under a new reference', async () => {
    const { orders, problem, noteShipment, orderList } = await openTwoOfOne()
    await noteShipment()
    expect(await orderList.counts()).toMatchObject({ 'to-ship': 0, problem: 1, shipped: 1 })
    const values = { ...problem.values, reference: 'A-2' }
    expect(await orders.change(problem.id, values)).toMatchObject({ value: { state: 'to-ship', issues: [] } })
    await noteShipment('A-2')
    expect(await orderList.counts()).toMatchObject({ 'to-ship': 0, problem: 0, shipped: 2 })
  })

  it('keeps its issue when it is saved with the same reference, until the first one is skipped', async () => {
    const { orders, problem, references } = await openTwoOfOne()
    const save = () => orders.change(problem.id, { ...problem.values, reference: ' A-1', city: 'Gent' })
    expect(await save()).toMatchObject({ value: { state: 'problem', issues: twiceInFile } })
    const [first] = (await orders.list(firstToShip)).orders
    await orders.skip([first?.id ?? ''], 'sold out')
    expect(await save()).toMatchObject({ value: { state: 'to-ship', issues: [] } })
    expect(await orders.unskip([first?.id ?? ''])).toMatchObject({ value: 1 })
    expect(await orders.get(first?.id ?? '')).toMatchObject({
      value: { state: 'problem', issues: twiceInFile },
    })
    expect(await references('to-ship')).toEqual(['A-1'])
  })

  it('keeps its issue after the first one was shipped', async () => {
    const { orders, problem, noteShipment } = await openTwoOfOne()
    await noteShipment()
    expect(await orders.change(problem.id, problem.values)).toMatchObject({
      value: { state: 'problem', issues: twiceInFile },
    })
  })

  it('is found by a scan only after the first one, and ends with its own shipment', async () => {
    const { ordersToShip, noteShipment, problem, orderList } = await openTwoOfOne()
    const scanned = async () => (await ordersToShip.findToShip('A-1'))?.order.id
    expect(await scanned()).not.toBe(problem.id)
    await noteShipment()
    expect(await scanned()).toBe(problem.id)
    await noteShipment()
    expect(await orderList.counts()).toMatchObject({ problem: 0, shipped: 2 })
  })

  it('keeps its content when an update corrects the first one', async () => {
    const { orders, problem, take, repository } = await openTwoOfOne()
    expect(await take('orders.csv', correctedFirst, 'update')).toMatchObject({ added: 0, updated: 1 })
    expect(await repository.findOpen('A-1')).toMatchObject({ values: { lastName: 'Smit', city: 'Utrecht' } })
    expect(await orders.get(problem.id)).toMatchObject({
      value: { state: 'problem', issues: twiceInFile, values: { lastName: 'Bos', city: 'Antwerpen' } },
    })
  })

  it('is replaced, and not added again, when an update repeats the file', async () => {
    const { orders, problem, take, orderList } = await openTwoOfOne()
    const again = twoOfOne.replace('Antwerpen', 'Gent')
    expect(await take('orders.csv', again, 'update')).toMatchObject({ added: 0, updated: 2, withIssues: 1 })
    expect(await orderList.counts()).toMatchObject({ 'to-ship': 1, problem: 1 })
    expect(await orders.get(problem.id)).toMatchObject({
      value: { issues: twiceInFile, values: { lastName: 'Bos', city: 'Gent' } },
    })
  })

  it('does not keep the first one from being updated, or from being repeated, after it was skipped', async () => {
    const { orders, problem, take, repository, heldOrders, orderList } = await openTwoOfOne()
    await orders.skip([problem.id], 'sold out')
    expect(await take('orders.csv', correctedFirst, 'update')).toMatchObject({ updated: 1, skipped: 0 })
    expect(await repository.findOpen('A-1')).toMatchObject({ values: { city: 'Utrecht' } })
    const values = { reference: 'A-1', lastName: 'Jansen', street: 'Dam', city: 'Gouda', country: 'NL' }
    const source = { kind: 'hot-folder' as const, name: 'A-1.json', line: 1 }
    await heldOrders.hold([{ ...emptyOrderContent, id: randomUUID(), values, source }])
    expect(await orderList.counts()).toMatchObject({ 'to-ship': 1, problem: 1, skipped: 1 })
  })

  it.each(['hot-folder', 'other-station'] as const)(
    'keeps its content through an update if an order file waits for it (origin: %s)',
    async (origin) => {
      const { take, repository, orders } = await openOrders()
      await take('orders.csv', `${header}\nA-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500`)
      const values = { reference: 'A-1', lastName: 'Jansen', street: 'Dam', city: 'Gouda', country: 'NL' }
      const source = { kind: 'hot-folder' as const, name: 'A-1.json', line: 1 }
      const id = randomUUID()
      const held = {
        ...emptyOrderContent,
        id,
        values,
        source,
        origin,
        importedAt: '2026-11-22T08:00:00.000Z',
      }
      await repository.save([{ ...held, state: 'problem', issues: twiceInFile, carrierOption: '' }], [])
      expect(await take('orders.csv', twoOfOne, 'update')).toMatchObject({ added: 1, updated: 1 })
      expect(await orders.get(id)).toMatchObject({ value: { values: { lastName: 'Jansen' } } })
    },
  )

  it('is a problem again when both are skipped and put back', async () => {
    const { orders, problem, orderList } = await openTwoOfOne()
    const ids = [problem.id, ...(await orders.list(firstToShip)).orders.map(({ id }) => id)]
    await orders.skip(ids, 'sold out')
    await orders.unskip(ids)
    expect(await orderList.counts()).toMatchObject({ 'to-ship': 1, problem: 1, skipped: 0 })
  })
})

it('change refuses a reference that another order has or that was shipped', async () => {
  const { orders, take } = await openOrders(new Set(['A-0']))
  const line = (reference: string) => `${reference};Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500`
  await take('orders.csv', [header, line('A-1'), line('A-2'), line('A-3')].join('\n'))
  const [order, second] = (await orders.list(firstToShip)).orders
  if (order === undefined || second === undefined) throw new Error('the order is missing')
  await orders.skip([second.id], 'sold out')
  for (const reference of ['A-0', 'A-2', ' A-3'])
    expect(await orders.change(order.id, { ...order.values, reference })).toMatchObject({
      error: { code: 'order-known' },
    })
  expect(await orders.get(order.id)).toMatchObject({ value: { values: { reference: 'A-1' } } })
})

it('list finds orders by words in any order without accents, and by country, file, carrier option and day', async () => {
  const { orders, take, orderList } = await openOrders()
  await take(
    'a.csv',
    `${header}\nA-1;Zoë Müller;Hauptstraße;5;50667;Köln;DE;500\nA-2;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500\n`,
  )
  const find = async (change: Partial<OrderQuery>) =>
    (await orders.list({ ...firstToShip, ...change })).orders.map(({ values }) => values.reference)
  expect(await find({ text: 'koln zoe' })).toEqual(['A-1'])
  expect(await find({ text: 'MULLER hauptstr' })).toEqual(['A-1'])
  expect(await find({ text: 'koln smit' })).toEqual([])
  expect(await find({ country: 'NL' })).toEqual(['A-2'])
  expect(await find({ source: 'b.csv' })).toEqual([])
  expect(await find({ carrierOptionId: '34' })).toEqual(['A-1'])
  expect(await find({ from: '2026-11-22', to: '2026-11-22' })).toEqual(['A-1', 'A-2'])
  expect(await find({ to: '2026-11-21' })).toEqual([])
  expect(await orderList.filters('to-ship')).toEqual({
    countries: ['DE', 'NL'],
    origins: ['file'],
    sources: ['a.csv'],
    carrierOptionIds: ['34'],
  })
})

it('list finds orders by their origin, even after a correction', async () => {
  const { orders, take, orderImport, ordersToShip, heldOrders, orderList } = await openOrders()
  const line = (reference: string) => `${reference};Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500`
  const toBytes = (reference: string) => new TextEncoder().encode(`${header}\n${line(reference)}\n`)
  await take('a.csv', `${header}\n${line('A-FILE')}\n`)
  const pasted = await orderImport.readFile('Pasted rows', toBytes('A-PASTED'), true)
  if (!pasted.ok) throw new Error(pasted.error.message)
  await orderImport.import(pasted.value.importId, pasted.value.mapping, 'skip')
  const values = { lastName: 'Smit', street: 'Dam', city: 'Amsterdam', country: 'NL' }
  await orders.add({ ...values, reference: 'A-TYPED' })
  await orderImport.importFile('b.csv', toBytes('A-FOLDER'), null, 'skip', { id: 'claim', resumedFrom: null })
  const source = { kind: 'hot-folder' as const, name: 'c.json', line: 1 }
  const content = { items: [], orderDate: null, orderValue: '', currency: '', columns: {} }
  await heldOrders.hold([{ ...content, id: randomUUID(), values: { ...values, reference: 'A-HOT' }, source }])

  const origins = async () => {
    const listed = (await orders.list(firstToShip)).orders
    return listed.map(({ values: { reference }, origin }) => [reference, origin])
  }
  const expected = [
    ['A-FILE', 'file'],
    ['A-PASTED', 'pasted'],
    ['A-TYPED', 'typed'],
    ['A-FOLDER', 'import-folder'],
    ['A-HOT', 'hot-folder'],
  ]
  expect(await origins()).toEqual(expected)
  for (const { id, values: before } of (await orders.list(firstToShip)).orders)
    await orders.change(id, { ...before, city: 'Utrecht' })
  expect(await origins()).toEqual(expected)
  expect((await orderList.filters('to-ship')).origins.toSorted()).toEqual(
    expected.map(([, origin]) => origin).toSorted(),
  )
  for (const origin of orderOriginSchema.options) {
    const { orders: found } = await orders.list({ ...firstToShip, origin })
    expect(found.map(({ values: { reference } }) => reference)).toEqual(
      expected.flatMap(([reference, each]) => (each === origin ? reference : [])),
    )
  }
  // An import that replaces an order becomes its origin.
  await take('d.csv', `${header}\n${line('A-TYPED')}\n`, 'update')
  expect((await ordersToShip.findToShip('A-TYPED'))?.order.origin).toBe('file')
})

it('forgetClosed removes shipped orders that were closed before the given time, but no open ones', async () => {
  const { orders, take, orderList } = await openOrders()
  const line = (reference: string) => `${reference};Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500`
  await take('a.csv', [header, line('A-1'), line('A-2')].join('\n'))
  await orders.noteShipment({ id: randomUUID(), reference: 'A-1', state: 'created', resolution: null })
  await orders.forgetClosed(new Date('2026-11-22T08:00:00.000Z'))
  expect(await orderList.counts()).toMatchObject({ 'to-ship': 1, shipped: 1 })
  await orders.forgetClosed(new Date('2026-11-22T08:00:00.001Z'))
  expect(await orderList.counts()).toMatchObject({ 'to-ship': 1, shipped: 0 })
})

it('findToShip fills in missing values from the matching order rule', async () => {
  const { orders, take, ordersToShip } = await openOrders()
  await take('a.csv', `${header}\nA-1;Zoë Müller;Hauptstraße;5;50667;Köln;DE;500\n`)
  expect(await ordersToShip.findToShip('A-1')).toMatchObject({
    order: {
      ...{ rule: 'Germany', because: [{ condition: 'countries', value: 'DE' }] },
      values: { weight: '0.5' },
    },
    values: { carrierOptionId: '34', weight: '0.5', city: 'Köln' },
  })
  expect(await ordersToShip.findToShip('A-2')).toBeNull()
  // The matching conditions are computed for a single order, not for each order of a list.
  const [listed] = (await orders.list(firstToShip)).orders
  expect(listed).toMatchObject({ rule: 'Germany' })
  expect(listed).not.toHaveProperty('because')
  expect(await orders.get(listed?.id ?? '')).toMatchObject({
    value: { because: [{ condition: 'countries', value: 'DE' }] },
  })
})

it('the list can be filtered by its newest files, whatever their names', async () => {
  const { take, orderList, database } = await openOrders()
  const rows = Array.from({ length: 501 }, (_, at) => `A-${at};Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500`)
  await take('a.csv', [header, ...rows].join('\n'))
  await sql`update orders set source_name = printf('%05d.csv', number)`.execute(database)
  const { sources } = await orderList.filters('to-ship')
  expect(sources).toHaveLength(500)
  expect([sources[0], sources.at(-1)]).toEqual(['00002.csv', '00501.csv'])
})

it.each([
  { from: ['NL'], asked: ['CH', 'GB'] },
  { from: ['GB'], asked: ['CH', 'DE', 'NL'] },
  { from: ['NL', 'DE'], asked: ['CH', 'GB'] },
  // Without a sender, the country that most parcels go to: here the Netherlands.
  { from: [], asked: ['CH', 'GB'] },
  // Most parcels go to the Netherlands, so the sender there is the one at home.
  { from: ['NL', 'GB'], asked: ['CH', 'GB'] },
  // Nobody says from which of them the parcel leaves.
  { from: ['DE', 'GB'], asked: ['CH', 'DE', 'GB', 'NL'] },
])('an order of a batch from $from is not sent without customs data to $asked', async ({ from, asked }) => {
  const { orders, take, ordersToShip } = await openOrders(new Set(), undefined, {
    ...{ rules: [], printers: [], from },
  })
  const rows = ['CH', 'DE', 'GB', 'NL'].map((country) => `${country};Jan Smit;Dam;1;10112;X;${country};500`)
  await take('a.csv', [header, ...rows, ''].join('\n'))
  const refused: unknown[] = []
  for (const { id, values } of (await orders.list(firstToShip)).orders) {
    const ready = await ordersToShip.findReady(id)
    const issues = ready.ok && !ready.value.ok ? ready.value.error : []
    if (issues.some(({ code }) => code === 'customs-needed')) refused.push(values.country)
  }
  expect(refused.toSorted()).toEqual(asked)
})

it('an order that has left the list in which it was chosen is not skipped with the others', async () => {
  const { orders, take, references } = await openOrders()
  const rows = ['A-1', 'A-2'].map((reference) => `${reference};Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500`)
  await take('a.csv', [header, ...rows, ''].join('\n'))
  const chosen = (await orders.list(firstToShip)).orders
  const left = chosen.find(({ values }) => values.reference === 'A-2')
  if (left === undefined) throw new Error('the order is missing')
  await orders.change(left.id, { ...left.values, city: '' })
  const ids = chosen.map(({ id }) => id)
  expect(await orders.skip(ids, 'sold out', 'to-ship')).toEqual(ids.filter((id) => id !== left.id))
  expect(await references('problem')).toEqual(['A-2'])
  expect(await orders.skip(ids, 'sold out', 'shipped')).toEqual([])
})

it('an order can be skipped with a reason and put back, and the mapping of a file is remembered for the same headings', async () => {
  const { orders, take, references, orderImport } = await openOrders()
  await take('a.csv', `${header}\nA-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500\n`)
  const [order] = (await orders.list(firstToShip)).orders
  if (order === undefined) throw new Error('the order is missing')
  expect(await orders.skip([order.id], 'collected at the door')).toEqual([order.id])
  expect((await orders.list({ ...firstToShip, state: 'skipped' })).orders).toMatchObject([
    { skippedReason: 'collected at the door', skippedBy: 'Anna' },
  ])
  expect(await orders.change(order.id, order.values)).toMatchObject({
    ok: false,
    error: { code: 'order-not-open' },
  })
  expect(await orders.unskip([order.id])).toEqual({ ok: true, value: 1 })
  expect(await references('to-ship')).toEqual(['A-1'])
  const plan = await orderImport.readFile(
    'b.csv',
    new TextEncoder().encode(`${header}\nB-1;X;Y;1;1;Z;NL;1\n`),
    false,
  )
  expect(plan).toMatchObject({ ok: true, value: { remembered: true, total: 1 } })
})

it('exports of the supported shops are imported without a changed mapping', async () => {
  const { orderImport, orderList } = await openOrders()
  for (const name of ['shopify', 'woocommerce', 'magento', 'lightspeed', 'bol']) {
    const bytes = await readFile(new URL(`../../support/orderExports/${name}.csv`, import.meta.url))
    const plan = await orderImport.readFile(`${name}.csv`, bytes, false)
    if (!plan.ok) throw new Error(plan.error.message)
    expect(await orderImport.import(plan.value.importId, plan.value.mapping, 'skip')).toEqual({
      ok: true,
      value: { added: 2, updated: 0, skipped: 0, withIssues: 0 },
    })
  }
  expect(await orderList.counts()).toEqual({ 'to-ship': 10, problem: 0, shipped: 0, skipped: 0 })
})

it('pasted rows without headings are all orders, with columns recognized by their content', async () => {
  const { orderImport } = await openOrders()
  const rows = [
    'A-1\tJan Smit\tDam 1\t1012 JS\tAmsterdam\tNL\tjan@example.nl',
    'A-2\tZoë Müller\tHauptstraße 5a\t50667\tKöln\tDE\tzoe@example.de',
  ]
  const paste = (lines: readonly string[]) =>
    orderImport.readFile('Pasted rows', new TextEncoder().encode(lines.join('\r\n')), true)
  const plan = await paste(rows)
  if (!plan.ok) throw new Error(plan.error.message)
  const { importId, mapping, ...seen } = plan.value
  expect(seen).toMatchObject({ hasHeader: false, remembered: false, total: 2, withIssues: 0, rows: 2 })
  expect(seen.header).toEqual(['A', 'B', 'C', 'D', 'E', 'F', 'G'])
  expect(seen.orders.map(({ values, source }) => ({ ...values, source }))).toEqual([
    {
      ...{ reference: 'A-1', firstName: 'Jan', lastName: 'Smit', street: 'Dam', houseNumber: '1' },
      ...{ postalCode: '1012 JS', city: 'Amsterdam', country: 'NL', email: 'jan@example.nl' },
      source: { kind: 'pasted', name: 'Pasted rows', line: 1 },
    },
    {
      ...{ reference: 'A-2', firstName: 'Zoë', lastName: 'Müller', street: 'Hauptstraße', houseNumber: '5a' },
      ...{ postalCode: '50667', city: 'Köln', country: 'DE', email: 'zoe@example.de' },
      source: { kind: 'pasted', name: 'Pasted rows', line: 2 },
    },
  ])

  // A person can declare the first row as headings, and undo that.
  expect(await orderImport.takeFirstRow(importId, true)).toMatchObject({
    value: { hasHeader: true, total: 1, header: expect.arrayContaining(['Jan Smit']) },
  })
  expect(await orderImport.takeFirstRow(importId, false)).toMatchObject({
    value: { hasHeader: false, total: 2 },
  })

  // The chosen mapping is remembered for rows without headings and with the same number of columns.
  const withoutEmail = { ...mapping, fields: { ...mapping.fields, email: { fixed: 'shop@example.nl' } } }
  expect(await orderImport.import(importId, withoutEmail, 'skip')).toMatchObject({ value: { added: 2 } })
  const again = await paste([(rows[0] ?? '').replace('A-1', 'A-3'), (rows[1] ?? '').replace('A-2', 'A-4')])
  expect(again).toMatchObject({ value: { remembered: true, hasHeader: false, mapping: withoutEmail } })
})

it('order numbers that begin with a word are no dates, also in eight digits, when rows without headings are pasted', async () => {
  const { orders, orderImport } = await openOrders()
  for (const references of [
    ['ORDER-10023', 'ORDER-10024'],
    ['20261120', '20261121'],
  ]) {
    const text = references.map((each) => `${each}\tJan Smit\tDam 1\t1012 JS\tAmsterdam\tNL`).join('\n')
    const plan = await orderImport.readFile('Pasted rows', new TextEncoder().encode(text), true)
    if (!plan.ok) throw new Error(plan.error.message)
    expect(plan.value.orders.map(({ values }) => values.reference)).toEqual(references)
    await orderImport.import(plan.value.importId, plan.value.mapping, 'skip')
  }
  const listed = (await orders.list(firstToShip)).orders
  expect(listed.map(({ orderDate }) => orderDate)).toEqual([null, null, null, null])
})

it('an order whose date an earlier version stored wrongly does not make the list unreadable', async () => {
  const { orders, take, database } = await openOrders()
  await take('orders.csv', `${header}\nA-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500\n`)
  await database.updateTable('orders').set({ orderDate: '+012345-01' }).execute()
  expect(methods.listOrders.output.parse(await orders.list(firstToShip)).orders).toMatchObject([
    { orderDate: null },
  ])
})

it('rows without headings have street and house number in two columns and the reference in the last column recognized', async () => {
  const { orderImport } = await openOrders()
  const text = 'Bos BV;Dam;2;1012 JS;Amsterdam;NL;ORD-77\nJan Smit;Meir;24a;2000;Antwerpen;BE;ORD-78\n'
  expect(await orderImport.readFile('rows.csv', new TextEncoder().encode(text), false)).toMatchObject({
    value: {
      hasHeader: false,
      orders: [
        { values: { reference: 'ORD-77', street: 'Dam', houseNumber: '2', postalCode: '1012 JS' } },
        {
          values: {
            reference: 'ORD-78',
            street: 'Meir',
            houseNumber: '24a',
            city: 'Antwerpen',
            country: 'BE',
          },
        },
      ],
    },
  })
})

it('rows without headings keep their empty columns, but not the thousands that a program left behind them', async () => {
  const { orderImport } = await openOrders()
  const columnsOf = async (empty: number) => {
    const text = `A-1;Jan Smit;Dam 1; ${';'.repeat(empty)}\nA-2;Zoë Müller;Meir 2;Bell 3;\n`
    const plan = await orderImport.readFile('rows.csv', new TextEncoder().encode(text), false)
    if (!plan.ok) throw new Error(plan.error.message)
    return plan.value.header
  }
  expect(await columnsOf(2)).toEqual(['A', 'B', 'C', 'D', 'E', 'F'])
  expect(await columnsOf(16_380)).toEqual(['A', 'B', 'C', 'D'])
})

it('unknown headings are treated as headings, as is the first row of an automatic import with a mapping', async () => {
  const { orderImport } = await openOrders()
  const encode = (text: string) => new TextEncoder().encode(text)
  expect(
    await orderImport.readFile('rows.csv', encode('Kolom een;Kolom twee\nA-1;Dam 1\n'), false),
  ).toMatchObject({ value: { hasHeader: true, total: 1 } })
  const mapping: OrderMapping = { fields: { reference: { columns: ['A-1'] } }, weightUnit: 'kg' }
  const unseen = encode('A-1;Dam 1\nA-2;Dam 2\n')
  const claim = { id: 'claim', resumedFrom: null }
  expect(await orderImport.importFile('rows.csv', unseen, mapping, 'skip', claim)).toMatchObject({
    value: { added: 1 },
  })
})

it('rows pasted from a spreadsheet are imported with a line break and a tab in a cell', async () => {
  const { orders, orderImport } = await openOrders()
  const text =
    'Bestell-Nr.\tName\tLieferadresse Straße\tLieferadresse PLZ\tLieferadresse Ort\tLand\tGewicht (kg)\r\n' +
    'A-1\tJan Smit\t"Dam 1\nhinten\tlinks"\t1012 JS\tAmsterdam\tNiederlande\t1,5\r\n'
  const plan = await orderImport.readFile('Pasted rows', new TextEncoder().encode(text), true)
  if (!plan.ok) throw new Error(plan.error.message)
  await orderImport.import(plan.value.importId, plan.value.mapping, 'skip')
  expect((await orders.list(firstToShip)).orders).toMatchObject([
    {
      source: { kind: 'pasted', line: 2 },
      values: { reference: 'A-1', lastName: 'Smit', postalCode: '1012 JS', country: 'NL', weight: '1.5' },
    },
  ])
})

it('pasted rows are separated at their tabs, although their cells have more commas', async () => {
  const { orderImport } = await openOrders()
  const rows = ['A-1\tJansen, Jan\tDam 1,Utrecht,,3511 AB', 'A-2\tSmit, Els\tDam 2,Utrecht,,3511 AB']
  const plan = await orderImport.readFile('Pasted rows', new TextEncoder().encode(rows.join('\n')), true)
  expect(plan).toMatchObject({
    value: {
      orders: [{ values: { reference: 'A-1', firstName: 'Jan', lastName: 'Jansen' } }, {}],
    },
  })
})

it('a workbook is imported with numbers, dates and leading zeros as the spreadsheet shows them', async () => {
  const { orders, orderImport } = await openOrders()
  const row = (line: number, cells: readonly string[]) =>
    cells.map((text, at) => textCell(`${'ABCDEFGHI'[at]}${line}`, text)).join('')
  const headings = [
    'Order number',
    'Name',
    'Address',
    'Postal code',
    'City',
    'Country',
    'Phone',
    'Weight (kg)',
    'Order date',
  ]
  const bytes = toWorkbook(
    `<row r="1">${row(1, headings)}</row><row r="2">${row(2, ['A-1', 'Jan Smit', 'Dam 1'])}<c r="D2"><v>50667</v></c>` +
      `${textCell('E2', 'Köln')}${textCell('F2', 'DE')}${textCell('G2', '0221123456')}<c r="H2"><v>1.25</v></c><c r="I2" s="1"><v>46000</v></c></row>`,
  )
  const plan = await orderImport.readFile('orders.xlsx', bytes, false)
  if (!plan.ok) throw new Error(plan.error.message)
  expect(await orderImport.import(plan.value.importId, plan.value.mapping, 'skip')).toMatchObject({
    value: { added: 1 },
  })
  expect((await orders.list(firstToShip)).orders).toMatchObject([
    {
      source: { kind: 'file', name: 'orders.xlsx', line: 2 },
      orderDate: '2025-12-09',
      values: {
        reference: 'A-1',
        postalCode: '50667',
        phoneNumber: '0221123456',
        weight: '1.25',
        city: 'Köln',
      },
    },
  ])
})

it('a number of grams in a workbook has decimals, and a text of grams has thousands', async () => {
  const { orderImport } = await openOrders()
  const bytes = toWorkbook(
    `<row r="1">${textCell('A1', 'Order number')}${textCell('B1', 'Weight (g)')}</row>` +
      `<row r="2">${textCell('A2', 'A-1')}<c r="B2"><v>453.592</v></c></row>` +
      `<row r="3">${textCell('A3', 'A-2')}${textCell('B3', '1.250')}</row>`,
  )
  expect(await orderImport.readFile('orders.xlsx', bytes, false)).toMatchObject({
    value: { orders: [{ values: { weight: '0.454' } }, { values: { weight: '1.25' } }] },
  })
})

it('a weight with an exponent is a problem, since the form of Ship does not read it either', async () => {
  const { take } = await openOrders()
  const row = 'A-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;5e0'
  expect(await take('orders.csv', `${header}\n${row}\n`)).toMatchObject({ withIssues: 1 })
})

it('orders whose numbers a spreadsheet has rounded are problems of their own, and neither skipped, replaced nor ended by one another', async () => {
  const rounded = '1,23457E+12'
  const { orders, take, references, repository, orderRecheck } = await openOrders(new Set([rounded]))
  const rows = ['Jan Smit', 'Jan Smit', 'Piet Bos'].map(
    (name) => `${rounded};${name};Dam;1;1012 JS;Amsterdam;NL;500`,
  )
  const file = [header, ...rows, 'A-1E5;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500', ''].join('\n')
  expect(await take('orders.csv', file)).toEqual({ added: 4, updated: 0, skipped: 0, withIssues: 3 })
  expect(await take('later.csv', file, 'update')).toMatchObject({ added: 3, updated: 1, skipped: 0 })
  expect(await repository.markShipped([rounded], 'shipment')).toBe(false)
  await orderRecheck.followSettings()
  const problems = (await orders.list({ ...firstToShip, state: 'problem' })).orders
  const issues = [{ field: 'reference', code: 'cell-error' }]
  expect(problems).toMatchObject(
    Array.from({ length: 6 }, () => ({ values: { reference: rounded }, issues })),
  )
  const ids = problems.map(({ id }) => id)
  const named = ids.map((id) => ({ id, reference: rounded }))
  expect(await repository.listOpen(ids, 'imported', false)).toEqual(named)
  expect(await repository.findStanding(ids.slice(0, 1))).toMatchObject(named.slice(0, 1))
  const [problem] = problems
  const corrected = { ...problem?.values, reference: '1234567890123' }
  expect(await orders.change(problem?.id ?? '', corrected)).toMatchObject({ value: { state: 'to-ship' } })
  expect(await references('to-ship')).toEqual(['1234567890123', 'A-1E5'])
})

it('an order value with three digits after its only mark is thousands for the rules', async () => {
  const rules = [{ name: 'Valuable', when: { value: { min: 500 } }, set: { signatureRequired: true } }]
  const { orders, take } = await openOrders(new Set(), undefined, { rules, printers: [], defaults: {} })
  const row = 'A-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500;€ 1.299'
  expect(await take('orders.csv', `${header};Order total\n${row}\n`)).toMatchObject({ withIssues: 0 })
  expect((await orders.list(firstToShip)).orders).toMatchObject([{ rule: 'Valuable' }])
})

it('a letter that was cut off at the end of a value leaves the other values as they are, and makes its order a problem', async () => {
  const { orders, orderImport } = await openOrders()
  const [before, after] = [`${header}\nA-1;Jürgen Hö`, ';Königstraße;1;1012 JS;Köln;NL;500\n']
  // The first byte of «ß».
  const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xc3]), Buffer.from(after)])
  const plan = await orderImport.readFile('orders.csv', bytes, false)
  if (!plan.ok) throw new Error(plan.error.message)
  await orderImport.import(plan.value.importId, plan.value.mapping, 'skip')
  expect((await orders.list({ ...firstToShip, state: 'problem' })).orders).toMatchObject([
    {
      values: { firstName: 'Jürgen', lastName: 'Hö\uFFFD', street: 'Königstraße', city: 'Köln' },
      issues: [{ field: 'lastName', code: 'cell-error' }],
    },
  ])
})

it('an order whose house number a spreadsheet has changed into a date is a problem until the value is entered', async () => {
  const { orders, orderImport } = await openOrders()
  const row = (number: number, cells: readonly string[]) =>
    cells.map((text, index) => textCell(`${'ABCDE'[index]}${number}`, text)).join('')
  const texts = ['Order number', 'Name', 'Street', 'City', 'House number']
  // 46093 is 12 March 2026.
  const day = '<c r="E2" s="1"><v>46093</v></c>'
  const table = toWorkbook(
    `<row r="1">${row(1, texts)}</row>` +
      `<row r="2">${row(2, ['A-1', 'Jan Smit', 'Kerkstraat', 'Utrecht'])}${day}</row>` +
      `<row r="3">${row(3, ['A-2', 'Jan Smit', 'Kerkstraat', 'Utrecht', '12-3'])}</row>`,
  )
  const plan = await orderImport.readFile('orders.xlsx', table, false)
  if (!plan.ok) throw new Error(plan.error.message)
  const { importId, mapping } = plan.value
  expect(await orderImport.import(importId, mapping, 'skip')).toMatchObject({
    value: { added: 2, withIssues: 1 },
  })
  const [problem] = (await orders.list({ ...firstToShip, state: 'problem' })).orders
  expect(problem?.values.houseNumber).toBe('2026-03-12')
  expect(problem?.issues).toEqual([{ field: 'houseNumber', code: 'cell-error' }])
  const values = { ...problem?.values, houseNumber: '12-3' }
  expect(await orders.change(problem?.id ?? '', values)).toMatchObject({
    value: { state: 'to-ship', issues: [] },
  })
})

it('an order with a spreadsheet error or a formula without a result in a cell is a problem until the value is entered', async () => {
  const { orders, orderImport, references } = await openOrders()
  const row = (number: number, texts: readonly string[]) =>
    texts.map((text, index) => textCell(`${'ABCDEF'[index]}${number}`, text)).join('')
  const errors = '<c r="C2" t="e"><f>Z1</f><v>#REF!</v></c><c r="D2"><f> D9</f></c>'
  const table = toWorkbook(
    `<row r="1">${row(1, ['Order number', 'Name', 'Street', 'House number', 'City', 'Remark'])}</row>` +
      `<row r="2">${row(2, ['A-1', 'Jan Smit'])}${errors}${textCell('E2', '#N/B')}</row>` +
      `<row r="3">${row(3, ['A-2', 'Jan Smit', '#12 Main Street', '1', 'Delft', '=&gt; ring'])}</row>`,
  )
  const plan = await orderImport.readFile('orders.xlsx', table, false)
  if (!plan.ok) throw new Error(plan.error.message)
  const { importId, mapping } = plan.value
  const fields = { ...mapping.fields, content: { columns: ['Remark'] } }
  await orderImport.import(importId, { ...mapping, fields }, 'skip')
  expect(await references('to-ship')).toEqual(['A-2'])
  const [problem] = (await orders.list({ ...firstToShip, state: 'problem' })).orders
  expect(problem?.issues).toEqual(
    ['street', 'houseNumber', 'city'].map((field) => ({ field, code: 'cell-error' })),
  )
  const values = { ...problem?.values, street: 'Dam', houseNumber: '1', city: 'Delft' }
  expect(await orders.change(problem?.id ?? '', values)).toMatchObject({
    value: { state: 'to-ship', issues: [] },
  })
})

it('an error in one of the columns of a value is not hidden by the other columns', async () => {
  const { orderImport } = await openOrders()
  const table = new TextEncoder().encode('Order;N1;N2\nA-1;Jan;#N/A\n')
  const plan = await orderImport.readFile('orders.csv', table, false)
  if (!plan.ok) throw new Error(plan.error.message)
  const fields = { reference: { columns: ['Order'] }, fullName: { columns: ['N1', 'N2'] } }
  expect(await orderImport.plan(plan.value.importId, { fields, weightUnit: 'kg' })).toMatchObject({
    value: { orders: [{ issues: expect.arrayContaining([{ field: 'lastName', code: 'cell-error' }]) }] },
  })
})

it('an import lists the differences to open orders, and replaces only the chosen ones', async () => {
  const { orders, take, orderImport } = await openOrders()
  const line = (reference: string, city: string) => `${reference};Jan Smit;Dam;1;1012 JS;${city};NL;500`
  await take(
    'a.csv',
    [header, line('A-1', 'Amsterdam'), line('A-2', 'Amsterdam'), line('A-3', 'Delft')].join('\n'),
  )
  const again = [header, line('A-1', 'Utrecht'), line('A-2', 'Utrecht'), line('A-3', 'Delft')].join('\n')
  const plan = await orderImport.readFile('b.csv', new TextEncoder().encode(again), false)
  if (!plan.ok) throw new Error(plan.error.message)
  const change = { field: 'city', before: 'Amsterdam', after: 'Utrecht' }
  expect(plan.value.duplicates).toBe(3)
  expect(plan.value.differences).toEqual([
    { reference: 'A-1', changes: [change], itemsDiffer: false },
    { reference: 'A-2', changes: [change], itemsDiffer: false },
  ])
  const { importId, mapping } = plan.value
  expect(await orderImport.import(importId, mapping, 'chosen', ['A-2'])).toMatchObject({
    ok: true,
    value: { added: 0, updated: 1, skipped: 2 },
  })
  expect((await orders.list(firstToShip)).orders.map(({ values }) => values.city)).toEqual([
    'Amsterdam',
    'Utrecht',
    'Delft',
  ])
})

it('tryRules returns the matching rule and its conditions for each order without saving the rules', async () => {
  const { take, orderRecheck } = await openOrders()
  await take(
    'a.csv',
    `${header}\nA-1;Zoë Müller;Hauptstraße;5;50667;Köln;DE;500\nA-2;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500\n`,
  )
  const rules = [
    { name: 'Light to Germany', when: { countries: ['DE'], weight: { max: 1 } }, set: {} },
    { name: 'Any', when: { postalCodes: [{ from: '5', to: '6' }] }, set: {} },
  ]
  expect(await orderRecheck.tryRules(rules)).toMatchObject([
    {
      reference: 'A-1',
      rule: 'Light to Germany',
      because: [
        { condition: 'countries', value: 'DE' },
        { condition: 'weight', value: '0.5' },
      ],
    },
    { reference: 'A-2', rule: null, because: [] },
  ])
})

it('orders with cells longer than a field are listed with issues', async () => {
  const { orders, take } = await openOrders()
  const long = 'x'.repeat(5000)
  await take(
    'orders.csv',
    `${header};Lineitem name\nA-1;Jan Smit;${long};${long};1012 JS;Amsterdam;NL;500;${long}\nA-2;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500;Shirt\n`,
  )
  for (const state of ['to-ship', 'problem'] as const) {
    const listed = await orders.list({ ...firstToShip, state })
    expect(methods.listOrders.output.safeParse(listed).error).toBeUndefined()
    expect(listed.orders.map(({ values }) => values.reference)).toEqual([state === 'to-ship' ? 'A-2' : 'A-1'])
  }
})

it('an edit saved while rules are reapplied to all orders is kept and gets the new rules', async () => {
  const station: { rules: OrderRule[]; printers: string[] } = { rules: [], printers: ['file'] }
  const { orders, repository, take, orderRecheck } = await openOrders(new Set(), undefined, station)
  await take(
    'orders.csv',
    `${header}\nA-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500\nA-2;Jan Smit;Dam;2;1012 JS;Amsterdam;NL;500\n`,
  )
  const [first, second] = (await orders.list(firstToShip)).orders
  if (first === undefined || second === undefined) throw new Error('the orders are not there')
  const read = repository.listOpenAfter.bind(repository)
  // The new rules name a missing printer, and the edit happens after the orders were read and before they are written.
  station.rules = [
    { name: 'Wide', when: { countries: ['NL'] }, set: { printer: 'gone', carrierOptionId: 35 } },
  ]
  let edited = false
  vi.spyOn(repository, 'listOpenAfter').mockImplementation(async (...call) => {
    const found = await read(...call)
    if (edited) return found
    edited = true
    await orders.change(first.id, { ...first.values, city: 'Gouda' })
    await orders.change(second.id, { ...second.values, city: 'Gent', country: 'BE' })
    return found
  })
  await orderRecheck.followSettings()
  expect(await repository.find(first.id)).toMatchObject({
    ...{ state: 'problem', issues: [{ field: 'printer', code: 'printer-unknown' }] },
    values: { city: 'Gouda' },
  })
  expect(await repository.find(second.id)).toMatchObject({
    ...{ state: 'to-ship', issues: [] },
    values: { city: 'Gent', country: 'BE' },
  })
  const byCarrier = async (carrierOptionId: string, state: OrderState) =>
    (await orders.list({ ...firstToShip, state, carrierOptionId })).orders.map(({ id }) => id)
  expect(await byCarrier('35', 'problem')).toEqual([first.id])
  expect(await byCarrier('35', 'to-ship')).toEqual([])
  const listed = await repository.listOpenAfter(0, 10, false)
  for (const { order, consigneeKey } of listed) expect(consigneeKey).toBe(toConsigneeKey(order.values))
})

it('an edit is checked by the rules at the time of its write', async () => {
  const station: { rules: OrderRule[]; printers: string[] } = { rules: [], printers: ['file'] }
  const { orders, repository, take, orderRecheck } = await openOrders(new Set(), undefined, station)
  await take('orders.csv', `${header}\nA-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500\n`)
  const [order] = (await orders.list(firstToShip)).orders
  if (order === undefined) throw new Error('the order is not there')
  const find = repository.find.bind(repository)
  vi.spyOn(repository, 'find').mockImplementation(async (id) => {
    const found = await find(id)
    // The rules change after the order was read, and are applied before the edit is written.
    station.rules = [{ name: 'Wide', when: {}, set: { printer: 'gone' } }]
    await orderRecheck.followSettings()
    return found
  })
  expect(await orders.change(order.id, { ...order.values, city: 'Gouda' })).toMatchObject({
    value: { state: 'problem', issues: [{ field: 'printer' }], values: { city: 'Gouda' } },
  })
})

it('an edit saved while the scanner’s prefixes change is kept', async () => {
  const scanner = { ...defaultSettings.scanner }
  const { orders, repository, take, orderRecheck } = await openOrders(new Set(), scanner)
  await take('orders.csv', `${header}\nQQ-1;Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500\n`)
  const [order] = (await orders.list(firstToShip)).orders
  if (order === undefined) throw new Error('the order is not there')
  const read = repository.listOpenByPrefixOrIssue.bind(repository)
  vi.spyOn(repository, 'listOpenByPrefixOrIssue').mockImplementation(async (...call) => {
    const found = await read(...call)
    await orders.change(order.id, { ...order.values, city: 'Gouda' })
    return found
  })
  scanner.badgePrefix = 'QQ'
  await orderRecheck.followScanner()
  expect(await repository.find(order.id)).toMatchObject({ state: 'problem', values: { city: 'Gouda' } })
})
