import type {
  ColumnMapping,
  DecimalMark,
  ImportPreview,
  Issue,
  LineEdit,
  LinesPage,
  LinesSummary,
  ManifestRow,
  ManifestTotals,
} from '../../../shared/consignments'
import type { FileIssue } from '../../../shared/inputIssues'
import type { Result } from '../../../shared/result'
import { WorkerPool } from '../../lib/workerPool'
import type { MisreadNumber } from './lineTable'

/** Which air waybill's lines are meant. */
export interface LinesOf {
  manifestId: string
  airWaybillNumber: string
}

/** A file that was read: what the screen shows, and what its header row is recognised by. */
export type ReadFile = Omit<ImportPreview, 'remembered'> & { headerKey: string }

/** Lines that passed the checks, ready to be sent. */
export interface PreparedBody {
  body: Uint8Array<ArrayBuffer>
  sha256: string
  totals: ManifestTotals
}

/** What can be asked of the lines of air waybills, by name: input and output. */
export interface LineCalls {
  open: { input: LinesOf; output: LinesSummary }
  read: { input: LinesOf & { from: number; count: number }; output: LinesPage }
  edit: { input: LinesOf & { edit: LineEdit }; output: LinesSummary }
  undo: { input: LinesOf; output: LinesSummary }
  redo: { input: LinesOf; output: LinesSummary }
  find: {
    input: LinesOf & { text: string; row: number; column: number }
    output: { row: number; column: number } | null
  }
  issues: { input: LinesOf & { offset: number; limit: number }; output: Issue[] }
  /** Reads a file and keeps it. */
  readFile: { input: { fileName: string; bytes: ArrayBuffer }; output: Result<ReadFile, FileIssue> }
  dropFile: { input: { importId: string }; output: undefined }
  /** Takes a file that was read; it stays when its numbers don't have the decimal mark. */
  takeFile: {
    input: LinesOf & { importId: string; mapping: ColumnMapping; decimalMark: DecimalMark; replace: boolean }
    output: Result<{ summary: LinesSummary; headerKey: string }, { kind: 'gone' } | MisreadNumber>
  }
  /** Adds lines; those of parcels that are there already are passed over. */
  add: { input: LinesOf & { rows: ManifestRow[] }; output: { summary: LinesSummary; added: number } }
  /** The body of an upload; null while there are errors. */
  prepare: { input: LinesOf; output: { summary: LinesSummary; prepared: PreparedBody | null } }
  save: { input: LinesOf & { kind: 'csv' | 'xlsx' }; output: Uint8Array<ArrayBuffer> }
  /** Forgets the lines of an air waybill, on the disk too. */
  remove: { input: LinesOf; output: undefined }
  /** Writes everything to the disk that is not there yet; nothing happens by itself afterwards. */
  close: { input: undefined; output: undefined }
}
export type LineCall = keyof LineCalls

/** The lines of all air waybills. They are worked on away from the main thread: see docs/decisions/0006-manifests.md. */
export interface LineWorker {
  call<Name extends LineCall>(name: Name, input: LineCalls[Name]['input']): Promise<LineCalls[Name]['output']>
  /** Writes what is not on the disk yet and ends. */
  close(): Promise<void>
}

/** Told when lines were checked after a change. */
export type OnChecked = (manifestId: string, summary: LinesSummary) => void

/** What the thread reports after a change. */
export interface LinesChecked {
  manifestId: string
  summary: LinesSummary
}

/**
 * The worker in a thread of its own: reading and checking a hundred thousand lines holds up neither the app nor the
 * screen. The thread starts with the first call; one that dies is replaced at the next, and the call under way throws.
 * @param script the built `lines/worker.ts`
 * @param folder absolute path of the folder that holds the lines
 */
export function startLineWorker(script: URL, folder: string, onChecked: OnChecked): LineWorker {
  const pool = new WorkerPool<LineCalls, LinesChecked>({
    script,
    maxThreads: 1,
    survivesErrors: true,
    workerData: { folder },
    onEvent: ({ manifestId, summary }) => onChecked(manifestId, summary),
  })
  return {
    async call(name, input) {
      const answer = await pool.run(name, input)
      if (answer.ok) return answer.value
      throw new Error(answer.error.cause ?? 'The thread that holds the lines of manifests has ended.')
    },
    async close() {
      if (pool.isRunning) await pool.run('close', undefined)
      await pool.close()
    },
  }
}
