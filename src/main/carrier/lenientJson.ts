import { decodeText } from '../lib/decodeText'
import { withLongNumbersAsText } from './longNumbers'

/** A JSON object whose fields have not been looked at. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** The value as an object with fields; undefined for anything else, arrays included. */
export function asRecord(value: unknown): JsonRecord | undefined {
  return isRecord(value) ? value : undefined
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A text, or a number as text, without outer blanks; null for anything else and for empty text. */
export function asText(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value !== 'string') return null
  const trimmed = value.trim()
  return trimmed === '' ? null : trimmed
}

/**
 * A boolean, one of the words true and false in any case, or a 1 for true; null for anything else. A 0 is not read as
 * false: many programs say «no error» with it.
 */
export function asFlag(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  const word = asText(value)?.toLowerCase()
  if (word === 'true' || word === '1') return true
  return word === 'false' ? false : null
}

/** Whether `Errors` of an answer says anything: it is an empty string when there is no error (spec: Errors). */
export function hasErrors(answer: JsonRecord): boolean {
  const { Errors: errors } = answer
  if (errors === undefined || errors === null) return false
  const reasons: unknown[] = typeof errors === 'object' ? Object.values(errors) : [errors]
  return reasons.some((reason) => reason !== null && (typeof reason !== 'string' || reason.trim() !== ''))
}

/**
 * Parses an answer's body (UTF-8, with or without a byte order mark, else Windows-1252); undefined when it is no JSON.
 * Whole numbers that JavaScript can't hold exactly become their text: they are ids.
 */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(withLongNumbersAsText(decodeText(body).text))
  } catch {
    return undefined
  }
}
