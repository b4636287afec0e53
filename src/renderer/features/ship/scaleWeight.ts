import type { ScaleReading } from './scaleReport'

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
