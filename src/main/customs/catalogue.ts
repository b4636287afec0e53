import type { z } from 'zod'
import { type CatalogueImport, type Product, productSchema } from '../../shared/customs'
import { appError } from '../../shared/errors'
import { type FileIssue, fileIssue, issueDetails } from '../../shared/inputIssues'
import { err, ok, type Result } from '../../shared/result'
import { fromGuardedText, isCellError } from '../tables/cells'
import { readTable, type Table } from '../tables/readTable'
import { writeTable } from '../tables/writeTable'
import type { CustomsRepository } from './repository'

type ProductField = CatalogueImport['issues'][number]['column']

const maxIssuesShown = 100

/** Most products of one file. */
const maxProducts = 100_000

const fields: readonly ProductField[] = ['code', 'name', 'hsCode', 'countryOfOrigin', 'weight', 'price']

/** What columns are called, in lower case without anything but letters and digits. */
const columnNames: Record<ProductField, readonly string[]> = {
  code: ['code', 'productcode', 'sku', 'article', 'articlenumber', 'artikelcode', 'artikelnummer'],
  name: ['name', 'product', 'description', 'naam', 'omschrijving'],
  hsCode: ['hscode', 'hs', 'tariffcode', 'commoditycode', 'goederencode', 'gncode'],
  countryOfOrigin: ['countryoforigin', 'origin', 'countryorigin', 'land', 'landvanoorsprong', 'oorsprong'],
  weight: ['weight', 'itemweight', 'gewicht', 'weightkg'],
  price: ['price', 'itemprice', 'unitprice', 'prijs', 'stukprijs'],
}

/** Products of a file, and what was wrong with the lines that are left out. */
export interface ReadCatalogue {
  products: Product[]
  issues: CatalogueImport['issues']
  hsNumbers: number
}

/** Reads a catalogue from a CSV or XLSX file. */
export async function readCatalogue(bytes: Uint8Array): Promise<Result<ReadCatalogue, FileIssue>> {
  const table = await readTable(bytes)
  if (!table.ok) return table
  const [header = [], ...lines] = table.value.rows
  const columns = toColumns(header)
  if (columns.code < 0 || columns.name < 0) {
    return err(fileIssue('no-product-columns'))
  }
  if (lines.length > maxProducts) {
    return err(fileIssue('too-many-lines', String(maxProducts)))
  }
  const issues: ReadCatalogue['issues'] = []
  const products = new Map<string, Product>()
  for (const [index, cells] of lines.entries()) {
    const read = readProduct(cells, columns)
    const line = index + 2
    if (!read.ok) issues.push(...read.error.map((issue) => ({ line, ...issue })))
    else if (products.has(read.value.code)) issues.push({ line, column: 'code', code: 'twice' })
    else products.set(read.value.code, read.value)
  }
  return ok({ products: [...products.values()], issues, hsNumbers: numbersIn(table.value, columns.hsCode) })
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

function numbersIn({ numeric }: Table, column: number): number {
  return numeric?.filter((row, index) => index > 0 && row[column] === true).length ?? 0
}

type InputIssue = Omit<CatalogueImport['issues'][number], 'line'>

function readProduct(
  cells: readonly string[],
  columns: Record<ProductField, number>,
): Result<Product, InputIssue[]> {
  const cell = (field: ProductField) => (cells[columns[field]] ?? '').trim()
  const text = (field: ProductField) => fromGuardedText(cell(field))
  const broken = fields.filter((field) => isCellError(cell(field)))
  if (broken.length > 0) return err(broken.map((column) => ({ column, code: 'cell-error' })))
  const parsed = productSchema.safeParse({
    code: text('code'),
    name: text('name'),
    hsCode: text('hsCode'),
    countryOfOrigin: text('countryOfOrigin').toUpperCase(),
    weight: readNumber(text('weight')),
    price: readNumber(text('price')),
  })
  return parsed.success ? ok(parsed.data) : err(parsed.error.issues.map(toIssue))
}

/** A number with a point or a comma; nothing counts as 0. */
function readNumber(text: string): number {
  if (text === '') return 0
  return /^\d+(?:[.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN
}

function toIssue(issue: z.core.$ZodIssue): InputIssue {
  const column = fields.find((field) => field === issue.path[0]) ?? 'code'
  if (column === 'weight' || column === 'price') return { column, code: 'number' }
  if (column === 'countryOfOrigin') return { column, code: 'country' }
  return { column, code: issue.message === 'required' ? 'required' : 'too-long' }
}

/** The catalogue as a file that `readCatalogue` reads again. */
export function writeCatalogue(products: readonly Product[], kind: 'csv' | 'xlsx'): Promise<Uint8Array> {
  const rows = [fields, ...products.map((product) => fields.map((field) => product[field]))]
  return writeTable(rows, kind, { sheet: 'Products' })
}

/** Reads a catalogue's file, away from the main thread; see `readCatalogue`. */
export type CatalogueReader = (bytes: ArrayBuffer) => Promise<Result<ReadCatalogue, FileIssue>>

/** The product catalogue in files. */
export class Catalogue {
  constructor(
    private readonly repository: CustomsRepository,
    private readonly readFile: CatalogueReader,
  ) {}

  /** Adds a file's products, and replaces those that are known. Lines with issues are left out. */
  async importFile(fileName: string, bytes: ArrayBuffer): Promise<Result<CatalogueImport>> {
    const read = await this.readFile(bytes)
    if (!read.ok) {
      const details = { file: fileName, ...issueDetails(read.error) }
      return err(appError('table-unreadable', details))
    }
    const { products, issues, hsNumbers } = read.value
    const known = new Set(await this.repository.listProductCodes())
    const changed = products.filter((product) => known.has(product.code)).length
    await this.repository.putProducts(products)
    return ok({
      added: products.length - changed,
      changed,
      issues: issues.slice(0, maxIssuesShown),
      linesLeftOut: new Set(issues.map((issue) => issue.line)).size,
      hsNumbers,
    })
  }

  async toFile(kind: 'csv' | 'xlsx'): Promise<Uint8Array> {
    const { products } = await this.repository.searchProducts('', Number.MAX_SAFE_INTEGER, 0)
    return writeCatalogue(products, kind)
  }
}
