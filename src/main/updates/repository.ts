import { sql } from 'kysely'
import type { z } from 'zod'
import type { Database } from '../storage/database'
import { openWorkRow, openWorkSql } from '../storage/openWork'

/** Counts what an update would interrupt, as the journal knows it. */
export async function countOpenWork(database: Database): Promise<z.infer<typeof openWorkRow>> {
  const { rows } = await sql.raw(openWorkSql).execute(database)
  // What can't be read is an error: it must not count as nothing.
  return openWorkRow.parse(rows[0])
}
