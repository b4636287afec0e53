import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { ShipmentDetails } from '../../../shared/shipments'
import { toResult } from '../../bridge'

export interface ResolveState {
  /** The shipment in question; null while the dialog is closed. */
  target: { shipmentId: string; reference: string } | null
  barcode: string
  /** Whether «it exists» was chosen without a tracking code. */
  barcodeMissing: boolean
  /** Whether the operator was asked once more about «it does not exist». */
  confirming: boolean
  busy: boolean
  error: AppError | null
  open: (shipmentId: string, reference: string) => void
  close: () => void
  setBarcode: (barcode: string) => void
  exists: () => Promise<void>
  askAgain: () => void
  doesNotExist: () => Promise<void>
}

export type ResolveStore = StoreApi<ResolveState>

const closed = {
  target: null,
  barcode: '',
  barcodeMissing: false,
  confirming: false,
  busy: false,
  error: null,
}

/** The dialog in which a person says what became of a shipment whose outcome is unknown. */
export function createResolveStore(
  bridge: BridgeClient,
  onShipment: (shipment: ShipmentDetails) => void,
): ResolveStore {
  return createStore<ResolveState>((set, get) => {
    async function send(verdict: 'exists' | 'does-not-exist'): Promise<void> {
      const { target, busy, barcode } = get()
      if (!target || busy) return
      set({ busy: true, error: null })
      const { shipmentId } = target
      const result = await toResult(
        bridge.resolveShipment(
          verdict === 'exists' ? { shipmentId, verdict, barcode: barcode.trim() } : { shipmentId, verdict },
        ),
      )
      if (result.ok) {
        set(closed)
        onShipment(result.value)
      } else {
        set({ busy: false, error: result.error })
      }
    }

    return {
      ...closed,
      open: (shipmentId, reference) => set({ ...closed, target: { shipmentId, reference } }),
      close: () => set(closed),
      setBarcode: (barcode) => set({ barcode, barcodeMissing: false }),
      async exists() {
        if (get().barcode.trim() === '') set({ barcodeMissing: true })
        else await send('exists')
      },
      askAgain: () => set({ confirming: true }),
      doesNotExist: () => send('does-not-exist'),
    }
  })
}
