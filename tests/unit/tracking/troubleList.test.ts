import { describe, expect, it } from 'vitest'
import { listOfTroubles } from '../../../src/main/tracking/troubleMessage'
import type { ParcelTrouble } from '../../../src/shared/tracking'

describe('the list that shows parcels in trouble', () => {
  it.each<[ParcelTrouble[], ParcelTrouble | null]>([
    [['status'], 'status'],
    [['silent', 'silent'], 'silent'],
    [['not-found', 'silent'], null],
  ])('of %j is %j', (troubles, list) => {
    const parcels = troubles.map((trouble, at) => ({ code: `P${at}`, reference: `R${at}`, trouble }))
    expect(listOfTroubles(parcels)).toBe(list)
  })
})
