import { describe, expect, it } from 'vitest'
import { applyShipment, type Claim, type PublishedShipment } from '../../../src/main/fleet/claimRules'

const mine: PublishedShipment = {
  ...{ shipmentId: 's1', station: 'bench-1', operator: 'Ann', takenAt: '2026-11-22T10:00:00.000Z' },
  ...{ barcodes: ['3S1'], attemptId: 'a1', state: 'created' },
}
const { attemptId: _, state: __, ...createdMine } = mine
const created = { ...createdMine, shipmentId: 's0', station: 'bench-2', barcodes: ['3S0'] }
const ownHold = {
  ...{ station: 'bench-1', attemptId: 'a1', shipmentId: 's1', operator: 'Ann' },
  state: 'claimed' as const,
  over: null,
}
const otherHold = { ...ownHold, station: 'bench-2', attemptId: 'a2', shipmentId: 's2' }
const apply = (claim: Claim | null, state: PublishedShipment['state'], wasCreated = false) =>
  applyShipment(claim, { ...mine, state }, wasCreated)

describe('applyShipment', () => {
  it('frees the claim after a refusal and keeps an earlier created shipment', () => {
    expect(apply({ hold: ownHold, created: null }, 'refused')).toEqual({ claim: null, conflict: null })
    expect(apply({ hold: ownHold, created }, 'refused').claim).toEqual({ hold: null, created })
  })

  it('never frees the hold of another attempt', () => {
    const claim = { hold: otherHold, created }
    for (const state of ['intended', 'sent', 'refused', 'unknown'] as const) {
      expect(apply(claim, state).claim).toEqual(claim)
    }
    expect(apply(claim, 'created').claim?.hold).toEqual(otherHold)
    const sameStation = { ...otherHold, station: 'bench-1' }
    expect(apply({ hold: sameStation, created: null }, 'refused').claim?.hold).toEqual(sameStation)
  })

  it('holds the claim from an unknown outcome until a person resolves it', () => {
    expect(apply({ hold: ownHold, created: null }, 'unknown').claim?.hold?.state).toBe('unknown')
    expect(apply(null, 'unknown').claim?.hold?.state).toBe('unknown')
    const unknown = { hold: { ...ownHold, state: 'unknown' as const }, created: null }
    expect(apply(unknown, 'refused').claim).toBeNull()
    expect(apply(unknown, 'created').claim).toEqual({ hold: null, created: createdMine })
  })

  it('holds the claim for a shipment that began while the database was unreachable', () => {
    expect(apply(null, 'sent').claim).toEqual({ hold: ownHold, created: null })
  })

  it('reports no conflict with the shipment that the claim was granted over, nor within one station', () => {
    expect(apply({ hold: { ...ownHold, over: 's0' }, created }, 'created')).toEqual({
      claim: { hold: null, created: createdMine },
      conflict: null,
    })
    const unknown = apply({ hold: { ...ownHold, over: 's0' }, created }, 'unknown').claim
    expect(apply(unknown, 'created').conflict).toBeNull()
    expect(apply({ hold: null, created: { ...created, station: 'bench-1' } }, 'created').conflict).toBeNull()
  })

  it('reports a conflict with a created shipment that the claim was not granted over', () => {
    expect(apply({ hold: ownHold, created }, 'created').conflict).toMatchObject({ shipmentId: 's0' })
    expect(apply({ hold: { ...ownHold, over: 's9' }, created }, 'created').conflict).toMatchObject({
      shipmentId: 's0',
    })
  })

  it('ends the hold of the same attempt when the station has a new identity', () => {
    const earlier = { ...ownHold, station: 'bench-before' }
    expect(apply({ hold: earlier, created: null }, 'refused').claim).toBeNull()
    expect(apply({ hold: { ...earlier, attemptId: 's1' }, created: null }, 'created').claim?.hold).toBeNull()
  })

  it('reports a conflict with a shipment that another station created, and none with one that has no outcome yet', () => {
    for (const hold of [null, otherHold]) {
      expect(apply({ hold, created }, 'created').conflict).toMatchObject({
        shipmentId: 's0',
        barcodes: ['3S0'],
      })
      expect(apply({ hold, created: null }, 'created').conflict).toBeNull()
      expect(apply({ hold, created }, 'unknown').conflict).toBeNull()
    }
  })

  it('changes nothing when a created shipment is published again', () => {
    const once = apply({ hold: ownHold, created: null }, 'created').claim
    expect(apply(once, 'created', true)).toEqual({ claim: once, conflict: null })
    const newer = { hold: null, created }
    expect(apply(newer, 'created', true)).toEqual({ claim: newer, conflict: null })
  })
})
