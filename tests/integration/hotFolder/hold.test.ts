import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { appError } from '../../../src/shared/errors'
import { err } from '../../../src/shared/result'
import { emptyDraft } from '../../../src/shared/shipments'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, stationOn, testSimulator } from '../../support/testStation'
import { Exchange, order } from './exchange'

/** Waits for a condition that can take long on a busy machine. */
const waitFor = (check: () => void) => vi.waitFor(check, { timeout: 40_000 })

let exchange: Exchange
beforeEach(() => {
  exchange = new Exchange()
})
afterEach(() => exchange.end())

/** Ships an order as a person does on the screen. */
async function shipByHand(reference: string): Promise<void> {
  const draft = { ...emptyDraft, reference }
  const created = await exchange.shipping.create({
    attemptId: crypto.randomUUID(),
    draft,
    origin: 'hot-folder',
    print: true,
    takenAt: new Date(),
  })
  if (!created.ok) throw new Error(created.error.message)
  exchange.holding.end(reference, {
    reference,
    state: 'shipped',
    shipmentId: created.value.id,
    isFirst: true,
  })
}

const inProgress = { code: 'shipment-in-progress' }
const start = () => exchange.start({ holdsOrders: true })
const restart = () => exchange.crashAndRestart({ holdsOrders: true })
const held = (...references: string[]) =>
  waitFor(() => expect(exchange.holding.references).toEqual(references))

describe('a hot folder in mode «hold»', () => {
  it('sends nothing by itself, and writes the result when the last order has an outcome', async () => {
    const find = vi.spyOn(exchange.holding, 'find')
    const hotFolder = await start()
    exchange.drop('two.json', [order('A'), order('B', { signature_required: true, weight: 2.5 })])
    await held('A', 'B')
    expect([...exchange.holding.orders.values()]).toMatchObject([
      { source: { kind: 'hot-folder', name: 'two.json', line: 1 }, values: { city: 'Utrecht' } },
      { source: { line: 2 }, values: { weight: '2.5' }, extras: { signatureRequired: true } },
    ])
    expect(exchange.list('work')).toEqual(['two.json'])
    expect(hotFolder.status().waiting).toBe(1)
    // The list is queried only after both lines of the new file are in it.
    expect(find.mock.calls.every(([ids]) => ids.length === 2)).toBe(true)
    await shipByHand('A')
    exchange.holding.end('B', { reference: 'B', state: 'skipped', reason: 'out of stock' })
    const { results } = await exchange.delivered('failed', 'two.json')
    expect(results.map(({ reference, outcome, error }) => [reference, outcome, error?.code])).toEqual([
      ['A', 'created', undefined],
      ['B', 'refused', 'order-skipped'],
    ])
    expect(results[0]).toMatchObject({ barcodes: ['3SA'], jobs: [{ state: 'done' }] })
    expect(results[1]?.error?.message).toContain('out of stock')
    expect(exchange.shipping.requests).toEqual(['A'])
  })

  it('waits for the labels of held orders, which print also if it prints nothing itself', async () => {
    await exchange.start({ holdsOrders: true, print: false })
    exchange.drop('one.json', order('A'))
    await held('A')
    await shipByHand('A')
    const { results } = await exchange.delivered('done', 'one.json')
    expect(results).toMatchObject([{ outcome: 'created', jobs: [{ state: 'done' }] }])
  })

  it('takes other files while orders wait', async () => {
    await start()
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) exchange.drop(`${name}.json`, order(name))
    await waitFor(() =>
      expect(exchange.holding.references.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']),
    )
    await shipByHand('e')
    await exchange.delivered('done', 'e.json')
    expect(exchange.list('work')).toHaveLength(5)
  })

  it('reports a reference that was already shipped as a duplicate without listing it', async () => {
    await exchange.start().then(async (hotFolder) => {
      exchange.drop('first.json', order('A'))
      await exchange.delivered('done', 'first.json')
      await hotFolder.stop()
    })
    await start()
    exchange.drop('again.json', order('A'))
    const { results } = await exchange.delivered('failed', 'again.json')
    expect(results).toMatchObject([{ outcome: 'duplicate', barcodes: ['3SA'] }])
    expect(exchange.holding.references).toEqual([])
    expect(exchange.issues.outcomes).toEqual([])
  })

  it('refuses a line with another carrier than the station has for its option, which the list cannot hold', async () => {
    exchange.carriers = [
      { name: 'A', carrierId: 12, carrierOptionId: 34 },
      { name: 'B', carrierId: 13, carrierOptionId: 34 },
      { name: 'C', carrierId: 13, carrierOptionId: 35 },
    ]
    await start()
    exchange.drop('carriers.json', [
      order('SAME', { carrier_id: 12, carrier_option_id: 34 }),
      order('SAME-C', { carrier_id: 13, carrier_option_id: 35 }),
      order('OPTION-ONLY', { carrier_option_id: 35 }),
      order('OTHER', { carrier_id: 13, carrier_option_id: 34 }),
      order('UNKNOWN', { carrier_id: 7, carrier_option_id: 34 }),
      order('CARRIER-ONLY', { carrier_id: 7 }),
    ])
    await held('SAME', 'SAME-C', 'OPTION-ONLY')
    await waitFor(() =>
      expect(exchange.issues.outcomes.map(({ outcome }) => [outcome.reference, outcome.error])).toMatchObject(
        ['OTHER', 'UNKNOWN', 'CARRIER-ONLY'].map((reference) => [
          reference,
          { code: 'order-not-holdable', details: { case: 'carrier' } },
        ]),
      ),
    )
  })

  it('reports the shipment of a line that was sent before orders were held, also if the list could not hold it', async () => {
    exchange.shipping.print = () => new Promise(() => undefined)
    await exchange.start()
    exchange.drop('sent.json', [order('A', { carrier_id: 7, carrier_option_id: 34 })])
    await waitFor(() => expect(exchange.shipping.requests).toEqual(['A']))
    await restart()
    const { results } = await exchange.delivered('done', 'sent.json')
    expect(results).toMatchObject([{ outcome: 'created', barcodes: ['3SA'] }])
  })

  it('lists an order with invalid values, but refuses lines with fields that the list cannot hold', async () => {
    await start()
    const { city, ...incomplete } = order('A', { weight: 0 })
    exchange.drop('mixed.json', [
      incomplete,
      order('B', { plaats: city }),
      order('C', { shipment_details: {} }),
    ])
    await held('A')
    await waitFor(() =>
      expect(exchange.issues.outcomes.map(({ outcome }) => [outcome.reference, outcome.error?.code])).toEqual(
        [
          ['B', 'order-file-invalid'],
          ['C', 'order-not-holdable'],
        ],
      ),
    )
    await shipByHand('A')
    const { results } = await exchange.delivered('failed', 'mixed.json')
    expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'invalid', 'invalid'])
  })
})

it.each([
  ['an unreadable option', 'reference,last_name,street,city,signature_required\nA,Jansen,Dam,Delft,ja\n'],
  ['a long cell', `reference,last_name,street,city,content\nA,Jansen,Dam,Delft,${'x'.repeat(2001)}\n`],
  ['a long number', `reference,last_name,street,city,weight\nA,Jansen,Dam,Delft,1.${'0'.repeat(2000)}\n`],
])('an order line with %s is neither listed nor sent', async (_what, text) => {
  await start()
  exchange.drop('one.csv', text)
  const { results } = await exchange.delivered('failed', 'one.csv')
  expect(results).toMatchObject([
    { reference: 'A', outcome: 'invalid', error: { code: 'order-file-invalid' } },
  ])
  expect(exchange.holding.references).toEqual([])
  expect(exchange.shipping.asked).toBe(0)
})

it('HotFolder.drop writes orders dropped at the same time to separate files', async () => {
  const hotFolder = await start()
  const references = ['A', 'B', 'C', 'D']
  const dropped = await Promise.all(
    references.map((reference) => hotFolder.drop('two.line-1', order(reference))),
  )
  const names = dropped.map((each) => (each.ok ? each.value : each.error.code))
  expect(new Set(names).size).toBe(4)
  await waitFor(() => expect(exchange.holding.references.toSorted()).toEqual(references))
})

it('the result of an order shipped at another station waits until that shipment is published', async () => {
  await start()
  exchange.drop('one.json', order('A'))
  await held('A')
  const ending = vi.spyOn(exchange.shipping, 'findEndingShipment')
  ending.mockResolvedValueOnce(err(appError('shipment-not-found')))
  await shipByHand('A')
  await waitFor(() => expect(ending).toHaveBeenCalledOnce())
  expect(exchange.list('work')).toEqual(['one.json'])
  exchange.holding.end('another order', { reference: 'B', state: 'open' })
  expect((await exchange.delivered('done', 'one.json')).results).toMatchObject([{ barcodes: ['3SA'] }])
})

describe('an order skipped while its shipment is being created', () => {
  it.each([
    ['create', 'duplicate', ['3SA']],
    ['refuse', 'refused', []],
    ['lose-the-answer', 'unknown', []],
  ] as const)(
    'waits for the answer of the service (%s) and ends as %s',
    async (answer, outcome, barcodes) => {
      await start()
      exchange.drop('one.json', order('A'))
      await held('A')
      exchange.shipping.behave = () => 'die-after-sending'
      void shipByHand('A')
      await waitFor(() => expect(exchange.shipping.requests).toEqual(['A']))
      const asked = vi.spyOn(exchange.shipping, 'findBlocker')
      const skip = () => exchange.holding.end('A', { reference: 'A', state: 'skipped', reason: 'not now' })
      skip()
      await waitFor(() => expect(asked).toHaveResolvedWith(expect.objectContaining(inProgress)))
      expect(exchange.list('work')).toEqual(['one.json'])
      exchange.shipping.answer('A', answer)
      skip()
      const { results } = await exchange.delivered('failed', 'one.json')
      expect(results).toMatchObject([{ reference: 'A', outcome, barcodes }])
      expect(exchange.shipping.requests).toEqual(['A'])
    },
  )
})

describe('held orders when the app crashes', () => {
  it.each(['before', 'after'] as const)(
    'are listed and shipped once when it crashes %s adding them to the list',
    async (dieAt) => {
      exchange.holding.dieAt = dieAt
      await start()
      exchange.drop('two.json', [order('A'), order('B')])
      await waitFor(() => expect(exchange.files.rows[0]?.sha256).toEqual(expect.any(String)))
      if (dieAt === 'after') await held('A', 'B')
      exchange.holding.dieAt = undefined
      await restart()
      await held('A', 'B')
      await shipByHand('A')
      await shipByHand('B')
      await exchange.delivered('done', 'two.json')
      expect(exchange.shipping.requests).toEqual(['A', 'B'])
    },
  )

  it('get one result with all outcomes when it crashes after one of them was shipped', async () => {
    await start()
    exchange.drop('two.json', [order('A'), order('B')])
    await held('A', 'B')
    await shipByHand('A')
    await restart()
    await held('A', 'B')
    await shipByHand('B')
    const { results } = await exchange.delivered('done', 'two.json')
    expect(results.map(({ reference, outcome }) => [reference, outcome])).toEqual([
      ['A', 'created'],
      ['B', 'created'],
    ])
    expect(exchange.shipping.requests).toEqual(['A', 'B'])
  })

  it('still wait for a person when it restarts with a hot folder that ships at once', async () => {
    await start()
    exchange.drop('one.json', order('A'))
    await held('A')
    await exchange.crashAndRestart()
    exchange.drop('two.json', order('B'))
    await exchange.delivered('done', 'two.json')
    expect(exchange.shipping.requests).toEqual(['B'])
    await shipByHand('A')
    await exchange.delivered('done', 'one.json')
  })
})

it('a station lists the orders of a file, ships or skips them, and writes the result after a restart', async () => {
  const simulator = await testSimulator()
  const data = await temporaryFolder()
  const folder = await temporaryFolder()
  const { station, features } = await connectedStation(data, simulator, {
    shipmentDefaults: { carrierId: 1, carrierOptionId: 11, weight: 1, country: 'NL' },
    hotFolder: { path: folder, print: true, mode: 'hold' },
  })
  await expect.poll(() => readdir(folder)).toContain('in')
  await writeFile(
    join(folder, 'two.json'),
    JSON.stringify([order('ORDER-1', { return_label: true }), order('ORDER-2')]),
  )
  await rename(join(folder, 'two.json'), join(folder, 'in', 'two.json'))
  await expect.poll(async () => (await features.orderList.counts())['to-ship']).toBe(2)
  const found = await features.ordersToShip.findToShip('ORDER-1')
  expect(found).toMatchObject({
    order: { source: { kind: 'hot-folder', name: 'two.json', line: 1 } },
    extras: { returnLabel: true },
  })
  const draft = {
    ...emptyDraft,
    ...{ carrierId: 1, carrierOptionId: 11, weight: 1, country: 'NL' },
    ...{ lastName: 'Jansen', street: 'Dorpsstraat', city: 'Utrecht', reference: 'ORDER-1' },
  }
  const created = await features.handlers.createShipment({ attemptId: crypto.randomUUID(), draft })
  expect(created.ok).toBe(true)
  await expect.poll(async () => (await features.orderList.counts())['to-ship']).toBe(1)
  await station.stop()

  const restarted = await stationOn(data)
  const again = await restarted.start()
  if (!again.ok) throw new Error(again.error.message)
  const { orders, orderList, ordersToShip } = again.value
  expect((await orderList.counts())['to-ship']).toBe(1)
  const open = await ordersToShip.findToShip('ORDER-2')
  await orders.skip([open?.order.id ?? ''], 'cancelled by the customer')
  const path = join(folder, 'failed', 'two.result.json')
  await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toContain('ORDER-2')
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
    results: [
      { line: 1, reference: 'ORDER-1', outcome: 'created', jobs: [{ state: 'done' }] },
      { line: 2, reference: 'ORDER-2', outcome: 'refused', error: { code: 'order-skipped' } },
    ],
  })
  expect([...simulator.ledger.countByReference()]).toEqual([['ORDER-1', 1]])
  // A skipped order needs no further action, so it is not an open issue.
  expect(await again.value.hotFolder.issues.countOpen()).toBe(0)
})

/** A station with a hot folder in mode «hold» and the orders of one file in its list. */
async function holdingStation(references: readonly string[]) {
  const simulator = await testSimulator()
  const data = await temporaryFolder()
  const folder = await temporaryFolder()
  const { station, features } = await connectedStation(data, simulator, {
    shipmentDefaults: { carrierId: 1, carrierOptionId: 11, weight: 1, country: 'NL' },
    hotFolder: { path: folder, print: true, mode: 'hold' },
  })
  await expect.poll(() => readdir(folder)).toContain('in')
  await writeFile(join(folder, 'some.json'), JSON.stringify(references.map((reference) => order(reference))))
  await rename(join(folder, 'some.json'), join(folder, 'in', 'some.json'))
  await expect.poll(async () => (await features.orderList.counts())['to-ship']).toBe(references.length)
  return { simulator, data, folder, station, features }
}

async function resultsIn(folder: string): Promise<unknown> {
  const path = join(folder, 'failed', 'some.result.json')
  await expect.poll(() => readFile(path, 'utf8').catch(() => '')).not.toBe('')
  return JSON.parse(await readFile(path, 'utf8')).results
}

it('a skipped order can be neither put back nor removed by retention before its file has a result', async () => {
  const { simulator, data, folder, station, features } = await holdingStation(['ORDER-1', 'ORDER-2'])
  const first = await features.ordersToShip.findToShip('ORDER-1')
  const ids = [first?.order.id ?? '']
  const table =
    'Order number;Name;Street;House number;Postal code;City;Country\nORDER-1;Jan;Dam;1;1012 JS;Delft;NL\n'
  const replaced = await features.orderImport.importFile(
    'shop.csv',
    new TextEncoder().encode(table),
    null,
    'update',
    { id: 'claim-1', resumedFrom: null },
  )
  expect(replaced).toMatchObject({ ok: true, value: { updated: 1 } })
  expect(await features.orders.skip(ids, 'out of stock')).toHaveLength(1)
  const refused = { ok: false, error: { code: 'order-not-put-back', details: { file: 'some.json' } } }
  expect(await features.orders.unskip(ids)).toMatchObject(refused)
  const later = new Date(Date.now() + 60_000)
  await features.orders.forgetClosed(later)
  expect(await features.orderList.counts()).toMatchObject({ 'to-ship': 1, skipped: 1 })
  await station.stop()

  const again = await (await stationOn(data)).start()
  if (!again.ok) throw new Error(again.error.message)
  const { orders, orderList, ordersToShip } = again.value
  const second = await ordersToShip.findToShip('ORDER-2')
  await orders.skip([second?.order.id ?? ''], 'out of stock')
  expect(await resultsIn(folder)).toMatchObject([
    { reference: 'ORDER-1', outcome: 'refused', error: { code: 'order-skipped' } },
    { reference: 'ORDER-2', outcome: 'refused', error: { code: 'order-skipped' } },
  ])
  expect(await orders.unskip(ids)).toMatchObject(refused)
  expect([...simulator.ledger.countByReference()]).toEqual([])
  await expect.poll(() => readdir(join(folder, 'work'))).toEqual([])
  await expect
    .poll(async () => {
      await orders.forgetClosed(later)
      return (await orderList.counts()).skipped
    })
    .toBe(0)
})

it('a held order keeps its shipment until its file has a result, and is created even if the shipment was removed', async () => {
  const { data, folder, station, features } = await holdingStation(['ORDER-1', 'ORDER-2'])
  const draft = {
    ...emptyDraft,
    ...{ carrierId: 1, carrierOptionId: 11, weight: 1, country: 'NL' },
    ...{ lastName: 'Jansen', street: 'Dorpsstraat', city: 'Utrecht', reference: 'ORDER-1' },
  }
  const created = await features.handlers.createShipment({ attemptId: crypto.randomUUID(), draft })
  if (!created.ok) throw new Error(created.error.message)
  const { id } = created.value
  expect(await features.printing.whenJobsEnded(id)).toMatchObject([{ state: 'done' }])
  await expect.poll(async () => (await features.orderList.counts()).shipped).toBe(1)
  const later = new Date(Date.now() + 60_000)
  expect(await features.retention.remove(id, later)).toBe(false)
  // As a version that did not look at held orders has left it.
  expect(await features.retention.remove(id)).toBe(true)
  await features.files.remove(id)
  await station.stop()

  const again = await (await stationOn(data)).start()
  if (!again.ok) throw new Error(again.error.message)
  const { orders, ordersToShip } = again.value
  const second = await ordersToShip.findToShip('ORDER-2')
  await orders.skip([second?.order.id ?? ''], 'out of stock')
  expect(await resultsIn(folder)).toMatchObject([
    { reference: 'ORDER-1', outcome: 'created', error: null },
    { reference: 'ORDER-2', outcome: 'refused' },
  ])
})
