import { sql } from 'kysely'
import type { Database } from '../storage/database'
import type { OpenWork } from './mayUpdateNow'

/** Counts what an update would interrupt, as the journal knows it. */
export async function countOpenWork(
  database: Database,
): Promise<Pick<OpenWork, 'creating' | 'printing' | 'unknown'>> {
  const { rows } = await sql<{ creating: number; printing: number; unknown: number }>`
    select
      (select count(*) from shipments where state in ('intended', 'sent')) as creating,
      (select count(*) from print_jobs where state in ('sending', 'handed-over')) as printing,
      (select count(*) from shipments where state = 'unknown')
        + (select count(*) from manifest_uploads where state in ('sent', 'unknown'))
        + (select count(*) from pre_alerts where state in ('sent', 'unknown'))
        + (select count(*) from print_jobs where state = 'unconfirmed') as unknown
  `.execute(database)
  const [row] = rows
  return {
    creating: Number(row?.creating ?? 0),
    printing: Number(row?.printing ?? 0),
    unknown: Number(row?.unknown ?? 0),
  }
}
