import { setImmediate } from 'node:timers/promises'
import type { AppError } from '../../shared/errors'
import { toNormalForm } from '../../shared/foldText'
import { ok } from '../../shared/result'
import type { TrackedCode, TrackingEvent, TrackingOptions } from '../../shared/tracking'
import type { Redact } from '../log/redactor'
import type { HttpAnswer } from './httpClient'
import { asFlag, asRecord, asText, type JsonRecord, parseJson } from './json'
import {
  type CarrierOutcome,
  failedByAnswer,
  failedByStatus,
  failedByTransport,
  failedByUnreadableAnswer,
  isSuccess,
  type RequestContext,
  requestService,
  type Service,
  type ServiceRequest,
  toRequestContext,
} from './service'

const maxSingleAnswerBytes = 16 * 1024 * 1024
/** Servers refuse request lines of more than about 8 kB. */
const maxCodeLengthInPath = 4000

/**
 * Reads the tracking events of one code (spec: Track one code). For an unknown code, `found` is false. A code that can't
 * be part of a path is sent with the bulk operation, which carries it in the body.
 */
export async function trackCode(
  service: Service,
  code: string,
  options: TrackingOptions,
): Promise<CarrierOutcome<TrackedCode>> {
  const tracked = fitsInPath(code)
    ? await requestTracking(service, [code], options, {
        segments: [code],
        maxAnswerBytes: maxSingleAnswerBytes,
      })
    : await trackBulk(service, [code], options)
  if (!tracked.ok) return { ...tracked, answer: null }
  return ok(selectRequested(tracked.value, code, options.type, toRequestContext(service).redact))
}

/**
 * A waybill or a box contains parcels: a single result under another code is the requested one. Other codes of the answer
 * are returned by name only, for the operator to choose from: events of another barcode are never shown as this one's.
 */
function selectRequested(
  tracked: readonly TrackedCode[],
  code: string,
  type: TrackingOptions['type'],
  redact: Redact,
): TrackedCode {
  const [own = { code, found: false, lastStatus: null, events: [] }, ...added] = tracked
  const others = added.filter(({ lastStatus }) => lastStatus !== null)
  const [only, ...more] = others
  if (type !== 'barcode' && !own.found && only !== undefined && more.length === 0) return { ...only, code }
  if (others.length === 0) return own
  return { ...own, others: others.map((other) => redact(other.code, 'data')) }
}

/** Proxies resolve «.» and «..» as path steps, and half a surrogate pair can't be percent-encoded. */
function fitsInPath(code: string): boolean {
  if (code === '' || code === '.' || code === '..') return false
  try {
    return encodeURIComponent(code).length <= maxCodeLengthInPath
  } catch {
    return false
  }
}

const maxBulkAnswerBytes = 64 * 1024 * 1024

/**
 * Reads the tracking events of several codes in one request, a GET with a JSON body (spec: Track several codes). Sends
 * nothing for an empty list.
 * @param onAnswered called when an answer with a success status has arrived; the next request may then be sent before
 * this answer is parsed
 * @returns one value for each code in the requested order, then codes that the answer adds
 */
export async function trackBulk(
  service: Service,
  codes: readonly string[],
  options: TrackingOptions,
  onAnswered?: () => void,
): Promise<CarrierOutcome<TrackedCode[]>> {
  if (codes.length === 0) return ok([])
  const body = JSON.stringify(codes)
  return requestTracking(service, codes, options, { body, maxAnswerBytes: maxBulkAnswerBytes }, onAnswered)
}

async function requestTracking(
  service: Service,
  codes: readonly string[],
  options: TrackingOptions,
  request: Pick<ServiceRequest, 'segments' | 'body' | 'maxAnswerBytes'>,
  onAnswered?: () => void,
): Promise<CarrierOutcome<TrackedCode[]>> {
  const context = toRequestContext(service)
  const exchanged = await requestService(service, {
    method: 'GET',
    operation: 'get_tracking_information',
    query: toQuery(options),
    isRepeatable: true,
    ...request,
  })
  if (!exchanged.ok) return failedByTransport(exchanged.error, context)
  if (onAnswered !== undefined && isSuccess(exchanged.value.status)) {
    // After this the connection is free, and the next request reuses it.
    await setImmediate()
    onAnswered()
    // Sends the next request before this answer is parsed.
    await setImmediate()
  }
  return readTracking(exchanged.value, context, codes)
}

/** Maximum number of codes that an answer may add to the requested ones; further ones are ignored. */
const maxAddedCodes = 200

/** The query of both tracking operations (spec: Track one code). */
function toQuery(options: TrackingOptions): Record<string, string> {
  return {
    flight_tracking_setting: options.flightTracking,
    lang: options.language,
    type: options.type,
    tracking_details: options.details,
  }
}

/**
 * Reads a tracking response (spec: Resources, Errors). Accepts any shape that the specification leaves open: an empty
 * list where there are no items, codes in only one of `items` and `lastStatus`, elements of `notFound`.
 * @returns one value for each requested code, in that order, then the first `maxAddedCodes` codes that the answer adds
 */
export function readTracking(
  { status, body, retryAfter, receivedAt }: HttpAnswer,
  context: RequestContext,
  codes: readonly string[],
): CarrierOutcome<TrackedCode[]> {
  const answer = asRecord(parseJson(body))
  const notFoundCodes = new Set(toList(answer?.notFound).flatMap(listTexts).map(normalizeCode))
  const isMissing = (code: string) => notFoundCodes.size > 0 && notFoundCodes.has(normalizeCode(code))
  // The service may report «not found» as a failure; it is a valid answer nevertheless if it says something of each code.
  const named = new Set([answer?.items, answer?.lastStatus].flatMap(toKeys).map(normalizeCode))
  const onlyMissing =
    (status === 404 || isSuccess(status)) &&
    codes.some(isMissing) &&
    codes.every((code) => isMissing(code) || named.has(normalizeCode(code)))
  if (!isSuccess(status) && !onlyMissing) {
    const failed = failedByStatus(status, body, context)
    return { ...failed, error: withRetryAfter(failed.error, retryAfter, receivedAt) }
  }
  if (answer === undefined) return failedByUnreadableAnswer(context.host, 'no-object')
  const state = asFlag(answer.state)
  if (state === false && !onlyMissing) return failedByAnswer(answer, context)
  if (state === null && status !== 404) return failedByUnreadableAnswer(context.host, 'no-state')
  const items = toMapByCode(answer.items, codes)
  const last = toMapByCode(answer.lastStatus, codes)
  // Reading this as «nothing found» would hide the events that the service returned.
  if (items === undefined) return failedByUnreadableAnswer(context.host, 'items-without-codes')
  const parts = { items, last: last ?? new Map<string, unknown>() }
  const count = asText(answer.numberOfItems)
  const hasNoItems = count === '0'
  const pairs = pairCodesWithKeys(codes, parts)
  const areOthersNamed = pairs.length > new Set(codes).size
  // With little detail asked for, a code that was found may have neither events nor a status.
  const areAllCounted = count !== null && Number(count) >= codes.length && !areOthersNamed
  const toFlights = flightsByCode(answer.flightTracking, codes)
  const redact = memoize((text: string) => context.redact(text, 'data'))
  const texts = createRedactedTexts(redact)
  return ok(
    pairs.map(([code, key]) => {
      const isUnknown = () => hasNoItems || isMissing(code)
      const tracked = toTrackedCode(code, key, parts, areAllCounted, isUnknown, texts)
      const flights = toFlights(code).map((each) => redactFields(each, redact))
      return flights.length === 0 ? tracked : { ...tracked, flights }
    }),
  )
}

function toKeys(value: unknown): string[] {
  return Object.keys(asRecord(value) ?? {})
}

/** The elements of a list, the keys and values of an object, or a single text. */
function toList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return asText(value) === null ? Object.entries(asRecord(value) ?? {}).flat() : [value]
}

/** Adds the seconds of a `Retry-After` header, which holds a number of seconds or a date. */
function withRetryAfter(error: AppError, retryAfter: string | undefined, receivedAt: Date): AppError {
  const written = retryAfter?.trim() ?? ''
  const until = Math.ceil((Date.parse(written) - receivedAt.getTime()) / 1000)
  const seconds = /^\d{1,5}$/.test(written) ? written : until > 0 ? String(until) : undefined
  if (seconds === undefined) return error
  return { ...error, details: { ...error.details, retryAfterSeconds: seconds } }
}

/** The parts of an answer that are keyed by code. */
interface AnswerParts {
  items: ReadonlyMap<string, unknown>
  last: ReadonlyMap<string, unknown>
}

/** Values by code. A bare list of events belongs to the only requested code; undefined when there are several. */
function toMapByCode(value: unknown, codes: readonly string[]): Map<string, unknown> | undefined {
  const list: unknown[] = Array.isArray(value) ? value : []
  if (list.length === 0) return new Map(Object.entries(asRecord(value) ?? {}))
  const [only, ...others] = codes
  const bare = only !== undefined && others.length === 0 && readEvents(list, unredactedTexts).length > 0
  return bare ? new Map([[only, list]]) : undefined
}

/**
 * Each requested code with its key in the answer, then the keys that the answer adds. Services may change the case and
 * the spaces of a code.
 */
function pairCodesWithKeys(
  codes: readonly string[],
  { items, last }: AnswerParts,
): [code: string, key: string][] {
  const context = new Set(codes)
  const added = new Set([...items.keys(), ...last.keys()].filter((key) => !context.has(key)))
  const likes = new Map([...added].map((key) => [normalizeCode(key), key]))
  const pairs = [...context].map((code): [string, string] => {
    const like = items.has(code) || last.has(code) ? undefined : likes.get(normalizeCode(code))
    if (like !== undefined) added.delete(like)
    return [code, like ?? code]
  })
  return [...pairs, ...[...added].slice(0, maxAddedCodes).map((key): [string, string] => [key, key])]
}

function normalizeCode(code: string): string {
  return toNormalForm(code, 'NFKC').replaceAll(/\s+/g, '').toUpperCase()
}

/** An element belongs to the codes that it mentions, or to the only requested code. */
function flightsByCode(value: unknown, codes: readonly string[]): (code: string) => Record<string, string>[] {
  const elements: unknown[] = Array.isArray(value) ? value : [value]
  if (codes.length === 1) {
    const all = toFlightFields(elements)
    return () => all
  }
  const about = new Map<string, unknown[]>()
  for (const element of elements) {
    for (const text of new Set(listTexts(element))) {
      const known = about.get(text)
      if (known === undefined) about.set(text, [element])
      else known.push(element)
    }
  }
  return (code) => toFlightFields(about.get(code) ?? [])
}

function toTrackedCode(
  code: string,
  key: string,
  { items, last }: AnswerParts,
  isCounted: boolean,
  isMissing: () => boolean,
  texts: EventTexts,
): TrackedCode {
  const events = readEvents(items.get(key), texts)
  const lastStatus = readEvents(last.get(key), texts)[0] ?? events[0] ?? null
  const named = isCounted || items.has(key) || last.has(key)
  return { code, found: lastStatus !== null || (named && !isMissing()), lastStatus, events }
}

function redactFields(
  fields: Record<string, string>,
  redact: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [redact(name), redact(text)]))
}

/** The texts of an element of any shape: any of them may be a code. */
function listTexts(element: unknown): string[] {
  const own = asText(element)
  const texts = own === null ? Object.values(asRecord(element) ?? {}).map(asText) : [own]
  return texts.filter((text) => text !== null)
}

/** An unlimited text would slow down every list that shows it. */
const maxTextLength = 2000
/** The limit for a status code in the settings. */
const maxStatusCodeLength = 100

/** Converts the fields of events to texts that may be stored and shown. */
interface EventTexts {
  statusCode(value: unknown): string
  /** Converts any other field. */
  text(value: unknown): string
}

const unredactedTexts: EventTexts = {
  statusCode: (value) => toBoundedText(value, maxStatusCodeLength),
  text: (value) => toBoundedText(value, maxTextLength),
}

/** Texts of bounded length without secrets. */
function createRedactedTexts(redact: (text: string) => string): EventTexts {
  return {
    statusCode: memoize((value) => redact(unredactedTexts.statusCode(value))),
    text: memoize((value) => redact(unredactedTexts.text(value))),
  }
}

/** Thousands of events share a few descriptions and places: each distinct text is redacted once. */
function memoize<Value>(clean: (value: Value) => string): (value: Value) => string {
  const known = new Map<Value, string>()
  return (value) => {
    const before = known.get(value)
    if (before !== undefined) return before
    const text = clean(value)
    known.set(value, text)
    return text
  }
}

/**
 * Reads events in any shape that the specification allows: a list of events, an object with events as values, or one
 * event. Empty events are left out.
 * @returns newest first (spec: itemNumber 0 is the newest)
 */
function readEvents(value: unknown, texts: EventTexts): TrackingEvent[] {
  const record = asRecord(value)
  const single = record !== undefined && ('code' in record || 'description' in record || 'dateTime' in record)
  const elements: unknown[] = Array.isArray(value) ? value : single ? [record] : Object.values(record ?? {})
  const events: TrackingEvent[] = []
  for (const [index, element] of elements.entries()) {
    const event = readEvent(asRecord(element), index, texts)
    if (event !== undefined) events.push(event)
  }
  return events.sort((one, other) => one.itemNumber - other.itemNumber)
}

function readEvent(
  fields: JsonRecord | undefined,
  index: number,
  { statusCode, text }: EventTexts,
): TrackingEvent | undefined {
  if (fields === undefined) return undefined
  const itemNumber = Number(asText(fields.itemNumber) ?? index)
  const event = {
    itemNumber: Number.isFinite(itemNumber) ? itemNumber : index,
    code: statusCode(fields.code),
    description: text(fields.description),
    location: text(fields.location),
    dateTime: text(fields.dateTime),
  }
  const isEmpty =
    event.code === '' && event.description === '' && event.location === '' && event.dateTime === ''
  return isEmpty ? undefined : event
}

/** A text of bounded length; the replacement character replaces what neither the database nor the screen supports. */
function toBoundedText(value: unknown, maxLength: number): string {
  const whole = (asText(value) ?? '').toWellFormed()
  // Hardly any text has one, and searching costs a quarter of replacing.
  const text = whole.includes('\u0000') ? whole.replaceAll('\u0000', '\ufffd') : whole
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}

const maxElements = 200
const maxFields = 60
const maxDepth = 6

/**
 * Converts elements of `flightTracking` to names and texts for display. The specification defines no shape, so any is
 * accepted: nested names are joined by dots, a bare value gets an empty name.
 */
function toFlightFields(value: unknown): Record<string, string>[] {
  const elements: unknown[] = Array.isArray(value) ? value : Object.values(asRecord(value) ?? {})
  return elements
    .slice(0, maxElements)
    .map((element) => Object.fromEntries(flattenFields(element, '', 0).slice(0, maxFields)))
    .filter((fields) => Object.keys(fields).length > 0)
}

function flattenFields(value: unknown, name: string, depth: number): [string, string][] {
  if (value === null || value === undefined || value === '') return []
  if (typeof value !== 'object') return [[name, String(value)]]
  if (depth === maxDepth) return [[name, '…']]
  return Object.entries(value).flatMap(([key, inner]) =>
    flattenFields(inner, name === '' ? key : `${name}.${key}`, depth + 1),
  )
}
