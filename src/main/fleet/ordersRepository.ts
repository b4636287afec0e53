import { type Selectable, sql } from 'kysely'
import type { OrderHolder } from '../../shared/orders'
import type { FleetDatabase } from './connection'
import {
  judgeOrder,
  type LocalOrder,
  type OrderVerdict,
  type SharedOrder,
  sharedContentSchema,
} from './ordersVerdict'
import type { FleetSchema } from './schema'
import { fleetMigrations } from './schema'
import { findNewerSchema } from './schemaRepository'

/** Key of the advisory lock under which orders change: whoever reads by the count of changes skips none. */
const changeLock = 7_225_369

/** How long a station has an order without a sign of life, by the server's clock. */
export const leaseSeconds = 30

/** Days that a removed order is remembered, for stations that were away. */
const removedDays = 90

/** An order that a station has. */
export interface Lease extends OrderHolder {
  orderId: string
  stationId: string
}

/** What was published of an order, and what the fleet says of it now; undefined when it knows nothing. */
export interface Published {
  order: LocalOrder
  verdict: OrderVerdict
  fleet: SharedOrder | undefined
}

/** An order of the fleet says something that this version does not understand. */
export class UnreadableOrder extends Error {}

/** Orders of all stations. Every method throws what the connection throws. */
export class FleetOrdersRepository {
  constructor(
    private readonly database: FleetDatabase,
    private readonly knownVersion = fleetMigrations.length,
  ) {}

  /**
   * Publishes what a station's list says of some orders, one publication of the whole fleet at a time. Repeating it
   * changes nothing. Throws the `AppError` of a schema that became newer, and `UnreadableOrder`.
   */
  publish(station: string, orders: readonly LocalOrder[]): Promise<Published[]> {
    return this.database.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(changeLock)})`.execute(transaction)
      const newer = await findNewerSchema(transaction, this.knownVersion)
      // Whoever publishes knows it by its code: nothing may be written any more.
      if (newer !== undefined) throw Object.assign(new Error(newer.message), newer)
      const ids = orders.map(({ id }) => id)
      const known = new Map((await findOrders(transaction, ids)).map((order) => [order.id, order]))
      const unknown = orders.filter(({ id, state }) => state === 'open' && !known.has(id))
      const twins = await findTwins(transaction, station, unknown)
      const published = orders.map((order) => {
        const fleet = known.get(order.id)
        const twin = twins.get(order.reference)
        const verdict = judgeOrder(order, fleet, twin, station)
        return { order, verdict, fleet: verdict.kind === 'twin' ? twin : fleet }
      })
      const written = published.flatMap(({ order, verdict }): SharedOrder[] =>
        verdict.kind === 'write'
          ? [
              {
                id: order.id,
                reference: verdict.standing.content?.values.reference ?? order.reference,
                ...verdict.standing,
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

  /** What changed behind a count of changes, in order; the ids of what can't be read; and the count up to there. */
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

  /** Who has which order. A lease that ran out belongs to nobody. */
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
   * Takes an open order for a station, in one statement: the lease's row decides. A lease that ran out is free.
   * @returns `unknown` for an order that the fleet does not have
   */
  async take(
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
    // It ended between the two questions.
    return lease ?? this.take(orderId, { station, operator, takeOver })
  }

  /**
   * Takes the first orders that are free, or this station's own, for a batch. Stations that ask in the same moment pass over the orders that the
   * others are just taking.
   * @param ids in the order of the list
   * @returns those that were taken
   */
  async takePortion(
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

  /** Where some orders stand; those that the fleet does not know are left out. */
  async listStates(ids: readonly string[]): Promise<Map<string, SharedOrder['state']>> {
    const rows = await this.database
      .selectFrom('packbench.orders')
      .select(['id', 'state'])
      .where(sql<boolean>`id = any(${sql.val([...ids])}::text[])`)
      .execute()
    return new Map(rows.map(({ id, state }) => [id, state]))
  }

  /** Shows that a station is at work on its orders; gives those that it still has. */
  async renew(station: string, ids: readonly string[]): Promise<string[]> {
    const rows = await this.database
      .updateTable('packbench.orderLeases')
      .set({ leaseUntil: sql<Date>`now() + make_interval(secs => ${leaseSeconds})` })
      .where('station', '=', station)
      .where(sql<boolean>`order_id = any(${sql.val([...ids])}::text[])`)
      .returning('orderId')
      .execute()
    return rows.map(({ orderId }) => orderId)
  }

  async giveBack(station: string, ids: readonly string[]): Promise<void> {
    await this.database
      .deleteFrom('packbench.orderLeases')
      .where('station', '=', station)
      .where(sql<boolean>`order_id = any(${sql.val([...ids])}::text[])`)
      .execute()
  }

  /** Gives back what an earlier run of a station left, and forgets what was removed long ago. */
  async tidy(station: string, kept: readonly string[]): Promise<void> {
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

  /** Whether removals that came behind a count of changes are not remembered any more. */
  async hasForgottenSince(readUpTo: string): Promise<boolean> {
    const { rows } = await sql<{ isSo: boolean }>`
      select orders_forgotten > ${readUpTo}::bigint as is_so from packbench.schema_version
    `.execute(this.database)
    return rows[0]?.isSo === true
  }

  /** Which of some references stations have created or left unknown. */
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
      throw new UnreadableOrder(`the fleet says of ${row.id} what is not understood here`)
    return order
  })
}

/** Open orders of the same references that other stations brought in, the first of each. */
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

/** In one statement, however many there are. */
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

/** @returns undefined for what another version wrote and this one does not understand */
function toShared(row: Selectable<FleetSchema['packbench.orders']>): SharedOrder | undefined {
  const { id, reference, state, shipment: shipmentId, skippedReason, skippedBy, version, changedBy } = row
  const { data: content } = sharedContentSchema.nullable().safeParse(row.content)
  if (content === undefined) return undefined
  return { id, reference, state, content, shipmentId, skippedReason, skippedBy, version, changedBy }
}
