import { type Generated, sql, type Transaction } from 'kysely'
import { languageSchema } from '../../shared/fields'
import { parcelTroubleSchema } from '../../shared/tracking'
import type { Database, DatabaseSchema } from '../storage/database'
import { keep } from './parcelKeeping'
import { listParcels, toLastStatus, toParcelShipment, troubleOf } from './parcelQueries'
import { readStory } from './parcelStory'
import type { ParcelStore, TroubleRules } from './ports'
import { noteStatuses, seenStatuses } from './statusCodes'

declare module '../storage/database' {
  interface DatabaseSchema {
    parcels: {
      code: string
      shipmentId: string | null
      watchedSince: string | null
      found: Generated<number>
      askedAt: string | null
      /** When the service last confirmed the timeline that is stored. */
      knownAt: string | null
      changedAt: string | null
      language: string | null
      eventCount: Generated<number>
      lastItemNumber: number | null
      lastCode: string | null
      lastDescription: string | null
      lastLocation: string | null
      lastDateTime: string | null
      told: string | null
    }
    parcelEvents: {
      code: string
      events: string
    }
    statusCodes: {
      code: string
      description: string
      seenAt: string
    }
  }
}

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
        .where('shipmentId', 'is not', null)
        .where((builder) =>
          builder.or([builder('lastCode', 'is', null), builder('lastCode', 'not in', [...endedCodes])]),
        )
        .orderBy('watchedSince', 'desc')
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
        .select((builder) => [day.as('day'), 'found', 'lastCode', builder.fn.countAll<number>().as('count')])
        .where('shipmentId', 'is not', null)
        .groupBy(['day', 'found', 'lastCode'])
        .execute()
      return rows.map((row) => ({
        day: row.day,
        found: row.found === 1,
        code: row.lastCode,
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
        .innerJoin('shipments', 'shipments.id', 'parcels.shipmentId')
        .select(['parcels.code', 'shipments.id', 'shipments.reference', 'shipments.trackingUrl'])
        .execute()
      return new Map(rows.map((row) => [row.code, toParcelShipment(row)]))
    },
    noteStatuses: (events, at) => noteStatuses(database, noted, events, at),
    seenStatuses: () => seenStatuses(database),
    async forgetLookups(before) {
      await database
        .deleteFrom('parcels')
        .where('shipmentId', 'is', null)
        .where('askedAt', '<', before.toISOString())
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

async function stored(database: Database, code: string) {
  const row = await database
    .selectFrom('parcels')
    .innerJoin('parcelEvents', 'parcelEvents.code', 'parcels.code')
    .selectAll('parcels')
    .select('parcelEvents.events')
    .where('parcels.code', '=', code)
    .executeTakeFirst()
  if (row === undefined || row.knownAt === null) return undefined
  const { events, flights } = readStory(row.events)
  return {
    tracked: {
      code: row.code,
      found: true,
      lastStatus: toLastStatus(row),
      events,
      ...(flights !== undefined && { flights }),
    },
    askedAt: row.knownAt,
    language: languageSchema.parse(row.language),
  }
}

async function countTroubles(database: Database, rules: TroubleRules) {
  const rows = await database
    .selectFrom('parcels')
    .select((builder) => [troubleOf(rules).as('trouble'), builder.fn.countAll<number>().as('count')])
    .where('shipmentId', 'is not', null)
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
    .innerJoin('shipments', 'shipments.id', 'parcels.shipmentId')
    .select(['parcels.code', 'shipments.reference', trouble.as('trouble')])
    .where(sql<boolean>`${trouble} is not null and told is not ${trouble}`)
    .orderBy('shipments.number', 'desc')
    .execute()
  await transaction
    .updateTable('parcels')
    .set({ told: trouble })
    .where('shipmentId', 'is not', null)
    .where(sql<boolean>`told is not ${trouble}`)
    .execute()
  return rows.map((row) => ({
    code: row.code,
    reference: row.reference,
    trouble: parcelTroubleSchema.parse(row.trouble),
  }))
}
