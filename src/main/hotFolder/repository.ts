import { randomUUID } from 'node:crypto'
import type { Database } from '../storage/database'
import type { OrderFileStore } from './ports'

/** Keeps which order files are being worked on. */
export function createOrderFileRepository(database: Database): OrderFileStore {
  const working = async () => {
    const rows = await database
      .selectFrom('order_files')
      .select(['id', 'name', 'taken_at', 'content_sha256'])
      .where('state', '=', 'working')
      .orderBy('number')
      .execute()
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      takenAt: new Date(row.taken_at),
      sha256: row.content_sha256,
    }))
  }
  return {
    async begin(name, takenAt) {
      const id = randomUUID()
      await database
        .insertInto('order_files')
        // The index `one_working_file_per_name` names the older note.
        .orReplace()
        .values({ id, name, taken_at: takenAt.toISOString(), state: 'working' })
        .execute()
      return { id, name, takenAt, sha256: null }
    },
    async noteContent(id, sha256) {
      await database.updateTable('order_files').set({ content_sha256: sha256 }).where('id', '=', id).execute()
    },
    working,
    async finish(id) {
      // Its shipments stay in the journal; of the file itself nothing is asked any more.
      await database.deleteFrom('order_files').where('id', '=', id).execute()
    },
  }
}
