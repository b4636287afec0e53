/**
 * Result of a preparation step that can fail in an expected way; `reason` is one sentence for a person.
 * @template T
 * @typedef {{ ok: true, value: T } | { ok: false, reason: string }} Outcome
 */

/**
 * @template T
 * @param {T} value
 * @returns {{ ok: true, value: T }}
 */
export function done(value) {
  return { ok: true, value }
}

/**
 * Wraps an expected failure.
 * @param {string} reason one sentence: what is wrong, where, what to do
 * @returns {{ ok: false, reason: string }}
 */
export function failed(reason) {
  return { ok: false, reason }
}

/**
 * Prints one line of progress on standard output.
 * @param {string} text
 */
export function say(text) {
  process.stdout.write(`${text}\n`)
}

/**
 * Prints a reason on standard error.
 * @param {string} text
 */
export function complain(text) {
  process.stderr.write(`${text}\n`)
}

/**
 * The message of any thrown value.
 * @param {unknown} thrown
 * @returns {string}
 */
export function words(thrown) {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
