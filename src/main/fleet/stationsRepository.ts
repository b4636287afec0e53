import { sql } from 'kysely'
import { appError } from '../../shared/errors'
import { type FleetConflict, type FleetHold, type FleetStation, maxFleetRows } from '../../shared/fleet'
import { err, ok, type Result } from '../../shared/result'
import type { FleetDatabase } from './connection'
import { findNewerSchema } from './schemaRepository'

/** Most shipments that one day's run removes in the fleet. */
const maxRemovedAtOnce = 5000

/** How long details are kept, and references are guarded, in days. */
export interface FleetRetention {
  retentionDays: number
  guardDays: number
}

/** Seconds of silence after which a person may say that a station is lost. No creation is under way for so long. */
const minLostSeconds = 15 * 60

/**
 * The stations of a fleet, what a person looks after there, and what retention removes. Every method throws what the
 * connection throws.
 */
export class StationsRepository {
  constructor(private readonly database: FleetDatabase) {}

  /** The join that a station noted last, null for none; how far its journal had come; and whether a person declared it lost. */
  async findIncarnation(id: string) {
    const row = await this.database
      .selectFrom('packbench.stations')
      .select(['incarnation', 'lostAt', 'journalNumber'])
      .where('id', '=', id)
      .executeTakeFirst()
    return {
      incarnation: row?.incarnation ?? null,
      isLost: row !== undefined && row.lostAt !== null,
      journalNumber: Number(row?.journalNumber ?? 0),
    }
  }

  /** Shows that a station is there, and how far its journal has come: an older one is found out when it joins. */
  async noteSeen(id: string, journalNumber: number): Promise<void> {
    await sql`
      update packbench.stations
        set seen_at = now(), journal_number = greatest(journal_number, ${journalNumber}::bigint)
        where id = ${id}
    `.execute(this.database)
  }

  /** Notes a station under its present name and version, and the join that works as it from now on. */
  async enrol(id: string, name: string, version: string, incarnation: string): Promise<void> {
    const row = { name, version, incarnation, seenAt: sql<Date>`now()` }
    await this.database
      .insertInto('packbench.stations')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
  }

  /**
   * Notes that a station does not come back: what it was creating is unknown from then on, and its data folder does not join
   * as this station any more.
   * @returns `fleet-station-present` when it is connected, or was seen a moment ago
   */
  declareLost(id: string, by: string | null): Promise<Result<undefined>> {
    return this.database.transaction().execute(async (transaction) => {
      const newer = await findNewerSchema(transaction)
      if (newer !== undefined) return err(newer)
      const { rows } = await sql<{ name: string; isSilent: boolean }>`
        select name, seen_at < now() - make_interval(secs => ${minLostSeconds})
          and pg_try_advisory_xact_lock(hashtextextended(${toStationLock(id)}, 0)) as is_silent
        from packbench.stations where id = ${id} for update
      `.execute(transaction)
      const [station] = rows
      if (station?.isSilent !== true) {
        return err(appError('fleet-station-present', { station: station?.name ?? id }))
      }
      await transaction
        .updateTable('packbench.stations')
        .set({ lostAt: sql<Date>`now()`, lostBy: by, incarnation: sql<string>`gen_random_uuid()::text` })
        .where('id', '=', id)
        .execute()
      // What it was creating may have been published by nobody: a person finds it in the history of all stations.
      await sql`
        insert into packbench.shipments (id, reference, all_references, station, attempt, state, operator, taken_at,
          carrier_option, packages, country, barcodes, search_text)
        select held_shipment, min(reference), array_agg(reference order by reference), held_by, held_attempt, 'unknown',
          min(held_operator), min(held_since), 0, 1, '', '{}', lower(string_agg(reference, ' '))
        from packbench.claims where held_by = ${id} group by held_shipment, held_by, held_attempt
        on conflict (id) do nothing
      `.execute(transaction)
      await transaction
        .updateTable('packbench.shipments')
        .set({ state: 'unknown', changedAt: sql<Date>`now()` })
        .where('station', '=', id)
        .where('state', 'in', ['intended', 'sent'])
        .execute()
      await transaction
        .updateTable('packbench.claims')
        .set({ heldState: 'unknown' })
        .where('heldBy', '=', id)
        .execute()
      return ok(undefined)
    })
  }

  /** The stations, the one that was seen last first. */
  async listStations(thisOne: string): Promise<FleetStation[]> {
    const { rows } = await sql<{
      id: string
      name: string
      version: string
      seenAt: Date
      isLost: boolean
      silentSeconds: number
      createdToday: number
    }>`
      select station.id, name, version, seen_at, lost_at is not null as is_lost, extract(epoch from now() - seen_at)::float8 as silent_seconds,
        (select count(*)::int from packbench.shipments
          where shipments.station = station.id and state = 'created' and taken_at >= current_date) as created_today
      from packbench.stations station
      order by seen_at desc, name
      limit ${maxFleetRows}
    `.execute(this.database)
    return rows.map(({ seenAt, silentSeconds, ...row }) => ({
      ...row,
      isThisOne: row.id === thisOne,
      seenAt: seenAt.toISOString(),
      silentSeconds: Math.max(0, silentSeconds),
    }))
  }

  /** References that may be under way, or that are unknown: the oldest first. */
  async listHolds(): Promise<FleetHold[]> {
    const rows = await this.database
      .selectFrom('packbench.claims')
      .innerJoin('packbench.stations as station', 'station.id', 'heldBy')
      .select(['reference', 'heldShipment', 'heldState', 'heldOperator', 'heldSince', 'station.name'])
      .orderBy('heldSince')
      .limit(maxFleetRows)
      .execute()
    return rows.map(({ reference, heldShipment, heldState, heldOperator, heldSince, name: station }) => ({
      ...{ reference, station, shipmentId: heldShipment ?? '', operator: heldOperator },
      ...{ isUnknown: heldState === 'unknown', since: heldSince?.toISOString() ?? '' },
    }))
  }

  /**
   * Forgets references that were created longer ago than they are guarded, by the clock of their station and by that of the
   * server, and shipments of which nothing else is left: of a
   * station, and of those that were not seen for as long as details are kept.
   * @param share how many of a number of references may be forgotten at once
   * @returns how many references were forgotten
   */
  async forgetReferences(
    station: string,
    { retentionDays, guardDays }: FleetRetention,
    share: (total: number) => number,
  ): Promise<number> {
    const stations = sql`select id from packbench.stations
      where id = ${station} or seen_at < now() - make_interval(days => ${retentionDays})`
    const before = sql`now() - make_interval(days => ${guardDays})`
    const { rows } = await sql<{ total: string }>`
      select count(*) as total from packbench.claims where held_by is null and created_station in (${stations})
    `.execute(this.database)
    const forgotten = await sql`
      delete from packbench.claims where held_by is null and reference in (
        select reference from packbench.claims
          where held_by is null and created_station in (${stations})
            and created_taken_at < ${before} and created_noted_at < ${before}
          order by created_taken_at limit ${share(Number(rows[0]?.total ?? 0))})
    `.execute(this.database)
    await sql`
      delete from packbench.shipments where id in (
        select id from packbench.shipments shipment
          where document is null and state in ('created', 'refused') and station in (${stations})
            and taken_at < ${before} and noted_at < ${before}
            and not exists (select 1 from packbench.claims where created_shipment = shipment.id)
          limit ${maxRemovedAtOnce})
    `.execute(this.database)
    return Number(forgotten.numAffectedRows ?? 0n)
  }

  /**
   * Removes labels and personal data of old shipments whose station was not seen for as long as they are kept: nobody else
   * removes them there.
   * @returns how many shipments
   */
  removeAbandoned({ retentionDays }: FleetRetention): Promise<number> {
    return this.database.transaction().execute(async (transaction) => {
      const before = sql`now() - make_interval(days => ${retentionDays})`
      const { rows } = await sql<{ id: string }>`
        update packbench.shipments set document = null, search_text = null, changed_at = now() where id in (
          select shipment.id from packbench.shipments shipment join packbench.stations station on station.id = shipment.station
            where station.seen_at < ${before} and shipment.taken_at < ${before} and document is not null
              and state in ('created', 'refused')
            limit ${maxRemovedAtOnce})
        returning id
      `.execute(transaction)
      const ids = rows.map(({ id }) => id)
      await sql`delete from packbench.labels where shipment = any(${ids}::text[])`.execute(transaction)
      return ids.length
    })
  }

  /** References that two stations shipped and that nobody has closed, oldest first. */
  async listConflicts(): Promise<FleetConflict[]> {
    const rows = await this.database
      .selectFrom('packbench.conflicts as conflict')
      .innerJoin('packbench.stations as one', 'one.id', 'conflict.station')
      .innerJoin('packbench.stations as other', 'other.id', 'conflict.otherStation')
      .selectAll('conflict')
      .select(['one.name as oneName', 'other.name as otherName'])
      .where('closedAt', 'is', null)
      .orderBy('notedAt')
      .limit(maxFleetRows)
      .execute()
    return rows.map((row) => ({
      ...{ id: row.id, kind: row.kind, reference: row.reference, notedAt: row.notedAt.toISOString() },
      one: {
        ...{ shipmentId: row.shipment, station: row.oneName, barcodes: row.barcodes },
        takenAt: row.takenAt.toISOString(),
      },
      other: {
        ...{ shipmentId: row.otherShipment, station: row.otherName, barcodes: row.otherBarcodes },
        takenAt: row.otherTakenAt.toISOString(),
      },
    }))
  }

  async countConflicts(): Promise<number> {
    const { count } = await this.database
      .selectFrom('packbench.conflicts')
      .select((builder) => builder.fn.countAll<string>().as('count'))
      .where('closedAt', 'is', null)
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  async closeConflict(id: string, by: string | null): Promise<void> {
    await this.database
      .updateTable('packbench.conflicts')
      .set({ closedAt: sql<Date>`now()`, closedBy: by })
      .where('id', '=', id)
      .where('closedAt', 'is', null)
      .execute()
  }
}

/** The name of the lock that a station holds while it is connected. */
export function toStationLock(stationId: string): string {
  return `packbench station ${stationId}`
}
