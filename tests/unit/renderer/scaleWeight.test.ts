import { expect, it } from 'vitest'
import {
  applyReading,
  getUnshippedWeight,
  markShipped,
  nothingOnScale,
  type ScaleReading,
  type ScaleWeight,
} from '../../../src/renderer/features/ship/scaleWeight'

const kg = (weight: number): ScaleReading => ({ kind: 'stable', kg: weight })
const zero: ScaleReading = { kind: 'zero' }
const moving: ScaleReading = { kind: 'moving' }
const after = (readings: readonly ScaleReading[], from: ScaleWeight = nothingOnScale) =>
  readings.reduce(applyReading, from)

it('the scale gives a stable weight, and none while it moves or is empty', () => {
  expect(getUnshippedWeight(after([moving, kg(2.5)]))).toBe(2.5)
  expect(getUnshippedWeight(after([kg(2.5), moving]))).toBeNull()
  expect(getUnshippedWeight(after([kg(2.5), zero]))).toBeNull()
  expect(getUnshippedWeight(after([kg(2.5), { kind: 'overload' }]))).toBeNull()
})

it('the weight of a shipped parcel is not given to the next one', () => {
  const shipped = markShipped(after([kg(2.5)]), { kg: 2.5, round: 0 })
  expect(getUnshippedWeight(shipped)).toBeNull()
  expect(getUnshippedWeight(after([kg(2.5), moving, kg(2.502), kg(2.49)], shipped))).toBeNull()
})

it.each([
  ['the scale was empty', [zero, kg(2.5)], 2.5],
  ['the scale was below zero', [{ kind: 'negative' }, kg(2.5)], 2.5],
  ['another weight lies there', [moving, kg(3.1)], 3.1],
] as const)('returns a weight again when %s', (_case, readings, weight) => {
  expect(getUnshippedWeight(after(readings, markShipped(after([kg(2.5)]), { kg: 2.5, round: 0 })))).toBe(
    weight,
  )
})

it('a parcel that is still moving is marked as shipped, but nothing that was removed before', () => {
  const lifted = markShipped(after([kg(2.5), moving]), { kg: 2.5, round: 0 })
  expect(getUnshippedWeight(after([kg(2.5)], lifted))).toBeNull()
  const gone = markShipped(after([kg(2.5), zero]), { kg: 2.5, round: 0 })
  expect(getUnshippedWeight(after([kg(2.5)], gone))).toBe(2.5)
})

it('nothing is marked as shipped when the next parcel is on the scale already', () => {
  const next = after([kg(2.5), zero, kg(7)])
  expect(getUnshippedWeight(markShipped(next, { kg: 2.5, round: 0 }))).toBe(7)
  expect(getUnshippedWeight(markShipped(next, { kg: 2.5, round: null }))).toBe(7)
})

it('a new round starts each time the scale becomes empty', () => {
  expect(after([zero, kg(1), kg(2)]).round).toBe(0)
  expect(after([kg(1), zero, zero, kg(2)]).round).toBe(1)
})
