import { randomUUID } from 'node:crypto'
import type { Generated } from 'kysely'
import type { Database } from '../storage/database'

declare module '../storage/database' {
  interface DatabaseSchema {
    orderFiles: {
      number: Generated<number>
      id: string
      name: string
      takenAt: string
      state: string
      contentSha256: string | null
    }
  }
}

/** An order file that was taken and whose result is not delivered yet. */
export interface OrderFileRow {
  id: string
  /** As it was in `in/`, with its extension. */
  name: string
  takenAt: Date
  /** Digest of what it held when it was read for the first time; null before that. */
  sha256: string | null
}

/** Where taken order files are remembered. Every call is durable when its promise resolves. */
export interface OrderFileRepository {
  /**
   * Notes a file before it is moved to `work/`, so that none lies there without a note. Replaces an older note of that
   * name: its file is not in `work/` any more, and what was created of it stays in the journal.
   */
  begin(name: string, takenAt: Date): Promise<OrderFileRow>
  /** Notes what a file holds before anything of it is sent. */
  noteContent(id: string, sha256: string): Promise<void>
  /** Files that were begun and not finished, oldest first; at most one of a name. */
  listWorking(): Promise<OrderFileRow[]>
  /** Its shipments stay in the journal; of the file itself nothing is asked any more. */
  finish(id: string): Promise<void>
}

/** Keeps which order files are being worked on. */
export function createOrderFileRepository(database: Database): OrderFileRepository {
  return {
    async begin(name, takenAt) {
      const id = randomUUID()
      await database
        .insertInto('orderFiles')
        // The index `one_working_file_per_name` names the older note.
        .orReplace()
        .values({ id, name, takenAt: takenAt.toISOString(), state: 'working' })
        .execute()
      return { id, name, takenAt, sha256: null }
    },
    async noteContent(id, sha256) {
      await database.updateTable('orderFiles').set({ contentSha256: sha256 }).where('id', '=', id).execute()
    },
    async listWorking() {
      const rows = await database
        .selectFrom('orderFiles')
        .select(['id', 'name', 'takenAt', 'contentSha256'])
        .where('state', '=', 'working')
        .orderBy('number')
        .execute()
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        takenAt: new Date(row.takenAt),
        sha256: row.contentSha256,
      }))
    },
    async finish(id) {
      await database.deleteFrom('orderFiles').where('id', '=', id).execute()
    },
  }
}
