import type { HistoryFilter, HistoryPlace, ShippingReport } from '../../shared/history'
import type { Result } from '../../shared/result'
import type { EarlierShipment, Label, ResolutionVerdict, SendingStation } from '../../shared/shipments'
import type { ShipmentRecord } from './repository'

/** A shipment of any station of the fleet. */
export interface SharedRecord {
  record: ShipmentRecord
  station: SendingStation
  labels: Label[]
}

/** What a person found out about a shipment whose outcome was unknown. */
export interface FoundOut {
  verdict: ResolutionVerdict
  /** The tracking code that was found; null when there is none. */
  barcode: string | null
}

export interface Resolution extends FoundOut {
  /** Who found it out at another station; whoever is signed in here when left out. */
  by?: string
}

export interface SharedSearch extends HistoryFilter {
  limit: number
  before: HistoryPlace | null
}

/** The shipments of a fleet, of which this station may be a member. Errors say why they can't be seen. */
export interface SharedShipments {
  isMember(): boolean
  /** Newest first; `total` is counted with the first page alone, up to one more than `maxCounted`. */
  search(
    search: SharedSearch,
  ): Promise<Result<{ shipments: SharedRecord[]; next: HistoryPlace | null; total: number | null }>>
  find(shipmentId: string): Promise<Result<SharedRecord | undefined>>
  /** What all stations shipped in a period; see `makeShippingReport`. */
  report(from: string, to: string): Promise<Result<ShippingReport>>
  /** The shipment of another station that stands in the way of a reference, which is as the own guard compares it. */
  findEarlier(reference: string): Promise<Result<EarlierShipment | undefined>>
  /**
   * Says what became of an unknown shipment of another station.
   * @returns `shipment-not-unsettled` when it is not unknown
   */
  resolve(shipmentId: string, found: FoundOut): Promise<Result<undefined>>
}
