import { expect, it } from 'vitest'
import {
  applyReading,
  getUnshippedWeight,
  isWeightUnknown,
  markShipped,
  nothingOnScale,
  type ScaleReading,
  type ScaleWeight,
} from '../../../src/renderer/features/scale/scaleWeight'

const kg = (weight: number): ScaleReading => ({ kind: 'stable', kg: weight })
const zero: ScaleReading = { kind: 'zero' }
const moving: ScaleReading = { kind: 'moving', kg: 2.3 }
/** A parcel that is lifted off, or comes onto the scale. */
const light: ScaleReading = { kind: 'moving', kg: 0.4 }
const after = (readings: readonly ScaleReading[], from: ScaleWeight = nothingOnScale) =>
  readings.reduce(applyReading, from)

/** A parcel of 2.5 kg that was sent in the first round. */
const sent = { kg: 2.5, onScale: { kg: 2.5, round: 0 } }

it('the scale gives a stable weight, and none while it moves or is empty', () => {
  expect(getUnshippedWeight(after([moving, kg(2.5)]))).toBe(2.5)
  expect(getUnshippedWeight(after([kg(2.5), moving]))).toBeNull()
  expect(getUnshippedWeight(after([kg(2.5), zero]))).toBeNull()
  expect(getUnshippedWeight(after([kg(2.5), { kind: 'overload' }]))).toBeNull()
})

it('a weight is unknown while the next parcel is on the scale and not at rest, but not while the shipped one is', () => {
  const isUnknown = (readings: readonly ScaleReading[], from?: ScaleWeight) =>
    isWeightUnknown(readings.at(-1) ?? null, after(readings, from))
  expect(isUnknown([moving])).toBe(true)
  expect(isUnknown([moving, { kind: 'overload' }])).toBe(true)
  for (const readings of [[], [moving, kg(2.5)], [moving, zero]]) expect(isUnknown(readings)).toBe(false)
  for (const kind of ['attention', 'unreadable'] as const) expect(isUnknown([moving, { kind }])).toBe(false)
  const shipped = markShipped(after([kg(2.5)]), sent)
  expect(isUnknown([moving], shipped)).toBe(false)
  expect(isUnknown([light, moving], shipped)).toBe(true)
  // Plugged in again, it has not reported yet.
  expect(isWeightUnknown(null, after([moving]))).toBe(false)
})

it('the weight of a shipped parcel is not given to the next one', () => {
  const shipped = markShipped(after([kg(2.5)]), sent)
  expect(getUnshippedWeight(shipped)).toBeNull()
  expect(getUnshippedWeight(after([kg(2.5), moving, kg(2.502), kg(2.49)], shipped))).toBeNull()
})

it.each([
  ['the scale was empty', [zero, kg(2.5)], 2.5],
  ['the scale was below zero', [{ kind: 'negative' }, kg(2.5)], 2.5],
  ['a heavier parcel has replaced it', [light, kg(3.1)], 3.1],
  ['a lighter parcel has replaced it', [kg(0.7)], 0.7],
  ['another parcel has replaced it and is lifted and put back', [light, kg(7), light, kg(7)], 7],
  ['another parcel has replaced it after its label was pressed on', [kg(3.9), light, kg(7)], 7],
] as const)('returns a weight again when %s', (_case, readings, weight) => {
  expect(getUnshippedWeight(after(readings, markShipped(after([kg(2.5)]), sent)))).toBe(weight)
})

it.each([
  ['its label is pressed on', [kg(3.9)]],
  ['its label was pressed on', [kg(3.9), moving, kg(2.5)]],
  ['its label was pressed on with more than its own weight', [kg(6), moving, kg(2.5)]],
  ['a packing slip was added', [moving, kg(2.6)]],
  ['another parcel is put on top of it', [kg(9.5)]],
  ['another parcel was put on top of it twice', [kg(9.5), moving, kg(9.5)]],
  ['a parcel was put on top of it and taken off again', [kg(9.5), moving, kg(2.5)]],
  ['it is lifted and put back', [light, kg(2.5)]],
  ['it is held at one side', [kg(1.4)]],
  ['it is put back with a hand on it that is taken off', [light, kg(3.9), moving, kg(2.5)]],
  ['it is put back with a heavy hand on it that is taken off', [light, kg(6), moving, kg(2.5)]],
] as const)('returns no weight while the shipped parcel is on the scale and %s', (_case, readings) => {
  expect(getUnshippedWeight(after(readings, markShipped(after([kg(2.5)]), sent)))).toBeNull()
})

it('a packing slip or parcel that comes onto the scale during the creation gives the next parcel no weight', () => {
  for (const total of [2.6, 9.5]) {
    const shipped = markShipped(after([kg(2.5), moving, kg(total)]), sent)
    expect(getUnshippedWeight(shipped)).toBeNull()
    expect(getUnshippedWeight(after([moving, kg(2.5)], shipped))).toBeNull()
    expect(getUnshippedWeight(after([zero, kg(7)], shipped))).toBe(7)
  }
})

it('a parcel that is still moving is marked as shipped, but nothing that was removed before', () => {
  const lifted = markShipped(after([kg(2.5), moving]), sent)
  expect(getUnshippedWeight(after([kg(2.5)], lifted))).toBeNull()
  const gone = markShipped(after([kg(2.5), zero]), sent)
  expect(getUnshippedWeight(after([kg(2.5)], gone))).toBe(2.5)
})

it('nothing is marked as shipped when the next parcel is on the scale already', () => {
  const next = after([kg(2.5), zero, kg(7)])
  expect(getUnshippedWeight(markShipped(next, sent))).toBe(7)
  expect(getUnshippedWeight(markShipped(next, { kg: 2.5, onScale: null }))).toBe(7)
})

it.each([
  ['whose weight was taken from the scale', sent],
  ['whose weight was typed', { kg: 1, onScale: { kg: 2.5, round: 0 } }],
])(
  'a parcel that replaces a shipped one %s without an empty scale in between keeps its weight',
  (_case, parcel) => {
    const swapped = after([kg(2.5), light, kg(7)])
    expect(getUnshippedWeight(markShipped(swapped, parcel))).toBe(7)
    const settling = after([kg(2.5), light])
    expect(getUnshippedWeight(after([kg(7)], markShipped(settling, parcel)))).toBe(7)
    expect(getUnshippedWeight(after([kg(2.5)], markShipped(settling, parcel)))).toBeNull()
    expect(getUnshippedWeight(markShipped(after([kg(2.51)]), parcel))).toBeNull()
  },
)

it('a parcel that was moving when it was sent is marked with the weight at which it comes to rest', () => {
  const parcel = { kg: 3, onScale: { kg: null, round: 0 } }
  expect(getUnshippedWeight(markShipped(after([moving, kg(2.5)]), parcel))).toBeNull()
})

it('each of three parcels that replace each other without an empty scale gets its own weight', () => {
  const second = after([light, kg(7)], markShipped(after([kg(2.5)]), sent))
  const third = markShipped(after([light, kg(4)], second), { kg: 7, onScale: { kg: 7, round: 0 } })
  expect([getUnshippedWeight(second), getUnshippedWeight(third)]).toEqual([7, 4])
})

it('a new round starts each time the scale becomes empty', () => {
  expect(after([zero, kg(1), kg(2)]).round).toBe(0)
  expect(after([kg(1), zero, zero, kg(2)]).round).toBe(1)
})
