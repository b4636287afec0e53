import type { HistoryChoices, HistoryCursor, HistoryFilter, ShippingReport } from '../../shared/history'
import type { Result } from '../../shared/result'
import type { EarlierShipment, Label, ResolutionVerdict, SendingStation } from '../../shared/shipments'
import type { ShipmentRecord } from './repository'

/** A shipment of any station in the fleet. */
export interface SharedRecord {
  record: ShipmentRecord
  station: SendingStation
  labels: Label[]
}

/** What a person found out about a shipment whose outcome was unknown. */
export interface ResolutionFinding {
  verdict: ResolutionVerdict
  /** The tracking code that was found; null when there is none. */
  barcode: string | null
}

export interface Resolution extends ResolutionFinding {
  /** Who found it out at another station; by default the operator who is signed in here. */
  by?: string
}

/** A shipment that is waited for: one of a reference, or an unknown one that gets an outcome. */
export interface AwaitedShipment {
  reference: string
  /** The unknown shipment. */
  shipmentId: string | null
}

/** The outcome of a shipment of any station. «Does not exist»: a person found that out. */
export interface ShipmentOutcome {
  id: string
  /** The references of its orders that the outcome concerns. */
  references: readonly string[]
  /** ISO 8601, by this station's clock; for another station's shipment when it became known. */
  takenAt: string
  verdict: ResolutionVerdict
}

export interface SharedSearch extends HistoryFilter {
  limit: number
  before: HistoryCursor | null
}

/** The shipments of the fleet that this station may belong to. An error tells why they can't be read. */
export interface SharedShipments {
  isMember(): boolean
  /**
   * Newest first. `total` comes with the first page only, and is at most `maxCounted` + 1.
   * @param ownNeedingAttention ids of this station's shipments that need attention for a reason that the fleet does not know
   */
  search(
    search: SharedSearch,
    ownNeedingAttention?: readonly string[],
  ): Promise<Result<{ shipments: SharedRecord[]; next: HistoryCursor | null; total: number | null }>>
  find(shipmentId: string): Promise<Result<SharedRecord | undefined>>
  /** The values of the newest shipments, to filter by. */
  listChoices(): Promise<Result<HistoryChoices>>
  /** The report of all stations for a period; see `makeShippingReport`. */
  report(from: string, to: string): Promise<Result<ShippingReport>>
  /** The shipment of another station that blocks a reference, given without outer spaces. */
  findEarlier(reference: string): Promise<Result<EarlierShipment | undefined>>
  /**
   * Resolves an unknown shipment of another station.
   * @returns `shipment-not-unsettled` when it is not unknown
   */
  resolve(shipmentId: string, found: ResolutionFinding): Promise<Result<undefined>>
}
