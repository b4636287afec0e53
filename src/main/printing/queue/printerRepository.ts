import { isDeepStrictEqual } from 'node:util'
import type { Printer, PrinterVerdict, TestVerdict } from '../../../shared/printing'
import { ok, type Result } from '../../../shared/result'
import type { Database } from '../../storage/database'
import type { SheetPlaces } from '../drivers/sheets'
import { findPrinter } from './routing'

declare module '../../storage/database' {
  interface DatabaseSchema {
    pausedPrinters: {
      printerId: string
      pausedAt: string
    }
    sheetPlaces: {
      printerId: string
      nextPlace: number
    }
    testVerdicts: {
      printerId: string
      verdict: TestVerdict
      notedAt: string
      operator: string | null
      /** How the printer was set up, as text to compare with. */
      printer: string
    }
  }
}

/** Which printers stand still because a person wants it; kept over a restart. */
export interface PausedPrinters {
  list(): Promise<string[]>
  set(printerId: string, paused: boolean): Promise<void>
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

/** What people said of the last test label of each printer, kept in the database. */
export function createTestVerdicts({
  database,
  printers,
  currentOperator,
  now,
}: {
  database: Database
  printers(): Printer[]
  /** The name of the operator who is signed in; null when nobody is. */
  currentOperator(): string | null
  now(): Date
}) {
  /** Of the printers that the station has, in their order. */
  async function list(): Promise<PrinterVerdict[]> {
    const rows = await database.selectFrom('testVerdicts').selectAll().execute()
    return printers().flatMap((printer) => {
      const row = rows.find(({ printerId }) => printerId === printer.id)
      if (row === undefined) return []
      const { printer: then, ...verdict } = row
      const isCurrent = isDeepStrictEqual(JSON.parse(then), JSON.parse(toStored(printer)))
      return [{ ...verdict, isCurrent }]
    })
  }

  return {
    list,

    /**
     * Keeps what a person says of a printer's test label, with how the printer is set up now.
     * @returns what is known of all printers; `printer-not-found` for one that the station does not have
     */
    async note(printerId: string, verdict: TestVerdict): Promise<Result<PrinterVerdict[]>> {
      const printer = findPrinter(printers(), printerId)
      if (!printer.ok) return printer
      const noted = {
        ...{ verdict, notedAt: now().toISOString(), operator: currentOperator() },
        printer: toStored(printer.value),
      }
      await database
        .insertInto('testVerdicts')
        .values({ printerId, ...noted })
        .onConflict((conflict) => conflict.column('printerId').doUpdateSet(noted))
        .execute()
      return ok(await list())
    },
  }
}

/** What decides how labels come out of a printer. */
function toStored({ name: _name, ...printer }: Printer): string {
  return JSON.stringify(printer)
}
