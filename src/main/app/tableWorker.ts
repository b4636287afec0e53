import type { Product } from '../../shared/customs'
import type { ReportFormat } from '../../shared/history'
import type { FileIssue } from '../../shared/inputIssues'
import { ok, type Result } from '../../shared/result'
import type { CodesFile } from '../../shared/tracking'
import { type ReadCatalogue, readCatalogue, writeCatalogue } from '../customs/catalogue'
import { answerCalls } from '../lib/workerPool'
import { makeReportFile, type ReportContent } from '../shipments/reportFile'
import { readTable, type Table } from '../tables/readTable'
import { makeTrackingTable, readCodesFile } from '../tracking/trackingTables'

/** Table tasks that would block the main process, and with it printing, for too long. */
export interface TableCalls {
  readCodes: { input: { name: string; content: Uint8Array }; output: Result<CodesFile> }
  readCatalogue: { input: Uint8Array; output: Result<ReadCatalogue, FileIssue> }
  writeCatalogue: { input: { products: readonly Product[]; kind: 'csv' | 'xlsx' }; output: Uint8Array }
  /** Rows as JSON in transferable parts of some hundred rows, so that main can parse them one part at a time. */
  readRows: { input: Uint8Array; output: Result<{ parts: Uint8Array<ArrayBuffer>[] }, FileIssue> }
  report: { input: { content: ReportContent; format: ReportFormat }; output: Uint8Array }
  makeTrackingTable: { input: Parameters<typeof makeTrackingTable>; output: Uint8Array }
}

// Entry of the table threads, built as a separate file beside the main script.
answerCalls<TableCalls>(
  {
    readCodes: ({ name, content }) => readCodesFile(name, Buffer.from(content)),
    readCatalogue: (content) => readCatalogue(content),
    writeCatalogue: ({ products, kind }) => writeCatalogue(products, kind),
    async readRows(content) {
      const table = await readTable(content)
      return table.ok ? ok({ parts: toParts(table.value) }) : table
    },
    report: ({ content, format }) => makeReportFile(content, format),
    makeTrackingTable: (table) => makeTrackingTable(...table),
  },
  { readRows: (table) => (table.ok ? table.value.parts.map(({ buffer }) => buffer) : []) },
)

const rowsOfPart = 500

function toParts({ rows, lineNumbers, numeric }: Table): Uint8Array<ArrayBuffer>[] {
  const encoder = new TextEncoder()
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (let from = 0; from < rows.length; from += rowsOfPart) {
    const to = from + rowsOfPart
    const part = {
      rows: rows.slice(from, to),
      lineNumbers: lineNumbers.slice(from, to),
      numberPlaces:
        numeric?.slice(from, to).map((line) => [...line.keys()].filter((place) => line[place])) ?? null,
    }
    parts.push(encoder.encode(JSON.stringify(part)))
  }
  return parts
}
