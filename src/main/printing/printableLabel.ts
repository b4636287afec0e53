import type { Language } from '../../shared/fields'
import type { Printer } from '../../shared/printing'
import { ok, type Result } from '../../shared/result'
import type { Label, LabelKind } from '../../shared/shipments'

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

/** The shipment of a label. */
interface LabelOwner {
  id: string
  reference: string
  carrierOptionId: number
  /** The printer that a rule of the order names. */
  printer?: string | undefined
}

export function toPrintableLabel(
  { id: shipmentId, reference, carrierOptionId, printer }: LabelOwner,
  { id: labelId, position, barcode, kind }: Pick<Label, 'id' | 'position' | 'barcode' | 'kind'>,
  bytes: Buffer,
): PrintableLabel {
  return {
    ...{ labelId, shipmentId, position, barcode, reference, carrierOptionId, kind, bytes },
    ...(printer !== undefined && { printerId: printer }),
  }
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

/** The maximum size of the labels in memory that wait for their first job. */
const maxFreshBytes = 16 * 1024 * 1024

/**
 * A cache in front of the stored labels: a new label comes from memory once, so that its first job does not read the
 * file that was written a moment ago.
 */
export class FreshLabels {
  private readonly fresh = new Map<string, PrintableLabel>()
  private freshBytes = 0

  constructor(private readonly stored: Pick<LabelSource, 'find'>) {}

  /** Keeps labels for their first jobs; drops the oldest above 16 MB. */
  add(labels: readonly PrintableLabel[]): void {
    for (const label of labels) {
      this.take(label.labelId)
      this.fresh.set(label.labelId, label)
      this.freshBytes += label.bytes.length
    }
    for (const labelId of this.fresh.keys()) {
      if (this.freshBytes <= maxFreshBytes) return
      this.take(labelId)
    }
  }

  async find(labelId: string): Promise<Result<PrintableLabel>> {
    const label = this.take(labelId)
    return label === undefined ? this.stored.find(labelId) : ok(label)
  }

  private take(labelId: string): PrintableLabel | undefined {
    const label = this.fresh.get(labelId)
    this.fresh.delete(labelId)
    this.freshBytes -= label?.bytes.length ?? 0
    return label
  }
}

/** Renders commercial invoices. An invoice is made from its shipment when it is printed, and is not stored. */
export interface InvoiceSource {
  find(shipmentId: string, language: Language): Promise<Result<PrintableLabel>>
  /** The document printer; undefined when none is chosen or it no longer exists. */
  printer(): Printer | undefined
  /** The language of invoices that go with each label; undefined when they are printed on demand. */
  languageWithLabel(): Language | undefined
}
