import { type Generated, sql } from 'kysely'
import { z } from 'zod'
import { foldText } from '../../shared/foldText'
import {
  type Order,
  type OrderExtras,
  type OrderMapping,
  type OrderQuery,
  type OrderState,
  orderExtrasSchema,
  orderIssueSchema,
  orderItemSchema,
  orderMappingSchema,
  orderOriginSchema,
  orderSourceSchema,
  orderStateSchema,
  orderValuesSchema,
} from '../../shared/orders'
import {
  compileOnce,
  type Database,
  jsonColumn,
  type Places,
  type TableOf,
  unsynced,
  valuesIn,
} from '../storage/database'
import { toConsigneeKey } from './address'

/** What an order is kept with, besides what the list shows. */
export interface OrderRecord extends Omit<Order, 'rule'> {
  orderValue: string
  currency: string
  /** The row of the file by its own headings. */
  columns: Record<string, string>
  extras?: OrderExtras | undefined
}

/** Where an order of the list stands. */
export interface OrderStanding extends Pick<OrderRecord, 'id' | 'state' | 'shipmentId' | 'skippedReason'> {
  reference: string
  isFirst: boolean
}

/** An order as it is to be from now on, with what it is looked for by. */
export type RewrittenOrder = OrderRecord & Pick<SavedOrder, 'carrierOption'>

/** What an open order is looked for by, beside the text of its content. */
export interface OrderKeys {
  number: number
  content: string
  /** Null where an older version kept it. */
  carrierOption: string | null
  consigneeKey: string | null
}

/** An order's content; the repository numbers it. */
export type NewOrder = Omit<OrderRecord, 'shipmentId' | 'skippedReason' | 'skippedBy'>

/** An order with what it is looked for by. */
export type SavedOrder = NewOrder & { carrierOption: string }

/** What an order says, besides what the list finds it by. */
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

/** A row of the list. */
export const orderRow = z.object({
  id: z.uuid(),
  state: orderStateSchema,
  origin: orderOriginSchema,
  content: jsonColumn(orderContentSchema),
  importedAt: z.string(),
  orderDate: z.string().nullable(),
  shipmentId: z.string().nullable(),
  skippedReason: z.string().nullable(),
  skippedBy: z.string().nullable(),
})

const mappingRow = z.object({ headerKey: z.string(), mapping: jsonColumn(orderMappingSchema) })

declare module '../storage/database' {
  interface DatabaseSchema {
    /** Columns beside the content are what the list filters, sorts and searches by. */
    orders: TableOf<typeof orderRow> & {
      number: Generated<number>
      reference: string
      consignee: string
      country: string
      sourceName: string
      searchText: string
      /** The order's own day, else that of its import. */
      day: string
      /** Null where an older version kept it. */
      carrierOption: string | null
      /** The same for orders to one consignee; empty when too little is known. Null where an older version kept it. */
      consigneeKey: string | null
      /** The version of the fleet's order that it goes by; null while the fleet does not know it. */
      fleetVersion: number | null
    }
    orderMappings: TableOf<typeof mappingRow>
  }
}

const chunk = 500

/** Whether the id of an order, in some column, is one of any number of ids. */
export function isAmong(ids: readonly string[], column: 'id' | 'orderId' = 'id') {
  return sql<boolean>`${sql.ref(column)} in ${valuesIn(JSON.stringify(ids))}`
}

/** The columns by which lists are sorted. */
export const sortColumns = {
  imported: 'number',
  reference: 'reference',
  date: 'orderDate',
  consignee: 'consignee',
  country: 'country',
} as const

/** What can still be shipped, corrected or skipped. */
export const openStates: readonly OrderState[] = ['to-ship', 'problem']

/** Whether an order came in an order file of this station that has no result yet. */
export const isFromUnfinishedFile = sql<boolean>`(
  source_name in (select name from order_files where state = 'working')
  and json_extract(content, '$.source.kind') = 'hot-folder'
)`

/** Keeps orders: what is to be shipped, what has to be corrected, what was shipped or skipped. */
export class OrderRepository {
  constructor(private readonly database: Database) {}

  /** Open orders behind a number, oldest first; with their content. */
  async listOpenAfter(
    after: number,
    limit: number,
    onlyUnknown: boolean,
  ): Promise<(OrderKeys & { order: OrderRecord })[]> {
    let open = this.database
      .selectFrom('orders')
      .select(['number', 'carrierOption', 'consigneeKey', ...orderRow.keyof().options])
      .where('number', '>', after)
      .where('state', 'in', openStates)
    if (onlyUnknown) {
      open = open.where((where) =>
        where.or([where('carrierOption', 'is', null), where('consigneeKey', 'is', null)]),
      )
    }
    const rows = await open.orderBy('number').limit(limit).execute()
    return rows.map(({ number, carrierOption, consigneeKey, ...row }) => {
      return { number, content: row.content, carrierOption, consigneeKey, order: toRecord(row) }
    })
  }

  /** Open orders whose reference begins with one of some prefixes, in any case, or that have one of some issues. */
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

  /** Notes what orders are found by. One that says something else by now was given its keys with that. */
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
   * Replaces orders by what is made of them as they are by then, in one durable step: what was written meanwhile is not
   * lost. Orders in none of the `from` states stay, and those that nothing is made of.
   * @returns those that were replaced, as they are now
   */
  async rewrite(
    ids: readonly string[],
    from: readonly OrderState[],
    rewrite: (order: OrderRecord) => RewrittenOrder | undefined,
  ): Promise<RewrittenOrder[]> {
    return this.database.transaction().execute(async (transaction) => {
      const rows = await transaction
        .selectFrom('orders')
        .select(orderRow.keyof().options)
        .where(isAmong(ids))
        .where('state', 'in', from)
        .execute()
      const rewritten = rows.flatMap((row) => rewrite(toRecord(row)) ?? [])
      for (const order of rewritten) {
        await transaction
          .updateTable('orders')
          .set({ ...toRow(order), skippedReason: null, skippedBy: null })
          .where('id', '=', order.id)
          .execute()
      }
      return rewritten
    })
  }

  /** Orders that can be packed and go to a consignee, oldest first. */
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

  /** Orders by their ids. */
  async findAll(ids: readonly string[]): Promise<Map<string, OrderRecord>> {
    const rows = await this.database
      .selectFrom('orders')
      .select(orderRow.keyof().options)
      .where(isAmong(ids))
      .execute()
    return new Map(rows.map((row) => [row.id, toRecord(row)] as const))
  }

  /** The open ones of some orders, sorted as the list is. */
  async listOpen(
    ids: readonly string[],
    sort: OrderQuery['sort'],
    descending: boolean,
  ): Promise<{ id: string; reference: string }[]> {
    const direction = descending ? 'desc' : 'asc'
    return this.database
      .selectFrom('orders')
      .select(['id', 'reference'])
      .where(isAmong(ids))
      .where('state', 'in', openStates)
      .orderBy(sortColumns[sort], direction)
      .orderBy('number', direction)
      .execute()
  }

  /** The oldest order of a reference that is still to be shipped or corrected. */
  async findOpen(reference: string): Promise<OrderRecord | undefined> {
    const row = await this.database
      .selectFrom('orders')
      .selectAll()
      .where('reference', '=', reference)
      .where('state', 'in', openStates)
      .orderBy('number')
      .executeTakeFirst()
    return row === undefined ? undefined : toRecord(row)
  }

  /** Which of these references the list holds already, with the id and state of the newest order of each. */
  async findKnownReferences(
    references: readonly string[],
  ): Promise<Map<string, { id: string; state: OrderState }>> {
    const known = new Map<string, { id: string; state: OrderState }>()
    for (let from = 0; from < references.length; from += chunk) {
      const rows = await this.database
        .selectFrom('orders')
        .select(['reference', 'id', 'state'])
        .where('reference', 'in', references.slice(from, from + chunk))
        .orderBy('number')
        .execute()
      for (const { reference, id, state } of rows) {
        known.set(reference, { id, state: orderStateSchema.parse(state) })
      }
    }
    return known
  }

  /** Where orders stand that are in the list; `isFirst` is the oldest of those that one shipment ended. */
  async findStanding(ids: readonly string[]): Promise<OrderStanding[]> {
    const standing: OrderStanding[] = []
    for (let from = 0; from < ids.length; from += chunk) {
      const rows = await this.database
        .selectFrom('orders')
        .select(['id', 'reference', 'state', 'shipmentId', 'skippedReason'])
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
   * Adds and replaces orders in one durable step. An order that is not open any more stays as it is: it may have been
   * shipped or skipped since it was read.
   * @returns the ids of those that were replaced
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

  /** Takes open orders out of the list; gives how many there were. */
  async skip(
    ids: readonly string[],
    skippedReason: string,
    skippedBy: string | null = null,
  ): Promise<number> {
    const result = await this.database
      .updateTable('orders')
      .set({ state: 'skipped', skippedReason, skippedBy })
      .where(isAmong(ids))
      .where('state', 'in', openStates)
      .executeTakeFirst()
    return Number(result.numUpdatedRows)
  }

  /** Marks the orders of some references as shipped that are open, or whose shipment was cancelled; all in one step, false when there are none. */
  async markShipped(references: readonly string[], shipmentId: string): Promise<boolean> {
    const { numAffectedRows = 0n } = await updateShipped(this.database, {
      references: JSON.stringify(references),
      shipmentId,
    })
    return numAffectedRows > 0n
  }

  /**
   * Marks what was shipped while nothing took note of it, as after a crash.
   * @param ids only these orders
   */
  async markShippedEarlier(ids?: readonly string[]): Promise<void> {
    const among = ids === undefined ? sql`` : sql`${isAmong(ids)} and`
    const shipped = sql`
      from shipments
      where (shipments.reference = orders.reference or shipments.id in (
        select shipment_id from combined_references where combined_references.reference = orders.reference
      )) and (shipments.state = 'created' or shipments.settled_verdict = 'exists')
    `
    await sql`
      update orders set state = 'shipped', shipment_id = (
        select shipments.id ${shipped} order by shipments.number desc limit 1
      )
      where ${among} state in ('to-ship', 'problem') and exists (select 1 ${shipped})
    `.execute(this.database)
  }

  /**
   * Removes shipped and skipped orders that came in before a moment; gives how many there were. Those of an order file
   * without a result stay: it would list them again.
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

  /** The mapping that was used for files with the same columns; undefined when there was none. */
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

const selectOrder = compileOnce((database: Database, { id }: Places<{ id: string }>) =>
  database.selectFrom('orders').selectAll().where('id', '=', id).compile(),
)

const updateShipped = compileOnce(
  (database: Database, { references, shipmentId }: Places<{ references: string; shipmentId: string }>) =>
    database
      .updateTable('orders')
      .set({ state: 'shipped', shipmentId })
      .where('reference', 'in', valuesIn(references))
      // The plus keeps SQLite from walking all open orders instead of the few of the references. Shipped ones are those that were
      // shipped again in place of what was cancelled at the carrier.
      .where(
        sql<boolean>`(+state in ('to-ship', 'problem') or +state = 'shipped' and exists (
          select 1 from shipments where shipments.id = orders.shipment_id and cancelled_at is not null
        ))`,
      )
      .modifyEnd(unsynced)
      .compile(),
)

/** What came first, as all stations that share a list say it: each numbers its orders in the order in which it learned of them. */
function arrival(orders: 'orders' | 'earlier') {
  const of = (column: string) => sql.ref(`${orders}.${column}`)
  return sql`(${of('importedAt')}, coalesce(json_extract(${of('content')}, '$.source.line'), 0), ${of('id')})`
}

/** Text in lower case without accents, as it is searched for. */
export function toSearchText(text: string): string {
  return foldText(text).replace(/\s+/g, ' ').trim()
}

/** The columns of an order that are its content. */
export function toRow(order: SavedOrder) {
  const { values, items, issues, source, orderValue, currency, columns, extras } = order
  const { reference = '', companyName = '', firstName = '', lastName = '', country = '' } = values
  const consignee = companyName === '' ? `${firstName} ${lastName}`.trim() : companyName
  const products = items.map(({ sku, name }) => `${sku} ${name}`)
  return {
    id: order.id,
    reference,
    state: order.state,
    consignee,
    country,
    origin: order.origin,
    sourceName: source.name,
    importedAt: order.importedAt,
    orderDate: order.orderDate,
    day: order.orderDate ?? order.importedAt.slice(0, 10),
    carrierOption: order.carrierOption,
    consigneeKey: toConsigneeKey(values),
    content: JSON.stringify({ values, items, issues, source, orderValue, currency, columns, extras }),
    searchText: toSearchText([...Object.values(values), ...products].join(' ')),
  }
}

/** An order as its row has it. */
export function toRecord(row: z.input<typeof orderRow>): OrderRecord {
  const { content, ...order } = orderRow.parse(row)
  return { ...order, ...content }
}
