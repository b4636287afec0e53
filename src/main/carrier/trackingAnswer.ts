import type { AppError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { TrackedCode, TrackingEvent, TrackingOptions } from '../../shared/tracking'
import type { Redact } from './discretion'
import type { HttpAnswer } from './exchange'
import { flightElements } from './flightElements'
import { asFlag, asRecord, asText, parseJson } from './lenientJson'
import { type AskedOf, notUnderstood, refusal, statusError } from './serviceError'
import { readEvents } from './trackingEvents'

/** Most codes that are named besides those asked for; an answer with more is no answer to this question. */
const maxAdded = 200

/** The query of both tracking operations (spec: Track one code). */
export function trackingQuery(options: TrackingOptions): Record<string, string> {
  return {
    flight_tracking_setting: options.flightTracking,
    lang: options.language,
    type: options.type,
    tracking_details: options.details,
  }
}

/**
 * Reads a tracking response (spec: Resources, Errors). What the specification leaves open is taken in any shape:
 * an empty list where there are no items, codes that are in `items` or `lastStatus` only, elements of `notFound`.
 * @returns one value for each code asked for, in that order, then the first of those that the answer adds
 */
export function readTracking(
  { status, body, retryAfter, receivedAt }: HttpAnswer,
  asked: AskedOf,
  codes: readonly string[],
): Result<TrackedCode[]> {
  const answer = asRecord(parseJson(body))
  const notFound = new Set(listOf(answer?.notFound).flatMap(mentionedCodes).map(alike))
  const isMissing = (code: string) => notFound.has(alike(code))
  // «Not found» may well come as a failure: then it is an answer all the same.
  const onlyMissing = codes.some(isMissing) && (status === 404 || isSuccess(status))
  if (!isSuccess(status) && !onlyMissing) {
    return err(withPause(statusError(status, body, asked), retryAfter, receivedAt))
  }
  if (answer === undefined) return err(notUnderstood(asked.host, 'it is not a JSON object'))
  const state = asFlag(answer.state)
  if (state === false && !onlyMissing) return err(refusal(answer, asked))
  if (state === null && status !== 404)
    return err(notUnderstood(asked.host, 'its «state» is neither true nor false'))
  const items = byCode(answer.items, codes)
  const last = byCode(answer.lastStatus, codes)
  // Taken for «nothing found» it would hide what the service said.
  if (items === undefined)
    return err(notUnderstood(asked.host, 'its «items» do not say which codes they are of'))
  const named = { items, last: last ?? new Map<string, unknown>() }
  const none = asText(answer.numberOfItems) === '0'
  const flightsOf = flightsByCode(answer.flightTracking, codes)
  const redact = rememberingRedact(asked.redact)
  return ok(
    pairedKeys(codes, named).map(([code, key]) => {
      const tracked = trackedCode(code, key, named, none || isMissing(code))
      const flights = flightsOf(code)
      return withoutSecrets(flights.length === 0 ? tracked : { ...tracked, flights }, redact)
    }),
  )
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}

/** The elements of a list, the keys and values of an object, or the one text that stands in their place. */
function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return asText(value) === null ? Object.entries(asRecord(value) ?? {}).flat() : [value]
}

/** Adds the seconds for which the service wants to be left alone, when it said so: as a number, or as a moment. */
function withPause(error: AppError, retryAfter: string | undefined, receivedAt: Date): AppError {
  const written = retryAfter?.trim() ?? ''
  const until = Math.ceil((Date.parse(written) - receivedAt.getTime()) / 1000)
  const seconds = /^\d{1,5}$/.test(written) ? written : until > 0 ? String(until) : undefined
  if (seconds === undefined) return error
  return { ...error, details: { ...error.details, retryAfterSeconds: seconds } }
}

/** The parts of an answer that name codes. */
interface Named {
  items: ReadonlyMap<string, unknown>
  last: ReadonlyMap<string, unknown>
}

/** Values by code. A bare list of events can only be of the one code that was asked for; else undefined. */
function byCode(value: unknown, codes: readonly string[]): Map<string, unknown> | undefined {
  const list: unknown[] = Array.isArray(value) ? value : []
  if (list.length === 0) return new Map(Object.entries(asRecord(value) ?? {}))
  const [only, ...others] = codes
  const bare = only !== undefined && others.length === 0 && readEvents(list).length > 0
  return bare ? new Map([[only, list]]) : undefined
}

/**
 * Each code asked for with the key under which the answer names it, then the keys that it adds. Services write codes
 * in their own way: other case, other blanks.
 */
function pairedKeys(codes: readonly string[], { items, last }: Named): [code: string, key: string][] {
  const asked = new Set(codes)
  const added = new Set([...items.keys(), ...last.keys()].filter((key) => !asked.has(key)))
  const likes = new Map([...added].map((key) => [alike(key), key]))
  const pairs = [...asked].map((code): [string, string] => {
    const like = items.has(code) || last.has(code) ? undefined : likes.get(alike(code))
    if (like !== undefined) added.delete(like)
    return [code, like ?? code]
  })
  return [...pairs, ...[...added].slice(0, maxAdded).map((key): [string, string] => [key, key])]
}

function alike(code: string): string {
  return code.normalize('NFKC').replaceAll(/\s+/g, '').toUpperCase()
}

/** What an element is about can only be told from its mentioning a code, or from there being one code. */
function flightsByCode(value: unknown, codes: readonly string[]): (code: string) => Record<string, string>[] {
  const elements: unknown[] = Array.isArray(value) ? value : [value]
  if (codes.length === 1) {
    const all = flightElements(elements)
    return () => all
  }
  const about = new Map<string, unknown[]>()
  for (const element of elements) {
    for (const text of new Set(mentionedCodes(element))) {
      const known = about.get(text)
      if (known === undefined) about.set(text, [element])
      else known.push(element)
    }
  }
  return (code) => flightElements(about.get(code) ?? [])
}

function trackedCode(code: string, key: string, { items, last }: Named, missing: boolean): TrackedCode {
  const events = readEvents(items.get(key))
  const lastStatus = readEvents(last.get(key))[0] ?? events[0] ?? null
  const named = items.has(key) || last.has(key)
  return { code, found: lastStatus !== null || (named && !missing), lastStatus, events }
}

function withoutSecrets(tracked: TrackedCode, redact: Redact): TrackedCode {
  const redacted = (event: TrackingEvent): TrackingEvent => ({
    itemNumber: event.itemNumber,
    code: redact(event.code, 'data'),
    description: redact(event.description, 'data'),
    location: redact(event.location, 'data'),
    dateTime: redact(event.dateTime, 'data'),
  })
  const { lastStatus, events } = tracked
  return {
    ...tracked,
    lastStatus: lastStatus === null ? null : redacted(lastStatus),
    events: events.map(redacted),
    ...(tracked.flights !== undefined && {
      flights: tracked.flights.map((each) => redactedFields(each, redact)),
    }),
  }
}

function redactedFields(fields: Record<string, string>, redact: Redact): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [redact(name, 'data'), redact(text, 'data')]),
  )
}

/** The same few descriptions and places stand in thousands of events: each is looked through once. */
function rememberingRedact(redact: Redact): Redact {
  const known = new Map<string, string>()
  return (text, kind) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const clean = redact(text, kind)
    known.set(text, clean)
    return clean
  }
}

/** The texts that an element of any shape holds: one of them may be a code. */
function mentionedCodes(element: unknown): string[] {
  const own = asText(element)
  const texts = own === null ? Object.values(asRecord(element) ?? {}).map(asText) : [own]
  return texts.filter((text) => text !== null)
}
