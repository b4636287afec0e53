import { z } from 'zod'
import type { Product } from '../../shared/customs'
import { appError } from '../../shared/errors'
import type { ReportFormat } from '../../shared/history'
import { type FileIssue, fileIssue } from '../../shared/inputIssues'
import { err, ok, type Result } from '../../shared/result'
import type { CodesFile } from '../../shared/tracking'
import type { ReadCatalogue } from '../customs/catalogue'
import { createPacer } from '../lib/async'
import { type WorkerFailure, WorkerPool } from '../lib/workerPool'
import type { ReportContent } from '../shipments/reportFile'
import type { NumberedRows } from '../tables/readTable'
import type { makeTrackingTable } from '../tracking/trackingTables'
import type { TableCalls } from './tableWorker'

/** Far above what a real list of codes or orders needs. */
const limits = { maxThreads: 2, maxHeapMb: 768, maxTaskMs: 60_000 }

/** Reads and writes table files outside the main thread. */
export type Tables = ReturnType<typeof createTables>

/**
 * Runs each task in a new thread: a malicious file can at worst crash that thread, and its memory is freed afterwards.
 * @param script the built `tableWorker.ts`
 */
export function createTables(script: URL) {
  const pool = new WorkerPool<TableCalls>({ ...limits, script, isThreadPerCall: true })
  return {
    /** See `readCodesFile`. */
    async read(name: string, content: Buffer): Promise<Result<CodesFile>> {
      const answer = await pool.run('readCodes', { name, content: new Uint8Array(content) })
      if (answer.ok) return answer.value
      const problem = describeFailure(answer.error)
      return err(appError('codes-file-invalid', { file: name, problem }))
    },
    /** See `readCatalogue` of the product catalogue. */
    async readCatalogue(content: ArrayBuffer): Promise<Result<ReadCatalogue, FileIssue>> {
      const answer = await pool.run('readCatalogue', new Uint8Array(content))
      return answer.ok ? answer.value : err(fileIssue('too-hard'))
    },
    /** See `writeCatalogue` of the product catalogue. Rejects when the file can't be made. */
    async writeCatalogue(products: readonly Product[], kind: 'csv' | 'xlsx'): Promise<Uint8Array> {
      return getOrThrow(await pool.run('writeCatalogue', { products, kind }))
    },
    /** The rows of a table, the header row first; see `readTable`. */
    async readRows(content: Uint8Array): Promise<Result<NumberedRows, FileIssue>> {
      const answer = await pool.run('readRows', content)
      if (!answer.ok) return err(fileIssue('too-hard'))
      return answer.value.ok ? ok(await readParts(answer.value.value.parts)) : answer.value
    },
    /** See `makeReportFile`. Rejects when the file can't be made. */
    async makeReport(content: ReportContent, format: ReportFormat): Promise<Uint8Array> {
      return getOrThrow(await pool.run('report', { content, format }))
    },
    /** See `makeTrackingTable`. Rejects when the file can't be made. */
    async makeTrackingTable(...table: Parameters<typeof makeTrackingTable>): Promise<Uint8Array> {
      return getOrThrow(await pool.run('makeTrackingTable', table))
    },
  }
}

const partSchema = z.object({
  rows: z.array(z.array(z.string())),
  lineNumbers: z.array(z.int()),
  /** The columns that contain a number, from 0: a flag for each of thousands of empty cells would take longer to parse. */
  numberPlaces: z.array(z.array(z.int())).nullable(),
})

function toFlags(places: readonly number[]): boolean[] {
  const flags: boolean[] = []
  for (const place of places) flags[place] = true
  return flags
}

/** Parses the parts with pauses: receiving 100,000 rows in one message would block main. */
async function readParts(parts: readonly Uint8Array[]): Promise<NumberedRows> {
  const decoder = new TextDecoder()
  const pace = createPacer()
  const whole: NumberedRows = { rows: [], lineNumbers: [], numeric: null }
  for (const bytes of parts) {
    const part = partSchema.parse(JSON.parse(decoder.decode(bytes)))
    whole.rows.push(...part.rows)
    whole.lineNumbers.push(...part.lineNumbers)
    if (part.numberPlaces !== null) {
      whole.numeric ??= []
      whole.numeric.push(...part.numberPlaces.map(toFlags))
    }
    await pace()
  }
  return whole
}

function getOrThrow<Value>(answer: Result<Value, WorkerFailure>): Value {
  if (!answer.ok) throw new Error(describeFailure(answer.error))
  return answer.value
}

function describeFailure({ kind, cause }: WorkerFailure): string {
  return cause ?? (kind === 'timed-out' ? 'it took too long' : 'it could not be worked on')
}
