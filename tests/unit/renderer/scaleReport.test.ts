import { describe, expect, it } from 'vitest'
import { readScaleReport } from '../../../src/renderer/features/scale/scaleWeight'

const read = (bytes: readonly number[], reportId = 3) =>
  readScaleReport(reportId, new DataView(new Uint8Array(bytes).buffer))

const [grams, kilograms, ounces, pounds] = [2, 3, 11, 12]
const [zero, moving, stable, negative, overload] = [2, 3, 4, 5, 6]

describe('a report of a scale', () => {
  it.each([
    // From DYMO M10 and M25 scales: grams, and tenths of ounces.
    ['1,210 g', [stable, grams, 0, 0xba, 0x04], 1.21],
    ['20.4 oz', [stable, ounces, 0xff, 0xcc, 0x00], 0.578],
    // From Fairbanks and Stamps.com scales: hundredths of pounds.
    ['5.35 lb', [stable, pounds, 0xfe, 0x17, 0x02], 2.427],
    ['12.345 kg', [stable, kilograms, 0xfd, 0x39, 0x30], 12.345],
    ['30 kg', [stable, kilograms, 1, 3, 0], 30],
    ['65,535 g, the largest value', [stable, grams, 0, 0xff, 0xff], 65.535],
    ['more bytes than a weight needs', [stable, grams, 0, 0x64, 0, 0, 0, 0], 0.1],
  ] as const)('reads %s as a stable weight', (_weight, bytes, kg) => {
    expect(read(bytes)).toEqual({ kind: 'stable', kg })
  })

  it.each([
    ['zero', [zero, grams, 0, 0, 0]],
    ['zero', [stable, grams, 0, 0, 0]],
    ['zero', [stable, grams, 0xff, 4, 0]],
    ['negative', [negative, grams, 0, 0x10, 0]],
    ['overload', [overload, grams, 0, 0xff, 0xff]],
    ['attention', [1, grams, 0, 0, 0]],
    ['attention', [7, grams, 0, 0x10, 0]],
    ['attention', [8, grams, 0, 0x10, 0]],
  ] as const)('is read as %s', (kind, bytes) => {
    expect(read(bytes)).toEqual({ kind })
  })

  it.each([
    ['with its weight', [moving, grams, 0, 0x2a, 0x01], 0.298],
    ['without a weight if its unit is unknown', [moving, 0, 0, 0x2a, 0x01], null],
  ] as const)('is read as moving, %s', (_case, bytes, kg) => {
    expect(read(bytes)).toEqual({ kind: 'moving', kg })
  })

  it.each([
    ['is empty', []],
    ['ends early', [stable, grams, 0, 0x64]],
    ['has an undefined status', [0, grams, 0, 0x64, 0]],
    ['has a unit that is not used for parcels', [stable, 4, 0, 0x64, 0]],
    ['has no unit', [stable, 0, 0, 0x64, 0]],
    ['has an exponent out of range', [stable, kilograms, 0x7f, 0x64, 0]],
  ] as const)('is not a weight if it %s', (_case, bytes) => {
    expect(read(bytes)).toEqual({ kind: 'unreadable' })
  })

  it('is not a weight if it has another report id', () => {
    expect(read([stable, grams, 0, 0x64, 0], 4)).toEqual({ kind: 'unreadable' })
  })

  it('never yields an invalid weight, whatever bytes arrive', () => {
    for (let seed = 1; seed < 20_000; seed += 1) {
      const bytes = [seed * 7, seed * 31, seed * 131, seed * 17, seed * 251].map((byte) => byte % 256)
      const reading = read(bytes)
      if (reading.kind === 'stable') {
        expect(reading.kg).toBeGreaterThan(0)
        expect(reading.kg).toBeLessThanOrEqual(10_000)
      }
    }
  })
})
