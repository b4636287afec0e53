import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../shared/bridge'
import type { AppError } from '../../shared/errors'
import type { ShipmentSummary } from '../../shared/shipment'
import type { TrackedCode, TrackingOptions } from '../../shared/tracking'
import { settled } from './settled'

export interface TrackState {
  code: string
  options: TrackingOptions
  codeMissing: boolean
  busy: boolean
  result: TrackedCode | null
  /** Our own shipment with that barcode; null when there is none. */
  ours: ShipmentSummary | null
  error: AppError | null
  setCode: (code: string) => void
  setOptions: (change: Partial<TrackingOptions>) => void
  lookUp: (code?: string) => Promise<void>
}

export type TrackStore = StoreApi<TrackState>

/** The Track screen: one code, how to ask for it, and what the service said. */
export function createTrackStore(bridge: BridgeClient): TrackStore {
  return createStore<TrackState>((set, get) => {
    async function findOurs(code: string): Promise<void> {
      const found = await settled(
        bridge.searchShipments({
          text: code.slice(0, 200),
          onlyNeedingAttention: false,
          limit: 20,
          offset: 0,
        }),
      )
      if (!found.ok || get().result?.code !== code) return
      set({ ours: found.value.shipments.find((shipment) => shipment.barcodes.includes(code)) ?? null })
    }

    return {
      code: '',
      options: { flightTracking: 'include', language: 'en', type: 'barcode', details: 'full' },
      codeMissing: false,
      busy: false,
      result: null,
      ours: null,
      error: null,
      setCode: (code) => set({ code, codeMissing: false }),
      setOptions: (change) => set({ options: { ...get().options, ...change } }),
      async lookUp(given) {
        if (get().busy) return
        const code = (given ?? get().code).trim()
        if (code === '') {
          set({ codeMissing: true })
          return
        }
        set({ code, busy: true, codeMissing: false, error: null, result: null, ours: null })
        const result = await settled(bridge.trackCode({ code, options: get().options }))
        set({ busy: false })
        if (!result.ok) {
          set({ error: result.error })
          return
        }
        set({ result: { ...result.value, code } })
        await findOurs(code)
      },
    }
  })
}
