import type { StoreApi } from 'zustand/vanilla'
import type { AppError } from '../../../shared/errors'
import type { PrintJob } from '../../../shared/printing'
import type { ShipmentDetails, ShipmentSummary } from '../../../shared/shipments'

export interface HistoryState {
  text: string
  onlyAttention: boolean
  rows: ShipmentSummary[]
  total: number
  loading: boolean
  /** Whether the list was loaded at least once. */
  loaded: boolean
  listError: AppError | null
  selectedId: string | null
  /** The details of the selected shipment and of no other; null until they were read. */
  details: ShipmentDetails | null
  detailsError: AppError | null
  /** Types into the search: closes what is open, and searches when the typing pauses. */
  setText: (text: string) => void
  /** Searches at once, as a scanner's Enter asks for. */
  searchNow: () => Promise<void>
  setOnlyAttention: (only: boolean) => void
  /** Loads the list again, as long as it is now. */
  refresh: () => Promise<void>
  more: () => Promise<void>
  select: (shipmentId: string | null) => Promise<void>
  /** Selects the row so many places below (above: negative) the selected one. */
  move: (places: number) => void
  applyJobs: (jobs: readonly PrintJob[]) => void
  applyShipment: (shipment: ShipmentDetails) => void
  applySummary: (summary: ShipmentSummary) => void
}

export type HistoryStore = StoreApi<HistoryState>
