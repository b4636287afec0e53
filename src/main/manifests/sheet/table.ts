import { err, ok, type Result } from '../../../shared/result'
import { decodeFile, parseCsv } from './csv'
import type { SheetTable } from './sheetTable'
import { readXlsx } from './xlsx'

/** Largest file that is read, in bytes. */
const largestFile = 100 * 1024 * 1024

/**
 * Reads a CSV or XLSX file; what it is shows in its first bytes, whatever its name says.
 * @returns a sentence's end when it can't be read
 */
export async function readTable(bytes: Uint8Array): Promise<Result<SheetTable, string>> {
  if (bytes.length > largestFile) return err('it is larger than 100 MB')
  const table = startsWith(bytes, [0x50, 0x4b, 0x03, 0x04]) ? await readXlsx(bytes) : readText(bytes)
  if (!table.ok) return table
  if (table.value.rows.length < 2) return err('it has no line under its header row')
  return table
}

function readText(bytes: Uint8Array): Result<SheetTable, string> {
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])) {
    return err('it is in the old XLS format or protected by a password; save it as XLSX or CSV without one')
  }
  const { text, encoding } = decodeFile(bytes)
  if (encoding !== 'UTF-16' && text.slice(0, 10_000).includes('\0')) return err('it is neither CSV nor XLSX')
  const rows = parseCsv(text)
  if (!rows.ok) return rows
  return ok({ kind: 'csv', encoding, rows: rows.value, numeric: null, cellErrors: 0, mergedCells: 0 })
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte)
}
