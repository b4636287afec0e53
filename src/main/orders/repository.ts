import { type Generated, sql } from 'kysely'
import { z } from 'zod'
import { normalizeText } from '../../shared/fields'
import { foldText } from '../../shared/foldText'
import {
  type Order,
  type OrderExtras,
  type OrderMapping,
  type OrderQuery,
  type OrderState,
  type OrderValues,
  orderExtrasSchema,
  orderIssueSchema,
  orderItemSchema,
  orderMappingSchema,
  orderOriginSchema,
  orderSourceSchema,
  orderStateSchema,
  orderValuesSchema,
} from '../../shared/orders'
import { toDay } from '../lib/localDay'
import { type Blocker, findBlocker, listEarlier } from '../shipments/duplicateGuard'
import {
  compileOnce,
  type Database,
  jsonColumn,
  type Placeholders,
  type TableOf,
  unsynced,
  valuesIn,
} from '../storage/database'
import { isShortened } from '../tables/cells'
import { toConsigneeKey } from './address'

/** An order with the values that the list does not show. */
export interface OrderRecord extends Omit<Order, 'rule'> {
  /** Decimal text; empty if the file has none. */
  orderValue: string
  currency: string
  /** The row of the file by its own headings, for rules. */
  columns: Record<string, string>
  extras?: OrderExtras | undefined
}

/** The state of an order in the list. */
export interface OrderStanding extends Pick<OrderRecord, 'id' | 'state' | 'shipmentId' | 'skippedReason'> {
  reference: string
  isFirst: boolean
}

/** An order with new content, and the filter value that follows from it. */
export type RewrittenOrder = OrderRecord & Pick<SavedOrder, 'carrierOption'>

/** Columns of an open order that are derived from its content and the rules. */
export interface OrderKeys {
  number: number
  content: string
  reference: string
  /** Null if an older version wrote the row. */
  carrierOption: string | null
  consigneeKey: string | null
}

/** A new order; the repository assigns its number. */
export type NewOrder = Omit<OrderRecord, 'shipmentId' | 'skippedReason' | 'skippedBy'>

/** A new order with the filter value that follows from its content and the rules. */
export type SavedOrder = NewOrder & { carrierOption: string }

/** The JSON in the `content` column. */
export const orderContentSchema = z.object({
  values: orderValuesSchema,
  items: z.array(orderItemSchema),
  issues: z.array(orderIssueSchema),
  source: orderSourceSchema,
  orderValue: z.string(),
  currency: z.string(),
  columns: z.record(z.string(), z.string()),
  extras: orderExtrasSchema.optional(),
})

/** An earlier version stored order numbers as dates; read as a missing date, they don't make the whole list unreadable. */
export const orderDateColumn = z.iso.date().nullable().catch(null)

export const orderRow = z.object({
  id: z.uuid(),
  state: orderStateSchema,
  origin: orderOriginSchema,
  content: jsonColumn(orderContentSchema),
  importedAt: z.string(),
  orderDate: orderDateColumn,
  shipmentId: z.string().nullable(),
  skippedReason: z.string().nullable(),
  skippedBy: z.string().nullable(),
})

const mappingRow = z.object({ headerKey: z.string(), mapping: jsonColumn(orderMappingSchema) })

declare module '../storage/database' {
  interface DatabaseSchema {
    /** The list filters, sorts and searches by the columns beside `content`. */
    orders: TableOf<typeof orderRow> & {
      number: Generated<number>
      reference: string
      consignee: string
      country: string
      sourceName: string
      searchText: string
      /** The date of the order, otherwise of its import. */
      day: string
      /** Null if an older version wrote the row. */
      carrierOption: string | null
      /** See `toConsigneeKey`. Null if an older version wrote the row. */
      consigneeKey: string | null
      /** The version of the order in the fleet's database that this row has; null if it is not there. */
      fleetVersion: number | null
    }
    orderMappings: TableOf<typeof mappingRow>
  }
}

const chunk = 500

/** The condition that a column contains one of any number of order ids. */
export function isAmong(ids: readonly string[], column: 'id' | 'orderId' = 'id') {
  return sql<boolean>`${sql.ref(column)} in ${valuesIn(JSON.stringify(ids))}`
}

/** The column for each sort order. */
export const sortColumns = {
  imported: 'number',
  reference: 'reference',
  date: 'orderDate',
  consignee: 'consignee',
  country: 'country',
} as const

/** Orders that can be shipped, corrected or skipped. */
export const openStates: readonly OrderState[] = ['to-ship', 'problem']

/** Issues of an order that repeats the reference of another one with other content: one of the two has to change. */
export const twiceInFile = { field: 'reference', code: 'twice-in-file' } as const
/** As `twiceInFile`, for orders that two stations imported. */
export const twiceInFleet = { field: 'reference', code: 'twice-in-fleet' } as const
/** The codes of both. */
export const repeatedCodes: ReadonlySet<string> = new Set([twiceInFile.code, twiceInFleet.code])

/** Whether an order has an issue of `repeatedCodes`. */
export function isRepeated(orders: 'orders' | 'other') {
  const has = (code: string) => sql`instr(${sql.ref(`${orders}.content`)}, ${sql.lit(`"${code}"`)}) > 0`
  return sql<boolean>`(${has(twiceInFile.code)} or ${has(twiceInFleet.code)})`
}

/** The kind of an order's source; `origin` differs at the stations that got the order from another one. */
const sourceKind = sql<string>`json_extract(orders.content, '$.source.kind')`

/**
 * Whether an order is the repeated one of a reference. The shipment of the other order does not end it, since its own parcel
 * was not sent. An order of the hot folder is ended all the same: the result of its file is a duplicate.
 */
const isRepeatedOutsideHotFolder = sql<boolean>`(
  +orders.state = 'problem' and ${isRepeated('orders')}
  and ${sourceKind} <> 'hot-folder'
)`

/** Whether an order came in an order file of this station that has no result yet. */
export const isFromUnfinishedFile = sql<boolean>`(
  source_name in (select name from order_files where state = 'working')
  and json_extract(content, '$.source.kind') = 'hot-folder'
)`

/** Stores orders: to ship, with a problem, shipped or skipped. */
export class OrderRepository {
  constructor(private readonly database: Database) {}

  /**
   * Open orders with higher numbers than `after`, oldest first.
   * @param onlyOutdated only those with a problem, and those that an older version wrote
   */
  async listOpenAfter(
    after: number,
    limit: number,
    onlyOutdated: boolean,
  ): Promise<(OrderKeys & { order: OrderRecord })[]> {
    let open = this.database
      .selectFrom('orders')
      .select(['number', 'reference', 'carrierOption', 'consigneeKey', ...orderRow.keyof().options])
      .where('number', '>', after)
      .where('state', 'in', openStates)
    if (onlyOutdated) {
      open = open.where((where) =>
        where.or([
          where('state', '=', 'problem'),
          where('carrierOption', 'is', null),
          where('consigneeKey', 'is', null),
        ]),
      )
    }
    const rows = await open.orderBy('number').limit(limit).execute()
    return rows.map(({ number, reference, carrierOption, consigneeKey, ...row }) => {
      return { number, content: row.content, reference, carrierOption, consigneeKey, order: toRecord(row) }
    })
  }

  /** Open orders whose reference has one of the prefixes (ignoring case), or that have one of the issues. */
  async listOpenByPrefixOrIssue(
    prefixes: readonly string[],
    codes: readonly string[],
  ): Promise<OrderRecord[]> {
    const rows = await this.database
      .selectFrom('orders')
      .select(orderRow.keyof().options)
      .where('state', 'in', openStates)
      .where((where) =>
        where.or([
          ...prefixes.map(
            (prefix) => sql<boolean>`upper(substr(reference, 1, ${prefix.length})) = ${prefix.toUpperCase()}`,
          ),
          ...codes.map((code) => sql<boolean>`state = 'problem' and instr(content, ${`"${code}"`}) > 0`),
        ]),
      )
      .execute()
    return rows.map(toRecord)
  }

  /** Stores keys, except for orders whose content has changed since: that change stored new keys. */
  async saveKeys(keys: readonly OrderKeys[]): Promise<void> {
    await this.database.transaction().execute(async (transaction) => {
      for (const { number, content, ...found } of keys) {
        await transaction
          .updateTable('orders')
          .set(found)
          .where('number', '=', number)
          .where('content', '=', content)
          .execute()
      }
    })
  }

  /**
   * Reads, transforms and writes orders in one transaction, so that no concurrent change is lost. Orders in other states than
   * `from`, and those for which `rewrite` returns undefined, do not change.
   * @returns the changed orders
   */
  async rewrite(
    ids: readonly string[],
    from: readonly OrderState[],
    rewrite: (
      order: OrderRecord,
      transaction: Database,
    ) => RewrittenOrder | undefined | Promise<RewrittenOrder | undefined>,
  ): Promise<RewrittenOrder[]> {
    return this.database.transaction().execute(async (transaction) => {
      const rows = await transaction
        .selectFrom('orders')
        .select(orderRow.keyof().options)
        .where(isAmong(ids))
        .where('state', 'in', from)
        .execute()
      const rewritten: RewrittenOrder[] = []
      for (const row of rows) {
        const order = await rewrite(toRecord(row), transaction)
        if (order === undefined) continue
        rewritten.push(order)
        await transaction
          .updateTable('orders')
          .set({ ...toRow(order), skippedReason: null, skippedBy: null })
          .where('id', '=', order.id)
          .execute()
      }
      return rewritten
    })
  }

  /** Orders to ship to a consignee, oldest first. */
  async listToShip(consigneeKey: string, limit: number): Promise<OrderRecord[]> {
    const rows = await this.database
      .selectFrom('orders')
      .select(orderRow.keyof().options)
      .where('consigneeKey', '=', consigneeKey)
      .where('state', '=', 'to-ship')
      .orderBy('number')
      .limit(limit)
      .execute()
    return rows.map(toRecord)
  }

  async find(id: string): Promise<OrderRecord | undefined> {
    const { rows } = await selectOrder(this.database, { id })
    return rows[0] === undefined ? undefined : toRecord(rows[0])
  }

  async findAll(ids: readonly string[]): Promise<Map<string, OrderRecord>> {
    const rows = await this.database
      .selectFrom('orders')
      .select(orderRow.keyof().options)
      .where(isAmong(ids))
      .execute()
    return new Map(rows.map((row) => [row.id, toRecord(row)] as const))
  }

  /** The open ones of the orders, in the sort order of the list. */
  async listOpen(
    ids: readonly string[],
    sort: OrderQuery['sort'],
    descending: boolean,
  ): Promise<{ id: string; reference: string }[]> {
    const direction = descending ? 'desc' : 'asc'
    return this.database
      .selectFrom('orders')
      .select(['id', writtenReference.as('reference')])
      .where(isAmong(ids))
      .where('state', 'in', openStates)
      .orderBy(sortColumns[sort], direction)
      .orderBy('number', direction)
      .execute()
  }

  /** The oldest open order of a reference; one that repeats the reference only if it is alone. */
  async findOpen(reference: string): Promise<OrderRecord | undefined> {
    const row = await this.database
      .selectFrom('orders')
      .selectAll()
      .where('reference', '=', normalizeText(reference))
      .where('state', 'in', openStates)
      .orderBy(isRepeated('orders'))
      .orderBy('number')
      .executeTakeFirst()
    return row === undefined ? undefined : toRecord(row)
  }

  /**
   * The references that are in the list, each with the order that `findOpen` finds, or a closed one if none is open.
   * `further` are the ids of the other open orders, except those that an order file of the hot folder waits for.
   */
  async findKnownReferences(
    references: readonly string[],
  ): Promise<Map<string, { id: string; state: OrderState; further: string[] }>> {
    const known = new Map<string, { id: string; state: OrderState; further: string[] }>()
    for (let from = 0; from < references.length; from += chunk) {
      const rows = await this.database
        .selectFrom('orders')
        .select(['reference', 'id', 'state', sourceKind.as('sourceKind')])
        .where('reference', 'in', references.slice(from, from + chunk))
        .orderBy(sql`state not in ('to-ship', 'problem')`)
        .orderBy(isRepeated('orders'))
        .orderBy('number')
        .execute()
      for (const { reference, id, sourceKind, ...row } of rows) {
        const state = orderStateSchema.parse(row.state)
        const found = known.get(reference)
        if (found === undefined) known.set(reference, { id, state, further: [] })
        else if (openStates.includes(state) && sourceKind !== 'hot-folder') found.further.push(id)
      }
    }
    return known
  }

  /** The references that orders other than these have, except skipped ones. */
  async findReferencesOfOthers(references: readonly string[], ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.database
      .selectFrom('orders')
      .select('reference')
      .distinct()
      .where('reference', 'in', valuesIn(JSON.stringify(references)))
      .where('state', '<>', 'skipped')
      .where(sql<boolean>`not ${isAmong(ids)}`)
      .execute()
    return new Set(rows.map(({ reference }) => reference))
  }

  /** The states of orders that are in the list. `isFirst` marks the oldest order that a shipment ended. */
  async findStanding(ids: readonly string[]): Promise<OrderStanding[]> {
    const standing: OrderStanding[] = []
    for (let from = 0; from < ids.length; from += chunk) {
      const rows = await this.database
        .selectFrom('orders')
        .select(['id', writtenReference.as('reference'), 'state', 'shipmentId', 'skippedReason'])
        .select(
          sql<number>`(select count(*) from orders earlier where earlier.reference = orders.reference
            and earlier.shipment_id = orders.shipment_id and ${arrival('earlier')} < ${arrival('orders')})`.as(
            'earlier',
          ),
        )
        .where('id', 'in', ids.slice(from, from + chunk))
        .execute()
      standing.push(
        ...rows.map(({ state, earlier, ...row }) => ({
          ...row,
          state: orderStateSchema.parse(state),
          isFirst: earlier === 0,
        })),
      )
    }
    return standing
  }

  /**
   * Adds and replaces orders in one transaction. Does not replace an order that is not open any more: it may have been
   * shipped or skipped since it was read.
   * @returns the ids of the replaced orders
   */
  async save(added: readonly SavedOrder[], replaced: readonly SavedOrder[]): Promise<Set<string>> {
    return this.database.transaction().execute(async (transaction) => {
      const done = new Set<string>()
      for (let start = 0; start < added.length; start += chunk) {
        await transaction
          .insertInto('orders')
          .values(added.slice(start, start + chunk).map((order) => ({ ...toRow(order), fleetVersion: null })))
          .execute()
      }
      for (const order of replaced) {
        const { numUpdatedRows } = await transaction
          .updateTable('orders')
          .set({ ...toRow(order), skippedReason: null, skippedBy: null })
          .where('id', '=', order.id)
          .where('state', 'in', openStates)
          .executeTakeFirst()
        if (numUpdatedRows > 0n) done.add(order.id)
      }
      return done
    })
  }

  /** Skips open orders; returns their ids. */
  async skip(
    ids: readonly string[],
    skippedReason: string,
    skippedBy: string | null = null,
    state?: OrderState,
  ): Promise<string[]> {
    const states = openStates.filter((open) => state === undefined || open === state)
    const skipped = await this.database
      .updateTable('orders')
      .set({ state: 'skipped', skippedReason, skippedBy })
      .where(isAmong(ids))
      .where('state', 'in', states)
      .returning('id')
      .execute()
    return skipped.map(({ id }) => id)
  }

  /**
   * Marks open orders of the references, and those whose shipment was cancelled, as shipped; false if there are none. The
   * order that repeats a reference stays open when the shipment is that of the other order.
   */
  async markShipped(references: readonly string[], shipmentId: string): Promise<boolean> {
    const { numAffectedRows = 0n } = await updateShipped(this.database, {
      references: JSON.stringify(references),
      shipmentId,
    })
    return numAffectedRows > 0n
  }

  /**
   * Marks orders whose shipments were created without `markShipped`, for example before a crash. Orders that repeat a
   * reference stay open: which order a shipment was made of is not known any more. A shipment that was cancelled at the carrier
   * does not count: its parcel is still to be shipped.
   * @param ids only these orders; all by default
   */
  async markShippedEarlier(ids?: readonly string[]): Promise<void> {
    const among = ids === undefined ? sql`` : sql`${isAmong(ids)} and`
    const shipped = sql`
      from shipments
      where (shipments.reference = orders.reference or shipments.id in (
        select shipment_id from combined_references where combined_references.reference = orders.reference
      )) and (shipments.state = 'created' or shipments.settled_verdict = 'exists') and shipments.cancelled_at is null
    `
    await sql`
      update orders set state = 'shipped', shipment_id = (
        select shipments.id ${shipped} order by shipments.number desc limit 1
      )
      where ${among} state in ('to-ship', 'problem') and not ${isRepeatedOutsideHotFolder} and exists (select 1 ${shipped})
    `.execute(this.database)
  }

  /**
   * Removes shipped and skipped orders that were imported before a moment; returns how many. Orders of an unfinished order
   * file stay, because the file would add them again.
   */
  async forgetClosed(before: Date): Promise<number> {
    const result = await this.database
      .deleteFrom('orders')
      .where('state', 'in', ['shipped', 'skipped'])
      .where('importedAt', '<', before.toISOString())
      .where(sql<boolean>`not ${isFromUnfinishedFile}`)
      .executeTakeFirst()
    return Number(result.numDeletedRows)
  }

  /** The mapping that was last used for files with the same columns. */
  async findMapping(headerKey: string): Promise<OrderMapping | undefined> {
    const row = await this.database
      .selectFrom('orderMappings')
      .select('mapping')
      .where('headerKey', '=', headerKey)
      .executeTakeFirst()
    return row === undefined ? undefined : orderMappingSchema.safeParse(JSON.parse(row.mapping)).data
  }

  async rememberMapping(headerKey: string, mapping: OrderMapping): Promise<void> {
    const columns = { headerKey: headerKey, mapping: JSON.stringify(mapping) }
    await this.database
      .insertInto('orderMappings')
      .values(columns)
      .onConflict((conflict) => conflict.column('headerKey').doUpdateSet({ mapping: columns.mapping }))
      .execute()
  }
}

const selectOrder = compileOnce((database: Database, { id }: Placeholders<{ id: string }>) =>
  database.selectFrom('orders').selectAll().where('id', '=', id).compile(),
)

const updateShipped = compileOnce(
  (
    database: Database,
    { references, shipmentId }: Placeholders<{ references: string; shipmentId: string }>,
  ) =>
    database
      .updateTable('orders')
      .set({ state: 'shipped', shipmentId })
      .where('reference', 'in', valuesIn(references))
      // The plus prevents SQLite from using the index on the state, which would read all open orders. A shipped order is
      // updated if it was shipped again after its shipment was cancelled at the carrier.
      .where(sql<boolean>`(+orders.state in ('to-ship', 'problem') or ${isShipmentCancelled('orders')})`)
      .where(
        sql<boolean>`not (${isRepeatedOutsideHotFolder} and exists (
          select 1 from orders other
          where other.reference = orders.reference and other.id <> orders.id
            and (not ${isRepeated('other')} or other.number < orders.number)
            and (+other.state in ('to-ship', 'problem') or other.shipment_id = ${shipmentId}
              or ${isShipmentCancelled('other')})
        ))`,
      )
      .modifyEnd(unsynced)
      .compile(),
)

/** Whether an order was shipped and its shipment was cancelled at the carrier. */
function isShipmentCancelled(orders: 'orders' | 'other') {
  const of = (column: string) => sql.ref(`${orders}.${column}`)
  return sql<boolean>`(+${of('state')} = 'shipped' and exists (
    select 1 from shipments where shipments.id = ${of('shipment_id')} and cancelled_at is not null
  ))`
}

/** The order of arrival that all stations of a fleet agree on; row numbers differ between stations. */
function arrival(orders: 'orders' | 'earlier') {
  const of = (column: string) => sql.ref(`${orders}.${column}`)
  return sql`(${of('importedAt')}, ${sourceLine(orders)}, ${of('id')})`
}

/** The line of an order in its file; 0 if it has none. */
export function sourceLine(orders: 'orders' | 'earlier') {
  return sql<number>`coalesce(json_extract(${sql.ref(`${orders}.content`)}, '$.source.line'), 0)`
}

/** The reference of an order, also one that a spreadsheet shortened; see `toReferenceKey`. */
const writtenReference = sql<string>`coalesce(nullif(orders.reference, ''), json_extract(orders.content, '$.values.reference'), '')`

/** The shipment in progress, or of unknown outcome, that ends an open order if it exists. */
export async function findShipmentUnderWay(
  connection: Database,
  { id, values }: OrderRecord,
): Promise<Blocker | undefined> {
  const reference = normalizeText(values.reference ?? '')
  const blocker = findBlocker(await listEarlier(connection, reference))
  if (blocker === undefined || blocker.kind === 'already-created') return undefined
  const ended = await new OrderRepository(connection).findOpen(reference)
  return ended?.id === id ? blocker : undefined
}

/** Normalizes text for the search: lower case, without accents. */
function toSearchText(text: string): string {
  return foldText(text).replace(/\s+/g, ' ').trim()
}

/** The reference that identifies an order; empty if it is missing, or if a spreadsheet shortened it, as it does with others. */
export function toReferenceKey({ reference = '' }: OrderValues): string {
  return isShortened(reference) ? '' : normalizeText(reference)
}

/** The columns that are derived from an order. */
export function toRow(order: SavedOrder) {
  const { values, items, issues, source, orderValue, currency, columns, extras } = order
  const { companyName = '', firstName = '', lastName = '', country = '' } = values
  const consignee = companyName === '' ? `${firstName} ${lastName}`.trim() : companyName
  const products = items.map(({ sku, name }) => `${sku} ${name}`)
  return {
    id: order.id,
    reference: toReferenceKey(values),
    state: order.state,
    consignee,
    country,
    origin: order.origin,
    sourceName: source.name,
    importedAt: order.importedAt,
    orderDate: order.orderDate,
    day: order.orderDate ?? toDay(new Date(order.importedAt)),
    carrierOption: order.carrierOption,
    consigneeKey: toConsigneeKey(values),
    content: JSON.stringify({ values, items, issues, source, orderValue, currency, columns, extras }),
    searchText: toSearchText([...Object.values(values), ...products].join(' ')),
  }
}

export function toRecord(row: z.input<typeof orderRow>): OrderRecord {
  const { content, ...order } = orderRow.parse(row)
  return { ...order, ...content }
}
