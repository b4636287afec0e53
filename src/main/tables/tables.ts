import { appError } from '../../shared/errors'
import { type FileFault, fileFault } from '../../shared/fileFaults'
import { err, type Result } from '../../shared/result'
import type { BulkRow, CodesFile, ColumnNames } from '../../shared/tracking'
import type { ReadCatalogue } from '../customs/catalogueFile'
import { type WorkerFailure, WorkerPool } from '../lib/workerPool'
import type { TableCalls } from './tableWorker'

/** Files of tables, read and made without keeping the main process from its work. */
export interface Tables {
  /** See `readCodesFile`. */
  read(name: string, content: Buffer): Promise<Result<CodesFile>>
  /** See `readCatalogue` of the product catalogue. */
  readCatalogue(content: ArrayBuffer): Promise<Result<ReadCatalogue, FileFault>>
  /** See `xlsxTable`. Rejects when the workbook can't be made. */
  xlsx(rows: readonly BulkRow[], names: ColumnNames): Promise<Buffer>
}

/** A workbook that needs more than this is no list of codes. */
const limits = { maxThreads: 2, maxHeapMb: 768, maxTaskMs: 60_000 }

/**
 * Does each task in a thread of its own: what a file holds can at worst end that, and nothing of it stays in memory.
 * @param script the built `tableWorker.ts`
 */
export function createTables(script: URL): Tables {
  const pool = new WorkerPool<TableCalls>({ ...limits, script, isThreadPerCall: true })
  return {
    async read(name, content) {
      const answer = await pool.run('readCodes', { name, content: new Uint8Array(content) })
      if (answer.ok) return answer.value
      const problem = toReason(answer.error)
      const message = `No codes could be read from ${name}: ${problem}.`
      return err(appError('codes-file-invalid', message, { file: name, problem }))
    },
    async readCatalogue(content) {
      const answer = await pool.run('readCatalogue', new Uint8Array(content))
      return answer.ok ? answer.value : err(tooHard(toReason(answer.error)))
    },
    async xlsx(rows, names) {
      const answer = await pool.run('xlsx', { rows, names })
      if (!answer.ok) throw new Error(toReason(answer.error))
      return Buffer.from(answer.value)
    },
  }
}

function toReason({ kind, cause }: WorkerFailure): string {
  return cause ?? (kind === 'timed-out' ? 'it took too long' : 'it could not be worked on')
}

function tooHard(why: string): FileFault {
  return fileFault('too-hard', `it takes too much time or memory (${why}): split it, or save it as CSV`)
}
