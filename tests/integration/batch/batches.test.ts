import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import type { Services } from '../../../src/main/app/compose'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { type Batch, maxBatchOrders } from '../../../src/shared/batches'
import { wholeHistory } from '../../../src/shared/history'
import { defaultPeopleSettings } from '../../../src/shared/people'
import type { SettingsChange } from '../../../src/shared/settings'
import { header, importOrderRows, listOrders, orderRow } from '../../support/orderRows'
import { sampleDraft } from '../../support/screenSamples'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, simulatorWith, stationOn, testSimulator } from '../../support/testStation'

const row = (reference: string, weight?: string) => orderRow(reference, undefined, weight)

const settings: SettingsChange = {
  carriers: [{ name: 'Parcel', carrierId: 1, carrierOptionId: 11 }],
  routing: [{ printer: 'file' }],
}

/** Imports orders. Returns the ids of all orders to ship. */
async function importOrders(features: Services, rows: readonly string[]): Promise<string[]> {
  await importOrderRows(features, rows)
  return listToShip(features)
}

async function listToShip(features: Services): Promise<string[]> {
  return (await listOrders(features)).map(({ id }) => id)
}

async function begin({ batches }: Services, ids: readonly string[], descending = false): Promise<Batch> {
  const begun = await batches.begin(ids, 'imported', descending)
  if (!begun.ok) throw new Error(begun.error.message)
  return begun.value
}

async function ended({ batches }: Services): Promise<Batch> {
  await expect.poll(async () => (await batches.current())?.state).toBe('ended')
  const batch = await batches.current()
  if (batch === null) throw new Error('the batch is gone')
  return batch
}

async function outcomes({ batches }: Services, batchId: string): Promise<string[]> {
  const { items } = await batches.listItems({ batchId, shown: 'all', offset: 0, limit: 500 })
  return items.map(({ reference, outcome }) => `${reference} ${outcome}`)
}

/** The cities of a batch's shipments. */
async function cities(
  { batches, shipmentRepository }: Services,
  batchId: string,
): Promise<(string | undefined)[]> {
  const { items } = await batches.listItems({ batchId, shown: 'all', offset: 0, limit: 500 })
  return Promise.all(
    items.map(async ({ shipmentId }) => (await shipmentRepository.find(shipmentId ?? ''))?.city),
  )
}

/** The references of the labels in the order of printing. */
async function printedReferences({ jobs, batches }: Services, batchId: string): Promise<string[]> {
  const { items } = await batches.listItems({ batchId, shown: 'all', offset: 0, limit: 500 })
  const created = items.flatMap(({ shipmentId }) => shipmentId ?? [])
  const all = await jobs.listByShipments(created)
  return all
    .toSorted((one, other) => (one.acceptedAt ?? '').localeCompare(other.acceptedAt ?? ''))
    .map(({ reference }) => reference)
}

it('a batch ships its orders in the order of the list and marks them as shipped', async () => {
  const simulator = await testSimulator()
  const folder = await temporaryFolder()
  const { features } = await connectedStation(folder, simulator, settings)
  const ids = await importOrders(
    features,
    ['A-1', 'A-2', 'A-3'].map((reference) => row(reference)),
  )
  const batch = await begin(features, ids, true)
  const end = await ended(features)
  expect(end).toMatchObject({ total: 3, outcomes: { created: 3, left: 0 }, underWay: 0, remainingMs: null })
  expect(simulator.ledger.entries.map(({ reference }) => reference)).toEqual(['A-3', 'A-2', 'A-1'])
  expect(await outcomes(features, batch.id)).toEqual(['A-3 created', 'A-2 created', 'A-1 created'])
  expect(await features.orderList.counts()).toMatchObject({ 'to-ship': 0, shipped: 3 })
  await expect.poll(() => readdir(join(folder, 'out')).then((files) => files.length)).toBe(3)
})

it('a batch cannot begin while each label must be scanned before the next', async () => {
  const simulator = await testSimulator()
  const scanBack = { on: true, required: true, rules: [] }
  const { features } = await connectedStation(await temporaryFolder(), simulator, { ...settings, scanBack })
  const ids = await importOrders(
    features,
    ['A-1', 'A-2'].map((reference) => row(reference)),
  )
  expect(await features.batches.begin(ids, 'imported', false)).toMatchObject({
    ok: false,
    error: { code: 'batch-needs-scans' },
  })
  expect(simulator.ledger.entries).toEqual([])
  features.settings.change({ scanBack: { ...scanBack, required: false } })
  await begin(features, ids)
  expect((await ended(features)).outcomes.created).toBe(2)
})

it('a batch with more than 10,000 orders is refused with the limit', async () => {
  const simulator = await testSimulator()
  const { features } = await connectedStation(await temporaryFolder(), simulator, settings)
  const ids = Array.from({ length: maxBatchOrders + 1 }, () => randomUUID())
  expect(
    await features.handlers.startBatch({ orderIds: ids, sort: 'imported', descending: false }),
  ).toMatchObject({
    ok: false,
    error: { code: 'batch-too-large', details: { count: '10001', max: '10000' } },
  })
})

it('a batch does not send an order that is skipped between its draft and its intent', async () => {
  const simulator = await testSimulator()
  const { features } = await connectedStation(await temporaryFolder(), simulator, settings)
  const ids = await importOrders(features, [row('A-1')])
  const { findReady } = features.ordersToShip
  vi.spyOn(features.ordersToShip, 'findReady').mockImplementation(async (id) => {
    const ready = await findReady.call(features.ordersToShip, id)
    await features.orders.skip([id], 'cancelled by the customer')
    return ready
  })
  const batch = await begin(features, ids)
  await ended(features)
  expect(simulator.ledger.entries).toEqual([])
  expect(await outcomes(features, batch.id)).toEqual(['A-1 left'])
})

it('a batch sends the corrected data of an order that is changed between its draft and its intent', async () => {
  const simulator = await testSimulator()
  const { features } = await connectedStation(await temporaryFolder(), simulator, settings)
  await importOrders(features, [row('A-1'), row('A-2')])
  const [first, second] = await listOrders(features)
  if (first === undefined || second === undefined) throw new Error('there are two orders')
  const { findReady } = features.ordersToShip
  vi.spyOn(features.ordersToShip, 'findReady').mockImplementationOnce(async (id) => {
    const ready = await findReady.call(features.ordersToShip, id)
    await features.orders.change(first.id, { ...first.values, city: 'Utrecht' })
    return ready
  })
  const batch = await begin(features, [first.id, second.id])
  expect((await ended(features)).outcomes.created).toBe(2)
  expect(await cities(features, batch.id)).toEqual(['Utrecht', 'Amsterdam'])
})

it('a batch does not send an order that becomes incomplete between its draft and its intent', async () => {
  const simulator = await testSimulator()
  const { features } = await connectedStation(await temporaryFolder(), simulator, settings)
  await importOrders(features, [row('A-1'), row('A-2')])
  const [first, second] = await listOrders(features)
  if (first === undefined || second === undefined) throw new Error('there are two orders')
  const { findReady } = features.ordersToShip
  vi.spyOn(features.ordersToShip, 'findReady').mockImplementationOnce(async (id) => {
    const ready = await findReady.call(features.ordersToShip, id)
    await features.orders.change(first.id, { ...first.values, city: '' })
    return ready
  })
  const batch = await begin(features, [first.id, second.id])
  await ended(features)
  expect(simulator.ledger.entries.map(({ reference }) => reference)).toEqual(['A-2'])
  expect(await outcomes(features, batch.id)).toEqual(['A-1 incomplete', 'A-2 created'])
})

it('a batch applies the order rule that matches at the time of the intent', async () => {
  const simulator = await testSimulator()
  const { features } = await connectedStation(await temporaryFolder(), simulator, {
    ...settings,
    orderRules: [
      {
        name: 'Pharmacies',
        when: { column: { name: 'Channel', match: 'is', text: 'pharmacy' } },
        set: { signatureRequired: true },
      },
    ],
  })
  const importFromChannel = async (channel: string) => {
    const text = `${header};Channel\n${row('A-1')};${channel}`
    const plan = await features.orderImport.readFile('orders.csv', new TextEncoder().encode(text), false)
    if (!plan.ok) throw new Error(plan.error.message)
    await features.orderImport.import(plan.value.importId, plan.value.mapping, 'update')
  }
  await importFromChannel('web')
  const ids = await listToShip(features)
  const { findReady } = features.ordersToShip
  vi.spyOn(features.ordersToShip, 'findReady').mockImplementationOnce(async (id) => {
    const ready = await findReady.call(features.ordersToShip, id)
    await importFromChannel('pharmacy')
    return ready
  })
  const batch = await begin(features, ids)
  expect((await ended(features)).outcomes.created).toBe(1)
  const { items } = await features.batches.listItems({ batchId: batch.id, shown: 'all', offset: 0, limit: 1 })
  const shipped = await features.shipmentRepository.find(items[0]?.shipmentId ?? '')
  expect(shipped).toMatchObject({ draft: { signatureRequired: true } })
})

it('a batch prints and reprints on the printer of the order rule, and sends nothing while that printer is missing', async () => {
  const simulator = await testSimulator()
  const folder = await temporaryFolder()
  const rule = (printer: string) => ({
    orderRules: [{ name: 'Netherlands', when: { countries: ['NL'] }, set: { printer } }],
  })
  const { features } = await connectedStation(folder, simulator, {
    ...settings,
    printers: [
      { driver: 'folder', id: 'file', path: 'out' },
      { driver: 'folder', id: 'second', path: 'second' },
    ],
    ...rule('gone'),
  })
  expect(await importOrders(features, [row('A-1')])).toEqual([])
  expect(await features.orderList.counts()).toMatchObject({ problem: 1 })
  expect(await features.ordersToShip.findToShip('A-1')).toMatchObject({
    order: { issues: [{ field: 'printer' }], ruled: { printer: 'gone' } },
  })
  const draft = sampleDraft({ reference: 'A-1', printer: 'gone' })
  expect(await features.handlers.createShipment({ attemptId: randomUUID(), draft })).toMatchObject({
    error: { code: 'rule-printer-unknown' },
  })
  expect(simulator.ledger.entries).toEqual([])

  features.settings.change(rule('second'))
  await expect.poll(() => features.orderList.counts()).toMatchObject({ 'to-ship': 1, problem: 0 })
  const ids = await listToShip(features)
  const batch = await begin(features, ids)
  await ended(features)
  await expect.poll(() => readdir(join(folder, 'second')).catch(() => [])).toHaveLength(1)
  const { items: created } = await features.batches.listItems({
    batchId: batch.id,
    shown: 'all',
    offset: 0,
    limit: 1,
  })
  // The file of the first label exists shortly before its job ends.
  const shipmentId = created[0]?.shipmentId ?? ''
  await expect.poll(() => features.handlers.reprint({ shipmentId })).toMatchObject({ ok: true })
  await expect.poll(() => readdir(join(folder, 'second'))).toHaveLength(2)
  expect(await readdir(join(folder, 'out')).catch(() => [])).toEqual([])
})

it('a batch prints labels in the order of the list when later creations are answered first', async () => {
  const simulator = await simulatorWith({})
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 400 }, reference: 'A-1' })
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 200 }, reference: 'A-3' })
  const { features } = await connectedStation(await temporaryFolder(), simulator, {
    ...settings,
    batch: { parallelCreations: 4 },
  })
  const references = ['A-1', 'A-2', 'A-3', 'A-4', 'A-5', 'A-6']
  const ids = await importOrders(
    features,
    references.map((reference) => row(reference)),
  )
  const batch = await begin(features, ids)
  await expect.poll(() => simulator.ledger.entries.length).toBeGreaterThan(2)
  await ended(features)
  await expect
    .poll(async () => (await features.batches.current())?.labels)
    .toEqual({ underWay: 0, forPerson: 0 })
  expect(await printedReferences(features, batch.id)).toEqual(references)
})

it('a batch does not send an incomplete order, and names the missing field', async () => {
  const simulator = await testSimulator()
  const { features } = await connectedStation(await temporaryFolder(), simulator, settings)
  const ids = await importOrders(features, [row('A-1', ''), row('A-2')])
  const batch = await begin(features, ids)
  await ended(features)
  const { items, total } = await features.batches.listItems({
    batchId: batch.id,
    shown: 'not-created',
    offset: 0,
    limit: 10,
  })
  expect(total).toBe(1)
  expect(items).toMatchObject([
    { reference: 'A-1', outcome: 'incomplete', issues: [{ field: 'weight', code: 'required' }] },
  ])
  const openOf = async (orderIds: string[]) => {
    const page = { batchId: batch.id, orderIds, offset: 0, limit: 10 }
    return (await features.batches.listItems({ ...page, shown: 'all' })).total
  }
  expect(await openOf(ids.slice(0, 1))).toBe(1)
  expect(await openOf(ids.slice(1))).toBe(0)
  expect(
    await features.handlers.skipOrders({ orderIds: ids, reason: 'cancelled', state: 'to-ship' }),
  ).toMatchObject({
    ok: true,
  })
  expect(await openOf(ids)).toBe(0)
  expect(simulator.ledger.entries.map(({ reference }) => reference)).toEqual(['A-2'])
})

it('an ended batch counts only the orders that are still open as left, and says when one is shipped by itself', async () => {
  const bus = createEventBus()
  const simulator = await testSimulator()
  const { features } = await connectedStation(await temporaryFolder(), simulator, settings, { bus })
  const ids = await importOrders(features, [row('A-1', ''), row('A-2', ''), row('A-3')])
  await begin(features, ids)
  expect(await ended(features)).toMatchObject({ outcomes: { created: 1, incomplete: 2 }, unshipped: 2 })
  const published: (Batch | null)[] = []
  bus.on('batchChanged', (batch) => published.push(batch))
  const draft = sampleDraft({ reference: 'A-1', carrierId: 1, carrierOptionId: 11 })
  const created = await features.handlers.createShipment({ attemptId: randomUUID(), draft })
  expect(created).toMatchObject({ ok: true, value: { state: 'created' } })
  await expect.poll(() => published.at(-1)).toMatchObject({ unshipped: 1 })
  await features.orders.skip(ids.slice(1, 2), 'sold out')
  await expect.poll(() => published.at(-1)).toMatchObject({ unshipped: 0 })
})

it('a repeated batch sends only refused orders, not unknown or created ones', async () => {
  const simulator = await testSimulator()
  simulator.faults.add({
    ...{
      operation: 'shipment',
      fault: { kind: 'refused', message: 'no such street' },
      reference: 'A-2',
      times: 1,
    },
  })
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'cutOff' }, reference: 'A-3' })
  const { features } = await connectedStation(await temporaryFolder(), simulator, settings)
  const ids = await importOrders(
    features,
    ['A-1', 'A-2', 'A-3', 'A-4'].map((reference) => row(reference)),
  )
  const first = await begin(features, ids)
  await ended(features)
  expect(await outcomes(features, first.id)).toEqual([
    'A-1 created',
    'A-2 refused',
    'A-3 unknown',
    'A-4 created',
  ])
  expect(await features.batches.repeat(first.id)).toMatchObject({ ok: true, value: { total: 1 } })
  const second = await ended(features)
  expect(await outcomes(features, second.id)).toEqual(['A-2 created'])
  expect(simulator.ledger.countByReference()).toEqual(
    new Map([
      ['A-1', 1],
      ['A-2', 2],
      ['A-3', 1],
      ['A-4', 1],
    ]),
  )
  expect(await features.batches.repeat(second.id)).toMatchObject({
    ok: false,
    error: { code: 'batch-empty' },
  })
})

it('listBatchEnds returns the reason for each open order after its batch was closed and another batch ran', async () => {
  const simulator = await testSimulator()
  const refused = { kind: 'refused', message: 'no such street' } as const
  simulator.faults.add({ operation: 'shipment', fault: refused, reference: 'A-2', times: 1 })
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'cutOff' }, reference: 'A-3' })
  const { features } = await connectedStation(await temporaryFolder(), simulator, settings)
  const ids = await importOrders(
    features,
    ['A-1', 'A-2', 'A-3'].map((reference) => row(reference)),
  )
  const first = await begin(features, ids)
  await ended(features)
  await features.batches.close(first.id)
  const [later] = (await importOrders(features, [row('A-4')])).slice(-1)
  await begin(features, later === undefined ? [] : [later])
  await ended(features)
  const listEnds = async () => {
    const listed = await features.handlers.listBatchEnds({ orderIds: ids })
    return ids.flatMap((id) => (listed.ok ? listed.value : []).filter(({ orderId }) => orderId === id))
  }
  const ends = await listEnds()
  expect(ends).toMatchObject([
    { orderId: ids[1], outcome: 'refused', error: { details: { serviceSays: 'no such street' } } },
    { orderId: ids[2], outcome: 'unknown', begunAt: first.createdAt },
  ])
  await features.shipping.resolveUnknown(ends[1]?.shipmentId ?? '', 'does-not-exist', null)
  expect(await listEnds()).toMatchObject([{ orderId: ids[1] }])
})

it('a batch pauses after three failed answers, and sends the other orders when resumed', async () => {
  const simulator = await testSimulator()
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'htmlError', status: 502 }, times: 3 })
  const { features } = await connectedStation(await temporaryFolder(), simulator, settings)
  const references = ['A-1', 'A-2', 'A-3', 'A-4', 'A-5']
  const ids = await importOrders(
    features,
    references.map((reference) => row(reference)),
  )
  const batch = await begin(features, ids)
  await expect.poll(async () => (await features.batches.current())?.state).toBe('paused')
  expect(await features.batches.current()).toMatchObject({
    pausedBy: 'error',
    error: { code: 'service-failed' },
    outcomes: { unknown: 3 },
  })
  expect(simulator.ledger.entries).toHaveLength(3)
  await features.batches.resume(batch.id)
  await ended(features)
  expect(simulator.ledger.entries.map(({ reference }) => reference)).toEqual(references)
})

it('a stopped batch ends after the order in progress and leaves the others', async () => {
  const simulator = await testSimulator()
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 300 }, reference: 'A-1' })
  const { features } = await connectedStation(await temporaryFolder(), simulator, settings)
  const ids = await importOrders(
    features,
    ['A-1', 'A-2', 'A-3'].map((reference) => row(reference)),
  )
  const batch = await begin(features, ids)
  await expect.poll(() => simulator.ledger.entries.length).toBe(1)
  expect(await features.batches.begin(ids, 'imported', false)).toMatchObject({
    ok: false,
    error: { code: 'batch-running' },
  })
  await features.batches.stopAfterCurrent(batch.id)
  await ended(features)
  expect(await outcomes(features, batch.id)).toEqual(['A-1 created', 'A-2 left', 'A-3 left'])
  // Orders that the stopped batch left need no reason in the list.
  expect(await features.handlers.listBatchEnds({ orderIds: ids })).toEqual({ ok: true, value: [] })
  await features.batches.close(batch.id)
  expect(await features.batches.current()).toBeNull()
})

it('a batch is paused after a restart, and sends only the orders without an intent when resumed', async () => {
  const simulator = await testSimulator()
  const folder = await temporaryFolder()
  const { station, features } = await connectedStation(folder, simulator, settings)
  const references = ['A-1', 'A-2', 'A-3', 'A-4']
  const ids = await importOrders(
    features,
    references.map((reference) => row(reference)),
  )
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 300 }, reference: 'A-2' })
  const batch = await begin(features, ids)
  await expect.poll(() => simulator.ledger.entries.length).toBe(2)
  await station.stop()
  const again = await stationOn(folder)
  const started = await again.start()
  if (!started.ok) throw new Error(started.error.message)
  expect(await started.value.batches.current()).toMatchObject({
    id: batch.id,
    state: 'paused',
    pausedBy: 'restart',
    outcomes: { created: 2 },
  })
  await started.value.batches.resume(batch.id)
  await ended(started.value)
  expect(simulator.ledger.entries.map(({ reference }) => reference)).toEqual(references)
})

it('shipments of a batch have the operator who began it, or after a pause the one who resumed it', async () => {
  const simulator = await testSimulator()
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 300 }, reference: 'A-1' })
  const people = { ...defaultPeopleSettings, operators: [{ name: 'Ann' }, { name: 'Bob' }, { name: 'Cas' }] }
  const { features } = await connectedStation(await temporaryFolder(), simulator, { ...settings, people })
  const rows = ['A-1', 'A-2', 'A-3', 'A-4'].map((reference) => row(reference))
  const ids = await importOrders(features, rows)
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 300 }, reference: 'A-2' })
  features.people.signIn({ name: 'Ann' })
  const batch = await begin(features, ids)
  features.people.signIn({ name: 'Bob' })
  await expect.poll(() => simulator.ledger.entries.length).toBe(2)
  await features.batches.pause(batch.id)
  await expect.poll(async () => (await features.batches.current())?.underWay).toBe(0)
  await features.batches.resume(batch.id)
  features.people.signIn({ name: 'Cas' })
  await ended(features)
  const { shipments } = await features.history.search({ ...wholeHistory, limit: 10, before: null })
  const operators = shipments.map(({ reference, operator }) => `${reference} ${operator}`).sort()
  expect(operators).toEqual(['A-1 Ann', 'A-2 Ann', 'A-3 Bob', 'A-4 Bob'])
})

it('a batch sends one request for two orders with the same reference', async () => {
  const simulator = await testSimulator()
  const { features } = await connectedStation(await temporaryFolder(), simulator, {
    ...settings,
    batch: { parallelCreations: 8 },
  })
  const ids = await importOrders(features, [row('A-1')])
  const [first] = ids
  if (first === undefined) throw new Error('no order')
  const other = await importOrders(features, [row('A-2')])
  const second = other.find((id) => id !== first)
  if (second === undefined) throw new Error('no second order')
  // A correction to a reference in use is refused; orders of an earlier version may have one.
  const rewritten = await features.orderRepository.rewrite([second], ['to-ship'], (order) => ({
    ...order,
    carrierOption: '',
    values: { ...order.values, reference: 'A-1' },
  }))
  expect(rewritten).toHaveLength(1)
  const batch = await begin(features, [first, second])
  await ended(features)
  expect(simulator.ledger.countByReference()).toEqual(new Map([['A-1', 1]]))
  expect((await outcomes(features, batch.id))[0]).toBe('A-1 created')
})

it('a batch sends one order at a time by default, and estimates the remaining time after three orders', async () => {
  const slowMs = 250
  const simulator = await testSimulator()
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: slowMs }, times: 6 })
  const { features } = await connectedStation(await temporaryFolder(), simulator, settings)
  const ids = await importOrders(
    features,
    ['A-1', 'A-2', 'A-3', 'A-4', 'A-5', 'A-6'].map((reference) => row(reference)),
  )
  const begunAt = Date.now()
  await begin(features, ids)
  const seen: (Batch & { elapsedMs: number })[] = []
  await expect
    .poll(
      async () => {
        const batch = await features.batches.current()
        if (batch !== null) seen.push({ ...batch, elapsedMs: Date.now() - begunAt })
        return batch?.state
      },
      { interval: 20, timeout: 20_000 },
    )
    .toBe('ended')
  expect(Math.max(...seen.map(({ underWay }) => underWay))).toBe(1)
  const running = seen.filter(({ state }) => state === 'running')
  const early = running.filter(({ outcomes: { created } }) => created < 3)
  expect(early.every(({ remainingMs }) => remainingMs === null)).toBe(true)
  const later = running.filter(({ outcomes: { created } }) => created >= 3)
  expect(later.length).toBeGreaterThan(0)
  for (const { remainingMs, outcomes, elapsedMs } of later) {
    const left = 6 - outcomes.created
    expect(remainingMs).toBeGreaterThanOrEqual(left * slowMs * 0.9)
    expect(remainingMs).toBeLessThanOrEqual((left * elapsedMs) / 2)
  }
})

/** Waits until the next order is prepared: its folder exists beside that of the order at the service. */
async function nextIsReady(folder: string): Promise<void> {
  const listed = () => readdir(join(folder, 'labels'), { recursive: true })
  await expect.poll(async () => (await listed()).filter((file) => file.endsWith('order.json')).length).toBe(2)
}

it('a batch prepares the next order during a creation, and sends the order’s data at the time of its slot', async () => {
  const simulator = await testSimulator()
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 800 }, reference: 'A-1' })
  const folder = await temporaryFolder()
  const { features } = await connectedStation(folder, simulator, settings)
  await importOrders(
    features,
    ['A-1', 'A-2', 'A-3'].map((reference) => row(reference)),
  )
  const orders = await listOrders(features)
  const batch = await begin(
    features,
    orders.map(({ id }) => id),
  )
  await nextIsReady(folder)
  expect(simulator.ledger.entries).toHaveLength(1)
  const [, second] = orders
  if (second === undefined) throw new Error('no second order')
  await features.orders.change(second.id, { ...second.values, city: 'Utrecht' })
  await ended(features)
  expect(simulator.ledger.entries.map(({ reference }) => reference)).toEqual(['A-1', 'A-2', 'A-3'])
  expect(await cities(features, batch.id)).toEqual(['Amsterdam', 'Utrecht', 'Amsterdam'])
})

it('a paused batch does not send its prepared order and removes the files of that order', async () => {
  const simulator = await testSimulator()
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 800 }, reference: 'A-1' })
  const folder = await temporaryFolder()
  const { features } = await connectedStation(folder, simulator, settings)
  const ids = await importOrders(
    features,
    ['A-1', 'A-2', 'A-3'].map((reference) => row(reference)),
  )
  const batch = await begin(features, ids)
  await nextIsReady(folder)
  expect(await features.batches.current()).toMatchObject({ underWay: 1 })
  await features.batches.pause(batch.id)
  await expect.poll(async () => (await features.batches.current())?.underWay).toBe(0)
  expect(simulator.ledger.entries.map(({ reference }) => reference)).toEqual(['A-1'])
  await expect.poll(() => readdir(join(folder, 'labels'))).toHaveLength(1)
  await features.batches.resume(batch.id)
  expect((await ended(features)).outcomes.created).toBe(3)
  expect(simulator.ledger.entries.map(({ reference }) => reference)).toEqual(['A-1', 'A-2', 'A-3'])
})
