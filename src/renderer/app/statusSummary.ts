import type { AppStatus } from '../../shared/app'
import type { PrinterStatus } from '../../shared/printing'
import type { Settings } from '../../shared/settings'

/**
 * The printer of most labels: that of the routing rule for all options, else of the first rule, else the first
 * printer.
 */
function findDefaultPrinterId({
  routing,
  printers,
}: Pick<Settings, 'routing' | 'printers'>): string | undefined {
  const rule = routing.find(({ carrierOptionId }) => carrierOptionId === undefined) ?? routing[0]
  return rule?.printer ?? printers[0]?.id
}

/** The printer to name where there is room for one: one with an error or a pause, the default printer first. */
export function findPrinterToShow(
  statuses: readonly PrinterStatus[],
  settings: Pick<Settings, 'routing' | 'printers'> | undefined,
): PrinterStatus | undefined {
  const defaultId = settings ? findDefaultPrinterId(settings) : undefined
  const defaultPrinter = statuses.find(({ id }) => id === defaultId)
  const inState = (state: PrinterStatus['state']) => statuses.find((printer) => printer.state === state)
  if (defaultPrinter?.state === 'error' || defaultPrinter?.state === 'paused') return defaultPrinter
  return inState('error') ?? inState('paused') ?? defaultPrinter ?? statuses[0]
}

/** How many problems wait for a person, and the screen that lists them: Manifests if History has none. */
export function countOpenProblems(open: AppStatus['open']): {
  count: number
  screen: 'history' | 'manifests'
} {
  const { unknownSubmissions } = open
  const inHistory = open.unknownShipments + open.labelProblems + open.failedJobs + open.unconfirmedJobs
  const onlyManifests = inHistory === 0 && unknownSubmissions > 0
  return { count: inHistory + unknownSubmissions, screen: onlyManifests ? 'manifests' : 'history' }
}

/** Why the account can't be used. The app gets the API key with the first shipment, so one without a key is no problem. */
export function findAccountProblem({ state, error }: AppStatus['account']) {
  return state === 'connected' || (state === 'not-connected' && error === null) ? undefined : state
}

/** Whether another item of the status bar already shows something that needs attention. */
export function hasOtherProblem({ account, service, printers, hotFolder, fleet }: AppStatus): boolean {
  return (
    findAccountProblem(account) !== undefined ||
    service.state === 'unreachable' ||
    printers.length === 0 ||
    printers.some(({ state, waitingJobs }) => state === 'error' || (state === 'paused' && waitingJobs > 0)) ||
    hotFolder.state === 'error' ||
    hotFolder.issues > 0 ||
    fleet.state === 'away' ||
    fleet.state === 'refused' ||
    // The status bar shows conflicts only of a joined fleet.
    (fleet.state === 'joined' && fleet.conflicts > 0)
  )
}
