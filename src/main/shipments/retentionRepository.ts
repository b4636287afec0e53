import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../storage/database'
import { entriesAt, keepInGuard, putEntries } from './duplicateGuard'
import { needsAttention } from './repository'

/** Ended shipments that are looked up in one go. */
const endedAtOnce = 500

/** Rows that are read in one go. */
const rowsAtOnce = 5000

/** A transaction of forgetting holds up a creation no longer than this many rows take, and then lets others in. */
const forgottenAtOnce = 20
const forgettingPauseMs = 20

/** What retention removes of the journal, and later of the duplicate guard. */
export class RetentionRepository {
  /** @param reader looks for what is due, without holding up what is written */
  constructor(
    private readonly database: Database,
    private readonly reader: Database = database,
  ) {}

  /**
   * Shipments that ended before a moment and that nothing waits for: no person, no printer, and no order file that is
   * being worked on. Oldest first. It is the last thing that happened to a shipment that counts, not the day its order
   * came. Shipments are numbered as they come, so one with a higher number than a younger one is as young, whatever its
   * own moments say: the clock was behind.
   * @param now moments beyond it were written by a clock that was ahead, and say nothing about others
   * @param spared shipments by their numbers that are left out
   */
  async *listEndedBefore(
    moment: Date,
    now: Date,
    spared: { after: number; to: number } | null,
  ): AsyncGenerator<string[]> {
    const iso = moment.toISOString()
    const { first } = await this.reader
      .selectFrom('shipments')
      .select((builder) => builder.fn.min<number | null>('number').as('first'))
      .where('takenAt', '>=', iso)
      .where('takenAt', '<=', now.toISOString())
      .executeTakeFirstOrThrow()
    const lastMoment = sql<string>`max(taken_at, coalesce(response_received_at, ''), coalesce(label_stored_at, ''), coalesce(settled_at, ''))`
    const ended = this.reader
      .selectFrom('shipments')
      .select(['shipments.id', 'shipments.number'])
      .where('state', 'in', ['created', 'refused'])
      .where((builder) => builder.not(needsAttention(builder)))
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
      .limit(endedAtOnce)
    for (let last = 0; ; ) {
      const rows = await ended.where('shipments.number', '>', last).execute()
      const end = rows.at(-1)
      if (end === undefined) return
      last = end.number
      yield rows.map(({ id }) => id)
    }
  }

  /**
   * Removes a shipment and what belongs to it; the duplicate guard keeps its reference, time and barcodes.
   * @param guardedFrom the earliest moment from which the guard counts; its own when left out
   */
  remove(id: string, guardedFrom?: Date): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      await keepInGuard(transaction, id, guardedFrom)
      await transaction.deleteFrom('printJobs').where('shipmentId', '=', id).execute()
      await transaction.deleteFrom('labels').where('shipmentId', '=', id).execute()
      await transaction.deleteFrom('combinedReferences').where('shipmentId', '=', id).execute()
      await transaction.deleteFrom('shipments').where('id', '=', id).execute()
    })
  }

  /**
   * Forgets references of removed shipments that were taken before a moment.
   * @param share how many of a number of references may be forgotten at once
   */
  async forgetReferences(before: Date, share: (total: number) => number): Promise<number> {
    const moment = before.toISOString()
    const { total } = await this.reader
      .selectFrom('duplicateGuard')
      .select((builder) => builder.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    const most = share(Number(total))
    let forgotten = 0
    let last = -1
    while (forgotten < most) {
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
      for (let from = 0; from < old.length && forgotten < most; from += forgottenAtOnce) {
        const part = old.slice(from, from + Math.min(forgottenAtOnce, most - forgotten))
        forgotten += await forgetIn(this.database, part)
        await pause(forgettingPauseMs)
      }
    }
    return forgotten
  }
}

async function forgetIn(database: Database, keys: readonly number[]): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    let forgotten = 0
    for (const key of keys) {
      const entries = await entriesAt(transaction, key)
      const kept = entries.filter(({ removed }) => !removed)
      if (kept.length < entries.length) await putEntries(transaction, key, kept)
      forgotten += entries.length - kept.length
    }
    return forgotten
  })
}
