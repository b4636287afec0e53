import { randomUUID } from 'node:crypto'
import { type Generated, sql } from 'kysely'
import { z } from 'zod'
import { appErrorSchema } from '../../shared/errors'
import { orderFileIssueSchema } from '../../shared/hotFolder'
import { type OrderMapping, orderMappingSchema } from '../../shared/orders'
import { getReferences, type ShipmentSummary } from '../../shared/shipments'
import { type Database, jsonColumn, type TableOf } from '../storage/database'

/** What an issue is kept with besides its columns. */
const issueContentSchema = z.object({
  error: appErrorSchema,
  /** What the shipment says, as `toCorrectableShipment` gives it; null where it can be corrected in the file only. */
  record: z
    .object({
      texts: z.record(z.string(), z.string()),
      customs: z.unknown().optional(),
      printer: z.string().optional(),
      unknown: z.record(z.string(), z.string()),
    })
    .nullable(),
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

/** An order file that was taken and whose result is not delivered yet. */
export interface OrderFileRow {
  id: string
  /** As it was in `in/`, with its extension. */
  name: string
  takenAt: Date
  /** Digest of what it held when it was read for the first time; null before that. */
  sha256: string | null
  /**
   * How it is read when it is a table: as the settings said when it was taken, so that it says the same after a restart.
   * Null for the service's own field names.
   */
  mapping: OrderMapping | null
}

const noted = jsonColumn(orderMappingSchema).nullable()

/** Remembers the order files that were taken. Every call is durable when its promise resolves. */
export class OrderFileRepository {
  constructor(private readonly database: Database) {}

  /**
   * Notes a file before it is moved to `work/`, so that none lies there without a note. Replaces an older note of that
   * name: its file is not in `work/` any more, and what was created of it stays in the journal.
   */
  async begin(name: string, takenAt: Date, mapping: OrderMapping | null): Promise<OrderFileRow> {
    const id = randomUUID()
    await this.database
      .insertInto('orderFiles')
      // The index `one_working_file_per_name` names the older note.
      .orReplace()
      .values({
        ...{ id, name, takenAt: takenAt.toISOString(), state: 'working' },
        mapping: mapping === null ? null : JSON.stringify(mapping),
      })
      .execute()
    return { id, name, takenAt, sha256: null, mapping }
  }

  /** Notes what a file holds before anything of it is sent. */
  async noteContent(id: string, sha256: string): Promise<void> {
    await this.database
      .updateTable('orderFiles')
      .set({ contentSha256: sha256 })
      .where('id', '=', id)
      .execute()
  }

  /** Files that were begun and not finished, oldest first; at most one of a name. */
  async listWorking(): Promise<OrderFileRow[]> {
    const rows = await this.database
      .selectFrom('orderFiles')
      .select(['id', 'name', 'takenAt', 'contentSha256', 'mapping'])
      .where('state', '=', 'working')
      .orderBy('number')
      .execute()
    return rows.map(({ takenAt, contentSha256: sha256, mapping, ...row }) => ({
      ...{ ...row, sha256, takenAt: new Date(takenAt), mapping: noted.parse(mapping) },
    }))
  }

  /** Its shipments stay in the journal; of the file itself nothing is asked any more. */
  async finish(id: string): Promise<void> {
    await this.database.deleteFrom('orderFiles').where('id', '=', id).execute()
  }
}

/** What the hot folder needs of it. */
export type OrderFileNotes = Pick<OrderFileRepository, keyof OrderFileRepository>

const issuesPerInsert = 500

/** Keeps what a person has to see to in the hot folder. */
export class OrderFileIssueRepository {
  constructor(private readonly database: Database) {}

  /** Those that are there already stay as they are. */
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

  async count(closed: boolean): Promise<number> {
    const { total } = await this.database
      .selectFrom('orderFileIssues')
      .select((builder) => builder.fn.countAll<number>().as('total'))
      .where('closedAt', closed ? 'is not' : 'is', null)
      .executeTakeFirstOrThrow()
    return total
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

  /** Removes the issues of ignored files that are not there any more, closed ones too; gives the names of the others. */
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
   * Takes note of what became of a shipment: one that exists now ends the issues of its references that are older, and
   * the one about its own outcome; one that a person found not to exist can be sent again.
   * @returns whether something changed
   */
  async followShipment(shipment: FollowedShipment, now: Date): Promise<boolean> {
    const { id, state, takenAt, resolution } = shipment
    if (resolution?.verdict === 'does-not-exist') {
      const { numUpdatedRows } = await this.database
        .updateTable('orderFileIssues')
        .set({ kind: 'refused', shipmentId: null })
        .where('shipmentId', '=', id)
        .where('closedAt', 'is', null)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    }
    if (state !== 'created' && resolution === null) return false
    const { numUpdatedRows } = await this.database
      .updateTable('orderFileIssues')
      .set({ closedAt: now.toISOString() })
      .where('reference', 'in', getReferences(shipment))
      .where('closedAt', 'is', null)
      .where((where) => where.or([where('at', '<', takenAt), where('shipmentId', '=', id)]))
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** The same for what was shipped or resolved while nothing took note of it, as after a crash. */
  async followEarlierShipments(now: Date): Promise<void> {
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
          and (shipments.taken_at > order_file_issues.at or shipments.id = order_file_issues.shipment_id)
      )
    `.execute(this.database)
  }

  /** Removes what was closed before a moment. */
  async forgetClosed(before: Date): Promise<void> {
    await this.database
      .deleteFrom('orderFileIssues')
      .where('closedAt', '<', before.toISOString())
      .where('kind', '!=', 'ignored')
      .execute()
  }
}

export type FollowedShipment = Pick<
  ShipmentSummary,
  'id' | 'reference' | 'combinedReferences' | 'state' | 'takenAt' | 'resolution'
>
