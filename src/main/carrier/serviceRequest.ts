import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { isLoopback } from '../lib/networks'
import { hiding, type Redact } from '../log/redactor'
import type { HttpAnswer, HttpClient, HttpRequest, TransportFailure } from './httpClient'
import type { AskedOf } from './outcome'

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
  { http, connection }: Service,
  { operation, segments = [], query = {}, isRepeatable, ...request }: ServiceRequest,
): Promise<Result<HttpAnswer, TransportFailure>> {
  const send = isRepeatable ? http.send : http.sendAlone
  return send({
    ...request,
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
