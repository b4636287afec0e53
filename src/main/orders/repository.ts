import { type Generated, type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { foldText } from '../../shared/foldText'
import {
  type Order,
  type OrderCounts,
  type OrderExtras,
  type OrderMapping,
  type OrderOrigin,
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
import { jsonColumn, type TableOf } from '../storage/columns'
import type { Database } from '../storage/database'
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

/** What the orders of a list differ in, for its filters. */
interface OrderFilterValues {
  countries: string[]
  origins: OrderOrigin[]
  sources: string[]
  carrierOptionIds: string[]
}

const chunk = 500
/** What can still be shipped, corrected or skipped. */
export const openStates: readonly OrderState[] = ['to-ship', 'problem']

/** Whether an order came in an order file of this station that has no result yet. */
export const isOfWaitingFile = sql<boolean>`(
  source_name in (select name from order_files where state = 'working')
  and json_extract(content, '$.source.kind') = 'hot-folder'
)`

/** Keeps orders: what is to be shipped, what has to be corrected, what was shipped or skipped. */
export class OrderRepository {
  /** @param reader looks for pages: what it reads keeps no commit waiting */
  constructor(
    private readonly database: Database,
    private readonly reader = database,
  ) {}

  /** Orders of a state that hold all words, one page of them, and how many there are. */
  async list(query: OrderQuery): Promise<{ orders: OrderRecord[]; total: number }> {
    const page = await sql<{ number: number }>`select number ${toPage(query)}`.execute(this.reader)
    const numbers = page.rows.map(({ number }) => number)
    const rows = await this.reader
      .selectFrom('orders')
      .select(['number', ...orderRow.keyof().options])
      .where('number', 'in', numbers)
      .execute()
    const byNumber = new Map(rows.map(({ number, ...row }) => [number, row] as const))
    const orders = numbers.flatMap((number) => toListed(byNumber.get(number)))
    return { orders, total: await this.countMatching(query, numbers.length) }
  }

  /** How many there are; a page that is not full says it by itself. */
  private async countMatching(query: OrderQuery, listed: number): Promise<number> {
    if (listed < query.limit && (listed > 0 || query.offset === 0)) return query.offset + listed
    const { rows } = await sql<{ total: number }>`select count(*) as total ${toMatching(query)}`.execute(
      this.reader,
    )
    return rows[0]?.total ?? 0
  }

  /** The ids of one page of a list. */
  async listIds(query: OrderQuery): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`select id ${toPage(query)}`.execute(this.reader)
    return rows.map(({ id }) => id)
  }

  /** The statement that finds a page, as the database is asked; for a look at its plan. */
  compilePage(query: OrderQuery): { sql: string; parameters: readonly unknown[] } {
    return sql`select number ${toPage(query)}`.compile(this.database)
  }

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
      .where('state', 'in', ['to-ship', 'problem'])
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
        .where(sql<boolean>`id in (select value from json_each(${JSON.stringify(ids)}))`)
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

  async counts(): Promise<OrderCounts> {
    const rows = await this.reader
      .selectFrom('orders')
      .select(['state', (builder) => builder.fn.countAll<number>().as('orders')])
      .groupBy('state')
      .execute()
    const count = (state: OrderState) => rows.find((row) => row.state === state)?.orders ?? 0
    return {
      'to-ship': count('to-ship'),
      problem: count('problem'),
      shipped: count('shipped'),
      skipped: count('skipped'),
    }
  }

  /** Countries, origins, file names and carrier options that orders of a state have. */
  async filters(state: OrderState): Promise<OrderFilterValues> {
    const listValues = async (column: 'country' | 'origin' | 'sourceName' | 'carrierOption') => {
      const rows = await this.reader
        .selectFrom('orders')
        .select(column)
        .distinct()
        .where('state', '=', state)
        .where(column, '!=', '')
        .orderBy(column)
        .limit(500)
        .execute()
      return rows.map((row) => row[column] ?? '')
    }
    return {
      countries: await listValues('country'),
      origins: z.array(orderOriginSchema).parse(await listValues('origin')),
      sources: await listValues('sourceName'),
      carrierOptionIds: await listValues('carrierOption'),
    }
  }

  async find(id: string): Promise<OrderRecord | undefined> {
    const row = await this.database.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst()
    return row === undefined ? undefined : toRecord(row)
  }

  /** Orders by their ids. */
  async findAll(ids: readonly string[]): Promise<Map<string, OrderRecord>> {
    const rows = await this.database
      .selectFrom('orders')
      .select(orderRow.keyof().options)
      .where(sql<boolean>`id in (select value from json_each(${JSON.stringify(ids)}))`)
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
      .where(sql<boolean>`id in (select value from json_each(${JSON.stringify(ids)}))`)
      .where('state', 'in', ['to-ship', 'problem'])
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
      .where('state', 'in', ['to-ship', 'problem'])
      .orderBy('number')
      .executeTakeFirst()
    return row === undefined ? undefined : toRecord(row)
  }

  /** Which of these references the list holds already, with the id and state of the newest order of each. */
  async known(references: readonly string[]): Promise<Map<string, { id: string; state: OrderState }>> {
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

  /** Moves orders from one of some states to another; gives how many there were. */
  async move(
    ids: readonly string[],
    from: readonly OrderState[],
    to: OrderState,
    skippedReason: string | null,
    skippedBy: string | null = null,
  ): Promise<number> {
    const result = await this.database
      .updateTable('orders')
      .set({ state: to, skippedReason, skippedBy })
      .where(sql<boolean>`id in (select value from json_each(${JSON.stringify(ids)}))`)
      .where('state', 'in', from)
      .executeTakeFirst()
    return Number(result.numUpdatedRows)
  }

  /** Marks the orders of some references as shipped that are open, or whose shipment was cancelled; all in one step, false when there are none. */
  async markShipped(references: readonly string[], shipmentId: string): Promise<boolean> {
    const result = await this.database
      .updateTable('orders')
      .set({ state: 'shipped', shipmentId })
      .where('reference', 'in', references)
      .where((where) =>
        where.or([
          where('state', 'in', openStates),
          // Shipped again in place of what was cancelled at the carrier.
          sql<boolean>`state = 'shipped' and shipment_id in (select id from shipments where cancelled_at is not null)`,
        ]),
      )
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  /**
   * Marks what was shipped while nothing took note of it, as after a crash.
   * @param ids only these orders
   */
  async markShippedEarlier(ids?: readonly string[]): Promise<void> {
    const among =
      ids === undefined ? sql`` : sql`id in (select value from json_each(${JSON.stringify(ids)})) and`
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
      .where(sql<boolean>`not ${isOfWaitingFile}`)
      .executeTakeFirst()
    return Number(result.numDeletedRows)
  }

  /** The mapping that was used for files with the same columns; undefined when there was none. */
  async mappingFor(headerKey: string): Promise<OrderMapping | undefined> {
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

/** What came first, as all stations that share a list say it: each numbers its orders in the order in which it learned of them. */
function arrival(orders: 'orders' | 'earlier') {
  const of = (column: string) => sql.ref(`${orders}.${column}`)
  return sql`(${of('importedAt')}, coalesce(json_extract(${of('content')}, '$.source.line'), 0), ${of('id')})`
}

const sortColumns = {
  imported: 'number',
  reference: 'reference',
  date: 'orderDate',
  consignee: 'consignee',
  country: 'country',
} as const

/** Indexes that hold all that a list is sorted and filtered by, each in the order of one sort; the orders are ten times as long. */
const sortIndexes = {
  imported: 'orders_by_state',
  reference: 'orders_by_state_and_reference',
  date: 'orders_by_state_and_date',
  consignee: 'orders_by_state_and_consignee',
  country: 'orders_by_state_and_country',
} as const

/**
 * What a list holds, found in an index alone. The index is named: which filter leaves few orders is not known, and a
 * look through one of these costs the same whatever is asked.
 */
function toMatching(query: OrderQuery): RawBuilder<unknown> {
  const words = toSearchText(query.text)
    .split(' ')
    .filter((word) => word !== '')
  const index = words.length > 0 ? 'orders_by_state_and_text' : sortIndexes[query.sort]
  const conditions = [
    sql`state = ${query.state}`,
    ...words.map((word) => sql`instr(search_text, ${word}) > 0`),
    ...(query.country === '' ? [] : [sql`country = ${query.country}`]),
    ...(query.origin === '' ? [] : [sql`origin = ${query.origin}`]),
    ...(query.source === '' ? [] : [sql`source_name = ${query.source}`]),
    ...(query.carrierOptionId === '' ? [] : [sql`carrier_option = ${query.carrierOptionId}`]),
    ...(query.from === '' ? [] : [sql`day >= ${query.from}`]),
    ...(query.to === '' ? [] : [sql`day <= ${query.to}`]),
  ]
  return sql`from orders indexed by ${sql.ref(index)} where ${sql.join(conditions, sql` and `)}`
}

/** One page of what a list holds. */
function toPage(query: OrderQuery): RawBuilder<unknown> {
  const direction = query.descending ? sql`desc` : sql`asc`
  const column = sql.ref(sortColumns[query.sort])
  return sql`${toMatching(query)} order by ${column} ${direction}, number ${direction}
    limit ${query.limit} offset ${query.offset}`
}

/** Text in lower case without accents, as it is searched for. */
function toSearchText(text: string): string {
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

function toListed(row: z.input<typeof orderRow> | undefined): OrderRecord[] {
  return row === undefined ? [] : [toRecord(row)]
}

/** An order as its row has it. */
export function toRecord(row: z.input<typeof orderRow>): OrderRecord {
  const { content, ...order } = orderRow.parse(row)
  return { ...order, ...content }
}
