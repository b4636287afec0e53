import { describe, expect, it } from 'vitest'
import { findCommonAlert } from '../../../src/main/app/desktopMessages'
import type { ParcelAlert } from '../../../src/shared/tracking'

describe('findCommonAlert', () => {
  it.each<[ParcelAlert[], ParcelAlert | null]>([
    [['status'], 'status'],
    [['silent', 'silent'], 'silent'],
    [['not-found', 'silent'], null],
  ])('returns for parcels with the alerts %j the common alert %j', (alerts, list) => {
    const parcels = alerts.map((alert, at) => ({ code: `P${at}`, reference: `R${at}`, alert }))
    expect(findCommonAlert(parcels)).toBe(list)
  })
})
