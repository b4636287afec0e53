import type { ManifestTotals } from '../../../shared/manifest'
import { type ManifestRow, positionOf } from '../../../shared/manifestLine'

const packageId = positionOf('packageId')
const parcelId = positionOf('parcelId')
const parcelWeight = positionOf('parcelWeight')
const parcelPrice = positionOf('parcelPrice')
const currency = positionOf('currency')

/** Adds the lines up. Weight and price of a parcel stand on each of its lines and count once. */
export function totalsOf(rows: readonly ManifestRow[]): ManifestTotals {
  const packages = new Set<string>()
  const parcels = new Set<string>()
  const prices = new Map<string, number>()
  let weight = 0
  for (const row of rows) {
    const id = row[parcelId] ?? ''
    const box = row[packageId] ?? ''
    if (box !== '') packages.add(box)
    if (id === '' || parcels.has(id)) continue
    parcels.add(id)
    weight += numberOf(row[parcelWeight])
    const unit = row[currency] ?? ''
    prices.set(unit, (prices.get(unit) ?? 0) + numberOf(row[parcelPrice]))
  }
  return {
    lines: rows.length,
    packages: packages.size,
    parcels: parcels.size,
    parcelWeight: rounded(weight),
    prices: [...prices].map(([unit, total]) => ({ currency: unit, total: rounded(total) })).slice(0, 20),
  }
}

function numberOf(text: string | undefined): number {
  const value = Number(text)
  return Number.isFinite(value) ? value : 0
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
