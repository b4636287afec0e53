import { isCountryCode } from '../../../shared/countries'
import { isCurrencyCode } from '../../../shared/currencies'
import { hasEoriForm, hasIossForm, hasVatForm, hsCodeAdvice } from '../../../shared/customsForms'
import type { Issue, IssueCode } from '../../../shared/manifest'
import { decimalFields, type ManifestField, type ManifestRow, positionOf } from '../../../shared/manifestLine'
import type { Note } from './note'
import { checkParcels } from './parcelChecks'
import { specialLines } from './specialLines'

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
const required = requiredFields.map(positionOf)
const decimals = decimalFields.map(positionOf)
const quantity = positionOf('quantity')
const weightFields: readonly ManifestField[] = ['itemWeight', 'parcelWeight', 'grossWeight']
const weights = new Set(weightFields.map(positionOf))
const countries = [positionOf('country'), positionOf('sellerCountry')]
const transportNumber = positionOf('transportNumber')
const hsCode = positionOf('hsCode')
const currency = positionOf('currency')
const taxType = positionOf('taxType')
const taxIdent = positionOf('taxIdent')

const decimalText = /^-?\d+(?:\.\d+)?$/
const lineBreak = /[\r\n\t]/

/** What keeps a manifest from being uploaded; all else is advice. */
const errorCodes = new Set<IssueCode>([
  'required',
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

/**
 * Checks all lines of an air waybill; the issues are in no particular order.
 * @param special the lines that `specialLines` finds
 */
export function checkLines(
  rows: readonly ManifestRow[],
  airWaybillNumber: string,
  special: ReadonlySet<number> = specialLines(rows),
): Issue[] {
  const issues: Issue[] = []
  const note: Note = (row, column, code, detail = '') => {
    issues.push({ row, column, code, severity: errorCodes.has(code) ? 'error' : 'advice', detail })
  }
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index]
    if (row !== undefined) checkLine(row, index, airWaybillNumber, note)
  }
  for (const index of special) checkBreaks(rows[index] ?? [], index, note)
  checkParcels(rows, note)
  return issues
}

function checkLine(row: ManifestRow, index: number, airWaybillNumber: string, note: Note): void {
  for (const column of required) {
    if (isBlank(row[column])) note(index, column, 'required')
  }
  for (const column of decimals) checkDecimal(row[column] ?? '', index, column, note)
  for (const column of countries) {
    const text = row[column] ?? ''
    if (text !== '' && !isCountryCode(text)) note(index, column, 'country')
  }
  if (row[transportNumber] !== airWaybillNumber)
    note(index, transportNumber, 'other-waybill', airWaybillNumber)
  const code = row[hsCode] ?? ''
  const hsAdvice = code === '' ? null : hsCodeAdvice(code)
  if (hsAdvice !== null) note(index, hsCode, hsAdvice)
  checkCurrency(row[currency] ?? '', index, note)
  checkTax(row[taxType] ?? '', row[taxIdent] ?? '', index, note)
}

function checkBreaks(row: ManifestRow, index: number, note: Note): void {
  for (let column = 0; column < row.length; column += 1) {
    if (lineBreak.test(row[column] ?? '')) note(index, column, 'line-break')
  }
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text === '' || text.trim() === ''
}

function checkDecimal(text: string, index: number, column: number, note: Note): void {
  if (text === '') return
  if (!decimalText.test(text)) {
    note(index, column, /^-?[\d.]*,\d+$/.test(text) ? 'decimal-comma' : 'not-a-number')
    return
  }
  const value = Number(text)
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
