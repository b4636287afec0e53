import { type Selectable, sql, type Transaction } from 'kysely'
import { z } from 'zod'
import { languageSchema } from '../../shared/settings'
import { type TrackedCode, trackedCodeSchema, trackingEventSchema } from '../../shared/tracking'
import { parcelTroubleSchema } from '../../shared/trackingBoard'
import type { ParcelStore, TroubleRules } from '../tracking/ports'
import type { Database } from './database'
import { listParcels, toLastStatus, toParcelShipment, troubleOf } from './parcelQueries'
import type { DatabaseSchema, ParcelsTable } from './schema'

type ParcelRow = Selectable<ParcelsTable>

const storyColumn = z.object({
  events: z.array(trackingEventSchema),
  flights: trackedCodeSchema.shape.flights,
})

/** Keeps parcels, their events and the status codes that were seen in the database. */
export function createParcelRepository(database: Database): ParcelStore {
  /** Statuses noted in this run: nearly every event says what is known already. */
  const noted = new Map<string, string>()
  return {
    async enrol(shipmentId) {
      await enrol(database, shipmentId)
    },
    async underWay(endedCodes) {
      const rows = await database
        .selectFrom('parcels')
        .select('code')
        .where('shipment_id', 'is not', null)
        .where((builder) =>
          builder.or([builder('last_code', 'is', null), builder('last_code', 'not in', [...endedCodes])]),
        )
        .orderBy('watched_since', 'desc')
        .execute()
      return rows.map((row) => row.code)
    },
    keep: (tracked, language, at, { alsoUnwatched }) =>
      database
        .transaction()
        .execute((transaction) =>
          keep(transaction, tracked, { language, at: at.toISOString(), alsoUnwatched }),
        ),
    stored: (code) => stored(database, code),
    async counts() {
      const day = sql<string>`date(watched_since, 'localtime')`
      const rows = await database
        .selectFrom('parcels')
        .select((builder) => [day.as('day'), 'found', 'last_code', builder.fn.countAll<number>().as('count')])
        .where('shipment_id', 'is not', null)
        .groupBy(['day', 'found', 'last_code'])
        .execute()
      return rows.map((row) => ({
        day: row.day,
        found: row.found === 1,
        code: row.last_code,
        count: Number(row.count),
      }))
    },
    async troubles(rules) {
      const counts = { 'not-found': 0, silent: 0, status: 0 }
      for (const { trouble, count } of await countTroubles(database, rules)) counts[trouble] = count
      return counts
    },
    list: (filter, rules, limit, offset) => listParcels(database, filter, rules, limit, offset),
    takeNewTroubles: (rules) =>
      database.transaction().execute((transaction) => takeNewTroubles(transaction, rules)),
    async shipmentsOf(codes) {
      const wanted = sql<{ value: string }>`json_each(${JSON.stringify(codes)})`
      const rows = await database
        .selectFrom(wanted.as('wanted'))
        .innerJoin('parcels', 'parcels.code', 'wanted.value')
        .innerJoin('shipments', 'shipments.id', 'parcels.shipment_id')
        .select(['parcels.code', 'shipments.id', 'shipments.reference', 'shipments.tracking_url'])
        .execute()
      return new Map(rows.map((row) => [row.code, toParcelShipment(row)]))
    },
    async noteStatuses(events, at) {
      const news = new Map<string, string>()
      for (const { code, description } of events) {
        if (code !== '' && noted.get(code) !== description) news.set(code, description)
      }
      if (news.size === 0) return
      for (const [code, description] of news) noted.set(code, description)
      const rows = [...news].map(([code, description]) => ({ code, description, seen_at: at.toISOString() }))
      await database
        .insertInto('status_codes')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('code').doUpdateSet((builder) => ({
            description: builder.ref('excluded.description'),
            seen_at: builder.ref('excluded.seen_at'),
          })),
        )
        .execute()
    },
    seenStatuses: () =>
      database.selectFrom('status_codes').select(['code', 'description']).orderBy('code').execute(),
    async forgetLookups(before) {
      await database
        .deleteFrom('parcels')
        .where('shipment_id', 'is', null)
        .where('asked_at', '<', before.toISOString())
        .execute()
    },
  }
}

/** A barcode is watched once, for the shipment that had it first; one that was looked up before becomes watched. */
async function enrol(database: Database, shipmentId: string | undefined): Promise<void> {
  const which = shipmentId === undefined ? sql`true` : sql`shipments.id = ${shipmentId}`
  await sql`
    insert into parcels (code, shipment_id, watched_since)
    select barcode.value, shipments.id, shipments.taken_at
    from shipments, json_each(shipments.barcodes) as barcode
    where ${which}
      and (shipments.state = 'created' or shipments.settled_verdict = 'exists')
      and barcode.value <> ''
      and not exists (select 1 from parcels where parcels.shipment_id = shipments.id)
    on conflict (code) do update set shipment_id = excluded.shipment_id, watched_since = excluded.watched_since
    where parcels.shipment_id is null`.execute(database)
}

interface Keeping {
  language: string
  at: string
  alsoUnwatched: boolean
}

async function keep(
  transaction: Transaction<DatabaseSchema>,
  tracked: readonly TrackedCode[],
  keeping: Keeping,
): Promise<void> {
  if (tracked.length === 0) return
  const rows = await transaction
    .selectFrom('parcels')
    .selectAll()
    .where(
      'code',
      'in',
      tracked.map((each) => each.code),
    )
    .execute()
  const known = new Map(rows.map((row) => [row.code, row]))
  const missed: string[] = []
  for (const each of tracked) {
    const row = known.get(each.code)
    if (each.found && (row !== undefined || keeping.alsoUnwatched)) {
      await keepFound(transaction, each, row, keeping)
    } else if (row !== undefined) missed.push(each.code)
  }
  // A timeline that was there once is not thrown away because the service has lost sight of the parcel.
  if (missed.length > 0) {
    await transaction
      .updateTable('parcels')
      .set({ asked_at: keeping.at })
      .where('code', 'in', missed)
      .execute()
  }
}

async function keepFound(
  transaction: Transaction<DatabaseSchema>,
  tracked: TrackedCode,
  row: ParcelRow | undefined,
  { language, at }: Keeping,
): Promise<void> {
  const last = tracked.lastStatus ?? tracked.events[0] ?? null
  const news =
    row?.changed_at == null ||
    row.last_code !== (last?.code ?? null) ||
    row.last_date_time !== (last?.dateTime ?? null) ||
    row.event_count !== tracked.events.length
  if (!news && row.language === language) {
    await transaction.updateTable('parcels').set({ asked_at: at }).where('code', '=', tracked.code).execute()
    return
  }
  const columns = {
    found: 1,
    asked_at: at,
    changed_at: news ? changeMoment(row, last?.dateTime ?? '', at) : row.changed_at,
    language,
    event_count: tracked.events.length,
    last_item_number: last?.itemNumber ?? null,
    last_code: last?.code ?? null,
    last_description: last?.description ?? null,
    last_location: last?.location ?? null,
    last_date_time: last?.dateTime ?? null,
  }
  await transaction
    .insertInto('parcels')
    .values({ code: tracked.code, ...columns })
    .onConflict((conflict) => conflict.column('code').doUpdateSet(columns))
    .execute()
  const events = JSON.stringify({ events: tracked.events, flights: tracked.flights })
  await transaction
    .insertInto('parcel_events')
    .values({ code: tracked.code, events })
    .onConflict((conflict) => conflict.column('code').doUpdateSet({ events }))
    .execute()
}

/**
 * When the news came about. What was new when the parcel was seen for the first time may be old by then: the event's
 * own time says so, to the day, which is all that is asked of it (it names no zone).
 */
function changeMoment(row: ParcelRow | undefined, dateTime: string, at: string): string {
  if (row?.changed_at != null) return at
  const written = Date.parse(`${dateTime.replace(' ', 'T')}Z`)
  if (Number.isNaN(written)) return at
  const moment = new Date(written).toISOString()
  if (moment > at) return at
  const shippedAt = row?.watched_since ?? null
  return shippedAt !== null && moment < shippedAt ? shippedAt : moment
}

async function stored(database: Database, code: string) {
  const row = await database
    .selectFrom('parcels')
    .innerJoin('parcel_events', 'parcel_events.code', 'parcels.code')
    .selectAll('parcels')
    .select('parcel_events.events')
    .where('parcels.code', '=', code)
    .executeTakeFirst()
  if (row === undefined || row.asked_at === null) return undefined
  const { events, flights } = storyColumn.parse(JSON.parse(row.events))
  return {
    tracked: {
      code: row.code,
      found: true,
      lastStatus: toLastStatus(row),
      events,
      ...(flights !== undefined && { flights }),
    },
    askedAt: row.asked_at,
    language: languageSchema.parse(row.language),
  }
}

async function countTroubles(database: Database, rules: TroubleRules) {
  const rows = await database
    .selectFrom('parcels')
    .select((builder) => [troubleOf(rules).as('trouble'), builder.fn.countAll<number>().as('count')])
    .where('shipment_id', 'is not', null)
    .groupBy('trouble')
    .execute()
  return rows.flatMap((row) =>
    row.trouble === null
      ? []
      : [{ trouble: parcelTroubleSchema.parse(row.trouble), count: Number(row.count) }],
  )
}

async function takeNewTroubles(transaction: Transaction<DatabaseSchema>, rules: TroubleRules) {
  const trouble = troubleOf(rules)
  const rows = await transaction
    .selectFrom('parcels')
    .innerJoin('shipments', 'shipments.id', 'parcels.shipment_id')
    .select(['parcels.code', 'shipments.reference', trouble.as('trouble')])
    .where(sql<boolean>`${trouble} is not null and told is not ${trouble}`)
    .orderBy('shipments.number', 'desc')
    .execute()
  await transaction
    .updateTable('parcels')
    .set({ told: trouble })
    .where('shipment_id', 'is not', null)
    .where(sql<boolean>`told is not ${trouble}`)
    .execute()
  return rows.map((row) => ({
    code: row.code,
    reference: row.reference,
    trouble: parcelTroubleSchema.parse(row.trouble),
  }))
}
