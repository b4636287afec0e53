import type { Language } from '../../shared/fields'
import type { Printer } from '../../shared/printing'
import type { Result } from '../../shared/result'
import type { LabelKind } from '../../shared/shipments'

/** A stored label, or an invoice in its place, ready to be printed. */
export interface PrintableLabel {
  labelId: string
  shipmentId: string
  position: number
  barcode: string
  reference: string
  carrierOptionId: number
  /** The printer that its order's rule names. */
  printerId?: string | undefined
  kind: LabelKind
  bytes: Buffer
}

/** Where stored labels come from. Labels that can't be printed give the reason as an error. */
export interface LabelSource {
  /** The labels of a shipment that can be printed, in order; an error when none can. */
  ofShipment(shipmentId: string): Promise<Result<PrintableLabel[]>>
  find(labelId: string): Promise<Result<PrintableLabel>>
}

/** Where commercial invoices come from. Each is made from its shipment when it is printed: none is stored. */
export interface InvoiceSource {
  find(shipmentId: string, language: Language): Promise<Result<PrintableLabel>>
  /** The document printer; undefined when none is chosen or it is gone. */
  printer(): Printer | undefined
  /** The language of invoices that go with each label; undefined when they are printed on demand. */
  languageWithLabel(): Language | undefined
}
