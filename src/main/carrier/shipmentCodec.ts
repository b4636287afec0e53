import type { z } from 'zod'
import type { Customs, CustomsItem, CustomsParty } from '../../shared/customs'
import { isRecordIssueCode, type RecordIssue, type RecordIssueCode } from '../../shared/inputIssues'
import { err, ok, type Result } from '../../shared/result'
import {
  emptyDraft,
  type ShipmentDefaults,
  type ShipmentDraft,
  shipmentDefaultsSchema,
  shipmentDraftSchema,
} from '../../shared/shipments'
import { asRecord } from './json'

/** A field: its name in the app, its wire name, and its JSON type on the wire. */
interface WireField<Name extends string = string> {
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
] as const satisfies readonly WireField<
  Exclude<keyof ShipmentDraft, 'customs' | 'printer' | 'combinedReferences'>
>[]

const wireNamesOfShipment: ReadonlySet<string> = new Set(shipmentFields.map(({ wire }) => wire))

/** Whether a wire name is a field of the shipment table. */
export function isShipmentField(name: string): boolean {
  return wireNamesOfShipment.has(name)
}

/** The optional customs block in the shipment request body. */
const customsKey = 'shipment_details'

/** An order file may also name the id of the printer for its labels. This field is not sent. */
const printerKey = 'printer'

/** Plain fields of the customs block (spec: shipment_details). */
const customsFields = [
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

/** The twelve fields of a party; each wire name contains the party's role. */
function partyFields(role: 'sender' | 'recipient'): WireField<keyof CustomsParty>[] {
  return partyNames.map(({ name, wire }) => ({ name, wire: `invoice_${role}_${wire}`, type: 'text' }))
}

/** The list of items in the customs block. */
const itemsKey = 'invoice_items'

const itemFields = [
  { name: 'productCode', wire: 'productcode', type: 'text' },
  { name: 'product', wire: 'product', type: 'text' },
  { name: 'quantity', wire: 'quantity', type: 'number' },
  { name: 'hsCode', wire: 'tariffcode', type: 'text' },
  { name: 'countryOfOrigin', wire: 'country_origin', type: 'text' },
  { name: 'weight', wire: 'weight', type: 'number' },
  { name: 'itemPrice', wire: 'itemprice', type: 'number' },
] as const satisfies readonly WireField<keyof CustomsItem>[]

/** A JSON object with wire names. */
type WireObject = Record<string, unknown>

/**
 * Converts a draft to the shipment request body (spec: Shipment request body): all fields, and `shipment_details` only
 * when the draft has customs data.
 */
export function shipmentToWire(draft: ShipmentDraft): WireObject {
  const body = fieldsToWire(draft, shipmentFields)
  return draft.customs === undefined ? body : { ...body, [customsKey]: customsToWire(draft.customs) }
}

function customsToWire(customs: Customs): WireObject {
  return {
    ...fieldsToWire(customs, customsFields),
    sender: fieldsToWire(customs.sender, partyFields('sender')),
    recipient: fieldsToWire(customs.recipient, partyFields('recipient')),
    [itemsKey]: customs.items.map((item) => fieldsToWire(item, itemFields)),
  }
}

function fieldsToWire<Name extends string>(
  values: Readonly<Record<Name, unknown>>,
  fields: readonly WireField<Name>[],
): WireObject {
  return Object.fromEntries(fields.map(({ name, wire }) => [wire, values[name]]))
}

/** Values for fields that neither the record nor the defaults contain. Fields without a value here are required. */
const { reference: _, carrierId: _1, carrierOptionId: _2, weight: _3, ...others } = emptyDraft
const { street: _4, city: _5, country: _6, ...fallbacks } = others

const reportInput = { reportInput: true }

const defaultsFields = shipmentFields.filter(({ name }) => name !== 'reference')

/**
 * Reads a shipment that another program wrote with the service's field names and types (spec: Shipment request body) and
 * an optional `printer`; the defaults complete it. Does not check whether the station has that printer.
 * @returns the draft, or every issue found
 */
export function draftFromWire(
  record: unknown,
  defaults: ShipmentDefaults,
): Result<ShipmentDraft, RecordIssue[]> {
  const object = asRecord(record)
  if (object === undefined) return err([recordIssue('', 'no-object')])
  const fields = readFields(object, shipmentFields, '', [customsKey, printerKey])
  const printer = object[printerKey]
  if (printer !== undefined) {
    if (typeof printer === 'string') fields.values.printer = printer.trim()
    else fields.issues.push(recordIssue(printerKey, 'no-text'))
  }
  const details = object[customsKey]
  if (details === undefined) return completeDraft(fields, defaults)
  const customs = readCustoms(details)
  const values = { ...fields.values, customs: customs.values }
  return completeDraft({ values, issues: [...fields.issues, ...customs.issues] }, defaults)
}

/**
 * Reads a shipment whose fields are all texts, such as a line of a CSV file, by the service's field names. Numbers use a
 * decimal point, booleans are true/false, yes/no, Y/N or 1/0, an empty text is a missing field. Customs data can't be
 * given this way.
 */
export function draftFromTextFields(
  record: Readonly<Record<string, string>>,
  defaults: ShipmentDefaults,
): Result<ShipmentDraft, RecordIssue[]> {
  return completeDraft(readTextFields(record, shipmentFields), defaults)
}

/** Reads defaults for shipments by the service's field names: any field except `reference` and the customs block. */
export function defaultsFromWire(record: unknown): Result<ShipmentDefaults, RecordIssue[]> {
  const { values, issues } = readFields(record, defaultsFields)
  return conclude(shipmentDefaultsSchema.safeParse(values, reportInput), issues)
}

function completeDraft(
  { values, issues }: ReadFields,
  defaults: ShipmentDefaults,
): Result<ShipmentDraft, RecordIssue[]> {
  return conclude(
    shipmentDraftSchema.safeParse({ ...fallbacks, ...defaults, ...values }, reportInput),
    issues,
  )
}

/** A field of the wrong type is reported once: not as missing too, and without the fields inside it. */
function conclude<Value>(
  parsed: z.ZodSafeParseResult<Value>,
  typeIssues: RecordIssue[],
): Result<Value, RecordIssue[]> {
  const reported = ({ field }: RecordIssue) =>
    typeIssues.some((issue) => field === issue.field || field.startsWith(`${issue.field}.`))
  const valueIssues = (parsed.error?.issues ?? []).map(toRecordIssue).filter((issue) => !reported(issue))
  const issues = [...typeIssues, ...valueIssues]
  return parsed.success && issues.length === 0 ? ok(parsed.data) : err(issues)
}

/** A shipment that another program wrote, as texts by the app's field names, for a person to correct. */
export interface CorrectableShipment {
  texts: Partial<Record<(typeof shipmentFields)[number]['name'], string>>
  /** The customs block as received; undefined when there is none. */
  customs?: unknown
  /** The id of the printer for its labels, if given. */
  printer?: string | undefined
  /** Fields with unknown names. */
  unknown: Record<string, string>
}

/** Converts a record for `draftFromWire` or `draftFromTextFields` to texts; undefined when it is not an object. */
export function toCorrectableShipment(record: unknown): CorrectableShipment | undefined {
  const given = asRecord(record)
  if (given === undefined) return undefined
  const { [customsKey]: customs, [printerKey]: printer, ...others } = given
  const correctable: CorrectableShipment = {
    texts: {},
    unknown: {},
    ...(customs !== undefined && { customs }),
    ...(printer !== undefined && { printer: toText(printer) }),
  }
  for (const [key, value] of Object.entries(others)) {
    const text = toText(value)
    const field = shipmentFields.find(({ wire }) => wire === key)
    if (field === undefined) correctable.unknown[key] = text
    else if (text.trim() !== '') correctable.texts[field.name] = text
  }
  return correctable
}

/** A JSON value as text. Not by `String`, which would call a «toString» that the file defines. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Shipment fields that an order of the list does not have. */
const extraFields = shipmentFields.filter(({ name }) =>
  ['createdBy', 'printPhoneNumber', 'signatureRequired', 'isCompany', 'returnLabel'].includes(name),
)

/** Converts the texts of fields that the list of orders does not have to the fields' types. */
export function toDraftValues(texts: CorrectableShipment['texts']): Record<string, unknown> {
  return Object.fromEntries(
    extraFields.flatMap(({ name, type }) => {
      const text = texts[name]?.trim() ?? ''
      return text === '' ? [] : [[name, readTextField(text, type) ?? text] as const]
    }),
  )
}

/**
 * Converts a corrected shipment to a record with the service's field names, without unknown fields. A text that does not
 * match its field's type stays text, so that `draftFromWire` reports it.
 */
export function fromCorrectableShipment({ texts, customs, printer }: CorrectableShipment): WireObject {
  const fields = shipmentFields.flatMap(({ name, wire, type }) => {
    const text = texts[name]?.trim() ?? ''
    return text === '' ? [] : [[wire, readTextField(text, type) ?? text] as const]
  })
  return {
    ...Object.fromEntries(fields),
    ...(customs !== undefined && { [customsKey]: customs }),
    ...(printer !== undefined && { [printerKey]: printer }),
  }
}

/** Values by the app's names, with only their types checked, and the issues found. */
interface ReadFields {
  values: Record<string, unknown>
  issues: RecordIssue[]
}

/**
 * Reads a flat wire object strictly: a wrong type and an unknown key are issues.
 * @param path prefix of the field names in issues, including the dot
 * @param others keys that the caller reads itself
 */
function readFields(
  value: unknown,
  fields: readonly WireField[],
  path = '',
  others: readonly string[] = [],
): ReadFields {
  const record = asRecord(value)
  if (record === undefined) {
    return { values: {}, issues: [recordIssue(path.slice(0, -1), 'no-object')] }
  }
  const byWireName = new Map(fields.map((field) => [field.wire, field]))
  const values: Record<string, unknown> = {}
  const issues: RecordIssue[] = []
  for (const [key, given] of Object.entries(record)) {
    const field = byWireName.get(key)
    if (field === undefined) {
      if (!others.includes(key)) issues.push(recordIssue(`${path}${key}`, 'not-known'))
    } else if (hasType(given, field.type)) {
      values[field.name] = given
    } else {
      issues.push(recordIssue(`${path}${key}`, codeOfType[field.type]))
    }
  }
  return { values, issues }
}

/** Texts of the customs block with a fixed format: for these a missing field differs from an empty one. */
const formedTexts: readonly string[] = ['invoiceDate', 'country', 'type', 'countryOfOrigin']

/** Reads an object of the customs block: missing plain texts become empty. */
function readCustomsFields(
  value: unknown,
  fields: readonly WireField[],
  path: string,
  others: readonly string[] = [],
): ReadFields {
  const { values, issues } = readFields(value, fields, path, others)
  const plain = fields.filter(({ name, type }) => type === 'text' && !formedTexts.includes(name))
  return { values: { ...Object.fromEntries(plain.map(({ name }) => [name, ''])), ...values }, issues }
}

/** Reads the customs block (spec: shipment_details). */
function readCustoms(value: unknown): ReadFields {
  const path = `${customsKey}.`
  const block = readCustomsFields(value, customsFields, path, ['sender', 'recipient', itemsKey])
  const record = asRecord(value)
  if (record === undefined) return block
  const sender = readCustomsFields(record.sender ?? {}, partyFields('sender'), `${path}sender.`)
  const recipient = readCustomsFields(record.recipient ?? {}, partyFields('recipient'), `${path}recipient.`)
  const items = readItems(record[itemsKey], `${path}${itemsKey}`)
  return {
    values: { ...block.values, sender: sender.values, recipient: recipient.values, items: items.values },
    issues: [...block.issues, ...sender.issues, ...recipient.issues, ...items.issues],
  }
}

function readItems(value: unknown, path: string): { values: unknown[]; issues: RecordIssue[] } {
  if (!Array.isArray(value)) return { values: [], issues: [recordIssue(path, 'no-list')] }
  const items = value.map((item: unknown, index) => readCustomsFields(item, itemFields, `${path}.${index}.`))
  return { values: items.map((item) => item.values), issues: items.flatMap((item) => item.issues) }
}

/** Reads texts, such as a line of a CSV file; see `readTextField`. An empty text is a missing field. */
function readTextFields(record: Readonly<Record<string, string>>, fields: readonly WireField[]): ReadFields {
  const wireTypes = new Map(fields.map(({ wire, type }) => [wire, type]))
  const given: Record<string, unknown> = {}
  const issues: RecordIssue[] = []
  for (const [key, text] of Object.entries(record)) {
    const type = wireTypes.get(key)
    if (text.trim() === '' && type !== undefined) continue
    const value = type === undefined ? text : readTextField(text.trim(), type)
    if (value === undefined) issues.push(recordIssue(key, codeOfText[type ?? 'text']))
    else given[key] = value
  }
  const { values, issues: others } = readFields(given, fields)
  return { values, issues: [...issues, ...others] }
}

/** A number uses a decimal point, a boolean is one of eight words; undefined for anything else. */
function readTextField(text: string, type: WireField['type']): unknown {
  if (type === 'text') return text
  if (type === 'number') return /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined
  return booleanWords.get(text.toLowerCase())
}

const booleanWords: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['y', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['n', false],
  ['0', false],
])

const codeOfType = { text: 'no-text', number: 'no-number', boolean: 'no-boolean' } as const
const codeOfText = { text: 'no-text', number: 'no-decimal', boolean: 'no-boolean-word' } as const

function hasType(value: unknown, type: WireField['type']): boolean {
  if (type === 'text') return typeof value === 'string'
  return type === 'number' ? typeof value === 'number' && Number.isFinite(value) : typeof value === 'boolean'
}

/** An unknown field name can be as long as its file. */
const maxShownName = 100

const appNames: ReadonlyMap<string, string> = new Map(shipmentFields.map(({ name, wire }) => [wire, name]))

/**
 * Creates an issue for a field.
 * @param field its wire name, dotted inside the customs block; empty for the record itself
 * @param detail the value that the message contains
 */
export function recordIssue(field: string, code: RecordIssueCode, detail = ''): RecordIssue {
  const shown = field.length > maxShownName ? `${field.slice(0, maxShownName)}…` : field
  return { field: shown, name: appNames.get(field) ?? '', code, detail }
}

/** Converts an issue of the shared schemas, parsed with `reportInput`, to wire names. */
function toRecordIssue(issue: z.core.$ZodIssue): RecordIssue {
  const field = wirePath(issue.path)
  const missing =
    issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')
  if (missing) return recordIssue(field, 'required')
  switch (issue.code) {
    case 'too_small': {
      const code = issue.inclusive === true ? 'at-least' : 'above'
      return recordIssue(field, issue.origin === 'array' ? 'too-few' : code, String(issue.minimum))
    }
    case 'too_big':
      if (issue.origin === 'number') return recordIssue(field, 'at-most', String(issue.maximum))
      if (issue.origin === 'array') return recordIssue(field, 'too-many', String(issue.maximum))
      break
    case 'invalid_format':
      return recordIssue(field, 'no-date')
    case 'invalid_value':
      return recordIssue(field, 'no-choice', issue.values.join(' or '))
  }
  const { message } = issue
  return isRecordIssueCode(message) ? recordIssue(field, message) : recordIssue(field, 'other', message)
}

const wireNames = new Map<string, string>(shipmentFields.map(({ name, wire }) => [name, wire]))
const customsNames = new Map<string, string>(customsFields.map(({ name, wire }) => [name, wire]))
const itemNames = new Map<string, string>(itemFields.map(({ name, wire }) => [name, wire]))
const wireNamesOfParty = {
  sender: new Map<string, string>(partyFields('sender').map(({ name, wire }) => [name, wire])),
  recipient: new Map<string, string>(partyFields('recipient').map(({ name, wire }) => [name, wire])),
}

/** Converts a path of the app's field names to wire names. */
function wirePath(path: readonly PropertyKey[]): string {
  const [first = '', second, third, fourth] = path.map(String)
  if (first !== 'customs') return wireNames.get(first) ?? first
  if (second === undefined) return customsKey
  if (second === 'sender' || second === 'recipient') {
    return dotted(customsKey, second, third === undefined ? undefined : wireNamesOfParty[second].get(third))
  }
  if (second === 'items') {
    return dotted(customsKey, itemsKey, third, fourth === undefined ? undefined : itemNames.get(fourth))
  }
  return dotted(customsKey, customsNames.get(second))
}

function dotted(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join('.')
}
