import { sql } from 'kysely'
import { type AppError, appError } from '../../shared/errors'
import { type FleetConflict, type FleetHold, type FleetStation, maxFleetRows } from '../../shared/fleet'
import { foldText } from '../../shared/foldText'
import { err, ok, type Result } from '../../shared/result'
import type { ShipmentState } from '../../shared/shipments'
import { changeClaim, toClaim } from './claimRepository'
import {
  applyShipment,
  type Conflict,
  type ConflictKind,
  type CreatedShipment,
  compareWithResolution,
  type FoundOut,
  type PublishedShipment,
} from './claimRules'
import type { FleetDatabase } from './connection'
import { fleetMigrations, type LabelColumns } from './schema'
import { schemaNewer } from './schemaRepository'

/** Most shipments that one day's run removes in the fleet. */
const maxRemovedAtOnce = 5000

/** How long details are kept, and references are guarded, in days. */
export interface FleetRetention {
  retentionDays: number
  guardDays: number
}

/** Seconds of silence after which a person may say that a station is lost. No creation is under way for so long. */
const minLostSeconds = 15 * 60

/** What a person found out, and where they were. */
export interface SharedResolution extends FoundOut {
  shipmentId: string
  station: string
  operator: string | null
}

/** The claim that a station asks for. */
export interface ClaimRequest {
  reference: string
  station: string
  attemptId: string
  shipmentId: string
  operator: string | null
  /** The created shipment that a person was shown and wants to ship again. */
  confirmedDuplicateOf: string | null
}

/** Who has the reference instead, in words for a person. */
export interface ClaimBlocker {
  kind: 'in-progress' | 'unresolved' | 'already-created'
  stationId: string
  station: string
  operator: string | null
  shipmentId: string
  attemptId: string | null
  /** ISO 8601: since when it is held, by the database's clock, or when it was taken. */
  at: string
  barcodes: readonly string[]
}

export type ClaimAnswer =
  /** `over` is the created shipment that it was granted over. */
  | { kind: 'granted'; over: string | null }
  | { kind: 'blocked'; blocker: ClaimBlocker }
  | { kind: 'schema-newer' }

/** A label as it is shared, without its bytes. */
export type SharedLabel = Omit<LabelColumns, 'shipment' | 'bytes'>

/** A shipment as it is shared: what guards its reference, and the rest until retention removes it. */
export interface SharedShipment extends PublishedShipment {
  /** Every order that it holds, its own first. */
  references: readonly [string, ...string[]]
  carrierOptionId: number
  packages: number
  country: string
  searchText: string | null
  /** JSON text; null once it is removed. */
  document: string | null
}

/** The fleet's tables. Every method throws what the connection throws. */
export class FleetRepository {
  constructor(
    private readonly database: FleetDatabase,
    private readonly knownVersion = fleetMigrations.length,
  ) {}

  /** The join that a station noted last, null for none; how far its journal had come; and whether a person declared it lost. */
  async findIncarnation(
    id: string,
  ): Promise<{ incarnation: string | null; isLost: boolean; journalNumber: number }> {
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
   * Takes the claim on a reference for an attempt, in one statement: its row is the lock. The same attempt may take it
   * again. A schema that became newer meanwhile grants none.
   */
  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    for (;;) {
      const { rows } = await sql<{ over: string | null }>`
        insert into packbench.claims as claim
          (reference, held_by, held_attempt, held_shipment, held_state, held_operator, held_since)
        select ${request.reference}, ${request.station}, ${request.attemptId}, ${request.shipmentId}, 'claimed',
          ${request.operator}::text, now()
        where exists (select 1 from packbench.schema_version where version <= ${this.knownVersion})
        on conflict (reference) do update set
          held_by = excluded.held_by, held_attempt = excluded.held_attempt, held_shipment = excluded.held_shipment,
          held_state = excluded.held_state, held_operator = excluded.held_operator, held_since = excluded.held_since,
          held_over = case when claim.held_by is null then claim.created_shipment else claim.held_over end
        where (claim.held_by is null and claim.created_shipment = ${request.confirmedDuplicateOf}::text)
          or (claim.held_by = excluded.held_by and claim.held_attempt = excluded.held_attempt
            and claim.held_state = 'claimed')
        returning held_over as over
      `.execute(this.database)
      const [granted] = rows
      if (granted !== undefined) return { kind: 'granted', over: granted.over }
      const blocker = await this.findBlocker(request.reference)
      if (blocker !== undefined) return { kind: 'blocked', blocker }
      if (await this.isNewer()) return { kind: 'schema-newer' }
      // It was released between the two questions.
    }
  }

  /** Who holds a reference, or created a shipment for it. */
  async findBlocker(reference: string): Promise<ClaimBlocker | undefined> {
    const row = await this.database
      .selectFrom('packbench.claims as claim')
      .leftJoin('packbench.stations as station', (join) =>
        join.on(sql`coalesce(claim.held_by, claim.created_station)`, '=', sql.ref('station.id')),
      )
      .selectAll('claim')
      .select('station.name')
      .where('claim.reference', '=', reference)
      .executeTakeFirst()
    if (row === undefined) return undefined
    const station = row.name ?? ''
    const { hold, created } = toClaim(row)
    if (hold !== null) {
      return {
        kind: hold.state === 'unknown' ? 'unresolved' : 'in-progress',
        ...{ stationId: hold.station, station, operator: hold.operator, shipmentId: hold.shipmentId },
        ...{ attemptId: hold.attemptId, at: row.heldSince?.toISOString() ?? '', barcodes: [] },
      }
    }
    if (created === null) return undefined
    return {
      kind: 'already-created',
      ...{ stationId: created.station, station, operator: created.operator, shipmentId: created.shipmentId },
      ...{ attemptId: null, at: created.takenAt, barcodes: created.barcodes },
    }
  }

  /** Frees a reference of whose attempt nothing was sent. Does nothing when the attempt does not hold it. */
  release(reference: string, station: string, attemptId: string): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      await changeClaim(transaction, reference, (claim) => {
        const { hold, created } = claim ?? { hold: null, created: null }
        const isHeld = hold?.station === station && hold.attemptId === attemptId && hold.state === 'claimed'
        return { claim: isHeld ? created && { hold: null, created } : claim }
      })
    })
  }

  /**
   * The references that a station holds, with the attempts that they are held for.
   * @param minSeconds only those that have been held for so long
   */
  async listHeld(
    station: string,
    minSeconds = 0,
  ): Promise<{ reference: string; attemptId: string; shipmentId: string }[]> {
    const rows = await this.database
      .selectFrom('packbench.claims')
      .select(['reference', 'heldAttempt', 'heldShipment'])
      .where('heldBy', '=', station)
      .where(sql<boolean>`held_since <= now() - make_interval(secs => ${minSeconds})`)
      .execute()
    return rows.map(({ reference, heldAttempt, heldShipment }) => ({
      reference,
      attemptId: heldAttempt ?? '',
      shipmentId: heldShipment ?? '',
    }))
  }

  /**
   * Writes what a station's journal says of a shipment, and what it means for the claim on its reference, in one
   * transaction. Repeating it changes nothing.
   * @returns `fleet-schema-newer`, or whether it conflicts with another station's
   */
  publish(shipment: SharedShipment): Promise<Result<{ isConflict: boolean }>> {
    const { references, shipmentId: id } = shipment
    return this.database.transaction().execute(async (transaction) => {
      const newer = await this.findNewer(transaction)
      if (newer !== undefined) return err(newer)
      const known = await transaction
        .selectFrom('packbench.shipments')
        .select(['state', 'allReferences'])
        .where('id', '=', id)
        // Before the claims, as whoever resolves it does.
        .forUpdate()
        .executeTakeFirst()
      const resolution = await transaction
        .selectFrom('packbench.resolutions')
        .selectAll()
        .where('shipment', '=', id)
        .executeTakeFirst()
      // A person knows more than its journal says: nothing is held for it again.
      if (resolution !== undefined && isOpenState(shipment.state)) return ok({ isConflict: false })
      let isConflict = false
      // In the same order everywhere, so that two stations never wait for each other.
      for (const reference of references.toSorted()) {
        const { conflict } = await changeClaim(transaction, reference, (claim) =>
          applyShipment(
            claim,
            shipment,
            known?.state === 'created' && known.allReferences.includes(reference),
          ),
        )
        if (conflict === null) continue
        isConflict = true
        await putConflict(transaction, reference, shipment, conflict)
      }
      if (resolution !== undefined && resolution.answeredAt === null) {
        const kind = compareWithResolution(resolution, shipment)
        isConflict ||= kind !== null
        if (kind !== null) {
          const { station, barcode, resolvedAt } = resolution
          const said = { shipmentId: id, station, barcodes: barcode === null ? [] : [barcode] }
          const other = { ...said, takenAt: resolvedAt.toISOString() }
          await putConflict(transaction, references[0], shipment, other, kind)
        }
        await transaction
          .updateTable('packbench.resolutions')
          .set({ answeredAt: sql<Date>`now()` })
          .where('shipment', '=', id)
          .execute()
      }
      await putShipment(transaction, shipment, known?.allReferences ?? [])
      return ok({ isConflict })
    })
  }

  /**
   * Writes what a person found out about a shipment that the station that sent it left unknown, and what it means for the
   * claims on its references, in one transaction.
   * @returns `shipment-not-unsettled` when it is not unknown: it may be under way, or was resolved before
   */
  resolve({ shipmentId, verdict, barcode, station, operator }: SharedResolution): Promise<Result<undefined>> {
    return this.database.transaction().execute(async (transaction) => {
      const newer = await this.findNewer(transaction)
      if (newer !== undefined) return err(newer)
      const row = await transaction
        .selectFrom('packbench.shipments')
        .selectAll()
        .where('id', '=', shipmentId)
        .forUpdate()
        .executeTakeFirst()
      if (row?.state !== 'unknown') return err(appError('shipment-not-unsettled', { shipmentId }))
      const state = verdict === 'exists' ? ('created' as const) : ('refused' as const)
      const barcodes = [...new Set([...(barcode === null ? [] : [barcode]), ...row.barcodes])]
      const shipment = {
        ...{
          shipmentId,
          station: row.station,
          attemptId: row.attempt,
          operator: row.operator,
          state,
          barcodes,
        },
        takenAt: row.takenAt.toISOString(),
      }
      for (const reference of row.allReferences.toSorted()) {
        const { conflict } = await changeClaim(transaction, reference, (claim) =>
          applyShipment(claim, shipment, false),
        )
        if (conflict !== null) await putConflict(transaction, reference, shipment, conflict)
      }
      await transaction
        .updateTable('packbench.shipments')
        .set({
          ...{ state, barcodes, changedAt: sql<Date>`now()` },
          searchText: sql<string | null>`search_text || ${`\n${foldText(barcode ?? '')}`}`,
        })
        .where('id', '=', shipmentId)
        .execute()
      await transaction
        .insertInto('packbench.resolutions')
        .values({ shipment: shipmentId, verdict, barcode, station, operator })
        .execute()
      return ok(undefined)
    })
  }

  /** What was found out elsewhere about some shipments. */
  async listResolutions(
    shipmentIds: readonly string[],
  ): Promise<(FoundOut & { shipmentId: string; by: string })[]> {
    const rows = await this.database
      .selectFrom('packbench.resolutions as resolution')
      .innerJoin('packbench.stations as station', 'station.id', 'resolution.station')
      .select(['shipment', 'verdict', 'barcode', 'operator', 'station.name'])
      .where('shipment', 'in', shipmentIds)
      .execute()
    return rows.map(({ shipment: shipmentId, verdict, barcode, operator, name }) => ({
      ...{ shipmentId, verdict, barcode },
      by: [operator, name].filter((part) => part !== null).join(', '),
    }))
  }

  /**
   * Notes that a station does not come back: what it was creating is unknown from then on, and its data folder does not join
   * as this station any more.
   * @returns `fleet-station-present` when it is connected, or was seen a moment ago
   */
  declareLost(id: string, by: string | null): Promise<Result<undefined>> {
    return this.database.transaction().execute(async (transaction) => {
      const newer = await this.findNewer(transaction)
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

  /** Which labels of a shipment the fleet has as they are. */
  async listLabelHashes(shipmentId: string): Promise<Map<string, string | null>> {
    const rows = await this.database
      .selectFrom('packbench.labels')
      .select(['id', 'sha256'])
      .where('shipment', '=', shipmentId)
      .execute()
    return new Map(rows.map(({ id, sha256 }) => [id, sha256]))
  }

  async putLabel(shipment: string, label: SharedLabel, bytes: Uint8Array | null): Promise<void> {
    const { id, ...columns } = label
    const content = { ...columns, bytes: bytes === null ? null : Buffer.from(bytes) }
    await this.database
      .insertInto('packbench.labels')
      .values({ id, shipment, ...content })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(content))
      .execute()
  }

  /**
   * Removes what retention removed at the station that sent it: its labels and personal data.
   * @returns false when the fleet never knew the shipment
   */
  removeDetails(id: string): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      const changed = await transaction
        .updateTable('packbench.shipments')
        .set({ document: null, searchText: null, changedAt: sql<Date>`now()` })
        .where('id', '=', id)
        .executeTakeFirst()
      await transaction.deleteFrom('packbench.labels').where('shipment', '=', id).execute()
      return changed.numUpdatedRows === 1n
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

  private async isNewer(): Promise<boolean> {
    return (await this.findNewer(this.database)) !== undefined
  }

  private async findNewer(connection: FleetDatabase): Promise<AppError | undefined> {
    const { version } = await connection
      .selectFrom('packbench.schemaVersion')
      .select('version')
      .executeTakeFirstOrThrow()
    return version > this.knownVersion ? schemaNewer(version, this.knownVersion) : undefined
  }
}

/** The name of the lock that a station holds while it is connected. */
export function toStationLock(stationId: string): string {
  return `packbench station ${stationId}`
}

function isOpenState(state: ShipmentState): boolean {
  return state === 'intended' || state === 'sent' || state === 'unknown'
}

async function putConflict(
  connection: FleetDatabase,
  reference: string,
  { shipmentId, station, takenAt, barcodes }: CreatedShipment,
  other: Conflict,
  kind: ConflictKind = 'both-shipped',
): Promise<void> {
  // The other station may have been the first to report it.
  const known = await connection
    .selectFrom('packbench.conflicts')
    .select('id')
    .where('shipment', '=', other.shipmentId)
    .where('otherShipment', '=', shipmentId)
    .executeTakeFirst()
  if (known !== undefined) return
  await connection
    .insertInto('packbench.conflicts')
    .values({
      ...{ kind, reference, shipment: shipmentId, station, takenAt, barcodes: [...barcodes] },
      ...{ otherShipment: other.shipmentId, otherStation: other.station },
      ...{ otherTakenAt: other.takenAt, otherBarcodes: [...other.barcodes] },
    })
    .onConflict((same) => same.columns(['shipment', 'otherShipment']).doNothing())
    .execute()
}

async function putShipment(
  connection: FleetDatabase,
  shipment: SharedShipment,
  known: readonly string[],
): Promise<void> {
  // What a shipment began with never changes, and retention knows less of it.
  const begun = {
    ...{ reference: shipment.references[0], attempt: shipment.attemptId, operator: shipment.operator },
    ...{ takenAt: shipment.takenAt, carrierOption: shipment.carrierOptionId },
    ...{ packages: shipment.packages, country: shipment.country },
  }
  const columns = {
    ...{ station: shipment.station, state: shipment.state, barcodes: [...shipment.barcodes] },
    ...{ searchText: shipment.searchText, document: shipment.document },
    allReferences: [...new Set([...known, ...shipment.references])],
    changedAt: sql<Date>`now()`,
  }
  await connection
    .insertInto('packbench.shipments')
    .values({ id: shipment.shipmentId, ...begun, ...columns })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
    .execute()
}
