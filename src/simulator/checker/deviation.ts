import { isRecord, typeName } from '../json'

/** A point in which a request differs from the specification. */
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
  /** The part of the request: `body.weight`, `query.DO`, `header.AUTH_USER`. Never holds a secret value. */
  where: string
  message: string
}

/** The simple types that fields of the specification have. */
type FieldType = 'string' | 'number' | 'boolean'

/** A table of fields as the specification prints it: name and type. */
export type FieldTable = Readonly<Record<string, FieldType>>

const TYPE_WORDS: Record<FieldType, string> = { string: 'text', number: 'a number', boolean: 'true or false' }

function checkName(name: string, where: string, known: readonly string[]): Deviation {
  const meant = known.find((field) => field.toLowerCase() === name.toLowerCase())
  return meant === undefined
    ? { kind: 'unknownField', where, message: `${where} is not a field of the specification.` }
    : { kind: 'wrongCasing', where, message: `${where} is written ${meant} in the specification.` }
}

/**
 * Compares an object with a table of fields: every field present, of its type, in its casing, and no other.
 * @param where the object's place in the request, for messages
 * @param alsoKnown names of fields that are checked elsewhere (objects, arrays, optional parts)
 */
export function checkFields(
  value: unknown,
  where: string,
  table: FieldTable,
  alsoKnown: readonly string[] = [],
): Deviation[] {
  if (!isRecord(value)) {
    return [{ kind: 'wrongType', where, message: `${where} must be an object and is ${typeName(value)}.` }]
  }
  const found: Deviation[] = []
  const known = [...Object.keys(table), ...alsoKnown]
  for (const name of Object.keys(value)) {
    if (!known.includes(name)) found.push(checkName(name, `${where}.${name}`, known))
  }
  for (const [name, type] of Object.entries(table)) {
    const place = `${where}.${name}`
    const field = value[name]
    if (field === undefined) {
      found.push({ kind: 'missingField', where: place, message: `${place} is missing.` })
    } else if (typeof field !== type) {
      const message = `${place} must be ${TYPE_WORDS[type]} and is ${typeName(field)}.`
      found.push({ kind: 'wrongType', where: place, message })
    }
  }
  return found
}

/** Reports a field of text that is there but does not have the form that the specification states. */
export function checkForm(
  value: unknown,
  where: string,
  fits: (text: string) => boolean,
  form: string,
): Deviation[] {
  if (typeof value !== 'string' || fits(value)) return []
  return [{ kind: 'wrongValue', where, message: `${where} must be ${form}.` }]
}

/** True for two capital letters. */
export function isCountryCode(text: string): boolean {
  return /^[A-Z]{2}$/.test(text)
}
