/** What is printed on one label: one parcel of a shipment. */
export interface LabelContent {
  barcode: string
  carrierName: string
  serviceName: string
  /** A few letters for the sorting belt. */
  routeCode: string
  sender: readonly string[]
  consigneeName: string
  consigneeCompany: string
  consigneeStreet: string
  consigneePostalCode: string
  consigneeCity: string
  consigneeCountry: string
  consigneePhone: string
  reference: string
  reference2: string
  /** Weight as text, with its unit when there is one. */
  weight: string
  packageNumber: number
  packageCount: number
  createdAt: Date
  signatureRequired: boolean
  returnLabel: boolean
}

/** Printed on every label of the simulator, so that none is ever stuck on a parcel. */
export const DEMO_NOTICE = 'DEMO - NOT FOR SHIPPING'

/** A country's English name for its two-letter code; the code itself when it is not one. */
export function countryName(code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code
  return new Intl.DisplayNames(['en'], { type: 'region' }).of(code) ?? code
}

/** Groups a barcode's characters so that a person can read and type them. */
export function readableBarcode(barcode: string): string {
  const [, letters = '', digits = barcode] = /^(\d*[A-Z]+)(\d+)$/.exec(barcode) ?? []
  return [letters, ...(digits.match(/.{1,4}/g) ?? [])].filter((group) => group !== '').join(' ')
}
