import { err, ok, type Result } from '../../shared/result'
import type { TrackedCode, TrackingEvent, TrackingOptions } from '../../shared/tracking'
import type { Redact } from './discretion'
import type { HttpAnswer } from './exchange'
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
  { status, body }: HttpAnswer,
  asked: AskedOf,
  codes: readonly string[],
): Result<TrackedCode[]> {
  if (status < 200 || status > 299) return err(statusError(status, body, asked))
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
  const tracked = [...all].map((code) => trackedCode(code, items, last, missing))
  return ok(tracked.map((each) => withoutSecrets(each, asked.redact)))
}

function trackedCode(
  code: string,
  items: ReadonlyMap<string, unknown>,
  last: ReadonlyMap<string, unknown>,
  missing: readonly unknown[],
): TrackedCode {
  const events = readEvents(items.get(code))
  const lastStatus = readEvents(last.get(code))[0] ?? events[0] ?? null
  const named = items.has(code) || last.has(code)
  const found = lastStatus !== null || (named && !missing.some((element) => mentions(element, code)))
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

function mentions(element: unknown, code: string): boolean {
  if (asText(element) === code) return true
  return Object.values(asRecord(element) ?? {}).some((value) => asText(value) === code)
}
