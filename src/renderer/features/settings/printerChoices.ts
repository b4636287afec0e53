import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { SystemQueue } from '../../../shared/printing'
import { toResult } from '../../bridge'

export interface PrinterChoicesState {
  queues: SystemQueue[]
  loading: boolean
  error: AppError | null
  /** Asks the operating system for its printers. */
  load: () => Promise<void>
  /** Lets the operator choose a folder; null when none was chosen. */
  chooseFolder: () => Promise<string | null>
}

export type PrinterChoicesStore = StoreApi<PrinterChoicesState>

/** What there is to choose from when a printer is set up. */
export function createPrinterChoicesStore(bridge: BridgeClient): PrinterChoicesStore {
  return createStore<PrinterChoicesState>((set, get) => ({
    queues: [],
    loading: false,
    error: null,
    async load() {
      if (get().loading) return
      set({ loading: true, error: null })
      const result = await toResult(bridge.listSystemQueues(undefined))
      set(result.ok ? { loading: false, queues: result.value } : { loading: false, error: result.error })
    },
    async chooseFolder() {
      const result = await toResult(bridge.chooseFolder(undefined))
      if (!result.ok) set({ error: result.error })
      return result.ok ? result.value : null
    },
  }))
}
