import { createStore, type StoreApi } from 'zustand/vanilla'
import type { AppError } from '../../../shared/errors'
import type { ScanBack } from '../../../shared/labels'
import type { ScanOutcome } from '../../../shared/printing'
import type { Result } from '../../../shared/result'
import type { ShipmentDetails } from '../../../shared/shipments'
import { callMain } from '../../bridge'
import type { Signal } from '../../ui/sounds'
import type { ShipState } from './shipStore'

/** A result of a scan that no field shows. */
export interface ScanNotice {
  kind:
    | 'unknown'
    | 'no-order'
    | 'caps-lock'
    | 'right'
    | 'label-first'
    | 'no-command'
    | 'not-now'
    | 'nothing-to-print'
    | 'no-printer'
    | 'reprinted'
    | 'option'
    | 'packages'
    | 'paused'
    | 'resumed'
  /** The scanned code, or the new value. */
  code: string
}
type ShownOutcome = ScanOutcome & { shipmentId: string }

export interface ScanState {
  /** The last scan of a printed label. */
  outcome: ShownOutcome | null
  /** Why the last scan of a printed label could not be checked. */
  failure: { shipmentId: string; error: AppError } | null
  /** The shipment whose label scan was skipped with a reason. */
  skipped: string | null
  notice: ScanNotice | null
  showNotice: (notice: ScanNotice | null) => void
  /** Shows the result of scanning a shipment's printed label. */
  show: (shipmentId: string, checked: Result<ScanOutcome, AppError>) => void
  check: (shipmentId: string, code: string) => Promise<void>
  noteSkipped: (shipmentId: string) => void
  /** The operator has acknowledged the wrong label. */
  dismiss: () => void
}

export type ScanStore = StoreApi<ScanState>

/** Scanning back: whether the printed label is the expected one. */
export function createScanStore(signal: (signal: Signal) => void): ScanStore {
  return createStore<ScanState>((set, get) => ({
    outcome: null,
    failure: null,
    skipped: null,
    notice: null,
    showNotice: (notice) => set({ notice }),
    show(shipmentId, checked) {
      if (!checked.ok) {
        signal('failure')
        set({ failure: { shipmentId, error: checked.error } })
        return
      }
      const outcome = { ...checked.value, shipmentId }
      signal(outcome.matches ? 'success' : 'error')
      const notice = outcome.matches ? ({ kind: 'right', code: outcome.scanned } as const) : null
      set({ outcome, failure: null, notice })
    },
    async check(shipmentId, code) {
      get().show(shipmentId, await callMain('confirmScan', { shipmentId, code }))
    },
    noteSkipped: (skipped) => set({ skipped }),
    dismiss: () => set({ outcome: null, failure: null }),
  }))
}

/** Whether a shipment of another station has no label from here that could be scanned. */
export function isPrintedElsewhere({ station, jobs }: Pick<ShipmentDetails, 'station' | 'jobs'>): boolean {
  return station !== undefined && jobs.length === 0
}

/** The shipment whose printed label is to be scanned now, a wrong label first; null if there is none. */
export function findAwaitedLabel(
  { outcome }: Pick<ShipState, 'outcome'>,
  scan: Pick<ScanState, 'outcome' | 'skipped'>,
  scanBack: ScanBack | undefined,
): string | null {
  if (scan.outcome?.matches === false) return scan.outcome.shipmentId
  if (scanBack?.on !== true || outcome?.kind !== 'shipment') return null
  if (isPrintedElsewhere(outcome.shipment)) return null
  const { id, state, barcodes, jobs } = outcome.shipment
  const isProven =
    (scan.outcome?.shipmentId === id && scan.outcome.matches) ||
    scan.skipped === id ||
    jobs.some(({ scannedAt, scanSkipped }) => scannedAt !== undefined || scanSkipped !== undefined)
  return state === 'created' && barcodes.length > 0 && !isProven ? id : null
}
