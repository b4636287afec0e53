import { describe, expect, it } from 'vitest'
import { getIssueTime, NumberIssuer } from '../../../src/simulator/barcodes'

const createdAt = new Date('2026-11-21T10:00:00.500Z')

describe('the numbers of the service', () => {
  it('are unique even when the clock does not advance, and equal for the same times', () => {
    const issue = (): string[] => {
      const issuer = new NumberIssuer()
      return Array.from({ length: 2500 }, () => issuer.next(createdAt).barcode)
    }
    const barcodes = issue()
    expect(new Set(barcodes).size).toBe(2500)
    expect(issue()).toEqual(barcodes)
    for (const barcode of barcodes) expect(barcode).toMatch(/^3SPB\d{14}$/)
  })

  it('stay unique when the clock is set back', () => {
    const issuer = new NumberIssuer()
    const numbers = [createdAt, new Date(createdAt.getTime() - 60_000), createdAt].map(
      (at) => issuer.next(at).id,
    )
    expect(new Set(numbers).size).toBe(3)
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
  })

  it('tell when they were given out, and foreign ones are known as such', () => {
    const { barcode } = new NumberIssuer().next(createdAt)
    expect(getIssueTime(barcode)).toEqual(new Date('2026-11-21T10:00:00Z'))
    const mistyped = barcode.slice(0, -1) + String((Number(barcode.slice(-1)) + 1) % 10)
    expect(getIssueTime(mistyped)).toBeUndefined()
    expect(getIssueTime('3SPB1')).toBeUndefined()
    expect(getIssueTime('JVGL0123456789')).toBeUndefined()
  })
})
