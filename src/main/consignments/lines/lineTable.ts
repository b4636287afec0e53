import {
  type ColumnMapping,
  type DecimalMark,
  decimalFields,
  emptyRow,
  type ManifestField,
  type ManifestRow,
  manifestFields,
  toPosition,
} from '../../../shared/consignments'
import { err, ok, type Result } from '../../../shared/result'
import { fromGuardedText } from '../../tables/cells'
import { hasSureComma, isCommaNumber, withPoint } from '../../tables/decimals'
import type { Table } from '../../tables/readTable'
import { writeTable } from '../../tables/writeTable'
import { toDecimal } from './readLines'

/** What other programs call the fields, in lower case without anything but letters and digits. */
const otherNames: Partial<Record<ManifestField, readonly string[]>> = {
  transportNumber: ['awb', 'awbnumber', 'airwaybill', 'mawb', 'vrachtbrief'],
  packageId: ['box', 'boxid', 'bag', 'bagid', 'package', 'colli', 'doos'],
  parcelId: ['parcel', 'barcode', 'trackingnumber', 'trackingcode', 'tracking', 'pakket'],
  name: ['consignee', 'consigneename', 'recipient', 'recipientname', 'naam', 'ontvanger'],
  address: ['street', 'address1', 'consigneeaddress', 'adres', 'straat'],
  address2: ['addressline2', 'adres2'],
  zipcode: ['zip', 'postcode', 'postalcode'],
  city: ['town', 'plaats', 'stad', 'woonplaats'],
  country: ['countrycode', 'destination', 'land', 'landcode'],
  phone: ['phonenumber', 'telephone', 'mobile', 'telefoon'],
  email: ['emailaddress', 'mail'],
  sellerName: ['seller', 'shipper', 'shippername', 'sender', 'verkoper', 'afzender'],
  sellerAddress: ['shipperaddress', 'senderaddress'],
  sellerZipcode: ['shipperzipcode', 'senderpostalcode'],
  sellerCity: ['shippercity', 'sendercity'],
  sellerCountry: ['shippercountry', 'sendercountry'],
  sku: ['productcode', 'articlenumber', 'article', 'artikel', 'artikelcode'],
  content: ['description', 'goodsdescription', 'product', 'contents', 'omschrijving', 'inhoud'],
  hsCode: ['hs', 'tariffcode', 'commoditycode', 'taric', 'gncode', 'goederencode'],
  quantity: ['qty', 'pieces', 'pcs', 'aantal'],
  itemPrice: ['unitprice', 'price', 'itemvalue', 'prijs', 'stukprijs'],
  itemWeight: ['unitweight', 'netweight', 'stukgewicht'],
  parcelWeight: ['weight', 'gewicht'],
  parcelPrice: ['value', 'parcelvalue', 'totalvalue', 'waarde'],
  currency: ['currencycode', 'valuta', 'munt'],
  taxType: ['taxscheme', 'btwtype'],
  taxIdent: ['ioss', 'iossnumber', 'taxid', 'taxnumber', 'vatnumber', 'btwnummer'],
  grossWeight: ['gross', 'brutogewicht'],
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Guesses which column of a file fills which field, by the columns' names. Each column is used once. */
export function guessMapping(header: readonly string[]): ColumnMapping {
  const columns = header.map(plain)
  const mapping: ColumnMapping = {}
  const taken = new Set<number>()
  const take = (field: ManifestField, names: readonly string[]) => {
    if (mapping[field] !== undefined) return
    const column = columns.findIndex((name, index) => !taken.has(index) && names.includes(name))
    if (column < 0) return
    mapping[field] = column
    taken.add(column)
  }
  for (const field of manifestFields) take(field, [plain(field)])
  for (const field of manifestFields) take(field, otherNames[field] ?? [])
  return mapping
}

const decimalPositions = decimalFields.map(toPosition)
const codeFields: readonly ManifestField[] = ['country', 'sellerCountry', 'currency']

/** A number of a file that the chosen decimal mark would change: it has a decimal point where the mark is a comma. */
export interface MisreadNumber {
  kind: 'decimal-point'
  /** As spreadsheet programs count, the header row being 1. */
  line: number
  /** The column's heading. */
  column: string
  text: string
}

/**
 * Makes manifest lines of a file's rows. Texts go over as they stand; numbers get a point for their decimal mark,
 * countries and currencies capital letters. Type and number of the transport are filled in where no column gives them.
 * @param table is used up: its rows become the lines, since a second copy of a large file costs more than all the rest
 * @returns the lines; with the mark «comma», the first number that has a decimal point: nothing was used up then
 */
export function toLines(
  table: Table,
  mapping: ColumnMapping,
  mark: DecimalMark,
  airWaybillNumber: string,
): Result<ManifestRow[], MisreadNumber> {
  const columns = manifestFields.map((field) => mapping[field] ?? -1)
  const misread = mark === 'point' ? undefined : findDecimalPoint(table, columns)
  if (mark === 'comma' && misread !== undefined) return err(misread)
  const comma =
    mark === 'comma' || (mark === 'automatic' && misread === undefined && hasDecimalComma(table, columns))
  const readers = manifestFields.map((field) => toReader(field, comma, airWaybillNumber))
  const line = emptyRow()
  // The cells that the line is made of. Most columns say the same on line after line: then one text serves all of them.
  const cells: string[] = []
  const areNumbers: boolean[] = []
  const lines = table.rows.splice(1)
  for (let index = 0; index < lines.length; index += 1) {
    const row = lines[index] ?? []
    const numeric = table.numeric?.[index + 1]
    for (let position = 0; position < columns.length; position += 1) {
      const column = columns[position] ?? -1
      const cell = row[column] ?? ''
      const isNumber = numeric?.[column] === true
      if (cell === cells[position] && isNumber === areNumbers[position]) continue
      cells[position] = cell
      areNumbers[position] = isNumber
      line[position] = readers[position]?.(toText(cell), isNumber) ?? ''
    }
    for (let position = 0; position < line.length; position += 1) row[position] = line[position] ?? ''
    row.length = line.length
  }
  return ok(lines)
}

/** How the texts of a column become values of a field. */
function toReader(
  field: ManifestField,
  comma: boolean,
  airWaybillNumber: string,
): (text: string, isNumber: boolean) => string {
  if (decimalFields.includes(field)) return (text, isNumber) => (isNumber ? text : pointed(text, comma))
  if (codeFields.includes(field)) return (text) => text.toUpperCase()
  if (field === 'transportType') return (text) => (text === '' ? 'AWB' : text)
  if (field === 'transportNumber') return (text) => (text === '' ? airWaybillNumber : text)
  return (text) => text
}

function toText(cell: string): string {
  return fromGuardedText(cell).trim()
}

/** The first number of the file's texts whose point can't be one of thousands, e.g. «0.100» or «1.5». */
function findDecimalPoint(table: Table, columns: readonly number[]): MisreadNumber | undefined {
  return findNumber(
    table,
    columns,
    (text) => text.includes('.') && !isCommaNumber(text) && isDecimalText(text),
  )
}

/**
 * Whether some number of the file can be read with a decimal comma only. «1,234» alone says nothing: such a file is left
 * as it is, and the checks point at its numbers.
 */
function hasDecimalComma(table: Table, columns: readonly number[]): boolean {
  return findNumber(table, columns, hasSureComma) !== undefined
}

/** The first text in a column of numbers that passes a test; what the spreadsheet holds as a number has no mark. */
function findNumber(
  { rows, numeric }: Table,
  columns: readonly number[],
  test: (text: string) => boolean,
): MisreadNumber | undefined {
  const decimals = decimalPositions.map((position) => columns[position] ?? -1).filter((column) => column >= 0)
  for (let index = 1; index < rows.length; index += 1) {
    for (const column of decimals) {
      const text = toText(rows[index]?.[column] ?? '')
      if (numeric?.[index]?.[column] === true || !test(text)) continue
      return { kind: 'decimal-point', line: index + 1, column: rows[0]?.[column] ?? '', text }
    }
  }
  return undefined
}

function isDecimalText(text: string): boolean {
  return !Number.isNaN(toDecimal(text))
}

/** Numbers that the checks can read stay as they stand where points are the mark. */
function pointed(text: string, comma: boolean): string {
  return !comma && isDecimalText(text) ? text : withPoint(text, comma ? 'comma' : 'point')
}

/** Lines as a file that can be imported again: every value comes back as it was. */
export function writeLines(
  rows: readonly ManifestRow[],
  kind: 'csv' | 'xlsx',
): Promise<Uint8Array<ArrayBuffer>> {
  return writeTable([manifestFields, ...rows], kind, { sheet: 'Manifest' })
}
