import Papa from 'papaparse'
import writeExcelFile from 'write-excel-file/node'
import { toGuardedText } from './writtenText'

/** The header row and the rows under it. */
export type TableRows = readonly (readonly (string | number)[])[]

/** A sign before nothing but digits, as in a telephone number: no formula in a cell that is text. */
const signedDigits = /^[+-][\d\s().-]*$/

/** Rows as CSV text. No cell of it is a formula to a spreadsheet program. */
export function writeCsv(rows: TableRows, delimiter: ',' | ';' | '\t' = ','): string {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell : toGuardedText(cell))))
  return Papa.unparse(texts, { delimiter, newline: '\r\n' })
}

/** Rows as the text of a CSV file, with the mark by which spreadsheet programs know that it is UTF-8. */
export function writeCsvFile(rows: TableRows, delimiter?: ',' | ';'): string {
  return `\ufeff${writeCsv(rows, delimiter)}\r\n`
}

/**
 * Rows as an XLSX file. Texts stay texts, so that no code loses its leading zeros, and none is a formula; what XML can't
 * hold is left out.
 * @param columns widths in characters
 */
export async function writeXlsxFile(
  rows: TableRows,
  { sheet, widths = [] }: { sheet: string; widths?: readonly number[] },
): Promise<Uint8Array<ArrayBuffer>> {
  const [header = [], ...lines] = rows
  const cells = [
    header.map((value) => ({ value: String(value), type: String, fontWeight: 'bold' as const })),
    ...lines.map((line) => line.map(toCell)),
  ]
  const columns = widths.map((width) => ({ width }))
  return new Uint8Array(await writeExcelFile(cells, { sheet, columns, stickyRowsCount: 1 }).toBuffer())
}

function toCell(value: string | number) {
  if (typeof value === 'number') return { value, type: Number }
  return { value: signedDigits.test(value) ? value : toGuardedText(value), type: String }
}
