import { isDateText } from '../clock'
import { isRecord, typeName } from '../json'
import { checkFields, checkForm, type Deviation, type FieldTable, isCountryCode } from './deviation'

const SHIPMENT_FIELDS: FieldTable = {
  created_by: 'string',
  print_phone_number: 'string',
  carrier_id: 'number',
  carrier_option_id: 'number',
  signature_required: 'boolean',
  number_of_packages: 'number',
  weight: 'number',
  length: 'number',
  width: 'number',
  height: 'number',
  is_company: 'boolean',
  company_name: 'string',
  first_name: 'string',
  last_name: 'string',
  email: 'string',
  phone_number: 'string',
  content: 'string',
  street: 'string',
  house_number: 'string',
  postal_code: 'string',
  city: 'string',
  country: 'string',
  reference: 'string',
  reference2: 'string',
  return_label: 'boolean',
}

const INVOICE_FIELDS: FieldTable = {
  invoice_number: 'string',
  invoice_date: 'string',
  invoice_terms: 'string',
  invoice_currency: 'string',
  invoice_reason: 'string',
}

const INVOICE_ITEM_FIELDS: FieldTable = {
  productcode: 'string',
  product: 'string',
  quantity: 'number',
  tariffcode: 'string',
  country_origin: 'string',
  weight: 'number',
  itemprice: 'number',
}

const PARTY_FIELDS = [
  'company_name',
  'name',
  'street',
  'house_number',
  'postal_code',
  'city',
  'country',
  'email',
  'phone_number',
  'type',
  'vat_number',
  'eori_number',
]

const COUNTRY_FORM = 'a country code of two capital letters'

function checkParty(value: unknown, party: 'sender' | 'recipient'): Deviation[] {
  const where = `body.shipment_details.${party}`
  const table: FieldTable = Object.fromEntries(
    PARTY_FIELDS.map((name) => [`invoice_${party}_${name}`, 'string' as const]),
  )
  const country = `invoice_${party}_country`
  return [
    ...checkFields(value, where, table),
    ...checkForm(
      isRecord(value) ? value[country] : undefined,
      `${where}.${country}`,
      isCountryCode,
      COUNTRY_FORM,
    ),
  ]
}

function checkItem(value: unknown, where: string): Deviation[] {
  const origin = isRecord(value) ? value.country_origin : undefined
  return [
    ...checkFields(value, where, INVOICE_ITEM_FIELDS),
    ...checkForm(origin, `${where}.country_origin`, isCountryCode, COUNTRY_FORM),
  ]
}

function checkItems(value: unknown): Deviation[] {
  const where = 'body.shipment_details.invoice_items'
  if (!Array.isArray(value)) {
    return [{ kind: 'wrongType', where, message: `${where} must be an array and is ${typeName(value)}.` }]
  }
  return value.flatMap((item: unknown, index) => checkItem(item, `${where}[${index}]`))
}

function checkDetails(value: unknown): Deviation[] {
  const where = 'body.shipment_details'
  const own = checkFields(value, where, INVOICE_FIELDS, ['sender', 'recipient', 'invoice_items'])
  if (!isRecord(value)) return own
  return [
    ...own,
    ...checkForm(value.invoice_date, `${where}.invoice_date`, isDateText, 'a date written YYYY-MM-DD'),
    ...checkParty(value.sender, 'sender'),
    ...checkParty(value.recipient, 'recipient'),
    ...checkItems(value.invoice_items),
  ]
}

/**
 * Compares the body of a shipment creation with the specification's tables (section Shipment request body and
 * shipment_details). Which fields are required is not stated: every one of the table is expected but the customs block.
 */
export function checkShipmentBody(body: unknown): Deviation[] {
  const own = checkFields(body, 'body', SHIPMENT_FIELDS, ['shipment_details'])
  if (!isRecord(body)) return own
  const country = checkForm(body.country, 'body.country', isCountryCode, COUNTRY_FORM)
  const details = body.shipment_details === undefined ? [] : checkDetails(body.shipment_details)
  return [...own, ...country, ...details]
}
