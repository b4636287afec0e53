import { decodeText } from '../lib/decodeText'

/** A JSON object with unvalidated fields. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** The value as a JSON object; undefined for anything else, arrays included. */
export function asRecord(value: unknown): JsonRecord | undefined {
  return isRecord(value) ? value : undefined
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A trimmed text, or a number as text; null for anything else and for empty text. */
export function asText(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value !== 'string') return null
  const trimmed = value.trim()
  return trimmed === '' ? null : trimmed
}

/**
 * A boolean, one of the words true and false in any case, or 1 for true; null for anything else. 0 is not read as false:
 * many programs use it for «no error».
 */
export function asFlag(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  const word = asText(value)?.toLowerCase()
  if (word === 'true' || word === '1') return true
  return word === 'false' ? false : null
}

/** Whether `Errors` reports an error: without one it is an empty string (spec: Errors). */
export function hasErrors(answer: JsonRecord): boolean {
  const { Errors: errors } = answer
  if (errors === undefined || errors === null) return false
  const reasons: unknown[] = typeof errors === 'object' ? Object.values(errors) : [errors]
  return reasons.some((reason) => reason !== null && (typeof reason !== 'string' || reason.trim() !== ''))
}

/**
 * Parses an answer's body (UTF-8, with or without a byte order mark, else Windows-1252); undefined when it is not JSON.
 * Integers that exceed JavaScript's safe range become text: they are ids.
 */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(quoteLongIntegers(decodeText(body).text))
  } catch {
    return undefined
  }
}

/** The opening quote of a string, or a whole number literal. */
const stringOrNumber = /"|-?\d[\d.eE+-]*/g

const longInteger = /^-?[1-9]\d{15,}$/

/** A cheap test: most answers contain no long integer and need no rewriting. */
const mayHoldLongInteger = /(?:^|[[:,\s])-?[1-9]\d{15}/

/**
 * Puts quotes around the integers of a JSON text that exceed JavaScript's safe range, so that no digit of an id is lost.
 * JSON strings are left unchanged.
 */
function quoteLongIntegers(json: string): string {
  if (!mayHoldLongInteger.test(json)) return json
  const parts: string[] = []
  let copied = 0
  stringOrNumber.lastIndex = 0
  for (let found = stringOrNumber.exec(json); found !== null; found = stringOrNumber.exec(json)) {
    const [token] = found
    if (token === '"') {
      stringOrNumber.lastIndex = findStringEnd(json, found.index)
    } else if (longInteger.test(token) && !Number.isSafeInteger(Number(token))) {
      parts.push(json.slice(copied, found.index), `"${token}"`)
      copied = stringOrNumber.lastIndex
    }
  }
  return parts.join('') + json.slice(copied)
}

/** The position after the closing quote of the string whose opening quote is at `start`. */
function findStringEnd(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end === -1 ? json.length : end + 1
}

function isEscaped(json: string, position: number): boolean {
  let before = position
  while (json[before - 1] === '\\') before -= 1
  return (position - before) % 2 === 1
}

/** The received part of a truncated answer. */
export interface TruncatedAnswer {
  status: number
  /** The beginning of the body. */
  head: Buffer
  /** The end of a body that exceeds the size limit; empty when the end was not received. */
  tail: Buffer
  /** When the last byte was received. */
  receivedAt: Date
}

const structure = /["{}[\],]/g

/** Deeper than any valid answer. */
const maxDepth = 50

/** Fields that may follow the labels, with a text, an integer or a boolean. */
const fieldInTail =
  /"(shipmentID|SubLogID|ZendingID|logId|Barcode|status|state)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+|true|false)/g
const barcodeInTail = /"barcode"\s*:\s*("(?:[^"\\]|\\.)*")/g

/**
 * Reads a JSON object whose end or middle is missing: every complete value of its beginning, and the ids and barcodes of
 * its end.
 * @returns undefined when nothing can be read
 */
export function parseTruncatedJson({ head, tail }: TruncatedAnswer): JsonRecord | undefined {
  const beginning = asRecord(parseJson(Buffer.from(closeTruncatedJson(new TextDecoder().decode(head)))))
  const end = tail.toString('utf8')
  const fields = [...end.matchAll(fieldInTail)].flatMap(([, name, value]) =>
    name === undefined || value === undefined ? [] : [[name, parseScalar(value)] as const],
  )
  const barcodes = [...end.matchAll(barcodeInTail)].map(([, value]) => ({
    barcode: parseScalar(value ?? ''),
  }))
  if (beginning === undefined && fields.length === 0 && barcodes.length === 0) return undefined
  const { labels } = beginning ?? {}
  return {
    ...Object.fromEntries(fields),
    ...beginning,
    ...(barcodes.length > 0 && { labels: [...(Array.isArray(labels) ? labels : []), ...barcodes] }),
  }
}

function parseScalar(json: string): unknown {
  const value = asRecord(parseJson(Buffer.from(`{"value":${json}}`)))?.value
  return typeof value === 'boolean' ? value : asText(value)
}

/** The text up to its last complete value, with all open brackets closed. */
function closeTruncatedJson(text: string): string {
  const open: string[] = []
  let end = 0
  let closing = ''
  structure.lastIndex = 0
  for (let found = structure.exec(text); found !== null; found = structure.exec(text)) {
    const [sign] = found
    if (sign === '"') {
      structure.lastIndex = findStringEnd(text, found.index)
      if (structure.lastIndex >= text.length) break
    } else if (sign === '{' || sign === '[') {
      open.push(sign === '{' ? '}' : ']')
      if (open.length > maxDepth) break
    } else {
      if (sign !== ',') open.pop()
      end = sign === ',' ? found.index : found.index + 1
      closing = [...open].reverse().join('')
    }
  }
  return text.slice(0, end) + closing
}
