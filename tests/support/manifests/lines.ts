import { type ManifestField, type ManifestRow, manifestFields } from '../../../src/shared/consignments'

const validFields: Partial<Record<ManifestField, string>> = {
  transportType: 'AWB',
  transportNumber: '074-12345675',
  packageId: 'BOX-1',
  parcelId: 'P1',
  name: 'Jannie de Vries',
  address: 'Keizersgracht 12A',
  zipcode: '1015 CJ',
  city: 'Amsterdam',
  country: 'NL',
  sellerName: 'Seller Ltd',
  sellerCountry: 'CN',
  sku: 'SKU-1',
  content: 'Book',
  hsCode: '490199',
  quantity: '2',
  itemPrice: '12.50',
  itemWeight: '0.250',
  parcelWeight: '0.600',
  parcelPrice: '25.00',
  currency: 'EUR',
  taxType: 'IOSS',
  taxIdent: 'IM5280000000',
  grossWeight: '0.650',
}

/** A line that passes all checks, except for the given changes. */
export function aLine(change: Partial<Record<ManifestField, string>> = {}): ManifestRow {
  return manifestFields.map((field) => change[field] ?? validFields[field] ?? '')
}

/** A CSV file with the given number of lines, each of a different parcel. */
export function toCsv(lines: number, separator = ','): string {
  const header = manifestFields.join(separator)
  const rows = Array.from({ length: lines }, (_, index) =>
    aLine({ parcelId: `P${index}`, packageId: `BOX-${Math.floor(index / 40)}` }).join(separator),
  )
  return `${[header, ...rows].join('\r\n')}\r\n`
}
