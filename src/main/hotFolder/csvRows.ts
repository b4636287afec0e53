import { err, ok, type Result } from '../../shared/result'
import { hasValue, parseCsv } from '../tables/readTable'

/** One row under the header: its values by column name, or why it can't be read. */
export type CsvRow = Result<Record<string, string>, string>

/**
 * Reads CSV text: a header row, then one row per shipment; comma or semicolon, quotes, any line ends. Empty rows and
 * rows of nothing but separators are passed over.
 * @returns the rows in order; a sentence's end when the file as a whole can't be read
 */
export function readCsv(text: string): Result<CsvRow[], string> {
  // Column names hold neither mark, so the header alone decides which one separates.
  const { rows: allRows, openQuote } = parseCsv(text.replace(/\r\n?/g, '\n'), [',', ';'])
  if (openQuote !== undefined) {
    return err(
      `the quotes near line ${openQuote.line} are not closed or stand inside a value; double a quote that is meant`,
    )
  }
  const [header, ...rows] = allRows.filter(hasValue)
  if (header === undefined) return err('it is empty')
  const columns = header.map((name) => name.trim())
  const fault = headerFault(columns)
  return fault === undefined ? ok(rows.map((row) => toRecord(columns, row))) : err(fault)
}

function headerFault(columns: string[]): string | undefined {
  const unnamed = columns.indexOf('')
  if (unnamed !== -1) return `column ${unnamed + 1} of the header row has no name`
  const twice = columns.find((name, index) => columns.indexOf(name) !== index)
  return twice === undefined ? undefined : `the header row names the column «${twice}» twice`
}

function toRecord(columns: string[], row: string[]): CsvRow {
  if (row.length !== columns.length) {
    return err(`the row has ${row.length} values and the header row names ${columns.length} columns`)
  }
  return ok(Object.fromEntries(columns.map((name, index) => [name, row[index] ?? ''])))
}
