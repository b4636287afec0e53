import type { ManifestTotals } from '../../../shared/manifest'
import { positionOf } from '../../../shared/manifestLine'
import { placeOf } from './decimals'
import type { ReadLines } from './readLines'

const packageId = positionOf('packageId')
const currency = positionOf('currency')
const parcelWeightPlace = placeOf('parcelWeight')
const parcelPricePlace = placeOf('parcelPrice')

/** Adds the lines up. Weight and price of a parcel stand on each of its lines and count once. */
export function totalsOf({ rows, decimals, firstLines }: ReadLines): ManifestTotals {
  const packages = new Set<string>()
  const prices = new Map<string, number>()
  let parcels = 0
  let weight = 0
  for (const [index, row] of rows.entries()) {
    const box = row[packageId] ?? ''
    if (box !== '') packages.add(box)
    if (firstLines[index] !== index) continue
    parcels += 1
    weight += decimals.of(index, parcelWeightPlace) || 0
    const unit = row[currency] ?? ''
    prices.set(unit, (prices.get(unit) ?? 0) + (decimals.of(index, parcelPricePlace) || 0))
  }
  return {
    lines: rows.length,
    packages: packages.size,
    parcels,
    parcelWeight: rounded(weight),
    prices: [...prices].map(([unit, total]) => ({ currency: unit, total: rounded(total) })).slice(0, 20),
  }
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
