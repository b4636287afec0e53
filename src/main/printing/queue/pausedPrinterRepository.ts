import type { Database } from '../../storage/database'
import type { PausedPrinters } from '../ports'

/** Keeps in the database which printers are paused. */
export function createPausedPrinterRepository(database: Database, now: () => Date): PausedPrinters {
  return {
    async list() {
      const rows = await database.selectFrom('paused_printers').select('printer_id').execute()
      return rows.map((row) => row.printer_id)
    },
    async set(printerId, paused) {
      if (paused) {
        await database
          .insertInto('paused_printers')
          .values({ printer_id: printerId, paused_at: now().toISOString() })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      } else {
        await database.deleteFrom('paused_printers').where('printer_id', '=', printerId).execute()
      }
    },
  }
}
