import { isDeepStrictEqual } from 'node:util'
import type { Printer, PrinterVerdict, TestVerdict } from '../../../shared/printing'
import { ok, type Result } from '../../../shared/result'
import type { Settings } from '../../../shared/settings'
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
      /** The settings of the printer that the verdict is about, as JSON to compare with. */
      printer: string
    }
  }
}

/** The printers that a person has paused, kept over a restart. */
export interface PausedPrinters {
  list(): Promise<string[]>
  set(printerId: string, paused: boolean): Promise<void>
}

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

/** Stores the next free place on each printer's sheet of labels. */
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
    // A sheet with fewer places may have been set meanwhile.
    return row === undefined || row.nextPlace >= onSheet ? 0 : row.nextPlace
  }

  return {
    next: (printerId, onSheet) => get(database, printerId, onSheet),
    set: (printerId, place) => put(database, printerId, place),
    reserve: (printerId, count, onSheet) =>
      database.transaction().execute(async (transaction) => {
        const from = await get(transaction, printerId, onSheet)
        await put(transaction, printerId, (from + count) % onSheet)
        return from
      }),
    release: (printerId, { from, count }, onSheet) =>
      database.transaction().execute(async (transaction) => {
        const next = await get(transaction, printerId, onSheet)
        // A person may have set the next place meanwhile.
        if (next === (from + count) % onSheet) await put(transaction, printerId, from)
      }),
  }
}

/** Stores a person's verdict on the last test label of each printer. */
export function createTestVerdictRepository({
  database,
  settings,
  currentOperator,
  now,
}: {
  database: Database
  settings: { current(): Pick<Settings, 'printers'> }
  /** The name of the operator who is signed in; null when nobody is. */
  currentOperator(): string | null
  now(): Date
}) {
  /** The printers as they were when their last test label was printed. */
  const tested = new Map<string, Printer>()

  /** The verdicts of the station's printers, in the order of the printers. */
  async function list(): Promise<PrinterVerdict[]> {
    const rows = await database.selectFrom('testVerdicts').selectAll().execute()
    return settings.current().printers.flatMap((printer) => {
      const row = rows.find(({ printerId }) => printerId === printer.id)
      if (row === undefined) return []
      const { printer: then, ...verdict } = row
      const isCurrent = isDeepStrictEqual(JSON.parse(then), JSON.parse(toStored(printer)))
      return [{ ...verdict, isCurrent }]
    })
  }

  return {
    list,

    /** Call it with the settings that a test label was printed with: the next verdict is about them. */
    noteTestLabel: (printer: Printer) => void tested.set(printer.id, printer),

    /**
     * Stores a verdict together with the settings that the test label was printed with; if no test label was printed
     * since the start, with the printer's present settings.
     * @returns the verdicts of all printers; `printer-not-found` for a printer that the station does not have
     */
    async note(printerId: string, verdict: TestVerdict): Promise<Result<PrinterVerdict[]>> {
      const printer = findPrinter(settings.current().printers, printerId)
      if (!printer.ok) return printer
      const noted = {
        ...{ verdict, notedAt: now().toISOString(), operator: currentOperator() },
        printer: toStored(tested.get(printerId) ?? printer.value),
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

/** The settings that decide how a printer prints: all but its name. */
function toStored({ name: _name, ...printer }: Printer): string {
  return JSON.stringify(printer)
}
