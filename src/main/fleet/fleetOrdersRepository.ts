import { type Selectable, sql } from 'kysely'
import type { OrderHolder } from '../../shared/orders'
import { repeatedCodes } from '../orders/repository'
import { isShortened } from '../tables/cells'
import type { FleetDatabase } from './connection'
import {
  decidePublication,
  type LocalOrder,
  type OrderVerdict,
  type SharedOrder,
  sharedContentSchema,
} from './ordersVerdict'
import type { FleetSchema } from './schema'
import { findNewerSchema } from './schemaRepository'

/** Key of the advisory lock for changing orders: change numbers become visible in order, so that readers skip none. */
const changeLock = 7_225_369

/** How long a lease lasts without renewal, by the server's clock. */
export const leaseSeconds = 30

/** How long removals are kept for stations that were disconnected. */
const removedDays = 90

/** A station's exclusive, temporary right to work on an order. */
export interface Lease extends OrderHolder {
  orderId: string
  stationId: string
}

/** The result of publishing an order; `fleet` is the fleet's version afterwards, undefined when it has none. */
export interface Published {
  order: LocalOrder
  verdict: OrderVerdict
  fleet: SharedOrder | undefined
}

/** An order of the fleet that a newer version wrote and this one can't read. */
export class UnreadableOrderError extends Error {}

/** Orders of all stations. Every method throws what the connection throws. */
export class FleetOrdersRepository {
  constructor(private readonly database: FleetDatabase) {}

  /**
   * Publishes orders of a station; one publication at a time in the whole fleet. Idempotent. Throws the `AppError` of a
   * newer schema, and `UnreadableOrderError`.
   */
  publish(station: string, orders: readonly LocalOrder[]): Promise<Published[]> {
    return this.database.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(changeLock)})`.execute(transaction)
      const newer = await findNewerSchema(transaction)
      // The caller recognises the error by its code and ends the session: nothing may be written any more.
      if (newer !== undefined) throw Object.assign(new Error(newer.message), newer)
      const ids = orders.map(({ id }) => id)
      const known = new Map((await findOrders(transaction, ids)).map((order) => [order.id, order]))
      // A number that a spreadsheet rounded is that of other orders too.
      const unknown = orders.filter(
        ({ id, state, reference }) => state === 'open' && !known.has(id) && !isShortened(reference),
      )
      const twins = await findTwins(transaction, station, unknown)
      const renamed = orders.filter(
        ({ id, state, reference }) =>
          state === 'open' && (known.get(id)?.reference ?? reference) !== reference,
      )
      const underWay = await findUnderWay(transaction, station, renamed)
      const published = orders.map((order) => {
        const fleet = known.get(order.id)
        const twin = twins.get(order.reference)
        const verdict = decidePublication(order, fleet, twin, station, underWay.has(order.id))
        return { order, verdict, fleet: verdict.kind === 'twin' ? twin : fleet }
      })
      const written = published.flatMap(({ order, verdict }): SharedOrder[] =>
        verdict.kind === 'write'
          ? [
              {
                id: order.id,
                reference: verdict.orderState.content?.values.reference ?? order.reference,
                ...verdict.orderState,
                version: verdict.version,
                changedBy: station,
              },
            ]
          : [],
      )
      if (written.length === 0) return published
      await putOrders(transaction, written)
      const closed = written.flatMap(({ id, state }) => (state === 'open' ? [] : id))
      if (closed.length > 0) {
        await transaction.deleteFrom('packbench.orderLeases').where('orderId', 'in', closed).execute()
      }
      const now = new Map(written.map((order) => [order.id, order]))
      return published.map((each) => ({ ...each, fleet: now.get(each.order.id) ?? each.fleet }))
    })
  }

  /** The changes after a change number, in order; the ids of unreadable orders; and the last change number. */
  async listChanges(
    after: string,
    limit: number,
  ): Promise<{ orders: SharedOrder[]; unreadable: string[]; upTo: string }> {
    const rows = await this.database
      .selectFrom('packbench.orders')
      .selectAll()
      .where('change', '>', after)
      .orderBy('change')
      .limit(limit)
      .execute()
    const read = rows.map((row) => ({ id: row.id, order: toShared(row) }))
    return {
      orders: read.flatMap(({ order }) => order ?? []),
      unreadable: read.flatMap(({ id, order }) => (order === undefined ? id : [])),
      upTo: rows.at(-1)?.change ?? after,
    }
  }

  /** The leases that have not expired. */
  async listLeases(): Promise<Lease[]> {
    const rows = await this.database
      .selectFrom('packbench.orderLeases as lease')
      .innerJoin('packbench.stations as station', 'station.id', 'lease.station')
      .select([
        'lease.orderId',
        'lease.station',
        'lease.operator',
        'lease.isBatch',
        'lease.takenAt',
        'station.name',
      ])
      .where('lease.leaseUntil', '>', sql<Date>`now()`)
      .orderBy('lease.orderId')
      .execute()
    return rows.map(({ orderId, station, name, operator, isBatch, takenAt }) => ({
      ...{ orderId, stationId: station, station: name, operator, isBatch },
      since: takenAt.toISOString(),
    }))
  }

  /**
   * Acquires the lease of an open order, in one statement: the row is the lock. An expired lease is free.
   * @returns the lease of another station if it holds the order; `unknown` for an order that the fleet does not have
   */
  async acquireLease(
    orderId: string,
    { station, operator, takeOver }: { station: string; operator: string | null; takeOver: boolean },
  ): Promise<Lease | 'taken' | 'closed' | 'unknown'> {
    const { rows } = await sql`
      insert into packbench.order_leases as lease (order_id, station, operator, is_batch, lease_until)
      select id, ${station}, ${operator}::text, false, now() + make_interval(secs => ${leaseSeconds})
        from packbench.orders where id = ${orderId} and state = 'open'
      on conflict (order_id) do update set
        station = excluded.station, operator = excluded.operator, is_batch = false, lease_until = excluded.lease_until,
        taken_at = case when lease.station = excluded.station and lease.lease_until > now() then lease.taken_at else now() end
      where lease.station = excluded.station or lease.lease_until <= now() or ${takeOver}
      returning order_id
    `.execute(this.database)
    if (rows.length > 0) return 'taken'
    const state = (await this.listStates([orderId])).get(orderId)
    if (state === undefined) return 'unknown'
    if (state !== 'open') return 'closed'
    const lease = (await this.listLeases()).find((each) => each.orderId === orderId)
    // The lease ended between the two statements: try again.
    return lease ?? this.acquireLease(orderId, { station, operator, takeOver })
  }

  /**
   * Acquires leases for a batch on the first orders that are free or this station's own. `skip locked` passes over orders
   * that other stations are acquiring at the same moment.
   * @param ids in the order of the list
   * @returns the ids of the acquired orders
   */
  async acquireBatchLeases(
    ids: readonly string[],
    { station, operator, size }: { station: string; operator: string | null; size: number },
  ): Promise<string[]> {
    const { rows } = await sql<{ orderId: string }>`
      with wanted as (
        select orders.id
        from unnest(${sql.val([...ids])}::text[]) with ordinality as listed (id, place)
        join packbench.orders on orders.id = listed.id
        where orders.state = 'open' and not exists (
          select 1 from packbench.order_leases lease
          where lease.order_id = orders.id and lease.lease_until > now()
            and lease.station <> ${station}
        )
        order by listed.place
        limit ${size}
        for update of orders skip locked
      )
      insert into packbench.order_leases as lease (order_id, station, operator, is_batch, lease_until)
      select id, ${station}, ${operator}::text, true, now() + make_interval(secs => ${leaseSeconds}) from wanted
      on conflict (order_id) do update set
        station = excluded.station, operator = excluded.operator, is_batch = true, lease_until = excluded.lease_until,
        taken_at = now()
      where lease.lease_until <= now() or lease.station = excluded.station
      returning order_id
    `.execute(this.database)
    return rows.map(({ orderId }) => orderId)
  }

  /** The states of orders by id, without orders that the fleet does not know. */
  async listStates(ids: readonly string[]): Promise<Map<string, SharedOrder['state']>> {
    const rows = await this.database
      .selectFrom('packbench.orders')
      .select(['id', 'state'])
      .where(sql<boolean>`id = any(${sql.val([...ids])}::text[])`)
      .execute()
    return new Map(rows.map(({ id, state }) => [id, state]))
  }

  /** Extends leases; returns the ids of the orders that the station still holds. */
  async renewLeases(station: string, ids: readonly string[]): Promise<string[]> {
    const rows = await this.database
      .updateTable('packbench.orderLeases')
      .set({ leaseUntil: sql<Date>`now() + make_interval(secs => ${leaseSeconds})` })
      .where('station', '=', station)
      .where(sql<boolean>`order_id = any(${sql.val([...ids])}::text[])`)
      .returning('orderId')
      .execute()
    return rows.map(({ orderId }) => orderId)
  }

  async releaseLeases(station: string, ids: readonly string[]): Promise<void> {
    await this.database
      .deleteFrom('packbench.orderLeases')
      .where('station', '=', station)
      .where(sql<boolean>`order_id = any(${sql.val([...ids])}::text[])`)
      .execute()
  }

  /** Releases leases of an earlier run, except `kept`, and deletes removals older than `removedDays`. */
  async cleanUp(station: string, kept: readonly string[]): Promise<void> {
    await this.database
      .deleteFrom('packbench.orderLeases')
      .where('station', '=', station)
      .where(sql<boolean>`order_id <> all(${sql.val([...kept])}::text[])`)
      .execute()
    await sql`
      with forgotten as (
        delete from packbench.orders
        where state = 'removed' and changed_at < now() - make_interval(days => ${removedDays})
        returning change
      )
      update packbench.schema_version
        set orders_forgotten = greatest(orders_forgotten, (select max(change) from forgotten))
        where exists (select 1 from forgotten)
    `.execute(this.database)
  }

  /** Whether removals after a change number have been deleted already. */
  async hasForgottenSince(readUpTo: string): Promise<boolean> {
    const { rows } = await sql<{ isSo: boolean }>`
      select orders_forgotten > ${readUpTo}::bigint as is_so from packbench.schema_version
    `.execute(this.database)
    return rows[0]?.isSo === true
  }

  /** The references that have a created or an unknown shipment. */
  async findShipped(references: readonly string[]): Promise<string[]> {
    const rows = await this.database
      .selectFrom('packbench.claims')
      .select('reference')
      .where(sql<boolean>`reference = any(${sql.val([...references])}::text[])`)
      .where((where) =>
        where.or([where('createdShipment', 'is not', null), where('heldState', '=', 'unknown')]),
      )
      .execute()
    return rows.map(({ reference }) => reference)
  }
}

async function findOrders(connection: FleetDatabase, ids: readonly string[]): Promise<SharedOrder[]> {
  const rows = await connection
    .selectFrom('packbench.orders')
    .selectAll()
    .where(sql<boolean>`id = any(${sql.val([...ids])}::text[])`)
    .execute()
  return rows.map((row) => {
    const order = toShared(row)
    if (order === undefined)
      throw new UnreadableOrderError(`the fleet says of ${row.id} what is not understood here`)
    return order
  })
}

/** For each reference, the first open order that another station imported. */
async function findTwins(
  connection: FleetDatabase,
  station: string,
  orders: readonly LocalOrder[],
): Promise<Map<string, SharedOrder>> {
  const references = orders.map(({ reference }) => reference).filter((reference) => reference !== '')
  if (references.length === 0) return new Map()
  const rows = await connection
    .selectFrom('packbench.orders')
    .selectAll()
    .where(sql<boolean>`reference = any(${sql.val(references)}::text[])`)
    .where('state', '=', 'open')
    .where('origin', '!=', station)
    .orderBy('change', 'desc')
    .execute()
  return new Map(rows.flatMap((row) => toShared(row) ?? []).map((order) => [order.reference, order]))
}

/** The orders that a shipment of another station without an outcome ends, if it exists, by the reference in the fleet. */
async function findUnderWay(
  connection: FleetDatabase,
  station: string,
  orders: readonly LocalOrder[],
): Promise<Set<string>> {
  if (orders.length === 0) return new Set()
  const repeated = [...repeatedCodes].map((code) => JSON.stringify([{ code }]))
  // The shipment of a repeated reference ends the other order.
  const { rows } = await sql<{ id: string }>`
    select renamed.id from packbench.orders as renamed
    join packbench.claims as claim on claim.reference = renamed.reference
    where renamed.id = any(${orders.map(({ id }) => id)}::text[]) and claim.held_by <> ${station}
      and not (renamed.content -> 'issues' @> any(${repeated}::jsonb[]) and exists (
        select 1 from packbench.orders as other
        where other.reference = renamed.reference and other.state = 'open' and other.id <> renamed.id
      ))
  `.execute(connection)
  return new Set(rows.map(({ id }) => id))
}

/** One statement for any number of orders. */
async function putOrders(connection: FleetDatabase, orders: readonly SharedOrder[]): Promise<void> {
  const rows = orders.map(
    ({ id, reference, state, content, shipmentId, skippedReason, skippedBy, ...more }) => ({
      ...{ id, reference, state, content, version: more.version, changed_by: more.changedBy },
      ...{ shipment: shipmentId, skipped_reason: skippedReason, skipped_by: skippedBy },
    }),
  )
  await sql`
    insert into packbench.orders
      (id, reference, origin, state, content, shipment, skipped_reason, skipped_by, version, changed_by)
    select id, reference, changed_by, state, content, shipment, skipped_reason, skipped_by, version, changed_by
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (id text, reference text, state text, content jsonb,
      shipment text, skipped_reason text, skipped_by text, version integer, changed_by text)
    on conflict (id) do update set
      reference = excluded.reference, state = excluded.state, content = excluded.content,
      shipment = excluded.shipment, skipped_reason = excluded.skipped_reason, skipped_by = excluded.skipped_by,
      version = excluded.version, changed_by = excluded.changed_by, changed_at = now(),
      change = nextval('packbench.order_changes')
  `.execute(connection)
}

/** @returns undefined for an order that a newer version wrote and this one can't read */
function toShared(row: Selectable<FleetSchema['packbench.orders']>): SharedOrder | undefined {
  const { id, reference, state, shipment: shipmentId, skippedReason, skippedBy, version, changedBy } = row
  const { data: content } = sharedContentSchema.nullable().safeParse(row.content)
  if (content === undefined) return undefined
  return { id, reference, state, content, shipmentId, skippedReason, skippedBy, version, changedBy }
}
