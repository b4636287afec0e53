import { type Selectable, sql } from 'kysely'
import { type Claim, statesWithoutOutcome } from './claimRules'
import type { FleetDatabase } from './connection'
import type { ClaimColumns } from './schema'

/** Reads, changes and writes the claim on a reference, safe against concurrent changes and inserts. */
export async function changeClaim<Change extends { claim: Claim | null }>(
  connection: FleetDatabase,
  reference: string,
  change: (claim: Claim | null) => Change,
): Promise<Change> {
  for (;;) {
    const row = await connection
      .selectFrom('packbench.claims')
      .selectAll()
      .where('reference', '=', reference)
      .forUpdate()
      .executeTakeFirst()
    const before = row === undefined ? null : toClaim(row)
    const changed = change(before)
    const claim = await passHold(connection, reference, before, changed.claim)
    if (row === undefined) {
      if (claim === null) return changed
      const inserted = await connection
        .insertInto('packbench.claims')
        .values({ reference, ...toColumns(claim), heldSince: claim.hold && sql<Date>`now()` })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      // Another station inserted its claim first: repeat with that one.
      if (inserted.numInsertedOrUpdatedRows === 1n) return changed
    } else if (claim === null) {
      await connection.deleteFrom('packbench.claims').where('reference', '=', reference).execute()
      return changed
    } else {
      const isSame = claim.hold?.shipmentId === before?.hold?.shipmentId
      const heldSince = claim.hold && (isSame ? sql<Date>`coalesce(held_since, now())` : sql<Date>`now()`)
      const isNoted = claim.created?.shipmentId === before?.created?.shipmentId
      const createdNotedAt = isNoted ? sql<Date>`created_noted_at` : sql<Date>`now()`
      await connection
        .updateTable('packbench.claims')
        .set({ ...toColumns(claim), heldSince, createdNotedAt })
        .where('reference', '=', reference)
        .execute()
      return changed
    }
  }
}

/** When a hold ends, it passes to another open shipment of the reference, if any: that one may exist as well. */
async function passHold(
  connection: FleetDatabase,
  reference: string,
  before: Claim | null,
  after: Claim | null,
): Promise<Claim | null> {
  const ended = before?.hold ?? null
  if (ended === null || (after !== null && after.hold !== null)) return after
  const open = await connection
    .selectFrom('packbench.shipments')
    .select(['id', 'attempt', 'station', 'state', 'operator'])
    .where(sql<boolean>`all_references @> array[${reference}]::text[]`)
    .where('state', 'in', statesWithoutOutcome)
    .where('id', '!=', ended.shipmentId)
    .orderBy('changedAt')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (open === undefined) return after
  const { id: shipmentId, attempt: attemptId, station, operator } = open
  const state = open.state === 'unknown' ? 'unknown' : 'claimed'
  return {
    hold: { station, attemptId, shipmentId, operator, state, over: null },
    created: after?.created ?? null,
  }
}

function toColumns({ hold, created }: Claim) {
  return {
    heldBy: hold?.station ?? null,
    heldAttempt: hold?.attemptId ?? null,
    heldShipment: hold?.shipmentId ?? null,
    heldState: hold?.state ?? null,
    heldOperator: hold?.operator ?? null,
    heldOver: hold?.over ?? null,
    createdShipment: created?.shipmentId ?? null,
    createdStation: created?.station ?? null,
    createdOperator: created?.operator ?? null,
    createdTakenAt: created?.takenAt ?? null,
    createdBarcodes: [...(created?.barcodes ?? [])],
  }
}

/** Converts a row of `claims`. */
export function toClaim(row: Selectable<ClaimColumns>): Claim {
  const { heldBy, heldAttempt, heldShipment, heldState, createdShipment, createdStation } = row
  return {
    hold:
      heldBy === null || heldAttempt === null || heldShipment === null || heldState === null
        ? null
        : {
            ...{ station: heldBy, attemptId: heldAttempt, shipmentId: heldShipment },
            ...{ state: heldState, operator: row.heldOperator, over: row.heldOver },
          },
    created:
      createdShipment === null || createdStation === null || row.createdTakenAt === null
        ? null
        : {
            ...{ shipmentId: createdShipment, station: createdStation, operator: row.createdOperator },
            ...{ takenAt: row.createdTakenAt.toISOString(), barcodes: row.createdBarcodes },
          },
  }
}
