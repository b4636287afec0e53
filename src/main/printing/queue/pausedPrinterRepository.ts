import type { Database } from '../../storage/database'
import type { PausedPrinters } from '../ports'

declare module '../../storage/database' {
  interface DatabaseSchema {
    pausedPrinters: {
      printerId: string
      pausedAt: string
    }
  }
}

/** Keeps in the database which printers are paused. */
export function createPausedPrinterRepository(database: Database, now: () => Date): PausedPrinters {
  return {
    async list() {
      const rows = await database.selectFrom('pausedPrinters').select('printerId').execute()
      return rows.map((row) => row.printerId)
    },
    async set(printerId, paused) {
      if (paused) {
        await database
          .insertInto('pausedPrinters')
          .values({ printerId: printerId, pausedAt: now().toISOString() })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      } else {
        await database.deleteFrom('pausedPrinters').where('printerId', '=', printerId).execute()
      }
    },
  }
}
