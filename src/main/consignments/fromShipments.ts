import { type ManifestField, type ManifestRow, manifestFields } from '../../shared/consignments'
import type { CustomsItem } from '../../shared/customs'
import type { ShipmentDraft } from '../../shared/shipments'

/** The parts of a shipment that its manifest lines need. */
export interface ShippedParcels {
  draft: ShipmentDraft
  /** One per package, fewer if the service did not give all, more if it gave some to return labels. */
  barcodes: readonly string[]
}

/**
 * Creates the manifest lines of a shipment: one per parcel and customs item. Fields that the shipment does not have, and the
 * ids of parcels whose barcodes are not known, stay empty, and the checks report them. All items go to the first parcel, because
 * a shipment does not tell which parcel contains which item.
 */
export function toManifestLines(
  { draft, barcodes }: ShippedParcels,
  airWaybillNumber: string,
  packageId: string,
): ManifestRow[] {
  const parcels = Math.max(barcodes.length, draft.numberOfPackages)
  return Array.from({ length: parcels }, (_, index) => {
    const items = index === 0 ? (draft.customs?.items ?? []) : []
    const parcel = {
      ...commonValues(draft, airWaybillNumber),
      packageId,
      parcelId: barcodes[index] ?? '',
      // Not by the barcodes, which may include those of return labels.
      parcelWeight: decimal(draft.weight / draft.numberOfPackages),
    }
    if (items.length === 0) return [toLine({ ...parcel, content: draft.content })]
    const price = items.reduce((sum, item) => sum + item.quantity * item.itemPrice, 0)
    return items.map((item) => toLine({ ...parcel, parcelPrice: decimal(price), ...itemValues(item) }))
  }).flat()
}

type Values = Partial<Record<ManifestField, string>>

function commonValues(draft: ShipmentDraft, airWaybillNumber: string): Values {
  const { customs } = draft
  const person = `${draft.firstName} ${draft.lastName}`.trim()
  return {
    transportType: 'AWB',
    transportNumber: airWaybillNumber,
    name: draft.companyName === '' ? person : draft.companyName,
    address: `${draft.street} ${draft.houseNumber}`.trim(),
    zipcode: draft.postalCode,
    city: draft.city,
    country: draft.country,
    phone: draft.phoneNumber,
    email: draft.email,
    ...(customs === undefined ? {} : sellerValues(customs)),
  }
}

function sellerValues({ sender, currency }: NonNullable<ShipmentDraft['customs']>): Values {
  return {
    sellerName: sender.companyName === '' ? sender.name : sender.companyName,
    sellerAddress: `${sender.street} ${sender.houseNumber}`.trim(),
    sellerZipcode: sender.postalCode,
    sellerCity: sender.city,
    sellerCountry: sender.country,
    currency,
  }
}

function itemValues(item: CustomsItem): Values {
  return {
    sku: item.productCode,
    content: item.product,
    hsCode: item.hsCode,
    quantity: String(item.quantity),
    itemPrice: String(item.itemPrice),
    // 0 means that the weight is unknown.
    itemWeight: item.weight === 0 ? '' : String(item.weight),
  }
}

function toLine(values: Values): ManifestRow {
  return manifestFields.map((field) => values[field] ?? '')
}

/** Decimal text with a point, rounded to three decimals (1 g, a tenth of a cent). */
function decimal(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}
