import { type AppError, appError, withUnknownOutcome } from '../../shared/errors'
import { assertNever, err, ok, type Result } from '../../shared/result'
import { decodeText } from '../lib/decodeText'
import { isLoopback } from '../lib/networks'
import { hiding, type Redact } from '../log/redactor'
import { proxyError } from '../network/network'
import type {
  EarlyConnection,
  HttpAnswer,
  HttpClient,
  HttpRequest,
  NotSentReason,
  TransportFailure,
} from './httpClient'
import { asRecord, asText, parseJson } from './json'

/* What every operation is made of: where the service is, the request, and what became of it. */

/**
 * Reads the address of the service as a person or a provisioning file gives it.
 * @returns the URL without a slash at the end of its path prefix. `base-url-not-allowed` unless it is https, or http
 * to a loopback address: user name, password and key travel over it.
 */
export function parseBaseUrl(text: string): Result<URL> {
  const trimmed = text.trim()
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return notAllowed('scheme')
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return notAllowed('insecure')
  }
  if (url.username !== '' || url.password !== '') {
    return notAllowed('user-info')
  }
  if (/[?#]/.test(trimmed)) return notAllowed('query')
  url.pathname = url.pathname.replace(/\/+$/, '')
  return ok(url)
}

/** The path prefix of a service's address: empty, or with a slash before and none after it. */
export function pathPrefix(baseUrl: URL): string {
  return baseUrl.pathname.replace(/\/+$/, '')
}

function notAllowed(reason: string): { ok: false; error: AppError } {
  return err(appError('base-url-not-allowed', { reason }))
}

/** Where the service is and the key that opens it. */
export interface CarrierConnection {
  /** As `parseBaseUrl` gives it. */
  baseUrl: URL
  apiKey: string
}

/** What an operation works with. */
export interface Service {
  http: HttpClient
  connection: CarrierConnection
  /** Takes every secret of the app out of a text. */
  redact: Redact
  /** What its next request that is not repeatable goes over. */
  early?: EarlyConnection | undefined
}

/** A request in the terms of the specification (spec: Endpoints). */
export interface ServiceRequest
  extends Pick<
    HttpRequest,
    'method' | 'body' | 'sendingTimeMs' | 'maxAnswerBytes' | 'readsToEnd' | 'mayLeave'
  > {
  operation: string
  /** What stands behind the key in the path. */
  segments?: readonly string[]
  query?: Readonly<Record<string, string>>
  /** Whether it may safely be asked again; otherwise it goes over a connection of its own. */
  isRepeatable: boolean
}

/** Sends one request of an operation: address, key and headers are put to it here. A body is JSON. */
export function requestService(
  { http, connection, early }: Service,
  { operation, segments = [], query = {}, isRepeatable, ...request }: ServiceRequest,
): Promise<Result<HttpAnswer, TransportFailure>> {
  const send = isRepeatable ? http.send : http.sendAlone
  return send({
    ...request,
    early,
    origin: connection.baseUrl.origin,
    path: toPath(connection, [operation, connection.apiKey, ...segments], query),
    ...(request.body !== undefined && { headers: { 'Content-Type': 'application/json' } }),
  })
}

/** Put together as text: a URL object would take segments such as «..» away. */
function toPath(
  { baseUrl }: CarrierConnection,
  segments: readonly string[],
  query: Readonly<Record<string, string>>,
): string {
  const parameters = new URLSearchParams(query).toString()
  const path = segments.map(encodeURIComponent).join('/')
  return `${pathPrefix(baseUrl)}/${path}${parameters === '' ? '' : `?${parameters}`}`
}

/** What errors about a request to this service may say, and what they may not: neither the key nor another secret. */
export function toAsked({ connection, redact }: Pick<Service, 'connection' | 'redact'>): AskedOf {
  return { host: connection.baseUrl.host, redact: hiding([connection.apiKey], redact) }
}

/**
 * What became of a request, whatever it was for: the service carried it out, or
 * - `not-sent`: no byte of it left
 * - `refused`: the service said no, so it had no effect
 * - `unknown`: anything else: it may have had its effect
 *
 * It is a `Result` for whoever only asks whether it worked.
 */
export type CarrierOutcome<Value> =
  | { ok: true; value: Value }
  | {
      ok: false
      kind: 'not-sent' | 'refused' | 'unknown'
      error: AppError
      /** What an answer held all the same; null when that is nothing. */
      answer: Value | null
    }

/** An outcome that brought no answer. */
export type FailedOutcome = Extract<CarrierOutcome<never>, { ok: false }>

/** What was asked, for the sentences and for what must not show up in them. */
export interface AskedOf {
  /** Host and port of the service. */
  host: string
  /** Takes out what went along with the request, and every other secret that is known. */
  redact: Redact
}

/** What can't be undone, and may have happened when the outcome is unknown. */
type SentThing = Parameters<typeof withUnknownOutcome>[1]

/** The outcome of an exchange that gave no whole answer. */
export function unanswered(failure: TransportFailure, asked: Pick<AskedOf, 'host'>): FailedOutcome {
  const kind = failure.kind === 'not-sent' ? 'not-sent' : 'unknown'
  return { ok: false, kind, error: transportError(failure, asked), answer: null }
}

/** The outcome by an HTTP status other than success: see `statusError`. */
export function failedByStatus(status: number, body: unknown, asked: AskedOf): FailedOutcome {
  const kind = refusesByStatus(status) ? 'refused' : 'unknown'
  return { ok: false, kind, error: statusError(status, body, asked), answer: null }
}

/** The outcome by an answer in which the operation's own success test failed. */
export function refused(answer: unknown, asked: AskedOf): FailedOutcome {
  return { ok: false, kind: 'refused', error: refusal(answer, asked), answer: null }
}

/** The outcome by an answer that is not what the specification describes. `problem`: English, completes a sentence. */
export function misunderstood(host: string, problem: string): FailedOutcome {
  return { ok: false, kind: 'unknown', error: notUnderstood(host, problem), answer: null }
}

/** The outcome of a request that can't be undone: of an unknown one the operator is told what may have happened. */
export function warnOfEffect<Value>(outcome: CarrierOutcome<Value>, sent: SentThing): CarrierOutcome<Value> {
  if (outcome.ok || outcome.kind !== 'unknown') return outcome
  return { ...outcome, error: withUnknownOutcome(outcome.error, sent) }
}

/** Whether an HTTP status says that the request was carried out. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}

/** Whether an HTTP status says that the request was not carried out. 408 says only that the service gave up waiting. */
function refusesByStatus(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408
}

/** The error for an exchange that gave no whole answer. */
function transportError(failure: TransportFailure, { host }: Pick<AskedOf, 'host'>): AppError {
  switch (failure.kind) {
    case 'not-sent':
      return failure.reason === 'proxy'
        ? proxyError(failure.proxy, host)
        : notSentError(failure.reason, failure.code, host)
    case 'timeout': {
      const seconds = String(Math.round(failure.waitedMs / 100) / 10)
      return appError('service-timeout', { host, seconds })
    }
    case 'lost':
      return appError('service-connection-lost', { host, reason: failure.code })
    case 'too-large':
      return notUnderstood(host, `it is larger than ${failure.limitBytes} bytes`)
    default:
      return assertNever(failure)
  }
}

function notSentError(reason: NotSentReason, code: string, host: string): AppError {
  const details = { host, reason }
  if (reason === 'tls') return appError('service-insecure', { ...details, reason: code })
  if (reason === 'not-sendable') return appError('invalid-input', { ...details, case: 'not-sendable' })
  if (reason === 'too-late') return appError('shipment-too-late')
  return appError('service-unreachable', details)
}

/**
 * The error for an HTTP status other than success: `key-refused` for 401 and 403, `service-busy` for 429,
 * `service-refused` for the other 4xx but 408, `service-moved` for 3xx, else `service-failed`. The service's own words
 * are in `details.serviceSays`.
 * @param body the answer's body, or the JSON value it held
 */
function statusError(status: number, body: unknown, { host, redact }: AskedOf): AppError {
  const says = serviceWords(body, redact)
  const details = { host, status: String(status), ...(says === null ? {} : { serviceSays: says }) }
  if (status === 401 || status === 403) return appError('key-refused', details)
  if (status === 429) return appError('service-busy', details)
  if (status >= 300 && status <= 399) return appError('service-moved', details)
  return appError(refusesByStatus(status) ? 'service-refused' : 'service-failed', details)
}

/** The error for an answer in which the operation's own success test failed. */
export function refusal(answer: unknown, { host, redact }: AskedOf): AppError {
  const says = serviceWords(answer, redact)
  return appError('service-refused', says === null ? { host } : { host, serviceSays: says })
}

function notUnderstood(host: string, problem: string): AppError {
  return appError('service-answer-not-understood', { host, problem })
}

const maxCharacters = 400
/** Enough of a body to find words in. */
const maxCharactersRead = 64 * 1024

/** The fields in which the service gives reasons, best first (spec: Errors, and `message`). */
const fieldsWithReasons = ['Errors', 'errors', 'error', 'message']

/**
 * What the service says about a failure in its own words, fit to be shown.
 * @param body the answer's body, or the JSON value it held
 * @param redact takes out what must not come back in the words: an answer may quote the request
 * @returns one line of bounded length; null when the service said nothing readable
 */
export function serviceWords(body: unknown, redact: Redact): string | null {
  const words = Buffer.isBuffer(body) ? findBodyWords(body) : findValueWords(body)
  return words === null ? null : presentable(words, redact)
}

/**
 * Makes a text of the service fit for one line on a screen: see `serviceWords`. It is redacted before it is
 * shortened: half a secret would not be known any more.
 */
export function presentable(text: string, redact: Redact): string | null {
  const line = redact(withoutControlCharacters(text)).replace(/\s+/g, ' ').trim()
  if (line === '') return null
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters - 1)}…` : line
}

function findBodyWords(body: Buffer): string | null {
  const value = parseJson(body)
  if (value !== undefined) return findValueWords(value)
  const text = decodeText(body).text.slice(0, maxCharactersRead).trim()
  if (!text.startsWith('<')) return text
  // Of an error page only the title says something.
  return /<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? null
}

function findValueWords(value: unknown): string | null {
  const record = asRecord(value)
  if (record === undefined) return asText(value)
  for (const field of fieldsWithReasons) {
    const words = reasonsIn(record[field])
    if (words !== null) return words
  }
  return null
}

/** Reasons are a text in the interface; lists and objects of texts are understood too. */
function reasonsIn(value: unknown): string | null {
  const text = asText(value)
  if (text !== null) return text
  if (typeof value !== 'object' || value === null) return null
  const parts = Object.values(value)
    .map((part: unknown) => asText(part) ?? asText(asRecord(part)?.message))
    .filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join('; ')
}

function withoutControlCharacters(text: string): string {
  return text.replace(/\p{Cc}|\p{Cf}/gu, ' ')
}
