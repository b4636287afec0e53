import { type ManifestRow, positionOf } from '../../../shared/manifestLine'

const parcelId = positionOf('parcelId')

/** For each line the number of the first one of its parcel, which may be itself; -1 without a parcel's id. */
export type FirstLines = Int32Array

/** Finds which lines are of one parcel. */
export function firstLinesOf(rows: readonly ManifestRow[]): FirstLines {
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
