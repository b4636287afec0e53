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
export function secretForms(secret: string): string[] {
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
export function urlForms(secret: string): string[] {
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
