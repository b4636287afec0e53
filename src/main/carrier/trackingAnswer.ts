import type { AppError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { TrackedCode, TrackingEvent, TrackingOptions } from '../../shared/tracking'
import type { Redact } from './discretion'
import type { HttpAnswer } from './exchange'
import { flightElements } from './flightElements'
import { asFlag, asRecord, asText, type JsonRecord, parseJson } from './lenientJson'
import { type AskedOf, notUnderstood, refusal, statusError } from './serviceError'

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
 * @returns one value for each code asked for, in that order, then those that the answer adds
 */
export function readTracking(
  { status, body, retryAfter }: HttpAnswer,
  asked: AskedOf,
  codes: readonly string[],
): Result<TrackedCode[]> {
  if (status < 200 || status > 299) return err(withPause(statusError(status, body, asked), retryAfter))
  const answer = asRecord(parseJson(body))
  if (answer === undefined) return err(notUnderstood(asked.host, 'it is not a JSON object'))
  const state = asFlag(answer.state)
  const missing = Array.isArray(answer.notFound) ? answer.notFound : []
  // «Not found» may well come as a failure: then it is an answer all the same.
  if (state === false && missing.length === 0) return err(refusal(answer, asked))
  if (state === null) return err(notUnderstood(asked.host, 'its «state» is neither true nor false'))
  const items = entriesOf(answer.items)
  const last = entriesOf(answer.lastStatus)
  const all = new Set([...codes, ...items.keys(), ...last.keys()])
  const notFound = new Set(missing.flatMap(mentionedCodes))
  const flights = Array.isArray(answer.flightTracking) ? answer.flightTracking : [answer.flightTracking]
  const redact = rememberingRedact(asked.redact)
  return ok(
    [...all].map((code) => {
      const tracked = trackedCode(code, items, last, notFound)
      // What an element is about can only be told from its mentioning a code, or from there being one code.
      const about = flights.filter(
        (element: unknown) => codes.length === 1 || mentionedCodes(element).includes(code),
      )
      const elements = flightElements(about)
      return withoutSecrets(elements.length === 0 ? tracked : { ...tracked, flights: elements }, redact)
    }),
  )
}

/** Adds the seconds for which the service wants to be left alone, when it said so as a number. */
function withPause(error: AppError, retryAfter: string | undefined): AppError {
  if (retryAfter === undefined || !/^\d{1,5}$/.test(retryAfter.trim())) return error
  return { ...error, details: { ...error.details, retryAfterSeconds: retryAfter.trim() } }
}

function trackedCode(
  code: string,
  items: ReadonlyMap<string, unknown>,
  last: ReadonlyMap<string, unknown>,
  notFound: ReadonlySet<string>,
): TrackedCode {
  const events = readEvents(items.get(code))
  const lastStatus = readEvents(last.get(code))[0] ?? events[0] ?? null
  const named = items.has(code) || last.has(code)
  const found = lastStatus !== null || (named && !notFound.has(code))
  return { code, found, lastStatus, events }
}

function withoutSecrets(tracked: TrackedCode, redact: Redact): TrackedCode {
  const redacted = (event: TrackingEvent): TrackingEvent => ({
    ...event,
    description: redact(event.description),
    location: redact(event.location),
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
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [redact(name), redact(text)]))
}

/** The same few descriptions and places stand in thousands of events: each is looked through once. */
function rememberingRedact(redact: Redact): Redact {
  const known = new Map<string, string>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const clean = redact(text)
    known.set(text, clean)
    return clean
  }
}

function entriesOf(value: unknown): Map<string, unknown> {
  return new Map(Object.entries(asRecord(value) ?? {}))
}

/** A list of events, an object with events as values, or one event; newest first (spec: itemNumber 0 is the newest). */
function readEvents(value: unknown): TrackingEvent[] {
  const record = asRecord(value)
  const single = record !== undefined && ('code' in record || 'description' in record || 'dateTime' in record)
  const elements = Array.isArray(value) ? value : single ? [record] : Object.values(record ?? {})
  return elements
    .map((element: unknown, index) => readEvent(asRecord(element), index))
    .filter((event) => event !== undefined)
    .sort((one, other) => one.itemNumber - other.itemNumber)
}

function readEvent(event: JsonRecord | undefined, index: number): TrackingEvent | undefined {
  if (event === undefined) return undefined
  const itemNumber = Number(asText(event.itemNumber) ?? index)
  return {
    itemNumber: Number.isFinite(itemNumber) ? itemNumber : index,
    code: asText(event.code) ?? '',
    description: asText(event.description) ?? '',
    location: asText(event.location) ?? '',
    dateTime: asText(event.dateTime) ?? '',
  }
}

/** The texts that an element of any shape holds: one of them may be a code. */
function mentionedCodes(element: unknown): string[] {
  const own = asText(element)
  const texts = own === null ? Object.values(asRecord(element) ?? {}).map(asText) : [own]
  return texts.filter((text) => text !== null)
}
