import type { HandlersOf } from '../../shared/bridge'
import { type Printer, type printingMethods, printJobStates } from '../../shared/printing'
import { ok } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import type { Desktop, TargetConsent } from '../lib/desktop'
import type { EventBus } from '../lib/eventBus'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { SettingsStore } from '../settings/settingsStore'
import type { OpenDatabase } from '../storage/database'
import type { DataFolder } from '../storage/dataFolder'
import type { BarcodeProver } from './barcodes/barcodeProver'
import { findMarginsOfPrinter } from './cups/cupsQueue'
import { listOfferedStocks, listSystemQueues, probePrinter } from './drivers/createDrivers'
import { findDpi, getDriver, type PrinterDrivers } from './drivers/driver'
import { getSheetPlace, setSheetPlace, withSheets } from './drivers/sheets'
import type { InvoiceSource, LabelSource } from './printableLabel'
import { createLabelChoices } from './queue/labelChoices'
import {
  createPausedPrinterRepository,
  createSheetPlaceRepository,
  createTestVerdictRepository,
} from './queue/printerRepository'
import { createPrintQueue } from './queue/printQueue'
import { createPrintJobRepository, type PrintJobRepository } from './queue/repository'
import { findPrinter } from './queue/routing'
import { confirmScan, skipScan } from './queue/scanBack'
import type { Rasterizer } from './raster/rasterizer'

/** Loaded on demand: it draws with packages that would slow the start down. */
const loadTestLabels = () => import('./queue/testLabel')

const maxEndedShown = 100
const a4 = { widthMm: 210, heightMm: 297 }
/** 300 dpi: bars of whole dots at this resolution suit any office printer. */
const officeDotsPerMm = 12

export interface PrintingDeps {
  database: OpenDatabase
  settings: Pick<SettingsStore, 'current' | 'change'>
  labels: LabelSource
  invoices: InvoiceSource
  drivers: PrinterDrivers
  rasterizer: Rasterizer
  /** Reads the barcodes of previews, which are not read without it. */
  prover?: Pick<BarcodeProver, 'prove'> | undefined
  targetConsent: Pick<TargetConsent, 'forPrinter'>
  desktop: Pick<Desktop, 'saveFile'>
  places: DataFolder
  bus: EventBus
  log: Log
  /** The name of the operator who is signed in; null when nobody is. */
  currentOperator: () => string | null
  now: () => Date
}

/** Constructs printing: the print queues, a person's decisions about labels, and the handlers for the window. */
export function createPrinting(deps: PrintingDeps) {
  const { database, settings, rasterizer, places, bus, now, labels } = deps
  const jobs = createPrintJobRepository(database, now)
  const sheetPlaces = createSheetPlaceRepository(database)
  const drivers = {
    ...deps.drivers,
    system: withSheets(deps.drivers.system, { rasterizer, places: sheetPlaces }),
  }
  const common = { ...deps, jobs, drivers }
  const printing = createPrintQueue({
    ...common,
    paused: createPausedPrinterRepository(database, now),
    measure: rasterizer.measure,
  })
  const choices = createLabelChoices({
    ...common,
    ...printing,
    save: (change) => settings.change(change),
    getStocks: (printer: Printer) => listOfferedStocks(printer, process.platform),
    getDpi: (printer: Printer) => findDpi(drivers, printer),
    getMargins: (printer: Printer) => findMarginsOfPrinter(printer, process.platform),
  })
  const testVerdicts = createTestVerdictRepository(common)
  const testing = { settings, drivers, queue: printing }

  const handlers: HandlersOf<typeof printingMethods> = {
    listQueue: async () => {
      const [open, ended] = await Promise.all([
        jobs.listInStates(printJobStates.open),
        jobs.newestInStates(printJobStates.ended, maxEndedShown),
      ])
      return ok([...ended, ...open])
    },
    reprint: ({ shipmentId, labelId, printerId }) => printing.reprint(shipmentId, labelId, printerId),
    reprintLast: ({ printerId }) => printing.reprintLast(printerId),
    reprintPages: ({ labelId, pages, printerId }) => printing.reprintPages(labelId, pages, printerId),
    printJobAgain: ({ jobId, printerId }) => printing.printAgain(jobId, printerId),
    printAllAgain: ({ printerId }) => printing.printAllAgain(printerId),
    resolveJob: ({ jobId, verdict, reason }) => printing.resolveJob(jobId, verdict, reason),
    cancelJob: ({ jobId }) => printing.cancel(jobId),
    moveJob: ({ jobId, printerId }) => printing.move(jobId, printerId),
    pausePrinter: async ({ printerId, paused }) => {
      await printing.pause(printerId, paused)
      bus.emit('statusOutdated')
      return ok(undefined)
    },

    previewPrint: ({ labelId, printerId, pages }) => choices.preview(labelId, printerId, pages),
    askPlacement: ({ jobId, page }) => choices.askPlacement(jobId, page),
    tryPlacement: ({ jobId, rule, page }) => choices.tryPlacement(jobId, rule, page),
    printPageElsewhere: (choice) => choices.printPageElsewhere(choice),
    savePlacement: ({ rule, seen }) => choices.savePlacement(rule, seen),
    allowZplCommands: ({ jobId }) => choices.allowZplCommands(jobId),
    askLosses: ({ jobId }) => choices.askLosses(jobId),
    printDespiteLosses: ({ jobId, remember }) => choices.printDespiteLosses(jobId, remember),
    chooseStock: ({ jobId, paper }) => choices.chooseStock(jobId, paper),

    confirmScan: (scan) =>
      confirmScan(scan, { jobs: printing.jobs, labels, settings: () => settings.current().scanBack, now }),
    skipScan: async (skipped) => ok(await skipScan(skipped, { jobs: printing.jobs })),

    listSystemQueues: async () => ok(await listSystemQueues(process.platform)),
    checkPrinter: async ({ printer }) => {
      const agreed = await deps.targetConsent.forPrinter(printer, settings.current())
      return agreed.ok ? ok(await probePrinter(printer, places.root, process.platform)) : agreed
    },
    getSheetPlace: ({ printerId }) => {
      const printer = findPrinter(settings.current().printers, printerId)
      return printer.ok ? getSheetPlace(printer.value, sheetPlaces) : printer
    },
    setSheetPlace: ({ printerId, place }) => {
      const printer = findPrinter(settings.current().printers, printerId)
      return printer.ok ? setSheetPlace(printer.value, place, sheetPlaces) : printer
    },
    calibratePrinter: async ({ printerId }) => (await loadTestLabels()).calibratePrinter(printerId, testing),
    printTestLabel: async ({ printerId }) => {
      const { printTestLabel } = await loadTestLabels()
      return printTestLabel(printerId, { ...testing, onPrinted: testVerdicts.noteTestLabel })
    },
    listTestVerdicts: async () => ok(await testVerdicts.list()),
    noteTestVerdict: ({ printerId, verdict }) => testVerdicts.note(printerId, verdict),
    printCommandSheet: async ({ printerId }) => {
      const { drawCommandLabel, printTestLabel } = await loadTestLabels()
      const { language, scanner } = settings.current()
      return printTestLabel(printerId, testing, (printer) => drawCommandLabel(printer, language, scanner))
    },
    saveCommandSheet: async () => {
      const { language, scanner } = settings.current()
      const { makeCommandSheet } = await loadTestLabels()
      const pdf = await makeCommandSheet(a4, officeDotsPerMm, language, scanner)
      return deps.desktop.saveFile('packbench-commands.pdf', pdf)
    },
  }
  return { jobs, printing, removeLeftovers: () => removePrinterLeftovers(common), handlers }
}

/** Removes what a crash left at printers: partly written files, jobs that a spooler keeps. A failure is only logged. */
export async function removePrinterLeftovers({
  settings,
  drivers,
  jobs,
  log,
}: {
  settings: { current(): Pick<Settings, 'printers'> }
  drivers: PrinterDrivers
  jobs: Pick<PrintJobRepository, 'find'>
  log: Log
}): Promise<void> {
  const isOver = async (jobId: string) => {
    const job = await jobs.find(jobId)
    return job !== undefined && !printJobStates.underWay.includes(job.state)
  }
  for (const printer of settings.current().printers) {
    try {
      const count = await getDriver(drivers, printer).removeLeftovers(isOver)
      if (count > 0) log.info('removed what a crash left at a printer', { printer: printer.id, count })
    } catch (error) {
      log.error('what a crash left at a printer could not be removed; the next start tries again', {
        printer: printer.id,
        reason: toReason(error),
      })
    }
  }
}
