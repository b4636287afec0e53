/** A reading of the scale. Weights are in kilograms, rounded to the gram. */
export type ScaleReading =
  | { kind: 'stable'; kg: number }
  /** `kg` is null if it can't be read. */
  | { kind: 'moving'; kg: number | null }
  | { kind: 'zero' }
  /** Below zero: something that was tared was removed. */
  | { kind: 'negative' }
  | { kind: 'overload' }
  /** The scale needs attention: a fault, a calibration or a reset to zero. */
  | { kind: 'attention' }
  /** An unknown unit, or a report that is not a weight. */
  | { kind: 'unreadable' }

const weightReport = 3

/** Kilograms per unit, by unit number (HID usage tables, weighing devices). */
const kilograms = new Map([
  [2, 0.001],
  [3, 1],
  [11, 0.028349523125],
  [12, 0.45359237],
])

/** No bench scale weighs more: a higher value is not a weight. */
const maxKg = 10_000

/**
 * Reads a report of a HID scale: status, unit, exponent (signed, power of ten), weight (two bytes, little-endian).
 * @param data without the report id, as WebHID passes it
 */
export function readScaleReport(reportId: number, data: DataView): ScaleReading {
  if (reportId !== weightReport || data.byteLength < 5) return { kind: 'unreadable' }
  switch (data.getUint8(0)) {
    case 2:
      return { kind: 'zero' }
    case 3:
      return { kind: 'moving', kg: readWeight(data) }
    case 4:
      return toStable(readWeight(data))
    case 5:
      return { kind: 'negative' }
    case 6:
      return { kind: 'overload' }
    case 1:
    case 7:
    case 8:
      return { kind: 'attention' }
    default:
      return { kind: 'unreadable' }
  }
}

function toStable(kg: number | null): ScaleReading {
  if (kg === null) return { kind: 'unreadable' }
  return kg === 0 ? { kind: 'zero' } : { kind: 'stable', kg }
}

/** The weight in kilograms, to the gram; null for an unknown unit or more than any scale weighs. */
function readWeight(data: DataView): number | null {
  const perUnit = kilograms.get(data.getUint8(1))
  if (perUnit === undefined) return null
  const kg = data.getUint16(3, true) * 10 ** data.getInt8(2) * perUnit
  return kg > maxKg ? null : Math.round(kg * 1000) / 1000
}

/** Which part of the scale's reading belongs to the next parcel. */
export interface ScaleWeight {
  isEmpty: boolean
  /** Stable weight on the scale in kilograms; null if it is empty or moving. */
  onScale: number | null
  /** Last stable weight of this round. */
  rested: number | null
  /** Weight of what was lifted off in this round, while something else may have taken its place. */
  lifted: number | null
  /** Weight of the parcel shipped last in this round. */
  shipped: number | null
  /** Increases each time the scale becomes empty: a later weight belongs to another parcel. */
  round: number
}

export const nothingOnScale: ScaleWeight = {
  isEmpty: true,
  onScale: null,
  rested: null,
  lifted: null,
  shipped: null,
  round: 0,
}

/** Two stable readings within this difference, absolute or relative, are the same parcel. */
const sameParcel = { kg: 0.02, share: 0.02 }

export function applyReading(before: ScaleWeight, reading: ScaleReading): ScaleWeight {
  switch (reading.kind) {
    case 'stable': {
      const { kg } = reading
      const lifted = findLifted(before, kg)
      const former = before.shipped ?? lifted
      const isBack = former !== null && isSame(former, kg)
      return { ...before, isEmpty: false, onScale: kg, rested: kg, lifted: isBack ? null : lifted }
    }
    case 'zero':
    case 'negative':
      return { ...nothingOnScale, round: before.isEmpty ? before.round : before.round + 1 }
    case 'moving':
      return { ...before, isEmpty: false, onScale: null, lifted: findLifted(before, reading.kg) }
    case 'overload':
      return { ...before, isEmpty: false, onScale: null }
    default:
      return { ...before, onScale: null }
  }
}

/** A parcel that is tilted to press its label on leaves at least half of its weight on the scale. */
const liftedShare = 0.5

/** Hands and papers only add weight: a parcel is lifted when the scale shows much less than the parcel weighs. */
function findLifted({ rested, lifted, shipped }: ScaleWeight, kg: number | null): number | null {
  // A shipped parcel that was not lifted yet may have rested with something on it.
  const parcel = lifted === null ? (shipped ?? rested) : rested
  return parcel !== null && kg !== null && kg < liftedShare * parcel ? parcel : lifted
}

function isSame(one: number, other: number): boolean {
  return Math.abs(one - other) <= Math.max(sameParcel.kg, sameParcel.share * one)
}

/** A parcel on the scale: its weight in kilograms, null while it moves, and the round in which it lies there. */
export interface OnScale {
  kg: number | null
  round: number
}

/** A weight that was taken from the scale: in which round, and whether the shipped parcel may still have been there. */
export interface Weighed {
  round: number
  mayIncludeShipped: boolean
}

/** A shipped parcel: its weight in kilograms, and what the scale showed when it was sent; null if it was empty. */
export interface ShippedParcel {
  kg: number
  onScale: OnScale | null
}

/** Marks the weight of a shipped parcel on the scale, so that no other parcel gets it. */
export function markShipped(weight: ScaleWeight, { kg, onScale: sent }: ShippedParcel): ScaleWeight {
  // The next parcel is on the scale already.
  if (weight.round !== sent?.round || weight.isEmpty) return weight
  const { onScale, lifted } = weight
  const shipped = sent.kg ?? onScale ?? kg
  // The next one may have replaced it without an empty scale in between.
  const isNext = lifted !== null && isSame(shipped, lifted) && !(onScale !== null && isSame(shipped, onScale))
  return { ...weight, shipped, lifted: isNext ? lifted : null }
}

/** The parcel that is on the scale, shipped or not; null if the scale is empty. */
export function getOnScale({ isEmpty, onScale: kg, round }: ScaleWeight): OnScale | null {
  return isEmpty ? null : { kg, round }
}

/** The weight for the next parcel, in kilograms; null if there is none, or if it may be the shipped parcel's. */
export function getUnshippedWeight(weight: ScaleWeight): number | null {
  return isUnshipped(weight) ? weight.onScale : null
}

/** Whether the next parcel is on the scale and its weight is not known, because it is not at rest or too heavy. */
export function isWeightUnknown(reading: ScaleReading | null, weight: ScaleWeight): boolean {
  // A scale in error may be empty.
  const isOnScale = reading?.kind === 'moving' || reading?.kind === 'overload'
  return isOnScale && isUnshipped(weight)
}

function isUnshipped({ lifted, shipped }: ScaleWeight): boolean {
  return shipped === null || lifted !== null
}
