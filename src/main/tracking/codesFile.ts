import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { type CodesFile, listCodes, maxFileMegabytes } from '../../shared/tracking'
import { fromGuardedText, isCellError } from '../tables/cells'
import { readTable, type Table, type TableLimits } from '../tables/readTable'

const limits: TableLimits = {
  maxMegabytes: maxFileMegabytes,
  maxUnpackedMegabytes: 200,
  hasHeader: false,
}
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
  const table = await readTable(content, limits)
  return table.ok ? ok({ name, ...codesOf(table.value) }) : err(invalid(name, table.error.words))
}

function codesOf({ rows, numeric }: Table): Omit<CodesFile, 'name'> {
  const [first = []] = rows
  const named = first.findIndex((cell) => codeHeading.test(cell.trim()))
  const column = named === -1 ? firstUsedColumn(rows) : named
  const from = named === -1 ? 0 : 1
  const texts = rows.slice(from).map((row) => (row[column] ?? '').trim())
  const inexact = texts.filter(
    (text, index) => numeric?.[index + from]?.[column] === true && Math.abs(Number(text)) >= inexactFrom,
  ).length
  while (texts.at(-1) === '') texts.pop()
  const readable = texts.filter((text) => !isCellError(text))
  return {
    ...listCodes(readable.map(fromGuardedText)),
    column: named === -1 ? null : (first[named] ?? '').trim(),
    inexact,
    cellErrors: texts.length - readable.length,
  }
}

function firstUsedColumn(rows: readonly string[][]): number {
  const used = rows.map((row) => row.findIndex((cell) => cell.trim() !== '')).filter((at) => at !== -1)
  return used.reduce((least, at) => Math.min(least, at), used[0] ?? 0)
}

function invalid(name: string, problem: string): AppError {
  return appError('codes-file-invalid', {
    file: name,
    problem,
  })
}
