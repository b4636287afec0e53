import type { AppStatus } from '../../shared/app'
import type { PrinterStatus } from '../../shared/printing'
import type { Settings } from '../../shared/settings'

/** The printer that labels of most carrier options go to: the routing's rule for all, else its first, else the only one. */
function usualPrinterId({ routing, printers }: Pick<Settings, 'routing' | 'printers'>): string | undefined {
  const rule = routing.find(({ carrierOptionId }) => carrierOptionId === undefined) ?? routing[0]
  return rule?.printer ?? printers[0]?.id
}

/** The one printer that is named when there is room for one: the usual one when it is held up, else one that is. */
export function printerInFront(
  statuses: readonly PrinterStatus[],
  settings: Pick<Settings, 'routing' | 'printers'> | undefined,
): PrinterStatus | undefined {
  const usualId = settings ? usualPrinterId(settings) : undefined
  const usual = statuses.find(({ id }) => id === usualId)
  const inState = (state: PrinterStatus['state']) => statuses.find((printer) => printer.state === state)
  if (usual?.state === 'error' || usual?.state === 'paused') return usual
  return inState('error') ?? inState('paused') ?? usual ?? statuses[0]
}

/** How many things wait for a person, and the screen that shows them: Manifests when nothing waits in History. */
export function openProblems(open: AppStatus['open']): { count: number; screen: 'history' | 'manifests' } {
  const { unknownSubmissions } = open
  const inHistory = open.unknownShipments + open.labelProblems + open.failedJobs + open.unconfirmedJobs
  const onlyManifests = inHistory === 0 && unknownSubmissions > 0
  return { count: inHistory + unknownSubmissions, screen: onlyManifests ? 'manifests' : 'history' }
}

/** Whether another part of the status bar shows something that a person has to see to. */
export function isTroubled({ service, printers, hotFolder, fleet }: AppStatus): boolean {
  return (
    service.state === 'unreachable' ||
    printers.some(({ state }) => state === 'error') ||
    hotFolder.state === 'error' ||
    hotFolder.issues > 0 ||
    fleet.state === 'away' ||
    fleet.state === 'refused' ||
    // Of others than a joined fleet the status bar tells none.
    (fleet.state === 'joined' && fleet.conflicts > 0)
  )
}
