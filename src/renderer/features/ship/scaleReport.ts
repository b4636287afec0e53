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
