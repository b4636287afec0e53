import Papa from 'papaparse'
import writeExcelFile from 'write-excel-file/node'
import type { ManifestRow } from '../../../shared/manifestLine'
import { manifestFields } from '../../../shared/manifestLine'

/** Lines as a CSV file: UTF-8 with the mark by which spreadsheet programs know it. */
export function toCsv(rows: readonly ManifestRow[]): Uint8Array<ArrayBuffer> {
  const text = Papa.unparse({ fields: [...manifestFields], data: [...rows] })
  return new Uint8Array(Buffer.from(`\ufeff${text}\r\n`))
}

/** Lines as an XLSX file. Every cell is text, so that no code loses its leading zeros. */
export async function toXlsx(rows: readonly ManifestRow[]): Promise<Uint8Array<ArrayBuffer>> {
  const header = manifestFields.map((value) => ({ value, type: String, fontWeight: 'bold' as const }))
  const cells = rows.map((row) => row.map((value) => ({ value, type: String })))
  const buffer = await writeExcelFile([header, ...cells], { sheet: 'Manifest' }).toBuffer()
  return new Uint8Array(buffer)
}
