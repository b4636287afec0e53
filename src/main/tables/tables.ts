import { Worker } from 'node:worker_threads'
import { appError } from '../../shared/errors'
import { type FileFault, fileFault } from '../../shared/fileFaults'
import { err, ok, type Result } from '../../shared/result'
import type { BulkRow, CodesFile, ColumnNames } from '../../shared/trackingBulk'
import type { ReadCatalogue } from '../customs/catalogueFile'
import { type TableAnswer, type TableTask, tableAnswerSchema } from './tableTask'

/** Files of tables, read and made without keeping the main process from its work. */
export interface Tables {
  /** See `readCodesFile`. */
  read(name: string, content: Buffer): Promise<Result<CodesFile>>
  /** See `readCatalogue` of the product catalogue. */
  readCatalogue(content: ArrayBuffer): Promise<Result<ReadCatalogue, FileFault>>
  /** See `xlsxTable`. Rejects when the workbook can't be made. */
  xlsx(rows: readonly BulkRow[], names: ColumnNames): Promise<Buffer>
}

const maxTaskMs = 60_000
/** A workbook that needs more than this is no list of codes. */
const maxMemoryMb = 768

/**
 * Does tasks in a thread of their own, one each: what a file holds can at worst end its own thread.
 * @param worker the built worker's file
 */
export function createTables(worker: URL): Tables {
  return {
    async read(name, content) {
      const failure = (problem: string) => {
        const message = `No codes could be read from ${name}: ${problem}.`
        return err(appError('codes-file-invalid', message, { file: name, problem }))
      }
      try {
        const answer = await inThread(worker, { kind: 'read', name, content: new Uint8Array(content) })
        if (answer.kind === 'failed') return err(answer.error)
        return answer.kind === 'codes' ? ok(answer.file) : failure('it gave no codes')
      } catch (error) {
        return failure(error instanceof Error ? error.message : String(error))
      }
    },
    async readCatalogue(content) {
      try {
        const answer = await inThread(worker, { kind: 'catalogue', content: new Uint8Array(content) })
        if (answer.kind === 'products') return ok(answer.catalogue)
        return err(answer.kind === 'unusable' ? answer.fault : tooHard('it gave no products'))
      } catch (error) {
        return err(tooHard(error instanceof Error ? error.message : String(error)))
      }
    },
    async xlsx(rows, names) {
      const answer = await inThread(worker, { kind: 'xlsx', rows: [...rows], names })
      if (answer.kind !== 'bytes') throw new Error('no workbook came back')
      return Buffer.from(answer.bytes)
    },
  }
}

function tooHard(why: string): FileFault {
  return fileFault('too-hard', `it takes too much time or memory (${why}): split it, or save it as CSV`)
}

/** Rejects when the thread ends without an answer: out of memory, out of time, or by a fault of its own. */
async function inThread(file: URL, task: TableTask): Promise<TableAnswer> {
  const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb } })
  const ended = new Promise<never>((_resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('it could not be worked on')))
    setTimeout(() => reject(new Error('it took too long')), maxTaskMs).unref()
  })
  const answered = new Promise<unknown>((resolve) => worker.once('message', resolve))
  worker.postMessage(task)
  try {
    return tableAnswerSchema.parse(await Promise.race([answered, ended]))
  } finally {
    ended.catch(() => undefined)
    await worker.terminate()
  }
}
