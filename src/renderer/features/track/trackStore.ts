import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { ShipmentSummary } from '../../../shared/shipments'
import type { ParcelShipment, TrackedCode, TrackingOptions } from '../../../shared/tracking'
import { toResult } from '../../bridge'

/** Since when and in which language a shown timeline is known, when it is not the service's answer of this moment. */
export interface StoredSince {
  askedAt: string
  language: TrackingOptions['language']
}

export interface TrackState {
  code: string
  options: TrackingOptions
  codeMissing: boolean
  busy: boolean
  result: TrackedCode | null
  /** Set while the result is a stored one; null when it has just come from the service. */
  stored: StoredSince | null
  /** The service has just said that it does not know what is stored. */
  lost: boolean
  /** Our own shipment with that barcode; null when there is none. */
  ours: ParcelShipment | null
  /** Barcodes of that shipment's other parcels. */
  otherParcels: readonly string[]
  error: AppError | null
  setCode: (code: string) => void
  /** Another language asks again for what was asked for last. */
  setOptions: (change: Partial<TrackingOptions>) => void
  lookUp: (code?: string) => Promise<void>
}

export type TrackStore = StoreApi<TrackState>

const nothingKnown = {
  error: null,
  result: null,
  stored: null,
  lost: false,
  ours: null,
  otherParcels: [],
}

/** The Track screen: one code, how to ask for it, and what is stored and what the service said. */
export function createTrackStore(bridge: BridgeClient): TrackStore {
  return createStore<TrackState>((set, get) => {
    /** Only the newest look-up may write: a slow answer must not cover a later one. */
    let turn = 0
    let asked: string | undefined

    async function findOurs(code: string, mine: number): Promise<void> {
      const found = await toResult(
        bridge.searchShipments({
          text: code.slice(0, 200),
          onlyNeedingAttention: false,
          limit: 20,
          offset: 0,
        }),
      )
      if (!found.ok || turn !== mine) return
      const { shipments } = found.value
      const own = shipments.find(({ barcodes }) => barcodes.includes(code))
      if (own === undefined) return askByReference(code, shipments)
      const details = await toResult(bridge.getShipment({ shipmentId: own.id }))
      if (turn !== mine) return
      const trackingLinkHost = details.ok ? details.value.trackingLinkHost : null
      const otherParcels = own.barcodes.filter((barcode) => barcode !== code)
      set({ ours: { id: own.id, reference: own.reference, trackingLinkHost }, otherParcels })
    }

    /** The service knows barcodes: a reference of ours leads to the newest parcel that was shipped with it. */
    async function askByReference(code: string, shipments: readonly ShipmentSummary[]): Promise<void> {
      const wanted = code.toLowerCase()
      const own = shipments.filter(({ reference }) => reference.toLowerCase() === wanted)
      const [barcode] = own.flatMap(({ barcodes }) => barcodes)
      if (barcode !== undefined && get().options.type === 'barcode') await ask(barcode)
    }

    async function showStored(code: string, mine: number): Promise<void> {
      if (get().options.type !== 'barcode') return
      const kept = await toResult(bridge.getStoredTracking({ code }))
      if (turn !== mine || !get().busy || !kept.ok || kept.value === null) return
      const { tracked, askedAt, language } = kept.value
      set({ result: tracked, stored: { askedAt, language } })
    }

    async function ask(code: string): Promise<void> {
      turn += 1
      const mine = turn
      asked = code
      set({ ...nothingKnown, busy: true })
      void findOurs(code, mine)
      const asking = toResult(bridge.trackCode({ code, options: get().options }))
      await showStored(code, mine)
      const result = await asking
      if (turn !== mine) return
      if (!result.ok) set({ busy: false, error: result.error })
      // What the service said before is worth more to the operator than that it has forgotten it.
      else if (!result.value.found && get().stored !== null) set({ busy: false, lost: true })
      else set({ busy: false, result: { ...result.value, code }, stored: null })
    }

    return {
      code: '',
      options: { flightTracking: 'include', language: 'en', type: 'barcode', details: 'full' },
      codeMissing: false,
      busy: false,
      ...nothingKnown,
      setCode: (code) => set({ code, codeMissing: false }),
      setOptions(change) {
        const before = get().options
        set({ options: { ...before, ...change } })
        // Also what is under way: its answer would come in the language before.
        if (asked !== undefined && get().options.language !== before.language) void ask(asked)
      },
      async lookUp(given) {
        const code = (given ?? get().code).trim()
        if (code === '') {
          set({ codeMissing: true })
          return
        }
        set({ code, codeMissing: false })
        await ask(code)
      },
    }
  })
}
