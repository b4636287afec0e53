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

/** Identifies the lines of an air waybill. */
export interface LinesKey {
  manifestId: string
  airWaybillNumber: string
}

/** A file that was read: its preview, and the key by which its header row is recognised. */
export type ReadFile = Omit<ImportPreview, 'remembered'> & { headerKey: string }

/** The upload body of lines without errors. */
export interface PreparedBody {
  body: Uint8Array<ArrayBuffer>
  sha256: string
  totals: ManifestTotals
}

/** The manifest has no room for the new lines; nothing changed. */
export interface TooManyLines {
  kind: 'too-many-lines'
}

/** Input and output of the worker's calls. */
export interface LineCalls {
  open: { input: LinesKey; output: LinesSummary }
  read: { input: LinesKey & { from: number; count: number }; output: LinesPage }
  edit: { input: LinesKey & { edit: LineEdit }; output: Result<LinesSummary, TooManyLines> }
  undo: { input: LinesKey; output: LinesSummary }
  redo: { input: LinesKey; output: LinesSummary }
  find: {
    input: LinesKey & { text: string; row: number; column: number }
    output: { row: number; column: number } | null
  }
  issues: { input: LinesKey & { offset: number; limit: number }; output: Issue[] }
  /** Reads a file and keeps its content for `takeFile`. */
  readFile: { input: { fileName: string; bytes: ArrayBuffer }; output: Result<ReadFile, FileIssue> }
  dropFile: { input: { importId: string }; output: undefined }
  /** Imports a file that was read. A file that is refused stays readable, for another decimal mark or to replace all lines. */
  takeFile: {
    input: LinesKey & { importId: string; mapping: ColumnMapping; decimalMark: DecimalMark; replace: boolean }
    output: Result<
      { summary: LinesSummary; headerKey: string },
      { kind: 'gone' } | TooManyLines | MisreadNumber
    >
  }
  /** Adds the lines of each shipment; skips parcels that the lines already contain. */
  add: {
    input: LinesKey & { shipments: ManifestRow[][] }
    output: Result<{ summary: LinesSummary; added: number }, TooManyLines>
  }
  /** The upload body; null while there are errors or no lines. */
  prepare: { input: LinesKey; output: { summary: LinesSummary; prepared: PreparedBody | null } }
  /** Whether the lines are those of the body with this SHA-256. */
  areSent: { input: LinesKey & { sha256: string }; output: boolean }
  /**
   * Those of some parcels that the lines contain, in whatever spelling, with their ids as the lines have them; and the number of
   * lines. Leaves an air waybill that is not open closed.
   */
  findParcels: {
    input: Pick<LinesKey, 'manifestId'> & { parcelIds: string[] }
    output: { lines: number; found: ReadonlyMap<string, string> }
  }
  save: { input: LinesKey & { kind: 'csv' | 'xlsx' }; output: Uint8Array<ArrayBuffer> }
  /** Deletes the lines of an air waybill, on disk as well; returns the summary of no lines. */
  remove: { input: LinesKey; output: LinesSummary }
  /**
   * The same, but only if there are no lines, or they are those of the body with this SHA-256; returns null if they stay. Leaves an
   * air waybill that is not open closed.
   */
  removeSent: { input: LinesKey & { sha256: string | null }; output: LinesSummary | null }
  /** Writes all unsaved lines to disk, and cancels pending checks and writes. */
  close: { input: undefined; output: undefined }
}
export type LineCall = keyof LineCalls

/** The lines of all air waybills, processed outside the main thread: see docs/decisions/0006-manifests.md. */
export interface LineWorker {
  call<Name extends LineCall>(name: Name, input: LineCalls[Name]['input']): Promise<LineCalls[Name]['output']>
  /** Writes unsaved lines to disk and ends the worker; rejects after that if some could not be written. */
  close(): Promise<void>
}

/** Called when lines were checked after a change, and when they can't be written to the disk or can again. */
export type OnChecked = (manifestId: string, summary: LinesSummary) => void

/** Event of the thread after a change was checked. */
export interface LinesChecked {
  manifestId: string
  summary: LinesSummary
}

/**
 * Starts the worker in a separate thread, so that reading and checking a hundred thousand lines blocks neither the app nor the
 * screen. The thread starts with the first call. When it dies, the current call throws and the next call starts a new thread.
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
  const call: LineWorker['call'] = async (name, input) => {
    const answer = await pool.run(name, input)
    if (answer.ok) return answer.value
    throw new Error(answer.error.cause ?? 'The thread of the manifest lines exited.')
  }
  return {
    call,
    async close() {
      try {
        if (pool.isRunning) await call('close', undefined)
      } finally {
        await pool.close()
      }
    },
  }
}
