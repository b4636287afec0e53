import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toConsigneeKey } from '../../../src/main/orders/address'
import { OrderRepository } from '../../../src/main/orders/repository'
import { fillEmptyGuard } from '../../../src/main/shipments/duplicateGuard'
import { HistoryRepository } from '../../../src/main/shipments/historyRepository'
import { toOrderFingerprint } from '../../../src/main/shipments/intentBlockers'
import { findLostShipments, rebuildHistory } from '../../../src/main/shipments/missingHistory'
import { RebuildRepository } from '../../../src/main/shipments/rebuildRepository'
import { ShipmentRepository } from '../../../src/main/shipments/repository'
import { RetentionRepository } from '../../../src/main/shipments/retentionRepository'
import type { StoredCreation } from '../../../src/main/shipments/shipmentFiles'
import { appError } from '../../../src/shared/errors'
import { wholeHistory } from '../../../src/shared/history'
import type { ConfirmedDuplicate, ShipmentState } from '../../../src/shared/shipments'
import { openTestDatabase } from '../../support/databaseWorker'
import { aDraft } from '../../support/drafts'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

const takenAt = new Date('2026-11-22T10:00:00.000Z')
const error = appError('internal', { case: 'answer-lost' })

async function openStation(path?: string) {
  const file = path ?? join(await temporaryFolder(), 'packbench.db')
  const database = await openTestDatabase(file, { afterMigrations: fillEmptyGuard })
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  const shipmentRepository = new ShipmentRepository(database.value)
  const orders = new OrderRepository(database.value)
  return {
    ...{
      file,
      database: database.value,
      shipmentRepository,
      orders,
      historyRepository: new HistoryRepository(database.value),
    },
    rebuild: new RebuildRepository(database.value),
  }
}

function anOrder(reference: string) {
  return {
    ...{ id: randomUUID(), state: 'to-ship' as const, values: { reference }, items: [], issues: [] },
    ...{
      source: { kind: 'typed' as const, name: '', line: null },
      origin: 'typed' as const,
      importedAt: takenAt.toISOString(),
    },
    ...{ orderDate: null, orderValue: '', currency: '', columns: {}, carrierOption: '' },
  }
}

function aShipment(reference: string, combinedReferences?: string[]) {
  const draft = aDraft({ reference, ...(combinedReferences && { combinedReferences }) })
  return {
    ...{ id: randomUUID(), attemptId: randomUUID(), draft, origin: 'screen' as const, print: false },
    takenAt: takenAt.toISOString(),
  }
}

const creation: StoredCreation = {
  version: 1,
  certainty: 'created',
  receivedAt: takenAt.toISOString(),
  storedAt: takenAt.toISOString(),
  barcodes: ['3SONE'],
  ...{ serviceShipmentId: null, zendingId: null, subLogId: null, logId: null, message: null },
  ...{ trackingUrl: null, sealedLabelUrl: null, limits: null, labels: [] },
}

type Station = Awaited<ReturnType<typeof openStation>>

/** Creates a combined shipment of the orders A, B and C in the given state. */
async function shipTogether({ shipmentRepository, orders, database }: Station, state: ShipmentState) {
  await orders.save(
    ['A', 'B', 'C'].map((reference) => anOrder(reference)),
    [],
  )
  const shipment = aShipment('A', ['B', 'C'])
  expect(await shipmentRepository.writeIntent(shipment, undefined)).toBeUndefined()
  // Older versions stored this state.
  if (state === 'intended')
    await database.updateTable('shipments').set({ state }).where('id', '=', shipment.id).execute()
  if (state === 'created') await shipmentRepository.markCreated(shipment.id, creation, [])
  if (state === 'refused') await shipmentRepository.markRefused(shipment.id, error, takenAt)
  if (state === 'unknown') await shipmentRepository.markUnknown(shipment.id, error, null)
  return shipment
}

const references = ['A', 'B', 'C'] as const

describe('a combined shipment of several orders', () => {
  it.each([
    ['intended', 'in-progress'],
    ['sent', 'in-progress'],
    ['unknown', 'unresolved'],
    ['created', 'already-created'],
  ] as const)('in the state %s blocks each of its references as %s after a restart', async (state, kind) => {
    const before = await openStation()
    const { id } = await shipTogether(before, state)
    const station = await openStation(before.file)
    for (const reference of references) {
      const blocked = { kind, shipment: { id, reference } }
      expect(await station.shipmentRepository.writeIntent(aShipment(reference), undefined)).toMatchObject(
        blocked,
      )
      expect(
        await station.shipmentRepository.writeIntent(aShipment('X', [reference]), undefined),
      ).toMatchObject(blocked)
    }
  })

  it.each(references)('guards %s when only the duplicate guard still has it', async (reference) => {
    const station = await openStation()
    const { id } = await shipTogether(station, 'created')
    await sql`drop trigger combined_references_follow`.execute(station.database)
    await sql`delete from combined_references`.execute(station.database)
    await sql`delete from shipments`.execute(station.database)
    expect(await station.shipmentRepository.writeIntent(aShipment(reference), undefined)).toMatchObject({
      kind: 'already-created',
      shipment: { id, reference, barcodes: ['3SONE'] },
    })
  })

  it('is restored as created beside an unknown shipment of one of its references', async () => {
    const { shipmentRepository, rebuild } = await openStation()
    const unknown = aShipment('B')
    expect(await shipmentRepository.writeIntent(unknown)).toBeUndefined()
    await shipmentRepository.markUnknown(unknown.id, error, null)
    const created = aShipment('A', ['B'])
    expect(await rebuild.restore(created)).toBe(false)
    expect(await rebuild.restore(created, creation)).toBe(true)
    expect(await shipmentRepository.listEarlier('B')).toMatchObject([
      { id: created.id, state: 'created', barcodes: ['3SONE'] },
      { id: unknown.id, state: 'unknown' },
    ])
  })

  it('is added to an empty guard from the journal, and stays guarded after retention', async () => {
    const before = await openStation()
    const { id } = await shipTogether(before, 'created')
    await sql`delete from duplicate_guard`.execute(before.database)
    const { shipmentRepository, database } = await openStation(before.file)
    const { entries } = await database
      .selectFrom('duplicateGuard')
      .select(({ fn }) => fn.countAll<number>().as('entries'))
      .executeTakeFirstOrThrow()
    expect(entries).toBe(3)
    await new RetentionRepository(database).remove(id)
    expect(await database.selectFrom('combinedReferences').selectAll().execute()).toEqual([])
    for (const reference of references)
      expect(await shipmentRepository.writeIntent(aShipment(reference), undefined)).toMatchObject({
        kind: 'already-created',
      })
  })

  it('frees all of its references when it is refused or resolved as not existing', async () => {
    for (const state of ['refused', 'unknown'] as const) {
      const station = await openStation()
      const { id } = await shipTogether(station, state)
      if (state === 'unknown')
        await station.shipmentRepository.resolveUnknown(id, {
          ...{ verdict: 'does-not-exist', barcode: null, at: takenAt, by: null, found: null, invoice: [] },
        })
      for (const reference of references)
        expect(await station.shipmentRepository.writeIntent(aShipment(reference), undefined)).toBeUndefined()
    }
  })

  it('marks all of its orders as shipped at the next start when it is resolved as existing', async () => {
    const station = await openStation()
    const { id } = await shipTogether(station, 'unknown')
    await station.shipmentRepository.resolveUnknown(id, {
      ...{ verdict: 'exists', barcode: '3SFOUND', at: takenAt, by: null, found: null, invoice: [] },
    })
    const { orders } = await openStation(station.file)
    await orders.markShippedEarlier()
    const known = await orders.findKnownReferences(references)
    expect(references.map((reference) => known.get(reference)?.state)).toEqual([
      'shipped',
      'shipped',
      'shipped',
    ])
    const standing = await orders.findStanding([...known.values()].map((order) => order.id))
    expect(standing).toMatchObject(references.map(() => ({ shipmentId: id, isFirst: true })))
  })

  it('lets each reference be shipped again, alone or combined, only with a confirmation of that reference', async () => {
    const station = await openStation()
    const { id } = await shipTogether(station, 'created')
    await station.shipmentRepository.noteCancellation(id, {
      at: takenAt.toISOString(),
      by: null,
      note: 'Cancelled',
    })
    expect(await station.shipmentRepository.writeIntent(aShipment('B'), undefined)).toMatchObject({
      kind: 'already-created',
    })
    const confirm = (reference: string) => ({ reference, shipmentId: id })
    expect(await station.shipmentRepository.writeIntent(aShipment('B'), [confirm('B')])).toBeUndefined()
    // A confirmation covers only the named reference, although the same parcel contains the other one.
    expect(await station.shipmentRepository.writeIntent(aShipment('A', ['C']), [confirm('A')])).toMatchObject(
      {
        kind: 'already-created',
        shipment: { id, reference: 'C' },
      },
    )
    const both = [confirm('A'), confirm('C')]
    expect(await station.shipmentRepository.writeIntent(aShipment('A', ['C']), both)).toBeUndefined()
  })

  it('can be shipped again with all references confirmed, and its orders then belong to the new shipment', async () => {
    const station = await openStation()
    const { id } = await shipTogether(station, 'created')
    await station.orders.markShipped(references, id)
    const confirmed = references.map((reference) => ({ reference, shipmentId: id }))
    const again = aShipment('A', ['B', 'C'])
    // Each reference of a valid shipment needs a confirmation.
    expect(await station.shipmentRepository.writeIntent(again, confirmed.slice(0, 2))).toMatchObject({
      kind: 'already-created',
    })
    await station.shipmentRepository.noteCancellation(id, {
      at: takenAt.toISOString(),
      by: null,
      note: 'Cancelled',
    })
    expect(await station.shipmentRepository.writeIntent(again, confirmed)).toBeUndefined()
    await station.shipmentRepository.markCreated(again.id, creation, [])
    expect(await station.orders.markShipped(references, again.id)).toBe(true)
    const known = await station.orders.findKnownReferences(references)
    const standing = await station.orders.findStanding([...known.values()].map((order) => order.id))
    expect(standing.map(({ state, shipmentId }) => [state, shipmentId])).toEqual(
      references.map(() => ['shipped', again.id]),
    )
  })

  it('is not written when one of its orders was skipped meanwhile', async () => {
    const station = await openStation()
    await station.orders.save([anOrder('A'), anOrder('B')], [])
    const b = (await station.orders.findKnownReferences(['B'])).get('B')
    await station.orders.skip([b?.id ?? ''], 'Cancelled by the customer')
    expect(await station.shipmentRepository.writeIntent(aShipment('A', ['B']), undefined)).toEqual({
      kind: 'order-closed',
      reference: 'B',
    })
    expect(await station.shipmentRepository.count()).toBe(0)
    expect(await station.shipmentRepository.writeIntent(aShipment('A'), undefined)).toBeUndefined()
  })

  it('is not written when one of its orders got an issue or another consignee, which the result names', async () => {
    const station = await openStation()
    const address = {
      ...{ lastName: 'Jansen', street: 'Dorpsstraat', houseNumber: '1' },
      ...{ postalCode: '3511 AB', city: 'Utrecht', country: 'NL' },
    }
    const [a, b] = ['A', 'B'].map((reference) => ({
      ...anOrder(reference),
      values: { reference, ...address },
    }))
    if (a === undefined || b === undefined) throw new Error('no orders')
    await station.orders.save([a, b], [])
    const consigneeKey = toConsigneeKey(a.values)
    const begin = () =>
      station.shipmentRepository.writeIntent(aShipment('A', ['B']), undefined, { consigneeKey })
    await station.orders.save([], [{ ...b, state: 'problem' }])
    expect(await begin()).toEqual({ kind: 'order-changed', reference: 'B' })
    const moved = { ...address, houseNumber: '2' }
    await station.orders.save([], [{ ...b, values: { reference: 'B', ...moved } }])
    expect(await begin()).toEqual({ kind: 'order-changed', reference: 'B' })
    // Both orders have the same consignee again, but not the one of the form.
    await station.orders.save([], [{ ...a, values: { reference: 'A', ...moved } }])
    expect(await begin()).toEqual({ kind: 'order-changed', reference: 'A' })
    expect(await station.shipmentRepository.writeIntent(aShipment('A', ['B']), undefined)).toBeUndefined()
    const problem = { ...anOrder('C'), state: 'problem' as const }
    await station.orders.save([problem], [])
    expect(
      await station.shipmentRepository.writeIntent(aShipment('C'), undefined, { orderId: problem.id }),
    ).toEqual({
      kind: 'order-changed',
      reference: 'C',
    })
  })

  it('is not written when the displayed order has changed or was skipped', async () => {
    const station = await openStation()
    const seen = { ...anOrder('A'), state: 'problem' as const, values: { reference: 'A', city: 'Utrecht' } }
    await station.orders.save([seen], [])
    const shown = { orderId: seen.id, fingerprint: toOrderFingerprint(seen) }
    const begin = (...confirmed: ConfirmedDuplicate[]) =>
      station.shipmentRepository.writeIntent(aShipment('A'), confirmed, shown)
    await station.orders.save([], [{ ...seen, values: { reference: 'A', city: 'Amsterdam' } }])
    expect(await begin()).toEqual({ kind: 'order-changed', reference: 'A' })
    await station.orders.skip([seen.id], 'Cancelled by the customer')
    expect(await begin()).toEqual({ kind: 'order-closed', reference: 'A' })
    expect(await begin({ reference: 'A', shipmentId: randomUUID() })).toMatchObject({ kind: 'order-closed' })
    expect(await station.shipmentRepository.count()).toBe(0)
    // The issue of the order was corrected in the form.
    await station.orders.rewrite([seen.id], ['skipped'], (order) => ({
      ...order,
      ...{ state: 'problem', values: seen.values, carrierOption: '' },
      issues: [{ field: 'city', code: 'required' }],
    }))
    expect(await begin()).toBeUndefined()
  })

  it('can be written for an already shipped order with a confirmation of its shipment', async () => {
    const station = await openStation()
    const { id } = await shipTogether(station, 'created')
    await station.orders.markShipped(references, id)
    const order = (await station.orders.findKnownReferences(['B'])).get('B')
    const seen = { orderId: order?.id, fingerprint: 'as it was' }
    expect(
      await station.shipmentRepository.writeIntent(
        aShipment('B'),
        [{ reference: 'B', shipmentId: id }],
        seen,
      ),
    ).toBeUndefined()
  })

  it('cannot be stored beside another open shipment of its references, even with an empty guard', async () => {
    const station = await openStation()
    await shipTogether(station, 'sent')
    await sql`delete from duplicate_guard`.execute(station.database)
    const insert = (reference: string) =>
      sql`insert into shipments (id, attempt_id, reference, state, origin, draft, recipient, city, country,
        carrier_option_id, print, taken_at, search_text)
        values (${reference}, ${reference}, ${reference}, 'intended', 'screen', '{}', '', '', '', 1, 0, '', '')`.execute(
        station.database,
      )
    await expect(insert('B')).rejects.toThrow('a shipment that holds this reference is open')
    await insert('D')
    const combine = (reference: string) =>
      sql`insert into combined_references (shipment_id, position, reference, open)
        values ('D', 1, ${reference}, 1)`.execute(station.database)
    await expect(combine('A')).rejects.toThrow('a shipment of this reference is open')
    await expect(combine('C')).rejects.toThrow()
  })

  it('is found by each of its references', async () => {
    const station = await openStation()
    const { id } = await shipTogether(station, 'created')
    await station.shipmentRepository.writeIntent(aShipment('D'), undefined)
    for (const text of ['B', 'c']) {
      const { shipments } = await station.historyRepository.search({
        ...wholeHistory,
        text,
        limit: 10,
        before: null,
      })
      expect(shipments.map((shipment) => shipment.id)).toContain(id)
    }
  })
})

it('a combined shipment sends one request with one reference and marks all of its orders as shipped', async () => {
  const simulator = await testSimulator()
  const folder = await temporaryFolder()
  const { features } = await connectedStation(folder, simulator, { routing: [{ printer: 'file' }] })
  const list = new OrderRepository(features.database)
  await list.save([anOrder('A'), anOrder('B')], [])
  const draft = aDraft({ reference: 'A', reference2: 'B', combinedReferences: ['B'] })
  const created = await features.handlers.createShipment({ attemptId: randomUUID(), draft })
  expect(created).toMatchObject({
    ok: true,
    value: { state: 'created', reference: 'A', combinedReferences: ['B'] },
  })
  expect(simulator.ledger.entries.map(({ reference }) => reference)).toEqual(['A'])
  await expect.poll(() => features.orderList.counts()).toMatchObject({ 'to-ship': 0, shipped: 2 })
  const again = { attemptId: randomUUID(), draft: aDraft({ reference: 'B' }) }
  expect(await features.handlers.createShipment(again)).toMatchObject({
    ok: false,
    error: { code: 'shipment-duplicate', details: { reference: 'B' } },
  })
})

it('rebuildHistory restores all references of a combined shipment', async () => {
  const simulator = await testSimulator()
  const folder = await temporaryFolder()
  const { station, features } = await connectedStation(folder, simulator, { routing: [{ printer: 'file' }] })
  await new OrderRepository(features.database).save([anOrder('A'), anOrder('B')], [])
  const draft = aDraft({ reference: 'A', combinedReferences: ['B'] })
  await features.handlers.createShipment({ attemptId: randomUUID(), draft })
  await station.stop()
  for (const end of ['', '-wal', '-shm']) await rm(join(folder, `packbench.db${end}`), { force: true })
  const { shipmentRepository, rebuild } = await openStation(join(folder, 'packbench.db'))
  const lost = await findLostShipments(join(folder, 'labels'), { shipmentRepository, rebuild }, true)
  const unknown = { kind: 'unknown', error, stored: null } as const
  const shipping = { recover: async () => 0, readOutcome: async () => unknown }
  expect(await rebuildHistory(lost, { shipmentRepository, rebuild, shipping })).toEqual({
    rebuilt: 1,
    left: 0,
  })
  expect(await shipmentRepository.writeIntent(aShipment('B'), undefined)).toMatchObject({
    kind: 'in-progress',
  })
})
