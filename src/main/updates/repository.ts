import { sql } from 'kysely'
import type { z } from 'zod'
import type { Database } from '../storage/database'
import { openWorkRow, openWorkSql } from '../storage/openWork'

/** Counts unfinished work in the journal that an update would interrupt. */
export async function countOpenWork(database: Database): Promise<z.infer<typeof openWorkRow>> {
  const { rows } = await sql.raw(openWorkSql).execute(database)
  // An unreadable result is an error: it must not count as no work.
  return openWorkRow.parse(rows[0])
}
