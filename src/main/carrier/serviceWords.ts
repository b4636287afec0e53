import { decodeText } from '../lib/decodeText'
import type { Redact } from './discretion'
import { asRecord, asText, parseJson } from './json'

const maxCharacters = 400
/** Enough of a body to find words in. */
const maxCharactersRead = 64 * 1024

/** The fields in which the service gives reasons, best first (spec: Errors, and `message`). */
const fieldsWithReasons = ['Errors', 'errors', 'error', 'message']

/**
 * What the service says about a failure in its own words, fit to be shown.
 * @param body the answer's body, or the JSON value it held
 * @param redact takes out what must not come back in the words: an answer may quote the request
 * @returns one line of bounded length; null when the service said nothing readable
 */
export function serviceWords(body: unknown, redact: Redact): string | null {
  const words = Buffer.isBuffer(body) ? wordsOfBody(body) : wordsOfValue(body)
  return words === null ? null : presentable(words, redact)
}

/**
 * Makes a text of the service fit for one line on a screen: see `serviceWords`. It is redacted before it is
 * shortened: half a secret would not be known any more.
 */
export function presentable(text: string, redact: Redact): string | null {
  const line = redact(withoutControlCharacters(text)).replace(/\s+/g, ' ').trim()
  if (line === '') return null
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters - 1)}…` : line
}

function wordsOfBody(body: Buffer): string | null {
  const value = parseJson(body)
  if (value !== undefined) return wordsOfValue(value)
  const text = decodeText(body).text.slice(0, maxCharactersRead).trim()
  if (!text.startsWith('<')) return text
  // Of an error page only the title says something.
  return /<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? null
}

function wordsOfValue(value: unknown): string | null {
  const record = asRecord(value)
  if (record === undefined) return asText(value)
  for (const field of fieldsWithReasons) {
    const words = reasonsIn(record[field])
    if (words !== null) return words
  }
  return null
}

/** Reasons are a text in the interface; lists and objects of texts are understood too. */
function reasonsIn(value: unknown): string | null {
  const text = asText(value)
  if (text !== null) return text
  if (typeof value !== 'object' || value === null) return null
  const parts = Object.values(value)
    .map((part: unknown) => asText(part) ?? asText(asRecord(part)?.message))
    .filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join('; ')
}

function withoutControlCharacters(text: string): string {
  return text.replace(/\p{Cc}|\p{Cf}/gu, ' ')
}
