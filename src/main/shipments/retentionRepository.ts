import { sql } from 'kysely'
import { printJobStates } from '../../shared/printing'
import { rest } from '../lib/async'
import { countRows, type Database } from '../storage/database'
import { keepInGuard, listEntries, putEntries } from './duplicateGuard'
import { needsAttention } from './repository'

const endedAtOnce = 500

const rowsAtOnce = 5000

/** Rows per transaction: a creation waits for one such transaction at most. */
const forgottenAtOnce = 20
const forgettingPauseMs = 20

/** Removes old shipments from the journal, and later their references from the duplicate guard. */
export class RetentionRepository {
  /** @param reader a second connection, so that look-ups do not delay writes */
  constructor(
    private readonly database: Database,
    private readonly reader: Database = database,
  ) {}

  /**
   * Shipments that ended before a moment and that no person, printer or order file in progress needs, oldest first. The
   * last event of a shipment counts, not the day of its order. Numbers increase with time: a shipment numbered after a
   * younger one is at least as young, even if its own times are older because the clock was behind.
   * @param now ignores later times, which a clock wrote that was ahead
   * @param excluded range of numbers that is left out
   */
  async *listEndedBefore(
    moment: Date,
    now: Date,
    excluded: { after: number; to: number } | null,
  ): AsyncGenerator<string[]> {
    const iso = moment.toISOString()
    const { first } = await this.reader
      .selectFrom('shipments')
      .select((builder) => builder.fn.min<number | null>('number').as('first'))
      .where('takenAt', '>=', iso)
      .where('takenAt', '<=', now.toISOString())
      .executeTakeFirstOrThrow()
    const ended = selectEnded(this.reader, moment)
      .where('number', '<', first ?? Number.MAX_SAFE_INTEGER)
      .where((builder) =>
        excluded === null
          ? builder.lit(true)
          : builder.or([builder('number', '<=', excluded.after), builder('number', '>', excluded.to)]),
      )
      .orderBy('shipments.number')
      .limit(endedAtOnce)
    for (let last = 0; ; ) {
      const rows = await ended.where('shipments.number', '>', last).execute()
      const end = rows.at(-1)
      if (end === undefined) return
      last = end.number
      yield rows.map(({ id }) => id)
    }
  }

  /** Whether a shipment that was listed is still one that ended before a moment and that nobody needs. */
  isEndedBefore(moment: Date, id: string): Promise<boolean> {
    return isEnded(this.reader, moment, id)
  }

  /**
   * Removes a shipment with its labels and print jobs; the duplicate guard keeps its reference, time and barcodes.
   * @param endedBefore keeps a shipment that is needed since it was listed; also the earliest start of `guardDays` for it, by
   *   default the time of the shipment
   * @returns whether it was removed
   */
  remove(id: string, endedBefore?: Date): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      if (endedBefore !== undefined && !(await isEnded(transaction, endedBefore, id))) return false
      await keepInGuard(transaction, id, endedBefore)
      await transaction.deleteFrom('printJobs').where('shipmentId', '=', id).execute()
      await transaction.deleteFrom('labels').where('shipmentId', '=', id).execute()
      await transaction.deleteFrom('combinedReferences').where('shipmentId', '=', id).execute()
      await transaction.deleteFrom('shipments').where('id', '=', id).execute()
      return true
    })
  }

  /** Shipments without a row whose files a person left unguarded before a moment, oldest first. */
  async listUnguardedBefore(moment: Date): Promise<string[]> {
    const rows = await this.reader
      .selectFrom('unguardedLabels')
      .select('shipmentId')
      .where('confirmedAt', '<', moment.toISOString())
      .where((builder) =>
        builder.not(
          builder.exists(
            builder
              .selectFrom('shipments')
              .select('shipments.id')
              .whereRef('shipments.id', '=', 'unguardedLabels.shipmentId'),
          ),
        ),
      )
      .orderBy('confirmedAt')
      .execute()
    return rows.map(({ shipmentId }) => shipmentId)
  }

  /** Forgets that a person left the files of a shipment unguarded; call it when they are removed. */
  async forgetUnguarded(shipmentId: string): Promise<void> {
    await this.database.deleteFrom('unguardedLabels').where('shipmentId', '=', shipmentId).execute()
  }

  /**
   * Removes from the guard the references of removed shipments taken before a moment.
   * @param share how many of all guard rows one run may remove
   * @param signal ends the run between two transactions
   */
  async forgetReferences(
    before: Date,
    share: (total: number) => number,
    signal?: AbortSignal,
  ): Promise<number> {
    const moment = before.toISOString()
    const maxForgotten = share(await countRows(this.reader.selectFrom('duplicateGuard')))
    let forgotten = 0
    let last = -1
    const mayGoOn = () => forgotten < maxForgotten && signal?.aborted !== true
    while (mayGoOn()) {
      const rows = await this.reader
        .selectFrom('duplicateGuard')
        .select(['key', 'newestAt'])
        .where('key', '>', last)
        .orderBy('key')
        .limit(rowsAtOnce)
        .execute()
      const end = rows.at(-1)
      if (end === undefined) break
      last = end.key
      const old = rows.filter((row) => row.newestAt < moment).map((row) => row.key)
      for (let from = 0; from < old.length && mayGoOn(); from += forgottenAtOnce) {
        const keys = old.slice(from, from + Math.min(forgottenAtOnce, maxForgotten - forgotten))
        forgotten += await forgetEntries(this.database, keys)
        await rest(forgettingPauseMs, { signal })
      }
    }
    return forgotten
  }
}

/** Shipments that ended before a moment and that no person, printer or order file in progress needs. */
function selectEnded(database: Database, moment: Date) {
  const iso = moment.toISOString()
  const lastEvent = sql<string>`max(taken_at, coalesce(response_received_at, ''), coalesce(label_stored_at, ''), coalesce(settled_at, ''))`
  return (
    database
      .selectFrom('shipments')
      .select(['shipments.id', 'shipments.number'])
      .where('state', 'in', ['created', 'refused'])
      .where((builder) => builder.not(needsAttention(builder)))
      .where(lastEvent, '<', iso)
      .where((builder) =>
        builder.not(
          builder.exists(
            builder
              .selectFrom('printJobs')
              .select('printJobs.id')
              .whereRef('printJobs.shipmentId', '=', 'shipments.id')
              .where((job) =>
                job.or([
                  job('printJobs.state', 'in', printJobStates.underWay),
                  job('printJobs.updatedAt', '>=', iso),
                ]),
              ),
          ),
        ),
      )
      // An order file in progress is finished from the outcomes of its lines, whose shipments have its time.
      .where('shipments.takenAt', 'not in', (files) =>
        files.selectFrom('orderFiles').select('orderFiles.takenAt').where('orderFiles.state', '=', 'working'),
      )
      // Held orders of the file were shipped as other orders are.
      .where('shipments.id', 'not in', (builder) =>
        builder
          .selectFrom('orders')
          .select('orders.shipmentId')
          .where('orders.state', '=', 'shipped')
          .where('orders.sourceName', 'in', (files) =>
            files.selectFrom('orderFiles').select('name').where('state', '=', 'working'),
          )
          .where('orders.shipmentId', 'is not', null)
          .$narrowType<{ shipmentId: string }>(),
      )
  )
}

async function isEnded(database: Database, moment: Date, id: string): Promise<boolean> {
  const row = await selectEnded(database, moment).where('shipments.id', '=', id).executeTakeFirst()
  return row !== undefined
}

async function forgetEntries(database: Database, keys: readonly number[]): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    let forgotten = 0
    for (const key of keys) {
      const entries = await listEntries(transaction, key)
      const kept = entries.filter(({ removed }) => !removed)
      if (kept.length < entries.length) await putEntries(transaction, key, kept)
      forgotten += entries.length - kept.length
    }
    return forgotten
  })
}
