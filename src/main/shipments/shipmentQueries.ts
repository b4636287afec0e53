import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely'
import type { Database, DatabaseSchema } from '../storage/database'
import { guardedShipments } from './duplicateGuard'
import type { GuardedShipment, OpenCounts, ShipmentRecord, ShipmentSearch } from './ports'
import { toShipment } from './rows'

/** The database itself, or a transaction on it. */
export type Connection = Database | Transaction<DatabaseSchema>

/** Whether a shipment, one of its labels or one of its print jobs waits for a person. */
function attention(builder: ExpressionBuilder<DatabaseSchema, 'shipments'>) {
  return builder.or([
    builder('shipments.state', '=', 'unknown'),
    builder.exists(
      builder
        .selectFrom('labels')
        .select('labels.id')
        .whereRef('labels.shipmentId', '=', 'shipments.id')
        .where('labels.problem', 'is not', null)
        .where('labels.closedAt', 'is', null),
    ),
    builder.exists(
      builder
        .selectFrom('printJobs')
        .select('printJobs.id')
        .whereRef('printJobs.shipmentId', '=', 'shipments.id')
        .where('printJobs.state', 'in', ['failed', 'unconfirmed', 'waiting']),
    ),
  ])
}

/** All columns of shipments, and whether each needs a person. */
export function selectShipments(connection: Connection) {
  return connection
    .selectFrom('shipments')
    .selectAll('shipments')
    .select((builder) => attention(builder).$castTo<number>().as('needsAttention'))
}

/** One shipment by its id or attempt. */
export async function findOne(
  connection: Connection,
  column: 'id' | 'attemptId',
  value: string,
): Promise<ShipmentRecord | undefined> {
  const row = await selectShipments(connection).where(column, '=', value).executeTakeFirst()
  return row === undefined ? undefined : toShipment(row)
}

/**
 * Shipments of a reference that were not refused, newest first. Two structures are asked that do not depend on each
 * other, so that a damaged one does not free a reference: the index on shipments, and the table of the guard.
 */
export async function earlier(connection: Connection, reference: string): Promise<GuardedShipment[]> {
  const rows = await selectShipments(connection)
    .where('reference', '=', reference)
    .where('state', '!=', 'refused')
    .orderBy('shipments.number', 'desc')
    .execute()
  const known = rows.map(toShipment)
  const ids = new Set(known.map(({ id }) => id))
  const guarded = await guardedShipments(connection, reference)
  return [...known, ...guarded.filter(({ id }) => !ids.has(id))]
}

/** Finds shipments by part of a reference, name, city or barcode, newest first. */
export async function searchShipments(
  connection: Connection,
  search: ShipmentSearch,
): Promise<{ shipments: ShipmentRecord[]; total: number }> {
  const pattern = `%${search.text
    .trim()
    .toLowerCase()
    .replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
  let matching = selectShipments(connection)
  let counting = connection
    .selectFrom('shipments')
    .select((builder) => builder.fn.countAll<number>().as('total'))
  if (pattern !== '%%') {
    const matches = sql<boolean>`search_text like ${pattern} escape '\\'`
    matching = matching.where(matches)
    counting = counting.where(matches)
  }
  if (search.onlyNeedingAttention) {
    matching = matching.where(attention)
    counting = counting.where(attention)
  }
  const rows = await matching
    .orderBy('shipments.number', 'desc')
    .limit(search.limit)
    .offset(search.offset)
    .execute()
  const count = await counting.executeTakeFirstOrThrow()
  return { shipments: rows.map(toShipment), total: Number(count.total) }
}

/** Counts what waits for a person. */
export async function openCounts(connection: Connection): Promise<OpenCounts> {
  const count = async (
    table: 'shipments' | 'labels' | 'printJobs' | 'manifestUploads' | 'preAlerts',
    condition: RawBuilder<SqlBool>,
    counted = sql<number>`count(*)`,
  ) => {
    const row = await connection
      .selectFrom(table)
      .select(counted.as('total'))
      .where(condition)
      .executeTakeFirstOrThrow()
    return Number(row.total)
  }
  const unknown = sql<SqlBool>`state = 'unknown'`
  return {
    unknownShipments: await count('shipments', unknown),
    labelProblems: await count(
      'labels',
      sql`problem is not null and closed_at is null`,
      sql<number>`count(distinct shipment_id)`,
    ),
    failedJobs: await count('printJobs', sql`state in ('failed', 'waiting')`),
    unconfirmedJobs: await count('printJobs', sql`state = 'unconfirmed'`),
    unknownSubmissions: (await count('manifestUploads', unknown)) + (await count('preAlerts', unknown)),
  }
}

/**
 * Shipments that ended before a moment and that nothing waits for. It is the last thing that happened to a shipment
 * that counts, not the day its order came. Shipments are numbered as they come, so one with a higher number than a
 * younger one is as young.
 */
export async function endedBefore(
  connection: Connection,
  { moment, now, spared }: { moment: Date; now: Date; spared: { after: number; to: number } | null },
): Promise<string[]> {
  const iso = moment.toISOString()
  const { first } = await connection
    .selectFrom('shipments')
    .select((builder) => builder.fn.min<number | null>('number').as('first'))
    .where('takenAt', '>=', iso)
    .where('takenAt', '<=', now.toISOString())
    .executeTakeFirstOrThrow()
  const lastMoment = sql<string>`max(taken_at, coalesce(response_received_at, ''), coalesce(label_stored_at, ''), coalesce(settled_at, ''))`
  const rows = await selectShipments(connection)
    .where('state', 'in', ['created', 'refused'])
    .where(lastMoment, '<', iso)
    .where('number', '<', first ?? Number.MAX_SAFE_INTEGER)
    .where((builder) =>
      spared === null
        ? builder.lit(true)
        : builder.or([builder('number', '<=', spared.after), builder('number', '>', spared.to)]),
    )
    .where((builder) =>
      builder.not(
        builder.exists(
          builder
            .selectFrom('printJobs')
            .select('printJobs.id')
            .whereRef('printJobs.shipmentId', '=', 'shipments.id')
            .where((job) =>
              job.or([
                job('printJobs.state', 'in', ['queued', 'sending']),
                job('printJobs.updatedAt', '>=', iso),
              ]),
            ),
        ),
      ),
    )
    // An order file that is being worked on is finished by asking what became of its lines.
    .where((builder) =>
      builder.or([
        builder('origin', '!=', 'hot-folder'),
        builder.not(
          builder.exists(builder.selectFrom('orderFiles').select('id').where('state', '=', 'working')),
        ),
      ]),
    )
    .orderBy('shipments.number')
    .execute()
  return rows.filter((row) => row.needsAttention === 0).map((row) => row.id)
}
