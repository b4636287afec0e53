import { unzipSync } from 'fflate'
import readExcelFile from 'read-excel-file/node'
import { err, ok, type Result } from '../../../shared/result'
import type { SheetTable } from './sheetTable'

/**
 * Reads the first sheet of an XLSX file. Cells give what the spreadsheet shows as value: formulas their last result,
 * dates as YYYY-MM-DD, numbers as decimal text with a point.
 */
export async function readXlsx(bytes: Uint8Array): Promise<Result<SheetTable, string>> {
  try {
    const sheets = await readExcelFile(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    const data = sheets[0]?.data ?? []
    const numeric: boolean[][] = []
    const rows: string[][] = []
    let cellErrors = 0
    for (const cells of data) {
      const row = cells.map(cellText)
      if (row.every((text) => text.trim() === '')) continue
      rows.push(row)
      numeric.push(cells.map((cell) => typeof cell === 'number'))
      cellErrors += row.filter((text) =>
        /^#(?:REF!|N\/A|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!)$/.test(text),
      ).length
    }
    return ok({ kind: 'xlsx', encoding: null, rows, numeric, cellErrors, mergedCells: mergedCellsIn(bytes) })
  } catch (error) {
    return err(
      `it is no XLSX file that can be read (${error instanceof Error ? error.message : String(error)})`,
    )
  }
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

/** How many blocks of cells are merged: only the first cell of each has the value. */
function mergedCellsIn(bytes: Uint8Array): number {
  const sheets = unzipSync(bytes, { filter: ({ name }) => /^xl\/worksheets\/sheet1\.xml$/.test(name) })
  const sheet = sheets['xl/worksheets/sheet1.xml']
  if (sheet === undefined) return 0
  // Merged blocks are listed after the cells.
  const tail = Buffer.from(sheet.subarray(Math.max(0, sheet.length - 512 * 1024))).toString('latin1')
  return tail.split('<mergeCell ').length - 1
}
