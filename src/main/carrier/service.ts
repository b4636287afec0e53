import { type AppError, appError, withUnknownOutcome } from '../../shared/errors'
import { isLoopbackHost } from '../../shared/fields'
import { assertNever, err, ok, type Result } from '../../shared/result'
import { fillSentence } from '../../shared/sentences'
import { type UnreadableAnswerReason, unreadableAnswerReasons } from '../../shared/systemReasons'
import { decodeText } from '../lib/decodeText'
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

/* What all operations share: the service's address, the request, and its outcome. */

/**
 * Parses the service's address from user input or a provisioning file.
 * @returns the URL without a trailing slash. `base-url-not-allowed` unless it is https, or http to a loopback address:
 * it carries the user name, the password and the key.
 */
export function parseBaseUrl(text: string): Result<URL> {
  const trimmed = text.trim()
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return notAllowed('scheme')
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    return notAllowed('insecure')
  }
  if (url.username !== '' || url.password !== '') {
    return notAllowed('user-info')
  }
  if (/[?#]/.test(trimmed)) return notAllowed('query')
  url.pathname = url.pathname.replace(/\/+$/, '')
  return ok(url)
}

/** The path prefix of a service's address: empty, or with a leading slash and no trailing one. */
export function getPathPrefix(baseUrl: URL): string {
  return baseUrl.pathname.replace(/\/+$/, '')
}

function notAllowed(reason: string): { ok: false; error: AppError } {
  return err(appError('base-url-not-allowed', { reason }))
}

/** The service's address and an API key for it. */
export interface CarrierConnection {
  /** As returned by `parseBaseUrl`. */
  baseUrl: URL
  apiKey: string
}

/** The dependencies of an operation. */
export interface Service {
  http: HttpClient
  connection: CarrierConnection
  /** Removes every secret of the app from a text. */
  redact: Redact
  /** A connection that was opened in advance for the next request that must not be repeated. */
  early?: EarlyConnection | undefined
}

/** A request to one operation (spec: Endpoints). */
export interface ServiceRequest
  extends Pick<
    HttpRequest,
    'method' | 'body' | 'sendingTimeMs' | 'maxAnswerBytes' | 'readsToEnd' | 'mayLeave'
  > {
  operation: string
  /** Path segments after the key. */
  segments?: readonly string[]
  query?: Readonly<Record<string, string>>
  /** Whether the request may be sent again. If not, it is sent over a new connection; see `sendOnNewConnection`. */
  isRepeatable: boolean
}

/** Sends one request of an operation and adds the address, the key and the headers. A body is JSON. */
export function requestService(
  { http, connection, early }: Service,
  { operation, segments = [], query = {}, isRepeatable, ...request }: ServiceRequest,
): Promise<Result<HttpAnswer, TransportFailure>> {
  const send = isRepeatable ? http.send : http.sendOnNewConnection
  return send({
    ...request,
    early,
    origin: connection.baseUrl.origin,
    path: toPath(connection, [operation, connection.apiKey, ...segments], query),
    ...(request.body !== undefined && { headers: { 'Content-Type': 'application/json' } }),
  })
}

/** The slowest upload, in bytes per second, that does not time out. */
const minBytesPerSecond = 32 * 1024

/** The time, in milliseconds, that a long body of so many bytes may take to be sent. */
export function toSendingTime(bytes: number): number {
  return Math.ceil((bytes / minBytesPerSecond) * 1000)
}

/** Builds the path as text: a URL object would remove segments such as «..». */
function toPath(
  { baseUrl }: CarrierConnection,
  segments: readonly string[],
  query: Readonly<Record<string, string>>,
): string {
  const parameters = new URLSearchParams(query).toString()
  const path = segments.map(encodeURIComponent).join('/')
  return `${getPathPrefix(baseUrl)}/${path}${parameters === '' ? '' : `?${parameters}`}`
}

/** The context for errors about requests to this service: its host, and redaction of the key and every other secret. */
export function toRequestContext({
  connection,
  redact,
}: Pick<Service, 'connection' | 'redact'>): RequestContext {
  return { host: connection.baseUrl.host, redact: hiding([connection.apiKey], redact) }
}

/**
 * The outcome of a request: the service carried it out, or
 * - `not-sent`: no byte of the request left this computer
 * - `refused`: the service refused the request, so it had no effect
 * - `unknown`: anything else; the request may have had its effect
 *
 * It is also a `Result`, for callers that need only success or failure.
 */
export type CarrierOutcome<Value> =
  | { ok: true; value: Value }
  | {
      ok: false
      kind: 'not-sent' | 'refused' | 'unknown'
      error: AppError
      /** What an answer contained despite the failure; null when it contained nothing usable. */
      answer: Value | null
    }

/** A failed outcome without a usable answer. */
export type FailedOutcome = Extract<CarrierOutcome<never>, { ok: false }>

/** What error messages about a request need. */
export interface RequestContext {
  /** Host and port of the service. */
  host: string
  /** Removes the secrets of the request, and every other known secret. */
  redact: Redact
}

/** A submission that can't be undone, and that may have taken place when its outcome is unknown. */
type Submission = Parameters<typeof withUnknownOutcome>[1]

/** The outcome of an exchange without a complete answer. */
export function failedByTransport(
  failure: TransportFailure,
  context: Pick<RequestContext, 'host'>,
): FailedOutcome {
  const kind = failure.kind === 'not-sent' ? 'not-sent' : 'unknown'
  return { ok: false, kind, error: toTransportError(failure, context), answer: null }
}

/** The outcome for an HTTP status other than success; see `toStatusError`. */
export function failedByStatus(status: number, body: unknown, context: RequestContext): FailedOutcome {
  const kind = isRefusalStatus(status) ? 'refused' : 'unknown'
  return { ok: false, kind, error: toStatusError(status, body, context), answer: null }
}

/** The outcome for an answer that fails the operation's own success test. */
export function failedByAnswer(answer: unknown, context: RequestContext): FailedOutcome {
  return { ok: false, kind: 'refused', error: toRefusalError(answer, context), answer: null }
}

/** The outcome for an answer that does not follow the specification. */
export function failedByUnreadableAnswer(host: string, reason: UnreadableAnswerReason): FailedOutcome {
  return { ok: false, kind: 'unknown', error: toUnreadableAnswerError(host, reason), answer: null }
}

/** Adds to an unknown outcome the warning that the submission may have taken place. */
export function warnOfEffect<Value>(outcome: CarrierOutcome<Value>, sent: Submission): CarrierOutcome<Value> {
  if (outcome.ok || outcome.kind !== 'unknown') return outcome
  return { ...outcome, error: withUnknownOutcome(outcome.error, sent) }
}

/** Whether an HTTP status says that the service carried out the request. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}

/** Whether an HTTP status proves that the request had no effect. 408 does not: the service only stopped waiting. */
function isRefusalStatus(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408
}

function toTransportError(failure: TransportFailure, { host }: Pick<RequestContext, 'host'>): AppError {
  switch (failure.kind) {
    case 'not-sent':
      return failure.reason === 'proxy'
        ? proxyError(failure.proxy, host)
        : toNotSentError(failure.reason, failure.code, host)
    case 'timeout': {
      const seconds = String(Math.round(failure.waitedMs / 100) / 10)
      return appError('service-timeout', { host, seconds })
    }
    case 'lost':
      return appError('service-connection-lost', { host, reason: failure.code })
    case 'too-large':
      return toUnreadableAnswerError(host, 'too-large', String(failure.limitBytes))
    default:
      return assertNever(failure)
  }
}

function toNotSentError(reason: NotSentReason, code: string, host: string): AppError {
  const details = { host, reason }
  if (reason === 'tls') return appError('service-insecure', { ...details, reason: code })
  if (reason === 'not-sendable') return appError('invalid-input', { ...details, case: 'not-sendable' })
  if (reason === 'too-late') return appError('shipment-too-late')
  return appError('service-unreachable', details)
}

/**
 * The error for an HTTP status other than success: `key-refused` for 401 and 403, `service-busy` for 429,
 * `service-refused` for other 4xx except 408, `service-moved` for 3xx, else `service-failed`. `details.serviceSays`
 * holds the service's own message.
 * @param body the answer's body, or the JSON value parsed from it
 */
function toStatusError(status: number, body: unknown, { host, redact }: RequestContext): AppError {
  const says = findServiceMessage(body, redact)
  const details = { host, status: String(status), ...(says === null ? {} : { serviceSays: says }) }
  if (status === 401 || status === 403) return appError('key-refused', details)
  if (status === 429) return appError('service-busy', details)
  if (status >= 300 && status <= 399) return appError('service-moved', details)
  return appError(isRefusalStatus(status) ? 'service-refused' : 'service-failed', details)
}

/** The error for an answer that fails the operation's own success test. */
export function toRefusalError(answer: unknown, { host, redact }: RequestContext): AppError {
  const says = findServiceMessage(answer, redact)
  return appError('service-refused', says === null ? { host } : { host, serviceSays: says })
}

/** The error for an answer that does not follow the specification. */
export function toUnreadableAnswerError(
  host: string,
  reason: UnreadableAnswerReason,
  limit?: string,
): AppError {
  const problem = fillSentence(unreadableAnswerReasons[reason], { limit })
  return appError('service-answer-not-understood', { host, problem })
}

const maxCharacters = 400
/** Characters of a body that are searched for a message. */
const maxCharactersRead = 64 * 1024

/** The fields in which the service gives reasons, preferred ones first (spec: Errors, and `message`). */
const fieldsWithReasons = ['Errors', 'errors', 'error', 'message']

/**
 * Finds the service's own message about a failure.
 * @param body the answer's body, or the JSON value parsed from it
 * @param redact removes secrets: an answer may quote the request
 * @returns one line of bounded length; null when there is no readable message
 */
export function findServiceMessage(body: unknown, redact: Redact): string | null {
  const words = Buffer.isBuffer(body) ? findBodyWords(body) : findValueWords(body)
  return words === null ? null : toDisplayLine(words, redact)
}

/**
 * Converts a text of the service into one line for the screen. It is redacted before it is shortened, since half a
 * secret would not be recognised.
 */
export function toDisplayLine(text: string, redact: Redact): string | null {
  const line = redact(withoutControlCharacters(text)).replace(/\s+/g, ' ').trim()
  if (line === '') return null
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters - 1)}…` : line
}

function findBodyWords(body: Buffer): string | null {
  const value = parseJson(body)
  if (value !== undefined) return findValueWords(value)
  const text = decodeText(body).text.slice(0, maxCharactersRead).trim()
  if (!text.startsWith('<')) return text
  // An HTML error page: its title is the message.
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

/** The specification gives reasons as one text; lists and objects of texts are accepted too. */
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
