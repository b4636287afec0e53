import { isDateText } from '../clock'
import { isRecord, typeName } from '../json'
import { checkFields, checkForm, type Deviation, type FieldTable, isCountryCode } from './deviation'

const LINE_FIELD_NAMES = [
  ...['transportType', 'transportNumber', 'packageId', 'parcelId'],
  ...['name', 'address', 'address2', 'zipcode', 'city', 'country', 'phone', 'email'],
  ...['sellerName', 'sellerAddress', 'sellerZipcode', 'sellerCity', 'sellerCountry'],
  ...['sku', 'content', 'hsCode', 'quantity', 'itemPrice', 'itemWeight', 'parcelWeight', 'parcelPrice'],
  ...['currency', 'taxType', 'taxIdent', 'grossWeight'],
]

const LINE_FIELDS: FieldTable = Object.fromEntries(LINE_FIELD_NAMES.map((name) => [name, 'string' as const]))

const DECIMAL_FIELDS = ['quantity', 'itemPrice', 'itemWeight', 'parcelWeight', 'parcelPrice', 'grossWeight']

const PRE_ALERT_FIELDS: FieldTable = {
  airWaybillPdfBase64: 'string',
  estimatedTimeOfArrival: 'string',
  airWaybillNumber: 'string',
  grossWeight: 'number',
}

function isDecimalText(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text)
}

function checkLine(line: unknown, where: string): Deviation[] {
  const own = checkFields(line, where, LINE_FIELDS)
  if (!isRecord(line)) return own
  const decimals = DECIMAL_FIELDS.flatMap((name) =>
    checkForm(line[name], `${where}.${name}`, isDecimalText, 'decimal text such as 1.50'),
  )
  const countries = ['country', 'sellerCountry'].flatMap((name) =>
    checkForm(line[name], `${where}.${name}`, isCountryCode, 'a country code of two capital letters'),
  )
  return [...own, ...decimals, ...countries]
}

/** Compares the body of a manifest upload with the specification: an array of lines, all fields text. */
export function checkManifestBody(body: unknown): Deviation[] {
  if (!Array.isArray(body)) {
    return [{ kind: 'wrongType', where: 'body', message: `body must be an array and is ${typeName(body)}.` }]
  }
  return body.flatMap((line: unknown, index) => checkLine(line, `body[${index}]`))
}

/** True for the plain base64 text of something that begins like a PDF. */
export function isBase64Pdf(text: string): boolean {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return false
  return Buffer.from(text.slice(0, 8), 'base64').toString('latin1').startsWith('%PDF-')
}

/** Compares the body of a pre-alert with the specification (section Pre-alert request and response). */
export function checkPreAlertBody(body: unknown): Deviation[] {
  const own = checkFields(body, 'body', PRE_ALERT_FIELDS)
  if (!isRecord(body)) return own
  const eta = 'body.estimatedTimeOfArrival'
  return [
    ...own,
    ...checkForm(body.airWaybillPdfBase64, 'body.airWaybillPdfBase64', isBase64Pdf, 'a PDF in base64'),
    ...checkForm(body.estimatedTimeOfArrival, eta, isDateText, 'a date written YYYY-MM-DD'),
  ]
}
