import type { LabelRules } from '../../shared/labels'
import type { Printer, RoutingRule } from '../../shared/printing'
import type { Result } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import type { EventBus } from '../lib/eventBus'
import type { Log } from '../log/log'
import type { SettingsStore } from '../settings/settingsStore'
import type { Database } from '../storage/database'
import type { DataFolder } from '../storage/dataFolder'
import type { BarcodeProver } from './barcodes/barcodeProver'
import { findMarginsOfPrinter } from './cups/cupsQueue'
import type { PrinterDrivers } from './drivers/driver'
import { listOfferedStocks } from './drivers/drivers'
import { withSheets } from './drivers/sheets'
import { createPrintingHandlers, type PrintingHandlerDeps } from './handlers'
import type { InvoiceSource, LabelSource } from './printableLabel'
import { createLabelChoices } from './queue/labelChoices'
import { removeLeftovers } from './queue/leftovers'
import { createPrintQueue } from './queue/printQueue'
import {
  createPausedPrinterRepository,
  createPrintJobRepository,
  createSheetPlaceRepository,
  createTestVerdictRepository,
} from './queue/repository'
import type { Rasterizer } from './raster/rasterizer'

export interface PrintingDeps {
  database: Database
  settings: Pick<SettingsStore, 'current' | 'change'>
  labels: LabelSource
  invoices: InvoiceSource
  drivers: PrinterDrivers
  rasterizer: Rasterizer
  /** Reads the barcodes of previews, where there is one. */
  prover?: Pick<BarcodeProver, 'prove'> | undefined
  targetConsent: {
    /** Asks a person before a printer at a new place is opened. */
    forPrinter(printer: Printer, settings: Settings): Promise<Result<undefined>>
  }
  desktop: PrintingHandlerDeps['desktop']
  places: DataFolder
  bus: EventBus
  log: Log
  currentOperator: () => string | null
  now: () => Date
}

/** Printing: the queue of each printer, what a person decides about labels, and looks at printers. */
export function createPrinting(deps: PrintingDeps) {
  const { database, settings, rasterizer, places, now } = deps
  const jobs = createPrintJobRepository(database, now)
  const sheetPlaces = createSheetPlaceRepository(database)
  const system = withSheets(deps.drivers.system, { rasterizer, places: sheetPlaces })
  const common = {
    ...deps,
    jobs,
    drivers: { ...deps.drivers, system },
    printers: () => settings.current().printers,
    routing: () => settings.current().routing,
    labelRules: () => settings.current().labelRules,
  }
  const printing = createPrintQueue({
    ...common,
    paused: createPausedPrinterRepository(database, now),
    measure: rasterizer.measure,
  })
  const choosing = {
    ...common,
    ...printing,
    saveLabelRules: (labelRules: LabelRules) => settings.change({ labelRules }),
    saveRouting: (routing: RoutingRule[]) => settings.change({ routing }),
    savePrinters: (printers: Printer[]) => settings.change({ printers }),
    getStocks: (printer: Printer) => listOfferedStocks(printer, process.platform),
    getMargins: (printer: Printer) => findMarginsOfPrinter(printer, process.platform),
  }
  return {
    jobs,
    printing,
    removeLeftovers: () => removeLeftovers({ ...common, dataFolder: places.root }),
    handlers: createPrintingHandlers({
      ...common,
      printing,
      sheetPlaces,
      testVerdicts: createTestVerdictRepository(database),
      choices: createLabelChoices(choosing),
      askForPrinter: (printer) => deps.targetConsent.forPrinter(printer, settings.current()),
      dataFolder: places.root,
    }),
  }
}
