import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { PrintJob, PrintJobState, SheetPlace } from '../../../shared/printing'
import type { Result } from '../../../shared/result'
import { toResult, withJobs } from '../../bridge'

/** Jobs that are through are kept up to this many. */
const maxThrough = 100
const throughStates: readonly PrintJobState[] = ['done', 'handed-over', 'cancelled']

export interface QueueState {
  jobs: PrintJob[]
  loaded: boolean
  showThrough: boolean
  /** A printer's action is under way. */
  busy: boolean
  error: AppError | null
  load: () => Promise<void>
  setShowThrough: (show: boolean) => void
  pause: (printerId: string, paused: boolean) => Promise<void>
  reprintLast: (printerId: string) => Promise<void>
  printAllAgain: (printerId: string) => Promise<void>
  /** Where the next label of each printer with sheets goes. */
  sheetPlaces: Record<string, SheetPlace>
  loadSheetPlace: (printerId: string) => Promise<void>
  setSheetPlace: (printerId: string, place: number) => Promise<void>
  applyJobs: (jobs: readonly PrintJob[]) => void
}

export type QueueStore = StoreApi<QueueState>

/** Whether nothing more happens to a job and nobody is needed. */
export function isThrough(job: Pick<PrintJob, 'state'>): boolean {
  return throughStates.includes(job.state)
}

/** The jobs of all printers as they are now. */
export function createQueueStore(bridge: BridgeClient): QueueStore {
  return createStore<QueueState>((set, get) => {
    async function act<T>(call: () => Promise<Result<T, AppError>>, done: (value: T) => void): Promise<void> {
      if (get().busy) return
      set({ busy: true, error: null })
      const result = await toResult(call())
      set({ busy: false, error: result.ok ? null : result.error })
      if (result.ok) done(result.value)
    }
    return {
      jobs: [],
      loaded: false,
      showThrough: false,
      busy: false,
      error: null,
      sheetPlaces: {},
      async load() {
        const result = await toResult(bridge.listQueue(undefined))
        if (!result.ok) set({ error: result.error, loaded: true })
        else set({ jobs: withJobs(result.value, get().jobs), loaded: true, error: null })
      },
      setShowThrough: (showThrough) => set({ showThrough }),
      pause: (printerId, paused) =>
        act(
          () => bridge.pausePrinter({ printerId, paused }),
          () => undefined,
        ),
      reprintLast: (printerId) =>
        act(
          () => bridge.reprintLast({ printerId }),
          (job) => get().applyJobs([job]),
        ),
      printAllAgain: (printerId) =>
        act(
          () => bridge.printAllAgain({ printerId }),
          (jobs) => get().applyJobs(jobs),
        ),
      async loadSheetPlace(printerId) {
        const result = await toResult(bridge.getSheetPlace({ printerId }))
        if (result.ok) set({ sheetPlaces: { ...get().sheetPlaces, [printerId]: result.value } })
      },
      setSheetPlace: (printerId, place) =>
        act(
          () => bridge.setSheetPlace({ printerId, place }),
          (value) => set({ sheetPlaces: { ...get().sheetPlaces, [printerId]: value } }),
        ),
      applyJobs(changed) {
        const jobs = withJobs(get().jobs, changed)
        const through = jobs.filter(isThrough).slice(-maxThrough)
        set({ jobs: jobs.filter((job) => !isThrough(job) || through.includes(job)) })
      },
    }
  })
}
