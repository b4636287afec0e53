import { createStore } from 'zustand/vanilla'
import type { MethodInput } from '../../shared/bridge'
import type { HistoryFilter, HistoryPeriod } from '../../shared/history'
import type { ShipmentDraft } from '../../shared/shipments'
import { createStoreHook } from './storeHook'

export const screens = ['ship', 'orders', 'track', 'history', 'queue', 'manifests', 'settings'] as const
/** The rail leads to all screens except the hot folder's problems, which the status bar opens. */
export type Screen = (typeof screens)[number] | 'hotFolder'

export const settingsTabs = [
  'account',
  'carriers',
  'defaults',
  'rules',
  'printers',
  'tracking',
  'customs',
  'people',
  'fleet',
  'network',
  'station',
] as const
export type SettingsTab = (typeof settingsTabs)[number]

/** Steps of the first run. */
export const setupSteps = ['language', 'account', 'carriers', 'printer', 'test', 'order'] as const
export type SetupStep = (typeof setupSteps)[number]

export type TrackTab = 'single' | 'bulk' | 'board'

/** Why an earlier shipment is loaded into the form: to ship the same again, or to correct a refused one. */
export type DraftPurpose = 'again' | 'correct'

export type BoardFilter = MethodInput<'listWatchedParcels'>['only']

/** The filters of History, and the shipment whose details are open. */
export interface HistoryState extends Omit<HistoryFilter, 'from' | 'to'> {
  period: HistoryPeriod
  selectedId: string | null
}

export interface NavigationState {
  screen: Screen
  trackTab: TrackTab
  settingsTab: SettingsTab
  helpOpen: boolean
  /** The current step of set-up; null while set-up is not shown. */
  setupStep: SetupStep | null
  /** The operator skipped set-up before connecting an account. */
  hasLeftSetup: boolean
  history: HistoryState
  /** The filter of the tracking board. */
  boardFilter: BoardFilter
  /** Whether the queue also lists jobs that have ended. */
  endedJobsShown: boolean
  /** The code that another screen asked Track to look up; a new object for each request. */
  codeToLookUp: { code: string } | null
  /** The order that another screen asked Ship to load; a new object for each request. */
  orderToShip: { reference: string } | null
  /** The earlier shipment that another screen asked Ship to load; a new object for each request. */
  draftToShip: { draft: ShipmentDraft; purpose: DraftPurpose } | null
  /** The badge scanned last, without the badge prefix; a new object for each scan. */
  badge: { id: string } | null
  go: (screen: Screen) => void
  goToSettings: (tab: SettingsTab) => void
  goToTrack: (tab: TrackTab) => void
  showHelp: (open: boolean) => void
  goToSetup: (step: SetupStep) => void
  leaveSetup: () => void
  setHistory: (change: Partial<HistoryState>) => void
  /** Opens a shipment in History; `stations` selects whose shipments the list shows. */
  showShipment: (shipmentId: string, stations?: HistoryFilter['stations']) => void
  /** Opens History with the shipments that need attention. */
  showProblems: () => void
  setBoardFilter: (filter: BoardFilter) => void
  /** Loads an order into the Ship form. */
  shipOrder: (reference: string) => void
  /** Loads an earlier shipment into the Ship form. */
  shipDraft: (draft: ShipmentDraft, purpose: DraftPurpose) => void
  scanBadge: (id: string) => void
  showEndedJobs: (shown: boolean) => void
  /** Looks up a code on Track. */
  lookUp: (code: string) => void
}

const unfinishedStepKey = 'packbench.setup'

/** The step of a set-up that was neither finished nor skipped before the app closed. */
function findUnfinishedStep(): SetupStep | null {
  const open = window.localStorage.getItem(unfinishedStepKey)
  return setupSteps.find((step) => step === open) ?? null
}

/** No filter and no selection. */
export const unfilteredHistory: HistoryState = {
  text: '',
  onlyNeedingAttention: false,
  period: 'all',
  state: null,
  carrierOptionId: null,
  country: '',
  operator: '',
  origin: null,
  stations: 'this',
  selectedId: null,
}

/** The current screen and what it shows. Screens send requests to each other through this store. */
export const useNavigation = createStoreHook(() =>
  createStore<NavigationState>((set, get) => ({
    screen: 'ship',
    trackTab: 'single',
    settingsTab: 'account',
    helpOpen: false,
    setupStep: findUnfinishedStep(),
    hasLeftSetup: false,
    history: unfilteredHistory,
    boardFilter: { by: 'any-alert' },
    endedJobsShown: false,
    codeToLookUp: null,
    orderToShip: null,
    draftToShip: null,
    badge: null,
    go: (screen) => set({ screen }),
    goToSettings: (settingsTab) => set({ screen: 'settings', settingsTab }),
    goToTrack: (trackTab) => set({ screen: 'track', trackTab }),
    showHelp: (helpOpen) => set({ helpOpen }),
    goToSetup: (setupStep) => {
      // Not stored: the next start decides anew whether set-up starts at its first steps, since the station may be
      // provisioned by then.
      if (setupStep === 'language' || setupStep === 'account')
        window.localStorage.removeItem(unfinishedStepKey)
      else window.localStorage.setItem(unfinishedStepKey, setupStep)
      set({ setupStep })
    },
    leaveSetup: () => {
      window.localStorage.removeItem(unfinishedStepKey)
      set({ setupStep: null, hasLeftSetup: true })
    },
    setHistory: (change) => set({ history: { ...get().history, ...change } }),
    showShipment: (selectedId, stations = 'this') =>
      set({ screen: 'history', history: { ...unfilteredHistory, stations, selectedId } }),
    showProblems: () => {
      const { selectedId } = get().history
      set({ screen: 'history', history: { ...unfilteredHistory, onlyNeedingAttention: true, selectedId } })
    },
    setBoardFilter: (boardFilter) => set({ boardFilter }),
    shipOrder: (reference) => set({ screen: 'ship', orderToShip: { reference } }),
    shipDraft: (draft, purpose) => set({ screen: 'ship', draftToShip: { draft, purpose } }),
    scanBadge: (id) => set({ badge: { id } }),
    showEndedJobs: (endedJobsShown) => set({ endedJobsShown }),
    lookUp: (code) => set({ screen: 'track', trackTab: 'single', codeToLookUp: { code } }),
  })),
)
