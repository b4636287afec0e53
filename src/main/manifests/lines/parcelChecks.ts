import { type ManifestField, type ManifestRow, positionOf } from '../../../shared/manifestLine'
import type { Note } from './note'

const packageId = positionOf('packageId')
const parcelId = positionOf('parcelId')
const quantity = positionOf('quantity')
const itemWeight = positionOf('itemWeight')
const itemPrice = positionOf('itemPrice')
const parcelWeight = positionOf('parcelWeight')
const parcelPrice = positionOf('parcelPrice')

/** What all lines of one parcel must agree on. */
const ofTheParcel: readonly ManifestField[] = [
  'name',
  'address',
  'zipcode',
  'city',
  'country',
  'parcelWeight',
  'parcelPrice',
]
const parcelColumns = ofTheParcel.map(positionOf)
const itemColumns = [positionOf('sku'), positionOf('content'), positionOf('hsCode'), quantity, itemPrice]

interface Parcel {
  first: number
  lines: number
  weight: number
  /** Quantity times price, and the prices alone: the specification does not say which the price of an item is. */
  price: number
  prices: number
}

/** Checks what only shows across lines: parcel ids, and sums against weight and price of the parcel. */
export function checkParcels(rows: readonly ManifestRow[], note: Note): void {
  const parcels = new Map<string, Parcel>()
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index]
    const id = row?.[parcelId] ?? ''
    if (row === undefined || id === '') continue
    let parcel = parcels.get(id)
    if (parcel === undefined) {
      parcel = { first: index, lines: 0, weight: 0, price: 0, prices: 0 }
      parcels.set(id, parcel)
    } else {
      compareWithFirst(row, rows[parcel.first] ?? row, index, parcel.first, note)
    }
    const pieces = Number(row[quantity])
    parcel.lines += 1
    parcel.weight += pieces * Number(row[itemWeight])
    parcel.price += pieces * Number(row[itemPrice])
    parcel.prices += Number(row[itemPrice])
  }
  for (const parcel of parcels.values()) checkSums(parcel, rows[parcel.first] ?? [], note)
}

function compareWithFirst(
  row: ManifestRow,
  first: ManifestRow,
  index: number,
  firstIndex: number,
  note: Note,
): void {
  const line = String(firstIndex + 1)
  if (row[packageId] !== first[packageId]) note(index, parcelId, 'parcel-in-two-packages', line)
  let differs = false
  for (const column of parcelColumns) {
    if (row[column] === first[column]) continue
    differs = true
    note(index, column, 'parcel-differs', line)
  }
  if (!differs && itemColumns.every((column) => row[column] === first[column]))
    note(index, parcelId, 'line-twice', line)
}

function checkSums({ first, weight, price, prices }: Parcel, row: ManifestRow, note: Note): void {
  const limit = Number(row[parcelWeight])
  if (weight > limit + 0.0005 && limit > 0) note(first, parcelWeight, 'items-heavier', tidy(weight))
  const stated = Number(row[parcelPrice])
  if (row[parcelPrice] === '' || Number.isNaN(stated) || Number.isNaN(price)) return
  if (Math.abs(price - stated) > 0.005 && Math.abs(prices - stated) > 0.005) {
    note(first, parcelPrice, 'prices-differ', tidy(price))
  }
}

/** A sum without the last digits of its binary form. */
function tidy(sum: number): string {
  return String(Math.round(sum * 1000) / 1000)
}
