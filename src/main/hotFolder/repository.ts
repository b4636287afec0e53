import { randomUUID } from 'node:crypto'
import type { Generated } from 'kysely'
import type { Database } from '../storage/database'
import type { OrderFileStore } from './ports'

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

/** Keeps which order files are being worked on. */
export function createOrderFileRepository(database: Database): OrderFileStore {
  const working = async () => {
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
  }
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
    working,
    async finish(id) {
      // Its shipments stay in the journal; of the file itself nothing is asked any more.
      await database.deleteFrom('orderFiles').where('id', '=', id).execute()
    },
  }
}
