import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { PrintJob, ScanOutcome } from '../../../shared/printing'
import { toResult } from '../../bridge'
import type { Signal } from './shipState'

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
export function createScanStore(
  bridge: BridgeClient,
  onJobs: (jobs: readonly PrintJob[]) => void,
  signal: (signal: Signal) => void,
): ScanStore {
  return createStore<ScanState>((set) => ({
    outcome: null,
    error: null,
    async check(shipmentId, code) {
      const result = await toResult(bridge.confirmScan({ shipmentId, code }))
      if (!result.ok) {
        signal('failure')
        set({ outcome: null, error: result.error })
        return
      }
      onJobs(result.value.jobs)
      signal(result.value.matches ? 'success' : 'fault')
      set({ outcome: { ...result.value, shipmentId }, error: null })
    },
    dismiss: () => set({ outcome: null, error: null }),
  }))
}
