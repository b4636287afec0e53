import {
  decimalFields,
  type Issue,
  type IssueCode,
  type ManifestField,
  type ManifestRow,
  type ManifestTotals,
  manifestFields,
  toPosition,
} from '../../../shared/consignments'
import { hasEoriForm, hasIossForm, hasVatForm, hsCodeAdvice } from '../../../shared/customs'
import { isCountryCode, isCurrencyCode } from '../../../shared/fields'
import { isCellError } from '../../tables/cells'
import { type Decimals, getPlace, type ReadLines } from './readLines'

/** Fields that a manifest makes no sense without. The specification shows no such list: this one is the app's. */
const requiredFields: readonly ManifestField[] = [
  'packageId',
  'parcelId',
  'name',
  'address',
  'country',
  'content',
  'hsCode',
  'quantity',
  'itemPrice',
  'parcelWeight',
]
const required = requiredFields.map(toPosition)
const decimalColumns = decimalFields.map(toPosition)
const quantity = toPosition('quantity')
const weightFields: readonly ManifestField[] = ['itemWeight', 'parcelWeight', 'grossWeight']
const weights = new Set(weightFields.map(toPosition))
const countries = [toPosition('country'), toPosition('sellerCountry')]
const transportNumber = toPosition('transportNumber')
const hsCode = toPosition('hsCode')
const currency = toPosition('currency')
const taxType = toPosition('taxType')
const taxIdent = toPosition('taxIdent')

/** Fields in which a line break or a spreadsheet's error is no issue of another kind. */
const freeTexts = manifestFields
  .map(toPosition)
  .filter((column) => ![transportNumber, hsCode, currency, ...countries, ...decimalColumns].includes(column))
const space = 0x20
const deleteSign = 0x7f
const tab = 0x09
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** What keeps a manifest from being uploaded; all else is advice. */
const errorCodes = new Set<IssueCode>([
  'required',
  'cell-error',
  'decimal-comma',
  'not-a-number',
  'not-positive',
  'negative',
  'country',
  'currency-form',
  'other-waybill',
  'parcel-in-two-packages',
  'parcel-differs',
])

/** Notes what a check found; row and column from 0. */
type Note = (row: number, column: number, code: IssueCode, detail?: string) => void

/** Checks all lines of an air waybill; the issues are in no particular order. */
export function checkLines(lines: ReadLines, airWaybillNumber: string): Issue[] {
  const issues: Issue[] = []
  const note: Note = (row, column, code, detail = '') => {
    issues.push({ row, column, code, severity: errorCodes.has(code) ? 'error' : 'advice', detail })
  }
  for (const [index, row] of lines.rows.entries()) {
    checkLine(row, index, airWaybillNumber, note)
    checkDecimals(row, lines.decimals, index, note)
  }
  checkParcels(lines, note)
  return issues
}

function checkLine(row: ManifestRow, index: number, airWaybillNumber: string, note: Note): void {
  for (const column of required) {
    if (isBlank(row[column])) note(index, column, 'required')
  }
  checkTexts(row, index, note)
  for (const column of countries) {
    const text = row[column] ?? ''
    if (text !== '' && !isCountryCode(text)) note(index, column, 'country')
  }
  if (row[transportNumber] !== airWaybillNumber)
    note(index, transportNumber, 'other-waybill', airWaybillNumber)
  const code = row[hsCode] ?? ''
  const hsAdvice = code === '' ? null : hsCodeAdvice(code)
  if (hsAdvice !== null) note(index, hsCode, isCellError(code) ? 'cell-error' : hsAdvice)
  checkCurrency(row[currency] ?? '', index, note)
  checkTax(row[taxType] ?? '', row[taxIdent] ?? '', index, note)
}

function checkTexts(row: ManifestRow, index: number, note: Note): void {
  for (const column of freeTexts) {
    const text = row[column] ?? ''
    if (hasBreak(text)) note(index, column, 'line-break')
    if (isCellError(text)) note(index, column, 'cell-error')
  }
}

/** Looked for unit by unit: hardly any cell has one, and there are a great many cells. */
function hasBreak(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit === tab || unit === lineFeed || unit === carriageReturn) return true
  }
  return false
}

function isBlank(text: string | undefined): boolean {
  if (text === undefined || text === '') return true
  // Nearly all begin with a visible sign of ASCII, which is seen without a copy.
  const first = text.charCodeAt(0)
  return (first <= space || first >= deleteSign) && text.trim() === ''
}

function checkDecimals(row: ManifestRow, decimals: Decimals, index: number, note: Note): void {
  for (let place = 0; place < decimalColumns.length; place += 1) {
    const column = decimalColumns[place] ?? 0
    const text = row[column] ?? ''
    if (text !== '') checkDecimal(text, decimals.of(index, place), index, column, note)
  }
}

function checkDecimal(text: string, value: number, index: number, column: number, note: Note): void {
  if (Number.isNaN(value)) {
    note(index, column, /^-?[\d.]*,\d+$/.test(text) ? 'decimal-comma' : 'not-a-number')
    return
  }
  if (value <= 0 && (column === quantity || weights.has(column))) note(index, column, 'not-positive')
  else if (value < 0) note(index, column, 'negative')
  else if (value === 0) note(index, column, 'zero-price')
  if (column === quantity && !Number.isInteger(value)) note(index, column, 'whole-number')
}

function checkCurrency(text: string, index: number, note: Note): void {
  if (text === '') note(index, currency, 'currency-missing')
  else if (!/^[A-Z]{3}$/.test(text)) note(index, currency, 'currency-form')
  else if (!isCurrencyCode(text)) note(index, currency, 'currency-unknown')
}

/** Types of tax are an open list: only those whose numbers have a known form are looked at. */
function checkTax(type: string, number: string, index: number, note: Note): void {
  if (type === '' && number === '') return
  if (type === '') note(index, taxType, 'tax-type-missing')
  else if (number === '') note(index, taxIdent, 'tax-ident-missing')
  const kind = type.toUpperCase()
  if (number === '') return
  if (kind === 'IOSS' && !hasIossForm(number)) note(index, taxIdent, 'ioss-form')
  else if (kind === 'VAT' && !hasVatForm(number)) note(index, taxIdent, 'vat-form')
  else if (kind === 'EORI' && !hasEoriForm(number)) note(index, taxIdent, 'eori-form')
}

const packageId = toPosition('packageId')
const parcelId = toPosition('parcelId')
const itemPrice = toPosition('itemPrice')
const parcelWeight = toPosition('parcelWeight')
const parcelPrice = toPosition('parcelPrice')
const quantityPlace = getPlace('quantity')
const itemPricePlace = getPlace('itemPrice')
const itemWeightPlace = getPlace('itemWeight')
const parcelWeightPlace = getPlace('parcelWeight')
const parcelPricePlace = getPlace('parcelPrice')

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
const parcelColumns = ofTheParcel.map(toPosition)
const itemColumns = [toPosition('sku'), toPosition('content'), toPosition('hsCode'), quantity, itemPrice]

/** Checks what only shows across lines: parcel ids, and sums against weight and price of the parcel. */
function checkParcels(lines: ReadLines, note: Note): void {
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

/** Adds the lines up. Weight and price of a parcel stand on each of its lines and count once. */
export function toTotals({ rows, decimals, firstLines }: ReadLines): ManifestTotals {
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
