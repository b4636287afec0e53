import type { AppError } from '../../shared/errors'
import { SecretIndex } from './secretIndex'

/** What stands where a secret was. */
const mark = '[redacted]'
/** What stands for a text that could not be looked through. */
const withheld = '[withheld]'

/** Most passing secrets that are remembered, and characters of their forms; older ones are never logged anyway. */
const maxPassing = 300
const maxPassingCharacters = 4 * 1024 * 1024

/**
 * What a text is. `words`: said to a person or to the log. `data`: kept and shown as the business's own, such as
 * dates, codes and places: a weak secret could be any of these and stays in.
 */
export type TextKind = 'words' | 'data'

/** Places where the service's interface puts secrets, whatever their value. */
const rules: ReadonlyArray<readonly [RegExp, string]> = [
  // The key is the path segment after the operation's name (spec: Authentication).
  [
    /(\/(?:auth|action|get_tracking_information|post_manifest_data|post_pre_alert)\/)[^/?#\s"'\\]+/gi,
    `$1${mark}`,
  ],
  // A value in quotes, or in quotes that were escaped by being inside a JSON string.
  [/("(?:AUTH_USER|AUTH_PW|api_?key)"\s*[:,]\s*")(?:[^"\\]|\\.)*/gi, `$1${mark}`],
  [/(\\"(?:AUTH_USER|AUTH_PW|api_?key)\\"\s*[:,]\s*\\")(?:[^"\\]|\\\\\\.)*/gi, `$1${mark}`],
  // A header line.
  [/(\bAUTH_(?:USER|PW)\s*[:=]\s*)[^"\\\r\n]+/gi, `$1${mark}`],
]

/** Each match of any rule holds one of these; most texts, such as the times of events, hold none. */
const inEachMatch = /[/"]|auth_/i

export type Redactor = ReturnType<typeof createRedactor>

/** Takes secrets out of texts. At first it knows no secret, only the rules. */
export function createRedactor() {
  const strong = new SecretIndex()
  const weak = new SecretIndex()
  const passing = new SecretIndex()
  const passingForms = new Map<string, string[]>()
  let passingCharacters = 0

  function forgetPassing(secret: string): void {
    for (const form of passingForms.get(secret) ?? []) {
      passing.delete(form)
      passingCharacters -= form.length
    }
    passingForms.delete(secret)
  }

  function withoutSecrets(text: string, kind: TextKind): string {
    const places = [...strong.find(text), ...passing.find(text)]
    if (kind === 'words') places.push(...weak.find(text).filter(({ start, end }) => isWord(text, start, end)))
    let redacted = marked(text, places)
    if (!inEachMatch.test(redacted)) return redacted
    for (const [pattern, replacement] of rules) redacted = redacted.replace(pattern, replacement)
    return redacted
  }

  return {
    /**
     * Registers a secret of the account, before its first use. Ignores ones that are shorter than four characters. A
     * weak one counts as a whole word only: within dates, references and barcodes it is left alone.
     */
    add(secret: string): void {
      const index = isWeakSecret(secret) ? weak : strong
      for (const form of secretForms(secret)) index.add(form)
    },
    /** Registers one of many secrets that come and go, such as label URLs: the last few hundred are remembered. */
    addPassing(secret: string): void {
      forgetPassing(secret)
      const forms = urlForms(secret)
      passingForms.set(secret, forms)
      for (const form of forms) {
        passing.add(form)
        passingCharacters += form.length
      }
      for (const oldest of passingForms.keys()) {
        const fits = passingForms.size <= maxPassing && passingCharacters <= maxPassingCharacters
        if (fits || oldest === secret) break
        forgetPassing(oldest)
      }
    },
    /** The text without registered secrets and without what stands where secrets stand. Never throws. */
    redact(text: string, kind: TextKind = 'words'): string {
      try {
        return withoutSecrets(text, kind)
      } catch {
        // SECURITY: what could not be looked through may hold anything.
        return withheld
      }
    },
  }
}

/** The text with a mark for each place; places that overlap get one together. */
function marked(text: string, places: { start: number; end: number }[]): string {
  if (places.length === 0) return text
  const inOrder = places.sort((one, other) => one.start - other.start || other.end - one.end)
  const pieces: string[] = []
  let end = 0
  for (const place of inOrder) {
    if (place.start >= end) pieces.push(text.slice(end, place.start), mark)
    end = Math.max(end, place.end)
  }
  pieces.push(text.slice(end))
  return pieces.join('')
}

const letterOrDigit = /[\p{L}\p{N}]/u
/** Joins the parts of dates, references and file names. */
const joiner = /[-._/]/
/** The end of a character that was escaped for JSON or for a URL: what follows begins a word. */
const escapeBefore = /(?:\\[bfnrt]|\\u[\da-f]{4}|%[\da-f]{2})$/i

/** Whether a place is a word of its own, and no part of a date, a reference or a longer word. */
function isWord(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 6), start)
  const joinedBefore = escapeBefore.test(before) ? false : isJoined(before.at(-1), before.at(-2))
  return !joinedBefore && !isJoined(text.charAt(end), text.charAt(end + 1))
}

function isJoined(nearest = '', next = ''): boolean {
  return letterOrDigit.test(nearest) || (joiner.test(nearest) && letterOrDigit.test(next))
}

/** Takes secrets out of a text: by default out of `words`. */
export type Redact = (text: string, kind?: TextKind) => string

/** Takes out these secrets too, besides what `redact` takes out. */
export function hiding(secrets: readonly string[], redact: Redact): Redact {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.add(secret)
  return (text, kind) => redactor.redact(redact(text, kind), kind)
}

/** The error with its sentence, its details and the words of printers redacted. */
export function redactedError(error: AppError, redact: Redact): AppError {
  const details = Object.entries(error.details ?? {}).map(([name, text]) => [
    name,
    // The other details are references, dates, barcodes and places: the business's own.
    redact(text, name === 'serviceSays' ? 'words' : 'data'),
  ])
  const remarks = error.says?.map(({ words, ...remark }) =>
    words === undefined ? remark : { ...remark, words: redact(words) },
  )
  return {
    code: error.code,
    message: redact(error.message),
    ...(error.details !== undefined && { details: Object.fromEntries(details) }),
    ...(remarks !== undefined && { says: remarks }),
  }
}

/**
 * Shorter secrets are not searched for: taking every «abc» out of a text would leave nothing readable and would tell
 * the secret by what is missing. They are kept out of texts by never being put in.
 */
const minSecretLength = 4

/** Below this length a secret is weak, and below the second one when all its characters are letters. */
const strongLength = 6
const strongLengthOfLetters = 16

/**
 * Whether a secret may well be a common word or number, such as a year or a name: taken out of every text wherever it
 * stands, it would destroy what it was found in.
 */
export function isWeakSecret(secret: string): boolean {
  if (secret.length < strongLength || /^\p{N}+$/u.test(secret)) return true
  return secret.length < strongLengthOfLetters && /^\p{L}+$/u.test(secret)
}

/**
 * The shapes in which a secret turns up in texts: as it is, percent-encoded (either case), form-encoded, base64 (all
 * alphabets, with and without padding), escaped for JSON once and twice, and escaped for HTML.
 * @returns the distinct shapes; none for a secret shorter than `minSecretLength`
 */
function secretForms(secret: string): string[] {
  if (secret.length < minSecretLength) return []
  const bytes = Buffer.from(secret, 'utf8')
  const percent = percentEncoded(secret)
  const base64 = bytes.toString('base64')
  const escaped = jsonEscaped(secret)
  const forms = new Set([
    secret,
    percent,
    lowerCaseHex(percent),
    percent.replaceAll('%20', '+'),
    encodeURI(wellFormed(secret)),
    base64,
    base64.replace(/=+$/, ''),
    bytes.toString('base64url'),
    escaped,
    jsonEscaped(escaped),
    escaped.replaceAll('/', '\\/'),
    htmlEscaped(secret),
    // Header values travel as bytes and come back as Latin-1.
    bytes.toString('latin1'),
  ])
  return [...forms].filter((form) => form.length >= minSecretLength)
}

/**
 * The shapes of a secret that may be a URL, the longest first: also normalised, and without its scheme. A URL that
 * names no more than a host has no such shapes: the host is no secret.
 */
function urlForms(secret: string): string[] {
  const url = URL.canParse(secret) ? new URL(secret) : undefined
  const spellings = url === undefined ? [secret] : [secret, url.href]
  const namesMore = url !== undefined && `${url.pathname}${url.search}`.length > 1
  if (namesMore) spellings.push(...spellings.map((text) => text.replace(/^[a-z][a-z\d+.-]*:\/\//i, '')))
  const forms = new Set(spellings.flatMap(secretForms))
  return [...forms].sort((one, other) => other.length - one.length)
}

function htmlEscaped(text: string): string {
  const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/g, (character) => named[character] ?? character)
}

function percentEncoded(text: string): string {
  return encodeURIComponent(wellFormed(text))
}

function lowerCaseHex(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** A lone half of a surrogate pair has no percent-encoding: it becomes the replacement character. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}
