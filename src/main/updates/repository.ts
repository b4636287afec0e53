import { sql } from 'kysely'
import type { Database } from '../storage/database'
import { openWorkRow, openWorkSql } from '../storage/openWork'
import type { OpenWork } from './mayUpdateNow'

/** Counts what an update would interrupt, as the journal knows it. */
export async function countOpenWork(
  database: Database,
): Promise<Pick<OpenWork, 'creating' | 'printing' | 'unknown'>> {
  const { rows } = await sql.raw(openWorkSql).execute(database)
  // What can't be read is an error: it must not count as nothing.
  return openWorkRow.parse(rows[0])
}
