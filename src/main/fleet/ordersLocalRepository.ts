import { isDeepStrictEqual } from 'node:util'
import { type Generated, sql } from 'kysely'
import { type OrderIssue, orderValueFields } from '../../shared/orders'
import { checkForStation, withIssues } from '../orders/checks'
import {
  isAmong,
  isFromUnfinishedFile,
  type OrderRecord,
  OrderRepository,
  openStates,
  orderRow,
  toRecord,
  toRow,
} from '../orders/repository'
import type { SettingsStore } from '../settings/settingsStore'
import type { Database } from '../storage/database'
import {
  type LocalOrder,
  type SharedOrder,
  type SharedStanding,
  sharedContentSchema,
  twiceInFleet,
} from './ordersVerdict'
import { toStorable, toStorableJson } from './outbox'

declare module '../storage/database' {
  interface DatabaseSchema {
    /** The fleet that the list is shared with, at most one row. */
    sharedOrders: { fleetId: string; isQueued: number; readUpTo: string }
    fleetOrderOutbox: { number: Generated<number>; orderId: string }
  }
}

/** An order whose newest state the fleet does not have yet. */
export interface OrderEntry {
  number: number
  orderId: string
}

/** What waits to be published of one order. */
export interface WaitingOrder {
  entry: OrderEntry
  order: LocalOrder
}

/** Issues that the fields of an order alone don't show. */
const sharedIssues = new Set(['twice-in-file', twiceInFleet.code])

/** What was typed here while another station changed the same field before. */
const changedElsewhere = 'changed-elsewhere'

/** This station's list as the fleet sees it: what waits to be published, and what came from other stations. */
export class LocalOrdersRepository {
  constructor(
    private readonly database: Database,
    private readonly settings: Pick<SettingsStore, 'current'>,
  ) {}

  /** Queues the whole list once for each fleet that is joined. */
  async begin(fleetId: string): Promise<void> {
    await this.database.transaction().execute(async (transaction) => {
      const known = await transaction.selectFrom('sharedOrders').selectAll().executeTakeFirst()
      if (known?.fleetId === fleetId && known.isQueued === 1) return
      if (known?.fleetId !== fleetId) {
        await transaction
          .updateTable('orders')
          .set({ fleetVersion: null })
          .where('fleetVersion', 'is not', null)
          .execute()
      }
      await sql`
        insert or ignore into fleet_order_outbox (order_id)
        select id from orders order by number
      `.execute(transaction)
      await transaction.deleteFrom('sharedOrders').execute()
      await transaction.insertInto('sharedOrders').values({ fleetId, isQueued: 1, readUpTo: '0' }).execute()
    })
  }

  /** The station left its fleet: changes are not noted any more. */
  async leave(): Promise<void> {
    await this.database.updateTable('sharedOrders').set({ isQueued: 0 }).execute()
    await this.database.deleteFrom('fleetOrderOutbox').execute()
  }

  async readUpTo(): Promise<string> {
    const row = await this.database.selectFrom('sharedOrders').select('readUpTo').executeTakeFirst()
    return row?.readUpTo ?? '0'
  }

  async countWaiting(): Promise<number> {
    const { count } = await this.database
      .selectFrom('fleetOrderOutbox')
      .select((builder) => builder.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return count
  }

  /** The oldest entries after a number, each with what its order says now. */
  async listWaiting(after: number, limit: number): Promise<WaitingOrder[]> {
    const entries = await this.database
      .selectFrom('fleetOrderOutbox')
      .selectAll()
      .where('number', '>', after)
      .orderBy('number')
      .limit(limit)
      .execute()
    return this.withOrders(entries)
  }

  /** What waits of one order. */
  async listWaitingOf(orderId: string): Promise<WaitingOrder[]> {
    const entries = await this.database
      .selectFrom('fleetOrderOutbox')
      .selectAll()
      .where('orderId', '=', orderId)
      .execute()
    return this.withOrders(entries)
  }

  private async withOrders(entries: readonly OrderEntry[]): Promise<WaitingOrder[]> {
    const rows = await this.database
      .selectFrom('orders')
      .select([...orderRow.keyof().options, 'fleetVersion'])
      .where(isAmong(entries.map(({ orderId }) => orderId)))
      .execute()
    const orders = new Map(
      rows.map(({ fleetVersion, ...row }) => [row.id, toLocal(toRecord(row), fleetVersion)]),
    )
    return entries.map((entry) => ({ entry, order: orders.get(entry.orderId) ?? toRemoved(entry.orderId) }))
  }

  /** Whether the fleet knows an order of the list. */
  async isPublished(orderId: string): Promise<boolean> {
    const row = await this.database
      .selectFrom('orders')
      .select('fleetVersion')
      .where('id', '=', orderId)
      .executeTakeFirst()
    return row !== undefined && row.fleetVersion !== null
  }

  /** The orders of the list that the fleet knew. */
  async listPublished(): Promise<string[]> {
    const rows = await this.database
      .selectFrom('orders')
      .select('id')
      .where('fleetVersion', 'is not', null)
      .execute()
    return rows.map(({ id }) => id)
  }

  /** Removes orders that the fleet does not have any more, with what waits of them. */
  dropForgotten(ids: readonly string[]): Promise<void> {
    return this.database.transaction().execute((transaction) => removeOrders(transaction, ids, null))
  }

  /** The fleet has an order as its entry found it; a change that came meanwhile has an entry of its own. */
  async notePublished(published: readonly { entry: OrderEntry; version: number | null }[]): Promise<void> {
    await this.database.transaction().execute(async (transaction) => {
      for (const { entry, version } of published) {
        await transaction.deleteFrom('fleetOrderOutbox').where('number', '=', entry.number).execute()
        await transaction
          .updateTable('orders')
          .set({ fleetVersion: version })
          .where('id', '=', entry.orderId)
          .execute()
      }
    })
  }

  /**
   * An order that another station brought in before, and that says the same: the other one stands, unless this one was
   * changed again since its entry was read.
   */
  async dropTwin(entry: OrderEntry): Promise<void> {
    await this.database.transaction().execute(async (transaction) => {
      const deleted = await transaction
        .deleteFrom('fleetOrderOutbox')
        .where('number', '=', entry.number)
        .executeTakeFirst()
      if (deleted.numDeletedRows !== 1n) return
      await transaction.deleteFrom('orders').where('id', '=', entry.orderId).execute()
      // Its removal is nothing to publish.
      await transaction.deleteFrom('fleetOrderOutbox').where('orderId', '=', entry.orderId).execute()
    })
  }

  /**
   * Takes what the fleet says into the list, in one durable step. An order that was changed here and is not published yet
   * stays: its publication decides.
   * @param upTo how far the fleet's changes are read by that
   * @returns whether the list is another one
   */
  take(orders: readonly SharedOrder[], upTo: string): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      const ids = orders.map(({ id }) => id)
      const rows = await transaction
        .selectFrom('fleetOrderOutbox')
        .select('orderId')
        .where(isAmong(ids, 'orderId'))
        .execute()
      const waiting = new Set(rows.map(({ orderId }) => orderId))
      const taken = orders.filter(({ id }) => !waiting.has(id))
      const isChanged = await this.write(transaction, taken)
      await transaction.updateTable('sharedOrders').set({ readUpTo: upTo }).execute()
      return isChanged
    })
  }

  /**
   * Replaces an order by what the fleet says, unless it was changed again since its entry was read.
   * @param marks what the replaced fields are marked with
   */
  takeInstead(entry: OrderEntry, fleet: SharedOrder, marks: readonly OrderIssue[]): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      const deleted = await transaction
        .deleteFrom('fleetOrderOutbox')
        .where('number', '=', entry.number)
        .executeTakeFirst()
      if (deleted.numDeletedRows === 1n) await this.write(transaction, [fleet], marks)
    })
  }

  private async write(
    transaction: Database,
    orders: readonly SharedOrder[],
    marks: readonly OrderIssue[] = [],
  ): Promise<boolean> {
    const rows = await transaction
      .selectFrom('orders')
      .select([...orderRow.keyof().options, 'fleetVersion'])
      .where(isAmong(orders.map(({ id }) => id)))
      .execute()
    const known = new Map(rows.map((row) => [row.id, row] as const))
    const isNewer = ({ id, content, version }: SharedOrder) => {
      const before = known.get(id)
      return before === undefined ? content !== null : (before.fleetVersion ?? 0) < version
    }
    const written = orders.filter(isNewer)
    for (const order of written) {
      const before = known.get(order.id)
      const row = before === undefined ? undefined : toRecord(before)
      await this.writeOne(transaction, order, row, marks)
    }
    if (written.length === 0) return false
    await new OrderRepository(transaction).markShippedEarlier(written.map(({ id }) => id))
    return true
  }

  /** A row that comes with a version of the fleet is no change of this station: the triggers leave it out. */
  private async writeOne(
    transaction: Database,
    { id, state, content, version: fleetVersion, ...closing }: SharedOrder,
    before: OrderRecord | undefined,
    marks: readonly OrderIssue[],
  ): Promise<void> {
    if (content === null) {
      await removeOrders(transaction, [id], fleetVersion)
      return
    }
    const { issues: shared, ...said } = content
    const marked = before?.issues.filter(({ code }) => code === changedElsewhere) ?? []
    const isClosed = state === 'shipped' || state === 'skipped'
    const settings = this.settings.current()
    const own = isClosed ? [] : checkForStation(said, settings)
    const issues = isClosed ? shared : [...own, ...shared, ...marked, ...marks]
    // What another station imports anew comes from there, whoever brought it in first.
    const isFromHere = before !== undefined && isDeepStrictEqual(before.source, said.source)
    const origin = isFromHere ? before.origin : 'other-station'
    const row = {
      ...toRow({ ...withIssues({ ...said, id, origin }, issues, settings), ...(isClosed && { state }) }),
      ...{ shipmentId: closing.shipmentId, fleetVersion },
      ...{ skippedReason: closing.skippedReason, skippedBy: closing.skippedBy },
    }
    if (before === undefined) await transaction.insertInto('orders').values(row).execute()
    else await transaction.updateTable('orders').set(row).where('id', '=', id).execute()
  }
}

/** Marks of the fields that were changed here while another station changed the order before. */
export function markOverruled({ content: local }: LocalOrder, { content: fleet }: SharedOrder): OrderIssue[] {
  if (local === null || fleet === null) return []
  return orderValueFields
    .filter((field) => (local.values[field] ?? '') !== (fleet.values[field] ?? ''))
    .map((field) => ({ field, code: changedElsewhere }))
}

/**
 * Removes orders that the fleet has removed. One whose order file waits here for its result stays until that is written, or
 * the file would list it again: it was shipped or skipped, and what this station missed of that its claim tells.
 * @param fleetVersion the version that those are kept with; null when the fleet does not know them any more
 */
async function removeOrders(
  transaction: Database,
  ids: readonly string[],
  fleetVersion: number | null,
): Promise<void> {
  await transaction
    .updateTable('orders')
    .set({ state: 'skipped', skippedReason: '–', fleetVersion })
    .where(isAmong(ids))
    .where('state', 'in', openStates)
    .where(isFromUnfinishedFile)
    .execute()
  await transaction
    .updateTable('orders')
    .set({ fleetVersion })
    .where(isAmong(ids))
    .where(isFromUnfinishedFile)
    .execute()
  await transaction
    .deleteFrom('orders')
    .where(isAmong(ids))
    .where(sql<boolean>`not ${isFromUnfinishedFile}`)
    .execute()
  await transaction.deleteFrom('fleetOrderOutbox').where(isAmong(ids, 'orderId')).execute()
}

function toLocal(order: OrderRecord, version: number | null): LocalOrder {
  const { values, items, issues, source, orderValue, currency, columns, extras, importedAt, orderDate } =
    order
  const content = {
    ...{ values, items, source, orderValue, currency, columns, extras, importedAt, orderDate },
    issues: issues.filter(({ code }) => sharedIssues.has(code)),
  }
  const standing: SharedStanding = {
    state: order.state === 'shipped' || order.state === 'skipped' ? order.state : 'open',
    // As it comes back, so that the two can be compared.
    content: sharedContentSchema.parse(JSON.parse(toStorableJson(content))),
    shipmentId: order.shipmentId,
    skippedReason: order.skippedReason === null ? null : toStorable(order.skippedReason),
    skippedBy: order.skippedBy == null ? null : toStorable(order.skippedBy),
  }
  return { ...standing, id: order.id, reference: standing.content?.values.reference ?? '', version }
}

/** Retention removed it here, so its personal data go everywhere. */
function toRemoved(id: string): LocalOrder {
  const nothing = { content: null, shipmentId: null, skippedReason: null, skippedBy: null }
  return { ...nothing, id, reference: '', state: 'removed', version: null }
}
