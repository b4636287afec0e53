import type { z } from 'zod'
import { type CatalogueImport, type Product, productSchema } from '../../shared/customs'
import { type FileIssue, fileIssue } from '../../shared/inputIssues'
import { err, ok, type Result } from '../../shared/result'
import { fromGuardedText, isCellError, toCellReader } from '../tables/cells'
import { hasSureComma, isCommaNumber, withPoint } from '../tables/decimals'
import { readTable, type Table } from '../tables/readTable'
import { writeTable } from '../tables/writeTable'

type ProductField = CatalogueImport['issues'][number]['column']

const maxProducts = 100_000

const fields: readonly ProductField[] = ['code', 'name', 'hsCode', 'countryOfOrigin', 'weight', 'price']

/** Names of columns, in lower case, letters and digits only. */
const columnNames: Record<ProductField, readonly string[]> = {
  code: ['code', 'productcode', 'sku', 'article', 'articlenumber', 'artikelcode', 'artikelnummer'],
  name: ['name', 'product', 'description', 'naam', 'omschrijving'],
  hsCode: ['hscode', 'hs', 'tariffcode', 'commoditycode', 'goederencode', 'gncode'],
  countryOfOrigin: ['countryoforigin', 'origin', 'countryorigin', 'land', 'landvanoorsprong', 'oorsprong'],
  weight: ['weight', 'itemweight', 'gewicht', 'weightkg'],
  price: ['price', 'itemprice', 'unitprice', 'prijs', 'stukprijs'],
}

/** The products of a file, and the issues of lines that are not imported. */
export interface ReadCatalogue {
  products: Product[]
  issues: CatalogueImport['issues']
  codeNumbers: number
  missingColumns: CatalogueImport['missingColumns']
}

/** Reads a catalogue from a CSV or XLSX file. */
export async function readCatalogue(bytes: Uint8Array): Promise<Result<ReadCatalogue, FileIssue>> {
  const table = await readTable(bytes)
  if (!table.ok) return table
  const { rows, lineNumbers } = table.value
  const [header = [], ...lines] = rows
  const columns = toColumns(header)
  if (columns.code < 0 || columns.name < 0) {
    return err(fileIssue('no-product-columns'))
  }
  if (lines.length > maxProducts) {
    return err(fileIssue('too-many-lines', String(maxProducts)))
  }
  const priceMark = findDecimalMark(table.value, [columns.weight, columns.price])
  // Not by the prices: taking 1.25 kg for 1250 is worse than the reverse, and programs write weights with a point beside prices with a comma.
  const weightMark = findDecimalMark(table.value, [columns.weight])
  const issues: ReadCatalogue['issues'] = []
  const products = new Map<string, Product>()
  const fromCell = toCellReader(table.value.kind)
  for (const [index, cells] of lines.entries()) {
    const isNumber = (field: ProductField) => table.value.numeric?.[index + 1]?.[columns[field]] === true
    const read = readProduct(cells, columns, { weightMark, priceMark, isNumber, fromCell })
    const line = lineNumbers[index + 1] ?? 0
    if (!read.ok) issues.push(...read.error.map((issue) => ({ line, ...issue })))
    else if (products.has(read.value.code)) issues.push({ line, column: 'code', code: 'twice' })
    else products.set(read.value.code, read.value)
  }
  return ok({
    products: [...products.values()],
    issues,
    codeNumbers: countNumbers(table.value, columns.code) + countNumbers(table.value, columns.hsCode),
    missingColumns: fields.filter((field) => columns[field] < 0),
  })
}

function toColumns(header: readonly string[]): Record<ProductField, number> {
  const names = header.map((name) => name.toLowerCase().replace(/[^a-z0-9]/g, ''))
  const of = (field: ProductField) => names.findIndex((name) => columnNames[field].includes(name))
  return {
    code: of('code'),
    name: of('name'),
    hsCode: of('hsCode'),
    countryOfOrigin: of('countryOfOrigin'),
    weight: of('weight'),
    price: of('price'),
  }
}

function countNumbers({ numeric }: Table, column: number): number {
  return numeric?.filter((row, index) => index > 0 && row[column] === true).length ?? 0
}

/** The decimal mark that the texts of columns show; null if they show none or both. */
function findDecimalMark({ rows, numeric }: Table, columns: readonly number[]): DecimalMark | null {
  const texts = columns.flatMap((column) =>
    rows.slice(1).flatMap((row, index) => {
      const text = fromGuardedText((row[column] ?? '').trim())
      return numeric?.[index + 1]?.[column] === true ? [] : [text]
    }),
  )
  const hasComma = texts.some(hasSureComma)
  const hasPoint = texts.some((text) => /\.\d+$/.test(text) && !isCommaNumber(text))
  if (hasComma === hasPoint) return null
  return hasComma ? 'comma' : 'point'
}

type DecimalMark = 'comma' | 'point'

/** How the numbers of a line are read. */
interface NumberReading {
  weightMark: DecimalMark | null
  priceMark: DecimalMark | null
  /** Whether the spreadsheet stores the cell of a field as a number, which has a decimal point. */
  isNumber(field: ProductField): boolean
}

interface CellReading extends NumberReading {
  /** The text of a cell. */
  fromCell(cell: string): string
}

type InputIssue = Omit<CatalogueImport['issues'][number], 'line'>

function readProduct(
  cells: readonly string[],
  columns: Record<ProductField, number>,
  { weightMark, priceMark, isNumber, fromCell }: CellReading,
): Result<Product, InputIssue[]> {
  const cell = (field: ProductField) => (cells[columns[field]] ?? '').trim()
  const text = (field: ProductField) => fromCell(cell(field))
  const broken = fields.filter((field) => isCellError(cell(field)) || cell(field).includes('\uFFFD'))
  if (broken.length > 0) return err(broken.map((column) => ({ column, code: 'cell-error' })))
  const parsed = productSchema.safeParse({
    code: text('code'),
    name: text('name'),
    hsCode: text('hsCode'),
    countryOfOrigin: text('countryOfOrigin').toUpperCase(),
    weight: readAmount(text('weight'), isNumber('weight') ? 'point' : (weightMark ?? 'any')),
    price: readAmount(text('price'), isNumber('price') ? 'point' : (priceMark ?? 'unknown')),
  })
  return parsed.success ? ok(parsed.data) : err(parsed.error.issues.map(toIssue))
}

/**
 * Parses a number; an empty text is 0. Without a known mark, point and comma are both decimal marks; with `unknown`, «1.250» is
 * no number, because it may mean 1250.
 */
function readAmount(text: string, mark: DecimalMark | 'any' | 'unknown'): number {
  if (text === '') return 0
  if (mark === 'unknown' && /^[1-9]\d{0,2}[.,]\d{3}$/.test(text)) return Number.NaN
  const plain = mark === 'any' || mark === 'unknown' ? text.replace(',', '.') : withPoint(text, mark)
  return /^\d+(?:\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN
}

function toIssue(issue: z.core.$ZodIssue): InputIssue {
  const column = fields.find((field) => field === issue.path[0]) ?? 'code'
  if (column === 'weight' || column === 'price') return { column, code: 'number' }
  if (column === 'countryOfOrigin') return { column, code: 'country' }
  return { column, code: issue.message === 'required' ? 'required' : 'too-long' }
}

/** Writes the catalogue as a file that `readCatalogue` can read. */
export function writeCatalogue(products: readonly Product[], kind: 'csv' | 'xlsx'): Promise<Uint8Array> {
  const rows = [fields, ...products.map((product) => fields.map((field) => product[field]))]
  return writeTable(rows, kind, { sheet: 'Products' })
}
