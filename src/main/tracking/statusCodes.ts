import { sql } from 'kysely'
import type { SeenStatus, TrackingEvent } from '../../shared/tracking'
import type { Database } from '../storage/database'

/** Most codes in the list: a service with more has put something else into the field. */
const maxListed = 500

/**
 * Notes the status codes of events, as the service described them last.
 * @param noted what was noted in this run: nearly every event says what is known already
 */
export async function noteStatuses(
  database: Database,
  noted: Map<string, string>,
  events: Iterable<Pick<TrackingEvent, 'code' | 'description'>>,
  at: Date,
): Promise<void> {
  const news = new Map<string, string>()
  for (const { code, description } of events) {
    if (code !== '' && noted.get(code) !== description) news.set(code, description)
  }
  if (news.size === 0) return
  // As one value: thousands of codes would be more parameters than a statement may have.
  await sql`
    insert into status_codes (code, description, seen_at)
    select value ->> 0, value ->> 1, ${at.toISOString()} from json_each(${JSON.stringify([...news])}) where true
    on conflict (code) do update set description = excluded.description, seen_at = excluded.seen_at`.execute(
    database,
  )
  for (const [code, description] of news) noted.set(code, description)
}

/** Status codes that the service has used, those that it used last. */
export async function seenStatuses(database: Database): Promise<SeenStatus[]> {
  const rows = await database
    .selectFrom('statusCodes')
    .select(['code', 'description'])
    .orderBy('seenAt', 'desc')
    .orderBy('code')
    .limit(maxListed)
    .execute()
  return rows.sort((one, other) => (one.code < other.code ? -1 : 1))
}
