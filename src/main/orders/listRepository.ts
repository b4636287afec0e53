import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { toSearchWords } from '../../shared/foldText'
import { type OrderCounts, type OrderQuery, type OrderState, orderOriginSchema } from '../../shared/orders'
import type { Database } from '../storage/database'
import { type OrderRecord, orderRow, sortColumns, toRecord } from './repository'

/** Queries the order list: pages, counts and filter values. */
export class OrderListRepository {
  /** @param reader a second connection, so that queries do not delay writes */
  constructor(private readonly reader: Database) {}

  /** One page of the orders that match a query, and the total. */
  async list(query: OrderQuery): Promise<{ orders: OrderRecord[]; total: number }> {
    const page = await sql<{ number: number }>`select number ${toPage(query)}`.execute(this.reader)
    const numbers = page.rows.map(({ number }) => number)
    const rows = await this.reader
      .selectFrom('orders')
      .select(['number', ...orderRow.keyof().options])
      .where('number', 'in', numbers)
      .execute()
    const byNumber = new Map(rows.map(({ number, ...row }) => [number, toRecord(row)] as const))
    const orders = numbers.flatMap((number) => byNumber.get(number) ?? [])
    return { orders, total: await this.countMatching(query, numbers.length) }
  }

  /** Needs no query after a page that is not full. */
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

  /** The statement of `list`, for a test of its query plan. */
  compilePage(query: OrderQuery): { sql: string; parameters: readonly unknown[] } {
    return sql`select number ${toPage(query)}`.compile(this.reader)
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

  /** The values in the orders of a state by which the list can be filtered; of more than 500, those of the newest orders. */
  async filters(state: OrderState) {
    const listValues = async (column: 'country' | 'origin' | 'sourceName' | 'carrierOption') => {
      const rows = await this.reader
        .selectFrom('orders')
        .select(column)
        .where('state', '=', state)
        .where(column, '!=', '')
        .groupBy(column)
        .orderBy((orders) => orders.fn.max('number'), 'desc')
        .limit(500)
        .execute()
      return rows.map((row) => row[column] ?? '').toSorted()
    }
    return {
      countries: await listValues('country'),
      origins: z.array(orderOriginSchema).parse(await listValues('origin')),
      sources: await listValues('sourceName'),
      carrierOptionIds: await listValues('carrierOption'),
    }
  }
}

/** Covering indexes, one per sort order: a scan of an index reads a tenth of the table's bytes. */
const sortIndexes = {
  imported: 'orders_by_state',
  reference: 'orders_by_state_and_reference',
  date: 'orders_by_state_and_date',
  consignee: 'orders_by_state_and_consignee',
  country: 'orders_by_state_and_country',
} as const

/**
 * The matching orders, from an index alone. The index is fixed, since SQLite can't know which filter is selective, and the scan
 * of one of these costs the same for every query.
 */
function toMatching(query: OrderQuery): RawBuilder<unknown> {
  const words = toSearchWords(query.text)
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

function toPage(query: OrderQuery): RawBuilder<unknown> {
  const direction = query.descending ? sql`desc` : sql`asc`
  const column = sql.ref(sortColumns[query.sort])
  return sql`${toMatching(query)} order by ${column} ${direction}, number ${direction}
    limit ${query.limit} offset ${query.offset}`
}
