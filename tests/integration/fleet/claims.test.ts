import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { aDraft } from '../../support/drafts'
import { newOrderFleet } from '../../support/fleetOrders'
import { published, twoStations } from '../../support/fleetStations'
import { importOrderRows, orderRow } from '../../support/orderRows'
import { postgresOfBlock } from '../../support/privatePostgres'

const postgres = postgresOfBlock()

describe('two stations of a fleet', () => {
  it('refuse a reference that the other station shipped, with station, time and barcode in the error', async () => {
    const { one, other } = await twoStations(postgres())
    const created = await one.ship('ORDER-1')
    if (!created.ok) throw new Error(created.error.message)
    expect(created.value.state).toBe('created')
    await published(one.services)
    const { id, barcodes, takenAt } = created.value
    expect(await other.ship('ORDER-1')).toMatchObject({
      error: {
        code: 'shipment-duplicate',
        message: expect.stringContaining(`at station Bench 1 (${takenAt}, ${barcodes.join(', ')}): nothing`),
        details: {
          case: 'elsewhere',
          station: 'Bench 1',
          shipmentId: id,
          barcodes: barcodes.join(', '),
          takenAt,
        },
      },
    })
    expect(await other.ship('ORDER-2')).toMatchObject({ value: { state: 'created' } })
    const again = await other.ship('ORDER-1', { confirmedDuplicateOf: id })
    if (!again.ok) throw new Error(again.error.message)
    await published(other.services)
    // A confirmation of the newest shipment is enough: the station's own older one needs no second confirmation.
    expect(await one.ship('ORDER-1', { confirmedDuplicateOf: id })).toMatchObject({
      error: { details: { station: 'Bench 2', shipmentId: again.value.id } },
    })
    expect(await one.ship('ORDER-1', { confirmedDuplicateOf: again.value.id })).toMatchObject({
      value: { state: 'created' },
    })
    expect((await one.services.fleet.overview()).conflicts).toEqual([])
  })

  it('say of a reference whose shipment was cancelled at the carrier that its label is void', async () => {
    const { one, other } = await twoStations(postgres())
    const created = await one.ship('ORDER-1')
    if (!created.ok) throw new Error(created.error.message)
    const { id } = created.value
    const noted = await one.services.shipping.noteCancellation(id, 'By phone')
    const cancelledAt = noted.ok ? noted.value.cancellation?.at : ''
    await published(one.services)
    expect(await other.services.history.listEarlier('ORDER-1')).toMatchObject([
      { shipmentId: id, cancelledAt },
    ])
    const details = { shipmentId: id, cancelledAt }
    expect(await other.ship('ORDER-1')).toMatchObject({
      error: {
        code: 'shipment-duplicate',
        details: { ...details, case: 'cancelled-elsewhere', station: 'Bench 1' },
      },
    })
    expect(await one.ship('ORDER-1')).toMatchObject({ error: { details: { ...details, case: 'cancelled' } } })
    expect(await other.ship('ORDER-1', { confirmedDuplicateOf: id })).toMatchObject({
      value: { state: 'created' },
    })
  })

  it('do not call a reference void if only the newer of two shipments was cancelled at the carrier', async () => {
    const { one, other } = await twoStations(postgres())
    const valid = await one.ship('ORDER-1')
    if (!valid.ok) throw new Error(valid.error.message)
    const again = await one.ship('ORDER-1', { confirmedDuplicateOf: valid.value.id })
    if (!again.ok) throw new Error(again.error.message)
    expect((await one.services.shipping.noteCancellation(again.value.id, 'By phone')).ok).toBe(true)
    await published(one.services)
    for (const station of [one, other]) {
      const refused = await station.ship('ORDER-1')
      const { error } = refused.ok ? { error: undefined } : refused
      expect(error).toMatchObject({
        code: 'shipment-duplicate',
        details: {
          shipmentId: valid.value.id,
          barcodes: valid.value.barcodes.join(', '),
          duplicateOf: again.value.id,
        },
      })
      expect(error?.details).not.toHaveProperty('cancelledAt')
    }
    expect(await other.ship('ORDER-1', { confirmedDuplicateOf: again.value.id })).toMatchObject({
      value: { state: 'created' },
    })
  })

  it('do not call a reference void whose combined parcel was not cancelled at the carrier', async () => {
    const { one, other } = await newOrderFleet(postgres())
    await importOrderRows(one.services, [orderRow('A'), orderRow('B_%1')])
    const combined = await one.services.shipping.create({
      ...{ attemptId: randomUUID(), origin: 'screen', print: false, takenAt: new Date() },
      draft: aDraft({ reference: 'A', combinedReferences: ['B_%1'] }),
    })
    if (!combined.ok) throw new Error(combined.error.message)
    const again = await one.ship('B_%1', { confirmedDuplicateOf: combined.value.id })
    if (!again.ok) throw new Error(again.error.message)
    expect((await one.services.shipping.noteCancellation(again.value.id, 'By phone')).ok).toBe(true)
    await published(one.services)
    for (const station of [one, other]) {
      const refused = await station.ship('B_%1')
      const { error } = refused.ok ? { error: undefined } : refused
      expect(error).toMatchObject({
        code: 'shipment-duplicate',
        details: {
          shipmentId: combined.value.id,
          barcodes: combined.value.barcodes.join(', '),
          duplicateOf: again.value.id,
        },
      })
      expect(error?.details).not.toHaveProperty('cancelledAt')
    }
    expect(await other.services.history.listEarlier('B_%1')).toMatchObject([
      { shipmentId: combined.value.id, barcodes: combined.value.barcodes, station: 'Bench 1' },
    ])
    expect((await one.services.shipping.noteCancellation(combined.value.id, 'By phone')).ok).toBe(true)
    await published(one.services)
    expect(await other.ship('B_%1')).toMatchObject({ error: { details: { case: 'cancelled-elsewhere' } } })
  })

  it('refuse a combined parcel when only one of its shipped references was confirmed', async () => {
    const { carrier, one, other } = await twoStations(postgres())
    const [a, b] = [await one.ship('A'), await one.ship('B')]
    if (!a.ok || !b.ok) throw new Error('not shipped')
    await published(one.services)
    const answer = await other.services.shipping.create({
      ...{ attemptId: randomUUID(), origin: 'screen', print: false, takenAt: new Date() },
      draft: aDraft({ reference: 'A', combinedReferences: ['B'] }),
      confirmedDuplicates: [{ reference: 'A', shipmentId: a.value.id }],
    })
    expect(answer).toMatchObject({
      error: { code: 'shipment-duplicate', details: { reference: 'B', shipmentId: b.value.id } },
    })
    expect([...carrier.received]).toEqual([
      ['A', 1],
      ['B', 1],
    ])
  })

  it('create each of 500 references once when both ship them at the same time', async () => {
    const { carrier, one, other } = await twoStations(postgres())
    const outcomes = { created: 0, refused: 0 }
    const atOnce = 50
    for (let round = 0; round < 500; round += atOnce) {
      const references = Array.from({ length: atOnce }, (_, index) => `RACE-${round + index}`)
      const results = await Promise.all(references.flatMap((each) => [one.ship(each), other.ship(each)]))
      for (const result of results) {
        if (result.ok && result.value.state === 'created') outcomes.created += 1
        else if (!result.ok && /^shipment-(duplicate|in-progress)$/.test(result.error.code))
          outcomes.refused += 1
        else throw new Error(JSON.stringify(result))
      }
    }
    expect(outcomes).toEqual({ created: 500, refused: 500 })
    expect([...carrier.received.values()].filter((count) => count !== 1)).toEqual([])
    expect(carrier.received.size).toBe(500)
  }, 180_000)
})
