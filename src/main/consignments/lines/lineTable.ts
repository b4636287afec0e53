import {
  type ColumnMapping,
  type DecimalMark,
  decimalFields,
  emptyRow,
  type ManifestField,
  type ManifestRow,
  manifestFields,
  toBareNumber,
  toPosition,
  weightFields,
} from '../../../shared/consignments'
import { err, ok, type Result } from '../../../shared/result'
import { fromGuardedText, toCellReader } from '../../tables/cells'
import { hasSureComma, isCommaNumber, withPoint } from '../../tables/decimals'
import type { Table } from '../../tables/readTable'
import { writeTable } from '../../tables/writeTable'
import { toDecimal } from './readLines'

/** Column names of other programs per field, reduced to lower-case letters and digits. */
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

/** Guesses by column names which column of a file fills which field. Each column is used at most once. */
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
const weightPositions = weightFields.map(toPosition)
const upperCaseFields: readonly ManifestField[] = ['country', 'sellerCountry', 'currency']

/** A number that the chosen decimal mark would misread: it has a decimal point although the mark is a comma. */
export interface MisreadNumber {
  kind: 'decimal-point'
  /** Line number as in spreadsheet programs: the header row is 1. */
  line: number
  /** The column's heading. */
  column: string
  text: string
}

/**
 * Converts the rows of a file to manifest lines. Texts are unchanged; numbers get a decimal point; countries and currencies
 * become upper case. Transport type and number are filled in where they are empty, and the number is written as that of the air waybill.
 * @param table is consumed: its rows become the lines, because copying a large file costs more than all the rest
 * @returns the lines; or, with the mark «comma», the first number that has a decimal point, and the table is unchanged
 */
export function toLines(
  table: Table,
  mapping: ColumnMapping,
  mark: DecimalMark,
  airWaybillNumber: string,
): Result<ManifestRow[], MisreadNumber> {
  const columns = manifestFields.map((field) => mapping[field] ?? -1)
  const decimals = toColumns(decimalPositions, columns)
  const misread = mark === 'point' ? undefined : findDecimalPoint(table, decimals)
  if (mark === 'comma' && misread !== undefined) return err(misread)
  const comma =
    mark === 'comma' || (mark === 'automatic' && misread === undefined && hasDecimalComma(table, decimals))
  const weightComma =
    comma && (mark === 'comma' || !mayHaveDecimalPoint(table, toColumns(weightPositions, columns)))
  const readers = manifestFields.map((field) =>
    toReader(field, weightFields.includes(field) ? weightComma : comma, airWaybillNumber),
  )
  const fromCell = toCellReader(table.kind)
  const line = emptyRow()
  // The source cells of `line`. Most columns repeat line after line: a repeated cell is not converted again and its text is shared.
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
      line[position] = readers[position]?.(fromCell(cell).trim(), isNumber) ?? ''
    }
    for (let position = 0; position < line.length; position += 1) row[position] = line[position] ?? ''
    row.length = line.length
  }
  return ok(lines)
}

/** Returns the conversion of a column's texts to values of a field. */
function toReader(
  field: ManifestField,
  comma: boolean,
  airWaybillNumber: string,
): (text: string, isNumber: boolean) => string {
  if (decimalFields.includes(field))
    return (text, isNumber) => (isNumber ? text : toPointDecimal(text, comma))
  if (upperCaseFields.includes(field)) return (text) => text.toUpperCase()
  if (field === 'transportType') return (text) => (text === '' ? 'AWB' : text)
  if (field === 'transportNumber') {
    const bare = toBareNumber(airWaybillNumber)
    return (text) => (text === '' || toBareNumber(text) === bare ? airWaybillNumber : text)
  }
  return (text) => text
}

/** The columns of the table at some positions of a line. */
function toColumns(positions: readonly number[], columns: readonly number[]): number[] {
  return positions.map((position) => columns[position] ?? -1).filter((column) => column >= 0)
}

/**
 * Whether the weights of a file with decimal commas may have decimal points: programs write weights with a point beside prices with
 * a comma, and taking 1.250 kg for 1250 is worse than the reverse.
 */
function mayHaveDecimalPoint(table: Table, columns: readonly number[]): boolean {
  return (
    !hasDecimalComma(table, columns) && findNumber(table, columns, (text) => text.includes('.')) !== undefined
  )
}

/** The first number among the texts whose point can't be a thousands separator, e.g. «0.100» or «1.5». */
function findDecimalPoint(table: Table, columns: readonly number[]): MisreadNumber | undefined {
  return findNumber(
    table,
    columns,
    (text) => text.includes('.') && !isCommaNumber(text) && isDecimalText(text),
  )
}

/**
 * Whether some number of the file makes sense only with a decimal comma. «1,234» alone is ambiguous: the numbers of such a
 * file are not converted, and the checks report them.
 */
function hasDecimalComma(table: Table, columns: readonly number[]): boolean {
  return findNumber(table, columns, hasSureComma) !== undefined
}

/** The first text in some number columns that passes a test; skips cells that the spreadsheet stores as numbers, which have no mark. */
function findNumber(
  { rows, lineNumbers, numeric }: Table,
  columns: readonly number[],
  test: (text: string) => boolean,
): MisreadNumber | undefined {
  for (let index = 1; index < rows.length; index += 1) {
    for (const column of columns) {
      const text = fromGuardedText(rows[index]?.[column] ?? '').trim()
      if (numeric?.[index]?.[column] === true || !test(text)) continue
      return { kind: 'decimal-point', line: lineNumbers[index] ?? 0, column: rows[0]?.[column] ?? '', text }
    }
  }
  return undefined
}

function isDecimalText(text: string): boolean {
  return !Number.isNaN(toDecimal(text))
}

/** Converts to a decimal point; leaves numbers with a point unchanged when the mark is a point. */
function toPointDecimal(text: string, comma: boolean): string {
  return !comma && isDecimalText(text) ? text : withPoint(text, comma ? 'comma' : 'point')
}

/** Writes lines to a file that can be imported again without any change of values. */
export function writeLines(
  rows: readonly ManifestRow[],
  kind: 'csv' | 'xlsx',
): Promise<Uint8Array<ArrayBuffer>> {
  return writeTable([manifestFields, ...rows], kind, { sheet: 'Manifest' })
}
