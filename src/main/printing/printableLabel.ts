import type { Result } from '../../shared/result'
import type { LabelKind } from '../../shared/shipments'

/** A stored label, ready to be printed. */
export interface PrintableLabel {
  labelId: string
  shipmentId: string
  position: number
  barcode: string
  reference: string
  carrierOptionId: number
  kind: LabelKind
  bytes: Buffer
}

/** Where stored labels come from. Labels that can't be printed give the reason as an error. */
export interface LabelSource {
  /** The labels of a shipment that can be printed, in order; an error when none can. */
  ofShipment(shipmentId: string): Promise<Result<PrintableLabel[]>>
  find(labelId: string): Promise<Result<PrintableLabel>>
}
