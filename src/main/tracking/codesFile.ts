import Papa from 'papaparse'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { type CodesFile, maxFileBytes } from '../../shared/trackingBulk'
import { listCodes } from '../../shared/trackingCodes'
import { decodeText } from '../lib/decodeText'
import { isCellError } from '../tables/cells'
import { readFirstSheet } from '../tables/workbook'
import { fromGuardedText, writtenTexts } from '../tables/writtenText'

/** Most bytes that the parts of a workbook may unpack to: a small file can hold a very large one. */
const maxUnpackedBytes = 200 * 1024 * 1024
/** Numbers from here on may have lost digits: spreadsheets keep fifteen. */
const inexactFrom = 1e15

/** Columns that hold codes, by their headings in English and Dutch. */
const codeHeading =
  /^(?:track(?:ing)?[ _-]?(?:code|number|nummer|id|no|nr)?|barcodes?|parcel[ _-]?(?:code|id|number)|codes?|waybills?|vrachtbrief(?:nummer)?|awb|box(?:es)?|doos|zending(?:s?nummer)?|pakket(?:code|nummer)?|colli(?:nummer)?)\.?$/i

/**
 * Reads tracking codes from a CSV or XLSX file (told apart by content, not by name): from the first column whose
 * heading says that it holds codes; without such a heading from the first column that holds anything.
 * @param name the file's name, for messages
 * @returns the codes; `codes-file-invalid` when it is no such file
 */
export async function readCodesFile(name: string, content: Buffer): Promise<Result<CodesFile>> {
  if (content.length > maxFileBytes) return err(invalid(name, 'it is larger than 20 MB'))
  const rows = isZip(content) ? await sheetRows(content) : csvRows(content)
  if (!rows.ok) return err(invalid(name, rows.error))
  return ok({ name, ...codesOf(rows.value) })
}

function isZip(content: Buffer): boolean {
  return content.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004'
}

async function sheetRows(content: Buffer): Promise<Result<unknown[][], string>> {
  const sheet = await readFirstSheet(content, maxUnpackedBytes)
  return sheet.ok ? ok(sheet.value.cells) : err(sheet.error.words)
}

function csvRows(content: Buffer): Result<unknown[][], string> {
  const { text } = decodeText(content)
  if (text.includes('\u0000')) return err('it is neither text nor an Excel workbook (.xlsx)')
  const { data } = Papa.parse<string[]>(text, { delimiter: separatorOf(text), skipEmptyLines: false })
  return ok(writtenTexts(data, text))
}

/** The mark that the first line has most of; a file of one column needs none. */
function separatorOf(text: string): string {
  const line = text.split(/\r\n|[\n\r]/, 1)[0] ?? ''
  const count = (mark: string) => line.split(mark).length - 1
  return [';', '\t', ','].reduce((best, mark) => (count(mark) > count(best) ? mark : best), ';')
}

function codesOf(rows: readonly unknown[][]): Omit<CodesFile, 'name'> {
  const [first = [], ...others] = rows
  const named = first.findIndex((cell) => typeof cell === 'string' && codeHeading.test(cell.trim()))
  const column = named === -1 ? firstUsedColumn(rows) : named
  const cells = (named === -1 ? rows : others).map((row) => row[column])
  const inexact = cells.filter((cell) => typeof cell === 'number' && Math.abs(cell) >= inexactFrom).length
  const texts = cells.map(cellText)
  while (texts.at(-1) === '') texts.pop()
  const readable = texts.filter((text) => !isCellError(text))
  return {
    ...listCodes(readable.map(fromGuardedText)),
    column: named === -1 ? null : cellText(first[named]),
    inexact,
    cellErrors: texts.length - readable.length,
  }
}

function firstUsedColumn(rows: readonly unknown[][]): number {
  const used = rows.map((row) => row.findIndex((cell) => cellText(cell) !== '')).filter((at) => at !== -1)
  return used.reduce((least, at) => Math.min(least, at), used[0] ?? 0)
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  if (cell instanceof Date) return cell.toISOString().slice(0, 10)
  // Never 1e+21: a barcode is written out.
  return typeof cell === 'number' && Number.isInteger(cell) ? BigInt(cell).toString() : String(cell).trim()
}

function invalid(name: string, problem: string): AppError {
  return appError('codes-file-invalid', `No codes could be read from ${name}: ${problem}.`, {
    file: name,
    problem,
  })
}
