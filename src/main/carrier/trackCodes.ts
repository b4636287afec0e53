import { setImmediate } from 'node:timers/promises'
import type { AppError } from '../../shared/errors'
import { ok } from '../../shared/result'
import type { TrackedCode, TrackingEvent, TrackingOptions } from '../../shared/tracking'
import type { Redact } from '../log/redactor'
import type { HttpAnswer } from './httpClient'
import { asFlag, asRecord, asText, type JsonRecord, parseJson } from './json'
import {
  type AskedOf,
  type CarrierOutcome,
  failedByStatus,
  isSuccess,
  misunderstood,
  refused,
  requestService,
  type Service,
  type ServiceRequest,
  toAsked,
  unanswered,
} from './service'

const maxAnswerBytesOfOne = 16 * 1024 * 1024
/** Servers refuse request lines of more than 8 kB or so. */
const maxInPath = 4000

/**
 * Reads the tracking events of one code (spec: Track one code). An unknown code is a value with `found` false. A code
 * that can't stand in a path goes by the bulk operation, which carries it in its body.
 */
export async function trackOne(
  service: Service,
  code: string,
  options: TrackingOptions,
): Promise<CarrierOutcome<TrackedCode>> {
  const tracked = fitsInPath(code)
    ? await requestTracking(service, [code], options, {
        segments: [code],
        maxAnswerBytes: maxAnswerBytesOfOne,
      })
    : await trackMany(service, [code], options)
  if (!tracked.ok) return { ...tracked, answer: null }
  return ok(findTheOneAskedFor(tracked.value, code, options.type, toAsked(service).redact))
}

/**
 * A waybill or a box stands for parcels: a lone result under another code is what was meant. What else the answer
 * names goes along by name only, for the operator to choose from; another barcode's events are never taken for this
 * one's.
 */
function findTheOneAskedFor(
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

/** Dots alone are steps between folders to servers on the way, and halves of a character can't be percent-encoded. */
function fitsInPath(code: string): boolean {
  if (code === '' || code === '.' || code === '..') return false
  try {
    return encodeURIComponent(code).length <= maxInPath
  } catch {
    return false
  }
}

const maxAnswerBytesOfMany = 64 * 1024 * 1024

/**
 * Reads the tracking events of several codes in one request, a GET with a JSON body (spec: Track several codes).
 * @param onAnswered told when an answer has come that says of itself that it went well; another request may then leave before it is read
 * @returns one value for each code in the order asked for, then codes that the answer adds; no request for no codes
 */
export async function trackMany(
  service: Service,
  codes: readonly string[],
  options: TrackingOptions,
  onAnswered?: () => void,
): Promise<CarrierOutcome<TrackedCode[]>> {
  if (codes.length === 0) return ok([])
  const body = JSON.stringify(codes)
  return requestTracking(service, codes, options, { body, maxAnswerBytes: maxAnswerBytesOfMany }, onAnswered)
}

async function requestTracking(
  service: Service,
  codes: readonly string[],
  options: TrackingOptions,
  request: Pick<ServiceRequest, 'segments' | 'body' | 'maxAnswerBytes'>,
  onAnswered?: () => void,
): Promise<CarrierOutcome<TrackedCode[]>> {
  const asked = toAsked(service)
  const exchanged = await requestService(service, {
    method: 'GET',
    operation: 'get_tracking_information',
    query: toQuery(options),
    isRepeatable: true,
    ...request,
  })
  if (!exchanged.ok) return unanswered(exchanged.error, asked)
  if (onAnswered !== undefined && isSuccess(exchanged.value.status)) {
    // By then the connection is free again: the next request needs no other one.
    await setImmediate()
    onAnswered()
    // It leaves before this answer is read.
    await setImmediate()
  }
  return readTracking(exchanged.value, asked, codes)
}

/** Most codes that are named besides those asked for; an answer with more is no answer to this question. */
const maxAdded = 200

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
 * Reads a tracking response (spec: Resources, Errors). What the specification leaves open is taken in any shape:
 * an empty list where there are no items, codes that are in `items` or `lastStatus` only, elements of `notFound`.
 * @returns one value for each code asked for, in that order, then the first of those that the answer adds
 */
export function readTracking(
  { status, body, retryAfter, receivedAt }: HttpAnswer,
  asked: AskedOf,
  codes: readonly string[],
): CarrierOutcome<TrackedCode[]> {
  const answer = asRecord(parseJson(body))
  const notFound = new Set(toList(answer?.notFound).flatMap(mentionedCodes).map(alike))
  const isMissing = (code: string) => notFound.size > 0 && notFound.has(alike(code))
  // «Not found» may well come as a failure: then it is an answer all the same.
  const onlyMissing = codes.some(isMissing) && (status === 404 || isSuccess(status))
  if (!isSuccess(status) && !onlyMissing) {
    const failed = failedByStatus(status, body, asked)
    return { ...failed, error: withPause(failed.error, retryAfter, receivedAt) }
  }
  if (answer === undefined) return misunderstood(asked.host, 'it is not a JSON object')
  const state = asFlag(answer.state)
  if (state === false && !onlyMissing) return refused(answer, asked)
  if (state === null && status !== 404)
    return misunderstood(asked.host, 'its «state» is neither true nor false')
  const items = byCode(answer.items, codes)
  const last = byCode(answer.lastStatus, codes)
  // Taken for «nothing found» it would hide what the service said.
  if (items === undefined) return misunderstood(asked.host, 'its «items» do not say which codes they are of')
  const named = { items, last: last ?? new Map<string, unknown>() }
  const none = asText(answer.numberOfItems) === '0'
  const toFlights = flightsByCode(answer.flightTracking, codes)
  const redact = remembering((text: string) => asked.redact(text, 'data'))
  const texts = cleanTexts(redact)
  return ok(
    pairedKeys(codes, named).map(([code, key]) => {
      const tracked = trackedCode(code, key, named, () => none || isMissing(code), texts)
      const flights = toFlights(code).map((each) => redactedFields(each, redact))
      return flights.length === 0 ? tracked : { ...tracked, flights }
    }),
  )
}

/** The elements of a list, the keys and values of an object, or the one text that stands in their place. */
function toList(value: unknown): unknown[] {
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
  const bare = only !== undefined && others.length === 0 && readEvents(list, plainTexts).length > 0
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

function trackedCode(
  code: string,
  key: string,
  { items, last }: Named,
  isMissing: () => boolean,
  texts: EventTexts,
): TrackedCode {
  const events = readEvents(items.get(key), texts)
  const lastStatus = readEvents(last.get(key), texts)[0] ?? events[0] ?? null
  const named = items.has(key) || last.has(key)
  return { code, found: lastStatus !== null || (named && !isMissing()), lastStatus, events }
}

function redactedFields(
  fields: Record<string, string>,
  redact: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [redact(name), redact(text)]))
}

/** The texts that an element of any shape holds: one of them may be a code. */
function mentionedCodes(element: unknown): string[] {
  const own = asText(element)
  const texts = own === null ? Object.values(asRecord(element) ?? {}).map(asText) : [own]
  return texts.filter((text) => text !== null)
}

/** Nobody reads more of a description; a text without end would hold up every list that it stands in. */
const maxTextLength = 2000
/** As long as the settings take a status code. */
const maxStatusCodeLength = 100

/** Makes the fields of events texts that may be kept and shown. */
interface EventTexts {
  statusCode(value: unknown): string
  /** Of any other field. */
  text(value: unknown): string
}

const plainTexts: EventTexts = {
  statusCode: (value) => bounded(value, maxStatusCodeLength),
  text: (value) => bounded(value, maxTextLength),
}

/** Bounded and without secrets. */
function cleanTexts(redact: (text: string) => string): EventTexts {
  return {
    statusCode: remembering((value) => redact(plainTexts.statusCode(value))),
    text: remembering((value) => redact(plainTexts.text(value))),
  }
}

/** The same few descriptions and places stand in thousands of events: each is looked through once. */
function remembering<Value>(clean: (value: Value) => string): (value: Value) => string {
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
 * Reads events in any of the shapes that the specification does not rule out: a list of events, an object with events
 * as values, or one event. What says nothing at all is left out.
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

/** A text of bounded length, with a mark for what neither the database nor the screen can hold. */
function bounded(value: unknown, longest: number): string {
  const whole = (asText(value) ?? '').toWellFormed()
  // Hardly any text has one, and looking costs a quarter of replacing.
  const text = whole.includes('\u0000') ? whole.replaceAll('\u0000', '\ufffd') : whole
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text
}

const maxElements = 200
const maxFields = 60
const deepest = 6

/**
 * Converts elements of `flightTracking` into names and texts for a person to read. The specification shows no shape, so
 * any is taken: nested names are joined by dots, a bare value stands under an empty name.
 */
function flightElements(value: unknown): Record<string, string>[] {
  const elements: unknown[] = Array.isArray(value) ? value : Object.values(asRecord(value) ?? {})
  return elements
    .slice(0, maxElements)
    .map((element) => Object.fromEntries(leaves(element, '', 0).slice(0, maxFields)))
    .filter((fields) => Object.keys(fields).length > 0)
}

function leaves(value: unknown, name: string, depth: number): [string, string][] {
  if (value === null || value === undefined || value === '') return []
  if (typeof value !== 'object') return [[name, String(value)]]
  if (depth === deepest) return [[name, '…']]
  return Object.entries(value).flatMap(([key, inner]) =>
    leaves(inner, name === '' ? key : `${name}.${key}`, depth + 1),
  )
}
