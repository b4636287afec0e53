import type { StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../shared/bridge'
import type { PrintJob, PrintJobState } from '../../shared/printing'
import type { Settings } from '../../shared/settings'
import type { ShipmentDetails } from '../../shared/shipments'
import { type BoardStore, createBoardStore } from '../features/board/boardStore'
import type { HistoryStore } from '../features/history/historyState'
import { createHistoryStore } from '../features/history/historyStore'
import { createGridStore, type GridStore } from '../features/manifests/gridStore'
import { createManifestsStore, type ManifestsStore } from '../features/manifests/manifestsStore'
import { createPreAlertStore, type PreAlertStore } from '../features/manifests/preAlertStore'
import { createLossStore, type LossStore } from '../features/queue/lossStore'
import { createPlacementStore, type PlacementStore } from '../features/queue/placementStore'
import { createPrintPreviewStore, type PrintPreviewStore } from '../features/queue/printPreviewStore'
import { createQueueStore, type QueueStore } from '../features/queue/queueStore'
import { createResolveStore, type ResolveStore } from '../features/resolve/resolveStore'
import { createSendersStore, type SendersStore } from '../features/settings/customs/sendersStore'
import {
  createPrinterToolsStore,
  type PrinterToolsStore,
} from '../features/settings/printers/printerToolsStore'
import { createSetupStore, type SetupStore } from '../features/setup/setupStore'
import { type CustomsStore, createCustomsStore } from '../features/ship/customs/customsStore'
import { followLabels, type LabelSounds } from '../features/ship/labelSounds'
import { createScanStore, type ScanStore } from '../features/ship/scanStore'
import type { ShipStore, Signal } from '../features/ship/shipState'
import { createShipStore } from '../features/ship/shipStore'
import { type BulkStore, createBulkStore } from '../features/track/bulkStore'
import { createTrackStore, type TrackStore } from '../features/track/trackStore'
import { createLabelActionsStore, type LabelActionsStore } from '../ui/labelActions'
import { createNavigationStore, type NavigationStore } from './navigationStore'
import { createStationStore, type StationStore } from './stationStore'

export interface Stores {
  station: StationStore
  navigation: NavigationStore
  ship: ShipStore
  labels: LabelActionsStore
  resolve: ResolveStore
  track: TrackStore
  bulk: BulkStore
  board: BoardStore
  history: HistoryStore
  customs: CustomsStore
  senders: SendersStore
  grid: GridStore
  manifests: ManifestsStore
  preAlerts: PreAlertStore
  setup: SetupStore
  printerTools: PrinterToolsStore
  queue: QueueStore
  placement: PlacementStore
  loss: LossStore
  printPreview: PrintPreviewStore
  scan: ScanStore
  /** Opens a shipment in History. */
  showShipment: (shipmentId: string) => void
  /** Opens the screen of `openProblems` with what needs attention. */
  showProblems: (screen: 'history' | 'manifests') => void
  /** Stops listening to main. */
  stop: () => void
}

export interface StoresDeps {
  newId: () => string
  signal: (signal: Signal) => void
}

/** All state of the screen, wired to the bridge and to each other. Nothing is loaded yet. */
export function createStores(bridge: BridgeClient, { newId, signal }: StoresDeps): Stores {
  const station = createStationStore(bridge)
  const navigation = createNavigationStore()
  const customs = createCustomsStore(bridge, newId, () => ship.getState().beginEdit())
  const ship: ShipStore = createShipStore({ bridge, newId, signal, customs: () => customs.getState() })
  const history = createHistoryStore(bridge)
  const queue = createQueueStore(bridge)
  const grid = createGridStore(bridge)
  const manifests = createManifestsStore(bridge, grid)
  const track = createTrackStore(bridge)
  const bulk = createBulkStore(bridge)
  const board = createBoardStore(bridge)
  const onJobs = (jobs: readonly PrintJob[]) => {
    ship.getState().applyJobs(jobs)
    history.getState().applyJobs(jobs)
    queue.getState().applyJobs(jobs)
  }
  const onShipment = (shipment: ShipmentDetails) => {
    ship.getState().applyShipment(shipment)
    history.getState().applyShipment(shipment)
  }
  const labelSounds = followLabels(ship, station, signal)
  const stops = [
    labelSounds.stop,
    ...followMain(bridge, { station, ship, history, onJobs, labelSounds, signal }),
    bridge.on('queueAskedFor', () => navigation.getState().go('queue')),
    bridge.on('bulkTrackingProgressed', (progress) => bulk.getState().applyProgress(progress)),
    bridge.on('watchedParcelsChanged', (watch) => board.getState().applyWatch(watch)),
    bridge.on('troublesAskedFor', ({ trouble }) => {
      void board.getState().show(trouble === null ? { by: 'any-trouble' } : { by: 'trouble', trouble })
      navigation.getState().goToTrack('board')
    }),
    followLanguage(station, track),
    ...followExports(bridge, { customs, manifests, signal }),
    followSettings(station, (settings) => {
      ship.getState().applySettings(settings)
    }),
  ]
  return {
    station,
    navigation,
    ship,
    labels: createLabelActionsStore({ bridge, onJobs, onShipment }),
    resolve: createResolveStore(bridge, onShipment),
    track,
    bulk,
    board,
    history,
    customs,
    senders: createSendersStore(bridge, customs, newId),
    grid,
    manifests,
    preAlerts: createPreAlertStore(bridge, (page) => manifests.getState().applyPage(page)),
    setup: createSetupStore(bridge, (account) => {
      const { status, applyStatus } = station.getState()
      if (status) applyStatus({ ...status, account })
    }),
    printerTools: createPrinterToolsStore(bridge),
    queue,
    placement: createPlacementStore(bridge),
    loss: createLossStore(bridge, onJobs),
    printPreview: createPrintPreviewStore(bridge, onJobs),
    scan: createScanStore(bridge, onJobs, signal),
    ...waysToProblems({ history, manifests, navigation }),
    stop() {
      for (const stop of stops) stop()
    },
  }
}

/** Events are asked for in the language of the screen, until the operator chooses another. */
function followLanguage(station: StationStore, track: TrackStore) {
  let language: Settings['language'] | undefined
  return followSettings(station, (settings) => {
    if (settings.language === language) return
    language = settings.language
    track.getState().setOptions({ language })
  })
}

interface Followers extends Pick<Stores, 'station' | 'ship' | 'history'>, Pick<StoresDeps, 'signal'> {
  onJobs: (jobs: readonly PrintJob[]) => void
  labelSounds: Pick<LabelSounds, 'follows'>
}

/** What is heard of print jobs whose shipment nobody made at this screen just now. */
const soundsOfJobs: Partial<Record<PrintJobState, Signal>> = {
  failed: 'failure',
  unconfirmed: 'attention',
  waiting: 'attention',
}

/** Hands on what main tells by itself; gives the functions that stop it. */
function followMain(bridge: BridgeClient, followers: Followers): (() => void)[] {
  const { station, ship, history, onJobs, labelSounds, signal } = followers
  return [
    bridge.on('appStatusChanged', (status) => station.getState().applyStatus(status)),
    bridge.on('settingsChanged', (settings) => station.getState().applySettings(settings)),
    bridge.on('printJobChanged', (job) => {
      onJobs([job])
      const sound = soundsOfJobs[job.state]
      if (sound !== undefined && !labelSounds.follows(job)) signal(sound)
    }),
    bridge.on('shipmentChanged', (summary) => {
      ship.getState().applySummary(summary)
      history.getState().applySummary(summary)
    }),
  ]
}

function waysToProblems({
  history,
  manifests,
  navigation,
}: Pick<Stores, 'history' | 'manifests' | 'navigation'>): Pick<Stores, 'showShipment' | 'showProblems'> {
  return {
    showShipment(shipmentId) {
      history.getState().setOnlyAttention(false)
      history.getState().setText('')
      void history.getState().select(shipmentId)
      navigation.getState().go('history')
    },
    showProblems(screen) {
      if (screen === 'history') {
        history.getState().setText('')
        history.getState().setOnlyAttention(true)
      } else manifests.getState().close()
      navigation.getState().go(screen)
    },
  }
}

/** Hands new settings on; gives the function that stops it. */
function followSettings(
  station: StoreApi<{ settings: Settings | null }>,
  take: (settings: Settings) => void,
) {
  return station.subscribe((state, before) => {
    if (state.settings && state.settings !== before.settings) take(state.settings)
  })
}

/** Hands on what main tells of manifests and invoices; gives the functions that stop it. */
function followExports(
  bridge: BridgeClient,
  { customs, manifests, signal }: Pick<Stores, 'customs' | 'manifests'> & Pick<StoresDeps, 'signal'>,
) {
  return [
    bridge.on('invoicePrinted', (invoice) => {
      customs.getState().applyInvoice(invoice)
      if (invoice.error !== null) signal('attention')
    }),
    bridge.on('manifestChanged', (manifest) => manifests.getState().applyManifest(manifest)),
    bridge.on('manifestLinesChecked', (checked) => manifests.getState().applyChecked(checked)),
    bridge.on('uploadProgressed', (progress) => manifests.getState().applyProgress(progress)),
  ]
}
