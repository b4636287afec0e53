import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import type { BoardState } from '../features/board/boardStore'
import type { HistoryState } from '../features/history/historyState'
import type { GridState } from '../features/manifests/gridStore'
import type { ManifestsState } from '../features/manifests/manifestsStore'
import type { PreAlertState } from '../features/manifests/preAlertStore'
import type { LossState } from '../features/queue/lossStore'
import type { PlacementState } from '../features/queue/placementStore'
import type { PrintPreviewState } from '../features/queue/printPreviewStore'
import type { QueueState } from '../features/queue/queueStore'
import type { ResolveState } from '../features/resolve/resolveStore'
import type { SendersState } from '../features/settings/customs/sendersStore'
import type { PrinterToolsState } from '../features/settings/printers/printerToolsStore'
import type { SetupState } from '../features/setup/setupStore'
import type { CustomsState } from '../features/ship/customs/customsStore'
import type { ScanState } from '../features/ship/scanStore'
import type { ShipState } from '../features/ship/shipState'
import type { BulkState } from '../features/track/bulkStore'
import type { TrackState } from '../features/track/trackStore'
import type { LabelActionsState } from '../ui/labelActions'
import type { NavigationState } from './navigationStore'
import type { StationState } from './stationStore'
import type { Stores } from './stores'

/** The stores of the running app. */
export const StoresContext = createContext<Stores | null>(null)

/** The stores of the running app. */
export function useStores(): Stores {
  const stores = useContext(StoresContext)
  if (!stores) throw new Error('A screen was rendered outside StoresContext.')
  return stores
}

export const useStation = <T>(select: (state: StationState) => T): T => useStore(useStores().station, select)
export const useNavigation = <T>(select: (state: NavigationState) => T): T =>
  useStore(useStores().navigation, select)
export const useShip = <T>(select: (state: ShipState) => T): T => useStore(useStores().ship, select)
export const useLabels = <T>(select: (state: LabelActionsState) => T): T =>
  useStore(useStores().labels, select)
export const useQueue = <T>(select: (state: QueueState) => T): T => useStore(useStores().queue, select)
export const usePlacement = <T>(select: (state: PlacementState) => T): T =>
  useStore(useStores().placement, select)
export const useLoss = <T>(select: (state: LossState) => T): T => useStore(useStores().loss, select)
export const usePrintPreview = <T>(select: (state: PrintPreviewState) => T): T =>
  useStore(useStores().printPreview, select)
export const useScan = <T>(select: (state: ScanState) => T): T => useStore(useStores().scan, select)
export const usePrinterTools = <T>(select: (state: PrinterToolsState) => T): T =>
  useStore(useStores().printerTools, select)
export const useResolve = <T>(select: (state: ResolveState) => T): T => useStore(useStores().resolve, select)
export const useTrack = <T>(select: (state: TrackState) => T): T => useStore(useStores().track, select)
export const useBulk = <T>(select: (state: BulkState) => T): T => useStore(useStores().bulk, select)
export const useBoard = <T>(select: (state: BoardState) => T): T => useStore(useStores().board, select)
export const useHistory = <T>(select: (state: HistoryState) => T): T => useStore(useStores().history, select)
export const useCustoms = <T>(select: (state: CustomsState) => T): T => useStore(useStores().customs, select)
export const useSenders = <T>(select: (state: SendersState) => T): T => useStore(useStores().senders, select)
export const useManifests = <T>(select: (state: ManifestsState) => T): T =>
  useStore(useStores().manifests, select)
export const usePreAlerts = <T>(select: (state: PreAlertState) => T): T =>
  useStore(useStores().preAlerts, select)
export const useGrid = <T>(select: (state: GridState) => T): T => useStore(useStores().grid, select)
export const useSetup = <T>(select: (state: SetupState) => T): T => useStore(useStores().setup, select)
