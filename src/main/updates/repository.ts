import { sql } from 'kysely'
import type { Database } from '../storage/database'
import { openWorkSql } from '../storage/openWork'
import type { OpenWork } from './mayUpdateNow'

/** Counts what an update would interrupt, as the journal knows it. */
export async function countOpenWork(
  database: Database,
): Promise<Pick<OpenWork, 'creating' | 'printing' | 'unknown'>> {
  const { rows } = await sql
    .raw<{ creating: number; printing: number; unknown: number }>(openWorkSql)
    .execute(database)
  const [row] = rows
  return {
    creating: Number(row?.creating ?? 0),
    printing: Number(row?.printing ?? 0),
    unknown: Number(row?.unknown ?? 0),
  }
}
