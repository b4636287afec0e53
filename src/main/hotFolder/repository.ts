import { randomUUID } from 'node:crypto'
import { type Generated, sql } from 'kysely'
import { z } from 'zod'
import { appErrorSchema } from '../../shared/errors'
import { orderFileIssueSchema } from '../../shared/hotFolder'
import { type OrderMapping, orderMappingSchema } from '../../shared/orders'
import type { AwaitedShipment, ShipmentOutcome } from '../shipments/sharedShipments'
import { countRows, type Database, jsonColumn, type TableOf } from '../storage/database'

/** The JSON in the `content` column. */
const issueContentSchema = z.object({
  error: appErrorSchema,
  /** From `toCorrectableShipment`; null if the shipment can be corrected in the file only. */
  record: z
    .object({
      texts: z.record(z.string(), z.string()),
      customs: z.unknown().optional(),
      printer: z.string().optional(),
      unknown: z.record(z.string(), z.string()),
    })
    .nullable(),
  /** Whether the shipment is an order of a table that was read with a mapping. */
  isMapped: z.boolean().optional(),
})

const issueRow = orderFileIssueSchema
  .pick({ id: true, kind: true, file: true, line: true, reference: true, at: true, shipmentId: true })
  .extend({
    content: jsonColumn(issueContentSchema),
    closedAt: z.string().nullable(),
    note: z.string(),
    sentAs: z.string().nullable(),
    closedBy: z.string().nullable(),
  })
export type OrderFileIssueRow = z.output<typeof issueRow>
export type NewOrderFileIssue = Omit<OrderFileIssueRow, 'closedAt' | 'note' | 'sentAs' | 'closedBy'>

declare module '../storage/database' {
  interface DatabaseSchema {
    orderFiles: {
      number: Generated<number>
      id: string
      name: string
      takenAt: string
      state: string
      contentSha256: string | null
      mapping: string | null
    }
    orderFileIssues: TableOf<typeof issueRow> & { number: Generated<number> }
  }
}

/** An order file that was taken and has no delivered result yet. */
export interface OrderFileRow {
  id: string
  /** As it was in `in/`, with its extension. */
  name: string
  takenAt: Date
  /** Checksum of the content when it was first read; null before. */
  sha256: string | null
  /**
   * The mapping of a table, from the settings at the time it was taken, so that a restart reads it in the same way. Null for
   * the service's field names.
   */
  mapping: OrderMapping | null
}

const mappingColumn = jsonColumn(orderMappingSchema).nullable()

/** Stores the order files in progress. Every call is durable when its promise resolves. */
export class OrderFileRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds a row before the file is moved to `work/`, so that every file there has one. Replaces an older row of that name,
   * whose file is not in `work/` any more; its shipments stay in the journal.
   */
  async addWorking(name: string, takenAt: Date, mapping: OrderMapping | null): Promise<OrderFileRow> {
    const id = randomUUID()
    await this.database
      .insertInto('orderFiles')
      // The index `one_working_file_per_name` finds the older row.
      .orReplace()
      .values({
        ...{ id, name, takenAt: takenAt.toISOString(), state: 'working' },
        mapping: mapping === null ? null : JSON.stringify(mapping),
      })
      .execute()
    return { id, name, takenAt, sha256: null, mapping }
  }

  /** Stores the checksum of a file's content before anything of it is sent. */
  async noteContent(id: string, sha256: string): Promise<void> {
    await this.database
      .updateTable('orderFiles')
      .set({ contentSha256: sha256 })
      .where('id', '=', id)
      .execute()
  }

  /** Files in progress, oldest first; at most one per name. */
  async listWorking(): Promise<OrderFileRow[]> {
    const rows = await this.database
      .selectFrom('orderFiles')
      .select(['id', 'name', 'takenAt', 'contentSha256', 'mapping'])
      .where('state', '=', 'working')
      .orderBy('number')
      .execute()
    return rows.map(({ takenAt, contentSha256: sha256, mapping, ...row }) => ({
      ...{ ...row, sha256, takenAt: new Date(takenAt), mapping: mappingColumn.parse(mapping) },
    }))
  }

  /** Deletes the file's row; its shipments stay in the journal. */
  async finish(id: string): Promise<void> {
    await this.database.deleteFrom('orderFiles').where('id', '=', id).execute()
  }
}

/** Without private members, so that tests can replace the repository. */
export type OrderFileNotes = Pick<OrderFileRepository, keyof OrderFileRepository>

const issuesPerInsert = 500

export class OrderFileIssueRepository {
  constructor(private readonly database: Database) {}

  /** Issues that exist already do not change. */
  async add(issues: readonly NewOrderFileIssue[]): Promise<void> {
    for (let from = 0; from < issues.length; from += issuesPerInsert) {
      const rows = issues.slice(from, from + issuesPerInsert).map((issue) => ({
        ...issue,
        content: JSON.stringify(issue.content),
        closedAt: null,
        note: '',
        sentAs: null,
        closedBy: null,
      }))
      await this.database
        .insertInto('orderFileIssues')
        .values(rows)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute()
    }
  }

  /** Newest first. */
  async list(closed: boolean, limit: number): Promise<OrderFileIssueRow[]> {
    const rows = await this.database
      .selectFrom('orderFileIssues')
      .select(issueRow.keyof().options)
      .where('closedAt', closed ? 'is not' : 'is', null)
      .orderBy('number', 'desc')
      .limit(limit)
      .execute()
    return rows.map((row) => issueRow.parse(row))
  }

  /** The shipments that would end the newest open issues. */
  listAwaited(limit: number): Promise<AwaitedShipment[]> {
    return this.database
      .selectFrom('orderFileIssues')
      .select(['reference', 'shipmentId'])
      .where('closedAt', 'is', null)
      .where('reference', 'is not', null)
      .$narrowType<{ reference: string }>()
      .orderBy('number', 'desc')
      .limit(limit)
      .execute()
  }

  count(closed: boolean): Promise<number> {
    return countRows(
      this.database.selectFrom('orderFileIssues').where('closedAt', closed ? 'is not' : 'is', null),
    )
  }

  async find(id: string): Promise<OrderFileIssueRow | undefined> {
    const row = await this.database
      .selectFrom('orderFileIssues')
      .select(issueRow.keyof().options)
      .where('id', '=', id)
      .executeTakeFirst()
    return row === undefined ? undefined : issueRow.parse(row)
  }

  /** False when it was closed already. */
  async close(
    id: string,
    { closedAt, ...how }: Pick<OrderFileIssueRow, 'note' | 'sentAs' | 'closedBy'> & { closedAt: Date },
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.database
      .updateTable('orderFileIssues')
      .set({ closedAt: closedAt.toISOString(), ...how })
      .where('id', '=', id)
      .where('closedAt', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** Removes the issues, also closed ones, of ignored files that are not in `names`; returns the names of the others. */
  async keepIgnored(names: readonly string[]): Promise<Set<string>> {
    const rows = await this.database
      .selectFrom('orderFileIssues')
      .select(['id', 'file'])
      .where('kind', '=', 'ignored')
      .execute()
    const present = new Set(names)
    for (const { id, file } of rows) {
      if (!present.has(file)) await this.database.deleteFrom('orderFileIssues').where('id', '=', id).execute()
    }
    return new Set(rows.map(({ file }) => file).filter((file) => present.has(file)))
  }

  /**
   * Updates issues by the outcome of a shipment. If it exists, closes the older issues of its references and the one about
   * its own outcome; if a person found that it does not exist, makes it sendable again.
   * @returns whether an issue changed
   */
  async updateFromShipment(
    { id, references, takenAt, verdict }: ShipmentOutcome,
    now: Date,
  ): Promise<boolean> {
    if (verdict === 'does-not-exist') {
      const { numUpdatedRows } = await this.database
        .updateTable('orderFileIssues')
        .set({ kind: 'refused', shipmentId: null })
        .where('shipmentId', '=', id)
        .where('closedAt', 'is', null)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    }
    // A shipment of an order file that waited was taken long before it was sent.
    const own = await this.database
      .selectFrom('shipments')
      .select('requestSentAt')
      .where('id', '=', id)
      .executeTakeFirst()
    const begunAt = own?.requestSentAt ?? takenAt
    const { numUpdatedRows } = await this.database
      .updateTable('orderFileIssues')
      .set({ closedAt: now.toISOString() })
      .where('reference', 'in', references)
      .where('closedAt', 'is', null)
      .where((where) => where.or([where('at', '<', begunAt), where('shipmentId', '=', id)]))
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** `updateFromShipment` for all shipments that changed without it, for example before a crash. */
  async updateFromEarlierShipments(now: Date): Promise<void> {
    await sql`
      update order_file_issues set kind = 'refused', shipment_id = null
      where closed_at is null and shipment_id in (
        select id from shipments where settled_verdict = 'does-not-exist'
      )
    `.execute(this.database)
    await sql`
      update order_file_issues set closed_at = ${now.toISOString()}
      where closed_at is null and exists (
        select 1 from shipments
        where (shipments.reference = order_file_issues.reference or shipments.id in (
            select shipment_id from combined_references
            where combined_references.reference = order_file_issues.reference
          ))
          and (shipments.state = 'created' or shipments.settled_verdict = 'exists')
          and (
            coalesce(shipments.request_sent_at, shipments.taken_at) > order_file_issues.at
            or shipments.id = order_file_issues.shipment_id
          )
      )
    `.execute(this.database)
  }

  /** Removes issues that were closed before a moment. */
  async forgetClosed(before: Date): Promise<void> {
    await this.database
      .deleteFrom('orderFileIssues')
      .where('closedAt', '<', before.toISOString())
      .where('kind', '!=', 'ignored')
      .execute()
  }
}
