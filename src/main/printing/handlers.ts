import type { HandlersOf } from '../../shared/bridge'
import type { Printer, PrintJobState, printingMethods } from '../../shared/printing'
import { ok, type Result } from '../../shared/result'
import type { EventBus } from '../lib/eventBus'
import type { SettingsStore } from '../settings/settingsStore'
import type { PrinterDrivers } from './drivers/driver'
import { checkPrinter, listSystemQueues } from './drivers/drivers'
import { getSheetPlace, type SheetPlaces, setSheetPlace } from './drivers/sheets'
import type { LabelSource } from './printableLabel'
import type { LabelChoices } from './queue/labelChoices'
import type { PrintQueue } from './queue/printQueue'
import { announceChanges, type PrintJobRepository, type TestVerdictRepository } from './queue/repository'
import { findPrinter } from './queue/routing'
import { confirmScan, skipScan } from './queue/scanBack'
import { listTestVerdicts, noteTestVerdict } from './queue/testVerdicts'

/** They draw with packages that a start does not wait for. */
const loadTestLabels = () => import('./queue/testLabel')
const loadCommandSheets = () => import('./queue/commandSheet')

/** Under way, or waiting for a person. */
const openStates: PrintJobState[] = ['queued', 'sending', 'waiting', 'failed', 'unconfirmed']
const throughStates: PrintJobState[] = ['done', 'handed-over', 'cancelled']
/** How many of the jobs that are through are shown. */
const throughShown = 100
const a4 = { widthMm: 210, heightMm: 297 }
/** 300 dpi, which bars of whole dots suit on any office printer. */
const officeDotsPerMm = 12

export interface PrintingHandlerDeps {
  printing: PrintQueue
  jobs: PrintJobRepository
  labels: LabelSource
  choices: LabelChoices
  sheetPlaces: SheetPlaces
  testVerdicts: TestVerdictRepository
  drivers: PrinterDrivers
  printers(): Printer[]
  settings: Pick<SettingsStore, 'current'>
  desktop: {
    /** Saves bytes at a place of the operator's choice; null when they chose none. */
    saveFile(fileName: string, bytes: Uint8Array): Promise<Result<string | null>>
  }
  /** Asks a person before a printer at a new place is opened. */
  askForPrinter(printer: Printer): Promise<Result<undefined>>
  /** Absolute; relative folders lie in it. */
  dataFolder: string
  bus: EventBus
  /** The name of the operator who is signed in; null when nobody is. */
  currentOperator(): string | null
  now(): Date
}

/** The handlers of the queue, of printers and of labels on their way. */
export function createPrintingHandlers(deps: PrintingHandlerDeps): HandlersOf<typeof printingMethods> {
  const { printing, jobs, labels, choices, sheetPlaces, drivers, printers, bus, now, settings } = deps
  const announced = announceChanges(jobs, bus)
  const commands = async (printer: Printer) => {
    const { language, scanner } = settings.current()
    const { commandLabel } = await loadCommandSheets()
    return commandLabel(printer, language, scanner)
  }
  const testing = { printers, drivers, queue: printing }
  return {
    listQueue: async () => {
      const [open, through] = await Promise.all([
        jobs.inStates(openStates),
        jobs.newestInStates(throughStates, throughShown),
      ])
      return ok([...through, ...open])
    },
    listSystemQueues: async () => ok(await listSystemQueues(process.platform)),
    listOpenJobs: async () => ok(await jobs.inStates(openStates)),
    reprint: ({ shipmentId, labelId, printerId }) => printing.reprint(shipmentId, labelId, printerId),
    printJobAgain: ({ jobId, printerId }) => printing.printAgain(jobId, printerId),
    resolveJob: ({ jobId, verdict, reason }) => printing.resolveJob(jobId, verdict, reason),
    cancelJob: ({ jobId }) => printing.cancel(jobId),
    moveJob: ({ jobId, printerId }) => printing.move(jobId, printerId),
    pausePrinter: async ({ printerId, paused }) => {
      await printing.pause(printerId, paused)
      bus.emit('statusOutdated')
      return ok(undefined)
    },
    reprintLast: ({ printerId }) => printing.reprintLast(printerId),
    printAllAgain: ({ printerId }) => printing.printAllAgain(printerId),
    reprintPages: ({ labelId, pages, printerId }) => printing.reprintPages(labelId, pages, printerId),
    checkPrinter: async ({ printer }) => {
      const agreed = await deps.askForPrinter(printer)
      return agreed.ok ? ok(await checkPrinter(printer, deps.dataFolder, process.platform)) : agreed
    },
    getSheetPlace: ({ printerId }) => {
      const printer = findPrinter(printers(), printerId)
      return printer.ok ? getSheetPlace(printer.value, sheetPlaces) : printer
    },
    setSheetPlace: ({ printerId, place }) => {
      const printer = findPrinter(printers(), printerId)
      return printer.ok ? setSheetPlace(printer.value, place, sheetPlaces) : printer
    },
    calibratePrinter: async ({ printerId }) => (await loadTestLabels()).calibratePrinter(printerId, testing),
    printTestLabel: async ({ printerId }) => (await loadTestLabels()).printTestLabel(printerId, testing),
    listTestVerdicts: async () => ok(await listTestVerdicts(deps)),
    noteTestVerdict: ({ printerId, verdict }) => noteTestVerdict(printerId, verdict, deps),
    previewPrint: ({ labelId, printerId }) => choices.preview(labelId, printerId),
    askPlacement: ({ jobId, page }) => choices.askPlacement(jobId, page),
    tryPlacement: ({ jobId, rule, page }) => choices.tryPlacement(jobId, rule, page),
    printPageElsewhere: (choice) => choices.printPageElsewhere(choice),
    savePlacement: ({ rule, seen }) => choices.savePlacement(rule, seen),
    allowZplCommands: ({ jobId }) => choices.allowZplCommands(jobId),
    askLosses: ({ jobId }) => choices.askLosses(jobId),
    printDespiteLosses: ({ jobId, remember }) => choices.printDespiteLosses(jobId, remember),
    chooseStock: ({ jobId, paper }) => choices.chooseStock(jobId, paper),
    skipScan: async (skipped) => ok(await skipScan(skipped, { jobs: announced })),
    printCommandSheet: async ({ printerId }) =>
      (await loadTestLabels()).printTestLabel(printerId, testing, commands),
    saveCommandSheet: async () => {
      const { language, scanner } = settings.current()
      const { makeCommandSheet } = await loadCommandSheets()
      const pdf = await makeCommandSheet(a4, officeDotsPerMm, language, scanner)
      return deps.desktop.saveFile('packbench-commands.pdf', pdf)
    },
    confirmScan: (scan) =>
      confirmScan(scan, {
        jobs: announced,
        labels,
        settings: () => settings.current().scanBack,
        now,
      }),
  }
}
