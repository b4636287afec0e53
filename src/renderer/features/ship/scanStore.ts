import { createStore, type StoreApi } from 'zustand/vanilla'
import type { AppError } from '../../../shared/errors'
import type { ScanBack } from '../../../shared/labels'
import { listUnscanned, type ScanOutcome } from '../../../shared/printing'
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
    | 'label'
    | 'right'
    | 'label-first'
    | 'no-command'
    | 'not-now'
    | 'printer-gone'
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
  /** Barcodes of a shipment's labels that were scanned; its jobs state only those that were printed by then. */
  proven: { shipmentId: string; barcodes: readonly string[] } | null
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
    proven: null,
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
      const { proven } = get()
      const before = proven?.shipmentId === shipmentId ? proven.barcodes : []
      const barcodes = [...before, ...outcome.matching.filter((each) => !before.includes(each)).slice(0, 1)]
      set({ outcome, failure: null, notice, ...(outcome.matches && { proven: { shipmentId, barcodes } }) })
    },
    async check(shipmentId, code) {
      get().show(shipmentId, await callMain('confirmScan', { shipmentId, code }))
    },
    noteSkipped: (skipped) => set({ skipped }),
    dismiss: () => set({ outcome: null, failure: null }),
  }))
}

/** Whether a shipment's printed labels are scanned back here. */
export function isScannable(
  {
    state,
    barcodes,
    station,
    jobs,
    cancellation,
  }: Pick<ShipmentDetails, 'state' | 'barcodes' | 'station' | 'jobs' | 'cancellation'>,
  { on }: Pick<ScanBack, 'on'>,
): boolean {
  const isPrintedElsewhere = station !== undefined && jobs.length === 0
  const hasLabel = state === 'created' && cancellation === undefined && barcodes.length > 0
  return on && hasLabel && !isPrintedElsewhere
}

/** The shipment of the outcome if its printed labels are scanned back here. */
export function findScannable(
  { outcome }: Pick<ShipState, 'outcome'>,
  scanBack: ScanBack | undefined,
): ShipmentDetails | null {
  if (scanBack === undefined || outcome?.kind !== 'shipment') return null
  return isScannable(outcome.shipment, scanBack) ? outcome.shipment : null
}

/** Barcodes of a shipment whose labels are still to be scanned. */
export function listAwaited(
  { id, barcodes, jobs }: Pick<ShipmentDetails, 'id' | 'barcodes' | 'jobs'>,
  { proven, skipped }: Pick<ScanState, 'proven' | 'skipped'>,
): string[] {
  if (skipped === id) return []
  return listUnscanned(barcodes, jobs, proven?.shipmentId === id ? proven.barcodes : [])
}

/** The shipment of which a printed label is to be scanned now, a wrong label first; null if there is none. */
export function findAwaitedLabel(
  ship: Pick<ShipState, 'outcome'>,
  scan: Pick<ScanState, 'outcome' | 'proven' | 'skipped'>,
  scanBack: ScanBack | undefined,
): string | null {
  if (scan.outcome?.matches === false) return scan.outcome.shipmentId
  const shipment = findScannable(ship, scanBack)
  return shipment !== null && listAwaited(shipment, scan).length > 0 ? shipment.id : null
}
