import type { FieldFault } from './fieldFault'
import { asRecord } from './lenientJson'
import { customsFields, customsKey, itemFields, itemsKey, partyFields, type WireField } from './wireFields'

/** Values by the app's names, types checked and nothing else, and what was wrong. */
export interface ReadFields {
  values: Record<string, unknown>
  faults: FieldFault[]
}

/**
 * Reads a flat object of the wire strictly: a field of another type and a key that is no field are faults.
 * @param path what goes before the field's name in faults, with its dot
 * @param others keys that the caller reads itself
 */
export function readFields(
  value: unknown,
  fields: readonly WireField[],
  path = '',
  others: readonly string[] = [],
): ReadFields {
  const record = asRecord(value)
  if (record === undefined) {
    return { values: {}, faults: [{ field: path.slice(0, -1), problem: 'must be an object' }] }
  }
  const byWireName = new Map(fields.map((field) => [field.wire, field]))
  const values: Record<string, unknown> = {}
  const faults: FieldFault[] = []
  for (const [key, given] of Object.entries(record)) {
    const field = byWireName.get(key)
    if (field === undefined) {
      if (!others.includes(key))
        faults.push({ field: `${path}${key}`, problem: 'is not a field that is known here' })
    } else if (hasType(given, field.type)) {
      values[field.name] = given
    } else {
      faults.push({ field: `${path}${key}`, problem: problemOfType[field.type] })
    }
  }
  return { values, faults }
}

/** Texts of the customs block that have a form of their own: leaving them out is not the same as leaving them empty. */
const formedTexts: readonly string[] = ['invoiceDate', 'country', 'type', 'countryOfOrigin']

/** Reads an object of the customs block: plain texts that are not given are empty. */
function readCustomsFields(
  value: unknown,
  fields: readonly WireField[],
  path: string,
  others: readonly string[] = [],
): ReadFields {
  const { values, faults } = readFields(value, fields, path, others)
  const plain = fields.filter(({ name, type }) => type === 'text' && !formedTexts.includes(name))
  return { values: { ...Object.fromEntries(plain.map(({ name }) => [name, ''])), ...values }, faults }
}

/** Reads the customs block (spec: shipment_details). */
export function readCustoms(value: unknown): ReadFields {
  const path = `${customsKey}.`
  const block = readCustomsFields(value, customsFields, path, ['sender', 'recipient', itemsKey])
  const record = asRecord(value)
  if (record === undefined) return block
  const sender = readCustomsFields(record.sender ?? {}, partyFields('sender'), `${path}sender.`)
  const recipient = readCustomsFields(record.recipient ?? {}, partyFields('recipient'), `${path}recipient.`)
  const items = readItems(record[itemsKey], `${path}${itemsKey}`)
  return {
    values: { ...block.values, sender: sender.values, recipient: recipient.values, items: items.values },
    faults: [...block.faults, ...sender.faults, ...recipient.faults, ...items.faults],
  }
}

function readItems(value: unknown, path: string): { values: unknown[]; faults: FieldFault[] } {
  if (!Array.isArray(value)) return { values: [], faults: [{ field: path, problem: 'must be a list' }] }
  const items = value.map((item: unknown, index) => readCustomsFields(item, itemFields, `${path}.${index}.`))
  return { values: items.map((item) => item.values), faults: items.flatMap((item) => item.faults) }
}

/** Reads texts, as of a line of a CSV file: see `readTextField`. Empty text means that the field is not given. */
export function readTextFields(
  record: Readonly<Record<string, string>>,
  fields: readonly WireField[],
): ReadFields {
  const typeOf = new Map(fields.map(({ wire, type }) => [wire, type]))
  const given: Record<string, unknown> = {}
  const faults: FieldFault[] = []
  for (const [key, text] of Object.entries(record)) {
    const type = typeOf.get(key)
    if (text.trim() === '' && type !== undefined) continue
    const value = type === undefined ? text : readTextField(text.trim(), type)
    if (value === undefined) faults.push({ field: key, problem: problemOfText[type ?? 'text'] })
    else given[key] = value
  }
  const { values, faults: others } = readFields(given, fields)
  return { values, faults: [...faults, ...others] }
}

/** A number is written with a dot, a boolean with one of eight words; undefined for anything else. */
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

const problemOfType = { text: 'must be text', number: 'must be a number', boolean: 'must be true or false' }
const problemOfText = {
  text: 'must be text',
  number: 'must be a number, written with a dot, like 1.5',
  boolean: 'must be one of true, false, yes, no, Y, N, 1, 0',
}

function hasType(value: unknown, type: WireField['type']): boolean {
  if (type === 'text') return typeof value === 'string'
  return type === 'number' ? typeof value === 'number' && Number.isFinite(value) : typeof value === 'boolean'
}
