import { createStore, type StoreApi } from 'zustand/vanilla'
import type { AppStatus, Backup } from '../../shared/app'
import type { BridgeClient } from '../../shared/bridge'
import type { AppError } from '../../shared/errors'
import type { PrinterStatus } from '../../shared/printing'
import type { Result } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import { toResult } from '../bridge'

export interface StationState {
  /** Null until it was heard the first time. */
  status: AppStatus | null
  /** Null until they were read; stays null while the app has trouble. */
  settings: Settings | null
  /** Why status or settings could not be read. */
  loadError: AppError | null
  /** A way out of trouble is being tried. */
  busy: boolean
  /** A way out of trouble was tried and the trouble stayed. */
  triedInVain: boolean
  load: () => Promise<void>
  retryStart: () => Promise<void>
  setAsideSettings: () => Promise<void>
  /** Daily copies of the database; null until they were asked for. */
  backups: Backup[] | null
  loadBackups: () => Promise<void>
  restoreBackup: (name: string) => Promise<void>
  rebuildHistory: () => Promise<void>
  continueUnguarded: () => Promise<void>
  confirmClock: () => Promise<void>
  openDataFolder: () => Promise<void>
  /** Puts a text on the clipboard; whether that worked. */
  copyText: (text: string) => Promise<boolean>
  applyStatus: (status: AppStatus) => void
  applySettings: (settings: Settings) => void
}

export type StationStore = StoreApi<StationState>

/** The station as main reports it: its status and its settings. */
export function createStationStore(bridge: BridgeClient): StationStore {
  return createStore<StationState>((set, get) => {
    async function loadSettings(): Promise<void> {
      const result = await toResult(bridge.getSettings(undefined))
      set(result.ok ? { settings: result.value, loadError: null } : { loadError: result.error })
    }

    async function takeStatus(call: Promise<Result<AppStatus, AppError>>): Promise<void> {
      const result = await toResult(call)
      if (!result.ok) {
        set({ loadError: result.error })
        return
      }
      set({ status: result.value, loadError: null })
      if (result.value.trouble === null) await loadSettings()
    }

    async function tryWayOut(call: () => Promise<Result<AppStatus, AppError>>): Promise<void> {
      if (get().busy) return
      set({ busy: true, triedInVain: false })
      await takeStatus(call())
      set({ busy: false, triedInVain: get().status?.trouble != null })
    }

    return {
      status: null,
      settings: null,
      loadError: null,
      busy: false,
      triedInVain: false,
      load: () => takeStatus(bridge.getAppStatus(undefined)),
      retryStart: () => tryWayOut(() => bridge.retryStart(undefined)),
      setAsideSettings: () => tryWayOut(() => bridge.setAsideSettings(undefined)),
      backups: null,
      async loadBackups() {
        const result = await toResult(bridge.listBackups(undefined))
        set(result.ok ? { backups: result.value } : { backups: [] })
      },
      restoreBackup: (name) => tryWayOut(() => bridge.restoreBackup({ name })),
      rebuildHistory: () => tryWayOut(() => bridge.rebuildHistory(undefined)),
      continueUnguarded: () => tryWayOut(() => bridge.continueUnguarded(undefined)),
      confirmClock: () => takeStatus(bridge.confirmClock(undefined)),
      async copyText(text) {
        return (await toResult(bridge.copyText({ text }))).ok
      },
      async openDataFolder() {
        await toResult(bridge.openDataFolder(undefined))
      },
      applyStatus(status) {
        const fixed = get().status?.trouble != null && status.trouble === null
        set({ status })
        if (fixed) void loadSettings()
      },
      applySettings: (settings) => set({ settings }),
    }
  })
}

/** The printer that labels of most carrier options go to: the routing's rule for all, else its first, else the only one. */
function usualPrinterId({ routing, printers }: Pick<Settings, 'routing' | 'printers'>): string | undefined {
  const rule = routing.find(({ carrierOptionId }) => carrierOptionId === undefined) ?? routing[0]
  return rule?.printer ?? printers[0]?.id
}

/** The one printer that is named when there is room for one: the usual one when it is held up, else one that is. */
export function printerInFront(
  statuses: readonly PrinterStatus[],
  settings: Pick<Settings, 'routing' | 'printers'> | null,
): PrinterStatus | undefined {
  const usualId = settings ? usualPrinterId(settings) : undefined
  const usual = statuses.find(({ id }) => id === usualId)
  const inState = (state: PrinterStatus['state']) => statuses.find((printer) => printer.state === state)
  if (usual?.state === 'trouble' || usual?.state === 'paused') return usual
  return inState('trouble') ?? inState('paused') ?? usual ?? statuses[0]
}

/** How many things wait for a person, and the screen that shows them: Manifests when nothing waits in History. */
export function openProblems(open: AppStatus['open']): { count: number; screen: 'history' | 'manifests' } {
  const { unknownSubmissions } = open
  const inHistory = open.unknownShipments + open.labelProblems + open.failedJobs + open.unconfirmedJobs
  const onlyManifests = inHistory === 0 && unknownSubmissions > 0
  return { count: inHistory + unknownSubmissions, screen: onlyManifests ? 'manifests' : 'history' }
}
