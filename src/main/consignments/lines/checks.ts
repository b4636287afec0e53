import {
  codeFields,
  type Issue,
  type IssueCode,
  type ManifestField,
  type ManifestRow,
  type ManifestTotals,
  manifestFields,
  toPosition,
  weightFields,
} from '../../../shared/consignments'
import { hasEoriForm, hasIossForm, hasVatForm, hsCodeAdvice } from '../../../shared/customs'
import { isCountryCode, isCurrencyCode } from '../../../shared/fields'
import { isCellError, isShortened } from '../../tables/cells'
import { type Decimals, getPlace, type ReadLines, toDecimal } from './readLines'

/** Fields that every line needs. The specification has no such list; this one is the app's. */
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
const isRequired = manifestFields.map((field) => requiredFields.includes(field))
const placeOfDecimal = manifestFields.map(getPlace)
const quantity = toPosition('quantity')
const weights = new Set(weightFields.map(toPosition))
const isCode = manifestFields.map((field) => codeFields.includes(field))
const country = toPosition('country')
const sellerCountry = toPosition('sellerCountry')
const transportNumber = toPosition('transportNumber')
const hsCode = toPosition('hsCode')
const currency = toPosition('currency')
const taxType = toPosition('taxType')
const taxIdent = toPosition('taxIdent')

const space = 0x20
const deleteSign = 0x7f
const tab = 0x09
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Issues that block the upload of a manifest; all others are advice. */
const errorCodes = new Set<IssueCode>([
  'required',
  'cell-error',
  'code-shortened',
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

/** Records an issue; row and column from 0. */
type Note = (row: number, column: number, code: IssueCode, detail?: string) => void

/** Checks all lines of an air waybill; the issues are in no particular order. */
export function checkLines(lines: ReadLines, airWaybillNumber: string): Issue[] {
  const issues: Issue[] = []
  const note: Note = (row, column, code, detail = '') => {
    issues.push({ row, column, code, severity: errorCodes.has(code) ? 'error' : 'advice', detail })
  }
  // The last text per column without issues: most columns repeat it line after line, which skips the check.
  const sound: string[] = []
  for (let index = 0; index < lines.rows.length; index += 1) {
    const row = lines.rows[index] ?? []
    for (let column = 0; column < manifestFields.length; column += 1) {
      const text = row[column] ?? ''
      if (text === sound[column]) continue
      const before = issues.length
      checkCell(text, index, column, lines.decimals, airWaybillNumber, note)
      if (issues.length === before) sound[column] = text
    }
  }
  checkTaxes(lines.rows, note)
  checkParcels(lines, note)
  return issues
}

function checkCell(
  text: string,
  index: number,
  column: number,
  decimals: Decimals,
  airWaybillNumber: string,
  note: Note,
): void {
  if (isRequired[column] && isBlank(text)) note(index, column, 'required')
  if (isCode[column] && isShortened(text)) note(index, column, 'code-shortened')
  const place = placeOfDecimal[column] ?? -1
  if (place >= 0) {
    if (text !== '') checkDecimal(text, decimals.of(index, place), index, column, note)
  } else if (column === country || column === sellerCountry) {
    if (text !== '' && !isCountryCode(text)) note(index, column, 'country')
  } else if (column === transportNumber) {
    if (text !== airWaybillNumber) note(index, column, 'other-waybill', airWaybillNumber)
  } else if (column === hsCode) {
    const advice = text === '' ? null : hsCodeAdvice(text)
    if (advice !== null) note(index, column, isCellError(text) ? 'cell-error' : advice)
  } else if (column === currency) {
    checkCurrency(text, index, note)
  } else {
    if (hasBreak(text)) note(index, column, 'line-break')
    if (isCellError(text) || text.includes('\uFFFD')) note(index, column, 'cell-error')
  }
}

/** A loop is faster than a pattern here: there are millions of cells, and hardly any has a line break. */
function hasBreak(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit === tab || unit === lineFeed || unit === carriageReturn) return true
  }
  return false
}

function isBlank(text: string): boolean {
  // Nearly all texts begin with a visible ASCII character, which avoids the copy by trim().
  const first = text.charCodeAt(0)
  return !(first > space && first < deleteSign) && text.trim() === ''
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

function checkTaxes(rows: readonly ManifestRow[], note: Note): void {
  let found: readonly TaxIssue[] = []
  for (let index = 0; index < rows.length; index += 1) {
    const type = rows[index]?.[taxType] ?? ''
    const number = rows[index]?.[taxIdent] ?? ''
    const isAsAbove = type === rows[index - 1]?.[taxType] && number === rows[index - 1]?.[taxIdent]
    if (!isAsAbove) found = checkTax(type, number)
    for (const { column, code } of found) note(index, column, code)
  }
}

interface TaxIssue {
  column: number
  code: IssueCode
}

/** Tax types are an open list: only those whose numbers have a known format are checked. */
function checkTax(type: string, number: string): TaxIssue[] {
  if (number === '') return type === '' ? [] : [{ column: taxIdent, code: 'tax-ident-missing' }]
  if (type === '') return [{ column: taxType, code: 'tax-type-missing' }]
  const kind = type.toUpperCase()
  if (kind === 'IOSS' && !hasIossForm(number)) return [{ column: taxIdent, code: 'ioss-form' }]
  if (kind === 'VAT' && !hasVatForm(number)) return [{ column: taxIdent, code: 'vat-form' }]
  if (kind === 'EORI' && !hasEoriForm(number)) return [{ column: taxIdent, code: 'eori-form' }]
  return []
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

/** Fields that must be equal on all lines of a parcel. */
const parcelFields: readonly ManifestField[] = [
  'name',
  'address',
  'zipcode',
  'city',
  'country',
  'parcelWeight',
  'parcelPrice',
]
const parcelColumns = parcelFields.map(toPosition)
const itemColumns = [toPosition('sku'), toPosition('content'), toPosition('hsCode'), quantity, itemPrice]

/** Checks across lines: parcel ids, and sums against the parcel's weight and price. */
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

/** Sums over the lines of a parcel, stored at its first line's index. */
class Sums {
  readonly weight: Float64Array
  /** `price` sums quantity times price, `prices` the prices alone: the specification leaves open whether itemPrice is per piece. */
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

/** Whether two lines have one number in different spellings, such as «1.0» and «1.00». */
function isSameNumber(row: ManifestRow, other: ManifestRow, column: number): boolean {
  const [text = '', otherText = ''] = [row[column], other[column]]
  const isNumber = (column === parcelWeight || column === parcelPrice) && text !== '' && otherText !== ''
  return isNumber && toDecimal(text) === toDecimal(otherText)
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
    if (row[column] === first[column] || isSameNumber(row, first, column)) continue
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

/** A sum rounded to three decimals, without floating-point noise. */
function tidy(sum: number): string {
  return String(Math.round(sum * 1000) / 1000)
}

/** Totals of the lines. Weight and price of a parcel are on each of its lines and count once. */
export function toTotals({ rows, decimals, firstLines }: ReadLines): ManifestTotals {
  const packages = new Set<string>()
  const prices = new Map<string, number>()
  let parcels = 0
  let weight = 0
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? []
    const box = row[packageId] ?? ''
    if (box !== '' && box !== rows[index - 1]?.[packageId]) packages.add(box)
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
