import type { z } from 'zod'
import { customsFields, customsKey, itemFields, itemsKey, partyFields, shipmentFields } from './wireFields'

/** Something wrong with one field of a record that another program or an administrator wrote. */
export interface FieldFault {
  /** The field's name on the wire, dotted inside the customs block; empty for the record itself. */
  field: string
  /** English, completes «FIELD …». */
  problem: string
}

/** The shared schemas' own rules in words, by the short codes that they give. */
const problemOfCode: Readonly<Record<string, string>> = {
  required: 'is required',
  'too-long': 'is longer than 500 characters',
  'control-character': 'holds a control character or an invisible one',
  country: 'must be a two-letter country code in capitals',
  number: 'must be a whole number',
  'name-required': 'is required when there is no company_name and no first_name',
}

/** Words an issue of the shared schemas, parsed with `reportInput`, for the one who wrote the record. */
export function faultOfIssue(issue: z.core.$ZodIssue): FieldFault {
  const missing =
    issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')
  return { field: wirePath(issue.path), problem: missing ? 'is required' : problemOf(issue) }
}

function problemOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'array') return `must have at least ${issue.minimum} element`
      return issue.inclusive === true
        ? `must not be below ${issue.minimum}`
        : `must be above ${issue.minimum}`
    case 'too_big':
      if (issue.origin === 'number') return `must not be above ${issue.maximum}`
      break
    case 'invalid_format':
      return 'must be a date like 2026-01-31'
    case 'invalid_value':
      return `must be ${issue.values.join(' or ')}`
  }
  return problemOfCode[issue.message] ?? issue.message
}

const wireNames = new Map<string, string>(shipmentFields.map(({ name, wire }) => [name, wire]))
const customsNames = new Map<string, string>(customsFields.map(({ name, wire }) => [name, wire]))
const itemNames = new Map<string, string>(itemFields.map(({ name, wire }) => [name, wire]))
const partyNames = {
  sender: new Map<string, string>(partyFields('sender').map(({ name, wire }) => [name, wire])),
  recipient: new Map<string, string>(partyFields('recipient').map(({ name, wire }) => [name, wire])),
}

/** The path of a value in the app's terms, in the wire's terms. */
function wirePath(path: readonly PropertyKey[]): string {
  const [first = '', second, third, fourth] = path.map(String)
  if (first !== 'customs') return wireNames.get(first) ?? first
  if (second === undefined) return customsKey
  if (second === 'sender' || second === 'recipient') {
    return dotted(customsKey, second, third === undefined ? undefined : partyNames[second].get(third))
  }
  if (second === 'items') {
    return dotted(customsKey, itemsKey, third, fourth === undefined ? undefined : itemNames.get(fourth))
  }
  return dotted(customsKey, customsNames.get(second))
}

function dotted(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join('.')
}
