import Papa from 'papaparse'
import { toGuardedText } from './cells'

/** The header row and the rows under it. */
type TableRows = readonly (readonly (string | number)[])[]

/** A sign before nothing but digits, as in a telephone number: no formula in a cell that is text. */
const signedDigits = /^[+-][\d\s().-]*$/

interface TableLayout {
  /** Name of the only sheet of a workbook. */
  sheet: string
  /** Widths of a workbook's columns in characters. */
  widths?: readonly number[]
}

/** Rows as the content of a file. No cell of it is a formula to a spreadsheet program. */
export async function writeTable(
  rows: TableRows,
  format: 'csv' | 'xlsx',
  layout: TableLayout,
  delimiter?: ',' | ';',
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(
    format === 'csv' ? Buffer.from(toCsvFile(rows, delimiter)) : await toWorkbook(rows, layout),
  )
}

/** Rows as CSV text. No cell of it is a formula to a spreadsheet program. */
export function toCsv(rows: TableRows, delimiter: ',' | ';' | '\t' = ','): string {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell : toGuardedText(cell))))
  return Papa.unparse(texts, { delimiter, newline: '\r\n' })
}

/** Rows as the text of a CSV file, with the mark by which spreadsheet programs know that it is UTF-8. */
export function toCsvFile(rows: TableRows, delimiter?: ',' | ';'): string {
  return `\ufeff${toCsv(rows, delimiter)}\r\n`
}

/** Texts stay texts, so that no code loses its leading zeros; what XML can't hold is left out. */
async function toWorkbook(rows: TableRows, { sheet, widths = [] }: TableLayout): Promise<Buffer> {
  // Many files, which a start does without.
  const { default: writeExcelFile } = await import('write-excel-file/node')
  const [header = [], ...lines] = rows
  const cells = [
    header.map((value) => ({ value: String(value), type: String, fontWeight: 'bold' as const })),
    ...lines.map((line) => line.map(toCell)),
  ]
  const columns = widths.map((width) => ({ width }))
  return writeExcelFile(cells, { sheet, columns, stickyRowsCount: 1 }).toBuffer()
}

function toCell(value: string | number) {
  if (typeof value === 'number') return { value, type: Number }
  return { value: signedDigits.test(value) ? value : toGuardedText(value), type: String }
}
