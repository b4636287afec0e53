import type { PrintJobState, printingMethods } from '../../shared/printing'
import { ok } from '../../shared/result'
import { checkPrinter } from '../printing/drivers/checkPrinter'
import { getSheetPlace, setSheetPlace } from '../printing/layout/sheets'
import { findPrinter } from '../printing/queue/routing'
import { listSystemQueues } from '../printing/systemQueues'
import type { HandlerDeps } from './handlerParts'
import type { Handlers } from './registrar'
import { whileWorking } from './whileWorking'

/** Under way, or waiting for a person. */
const openStates: PrintJobState[] = ['queued', 'sending', 'waiting', 'failed', 'unconfirmed']
const throughStates: PrintJobState[] = ['done', 'handed-over', 'cancelled']
/** How many of the jobs that are through are shown. */
const throughShown = 100

/** The handlers of the queue, of printers and of labels on their way. */
export function printingHandlers(deps: HandlerDeps): Pick<Handlers, keyof typeof printingMethods> {
  const on = whileWorking(deps)
  return {
    listQueue: () =>
      on(async ({ jobs }) => {
        const [open, through] = await Promise.all([
          jobs.inStates(openStates),
          jobs.newestInStates(throughStates, throughShown),
        ])
        return ok([...through, ...open])
      }),
    listSystemQueues: async () => ok(await listSystemQueues(deps.platform)),
    listOpenJobs: () => on(async ({ jobs }) => ok(await jobs.inStates(openStates))),
    reprint: ({ shipmentId, labelId, printerId }) =>
      on(({ printing }) => printing.reprint(shipmentId, labelId, printerId)),
    printJobAgain: ({ jobId, printerId }) => on(({ printing }) => printing.printAgain(jobId, printerId)),
    resolveJob: ({ jobId, verdict, reason }) =>
      on(({ printing }) => printing.resolveJob(jobId, verdict, reason)),
    cancelJob: ({ jobId }) => on(({ printing }) => printing.cancel(jobId)),
    moveJob: ({ jobId, printerId }) => on(({ printing }) => printing.move(jobId, printerId)),
    pausePrinter: ({ printerId, paused }) =>
      on(async ({ printing }) => {
        await printing.pause(printerId, paused)
        deps.bus.emit('statusOutdated')
        return ok(undefined)
      }),
    reprintLast: ({ printerId }) => on(({ printing }) => printing.reprintLast(printerId)),
    printAllAgain: ({ printerId }) => on(({ printing }) => printing.printAllAgain(printerId)),
    reprintPages: ({ labelId, pages, printerId }) =>
      on(({ printing }) => printing.reprintPages(labelId, pages, printerId)),
    checkPrinter: ({ printer }) =>
      on(async ({ settings }) => {
        const agreed = await deps.targetConsent.forPrinter(printer, settings.current())
        return agreed.ok ? ok(await checkPrinter(printer, deps.dataFolder, deps.platform)) : agreed
      }),
    getSheetPlace: ({ printerId }) =>
      on(({ settings, sheetPlaces }) => {
        const printer = findPrinter(settings.current().printers, printerId)
        return printer.ok ? getSheetPlace(printer.value, sheetPlaces) : printer
      }),
    setSheetPlace: ({ printerId, place }) =>
      on(({ settings, sheetPlaces }) => {
        const printer = findPrinter(settings.current().printers, printerId)
        return printer.ok ? setSheetPlace(printer.value, place, sheetPlaces) : printer
      }),
    calibratePrinter: ({ printerId }) => on(({ calibratePrinter }) => calibratePrinter(printerId)),
    printTestLabel: ({ printerId }) => on(({ printTestLabel }) => printTestLabel(printerId)),
    previewPrint: ({ labelId, printerId }) => on(({ choices }) => choices.preview(labelId, printerId)),
    askPlacement: ({ jobId, page }) => on(({ choices }) => choices.askPlacement(jobId, page)),
    tryPlacement: ({ jobId, rule, page }) => on(({ choices }) => choices.tryPlacement(jobId, rule, page)),
    printPageElsewhere: (choice) => on(({ choices }) => choices.printPageElsewhere(choice)),
    savePlacement: ({ rule, seen }) => on(({ choices }) => choices.savePlacement(rule, seen)),
    allowZplCommands: ({ jobId }) => on(({ choices }) => choices.allowZplCommands(jobId)),
    askLosses: ({ jobId }) => on(({ lossChoices }) => lossChoices.askLosses(jobId)),
    printDespiteLosses: ({ jobId, remember }) =>
      on(({ lossChoices }) => lossChoices.printDespiteLosses(jobId, remember)),
    confirmScan: (scan) => on(({ confirmScan }) => confirmScan(scan)),
  }
}
