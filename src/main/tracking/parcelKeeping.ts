import { type Selectable, sql, type Transaction } from 'kysely'
import type { TrackedCode, TrackingEvent } from '../../shared/tracking'
import type { DatabaseSchema } from '../storage/database'
import { readStory, writeStory } from './parcelStory'

interface KnownParcel extends Selectable<DatabaseSchema['parcels']> {
  /** Its timeline as the column holds it; null when there is none. */
  story: string | null
}

interface Keeping {
  language: string
  at: string
  alsoUnwatched: boolean
}

/** Keeps what the service said of codes: of known ones always, of others when `alsoUnwatched`. */
export async function keep(
  transaction: Transaction<DatabaseSchema>,
  tracked: readonly TrackedCode[],
  keeping: Keeping,
): Promise<void> {
  if (tracked.length === 0) return
  const known = await knownParcels(transaction, tracked)
  const lost: string[] = []
  const unchanged: string[] = []
  for (const each of tracked) {
    // The database ends a text there: it would be kept for another parcel.
    if (each.code.includes('\u0000')) continue
    const parcel = known.get(each.code)
    if (parcel === undefined && (!each.found || !keeping.alsoUnwatched)) continue
    if (!saysSomething(each, parcel)) lost.push(each.code)
    else if (!(await keepFound(transaction, each, parcel, keeping))) unchanged.push(each.code)
  }
  const { at } = keeping
  await touch(transaction, lost, { askedAt: at })
  await touch(transaction, unchanged, { askedAt: at, knownAt: at })
}

async function touch(
  transaction: Transaction<DatabaseSchema>,
  codes: readonly string[],
  moments: { askedAt: string; knownAt?: string },
): Promise<void> {
  if (codes.length === 0) return
  await transaction.updateTable('parcels').set(moments).where('code', 'in', codes).execute()
}

async function knownParcels(
  transaction: Transaction<DatabaseSchema>,
  tracked: readonly TrackedCode[],
): Promise<Map<string, KnownParcel>> {
  const codes = tracked.map((each) => each.code)
  const rows = await transaction
    .selectFrom('parcels')
    .leftJoin('parcelEvents', 'parcelEvents.code', 'parcels.code')
    .selectAll('parcels')
    .select('parcelEvents.events as story')
    .where('parcels.code', 'in', sql<string>`(select value from json_each(${JSON.stringify(codes)}))`)
    .execute()
  return new Map(rows.map((row) => [row.code, row]))
}

/** A timeline that was there once is not thrown away because the service has lost sight of the parcel. */
function saysSomething({ found, lastStatus, events }: TrackedCode, parcel: KnownParcel | undefined): boolean {
  return found && (lastStatus !== null || events.length > 0 || parcel?.lastCode == null)
}

/** Gives false when all of it was known already. */
async function keepFound(
  transaction: Transaction<DatabaseSchema>,
  tracked: TrackedCode,
  parcel: KnownParcel | undefined,
  { language, at }: Keeping,
): Promise<boolean> {
  const last = tracked.lastStatus ?? tracked.events[0] ?? null
  const events = tracked.events.length > 0 ? tracked.events : withStatus(eventsOf(parcel), last)
  const story = writeStory({ ...tracked, events })
  const news =
    parcel?.changedAt == null ||
    parcel.lastCode !== (last?.code ?? null) ||
    parcel.lastDateTime !== (last?.dateTime ?? null) ||
    parcel.eventCount !== events.length
  if (!news && parcel.language === language && parcel.story === story) return false
  const columns = {
    found: 1,
    askedAt: at,
    knownAt: at,
    changedAt: news ? changeMoment(parcel, last?.dateTime ?? '', at) : parcel.changedAt,
    language,
    eventCount: events.length,
    lastItemNumber: last?.itemNumber ?? null,
    lastCode: last?.code ?? null,
    lastDescription: last?.description ?? null,
    lastLocation: last?.location ?? null,
    lastDateTime: last?.dateTime ?? null,
  }
  await transaction
    .insertInto('parcels')
    .values({ code: tracked.code, ...columns })
    .onConflict((conflict) => conflict.column('code').doUpdateSet(columns))
    .execute()
  await transaction
    .insertInto('parcelEvents')
    .values({ code: tracked.code, events: story })
    .onConflict((conflict) => conflict.column('code').doUpdateSet({ events: story }))
    .execute()
  return true
}

function eventsOf(parcel: KnownParcel | undefined): TrackingEvent[] {
  return parcel?.story == null ? [] : readStory(parcel.story).events
}

/** The stored events with a status that came without any: an answer may give the newest one only. */
function withStatus(events: readonly TrackingEvent[], last: TrackingEvent | null): TrackingEvent[] {
  const known = events.some(({ code, dateTime }) => code === last?.code && dateTime === last.dateTime)
  if (last === null || known) return [...events]
  return [last, ...events.map((event) => ({ ...event, itemNumber: event.itemNumber + 1 }))]
}

/**
 * When the news came about. What was new when the parcel was seen for the first time may be old by then: the event's
 * own time says so, to the day, which is all that is asked of it (it names no zone). It never goes back: a clock that
 * was wrong for a while must not make every parcel look forgotten when it is right again.
 */
function changeMoment(parcel: KnownParcel | undefined, dateTime: string, at: string): string {
  const before = parcel?.changedAt ?? null
  if (before !== null) return at > before ? at : before
  const written = Date.parse(`${dateTime.replace(' ', 'T')}Z`)
  if (Number.isNaN(written)) return at
  const moment = new Date(written).toISOString()
  if (moment > at) return at
  const shippedAt = parcel?.watchedSince ?? null
  return shippedAt !== null && moment < shippedAt ? shippedAt : moment
}
