import type { Language } from '../../shared/fields'
import type { Printer } from '../../shared/printing'
import type { Result } from '../../shared/result'
import type { LabelKind } from '../../shared/shipments'

/** A stored label or a rendered invoice, with everything that printing needs. */
export interface PrintableLabel {
  labelId: string
  shipmentId: string
  position: number
  barcode: string
  reference: string
  carrierOptionId: number
  /** The printer that a rule of the order names. */
  printerId?: string | undefined
  kind: LabelKind
  bytes: Buffer
}

/** The labels of a shipment that can be printed, in order. */
export interface ShipmentLabels {
  labels: PrintableLabel[]
  /** The positions of those that can't be printed because their files can't be used, which no problem of theirs says. */
  unusable: number[]
}

/** Reads stored labels. A label that can't be printed gives the reason as an error. */
export interface LabelSource {
  /** @returns an error when no label can be printed */
  listByShipment(shipmentId: string): Promise<Result<ShipmentLabels>>
  find(labelId: string): Promise<Result<PrintableLabel>>
}

/** Renders commercial invoices. An invoice is made from its shipment when it is printed, and is not stored. */
export interface InvoiceSource {
  find(shipmentId: string, language: Language): Promise<Result<PrintableLabel>>
  /** The document printer; undefined when none is chosen or it no longer exists. */
  printer(): Printer | undefined
  /** The language of invoices that go with each label; undefined when they are printed on demand. */
  languageWithLabel(): Language | undefined
}
