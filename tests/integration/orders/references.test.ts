import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Services } from '../../../src/main/app/compose'
import type { SettingsChange } from '../../../src/shared/settings'
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
    await features.orderRecheck.followRules('unknown')
    expect(await listOrders(features)).toEqual([])
    expect(await listOrders(features, 'shipped')).toMatchObject([{ values: { reference: 'A 1' } }])
  })
})
