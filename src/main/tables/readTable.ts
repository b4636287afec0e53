import { type FileFault, fileFault, maxTableMegabytes, tooLarge } from '../../shared/fileFaults'
import { err, ok, type Result } from '../../shared/result'
import { parseCsv } from '../consignments/sheet/csv'
import type { SheetTable } from '../consignments/sheet/sheetTable'
import { readXlsx } from '../consignments/sheet/xlsx'
import { decodeText } from '../lib/decodeText'
import { isCellError } from './cells'

/** Reads a CSV or XLSX file; what it is shows in its first bytes, whatever its name says. */
export async function readTable(bytes: Uint8Array): Promise<Result<SheetTable, FileFault>> {
  if (bytes.length === 0) return err(fileFault('empty', 'it is empty'))
  if (bytes.length > maxTableMegabytes * 1024 * 1024) return err(tooLarge(maxTableMegabytes))
  const table = startsWith(bytes, [0x50, 0x4b, 0x03, 0x04]) ? await readXlsx(bytes) : readText(bytes)
  if (!table.ok) return table
  if (table.value.rows.length < 2) return err(fileFault('no-lines', 'it has no line under its header row'))
  return table
}

function readText(bytes: Uint8Array): Result<SheetTable, FileFault> {
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])) {
    const words = 'it is in the old XLS format or protected by a password; save it as XLSX or CSV without one'
    return err(fileFault('old-xls', words))
  }
  const { text, encoding } = decodeText(bytes)
  if (encoding !== 'UTF-16' && text.slice(0, 10_000).includes('\0')) {
    return err(fileFault('no-table', 'it is neither CSV nor XLSX'))
  }
  const rows = parseCsv(text)
  if (!rows.ok) return rows
  const notes = { cellErrors: cellErrorsIn(text, rows.value), emptyFormulas: 0, mergedCells: 0 }
  return ok({ kind: 'csv', encoding, rows: rows.value, numeric: null, ...notes })
}

/** Most files have none of the marks that an error begins with, which is seen much quicker than cell by cell. */
function cellErrorsIn(text: string, rows: readonly string[][]): number {
  if (!text.includes('#') && !text.includes('=')) return 0
  let count = 0
  for (const row of rows) for (const cell of row) if (isCellError(cell)) count += 1
  return count
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte)
}
