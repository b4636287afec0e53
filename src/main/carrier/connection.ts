import { pathPrefix } from './baseUrl'
import { hiding, type Redact } from './discretion'
import type { AskedOf } from './serviceError'

/** Where the service is and the key that opens it. */
export interface CarrierConnection {
  /** As `parseBaseUrl` gives it. */
  baseUrl: URL
  apiKey: string
}

/** The request path of an operation of the service: prefix, name, key, further segments, query (spec: Endpoints). */
export function operationPath(
  { baseUrl, apiKey }: CarrierConnection,
  operation: string,
  segments: readonly string[],
  query: Readonly<Record<string, string>>,
): string {
  // Put together as text: a URL object would take segments such as «..» away.
  const path = [operation, apiKey, ...segments].map(encodeURIComponent).join('/')
  const parameters = new URLSearchParams(query).toString()
  return `${pathPrefix(baseUrl)}/${path}${parameters === '' ? '' : `?${parameters}`}`
}

/** What errors about a request over this connection may say, and what they may not. */
export function askedOf({ baseUrl, apiKey }: CarrierConnection, redact: Redact): AskedOf {
  return { host: baseUrl.host, redact: hiding([apiKey], redact) }
}
