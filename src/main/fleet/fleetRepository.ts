import { sql } from 'kysely'
import { appError } from '../../shared/errors'
import type { FleetConflict } from '../../shared/fleet'
import { foldText } from '../../shared/foldText'
import { err, ok, type Result } from '../../shared/result'
import type { ShipmentState } from '../../shared/shipments'
import type { Blocker } from '../shipments/duplicateGuard'
import type { ResolutionFinding } from '../shipments/sharedShipments'
import { changeClaim, toClaim } from './claimRepository'
import {
  applyShipment,
  type Conflict,
  type CreatedShipment,
  compareWithResolution,
  type PublishedShipment,
} from './claimRules'
import type { FleetDatabase, OpenFleet } from './connection'
import { fleetMigrations, type LabelColumns } from './schema'
import { findNewerSchema } from './schemaRepository'

/** What a person found out, and where they were. */
export interface SharedResolution extends ResolutionFinding {
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
  kind: Blocker['kind']
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

/** Its `on conflict` is the lock: of two stations at once, one waits for the other and meets what that one left. */
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
  constructor(
    private readonly database: OpenFleet,
    private readonly knownVersion = fleetMigrations.length,
  ) {}

  /**
   * Takes the claim on a reference for an attempt, in one statement: its row is the lock. The same attempt may take it
   * again. A schema that became newer meanwhile grants none.
   */
  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    for (;;) {
      const [granted] = await this.database.runPrepared<{ over: string | null }>('claim', takeClaim, [
        ...[request.reference, request.station, request.attemptId, request.shipmentId, request.operator],
        ...[this.knownVersion, request.confirmedDuplicateOf],
      ])
      if (granted !== undefined) return { kind: 'granted', over: granted.over }
      const blocker = await this.findBlocker(request.reference)
      if (blocker !== undefined) return { kind: 'blocked', blocker }
      if ((await findNewerSchema(this.database, this.knownVersion)) !== undefined)
        return { kind: 'schema-newer' }
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
      const newer = await findNewerSchema(transaction, this.knownVersion)
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
      const newer = await findNewerSchema(transaction, this.knownVersion)
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
}

function isOpenState(state: ShipmentState): boolean {
  return state === 'intended' || state === 'sent' || state === 'unknown'
}

async function putConflict(
  connection: FleetDatabase,
  reference: string,
  { shipmentId, station, takenAt, barcodes }: CreatedShipment,
  other: Conflict,
  kind: FleetConflict['kind'] = 'both-shipped',
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
