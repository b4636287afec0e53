import type { ManifestRow } from '../../../shared/manifestLine'
import { Decimals } from './decimals'
import { type FirstLines, firstLinesOf } from './parcels'

/** Lines, and what all looks at them need: worked out once, and in typed arrays that cost the garbage collector nothing. */
export interface ReadLines {
  rows: readonly ManifestRow[]
  decimals: Decimals
  firstLines: FirstLines
}

/** Reads the lines of an air waybill for `checkLines` and `totalsOf`. */
export function readLines(rows: readonly ManifestRow[]): ReadLines {
  return { rows, decimals: new Decimals(rows), firstLines: firstLinesOf(rows) }
}
