import { createStore, type StoreApi } from 'zustand/vanilla'
import type { AppError } from '../../../shared/errors'
import type { ScanOutcome } from '../../../shared/printing'
import { callMain } from '../../bridge'
import type { Signal } from '../../ui/sounds'

export interface ScanState {
  /** The last scan, by shipment. */
  outcome: (ScanOutcome & { shipmentId: string }) | null
  error: AppError | null
  check: (shipmentId: string, code: string) => Promise<void>
  /** A person has seen that another label was scanned. */
  dismiss: () => void
}

export type ScanStore = StoreApi<ScanState>

/** Scanning back: whether the label that came out is the one that was to come out. */
export function createScanStore(signal: (signal: Signal) => void): ScanStore {
  return createStore<ScanState>((set) => ({
    outcome: null,
    error: null,
    async check(shipmentId, code) {
      const result = await callMain('confirmScan', { shipmentId, code })
      if (!result.ok) {
        signal('failure')
        set({ outcome: null, error: result.error })
        return
      }
      signal(result.value.matches ? 'success' : 'error')
      set({ outcome: { ...result.value, shipmentId }, error: null })
    },
    dismiss: () => set({ outcome: null, error: null }),
  }))
}
