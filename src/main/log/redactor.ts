import { secretForms, urlForms } from './secretForms'

/** What stands where a secret was. */
const mark = '[redacted]'

/** Most passing secrets that are remembered; older ones are covered by the rules and by never being logged. */
const mostPassing = 300

/** Takes secrets out of texts. */
export interface Redactor {
  /** Registers a secret of the account, before its first use. Ignores ones that are shorter than four characters. */
  add(secret: string): void
  /** Registers one of many secrets that come and go, such as label URLs: the last few hundred are remembered. */
  addPassing(secret: string): void
  /** The text without registered secrets and without what stands where secrets stand. */
  redact(text: string): string
}

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

/** Makes a redactor that knows no secret yet, only the rules. */
export function createRedactor(): Redactor {
  const lasting = new Set<string>()
  const passing = new Map<string, string[]>()
  let anyLasting: RegExp | undefined

  function withoutPassing(text: string): string {
    let redacted = text
    for (const forms of passing.values()) {
      for (const form of forms) {
        if (redacted.includes(form)) redacted = redacted.replaceAll(form, mark)
      }
    }
    return redacted
  }

  return {
    add(secret) {
      for (const form of secretForms(secret)) lasting.add(form)
      anyLasting = lasting.size === 0 ? undefined : anyOf([...lasting])
    },
    addPassing(secret) {
      passing.delete(secret)
      passing.set(secret, urlForms(secret))
      const oldest = passing.keys().next()
      if (passing.size > mostPassing && oldest.done !== true) passing.delete(oldest.value)
    },
    redact(text) {
      let redacted = withoutPassing(text)
      if (anyLasting !== undefined) redacted = redacted.replace(anyLasting, mark)
      for (const [pattern, replacement] of rules) redacted = redacted.replace(pattern, replacement)
      return redacted
    },
  }
}

/** Matches any of the texts, the longest first: of two secrets one may begin like the other. */
function anyOf(texts: string[]): RegExp {
  const longestFirst = texts.sort((one, other) => other.length - one.length)
  return new RegExp(longestFirst.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g')
}
