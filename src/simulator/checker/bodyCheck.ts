import { z } from 'zod'
import { isDateText } from '../clock'
import { typeName } from '../json'
import type { Deviation } from './deviation'

/** An object of the specification: every field present, of its type, in its casing, and no other. */
function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape).join(' ')
  // The names are what an unknown one is compared with.
  return z.strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? names : undefined) })
}

function texts<Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, z.string()]))
}

function form(fits: (text: string) => boolean, words: string) {
  return z.string().refine(fits, { error: words })
}

/** True for the plain base64 text of something that begins like a PDF. */
export function isBase64Pdf(text: string): boolean {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return false
  return Buffer.from(text.slice(0, 8), 'base64').toString('latin1').startsWith('%PDF-')
}

const country = form((text) => /^[A-Z]{2}$/.test(text), 'a country code of two capital letters')
const date = form(isDateText, 'a date written YYYY-MM-DD')
const decimal = form((text) => /^-?\d+(\.\d+)?$/.test(text), 'decimal text such as 1.50')

function party(role: 'sender' | 'recipient') {
  const names = ['company_name', 'name', 'street', 'house_number', 'postal_code', 'city', 'country']
  const all = [...names, 'email', 'phone_number', 'type', 'vat_number', 'eori_number']
  const shape = texts(all.map((name) => `invoice_${role}_${name}`))
  return fields({ ...shape, [`invoice_${role}_country`]: country })
}

/** Section shipment_details of the specification. */
const details = fields({
  ...texts(['invoice_number', 'invoice_terms', 'invoice_currency', 'invoice_reason']),
  invoice_date: date,
  sender: party('sender'),
  recipient: party('recipient'),
  invoice_items: z.array(
    fields({
      ...texts(['productcode', 'product', 'tariffcode']),
      quantity: z.number(),
      weight: z.number(),
      itemprice: z.number(),
      country_origin: country,
    }),
  ),
})

/**
 * Section Shipment request body. Which fields are required is not stated: every one of the table is expected but the
 * customs block.
 */
export const shipmentBody = fields({
  ...texts(['created_by', 'print_phone_number', 'company_name', 'first_name', 'last_name', 'email']),
  ...texts(['phone_number', 'content', 'street', 'house_number', 'postal_code', 'city']),
  ...texts(['reference', 'reference2']),
  carrier_id: z.number(),
  carrier_option_id: z.number(),
  signature_required: z.boolean(),
  number_of_packages: z.number(),
  weight: z.number(),
  length: z.number(),
  width: z.number(),
  height: z.number(),
  is_company: z.boolean(),
  country,
  return_label: z.boolean(),
  shipment_details: details.optional(),
})

/** Codes to track: an array of text. */
export const codesBody = z.array(z.string())

/** A manifest upload: an array of lines, all fields text. */
export const manifestBody = z.array(
  fields({
    ...texts(['transportType', 'transportNumber', 'packageId', 'parcelId']),
    ...texts(['name', 'address', 'address2', 'zipcode', 'city', 'phone', 'email']),
    ...texts(['sellerName', 'sellerAddress', 'sellerZipcode', 'sellerCity', 'sku', 'content', 'hsCode']),
    ...texts(['currency', 'taxType', 'taxIdent']),
    country,
    sellerCountry: country,
    quantity: decimal,
    itemPrice: decimal,
    itemWeight: decimal,
    parcelWeight: decimal,
    parcelPrice: decimal,
    grossWeight: decimal,
  }),
)

/** Section Pre-alert request and response. */
export const preAlertBody = fields({
  airWaybillPdfBase64: form(isBase64Pdf, 'a PDF in base64'),
  estimatedTimeOfArrival: date,
  airWaybillNumber: z.string(),
  grossWeight: z.number(),
})

const typeWords: Partial<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
}

/** Compares a body with what the specification says of it. Forms of values come after names and types. */
export function checkBodyBy(schema: z.ZodType, body: unknown): Deviation[] {
  const issues = schema.safeParse(body, { reportInput: true }).error?.issues ?? []
  const isForm = ({ code }: z.core.$ZodIssue) => code === 'custom'
  return [...issues.filter((issue) => !isForm(issue)), ...issues.filter(isForm)].flatMap(toDeviations)
}

function toDeviations(issue: z.core.$ZodIssue): Deviation[] {
  const where = toPlace(issue.path)
  if (issue.code === 'unrecognized_keys') {
    const known = issue.message.split(' ')
    return issue.keys.map((name) => toNameDeviation(`${where}.${name}`, name, known))
  }
  if (issue.code === 'custom')
    return [{ kind: 'wrongValue', where, message: `${where} must be ${issue.message}.` }]
  if (issue.input === undefined) return [{ kind: 'missingField', where, message: `${where} is missing.` }]
  const wanted = issue.code === 'invalid_type' ? (typeWords[issue.expected] ?? issue.expected) : issue.message
  const message = `${where} must be ${wanted} and is ${typeName(issue.input)}.`
  return [{ kind: 'wrongType', where, message }]
}

function toNameDeviation(where: string, name: string, known: readonly string[]): Deviation {
  const meant = known.find((field) => field.toLowerCase() === name.toLowerCase())
  return meant === undefined
    ? { kind: 'unknownField', where, message: `${where} is not a field of the specification.` }
    : { kind: 'wrongCasing', where, message: `${where} is written ${meant} in the specification.` }
}

function toPlace(path: readonly PropertyKey[]): string {
  return `body${path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')}`
}
