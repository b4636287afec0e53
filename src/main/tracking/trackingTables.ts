import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { BulkRow, CodesFile, ColumnNames } from '../../shared/tracking'
import { clipboardTable, csvTable } from './exportTable'

/** The operator's files and clipboard, as tracking needs them. */
export interface TrackingTablesDeps {
  /** `readCodesFile` and `xlsxTable`, away from the main thread. */
  tables: {
    read(name: string, content: Buffer): Promise<Result<CodesFile>>
    /** Rejects when the workbook can't be made. */
    xlsx(rows: readonly BulkRow[], names: ColumnNames): Promise<Buffer>
  }
  /** Lets the operator choose a file to read: its absolute path, null for none. */
  chooseFile(): Promise<string | null>
  /** Lets the operator say where a file is to be saved: its absolute path, null for nowhere. */
  chooseSavePath(suggestedName: string): Promise<string | null>
  readFile(path: string): Promise<Buffer>
  writeFile(path: string, content: string | Buffer): Promise<void>
  copyText(text: string): void
  now(): Date
}

/** Tables of codes in and out of the app. */
export interface TrackingTables {
  choose(): Promise<Result<CodesFile | null>>
  read(name: string, content: ArrayBuffer): Promise<Result<CodesFile>>
  save(rows: readonly BulkRow[], names: ColumnNames, format: 'csv' | 'xlsx'): Promise<Result<string | null>>
  copy(rows: readonly BulkRow[], names: ColumnNames): void
}

export function createTrackingTables(deps: TrackingTablesDeps): TrackingTables {
  return {
    async choose() {
      const path = await deps.chooseFile()
      if (path === null) return ok(null)
      const name = path.split(/[\\/]/).at(-1) ?? path
      try {
        return await deps.tables.read(name, await deps.readFile(path))
      } catch (error) {
        const problem = reasonOf(error)
        return err(appError('codes-file-invalid', { file: name, problem }))
      }
    },
    read: (name, content) => deps.tables.read(name, Buffer.from(content)),
    async save(rows, names, format) {
      const day = deps.now().toISOString().slice(0, 10)
      const path = await deps.chooseSavePath(`tracking-${day}.${format}`)
      if (path === null) return ok(null)
      try {
        await deps.writeFile(
          path,
          format === 'csv' ? csvTable(rows, names) : await deps.tables.xlsx(rows, names),
        )
        return ok(path)
      } catch (error) {
        const reason = reasonOf(error)
        return err(appError('export-not-saved', { path, reason }))
      }
    },
    copy(rows, names) {
      deps.copyText(clipboardTable(rows, names))
    },
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
