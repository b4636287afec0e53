import { sql } from 'kysely'
import { type AppError, appError } from '../../shared/errors'
import { type FleetConflict, type FleetHold, type FleetStation, maxFleetRows } from '../../shared/fleet'
import { err, ok, type Result } from '../../shared/result'
import { countRows } from '../storage/database'
import type { FleetDatabase } from './connection'
import { fleetMigrations } from './schema'
import { findNewerSchema } from './schemaRepository'

const maxRemovedPerRun = 5000

/** In days: how long details are kept, and how long references are guarded. */
export interface FleetRetention {
  retentionDays: number
  guardDays: number
}

/** Seconds without a heartbeat after which a person may declare a station lost. Longer than any creation takes. */
const minLostSeconds = 15 * 60

/**
 * The fleet's stations, holds and conflicts, and retention. Every method throws the connection's errors.
 */
export class StationsRepository {
  constructor(private readonly database: FleetDatabase) {}

  /** The last incarnation of a station, null for none; its last journal number; and whether a person declared it lost. */
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

  /**
   * Records a heartbeat, and the journal number, by which an older journal is detected when it joins.
   * @returns `fleet-schema-newer` when another station has migrated the schema: nothing is recorded
   */
  async noteSeen(id: string, journalNumber: number): Promise<AppError | undefined> {
    const { numAffectedRows } = await sql`
      update packbench.stations
        set seen_at = now(), journal_number = greatest(journal_number, ${journalNumber}::bigint)
        from packbench.schema_version
        where id = ${id} and schema_version.version <= ${fleetMigrations.length}
    `.execute(this.database)
    return numAffectedRows === 0n ? findNewerSchema(this.database) : undefined
  }

  /** Inserts or updates a station with its name, version and new incarnation. */
  async enrol(id: string, name: string, version: string, incarnation: string): Promise<void> {
    const row = { name, version, incarnation, seenAt: sql<Date>`now()` }
    await this.database
      .insertInto('packbench.stations')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
  }

  /**
   * Declares that a station will not return: its shipments in progress become unknown, and its data folder can't join as
   * this station any more.
   * @returns `fleet-station-present` when the station is connected, or was seen within the last `minLostSeconds`
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
      // Claims without a published shipment get a row, so that a person finds them in the history of all stations.
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

  /**
   * The stations, the most recently seen first.
   * @param today the start of the day whose shipments are counted
   */
  async listStations(ownStationId: string, today: Date): Promise<FleetStation[]> {
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
          where shipments.station = station.id and state = 'created' and taken_at >= ${today}) as created_today
      from packbench.stations station
      order by seen_at desc, name
      limit ${maxFleetRows}
    `.execute(this.database)
    return rows.map(({ seenAt, silentSeconds, ...row }) => ({
      ...row,
      isThisOne: row.id === ownStationId,
      seenAt: seenAt.toISOString(),
      silentSeconds: Math.max(0, silentSeconds),
    }))
  }

  /** References whose creation may be in progress or is unknown, oldest first. */
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
   * Deletes references whose guard period is over by both the station's and the server's clock, shipments of which nothing
   * else is left, and closed conflicts that are older than the guard period: those of this station, and of stations that were not seen for `retentionDays`.
   * @param share how many of a number of references may be deleted in one run
   * @returns the number of deleted references
   */
  async forgetReferences(
    station: string,
    { retentionDays, guardDays }: FleetRetention,
    share: (total: number) => number,
  ): Promise<number> {
    const stations = selectOwnAndAbandoned(station, retentionDays)
    const before = toAge(guardDays)
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
          limit ${maxRemovedPerRun})
    `.execute(this.database)
    await sql`
      delete from packbench.conflicts
        where closed_at is not null and noted_at < ${before} and station in (${stations})
    `.execute(this.database)
    return Number(forgotten.numAffectedRows ?? 0n)
  }

  /**
   * Removes labels and personal data of old shipments whose station was not seen for `retentionDays`: no other station
   * removes them. Also removes the operators that older versions left in the fleet when they removed their own shipments.
   * @returns the number of shipments
   */
  removePersonalData(ownStation: string, { retentionDays }: FleetRetention): Promise<number> {
    return this.database.transaction().execute(async (transaction) => {
      const before = toAge(retentionDays)
      const { rows } = await sql<{ id: string }>`
        update packbench.shipments set document = null, search_text = null, operator = null, changed_at = now() where id in (
          select id from packbench.shipments
            where station in (${selectOwnAndAbandoned(ownStation, retentionDays)}) and taken_at < ${before}
              and state in ('created', 'refused') and num_nonnulls(document, search_text, operator) > 0
              and (station <> ${ownStation} or search_text is null)
            limit ${maxRemovedPerRun})
        returning id
      `.execute(transaction)
      const ids = rows.map(({ id }) => id)
      await sql`delete from packbench.labels where shipment = any(${ids}::text[])`.execute(transaction)
      await sql`
        update packbench.claims claim set created_operator = null from packbench.shipments shipment
          where shipment.id = any(${ids}::text[]) and claim.reference = any(shipment.all_references)
            and claim.created_shipment = shipment.id
      `.execute(transaction)
      await sql`
        update packbench.resolutions set operator = null where operator is not null and shipment in (
          select id from packbench.shipments where document is null and search_text is null and taken_at < ${before})
      `.execute(transaction)
      return ids.length
    })
  }

  /**
   * The refused shipments of a station that are older than `retentionDays` and have details in the fleet. Its journal may
   * have removed them without it, while the station was not in the fleet.
   */
  listOldRefused(
    station: string,
    { retentionDays }: FleetRetention,
  ): Promise<{ shipmentId: string; reference: string }[]> {
    return this.database
      .selectFrom('packbench.shipments')
      .select(['id as shipmentId', 'reference'])
      .where('station', '=', station)
      .where('state', '=', 'refused')
      .where('searchText', 'is not', null)
      .where(sql<boolean>`taken_at < ${toAge(retentionDays)}`)
      .limit(maxRemovedPerRun)
      .execute()
  }

  /** Open conflicts, oldest first. */
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

  countConflicts(): Promise<number> {
    return countRows(this.database.selectFrom('packbench.conflicts').where('closedAt', 'is', null))
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

/** Stations whose old data this one removes: its own, and those of stations that were not seen for `retentionDays`. */
function selectOwnAndAbandoned(ownStation: string, retentionDays: number) {
  return sql`select id from packbench.stations where id = ${ownStation} or seen_at < ${toAge(retentionDays)}`
}

/** The time a number of days ago by the server's clock. */
function toAge(days: number) {
  return sql`now() - make_interval(days => ${days})`
}

/** The key of the advisory lock that a station holds while it is connected. */
export function toStationLock(stationId: string): string {
  return `packbench station ${stationId}`
}
