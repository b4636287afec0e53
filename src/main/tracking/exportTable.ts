import type { BulkRow, ColumnNames } from '../../shared/tracking'
import { toCsv, toCsvFile, writeTable } from '../tables/writeTable'

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

/** The table as CSV for spreadsheets: semicolons, without which they read it wrongly in most of Europe. */
export function csvTable(rows: readonly BulkRow[], names: ColumnNames): string {
  return toCsvFile(tableOf(rows, names), ';')
}

/** The table as text for the clipboard: tabs and line ends, as spreadsheets put it there themselves. */
export function clipboardTable(rows: readonly BulkRow[], names: ColumnNames): string {
  const plain = tableOf(rows, names).map((row) => row.map((cell) => cell.replaceAll(/[\t\r\n]+/g, ' ')))
  return toCsv(plain, '\t')
}

/** The table as an Excel workbook. */
export function xlsxTable(rows: readonly BulkRow[], names: ColumnNames): Promise<Uint8Array<ArrayBuffer>> {
  return writeTable(tableOf(rows, names), 'xlsx', {
    sheet: 'Tracking',
    widths: [24, 10, 12, 44, 22, 20, 10, 22],
  })
}
