import type { Database } from '../../storage/database'
import type { SheetPlaces } from '../ports'

declare module '../../storage/database' {
  interface DatabaseSchema {
    sheetPlaces: {
      printerId: string
      nextPlace: number
    }
  }
}

/** Keeps in the database which place of a printer's sheet of labels is free next. */
export function createSheetPlaceRepository(database: Database): SheetPlaces {
  async function put(on: Database, printerId: string, place: number): Promise<void> {
    await on
      .insertInto('sheetPlaces')
      .values({ printerId: printerId, nextPlace: place })
      .onConflict((conflict) => conflict.column('printerId').doUpdateSet({ nextPlace: place }))
      .execute()
  }

  async function get(on: Database, printerId: string, onSheet: number): Promise<number> {
    const row = await on
      .selectFrom('sheetPlaces')
      .select('nextPlace')
      .where('printerId', '=', printerId)
      .executeTakeFirst()
    // The settings may have got a sheet with fewer places meanwhile.
    return row === undefined || row.nextPlace >= onSheet ? 0 : row.nextPlace
  }

  return {
    next: (printerId, onSheet) => get(database, printerId, onSheet),
    set: (printerId, place) => put(database, printerId, place),
    take: (printerId, count, onSheet) =>
      database.transaction().execute(async (transaction) => {
        const from = await get(transaction, printerId, onSheet)
        await put(transaction, printerId, (from + count) % onSheet)
        return from
      }),
    giveBack: (printerId, { from, count }, onSheet) =>
      database.transaction().execute(async (transaction) => {
        const next = await get(transaction, printerId, onSheet)
        // A person may have said meanwhile where the next label goes.
        if (next === (from + count) % onSheet) await put(transaction, printerId, from)
      }),
  }
}
