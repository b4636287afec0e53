import type { AppError } from '../../shared/errors'

/** Replaces a secret. */
const mark = '[redacted]'
/** Replaces a text that could not be searched. */
const withheld = '[withheld]'

/** Limits for the number of short-lived secrets and the total length of their forms; the oldest are dropped. */
const maxPassing = 300
const maxPassingCharacters = 4 * 1024 * 1024

/**
 * The kind of a text. `words`: a message for a person or the log. `data`: business data such as dates, codes and places;
 * weak secrets are not redacted in it, since they could match any of these.
 */
export type TextKind = 'words' | 'data'

/** Patterns for where the service's interface has secrets, whatever their value. */
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

/** A cheap test: every match of a rule contains one of these, and most texts contain none. */
const inEachMatch = /[/"]|auth_/i

export type Redactor = ReturnType<typeof createRedactor>

/** Creates a redactor that knows only the rules until secrets are registered. */
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
     * Registers a secret, before its first use. Ignores secrets of fewer than four characters. A weak secret is redacted
     * only as a whole word, not within dates, references and barcodes.
     */
    add(secret: string): void {
      const index = isWeakSecret(secret) ? weak : strong
      for (const form of secretForms(secret)) index.add(form)
    },
    /** Registers a short-lived secret, such as a label URL: the last few hundred are kept. */
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
    /** Removes registered secrets, and matches of the rules, from a text. Never throws. */
    redact(text: string, kind: TextKind = 'words'): string {
      try {
        return withoutSecrets(text, kind)
      } catch {
        // SECURITY: a text that could not be searched may contain any secret.
        return withheld
      }
    },
  }
}

/** Replaces each place with a mark; overlapping places share one mark. */
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
/** The end of an escape sequence of JSON or of a URL: a word may start after it. */
const escapeBefore = /(?:\\[bfnrt]|\\u[\da-f]{4}|%[\da-f]{2})$/i

/** Whether a place is a whole word, not part of a date, a reference or a longer word. */
function isWord(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 6), start)
  const joinedBefore = escapeBefore.test(before) ? false : isJoined(before.at(-1), before.at(-2))
  return !joinedBefore && !isJoined(text.charAt(end), text.charAt(end + 1))
}

function isJoined(nearest = '', next = ''): boolean {
  return letterOrDigit.test(nearest) || (joiner.test(nearest) && letterOrDigit.test(next))
}

/** Removes secrets from a text, by default from `words`. */
export type Redact = (text: string, kind?: TextKind) => string

/** Extends `redact` by further secrets. */
export function hiding(secrets: readonly string[], redact: Redact): Redact {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.add(secret)
  return (text, kind) => redactor.redact(redact(text, kind), kind)
}

/** Redacts an error's message, details and printer messages. */
export function redactedError(error: AppError, redact: Redact): AppError {
  const details = Object.entries(error.details ?? {}).map(([name, text]) => [
    name,
    // The other details are business data: references, dates, barcodes and places.
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
 * Shorter secrets are not redacted: removing every «abc» would make texts unreadable and reveal the secret by what is
 * missing. The code never puts them into texts in the first place.
 */
const minSecretLength = 4

/** Below this length a secret is weak, and below the second one when all its characters are letters. */
const strongLength = 6
const strongLengthOfLetters = 16

/**
 * Whether a secret may be a common word or number, such as a year or a name: redacting it everywhere would damage
 * unrelated texts.
 */
export function isWeakSecret(secret: string): boolean {
  if (secret.length < strongLength || /^\p{N}+$/u.test(secret)) return true
  return secret.length < strongLengthOfLetters && /^\p{L}+$/u.test(secret)
}

/**
 * The forms in which a secret may occur in texts: plain, percent-encoded (either case), form-encoded, base64 (all
 * alphabets, with and without padding), escaped for JSON once and twice, and escaped for HTML.
 * @returns the distinct forms; none for a secret shorter than `minSecretLength`
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
    // Header values are sent as UTF-8 bytes and read back as Latin-1.
    bytes.toString('latin1'),
  ])
  return [...forms].filter((form) => form.length >= minSecretLength)
}

/**
 * The forms of a secret that may be a URL, longest first: also normalised, and without its scheme unless the URL is only
 * a host, which is not a secret.
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

/** Half a surrogate pair can't be percent-encoded: it becomes the replacement character. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}

/** Length of the substrings that are hashed; shorter forms are searched one by one. */
const pieceLength = 8
/** Number of positions of a form that are tried to find a unique substring. */
const maxPlacesTried = 64

/** An occurrence of a form in a text, from `start` to before `end`. */
interface Found {
  start: number
  end: number
  form: string
}

/**
 * Finds any of many forms in a text, in time that depends on the text and hardly on their number (Rabin-Karp): each form
 * is indexed by the hash of one rare substring, and a rolling hash of the text is looked up at each position.
 */
class SecretIndex {
  private readonly short = new Set<string>()
  private readonly long = new Map<string, number>()
  private readonly byPiece = new Map<number, string[]>()

  add(form: string): void {
    if (form.length < pieceLength) this.short.add(form)
    else if (!this.long.has(form)) {
      const offset = this.rarePlace(form)
      this.long.set(form, offset)
      const piece = hashAt(form, offset)
      this.byPiece.set(piece, [...(this.byPiece.get(piece) ?? []), form])
    }
  }

  delete(form: string): void {
    this.short.delete(form)
    const offset = this.long.get(form)
    if (offset === undefined) return
    this.long.delete(form)
    const piece = hashAt(form, offset)
    const others = (this.byPiece.get(piece) ?? []).filter((other) => other !== form)
    if (others.length === 0) this.byPiece.delete(piece)
    else this.byPiece.set(piece, others)
  }

  /** All occurrences of all forms, unordered; they may overlap. */
  find(text: string): Found[] {
    const found: Found[] = []
    for (const form of this.short) {
      for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + 1)) {
        found.push({ start, end: start + form.length, form })
      }
    }
    if (this.byPiece.size === 0 || text.length < pieceLength) return found
    let hash = hashAt(text, 0)
    for (let at = 0; ; at += 1) {
      for (const form of this.byPiece.get(hash) ?? nothing) {
        const start = at - (this.long.get(form) ?? 0)
        if (start >= 0 && text.startsWith(form, start)) found.push({ start, end: start + form.length, form })
      }
      if (at + pieceLength >= text.length) return found
      hash = rolled(hash, text.charCodeAt(at), text.charCodeAt(at + pieceLength))
    }
  }

  /** Searches from the end: forms of one service often have the same start. */
  private rarePlace(form: string): number {
    const last = form.length - pieceLength
    let best = last
    let fewest = Number.POSITIVE_INFINITY
    for (let offset = last; offset >= 0 && last - offset < maxPlacesTried && fewest > 0; offset -= 1) {
      const others = this.byPiece.get(hashAt(form, offset))?.length ?? 0
      if (others < fewest) {
        best = offset
        fewest = others
      }
    }
    return best
  }
}

const nothing: readonly string[] = []
const base = 16_777_619
let leading = 1
for (let power = 1; power < pieceLength; power += 1) leading = Math.imul(leading, base)

function hashAt(text: string, offset: number): number {
  let hash = 0
  for (let at = offset; at < offset + pieceLength; at += 1) {
    hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0
  }
  return hash
}

/** The rolling hash at the next position. */
function rolled(hash: number, leaving: number, entering: number): number {
  return (Math.imul(hash - Math.imul(leaving, leading), base) + entering) | 0
}
