import { z } from 'zod'
import type { Route } from './route'
import { isDateText, parseJson, typeName } from './wire'

/** A difference between a request and the specification. */
export interface Deviation {
  kind:
    | 'unknownRoute'
    | 'unknownField'
    | 'missingField'
    | 'wrongType'
    | 'wrongCasing'
    | 'wrongValue'
    | 'wrongQuery'
    | 'wrongContentType'
    | 'missingHeader'
    | 'unexpectedHeader'
    | 'unexpectedBody'
    | 'notJson'
  /** The part of the request: `body.weight`, `query.DO`, `header.AUTH_USER`. Never contains a secret value. */
  where: string
  message: string
}

type Headers = ReadonlyArray<readonly [name: string, value: string]>

const credentialHeaders = ['AUTH_USER', 'AUTH_PW']

function sameLetters(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** Checks that both credential headers occur exactly once, in the specification's spelling. */
function checkCredentialHeaders(headers: Headers): Deviation[] {
  return credentialHeaders.flatMap((expected): Deviation[] => {
    const where = `header.${expected}`
    const given = headers.filter(([name]) => sameLetters(name, expected))
    const [first] = given
    if (first === undefined)
      return [{ kind: 'missingHeader', where, message: `Header ${expected} is missing.` }]
    if (given.length > 1) {
      return [{ kind: 'unexpectedHeader', where, message: `Header ${expected} occurs more than once.` }]
    }
    if (first[0] === expected) return []
    return [{ kind: 'wrongCasing', where, message: `Header ${first[0]} must be written ${expected}.` }]
  })
}

/** Checks that a request other than `GET /auth` has no header with credentials (spec, Authentication). */
function checkNoCredentials(headers: Headers): Deviation[] {
  return headers
    .filter(([name]) => /^(auth[_-].*|authorization|proxy-authorization|cookie)$/i.test(name))
    .map(([name]) => ({
      kind: 'unexpectedHeader',
      where: `header.${name}`,
      message: `Header ${name} must be sent to GET /auth only.`,
    }))
}

/** Checks for exactly one `Content-Type: application/json`. */
function checkContentType(headers: Headers): Deviation[] {
  const given = headers.filter(([name]) => sameLetters(name, 'Content-Type')).map(([, value]) => value)
  if (given.length === 1 && given[0] === 'application/json') return []
  const seen = given.length === 0 ? 'is missing' : `is ${given.join(', ')}`
  return [
    {
      kind: 'wrongContentType',
      where: 'header.Content-Type',
      message: `Content-Type must be application/json and ${seen}.`,
    },
  ]
}

/** The query parameters of an operation: allowed values, and whether the parameter is optional. */
type QueryTable = Readonly<Record<string, { values: readonly string[]; optional?: boolean }>>

/** Query of a shipment creation (spec, Endpoints 2). `DO` is required here, because the spec does not state the behaviour without it. */
const shipmentQuery: QueryTable = { o: { values: ['JSON'] }, DO: { values: ['Y', 'N'] } }

/** Query of both tracking operations (spec, Endpoints 3 and 4). All are required here, because the spec states no defaults. */
const trackingQuery: QueryTable = {
  flight_tracking_setting: { values: ['only', 'include', 'exclude'] },
  lang: { values: ['en', 'nl'] },
  type: { values: ['barcode', 'waybill', 'box'] },
  tracking_details: { values: ['minimal', 'lastStatus', 'full'] },
}

/** Query of a manifest upload (spec, Endpoints 5). */
const manifestQuery: QueryTable = { ls: { values: ['Y'], optional: true } }

function wrongQuery(name: string, problem: string): Deviation {
  return { kind: 'wrongQuery', where: `query.${name}`, message: `Query parameter ${name} ${problem}.` }
}

function checkQuery(query: URLSearchParams, table: QueryTable): Deviation[] {
  const found: Deviation[] = []
  for (const name of new Set(query.keys())) {
    if (!Object.hasOwn(table, name)) found.push(wrongQuery(name, 'does not belong to this operation'))
  }
  for (const [name, { values, optional }] of Object.entries(table)) {
    const given = query.getAll(name)
    const [first] = given
    if (first === undefined) {
      if (!optional) found.push(wrongQuery(name, 'is missing'))
    } else if (given.length > 1) {
      found.push(wrongQuery(name, 'occurs more than once'))
    } else if (!values.includes(first)) {
      found.push(wrongQuery(name, `must be ${values.join(' or ')}`))
    }
  }
  return found
}

/** An object of the specification: exactly these fields, with their types and casing. */
function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape).join(' ')
  // The message carries the known names, with which `toNameDeviation` compares an unknown one.
  return z.strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? names : undefined) })
}

function texts<Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, z.string()]))
}

function form(fits: (text: string) => boolean, words: string) {
  return z.string().refine(fits, { error: words })
}

/** PDF readers accept other bytes before the header, which begins in the first 1024. */
const pdfHeaderCharacters = Math.ceil(1024 / 3) * 4

/** Whether a text is unwrapped base64 of data that begin like a PDF. */
export function isBase64Pdf(text: string): boolean {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return false
  return Buffer.from(text.slice(0, pdfHeaderCharacters), 'base64').includes('%PDF-')
}

const country = form((text) => /^[A-Z]{2}$/.test(text), 'a country code of two capital letters')
const date = form(isDateText, 'a date written YYYY-MM-DD')

/** The spec requires no field of a manifest line, so a value may be left empty. */
const countryOrNone = form((text) => /^([A-Z]{2})?$/.test(text), 'a country code of two capital letters')
const decimalOrNone = form((text) => /^(-?\d+(\.\d+)?)?$/.test(text), 'decimal text such as 1.50')

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
 * Section Shipment request body. The spec does not state which fields are required: all of its table are expected, except the
 * customs block.
 */
const shipmentBody = fields({
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

const codesBody = z.array(z.string())

/** A manifest upload: an array of lines, all fields text. */
const manifestBody = z.array(
  fields({
    ...texts(['transportType', 'transportNumber', 'packageId', 'parcelId']),
    ...texts(['name', 'address', 'address2', 'zipcode', 'city', 'phone', 'email']),
    ...texts(['sellerName', 'sellerAddress', 'sellerZipcode', 'sellerCity', 'sku', 'content', 'hsCode']),
    ...texts(['currency', 'taxType', 'taxIdent']),
    country: countryOrNone,
    sellerCountry: countryOrNone,
    quantity: decimalOrNone,
    itemPrice: decimalOrNone,
    itemWeight: decimalOrNone,
    parcelWeight: decimalOrNone,
    parcelPrice: decimalOrNone,
    grossWeight: decimalOrNone,
  }),
)

/** Section Pre-alert request and response. */
const preAlertBody = fields({
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

/** Compares a body with the specification. Deviations of value formats come after those of names and types. */
function checkBodyBy(schema: z.ZodType, body: unknown): Deviation[] {
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

/** The parts of a request that the specification covers. */
export interface CheckedRequest {
  operation: Route['operation']
  query: URLSearchParams
  headers: ReadonlyArray<readonly [name: string, value: string]>
  body: string
}

interface Expectation {
  query: QueryTable
  /** Schema of the JSON body; without it the body must be empty. */
  body?: z.ZodType
}

const expectations: Readonly<Record<Route['operation'], Expectation | undefined>> = {
  auth: { query: {} },
  shipment: { query: shipmentQuery, body: shipmentBody },
  trackCode: { query: trackingQuery },
  trackBulk: { query: trackingQuery, body: codesBody },
  manifest: { query: manifestQuery, body: manifestBody },
  preAlert: { query: {}, body: preAlertBody },
  label: { query: {} },
  trackingPage: undefined,
  unknown: undefined,
}

function checkBody(request: CheckedRequest, check: Expectation['body']): Deviation[] {
  if (check === undefined) {
    if (request.body === '') return []
    return [{ kind: 'unexpectedBody', where: 'body', message: 'This operation has no body.' }]
  }
  const contentType = checkContentType(request.headers)
  const body = parseJson(request.body)
  if (body === undefined)
    return [...contentType, { kind: 'notJson', where: 'body', message: 'body is not JSON.' }]
  return [...contentType, ...checkBodyBy(check, body)]
}

/** Compares a request with the specification and lists all deviations. */
export function checkRequest(request: CheckedRequest): Deviation[] {
  const { operation } = request
  const expectation = expectations[operation]
  // The tracking page is opened by browsers, whose requests the specification does not cover.
  if (operation === 'trackingPage') return []
  if (expectation === undefined) {
    const message = 'The specification has no operation with this method and path.'
    return [{ kind: 'unknownRoute', where: 'path', message }, ...checkNoCredentials(request.headers)]
  }
  const credentials = operation === 'auth' ? checkCredentialHeaders : checkNoCredentials
  return [
    ...credentials(request.headers),
    ...checkQuery(request.query, expectation.query),
    ...checkBody(request, expectation.body),
  ]
}
