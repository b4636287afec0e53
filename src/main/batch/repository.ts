import { type Generated, sql } from 'kysely'
import { z } from 'zod'
import {
  type Batch,
  type BatchEnd,
  type BatchItem,
  type BatchOutcome,
  batchOutcomeSchema,
  batchSchema,
} from '../../shared/batches'
import { appErrorSchema } from '../../shared/errors'
import { orderIssueSchema } from '../../shared/orders'
import { type PrintJobState, printJobStates } from '../../shared/printing'
import {
  compileOnce,
  countRows,
  type Database,
  flagColumn,
  jsonColumn,
  type Placeholders,
  type TableOf,
  unsynced,
} from '../storage/database'

const batchRow = z.object({
  number: z.int(),
  id: z.uuid(),
  state: batchSchema.shape.state,
  pausedBy: batchSchema.shape.pausedBy,
  error: jsonColumn(appErrorSchema).nullable(),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
  isClosed: flagColumn,
  /** Who began the batch or resumed it last; null when nobody was signed in. */
  operator: z.string().nullable(),
})
export type BatchRecord = z.output<typeof batchRow>

const itemRow = z.object({
  batchNumber: z.int(),
  position: z.int(),
  orderId: z.uuid(),
  attemptId: z.uuid(),
  reference: z.string(),
  outcome: batchOutcomeSchema.nullable(),
  issues: jsonColumn(z.array(orderIssueSchema)),
  error: jsonColumn(appErrorSchema).nullable(),
  shipmentId: z.uuid().nullable(),
})
export type BatchItemRecord = z.output<typeof itemRow>

const endRow = itemRow
  .pick({ orderId: true, issues: true, error: true, shipmentId: true })
  .extend({ outcome: batchOutcomeSchema, begunAt: z.string() })

const endedRow = itemRow.omit({ orderId: true, attemptId: true, reference: true })

declare module '../storage/database' {
  interface DatabaseSchema {
    batches: Omit<TableOf<typeof batchRow>, 'number'> & { number: Generated<number> }
    batchItems: TableOf<typeof itemRow>
  }
}

/** How an order of a batch ended. */
export type ItemEnd = Pick<BatchItem, 'issues' | 'error' | 'shipmentId'> & { outcome: BatchOutcome }

const rowsAtOnce = 500

// Looks up each order by its key: a list of all open orders may have 100,000.
const isOpen = sql<boolean>`exists (select 1 from orders where orders.id = batch_items.order_id and orders.state in ('to-ship', 'problem'))`
const isOpenElsewhere = sql<boolean>`batch_items.outcome = 'elsewhere' and ${isOpen}`

/** Stores batches and their items: one order each, with its position, attempt id and outcome. */
export class BatchRepository {
  constructor(private readonly database: Database) {}

  /** Writes a new running batch with all its items in one transaction. */
  async add(
    batch: Pick<BatchRecord, 'id' | 'createdAt' | 'operator'>,
    items: readonly Pick<BatchItemRecord, 'orderId' | 'attemptId' | 'reference'>[],
  ): Promise<BatchRecord> {
    return this.database.transaction().execute(async (transaction) => {
      const row = await transaction
        .insertInto('batches')
        .values({ ...batch, state: 'running', pausedBy: null, error: null, endedAt: null, isClosed: 0 })
        .returningAll()
        .executeTakeFirstOrThrow()
      const rows = items.map((item, index) => ({
        ...item,
        batchNumber: row.number,
        position: index + 1,
        outcome: null,
        issues: '[]',
        error: null,
        shipmentId: null,
      }))
      for (let from = 0; from < rows.length; from += rowsAtOnce) {
        await transaction
          .insertInto('batchItems')
          .values(rows.slice(from, from + rowsAtOnce))
          .execute()
      }
      return batchRow.parse(row)
    })
  }

  /** The batch that was begun last. */
  async findLast(): Promise<BatchRecord | undefined> {
    const row = await this.database
      .selectFrom('batches')
      .selectAll()
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row === undefined ? undefined : batchRow.parse(row)
  }

  async change(
    number: number,
    {
      error,
      isClosed,
      ...change
    }: Partial<Pick<BatchRecord, 'state' | 'pausedBy' | 'error' | 'isClosed' | 'operator'>>,
  ): Promise<void> {
    await this.database
      .updateTable('batches')
      .set({
        ...change,
        ...(error !== undefined && { error: error === null ? null : JSON.stringify(error) }),
        ...(isClosed !== undefined && { isClosed: isClosed ? 1 : 0 }),
      })
      .where('number', '=', number)
      .execute()
  }

  /** The items without an outcome, in order. */
  async listPending(number: number): Promise<BatchItemRecord[]> {
    const rows = await this.database
      .selectFrom('batchItems')
      .selectAll()
      .where('batchNumber', '=', number)
      .where('outcome', 'is', null)
      .orderBy('position')
      .execute()
    return rows.map((row) => itemRow.parse(row))
  }

  /** The order of an item now: it changes when an equal order of another station replaces it. */
  async findOrderId({
    batchNumber,
    position,
  }: Pick<BatchItemRecord, 'batchNumber' | 'position'>): Promise<string | undefined> {
    const row = await this.database
      .selectFrom('batchItems')
      .select('orderId')
      .where('batchNumber', '=', batchNumber)
      .where('position', '=', position)
      .executeTakeFirst()
    return row?.orderId
  }

  async endItem(
    { batchNumber, position }: Pick<BatchItemRecord, 'batchNumber' | 'position'>,
    { outcome, issues, error, shipmentId }: ItemEnd,
  ): Promise<void> {
    await updateEnded(this.database, {
      batchNumber,
      position,
      outcome,
      issues: JSON.stringify(issues),
      error: error === null ? null : JSON.stringify(error),
      shipmentId,
    })
  }

  /** Ends a batch: items without an outcome were not sent. */
  async endRest(number: number, endedAt: Date): Promise<void> {
    await this.database.transaction().execute(async (transaction) => {
      await transaction
        .updateTable('batchItems')
        .set({ outcome: 'left' })
        .where('batchNumber', '=', number)
        .where('outcome', 'is', null)
        .execute()
      await transaction
        .updateTable('batches')
        .set({ state: 'ended', pausedBy: null, error: null, endedAt: endedAt.toISOString() })
        .where('number', '=', number)
        .execute()
    })
  }

  /** Counts the items per outcome; items without one count in `total` only. */
  async countOutcomes(number: number): Promise<{ total: number; outcomes: Batch['outcomes'] }> {
    const rows = await this.database
      .selectFrom('batchItems')
      .select(['outcome', (builder) => builder.fn.countAll<number>().as('items')])
      .where('batchNumber', '=', number)
      .groupBy('outcome')
      .execute()
    const count = (outcome: BatchOutcome) => rows.find((row) => row.outcome === outcome)?.items ?? 0
    return {
      total: rows.reduce((sum, { items }) => sum + items, 0),
      outcomes: batchSchema.shape.outcomes.parse(
        Object.fromEntries(batchOutcomeSchema.options.map((outcome) => [outcome, count(outcome)])),
      ),
    }
  }

  /** Whether an order was skipped, or shipped at this station. */
  async isClosedHere(orderId: string): Promise<boolean> {
    const row = await this.database
      .selectFrom('orders')
      .select('id')
      .where('id', '=', orderId)
      .where((where) =>
        where.or([
          where('state', '=', 'skipped'),
          where('shipmentId', 'in', this.database.selectFrom('shipments').select('shipments.id')),
        ]),
      )
      .executeTakeFirst()
    return row !== undefined
  }

  /** Counts the print jobs of a batch that are under way, and those that wait for a person. */
  async countLabels(number: number): Promise<Batch['labels']> {
    const rows = await this.database
      .selectFrom('batchItems')
      .innerJoin('printJobs', 'printJobs.shipmentId', 'batchItems.shipmentId')
      .select(['printJobs.state', (builder) => builder.fn.countAll<number>().as('jobs')])
      .where('batchItems.batchNumber', '=', number)
      .where('batchItems.outcome', '=', 'created')
      .where('printJobs.state', 'in', printJobStates.open)
      .groupBy('printJobs.state')
      .execute()
    const count = (states: readonly PrintJobState[]) =>
      rows.reduce((sum, { state, jobs }) => (states.includes(state) ? sum + jobs : sum), 0)
    return { underWay: count(printJobStates.underWay), forPerson: count(printJobStates.forPerson) }
  }

  /** One page of a batch's items. */
  async listItems(
    batchId: string,
    {
      isCreatedLeftOut,
      orderIds,
      offset,
      limit,
    }: { isCreatedLeftOut: boolean; orderIds?: readonly string[] | undefined; offset: number; limit: number },
  ): Promise<{ items: BatchItemRecord[]; total: number }> {
    let matching = this.database
      .selectFrom('batchItems')
      .innerJoin('batches', 'batches.number', 'batchItems.batchNumber')
      .where('batches.id', '=', batchId)
    if (orderIds !== undefined) matching = matching.where('orderId', 'in', orderIds).where(isOpen)
    if (isCreatedLeftOut) {
      matching = matching.where((where) =>
        where.or([
          where('outcome', 'not in', ['created', 'elsewhere']),
          where('outcome', 'is', null),
          // Left to another station, which did not ship it.
          isOpenElsewhere,
        ]),
      )
    }
    const total = await countRows(matching)
    const rows = await matching
      .selectAll('batchItems')
      .orderBy('position')
      .limit(limit)
      .offset(offset)
      .execute()
    return { items: rows.map((row) => itemRow.parse(row)), total }
  }

  /** For each order, the last reason why a batch did not ship it; see `listBatchEnds` of the bridge. */
  async listEnds(orderIds: readonly string[]): Promise<BatchEnd[]> {
    const rows = await this.database
      .selectFrom('batchItems')
      .innerJoin('batches', 'batches.number', 'batchItems.batchNumber')
      .select([
        'orderId',
        'outcome',
        'issues',
        'batchItems.error',
        'shipmentId',
        'batches.createdAt as begunAt',
      ])
      .where('orderId', 'in', orderIds)
      // Written as in the partial index, so that SQLite uses it.
      .where(sql<boolean>`outcome <> 'created'`)
      // A stopped batch reports its remaining orders once, in its summary.
      .where(sql<boolean>`not (outcome = 'left' and batch_items.error is null)`)
      .where((where) =>
        where.or([
          where('outcome', '!=', 'unknown'),
          where(
            'shipmentId',
            'in',
            this.database.selectFrom('shipments').select('shipments.id').where('settledVerdict', 'is', null),
          ),
        ]),
      )
      .orderBy('batchNumber')
      .execute()
    const ends = rows.map((row) => endRow.parse(row))
    return [...new Map(ends.map((end) => [end.orderId, end] as const)).values()]
  }

  /** Open orders that a batch did not ship and that another batch may ship, in order. */
  async listUnshippedOrders(number: number): Promise<string[]> {
    const rows = await this.selectUnshipped(number).select('batchItems.orderId').orderBy('position').execute()
    return rows.map(({ orderId }) => orderId)
  }

  /** The number of orders that `listUnshippedOrders` lists. */
  countUnshippedOrders(number: number): Promise<number> {
    return countRows(this.selectUnshipped(number))
  }

  private selectUnshipped(number: number) {
    return this.database
      .selectFrom('batchItems')
      .where('batchNumber', '=', number)
      .where('outcome', 'in', ['refused', 'incomplete', 'left', 'elsewhere'])
      .where(isOpen)
  }

  /** Removes batches that ended before a moment. */
  async forgetEnded(before: Date): Promise<void> {
    await this.database.transaction().execute(async (transaction) => {
      const old = transaction
        .selectFrom('batches')
        .select('number')
        .where('endedAt', '<', before.toISOString())
      await transaction.deleteFrom('batchItems').where('batchNumber', 'in', old).execute()
      await transaction.deleteFrom('batches').where('endedAt', '<', before.toISOString()).execute()
    })
  }
}

const updateEnded = compileOnce(
  (database: Database, { batchNumber, position, ...end }: Placeholders<TableOf<typeof endedRow>>) =>
    database
      .updateTable('batchItems')
      .set(end)
      .where('batchNumber', '=', batchNumber)
      .where('position', '=', position)
      // After a power failure the next start gets the outcome from the journal: `endByJournal`.
      .modifyEnd(unsynced)
      .compile(),
)
