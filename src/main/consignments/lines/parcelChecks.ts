import { type ManifestField, type ManifestRow, positionOf } from '../../../shared/manifestLine'
import { type Decimals, placeOf } from './decimals'
import type { Note } from './note'
import type { ReadLines } from './readLines'

const packageId = positionOf('packageId')
const parcelId = positionOf('parcelId')
const quantity = positionOf('quantity')
const itemPrice = positionOf('itemPrice')
const parcelWeight = positionOf('parcelWeight')
const parcelPrice = positionOf('parcelPrice')
const quantityPlace = placeOf('quantity')
const itemPricePlace = placeOf('itemPrice')
const itemWeightPlace = placeOf('itemWeight')
const parcelWeightPlace = placeOf('parcelWeight')
const parcelPricePlace = placeOf('parcelPrice')

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

/** Checks what only shows across lines: parcel ids, and sums against weight and price of the parcel. */
export function checkParcels(lines: ReadLines, note: Note): void {
  const { rows, firstLines } = lines
  const sums = new Sums(rows.length)
  for (let index = 0; index < rows.length; index += 1) {
    const first = firstLines[index] ?? -1
    if (first < 0) continue
    if (first !== index) compareWithFirst(rows[index] ?? [], rows[first] ?? [], index, first, note)
    sums.add(first, lines.decimals, index)
  }
  for (let index = 0; index < rows.length; index += 1) {
    if (firstLines[index] === index) checkSums(lines, sums, index, note)
  }
}

/** Sums over the lines of a parcel, kept at its first line. */
class Sums {
  readonly weight: Float64Array
  /** Quantity times price, and the prices alone: the specification does not say which the price of an item is. */
  readonly price: Float64Array
  readonly prices: Float64Array

  constructor(lines: number) {
    this.weight = new Float64Array(lines)
    this.price = new Float64Array(lines)
    this.prices = new Float64Array(lines)
  }

  add(first: number, decimals: Decimals, index: number): void {
    const pieces = decimals.of(index, quantityPlace)
    const price = decimals.of(index, itemPricePlace)
    this.weight[first] = (this.weight[first] ?? 0) + pieces * decimals.of(index, itemWeightPlace)
    this.price[first] = (this.price[first] ?? 0) + pieces * price
    this.prices[first] = (this.prices[first] ?? 0) + price
  }
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

function checkSums({ rows, decimals }: ReadLines, sums: Sums, first: number, note: Note): void {
  const weight = sums.weight[first] ?? 0
  const price = sums.price[first] ?? 0
  const prices = sums.prices[first] ?? 0
  const limit = decimals.of(first, parcelWeightPlace)
  if (weight > limit + 0.0005 && limit > 0) note(first, parcelWeight, 'items-heavier', tidy(weight))
  const stated = decimals.of(first, parcelPricePlace)
  if (rows[first]?.[parcelPrice] === '' || Number.isNaN(stated) || Number.isNaN(price)) return
  if (Math.abs(price - stated) > 0.005 && Math.abs(prices - stated) > 0.005) {
    note(first, parcelPrice, 'prices-differ', tidy(price))
  }
}

/** A sum without the last digits of its binary form. */
function tidy(sum: number): string {
  return String(Math.round(sum * 1000) / 1000)
}
