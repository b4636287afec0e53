import { createStore } from 'zustand/vanilla'
import type { MethodInput } from '../../shared/bridge'
import type { HistoryFilter, HistoryPeriod } from '../../shared/history'
import type { ShipmentDraft } from '../../shared/shipments'
import { storeHook } from './storeHook'

export const screens = ['ship', 'orders', 'track', 'history', 'queue', 'manifests', 'settings'] as const
/** The rail leads to all but the problems of the hot folder, which the status bar opens. */
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

/** The steps of a station's first run. */
export const setupSteps = ['language', 'account', 'carriers', 'printer', 'test', 'order'] as const
export type SetupStep = (typeof setupSteps)[number]

export type TrackTab = 'one' | 'many' | 'board'

/** Why an earlier shipment is brought to the form: the same once more, or a refused one with something corrected. */
export type DraftPurpose = 'again' | 'correct'

export type BoardFilter = MethodInput<'listWatchedParcels'>['only']

/** What History looks for, and the shipment whose details are open. */
export interface HistoryState extends Omit<HistoryFilter, 'from' | 'to'> {
  period: HistoryPeriod
  selectedId: string | null
}

export interface NavigationState {
  screen: Screen
  trackTab: TrackTab
  settingsTab: SettingsTab
  helpOpen: boolean
  /** The step of set-up that is in front; null when set-up is not on the screen. */
  setupStep: SetupStep | null
  /** The operator wants to work before an account is connected. */
  isSetupLeft: boolean
  history: HistoryState
  /** The parcels that the board lists. */
  boardFilter: BoardFilter
  /** Whether the queue also shows jobs to which nothing more happens. */
  endedJobsShown: boolean
  /** The code that another screen asked Track for; a new object each time. */
  asked: { code: string } | null
  /** The order that another screen wants shipped; a new object each time. */
  orderToShip: { reference: string } | null
  /** The earlier shipment that another screen wants shipped; a new object each time. */
  draftToShip: { draft: ShipmentDraft; purpose: DraftPurpose } | null
  /** The badge that was scanned last, without the prefix of badges; a new object each time. */
  badge: { id: string } | null
  go: (screen: Screen) => void
  goToSettings: (tab: SettingsTab) => void
  goToTrack: (tab: TrackTab) => void
  showHelp: (open: boolean) => void
  goToSetup: (step: SetupStep) => void
  leaveSetup: () => void
  setHistory: (change: Partial<HistoryState>) => void
  /** Opens a shipment in History; one of another station among those of all. */
  showShipment: (shipmentId: string, stations?: HistoryFilter['stations']) => void
  /** Opens History with what needs attention. */
  showProblems: () => void
  setBoardFilter: (filter: BoardFilter) => void
  /** Brings an order to the Ship screen. */
  shipOrder: (reference: string) => void
  /** Brings what an earlier shipment was made from to the Ship screen. */
  shipDraft: (draft: ShipmentDraft, purpose: DraftPurpose) => void
  scanBadge: (id: string) => void
  showEndedJobs: (shown: boolean) => void
  /** Looks a code up on Track. */
  lookUp: (code: string) => void
}

const openStepKey = 'packbench.setup'

/** The step of a set-up that was neither finished nor left when the app was closed. */
function findOpenStep(): SetupStep | null {
  const open = window.localStorage.getItem(openStepKey)
  return setupSteps.find((step) => step === open) ?? null
}

/** Everything, and nothing chosen. */
export const wholeHistoryState: HistoryState = {
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

/** Which screen is in front and what it shows: what one screen asks of another goes through here. */
export const useNavigation = storeHook(() =>
  createStore<NavigationState>((set, get) => ({
    screen: 'ship',
    trackTab: 'one',
    settingsTab: 'account',
    helpOpen: false,
    setupStep: findOpenStep(),
    isSetupLeft: false,
    history: wholeHistoryState,
    boardFilter: { by: 'any-alert' },
    endedJobsShown: false,
    asked: null,
    orderToShip: null,
    draftToShip: null,
    badge: null,
    go: (screen) => set({ screen }),
    goToSettings: (settingsTab) => set({ screen: 'settings', settingsTab }),
    goToTrack: (trackTab) => set({ screen: 'track', trackTab }),
    showHelp: (helpOpen) => set({ helpOpen }),
    goToSetup: (setupStep) => {
      // Whether a station has to be set up from the beginning, the next start sees for itself: it may be provisioned by then.
      if (setupStep === 'language' || setupStep === 'account') window.localStorage.removeItem(openStepKey)
      else window.localStorage.setItem(openStepKey, setupStep)
      set({ setupStep })
    },
    leaveSetup: () => {
      window.localStorage.removeItem(openStepKey)
      set({ setupStep: null, isSetupLeft: true })
    },
    setHistory: (change) => set({ history: { ...get().history, ...change } }),
    showShipment: (selectedId, stations = 'this') =>
      set({ screen: 'history', history: { ...wholeHistoryState, stations, selectedId } }),
    showProblems: () => {
      const { selectedId } = get().history
      set({ screen: 'history', history: { ...wholeHistoryState, onlyNeedingAttention: true, selectedId } })
    },
    setBoardFilter: (boardFilter) => set({ boardFilter }),
    shipOrder: (reference) => set({ screen: 'ship', orderToShip: { reference } }),
    shipDraft: (draft, purpose) => set({ screen: 'ship', draftToShip: { draft, purpose } }),
    scanBadge: (id) => set({ badge: { id } }),
    showEndedJobs: (endedJobsShown) => set({ endedJobsShown }),
    lookUp: (code) => set({ screen: 'track', trackTab: 'one', asked: { code } }),
  })),
)
