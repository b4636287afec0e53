import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { getReferences } from '../../shared/shipments'
import { unconfirmJobsOfCopy } from '../printing/queue/repository'
import type { Database } from '../storage/database'
import {
  findBlocker,
  type GuardEntry,
  guardEntriesSchema,
  listEarlier,
  listEntries,
  putEntries,
  updateGuard,
} from './duplicateGuard'
import { insertCombinedReferences, type NewShipment, toNewRow, writeAnswer } from './repository'
import type { StoredCreation } from './shipmentFiles'

declare module '../storage/database' {
  interface DatabaseSchema {
    unguardedLabels: { shipmentId: string; confirmedAt: string }
  }
}

/** Queried in chunks: no other work runs during a query. */
const idsAtOnce = 500

const rowsAtOnce = 5000

interface GuardRow {
  key: number
  entries: string
}

/** Restores the journal and its guard from label files and backups after the database was lost. */
export class RebuildRepository {
  constructor(private readonly database: Database) {}

  /** The ids that the journal does not hold, except those that a person accepted as unguarded. */
  async listMissingIds(ids: readonly string[]): Promise<string[]> {
    const missing = new Set(ids)
    for (let start = 0; start < ids.length; start += idsAtOnce) {
      const part = ids.slice(start, start + idsAtOnce)
      const rows = await this.database.selectFrom('shipments').select('id').where('id', 'in', part).execute()
      for (const { id } of rows) missing.delete(id)
      await setImmediate()
    }
    const accepted = await this.database.selectFrom('unguardedLabels').select('shipmentId').execute()
    for (const { shipmentId } of accepted) missing.delete(shipmentId)
    return [...missing]
  }

  /** Notes that a person accepted that nothing guards the references of these shipments. */
  leaveUnguarded(ids: readonly string[], at: Date): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      for (const shipmentId of ids) {
        await transaction
          .replaceInto('unguardedLabels')
          .values({ shipmentId, confirmedAt: at.toISOString() })
          .execute()
      }
    })
  }

  /**
   * Writes the row of a lost shipment: as sent and without an outcome, or as created and without print jobs.
   * @param creation what the service answered; the shipment is created then, also beside an open one of the same reference
   * @returns false when it conflicts with a shipment in the journal
   */
  restore(shipment: NewShipment, creation?: StoredCreation): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      const state = creation === undefined ? 'sent' : 'created'
      for (const reference of state === 'created' ? [] : getReferences(shipment.draft)) {
        const blocker = findBlocker(await listEarlier(transaction, reference))
        if (blocker !== undefined && blocker.kind !== 'already-created') return false
      }
      const inserted = await transaction
        .insertInto('shipments')
        .values({ ...toNewRow(shipment, shipment.takenAt), state })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      if (inserted.numInsertedOrUpdatedRows !== 1n) return false
      await insertCombinedReferences(transaction, shipment, state)
      if (creation !== undefined) await writeAnswer(transaction, shipment.id, creation, ['created'])
      await updateGuard(transaction, shipment.id)
      return true
    })
  }

  /**
   * Keeps everything from being printed by itself that a copy has as not printed yet: it may have been printed since the copy
   * was made. A person can print it.
   */
  holdPrinting(at: Date): Promise<void> {
    return this.database.transaction().execute(async (transaction) => {
      await unconfirmJobsOfCopy(transaction, at)
      const missing = transaction
        .selectFrom('labels')
        .select('shipmentId')
        .where('problem', 'in', ['not-fetched', 'not-stored'])
      await transaction
        .updateTable('shipments')
        .set({ printHeld: 1 })
        .where((shipment) =>
          shipment.or([
            shipment('state', 'in', ['intended', 'sent', 'unknown']),
            shipment('id', 'in', missing),
          ]),
        )
        .execute()
    })
  }

  /**
   * Deletes the rows of order files in progress: the lost station may have sent more of them since the copy was made. The hot
   * folder sends nothing of a file in `work/` without a row.
   */
  async forgetOrderFiles(): Promise<void> {
    await this.database.deleteFrom('orderFiles').execute()
  }

  /**
   * Copies the guard entries of created shipments that only a backup holds: retention removed the shipments and their files.
   * @param backup absolute path of a backup that was checked
   * @returns how many entries it copied
   */
  async guardFromBackup(backup: string): Promise<number> {
    const { database } = this
    await sql`attach ${backup} as backup`.execute(database)
    try {
      const table = await sql`select 1 from backup.sqlite_master where name = 'duplicate_guard'`.execute(
        database,
      )
      if (table.rows.length === 0) return 0
      let copied = 0
      let last = -1
      for (;;) {
        const { rows } = await sql<GuardRow>`
          select key, entries from backup.duplicate_guard where key > ${last} order by key limit ${sql.lit(rowsAtOnce)}
        `.execute(database)
        const end = rows.at(-1)
        if (end === undefined) return copied
        last = end.key
        copied += await copyMissingEntries(database, rows)
      }
    } finally {
      await sql`detach backup`.execute(database)
    }
  }
}

async function copyMissingEntries(database: Database, rows: readonly GuardRow[]): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    let copied = 0
    for (const { key, entries } of rows) {
      const known = await listEntries(transaction, key)
      const isKnown = (entry: GuardEntry) =>
        known.some(({ id, reference }) => id === entry.id && reference === entry.reference)
      const missing = guardEntriesSchema
        .parse(JSON.parse(entries))
        .filter((entry) => entry.state === 'created' && !isKnown(entry))
        .map((entry) => ({ ...entry, removed: true }))
      if (missing.length > 0) await putEntries(transaction, key, [...missing, ...known])
      copied += missing.length
    }
    return copied
  })
}
