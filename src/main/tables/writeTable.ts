import Papa from 'papaparse'
import { toGuardedCsvText, toGuardedText } from './cells'

/** The header row and the rows below it. */
type TableRows = readonly (readonly (string | number)[])[]

/** A sign and digits, as in a telephone number: no formula in a text cell. */
const signedDigits = /^[+-][\d\s().-]*$/

interface TableLayout {
  /** Name of the only sheet of a workbook. */
  sheet: string
  /** Widths of a workbook's columns in characters. */
  widths?: readonly number[]
}

/** Writes rows as a file. Spreadsheet programs read no cell as a formula. */
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

/** Writes rows as CSV text, or with tabs for the clipboard. Spreadsheet programs read no cell as a formula. */
export function toCsv(rows: TableRows, delimiter: ',' | ';' | '\t' = ','): string {
  const toText = delimiter === '\t' ? toGuardedText : toGuardedCsvText
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell : toText(cell))))
  return Papa.unparse(texts, { delimiter, newline: '\r\n' })
}

/** `toCsv` with a byte order mark, by which spreadsheet programs recognize UTF-8. */
export function toCsvFile(rows: TableRows, delimiter?: ',' | ';'): string {
  return `\ufeff${toCsv(rows, delimiter)}\r\n`
}

/** Writes texts as text cells, so that codes keep their leading zeros; omits characters that XML can't contain. */
async function toWorkbook(rows: TableRows, { sheet, widths = [] }: TableLayout): Promise<Buffer> {
  // Imported on demand: loading its many files would slow down the start.
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
