import { decimalFields, type ManifestField, type ManifestRow, toPosition } from '../../../shared/consignments'

/** Lines with derived data that checks and totals share, computed once and stored in typed arrays to spare the garbage collector. */
export interface ReadLines {
  rows: readonly ManifestRow[]
  decimals: Decimals
  firstLines: FirstLines
}

/** Reads the lines of an air waybill for `checkLines` and `toTotals`. */
export function readLines(rows: readonly ManifestRow[]): ReadLines {
  return { rows, decimals: new Decimals(rows), firstLines: getFirstLines(rows) }
}

const decimalColumns = decimalFields.map(toPosition)
/** Up to this many digits, a number and its power of ten are exact, so their quotient is correctly rounded. */
const exactDigits = 15

const minus = 0x2d
const point = 0x2e
const zero = 0x30

/** The numbers of all lines: 0 for an empty cell, NaN for an invalid number. */
export class Decimals {
  private readonly values: Float64Array

  constructor(rows: readonly ManifestRow[]) {
    const width = decimalColumns.length
    this.values = new Float64Array(rows.length * width)
    const texts: string[] = []
    for (let at = 0; at < this.values.length; at += 1) {
      const place = at % width
      const text = rows[(at - place) / width]?.[decimalColumns[place] ?? 0] ?? ''
      // Most columns repeat line after line.
      this.values[at] = text === texts[place] ? (this.values[at - width] ?? 0) : toDecimal(text)
      texts[place] = text
    }
  }

  /** @param place from `getPlace` */
  of(row: number, place: number): number {
    return this.values[row * decimalColumns.length + place] ?? 0
  }
}

/** The index of a field among the number fields of a line. */
export function getPlace(field: ManifestField): number {
  return decimalFields.indexOf(field)
}

/**
 * The value of decimal text: an optional minus, digits, at most one point between digits. Hand-written because a pattern and
 * `Number` take three times as long, which is noticeable for a hundred thousand lines.
 */
export function toDecimal(text: string): number {
  if (text === '') return 0
  if (text.length > exactDigits) return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  const start = text.charCodeAt(0) === minus ? 1 : 0
  let value = 0
  let power = 0
  for (let index = start; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    const digit = unit - zero
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit
      power *= 10
    } else if (unit === point && power === 0 && index > start && index < text.length - 1) power = 1
    else return Number.NaN
  }
  if (text.length === start) return Number.NaN
  const size = power === 0 ? value : value / power
  return start === 1 ? -size : size
}

const parcelId = toPosition('parcelId')

/** For each line the index of the first line of its parcel, possibly itself; -1 without a parcel id. */
export type FirstLines = Int32Array

/** Finds the lines that belong to the same parcel. */
function getFirstLines(rows: readonly ManifestRow[]): FirstLines {
  const firsts = new Int32Array(rows.length)
  const known = new Map<string, number>()
  for (let index = 0; index < rows.length; index += 1) {
    const id = rows[index]?.[parcelId] ?? ''
    const first = known.get(id)
    if (first === undefined && id !== '') known.set(id, index)
    firsts[index] = id === '' ? -1 : (first ?? index)
  }
  return firsts
}
