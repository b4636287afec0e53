/** The fields of a manifest line, in their order (spec: Manifest line). All of them are text on the wire. */
export const manifestFields = [
  'transportType',
  'transportNumber',
  'packageId',
  'parcelId',
  'name',
  'address',
  'address2',
  'zipcode',
  'city',
  'country',
  'phone',
  'email',
  'sellerName',
  'sellerAddress',
  'sellerZipcode',
  'sellerCity',
  'sellerCountry',
  'sku',
  'content',
  'hsCode',
  'quantity',
  'itemPrice',
  'itemWeight',
  'parcelWeight',
  'parcelPrice',
  'currency',
  'taxType',
  'taxIdent',
  'grossWeight',
] as const
export type ManifestField = (typeof manifestFields)[number]

/** A line as its values in the order of `manifestFields`. */
export type ManifestRow = string[]

const positions = new Map<string, number>(manifestFields.map((field, index) => [field, index]))

/** Where a field stands in a row, from 0. */
export function positionOf(field: ManifestField): number {
  return positions.get(field) ?? 0
}

/** Fields that hold decimal text. */
export const decimalFields: readonly ManifestField[] = [
  'quantity',
  'itemPrice',
  'itemWeight',
  'parcelWeight',
  'parcelPrice',
  'grossWeight',
]

/** A line without anything in it. */
export function emptyRow(): ManifestRow {
  return manifestFields.map(() => '')
}
