import { sql } from 'kysely'
import { appError } from '../../shared/errors'
import type { FleetConflict } from '../../shared/fleet'
import { foldText } from '../../shared/foldText'
import { err, ok, type Result } from '../../shared/result'
import { cancellationSchema } from '../../shared/shipments'
import type { Blocker } from '../shipments/duplicateGuard'
import type { AwaitedShipment, ResolutionFinding, ShipmentOutcome } from '../shipments/sharedShipments'
import { changeClaim, toClaim } from './claimRepository'
import {
  applyShipment,
  type Conflict,
  type CreatedShipment,
  compareWithResolution,
  type PublishedShipment,
  statesWithoutOutcome,
} from './claimRules'
import type { FleetDatabase, FleetPool } from './connection'
import { fleetMigrations, type LabelColumns } from './schema'
import { findNewerSchema } from './schemaRepository'
import { toPattern } from './sharedHistoryRepository'

/** A person's resolution of an unknown shipment, and the station where they entered it. */
export interface SharedResolution extends ResolutionFinding {
  shipmentId: string
  station: string
  operator: string | null
}

export interface ClaimRequest {
  reference: string
  station: string
  attemptId: string
  shipmentId: string
  operator: string | null
  /** The created shipment that an operator confirmed to ship again. */
  confirmedDuplicateOf: string | null
}

/** The shipment that blocks a reference, with the names that an error message shows. */
export interface ClaimBlocker {
  kind: Blocker['kind']
  stationId: string
  station: string
  operator: string | null
  shipmentId: string
  /** The shipment that a confirmation to ship again names: the last one, also if it was cancelled and an older one was not. */
  duplicateOf: string
  attemptId: string | null
  /** ISO 8601: the start of the hold by the database's clock, or the time of the shipment. */
  at: string
  barcodes: readonly string[]
  /** ISO 8601: when a person noted that the shipment was cancelled at the carrier. */
  cancelledAt: string | null
}

export type ClaimAnswer =
  /** `over`: the created shipment that the operator confirmed to ship again. */
  | { kind: 'granted'; over: string | null }
  | { kind: 'blocked'; blocker: ClaimBlocker }
  | { kind: 'schema-newer' }

/** A label as it is shared, without its bytes. */
export type SharedLabel = Omit<LabelColumns, 'shipment' | 'bytes'>

/** A shipment as it is shared: the data that guard its reference, and the details until retention removes them. */
export interface SharedShipment extends PublishedShipment {
  /** The references of all its orders, its own first. */
  references: readonly [string, ...string[]]
  carrierOptionId: number
  packages: number
  country: string
  /** Null once retention removed the details; empty if the database can't store them. */
  searchText: string | null
  /** JSON text; null without details. */
  document: string | null
}

/** Number of the newest changes that are compared; more do not happen while a transaction waits. */
const maxCompared = 1000

/** `on conflict` serialises concurrent claims: the second station waits for the first and then sees its row. */
const takeClaim = `
  insert into packbench.claims as claim
    (reference, held_by, held_attempt, held_shipment, held_state, held_operator, held_since)
  select $1, $2, $3, $4, 'claimed', $5::text, now()
  where exists (select 1 from packbench.schema_version where version <= $6)
  on conflict (reference) do update set
    held_by = excluded.held_by, held_attempt = excluded.held_attempt, held_shipment = excluded.held_shipment,
    held_state = excluded.held_state, held_operator = excluded.held_operator, held_since = excluded.held_since,
    held_over = case when claim.held_by is null then claim.created_shipment else claim.held_over end
  where (claim.held_by is null and claim.created_shipment = $7::text)
    or (claim.held_by = excluded.held_by and claim.held_attempt = excluded.held_attempt
      and claim.held_state = 'claimed')
  returning held_over as over
`

/** The fleet's references, shipments and labels. Every method throws what the connection throws. */
export class FleetRepository {
  constructor(private readonly database: FleetPool) {}

  /**
   * Claims a reference for an attempt, in one statement: the row is the lock. The same attempt may claim it again.
   * Refuses when another station has migrated the schema to a newer version.
   */
  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    for (;;) {
      const [granted] = await this.database.runPrepared<{ over: string | null }>('claim', takeClaim, [
        ...[request.reference, request.station, request.attemptId, request.shipmentId, request.operator],
        ...[fleetMigrations.length, request.confirmedDuplicateOf],
      ])
      if (granted !== undefined) return { kind: 'granted', over: granted.over }
      const blocker = await this.findBlocker(request.reference)
      if (blocker !== undefined) return { kind: 'blocked', blocker }
      if ((await findNewerSchema(this.database)) !== undefined) return { kind: 'schema-newer' }
      // The claim was released between the two statements: try again.
    }
  }

  /** The hold on a reference, else the shipment created for it: the last one, or one that was not cancelled at the carrier. */
  async findBlocker(reference: string): Promise<ClaimBlocker | undefined> {
    const row = await this.database
      .selectFrom('packbench.claims as claim')
      .leftJoin('packbench.stations as station', (join) =>
        join.on(sql`coalesce(claim.held_by, claim.created_station)`, '=', sql.ref('station.id')),
      )
      .leftJoin('packbench.shipments as shipment', 'shipment.id', 'claim.createdShipment')
      .selectAll('claim')
      .select(['station.name', sql`shipment.document -> 'cancellation'`.as('cancellation')])
      .where('claim.reference', '=', reference)
      .executeTakeFirst()
    if (row === undefined) return undefined
    const station = row.name ?? ''
    const { hold, created } = toClaim(row)
    if (hold !== null) {
      return {
        kind: hold.state === 'unknown' ? 'unresolved' : 'in-progress',
        ...{ stationId: hold.station, station, operator: hold.operator, shipmentId: hold.shipmentId },
        ...{
          duplicateOf: hold.shipmentId,
          attemptId: hold.attemptId,
          at: row.heldSince?.toISOString() ?? '',
        },
        ...{ barcodes: [], cancelledAt: null },
      }
    }
    if (created === null) return undefined
    const duplicateOf = created.shipmentId
    const cancelledAt = cancellationSchema.safeParse(row.cancellation).data?.at ?? null
    const valid = cancelledAt === null ? undefined : await this.findValid(reference, duplicateOf)
    const shown = valid ?? { ...created, stationId: created.station, station, cancelledAt }
    return {
      kind: 'already-created',
      ...{ stationId: shown.stationId, station: shown.station, operator: shown.operator },
      ...{ shipmentId: shown.shipmentId, duplicateOf, attemptId: null, at: shown.takenAt },
      ...{ barcodes: shown.barcodes, cancelledAt: shown.cancelledAt },
    }
  }

  /** The newest other shipment of a reference that was not cancelled at the carrier: its parcel may be on the way. */
  private async findValid(reference: string, cancelledId: string) {
    // Only the search text has an index of the references of combined parcels.
    const inSearchText = toPattern(foldText(reference))
    // Without a limit, or PostgreSQL would read all shipments by their time.
    const [row] = await this.database
      .selectFrom('packbench.shipments as shipment')
      .innerJoin('packbench.stations as station', 'station.id', 'shipment.station')
      .select([
        'shipment.id',
        'shipment.station',
        'shipment.operator',
        'shipment.takenAt',
        'shipment.barcodes',
      ])
      .select('station.name')
      .where('shipment.id', '<>', cancelledId)
      .where('shipment.state', '=', 'created')
      .where(sql<boolean>`jsonb_typeof(shipment.document -> 'cancellation') is distinct from 'object'`)
      .where(
        sql<boolean>`(shipment.reference = ${reference}
          or shipment.search_text like ${inSearchText} and shipment.all_references @> array[${reference}]::text[])`,
      )
      .orderBy('shipment.takenAt', 'desc')
      .orderBy('shipment.id', 'desc')
      .execute()
    if (row === undefined) return undefined
    return {
      ...{ shipmentId: row.id, stationId: row.station, station: row.name, operator: row.operator },
      ...{ takenAt: row.takenAt.toISOString(), barcodes: row.barcodes, cancelledAt: null },
    }
  }

  /**
   * Releases a reference for whose attempt nothing was sent.
   * @returns false when the attempt does not hold it, or left it unknown: it is not released
   */
  release(reference: string, station: string, attemptId: string): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      const { isHeld } = await changeClaim(transaction, reference, (claim) => {
        const { hold, created } = claim ?? { hold: null, created: null }
        const isHeld = hold?.station === station && hold.attemptId === attemptId && hold.state === 'claimed'
        return { isHeld, claim: isHeld ? created && { hold: null, created } : claim }
      })
      return isHeld
    })
  }

  /**
   * The references that a station holds, with their attempts.
   * @param minSeconds only holds of at least this age
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
      const newer = await findNewerSchema(transaction)
      if (newer !== undefined) return err(newer)
      const known = await transaction
        .selectFrom('packbench.shipments')
        .select(['state', 'allReferences'])
        .where('id', '=', id)
        // Before the claims, as whoever resolves it does.
        .forUpdate()
        .executeTakeFirst()
      // A person resolved it at another station, or this journal was restored or rebuilt since: nothing is held for it again.
      const isKnownOutcome = known !== undefined && !isOpenState(known.state)
      if (isKnownOutcome && isOpenState(shipment.state)) return ok({ isConflict: false })
      const resolution = await transaction
        .selectFrom('packbench.resolutions')
        .selectAll()
        .where('shipment', '=', id)
        .executeTakeFirst()
      const created = known?.state === 'created' ? known.allReferences : []
      let isConflict = await changeClaims(transaction, references, shipment, created)
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
   * Writes the resolution of another station's unknown shipment and updates the claims on its references, in one
   * transaction. Repeating it, after its answer was lost, changes nothing.
   * @returns its references; `shipment-not-unsettled` when the shipment is not unknown: in progress, or already resolved
   */
  resolve({ shipmentId, verdict, barcode, station, operator }: SharedResolution): Promise<Result<string[]>> {
    return this.database.transaction().execute(async (transaction) => {
      const newer = await findNewerSchema(transaction)
      if (newer !== undefined) return err(newer)
      const row = await transaction
        .selectFrom('packbench.shipments')
        .selectAll()
        .where('id', '=', shipmentId)
        .forUpdate()
        .executeTakeFirst()
      const state = verdict === 'exists' ? ('created' as const) : ('refused' as const)
      if (row?.state !== 'unknown') {
        const own = await transaction
          .selectFrom('packbench.resolutions')
          .select('shipment')
          .where('shipment', '=', shipmentId)
          .where('verdict', '=', verdict)
          .where('barcode', 'is not distinct from', barcode)
          .where('station', '=', station)
          .executeTakeFirst()
        // The sending station may have found otherwise since.
        const isRepeated = row?.state === state && own !== undefined
        return isRepeated ? ok(row.allReferences) : err(appError('shipment-not-unsettled', { shipmentId }))
      }
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
      await changeClaims(transaction, row.allReferences, shipment, [])
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
      return ok(row.allReferences)
    })
  }

  /** The references and the time of a shipment whose outcome the fleet does not know yet; undefined for others. */
  async findOpenShipment(
    id: string,
  ): Promise<Pick<SharedShipment, 'references' | 'attemptId' | 'takenAt'> | undefined> {
    const row = await this.database
      .selectFrom('packbench.shipments')
      .select(['reference', 'allReferences', 'attempt', 'takenAt'])
      .where('id', '=', id)
      .where('state', 'in', statesWithoutOutcome)
      .executeTakeFirst()
    if (row === undefined) return undefined
    const others = row.allReferences.filter((reference) => reference !== row.reference)
    return {
      references: [row.reference, ...others],
      attemptId: row.attempt,
      takenAt: row.takenAt.toISOString(),
    }
  }

  /** Resolutions that were entered at other stations. */
  async listResolutions(
    shipmentIds: readonly string[],
  ): Promise<(ResolutionFinding & { shipmentId: string; by: string })[]> {
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
   * The outcomes of the awaited shipments of other stations that have one. They count from their publication, by the server's
   * clock, which `now` converts to the caller's; published late, as the history of a station that joins, from a day after
   * they were taken.
   */
  async listOutcomes(
    awaited: readonly AwaitedShipment[],
    ownStation: string,
    now: Date,
  ): Promise<ShipmentOutcome[]> {
    const ids = awaited.flatMap(({ shipmentId }) => shipmentId ?? [])
    const references = awaited.map(({ reference }) => reference)
    const { rows } = await sql<Omit<ShipmentOutcome, 'takenAt'> & { ageMs: number }>`
      with outcomes as (
        select id, all_references as "references", taken_at, noted_at,
          case state when 'created' then 'exists' else 'does-not-exist' end as verdict
        from packbench.shipments
        where id = any(${ids}::text[]) and state in ('created', 'refused') and station <> ${ownStation}
        union all
        select created_shipment, array[reference], created_taken_at, created_noted_at, 'exists'
        from packbench.claims
        where reference = any(${references}::text[]) and created_station <> ${ownStation}
      )
      select id, "references", verdict,
        1000 * extract(epoch from now() - least(noted_at, taken_at + interval '1 day'))::float8 as age_ms
      from outcomes
    `.execute(this.database)
    return rows.map(({ ageMs, ...row }) => ({
      ...row,
      takenAt: new Date(now.getTime() - ageMs).toISOString(),
    }))
  }

  /**
   * The sum of the times of the newest changes of shipments, which each change changes; null when there are none. The newest
   * time alone is not enough: it is the start of a transaction, and one that had to wait becomes visible after newer ones.
   */
  async findNewestChange(): Promise<string | null> {
    const { rows } = await sql<{ sum: string | null }>`
      select sum(extract(epoch from changed_at))::text as sum
      from (select changed_at from packbench.shipments order by changed_at desc limit ${maxCompared}) as newest
    `.execute(this.database)
    return rows[0]?.sum ?? null
  }

  /** The hashes of the labels that the fleet has of a shipment, by label id. */
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

  /** Lets stations that poll for changes see that labels of a shipment arrived. */
  async noteLabels(shipmentId: string): Promise<void> {
    await this.database
      .updateTable('packbench.shipments')
      .set({ changedAt: sql<Date>`now()` })
      .where('id', '=', shipmentId)
      .execute()
  }

  /**
   * Removes a shipment's labels and personal data, after retention removed them at its station.
   * @returns false when the fleet does not know the shipment
   */
  removeDetails(id: string): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      const changed = await transaction
        .updateTable('packbench.shipments')
        .set({ document: null, searchText: null, operator: null, changedAt: sql<Date>`now()` })
        .where('id', '=', id)
        .executeTakeFirst()
      await transaction.deleteFrom('packbench.labels').where('shipment', '=', id).execute()
      await transaction
        .updateTable('packbench.resolutions')
        .set({ operator: null })
        .where('shipment', '=', id)
        .execute()
      return changed.numUpdatedRows === 1n
    })
  }
}

function isOpenState(state: string): boolean {
  return statesWithoutOutcome.some((each) => each === state)
}

/**
 * Applies a shipment's state to the claims on its references, and lists what it conflicts with: one conflict for each other
 * shipment.
 * @param created the references for which the fleet already knew it as created
 * @returns whether there is a conflict
 */
async function changeClaims(
  connection: FleetDatabase,
  references: readonly string[],
  shipment: PublishedShipment,
  created: readonly string[],
): Promise<boolean> {
  const conflicts = new Map<string, { other: Conflict; common: string[] }>()
  // In the same order everywhere, so that two stations never wait for each other.
  for (const reference of references.toSorted()) {
    const { conflict } = await changeClaim(connection, reference, (claim) =>
      applyShipment(claim, shipment, created.includes(reference)),
    )
    if (conflict === null) continue
    const { common } = conflicts.get(conflict.shipmentId) ?? { common: [] }
    conflicts.set(conflict.shipmentId, { other: conflict, common: [...common, reference] })
  }
  for (const { other, common } of conflicts.values())
    await putConflict(connection, common.join(' + '), shipment, other)
  return conflicts.size > 0
}

async function putConflict(
  connection: FleetDatabase,
  reference: string,
  { shipmentId, station, takenAt, barcodes }: CreatedShipment,
  other: Conflict,
  kind: FleetConflict['kind'] = 'both-shipped',
): Promise<void> {
  // The other station may have recorded the same conflict already.
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
  // These columns never change, and after retention they are not known any more: only an insert writes them.
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
