import type { AppError } from '../../shared/errors'
import type { CarrierLimits, LabelKind, LabelProblem } from '../../shared/shipments'

/** One label of a created shipment, decoded as far as that was possible. */
export interface CarrierLabel {
  barcode: string
  kind: LabelKind
  /** The label's bytes: decoded when the encoding was understood, else the content exactly as it came. */
  bytes: Buffer
  /** Why the bytes can't be printed as they are; null when they can. */
  problem: LabelProblem | null
  /** `labels[].shipmentId` of the direct label response. */
  shipmentId: string | null
}

/** What the service said of a shipment that exists now. */
export interface Creation {
  /** The first labels of the answer, `maxLabels` at most. */
  labels: CarrierLabel[]
  /** How many labels the answer holds. */
  labelCount: number
  /** Every tracking number that the answer named, without repeats, in its order. */
  barcodes: string[]
  /** `shipmentID` of the direct label response. */
  serviceShipmentId: string | null
  zendingId: string | null
  subLogId: string | null
  logId: string | null
  message: string | null
  /** `trace`: the public tracking link. */
  trackingUrl: string | null
  /** `url`: where the label can be fetched. A secret; null for a direct label response. */
  labelUrl: string | null
  limits: CarrierLimits | null
}

/**
 * What became of a creation request. `refused`: it does not exist at the service, provably. `unknown`: nobody can
 * tell; a person has to find out, and what the answer named all the same (labels, ids) is kept for them: `creation`
 * and `receivedAt` are null when it named nothing.
 */
export type CreationOutcome =
  | { kind: 'created'; creation: Creation; receivedAt: Date }
  | { kind: 'refused'; error: AppError }
  | { kind: 'unknown'; error: AppError; creation: Creation | null; receivedAt: Date | null }
