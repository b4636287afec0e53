/** What a scale says. Weights are in kilograms, to the gram. */
export type ScaleReading =
  | { kind: 'stable'; kg: number }
  | { kind: 'moving' }
  | { kind: 'zero' }
  /** Below zero: something was taken off that it was set to zero with. */
  | { kind: 'negative' }
  | { kind: 'overload' }
  /** It has to be looked after: a fault, or it wants to be calibrated or set to zero. */
  | { kind: 'attention' }
  /** A unit that is not known, or a report that is none of a weight. */
  | { kind: 'unreadable' }

const weightReport = 3

/** Kilograms in a unit, by its number in the HID usage tables for weighing devices. */
const kilograms = new Map([
  [2, 0.001],
  [3, 1],
  [11, 0.028349523125],
  [12, 0.45359237],
])

/** Heavier than any parcel that a bench scale can hold: what says so is no weight. */
const maxKg = 10_000

/**
 * Reads a report of a HID scale: status, unit, exponent (signed, power of ten), weight (two bytes, the low one first).
 * @param data without the report's id, as WebHID gives it
 */
export function readScaleReport(reportId: number, data: DataView): ScaleReading {
  if (reportId !== weightReport || data.byteLength < 5) return { kind: 'unreadable' }
  switch (data.getUint8(0)) {
    case 2:
      return { kind: 'zero' }
    case 3:
      return { kind: 'moving' }
    case 4:
      return readWeight(data)
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

function readWeight(data: DataView): ScaleReading {
  const perUnit = kilograms.get(data.getUint8(1))
  if (perUnit === undefined) return { kind: 'unreadable' }
  const kg = data.getUint16(3, true) * 10 ** data.getInt8(2) * perUnit
  if (kg > maxKg) return { kind: 'unreadable' }
  const toTheGram = Math.round(kg * 1000) / 1000
  return toTheGram === 0 ? { kind: 'zero' } : { kind: 'stable', kg: toTheGram }
}

/** What of the scale's weight may be taken for a parcel. */
export interface ScaleWeight {
  isEmpty: boolean
  /** What lies on the scale at rest, in kilograms; null while nothing does, or it moves. */
  onScale: number | null
  /** The weight of the parcel that was shipped last, as long as that may still lie there. */
  shipped: number | null
  /** Rises each time the scale is empty: what is put on it then is another parcel. */
  round: number
}

export const nothingOnScale: ScaleWeight = { isEmpty: true, onScale: null, shipped: null, round: 0 }

/** A scale at rest shows the same parcel within so many kilograms, or this share of its weight. */
const sameParcel = { kg: 0.02, share: 0.02 }

/** What the scale holds after another reading. */
export function takeReading(before: ScaleWeight, reading: ScaleReading): ScaleWeight {
  switch (reading.kind) {
    case 'stable': {
      const isShipped = before.shipped !== null && isSame(before.shipped, reading.kg)
      return { ...before, isEmpty: false, onScale: reading.kg, shipped: isShipped ? before.shipped : null }
    }
    case 'zero':
    case 'negative':
      return {
        isEmpty: true,
        onScale: null,
        shipped: null,
        round: before.isEmpty ? before.round : before.round + 1,
      }
    case 'moving':
    case 'overload':
      return { ...before, isEmpty: false, onScale: null }
    default:
      return { ...before, onScale: null }
  }
}

function isSame(one: number, other: number): boolean {
  return Math.abs(one - other) <= Math.max(sameParcel.kg, sameParcel.share * one)
}

/**
 * A parcel was shipped: what lies on the scale now is no other parcel's weight.
 * @param kg what was shipped, in kilograms
 */
export function shipWeight(weight: ScaleWeight, kg: number): ScaleWeight {
  return { ...weight, shipped: weight.isEmpty ? null : (weight.onScale ?? kg) }
}

/** The weight that the next parcel may take, in kilograms; null when there is none. */
export function freshWeight({ onScale, shipped }: ScaleWeight): number | null {
  return shipped === null ? onScale : null
}
