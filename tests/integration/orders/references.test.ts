import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Services } from '../../../src/main/app/compose'
import type { SettingsChange } from '../../../src/shared/settings'
import { CountingCarrier } from '../../support/countingCarrier'
import { deferred } from '../../support/deferred'
import { aDraft } from '../../support/drafts'
import { importOrderRows, listOrders, orderRow } from '../../support/orderRows'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

const settings: SettingsChange = {
  carriers: [{ name: 'Parcel', carrierId: 1, carrierOptionId: 11 }],
  routing: [{ printer: 'file' }],
}

async function startStation(): Promise<Services> {
  const { features } = await connectedStation(await temporaryFolder(), await testSimulator(), settings)
  return features
}

/** Ships all orders of the list in a batch, and waits until the list is empty. */
async function shipAll(features: Services): Promise<void> {
  const orders = await listOrders(features)
  const batch = await features.batches.begin(
    orders.map(({ id }) => id),
    'imported',
    false,
  )
  if (!batch.ok) throw new Error(batch.error.message)
  const current = () => features.batches.current()
  await expect.poll(current).toMatchObject({ state: 'ended', outcomes: { created: orders.length } })
  await expect.poll(() => listOrders(features)).toEqual([])
}

describe('an order with a reference that is not in normal form', () => {
  it.each([
    ['a no-break space', 'BESTELLING\u00a01', 'BESTELLING 1'],
    ['a decomposed letter', 'CAFÉ-1'.normalize('NFD'), 'CAFÉ-1'],
  ])(
    'leaves the list when it is shipped, and is skipped at the next import, with %s',
    async (_, written, normal) => {
      const features = await startStation()
      await importOrderRows(features, [orderRow(written)])
      expect((await listOrders(features)).map(({ values }) => values.reference)).toEqual([normal])
      await shipAll(features)
      expect(await importOrderRows(features, [orderRow(written)])).toMatchObject({ added: 0, skipped: 1 })
    },
  )

  it('leaves the list when it is shipped with a trailing space in the corrected reference', async () => {
    const features = await startStation()
    await importOrderRows(features, [orderRow('A-0')])
    const [order] = await listOrders(features)
    if (order === undefined) throw new Error('The order is not in the list.')
    const values = { ...order.values, reference: 'A-1 ' }
    const changed = await features.handlers.changeOrder({ orderId: order.id, values })
    expect(changed).toMatchObject({ ok: true })
    await shipAll(features)
  })

  it('is found by its scanned reference', async () => {
    const features = await startStation()
    await importOrderRows(features, [orderRow('A\u00a01')])
    expect(await features.ordersToShip.findToShip('A\u00a01')).toMatchObject({
      order: { values: { reference: 'A 1' } },
    })
  })

  it('can be combined with another order', async () => {
    const features = await startStation()
    await importOrderRows(features, [orderRow('A-1'), orderRow('A\u00a02')])
    const draft = { ...aDraft({ reference: 'A-1' }), carrierId: 1, carrierOptionId: 11 }
    const created = await features.handlers.createShipment({
      attemptId: randomUUID(),
      draft: { ...draft, combinedReferences: ['A 2'] },
    })
    expect(created).toMatchObject({ ok: true, value: { state: 'created' } })
    await expect.poll(() => listOrders(features)).toEqual([])
  })

  it('is marked as shipped by the recheck when an older version stored and shipped it', async () => {
    const features = await startStation()
    await importOrderRows(features, [orderRow('A 1')])
    const draft = { ...aDraft({ reference: 'A 1' }), carrierId: 1, carrierOptionId: 11 }
    const created = await features.handlers.createShipment({ attemptId: randomUUID(), draft })
    expect(created).toMatchObject({ ok: true, value: { state: 'created' } })
    await expect.poll(() => listOrders(features)).toEqual([])
    // The state after the migration from the older version.
    await features.database
      .updateTable('orders')
      .set({ state: 'to-ship', shipmentId: null, reference: 'A\u00a01', consigneeKey: null })
      .execute()
    await features.orderRecheck.followSettings('outdated')
    expect(await listOrders(features)).toEqual([])
    expect(await listOrders(features, 'shipped')).toMatchObject([{ values: { reference: 'A 1' } }])
  })
})

describe('the reference of an order', () => {
  /** Loses the answer to each creation request, so that its outcome is unknown. */
  const loseAnswer = () => Promise.reject(new Error('the answer was lost'))

  /** A station with the order 1007. */
  async function orderAtCarrier(whileAnswering: CountingCarrier['whileAnswering']) {
    const features = await startStation()
    const carrier = new CountingCarrier()
    carrier.serve(features)
    carrier.whileAnswering = whileAnswering
    await importOrderRows(features, [orderRow('1007')])
    const [order] = await listOrders(features)
    if (order === undefined) throw new Error('The order is not in the list.')
    const change = (reference: string, city = 'Amsterdam') =>
      features.orders.change(order.id, { ...order.values, reference, city })
    const ship = (reference: string, combinedReferences?: string[]) =>
      features.handlers.createShipment({
        attemptId: randomUUID(),
        draft: {
          ...{ ...aDraft({ reference }), carrierId: 1, carrierOptionId: 11 },
          ...(combinedReferences !== undefined && { combinedReferences }),
        },
      })
    return { features, change, ship }
  }

  it("can't be changed while its shipment is being created, so that the answer ends the order", async () => {
    const reached = deferred<void>()
    const answering = deferred<'created'>()
    const { features, change, ship } = await orderAtCarrier(() => {
      reached.resolve()
      return answering.promise
    })
    const shipping = ship('1007')
    await reached.promise
    for (const reference of ['1007-A', ''])
      expect(await change(reference)).toMatchObject({ error: { code: 'shipment-in-progress' } })
    answering.resolve('created')
    expect(await shipping).toMatchObject({ ok: true, value: { state: 'created' } })
    await expect.poll(() => listOrders(features)).toEqual([])
  })

  it("can't be changed while its outcome is unknown, unlike its other values, and can be again afterwards", async () => {
    const { features, change, ship } = await orderAtCarrier(loseAnswer)
    const unknown = await ship('1007')
    expect(unknown).toMatchObject({ ok: true, value: { state: 'unknown' } })
    expect(await change('1007-A')).toMatchObject({ error: { code: 'shipment-unsettled' } })
    expect(await change('1007', 'Delft')).toMatchObject({ ok: true, value: { values: { city: 'Delft' } } })
    if (!unknown.ok) return
    const resolution = { shipmentId: unknown.value.id, verdict: 'does-not-exist' as const }
    expect(await features.handlers.resolveShipment(resolution)).toMatchObject({ ok: true })
    expect(await change('1007-A')).toMatchObject({ ok: true, value: { values: { reference: '1007-A' } } })
  })

  it("can't be changed while a combined shipment with it is unknown", async () => {
    const { features, change, ship } = await orderAtCarrier(loseAnswer)
    await importOrderRows(features, [orderRow('1006')])
    expect(await ship('1006', ['1007'])).toMatchObject({ ok: true, value: { state: 'unknown' } })
    expect(await change('1007-A')).toMatchObject({ error: { code: 'shipment-unsettled' } })
  })

  it('can be changed while the shipment of another order with that reference is unknown', async () => {
    const { features, ship } = await orderAtCarrier(loseAnswer)
    await importOrderRows(features, [orderRow('1008'), orderRow('1008').replace('Smit', 'Bos')])
    expect(await ship('1008')).toMatchObject({ ok: true, value: { state: 'unknown' } })
    const [repeated] = await listOrders(features, 'problem')
    if (repeated === undefined) throw new Error('The order is not a problem.')
    const values = { ...repeated.values, reference: '1008-A' }
    expect(await features.orders.change(repeated.id, values)).toMatchObject({
      ok: true,
      value: { state: 'to-ship' },
    })
  })
})
