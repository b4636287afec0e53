import { expect, it } from 'vitest'
import type { SettingsChange } from '../../../src/shared/settings'
import { modelRuns } from '../../support/modelRuns'
import { importOrderRows, listOrders, orderRow } from '../../support/orderRows'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

const settings: SettingsChange = {
  carriers: [{ name: 'Parcel', carrierId: 1, carrierOptionId: 11 }],
  routing: [{ printer: 'file' }],
  batch: { parallelCreations: 4 },
}
const count = 40

/** A pseudo-random generator that is reproducible by its seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const seeds = Array.from({ length: Math.ceil(modelRuns / 100) }, (_, index) => index + 1)

it.each(seeds)(
  'a batch sends each order once with its current data during random edits, pauses and settings changes (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    const simulator = await testSimulator()
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 15 } })
    const { features } = await connectedStation(await temporaryFolder(), simulator, settings)
    const references = Array.from({ length: count }, (_, index) => `A-${index}`)
    await importOrderRows(
      features,
      references.map((reference) => orderRow(reference)),
    )
    const orders = await listOrders(features)
    const begun = await features.batches.begin(
      orders.map(({ id }) => id),
      'imported',
      false,
    )
    if (!begun.ok) throw new Error(begun.error.message)
    const { id: batchId } = begun.value
    /** The cities of each order, and the time range in which each may have been current. */
    const history = new Map(
      orders.map((order) => [order.id, [{ city: 'Amsterdam', from: 0, to: Number.POSITIVE_INFINITY }]]),
    )
    const acts = [
      async (step: number) => {
        const order = orders[random(count)]
        if (order === undefined) return
        const city = `City ${step}`
        const from = Date.now()
        const changed = await features.orders.change(order.id, { ...order.values, city })
        if (!changed.ok) return
        const cities = history.get(order.id) ?? []
        const last = cities.at(-1)
        if (last !== undefined) last.to = Date.now()
        cities.push({ city, from, to: Number.POSITIVE_INFINITY })
      },
      async () => {
        await features.batches.pause(batchId)
        await features.batches.resume(batchId)
      },
      async (step: number) => {
        features.settings.change({ shipmentDefaults: { content: `Content ${step}` } })
      },
    ]
    for (let step = 1; step <= 2000 && (await features.batches.current())?.state !== 'ended'; step += 1) {
      await acts[random(10) < 7 ? 0 : 1 + random(2)]?.(step)
    }
    await expect.poll(async () => (await features.batches.current())?.state).toBe('ended')
    expect(await features.batches.current()).toMatchObject({ total: count, outcomes: { created: count } })
    expect(simulator.ledger.entries.map(({ reference }) => reference).toSorted()).toEqual(
      references.toSorted(),
    )
    const { items } = await features.batches.listItems({ batchId, shown: 'all', offset: 0, limit: 500 })
    for (const { orderId, shipmentId } of items) {
      const shipped = await features.shipmentRepository.find(shipmentId ?? '')
      const sentAt = Date.parse(shipped?.requestSentAt ?? '')
      const then = history.get(orderId)?.filter(({ from, to }) => from <= sentAt && sentAt <= to)
      expect(then?.map(({ city }) => city)).toContain(shipped?.city)
    }
  },
)
