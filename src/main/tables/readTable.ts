import { hash } from 'node:crypto'
import Papa from 'papaparse'
import { type FileIssue, fileIssue, maxTableMegabytes, tooLarge } from '../../shared/inputIssues'
import { err, ok, type Result } from '../../shared/result'
import { decodeText } from '../lib/decodeText'
import { isCellError, unwrapTextFormulas } from './cells'
import { readFirstSheet } from './workbook'

/** A file's rows as text. */
export interface NumberedRows {
  rows: string[][]
  /** The line number of each row as in spreadsheet programs, from 1. Rows without a value count, even if they are left out. */
  lineNumbers: number[]
  /** Which cells are numbers in the file; null for CSV, which has only text. */
  numeric: boolean[][] | null
}

export interface Table extends NumberedRows {
  kind: 'csv' | 'xlsx'
  encoding: string | null
  /** Number of cells with a spreadsheet error, such as «#REF!». */
  cellErrors: number
  /** Number of formulas without a stored result. */
  emptyFormulas: number
  mergedCells: number
}

export interface TableLimits {
  maxMegabytes: number
  /** Limit for the unpacked size of a workbook: a small file can unpack to a very large one. */
  maxUnpackedMegabytes: number
  /** Requires a header row and at least one more row. If false, rows without a value and open quotes are accepted. */
  hasHeader: boolean
}

const withHeader: TableLimits = {
  maxMegabytes: maxTableMegabytes,
  // Enough for the largest manifest; the reader accepts no longer text.
  maxUnpackedMegabytes: 500,
  hasHeader: true,
}

const megabyte = 1024 * 1024

/**
 * Reads a CSV or XLSX file; its first bytes decide which one it is, not its name. CSV may be UTF-8, UTF-16 or Windows-1252,
 * with the separator that `findSeparator` finds in the first row. Cells of XLSX are read as displayed: formulas as their last
 * result, dates as YYYY-MM-DD, numbers as decimal text with a point and the leading zeros of their format.
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
  const kept: string[][] = []
  const lineNumbers: number[] = []
  for (const [index, row] of rows.entries()) {
    if (hasHeader && !hasValue(row)) continue
    kept.push(row)
    lineNumbers.push(index + 1)
  }
  const notes = { cellErrors: countCellErrors(text, kept), emptyFormulas: 0, mergedCells: 0 }
  return ok({ kind: 'csv', encoding, rows: kept, lineNumbers, numeric: null, ...notes })
}

/** The rows of CSV text, including empty ones. */
export interface CsvRows {
  rows: string[][]
  /** The first quote that is not closed: its row, and its line in the text, both from 1. */
  openQuote: { row: number; line: number } | undefined
}

/** Reads CSV of spreadsheet programs, which may start with a `sep=` line and contain text formulas. */
function parseSpreadsheetCsv(text: string): CsvRows {
  const parsed = parseCsv(text.replace(/^sep=.(\r\n?|\n)/, ''))
  return { ...parsed, rows: unwrapTextFormulas(parsed.rows, text) }
}

/**
 * Reads CSV text: quotes, line breaks in cells (returned as LF), any line ends, also mixed.
 * @param separators those that the text may have; `findSeparator` chooses one by the first row
 */
export function parseCsv(text: string, separators: readonly string[] = [';', ',', '\t', '|']): CsvRows {
  // The parser takes the first line end for that of the whole file, and would merge rows that end otherwise.
  const lines = text.replace(/\r\n?/g, '\n')
  const delimiter = findSeparator(lines, separators)
  const { data, errors } = Papa.parse<string[]>(lines, { delimiter, newline: '\n' })
  const error = errors.find(({ type }) => type === 'Quotes')
  const openQuote = error && {
    row: (error.row ?? 0) + 1,
    line: lines.slice(0, error.index).split('\n').length,
  }
  return { rows: data, openQuote }
}

/** Whether a cell of the row contains more than spaces. */
export function hasValue(row: readonly string[]): boolean {
  return row.some((cell) => cell.trim() !== '')
}

/**
 * The tab if one stands before a text in the first row, outside of quotes: spreadsheets separate copied cells by it, however many
 * commas these have. Otherwise the most frequent separator there: a program may end cells with a tab. A regular expression
 * overflows the stack in a long row.
 */
function findSeparator(text: string, separators: readonly string[]): string {
  const counts = new Map(separators.map((mark) => [mark, 0]))
  let isQuoted = false
  let previous = ''
  for (const sign of text.trimStart()) {
    if (sign === '"') isQuoted = !isQuoted
    const count = counts.get(sign)
    const isText = count === undefined && sign !== '\n'
    if (previous === '\t' && isText && counts.has('\t')) return '\t'
    // A tab after another separator keeps a spreadsheet from changing a long number.
    const isGuard = sign === '\t' && [';', '|'].includes(previous)
    previous = isQuoted || isGuard ? '' : sign
    if (isQuoted) continue
    if (sign === '\n') break
    if (count !== undefined) counts.set(sign, count + 1)
  }
  const [first = ['', 0], ...others] = counts
  return others.reduce((best, each) => (each[1] > best[1] ? each : best), first)[0]
}

/** Searches the whole text first, since most files contain no character that begins an error. */
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
  const lineNumbers: number[] = []
  for (const [index, line] of cells.entries()) {
    const row = line.map(toCellText)
    if (hasHeader && !hasValue(row)) continue
    rows.push(row)
    lineNumbers.push(index + 1)
    numeric.push(line.map((cell) => typeof cell === 'number'))
  }
  return ok({ kind: 'xlsx', encoding: null, rows, lineNumbers, numeric, ...notes })
}

function toCellText(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  if (cell instanceof Date) return toDateText(cell)
  return typeof cell === 'number' ? toNumberText(cell) : String(cell)
}

/** The reader returns dates as midnight UTC, so formatting in UTC keeps the day. */
function toDateText(date: Date): string {
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ')
}

/** Formats without an exponent, and rounds away the error of a binary fraction. */
function toNumberText(value: number): string {
  if (Number.isInteger(value)) return BigInt(value).toString()
  const short = String(Number(value.toPrecision(15)))
  return /e/i.test(short) ? value.toFixed(Math.abs(value) < 1 ? 10 : 0) : short
}

/** The rows after the first `count` ones. */
export function skipRows({ rows, lineNumbers, numeric }: NumberedRows, count: number): NumberedRows {
  return {
    rows: rows.slice(count),
    lineNumbers: lineNumbers.slice(count),
    numeric: numeric?.slice(count) ?? null,
  }
}

/** Identifies the header row, which is equal in all files of one program. */
export function headerKey(header: readonly string[]): string {
  return hash('sha256', JSON.stringify(header.map((name) => name.trim())))
}
