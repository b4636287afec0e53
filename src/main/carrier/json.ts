import { decodeText } from '../lib/decodeText'

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

/** The beginning of a text, or a number whole. */
const textOrNumber = /"|-?\d[\d.eE+-]*/g

const longWhole = /^-?[1-9]\d{15,}$/

/** Where a long number can stand; an answer without one, such as most, is left alone. */
const mayHoldLongNumber = /(?:^|[[:,\s])-?[1-9]\d{15}/

/**
 * Puts quotes around the whole numbers of a JSON text that JavaScript can't hold exactly, so that no digit of an id is
 * lost. What stands inside the texts of the JSON is not touched.
 */
function withLongNumbersAsText(json: string): string {
  if (!mayHoldLongNumber.test(json)) return json
  const parts: string[] = []
  let copied = 0
  textOrNumber.lastIndex = 0
  for (let found = textOrNumber.exec(json); found !== null; found = textOrNumber.exec(json)) {
    const [token] = found
    if (token === '"') {
      textOrNumber.lastIndex = endOfText(json, found.index)
    } else if (longWhole.test(token) && !Number.isSafeInteger(Number(token))) {
      parts.push(json.slice(copied, found.index), `"${token}"`)
      copied = textOrNumber.lastIndex
    }
  }
  return parts.join('') + json.slice(copied)
}

/** Behind the closing quote of the text whose opening quote is at `start`. */
function endOfText(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end === -1 ? json.length : end + 1
}

function isEscaped(json: string, position: number): boolean {
  let before = position
  while (json[before - 1] === '\\') before -= 1
  return (position - before) % 2 === 1
}

/** What came of an answer that is not whole. */
export interface CutAnswer {
  status: number
  /** The beginning of the body. */
  head: Buffer
  /** The end of a body that is too large to be taken whole; empty when the end never came. */
  tail: Buffer
  /** When the last byte had come. */
  receivedAt: Date
}

const structure = /["{}[\],]/g

/** Deeper than any answer that means something. */
const maxDepth = 50

/** Fields that may stand behind the labels, with a text, a whole number or a boolean. */
const fieldNearEnd =
  /"(shipmentID|SubLogID|ZendingID|logId|Barcode|status|state)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+|true|false)/g
const barcodeNearEnd = /"barcode"\s*:\s*("(?:[^"\\]|\\.)*")/g

/**
 * Reads what can be read of a JSON object whose end is missing, or whose middle is: every whole value of its beginning,
 * and of its end the ids and barcodes.
 * @returns undefined when nothing of it can be read
 */
export function readCut({ head, tail }: CutAnswer): JsonRecord | undefined {
  const beginning = asRecord(parseJson(Buffer.from(wholePart(new TextDecoder().decode(head)))))
  const end = tail.toString('utf8')
  const fields = [...end.matchAll(fieldNearEnd)].flatMap(([, name, value]) =>
    name === undefined || value === undefined ? [] : [[name, scalarIn(value)] as const],
  )
  const barcodes = [...end.matchAll(barcodeNearEnd)].map(([, value]) => ({ barcode: scalarIn(value ?? '') }))
  if (beginning === undefined && fields.length === 0 && barcodes.length === 0) return undefined
  const { labels } = beginning ?? {}
  return {
    ...Object.fromEntries(fields),
    ...beginning,
    ...(barcodes.length > 0 && { labels: [...(Array.isArray(labels) ? labels : []), ...barcodes] }),
  }
}

function scalarIn(json: string): unknown {
  const value = asRecord(parseJson(Buffer.from(`{"value":${json}}`)))?.value
  return typeof value === 'boolean' ? value : asText(value)
}

/** The text up to its last whole value, with everything closed that is open there. */
function wholePart(text: string): string {
  const open: string[] = []
  let end = 0
  let closing = ''
  structure.lastIndex = 0
  for (let found = structure.exec(text); found !== null; found = structure.exec(text)) {
    const [sign] = found
    if (sign === '"') {
      structure.lastIndex = endOfText(text, found.index)
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
