import type { FileFault } from '../../../shared/fileFaults'
import { ok, type Result } from '../../../shared/result'
import { readFirstSheet } from '../../tables/workbook'
import type { SheetTable } from './sheetTable'

/** Enough for the most lines of a manifest; the reader takes no longer text. */
const maxUnpackedBytes = 500 * 1024 * 1024

/**
 * Reads the first sheet of an XLSX file. Cells give what the spreadsheet shows as value: formulas their last result,
 * dates as YYYY-MM-DD, numbers as decimal text with a point.
 */
export async function readXlsx(bytes: Uint8Array): Promise<Result<SheetTable, FileFault>> {
  const sheet = await readFirstSheet(bytes, maxUnpackedBytes)
  if (!sheet.ok) return sheet
  const { cells, ...notes } = sheet.value
  const numeric: boolean[][] = []
  const rows: string[][] = []
  for (const line of cells) {
    const row = line.map(cellText)
    if (row.every((text) => text.trim() === '')) continue
    rows.push(row)
    numeric.push(line.map((cell) => typeof cell === 'number'))
  }
  return ok({ kind: 'xlsx', encoding: null, rows, numeric, ...notes })
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  if (cell instanceof Date) return dateText(cell)
  return typeof cell === 'number' ? numberText(cell) : String(cell)
}

/** The reader gives dates as midnight UTC, so nothing slips over a day. */
function dateText(date: Date): string {
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ')
}

/** A number without an exponent, and without the last digits of its binary form. */
function numberText(value: number): string {
  const short = String(Number(value.toPrecision(15)))
  return /e/i.test(short) ? value.toFixed(Math.abs(value) < 1 ? 10 : 0) : short
}
