import { describe, expect, it } from 'vitest'
import { findCommonAlert } from '../../../src/main/app/desktopMessages'
import type { ParcelAlert } from '../../../src/shared/tracking'

describe('the list that shows parcels in alert', () => {
  it.each<[ParcelAlert[], ParcelAlert | null]>([
    [['status'], 'status'],
    [['silent', 'silent'], 'silent'],
    [['not-found', 'silent'], null],
  ])('of %j is %j', (alerts, list) => {
    const parcels = alerts.map((alert, at) => ({ code: `P${at}`, reference: `R${at}`, alert }))
    expect(findCommonAlert(parcels)).toBe(list)
  })
})
