import Papa from 'papaparse'
import { type FileIssue, fileIssue, maxTableMegabytes, tooLarge } from '../../shared/inputIssues'
import { err, ok, type Result } from '../../shared/result'
import { decodeText } from '../lib/decodeText'
import { toSha256 } from '../lib/hash'
import { isCellError, unwrapTextFormulas } from './cells'
import { readFirstSheet } from './workbook'

/** A file's rows as text. */
export interface Table {
  kind: 'csv' | 'xlsx'
  encoding: string | null
  rows: string[][]
  /** Which cells were numbers in the file; null where the file knows only text. */
  numeric: boolean[][] | null
  /** Cells that hold an error of the spreadsheet, e.g. «#REF!». */
  cellErrors: number
  /** Formulas of which the file holds no result. */
  emptyFormulas: number
  mergedCells: number
}

export interface TableLimits {
  maxMegabytes: number
  /** Most that the parts of a workbook may unpack to: a small file can hold a very large one. */
  maxUnpackedMegabytes: number
  /** Whether there is a header row with at least one row under it. Else rows without a value, and open quotes, stay. */
  hasHeader: boolean
}

const withHeader: TableLimits = {
  maxMegabytes: maxTableMegabytes,
  // Enough for the most lines of a manifest; the reader takes no longer text.
  maxUnpackedMegabytes: 500,
  hasHeader: true,
}

const megabyte = 1024 * 1024

/**
 * Reads a CSV or XLSX file; what it is shows in its first bytes, whatever its name says. CSV is UTF-8, UTF-16 or
 * Windows-1252, separated by what its first row has most of. Cells of XLSX give what the spreadsheet shows as value:
 * formulas their last result, dates as YYYY-MM-DD, numbers as decimal text with a point.
 */
export async function readTable(bytes: Uint8Array, limits = withHeader): Promise<Result<Table, FileIssue>> {
  if (bytes.length === 0 && limits.hasHeader) return err(fileIssue('empty'))
  if (bytes.length > limits.maxMegabytes * megabyte) return err(tooLarge(limits.maxMegabytes))
  const isWorkbook = startsWith(bytes, [0x50, 0x4b, 0x03, 0x04])
  const table = isWorkbook ? await readWorkbook(bytes, limits) : readText(bytes, limits)
  if (table.ok && limits.hasHeader && table.value.rows.length < 2) {
    return err(fileIssue('no-lines'))
  }
  return table
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte)
}

function readText(bytes: Uint8Array, { hasHeader }: TableLimits): Result<Table, FileIssue> {
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])) {
    return err(fileIssue('old-xls'))
  }
  const { text, encoding } = decodeText(bytes)
  if (encoding !== 'UTF-16' && (hasHeader ? text.slice(0, 10_000) : text).includes('\0')) {
    return err(fileIssue('no-table'))
  }
  const { rows, openQuote } = parseSpreadsheetCsv(text)
  if (openQuote !== undefined && hasHeader) {
    const row = String(openQuote.row)
    return err(fileIssue('open-quotes', row))
  }
  const kept = hasHeader ? rows.filter(hasValue) : rows
  const notes = { cellErrors: countCellErrors(text, kept), emptyFormulas: 0, mergedCells: 0 }
  return ok({ kind: 'csv', encoding, rows: kept, numeric: null, ...notes })
}

/** Rows of CSV text, also of those that hold nothing, and the first place where a quote is left open. */
export interface CsvRows {
  rows: string[][]
  /** Row and line of the text from 1. */
  openQuote: { row: number; line: number } | undefined
}

/** CSV as spreadsheet programs write it: perhaps under a line that names the separator, numbers kept as text formulas. */
function parseSpreadsheetCsv(text: string): CsvRows {
  const parsed = parseCsv(text.replace(/^sep=.\r?\n/, ''))
  return { ...parsed, rows: unwrapTextFormulas(parsed.rows, text) }
}

/**
 * Reads CSV text: quotes, line breaks in cells, any line ends.
 * @param separators the marks that may separate; that of which the first row has most, else the first one
 */
export function parseCsv(text: string, separators: readonly string[] = [';', ',', '\t', '|']): CsvRows {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: findSeparator(text, separators) })
  const error = errors.find(({ type }) => type === 'Quotes')
  const openQuote = error && {
    row: (error.row ?? 0) + 1,
    line: text.slice(0, error.index).split(/\r\n|[\r\n]/).length,
  }
  return { rows: data, openQuote }
}

/** Whether a row is more than separators and blanks. */
export function hasValue(row: readonly string[]): boolean {
  return row.some((cell) => cell.trim() !== '')
}

/** The mark that the first row has most of, outside of quotes. A regular expression runs out of stack in a long row. */
function findSeparator(text: string, separators: readonly string[]): string {
  const counts = new Map(separators.map((mark) => [mark, 0]))
  let isQuoted = false
  for (const sign of text.trimStart()) {
    if (sign === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    if (sign === '\n' || sign === '\r') break
    const count = counts.get(sign)
    if (count !== undefined) counts.set(sign, count + 1)
  }
  const [first = ['', 0], ...others] = counts
  return others.reduce((best, each) => (each[1] > best[1] ? each : best), first)[0]
}

/** Most files have none of the marks that an error begins with, which is seen much quicker than cell by cell. */
function countCellErrors(text: string, rows: readonly string[][]): number {
  if (!text.includes('#') && !text.includes('=')) return 0
  let count = 0
  for (const row of rows) for (const cell of row) if (isCellError(cell)) count += 1
  return count
}

async function readWorkbook(
  bytes: Uint8Array,
  { maxUnpackedMegabytes, hasHeader }: TableLimits,
): Promise<Result<Table, FileIssue>> {
  const sheet = await readFirstSheet(bytes, maxUnpackedMegabytes * megabyte)
  if (!sheet.ok) return sheet
  const { cells, ...notes } = sheet.value
  const numeric: boolean[][] = []
  const rows: string[][] = []
  for (const line of cells) {
    const row = line.map(toCellText)
    if (hasHeader && !hasValue(row)) continue
    rows.push(row)
    numeric.push(line.map((cell) => typeof cell === 'number'))
  }
  return ok({ kind: 'xlsx', encoding: null, rows, numeric, ...notes })
}

function toCellText(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  if (cell instanceof Date) return toDateText(cell)
  return typeof cell === 'number' ? toNumberText(cell) : String(cell)
}

/** The reader gives dates as midnight UTC, so nothing slips over a day. */
function toDateText(date: Date): string {
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ')
}

/** A number without an exponent; a fraction without the last digits of its binary form. */
function toNumberText(value: number): string {
  if (Number.isInteger(value)) return BigInt(value).toString()
  const short = String(Number(value.toPrecision(15)))
  return /e/i.test(short) ? value.toFixed(Math.abs(value) < 1 ? 10 : 0) : short
}

/** What a file's header row is recognised by: files of one program have the same. */
export function headerKey(header: readonly string[]): string {
  return toSha256(JSON.stringify(header.map((name) => name.trim())))
}
