import type { Language } from '../../shared/fields'
import type { Printer } from '../../shared/printing'
import { ok, type Result } from '../../shared/result'
import type { Label, LabelKind } from '../../shared/shipments'

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

/** What printing has to know of a label's shipment. */
interface LabelOwner {
  id: string
  reference: string
  carrierOptionId: number
  /** The printer that its order's rule names. */
  printer?: string | undefined
}

/** Makes a stored label ready to be printed. */
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

/** Where stored labels come from. Labels that can't be printed give the reason as an error. */
export interface LabelSource {
  /** The labels of a shipment that can be printed, in order; an error when none can. */
  ofShipment(shipmentId: string): Promise<Result<PrintableLabel[]>>
  find(labelId: string): Promise<Result<PrintableLabel>>
}

/** Most bytes of labels that wait in memory for their first job. */
const maxFreshBytes = 16 * 1024 * 1024

/**
 * Stored labels, of which those that have just come are given from memory, once: their first job need not read again what
 * was written a moment ago.
 */
export class FreshLabels {
  private readonly fresh = new Map<string, PrintableLabel>()
  private freshBytes = 0

  constructor(private readonly stored: Pick<LabelSource, 'find'>) {}

  /** Keeps labels for their first jobs; the oldest go when there are too many of them. */
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

/** Where commercial invoices come from. Each is made from its shipment when it is printed: none is stored. */
export interface InvoiceSource {
  find(shipmentId: string, language: Language): Promise<Result<PrintableLabel>>
  /** The document printer; undefined when none is chosen or it is gone. */
  printer(): Printer | undefined
  /** The language of invoices that go with each label; undefined when they are printed on demand. */
  languageWithLabel(): Language | undefined
}
