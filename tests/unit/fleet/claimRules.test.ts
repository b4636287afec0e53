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

describe('what a shipment does to the claim on its reference', () => {
  it('frees it by a refusal, and leaves what was created before', () => {
    expect(apply({ hold: ownHold, created: null }, 'refused')).toEqual({ claim: null, conflict: null })
    expect(apply({ hold: ownHold, created }, 'refused').claim).toEqual({ hold: null, created })
  })

  it('never frees what another attempt holds', () => {
    const claim = { hold: otherHold, created }
    for (const state of ['intended', 'sent', 'refused', 'unknown'] as const) {
      expect(apply(claim, state).claim).toEqual(claim)
    }
    expect(apply(claim, 'created').claim?.hold).toEqual(otherHold)
    const sameStation = { ...otherHold, station: 'bench-1' }
    expect(apply({ hold: sameStation, created: null }, 'refused').claim?.hold).toEqual(sameStation)
  })

  it('holds it while the outcome is unknown, and until a person resolves that', () => {
    expect(apply({ hold: ownHold, created: null }, 'unknown').claim?.hold?.state).toBe('unknown')
    expect(apply(null, 'unknown').claim?.hold?.state).toBe('unknown')
    const unknown = { hold: { ...ownHold, state: 'unknown' as const }, created: null }
    expect(apply(unknown, 'refused').claim).toBeNull()
    expect(apply(unknown, 'created').claim).toEqual({ hold: null, created: createdMine })
  })

  it('holds it for what began while the database was away', () => {
    expect(apply(null, 'sent').claim).toEqual({ hold: ownHold, created: null })
  })

  it('is no conflict where the claim was granted over another shipment, nor within one station', () => {
    expect(apply({ hold: { ...ownHold, over: 's0' }, created }, 'created')).toEqual({
      claim: { hold: null, created: createdMine },
      conflict: null,
    })
    const unknown = apply({ hold: { ...ownHold, over: 's0' }, created }, 'unknown').claim
    expect(apply(unknown, 'created').conflict).toBeNull()
    expect(apply({ hold: null, created: { ...created, station: 'bench-1' } }, 'created').conflict).toBeNull()
  })

  it('conflicts with a created shipment that its claim was not granted over', () => {
    expect(apply({ hold: ownHold, created }, 'created').conflict).toMatchObject({ shipmentId: 's0' })
    expect(apply({ hold: { ...ownHold, over: 's9' }, created }, 'created').conflict).toMatchObject({
      shipmentId: 's0',
    })
  })

  it('ends its own hold also when the station has another identity by now', () => {
    const earlier = { ...ownHold, station: 'bench-before' }
    expect(apply({ hold: earlier, created: null }, 'refused').claim).toBeNull()
    expect(apply({ hold: { ...earlier, attemptId: 's1' }, created: null }, 'created').claim?.hold).toBeNull()
  })

  it('conflicts with what another station created, is creating or left unknown meanwhile', () => {
    expect(apply({ hold: null, created }, 'created').conflict).toMatchObject({
      shipmentId: 's0',
      barcodes: ['3S0'],
    })
    expect(apply({ hold: otherHold, created: null }, 'created').conflict).toMatchObject({ shipmentId: 's2' })
    expect(apply({ hold: otherHold, created: null }, 'unknown').conflict).toMatchObject({ shipmentId: 's2' })
  })

  it('changes nothing when it is published again', () => {
    const once = apply({ hold: ownHold, created: null }, 'created').claim
    expect(apply(once, 'created', true)).toEqual({ claim: once, conflict: null })
    const newer = { hold: null, created }
    expect(apply(newer, 'created', true)).toEqual({ claim: newer, conflict: null })
  })
})
