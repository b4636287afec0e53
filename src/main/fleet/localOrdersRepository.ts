import { isDeepStrictEqual } from 'node:util'
import { type Generated, sql } from 'kysely'
import { normalizeText } from '../../shared/fields'
import { changedElsewhere, newerElsewhere, type OrderIssue, orderValueFields } from '../../shared/orders'
import { checkForStation, withIssues } from '../orders/checks'
import {
  findShipmentUnderWay,
  isAmong,
  isFromUnfinishedFile,
  isRepeated,
  type OrderRecord,
  OrderRepository,
  openStates,
  orderRow,
  repeatedCodes,
  sourceLine,
  toRecord,
  toRow,
} from '../orders/repository'
import type { SettingsStore } from '../settings/settingsStore'
import { countRows, type Database } from '../storage/database'
import {
  type LocalOrder,
  type SharedOrder,
  type SharedOrderState,
  sharedContentSchema,
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

/** This station's copy of the shared list: changes waiting to be published, and orders received from other stations. */
export class LocalOrdersRepository {
  constructor(
    private readonly database: Database,
    private readonly settings: Pick<SettingsStore, 'current'>,
  ) {}

  /** Queues the whole list once for each fleet that is joined. */
  async queueListOnce(fleetId: string): Promise<void> {
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

  /** Stops recording changes, after the station left its fleet. */
  async leave(): Promise<void> {
    await this.database.updateTable('sharedOrders').set({ isQueued: 0 }).execute()
    await this.database.deleteFrom('fleetOrderOutbox').execute()
  }

  async readUpTo(): Promise<string> {
    const row = await this.database.selectFrom('sharedOrders').select('readUpTo').executeTakeFirst()
    return row?.readUpTo ?? '0'
  }

  countWaiting(): Promise<number> {
    return countRows(this.database.selectFrom('fleetOrderOutbox'))
  }

  /** The oldest entries after a number, each with its order as it is now. */
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

  /** The waiting entries of one order. */
  async listWaitingForOrder(orderId: string): Promise<WaitingOrder[]> {
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

  /**
   * The open orders of references that the fleet knows, in an order that all stations agree on. Those that repeat the
   * reference of another order come last: a shipment of the reference ends the other one.
   */
  listOpenPublished(references: readonly string[]): Promise<{ id: string; reference: string }[]> {
    return (
      this.database
        .selectFrom('orders')
        .select(['id', 'reference'])
        .where('reference', 'in', references)
        .where('fleetVersion', 'is not', null)
        // The plus prevents SQLite from using the index on the state, which would read all open orders.
        .where(sql<string>`+state`, 'in', openStates)
        .orderBy(isRepeated('orders'))
        .orderBy('importedAt')
        .orderBy(sourceLine('orders'))
        .orderBy('id')
        .execute()
    )
  }

  /** One of these references that another station shipped: its shipment is not in this journal. */
  async findShippedElsewhere(references: readonly string[]): Promise<string | undefined> {
    const row = await this.database
      .selectFrom('orders')
      .select('reference')
      .where('reference', 'in', references)
      .where('fleetVersion', 'is not', null)
      // The plus prevents SQLite from using the index on the state.
      .where(sql<string>`+state`, '=', 'shipped')
      .where('shipmentId', 'not in', (builder) => builder.selectFrom('shipments').select('shipments.id'))
      .executeTakeFirst()
    return row?.reference
  }

  /** The orders of the list that were published. */
  async listPublished(): Promise<string[]> {
    const rows = await this.database
      .selectFrom('orders')
      .select('id')
      .where('fleetVersion', 'is not', null)
      .execute()
    return rows.map(({ id }) => id)
  }

  /** Removes orders that the fleet no longer has, with their waiting entries. */
  removeForgotten(ids: readonly string[]): Promise<void> {
    return this.database.transaction().execute((transaction) => removeOrders(transaction, ids, null))
  }

  /** Removes the entries of published orders; a change made meanwhile has its own entry. */
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
   * Replaces an order by the one that another station imported earlier with the same content, also in batches that have not
   * shipped it, unless it was changed again since its entry was read.
   */
  async replaceWithTwin(entry: OrderEntry, twin: SharedOrder): Promise<void> {
    await this.database.transaction().execute(async (transaction) => {
      const deleted = await transaction
        .deleteFrom('fleetOrderOutbox')
        .where('number', '=', entry.number)
        .executeTakeFirst()
      if (deleted.numDeletedRows !== 1n) return
      await transaction.deleteFrom('orders').where('id', '=', entry.orderId).execute()
      // The delete trigger queued the removal, which must not be published.
      await transaction.deleteFrom('fleetOrderOutbox').where('orderId', '=', entry.orderId).execute()
      await sql`
        update batch_items set order_id = ${twin.id}
        where order_id = ${entry.orderId} and outcome <> 'created' or order_id = ${entry.orderId} and outcome is null
          and batch_number in (select number from batches where state <> 'ended')
      `.execute(transaction)
      const known = await transaction
        .selectFrom('orders')
        .select('id')
        .where('id', '=', twin.id)
        .executeTakeFirst()
      if (known === undefined) await this.write(transaction, [twin])
    })
  }

  /**
   * Writes the fleet's changes to the list, in one transaction. An order with an unpublished local change is skipped: its
   * publication decides which version wins. An order whose shipment of this station has no outcome yet keeps its reference,
   * which is published again.
   * @param unreadable the ids of changed orders that this version can't read; they become problems
   * @param upTo the number of the change up to which later sessions need not read again; null to leave it
   * @returns whether the list changed
   */
  applyChanges(
    orders: readonly SharedOrder[],
    unreadable: readonly string[],
    upTo: string | null,
  ): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      const ids = orders.map(({ id }) => id)
      const rows = await transaction
        .selectFrom('fleetOrderOutbox')
        .select('orderId')
        .where(isAmong(ids, 'orderId'))
        .execute()
      const waiting = new Set(rows.map(({ orderId }) => orderId))
      const taken = orders.filter(({ id }) => !waiting.has(id))
      const isChanged = await this.write(transaction, taken, { keepsReferences: true })
      const isMarked = await this.markUnreadable(transaction, unreadable)
      if (upTo !== null) await transaction.updateTable('sharedOrders').set({ readUpTo: upTo }).execute()
      return isChanged || isMarked
    })
  }

  /** @returns whether there are open orders among them that were not marked yet */
  private async markUnreadable(transaction: Database, ids: readonly string[]): Promise<boolean> {
    const rows = await transaction
      .selectFrom('orders')
      .select(orderRow.keyof().options)
      .where(isAmong(ids))
      .where('state', 'in', openStates)
      .execute()
    const isMarked = ({ issues }: OrderRecord) => issues.some(({ code }) => code === newerElsewhere)
    const unmarked = rows.map(toRecord).filter((order) => !isMarked(order))
    for (const order of unmarked) {
      const issues: OrderIssue[] = [...order.issues, { field: 'reference', code: newerElsewhere }]
      const marked = withIssues(order, issues, this.settings.current())
      await transaction.updateTable('orders').set(toRow(marked)).where('id', '=', order.id).execute()
    }
    return unmarked.length > 0
  }

  /**
   * Replaces an order by the fleet's version, unless it was changed again since its entry was read.
   * @param marks issues for the replaced fields
   * @param keepsReferences whether it keeps its reference as in `applyChanges`
   */
  replaceWithShared(
    entry: OrderEntry,
    fleet: SharedOrder,
    writing: { marks: readonly OrderIssue[]; keepsReferences: boolean },
  ): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      const deleted = await transaction
        .deleteFrom('fleetOrderOutbox')
        .where('number', '=', entry.number)
        .executeTakeFirst()
      if (deleted.numDeletedRows === 1n) await this.write(transaction, [fleet], writing)
    })
  }

  private async write(
    transaction: Database,
    orders: readonly SharedOrder[],
    {
      marks = [],
      keepsReferences = false,
    }: { marks?: readonly OrderIssue[]; keepsReferences?: boolean } = {},
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
    const kept = keepsReferences ? await listKept(transaction, written) : new Map<string, OrderRecord>()
    for (const order of written) {
      const before = known.get(order.id)
      const row = before === undefined ? undefined : toRecord(before)
      const keeping = kept.get(order.id)
      if (keeping === undefined) await this.writeOne(transaction, order, row, marks)
      else {
        const others = marks.filter(({ field }) => field !== 'reference')
        await this.writeOne(transaction, withReferenceOf(keeping, order), row, others)
      }
    }
    if (written.length === 0) return false
    await new OrderRepository(transaction).markShippedEarlier(written.map(({ id }) => id))
    for (const orderId of kept.keys()) {
      // The triggers have queued one that `markShippedEarlier` ended.
      await transaction
        .insertInto('fleetOrderOutbox')
        .values({ orderId })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
    return true
  }

  /** The triggers do not queue a row that is written with a new fleet version: it is not a change of this station. */
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
    const { issues: publishedIssues, ...fields } = content
    const marked = before?.issues.filter(({ code }) => code === changedElsewhere) ?? []
    const isClosed = state === 'shipped' || state === 'skipped'
    const settings = this.settings.current()
    const own = isClosed ? [] : checkForStation(fields, settings)
    const issues = isClosed ? publishedIssues : [...own, ...publishedIssues, ...marked, ...marks]
    // An order that another station imports again gets that station as its origin.
    const isSameSource = before !== undefined && isDeepStrictEqual(before.source, fields.source)
    const origin = isSameSource ? before.origin : 'other-station'
    const row = {
      ...toRow({ ...withIssues({ ...fields, id, origin }, issues, settings), ...(isClosed && { state }) }),
      ...{ shipmentId: closing.shipmentId, fleetVersion },
      ...{ skippedReason: closing.skippedReason, skippedBy: closing.skippedBy },
    }
    if (before === undefined) await transaction.insertInto('orders').values(row).execute()
    else await transaction.updateTable('orders').set(row).where('id', '=', id).execute()
  }
}

/**
 * The orders as they are here whose reference other stations changed, although a shipment of this station without an outcome
 * ends them by it.
 */
async function listKept(
  transaction: Database,
  orders: readonly SharedOrder[],
): Promise<Map<string, OrderRecord>> {
  const open = orders.filter(({ state }) => state === 'open')
  const references = new Map(open.map(({ id, reference }) => [id, normalizeText(reference)]))
  const rows = await transaction
    .selectFrom('orders')
    .select(['id', 'reference'])
    .where(isAmong([...references.keys()]))
    .where('state', 'in', openStates)
    .execute()
  const kept = new Map<string, OrderRecord>()
  for (const { id, reference } of rows) {
    if (reference === references.get(id)) continue
    const order = await new OrderRepository(transaction).find(id)
    if (order !== undefined && (await findShipmentUnderWay(transaction, order)) !== undefined)
      kept.set(id, order)
  }
  return kept
}

/** The fleet's order with the reference that it has here, and the issues that belong to that reference. */
function withReferenceOf({ values, issues }: OrderRecord, order: SharedOrder): SharedOrder {
  const { content } = order
  if (content === null) return order
  const { reference = '' } = values
  const repeated = issues.filter(({ code }) => repeatedCodes.has(code))
  return {
    ...order,
    reference,
    content: { ...content, values: { ...content.values, reference }, issues: repeated },
  }
}

/** Issues for the fields whose local change the fleet's version replaces. */
export function markOverruled({ content: local }: LocalOrder, { content: fleet }: SharedOrder): OrderIssue[] {
  if (local === null || fleet === null) return []
  return orderValueFields
    .filter((field) => (local.values[field] ?? '') !== (fleet.values[field] ?? ''))
    .map((field) => ({ field, code: changedElsewhere }))
}

/**
 * Removes orders that the fleet has removed. An order whose order file still waits for its result here is kept until the
 * result is written, or the file would list it again: it was shipped or skipped, and its claim tells this station which.
 * @param fleetVersion the version of the kept orders; null when the fleet no longer knows them
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
    issues: issues.filter(({ code }) => repeatedCodes.has(code)),
  }
  const standing: SharedOrderState = {
    state: order.state === 'shipped' || order.state === 'skipped' ? order.state : 'open',
    // Normalised like content read from the database, so that the two can be compared.
    content: sharedContentSchema.parse(JSON.parse(toStorableJson(content))),
    shipmentId: order.shipmentId,
    skippedReason: order.skippedReason === null ? null : toStorable(order.skippedReason),
    skippedBy: order.skippedBy == null ? null : toStorable(order.skippedBy),
  }
  return { ...standing, id: order.id, reference: standing.content?.values.reference ?? '', version }
}

/** Retention removed the order here: publishing this removes its personal data everywhere. */
function toRemoved(id: string): LocalOrder {
  const nothing = { content: null, shipmentId: null, skippedReason: null, skippedBy: null }
  return { ...nothing, id, reference: '', state: 'removed', version: null }
}
