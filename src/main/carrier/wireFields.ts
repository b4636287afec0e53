import type { Customs, CustomsItem, CustomsParty } from '../../shared/customs'
import type { ShipmentDraft } from '../../shared/shipments'

/** One field: its name in the app, its name on the wire, and its JSON type there. */
export interface WireField<Name extends string = string> {
  name: Name
  wire: string
  type: 'text' | 'number' | 'boolean'
}

/** Fields of the shipment table, in its order (spec: Shipment request body). */
export const shipmentFields = [
  { name: 'createdBy', wire: 'created_by', type: 'text' },
  { name: 'printPhoneNumber', wire: 'print_phone_number', type: 'text' },
  { name: 'carrierId', wire: 'carrier_id', type: 'number' },
  { name: 'carrierOptionId', wire: 'carrier_option_id', type: 'number' },
  { name: 'signatureRequired', wire: 'signature_required', type: 'boolean' },
  { name: 'numberOfPackages', wire: 'number_of_packages', type: 'number' },
  { name: 'weight', wire: 'weight', type: 'number' },
  { name: 'length', wire: 'length', type: 'number' },
  { name: 'width', wire: 'width', type: 'number' },
  { name: 'height', wire: 'height', type: 'number' },
  { name: 'isCompany', wire: 'is_company', type: 'boolean' },
  { name: 'companyName', wire: 'company_name', type: 'text' },
  { name: 'firstName', wire: 'first_name', type: 'text' },
  { name: 'lastName', wire: 'last_name', type: 'text' },
  { name: 'email', wire: 'email', type: 'text' },
  { name: 'phoneNumber', wire: 'phone_number', type: 'text' },
  { name: 'content', wire: 'content', type: 'text' },
  { name: 'street', wire: 'street', type: 'text' },
  { name: 'houseNumber', wire: 'house_number', type: 'text' },
  { name: 'postalCode', wire: 'postal_code', type: 'text' },
  { name: 'city', wire: 'city', type: 'text' },
  { name: 'country', wire: 'country', type: 'text' },
  { name: 'reference', wire: 'reference', type: 'text' },
  { name: 'reference2', wire: 'reference2', type: 'text' },
  { name: 'returnLabel', wire: 'return_label', type: 'boolean' },
] as const satisfies readonly WireField<Exclude<keyof ShipmentDraft, 'customs'>>[]

/** The optional customs block's name in the shipment request body. */
export const customsKey = 'shipment_details'

/** Plain fields of the customs block (spec: shipment_details). */
export const customsFields = [
  { name: 'invoiceNumber', wire: 'invoice_number', type: 'text' },
  { name: 'invoiceDate', wire: 'invoice_date', type: 'text' },
  { name: 'terms', wire: 'invoice_terms', type: 'text' },
  { name: 'currency', wire: 'invoice_currency', type: 'text' },
  { name: 'reason', wire: 'invoice_reason', type: 'text' },
] as const satisfies readonly WireField<Exclude<keyof Customs, 'sender' | 'recipient' | 'items'>>[]

const partyNames = [
  { name: 'companyName', wire: 'company_name' },
  { name: 'name', wire: 'name' },
  { name: 'street', wire: 'street' },
  { name: 'houseNumber', wire: 'house_number' },
  { name: 'postalCode', wire: 'postal_code' },
  { name: 'city', wire: 'city' },
  { name: 'country', wire: 'country' },
  { name: 'email', wire: 'email' },
  { name: 'phoneNumber', wire: 'phone_number' },
  { name: 'type', wire: 'type' },
  { name: 'vatNumber', wire: 'vat_number' },
  { name: 'eoriNumber', wire: 'eori_number' },
] as const satisfies readonly { name: keyof CustomsParty; wire: string }[]

/** Fields of a party: the same twelve, the party's role in each name. */
export function partyFields(role: 'sender' | 'recipient'): WireField<keyof CustomsParty>[] {
  return partyNames.map(({ name, wire }) => ({ name, wire: `invoice_${role}_${wire}`, type: 'text' }))
}

/** The name of the list of items in the customs block. */
export const itemsKey = 'invoice_items'

/** Fields of one invoice item. */
export const itemFields = [
  { name: 'productCode', wire: 'productcode', type: 'text' },
  { name: 'product', wire: 'product', type: 'text' },
  { name: 'quantity', wire: 'quantity', type: 'number' },
  { name: 'hsCode', wire: 'tariffcode', type: 'text' },
  { name: 'countryOfOrigin', wire: 'country_origin', type: 'text' },
  { name: 'weight', wire: 'weight', type: 'number' },
  { name: 'itemPrice', wire: 'itemprice', type: 'number' },
] as const satisfies readonly WireField<keyof CustomsItem>[]
