import Papa from 'papaparse'
import writeXlsxFile from 'write-excel-file/node'
import type { BulkRow, ColumnNames } from '../../shared/trackingBulk'

/** Rows as texts under their headings, in the order of the screen. */
function tableOf(rows: readonly BulkRow[], names: ColumnNames): string[][] {
  const heading = [
    names.code,
    names.found,
    names.statusCode,
    names.description,
    names.location,
    names.dateTime,
    names.events,
    names.reference,
  ]
  return [
    heading,
    ...rows.map((row) => [
      row.code,
      row.found ? names.yes : names.no,
      row.lastStatus?.code ?? '',
      row.lastStatus?.description ?? '',
      row.lastStatus?.location ?? '',
      row.lastStatus?.dateTime ?? '',
      String(row.eventCount),
      row.shipment?.reference ?? '',
    ]),
  ]
}

/**
 * The table as CSV for spreadsheets: semicolons and a byte order mark, without which they read it wrongly in most of
 * Europe. Cells that a spreadsheet would run as a formula are made text.
 */
export function csvTable(rows: readonly BulkRow[], names: ColumnNames): string {
  return `\uFEFF${Papa.unparse(tableOf(rows, names), { delimiter: ';', newline: '\r\n', escapeFormulae: true })}\r\n`
}

/** The table as text for the clipboard: tabs and line ends, as spreadsheets put it there themselves. */
export function clipboardTable(rows: readonly BulkRow[], names: ColumnNames): string {
  const plain = tableOf(rows, names).map((row) => row.map((cell) => cell.replaceAll(/[\t\r\n]+/g, ' ')))
  return Papa.unparse(plain, { delimiter: '\t', newline: '\r\n', escapeFormulae: true })
}

/** The table as an Excel workbook. Every cell is text, so that no code loses its leading zeros; what XML can't hold is left out. */
export async function xlsxTable(rows: readonly BulkRow[], names: ColumnNames): Promise<Buffer> {
  const [heading = [], ...lines] = tableOf(rows, names)
  const cells = [
    heading.map((value) => ({ value, type: String, fontWeight: 'bold' as const })),
    ...lines.map((line) => line.map((value) => ({ value, type: String }))),
  ]
  const columns = [24, 10, 12, 44, 22, 20, 10, 22].map((width) => ({ width }))
  return writeXlsxFile(cells, { columns, stickyRowsCount: 1 }).toBuffer()
}
