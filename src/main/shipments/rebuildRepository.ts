import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { getReferences } from '../../shared/shipments'
import type { Database } from '../storage/database'
import {
  type Entry,
  entriesAt,
  entriesSchema,
  findBlocker,
  listEarlier,
  putEntries,
  updateGuard,
} from './duplicateGuard'
import { insertCombined, type NewShipment, toNewRow } from './repository'

declare module '../storage/database' {
  interface DatabaseSchema {
    unguardedLabels: { shipmentId: string; confirmedAt: string }
  }
}

/** Asked in parts: a busy station has many shipments, and nothing else runs meanwhile. */
const idsAtOnce = 500

/** Rows that are read in one go. */
const rowsAtOnce = 5000

interface GuardRow {
  key: number
  entries: string
}

/** What is put into the journal and its guard after the database was lost, from label files and backups. */
export class RebuildRepository {
  constructor(private readonly database: Database) {}

  /** Which of these ids the journal does not know, nor a person's word that they may stay without a guard. */
  async listMissingIds(ids: readonly string[]): Promise<string[]> {
    const missing = new Set(ids)
    for (let start = 0; start < ids.length; start += idsAtOnce) {
      const part = ids.slice(start, start + idsAtOnce)
      const rows = await this.database.selectFrom('shipments').select('id').where('id', 'in', part).execute()
      for (const { id } of rows) missing.delete(id)
      await setImmediate()
    }
    const agreed = await this.database.selectFrom('unguardedLabels').select('shipmentId').execute()
    for (const { shipmentId } of agreed) missing.delete(shipmentId)
    return [...missing]
  }

  /** A person agrees that nothing guards the references of these shipments. */
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
   * Writes a shipment whose row was lost, as one that was sent and has no outcome yet.
   * @returns false when the journal holds something that it conflicts with
   */
  restore(shipment: NewShipment): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      for (const reference of getReferences(shipment.draft)) {
        const blocker = findBlocker(await listEarlier(transaction, reference))
        if (blocker !== undefined && blocker.kind !== 'already-created') return false
      }
      const inserted = await transaction
        .insertInto('shipments')
        .values(toNewRow(shipment, shipment.takenAt))
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      if (inserted.numInsertedOrUpdatedRows !== 1n) return false
      await insertCombined(transaction, shipment)
      await updateGuard(transaction, shipment.id)
      return true
    })
  }

  /**
   * Takes in the created shipments that a backup guards and this database does not know: retention removed them from the
   * history, and no file tells of them.
   * @param backup absolute path of a backup that was checked
   * @returns how many shipments
   */
  async guardFromBackup(backup: string): Promise<number> {
    const { database } = this
    await sql`attach ${backup} as backup`.execute(database)
    try {
      const table = await sql`select 1 from backup.sqlite_master where name = 'duplicate_guard'`.execute(
        database,
      )
      if (table.rows.length === 0) return 0
      let taken = 0
      let last = -1
      for (;;) {
        const { rows } = await sql<GuardRow>`
          select key, entries from backup.duplicate_guard where key > ${last} order by key limit ${sql.lit(rowsAtOnce)}
        `.execute(database)
        const end = rows.at(-1)
        if (end === undefined) return taken
        last = end.key
        taken += await takeIn(database, rows)
      }
    } finally {
      await sql`detach backup`.execute(database)
    }
  }
}

async function takeIn(database: Database, rows: readonly GuardRow[]): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    let taken = 0
    for (const { key, entries } of rows) {
      const known = await entriesAt(transaction, key)
      const isKnown = (entry: Entry) =>
        known.some(({ id, reference }) => id === entry.id && reference === entry.reference)
      const missing = entriesSchema
        .parse(JSON.parse(entries))
        .filter((entry) => entry.state === 'created' && !isKnown(entry))
        .map((entry) => ({ ...entry, removed: true }))
      if (missing.length > 0) await putEntries(transaction, key, [...missing, ...known])
      taken += missing.length
    }
    return taken
  })
}
