import { type AppError, appError, withUnknownOutcome } from '../../shared/errors'
import { assertNever } from '../../shared/result'
import type { Redact } from './discretion'
import type { NotSentReason, TransportFailure } from './exchange'
import { serviceWords } from './serviceWords'

/** What was asked, for the sentences and for what must not show up in them. */
export interface AskedOf {
  /** Host and port of the service. */
  host: string
  /** Takes out what went along with the request, and every other secret that is known. */
  redact: Redact
}

/** The error for an exchange that gave no whole answer. */
export function transportError(failure: TransportFailure, { host }: Pick<AskedOf, 'host'>): AppError {
  switch (failure.kind) {
    case 'not-sent':
      return notSentError(failure.reason, failure.code, host)
    case 'timeout': {
      const seconds = String(Math.round(failure.waitedMs / 100) / 10)
      return appError('service-timeout', {
        host,
        seconds,
      })
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
  if (reason === 'tls') {
    return appError('service-insecure', { ...details, reason: code })
  }
  if (reason === 'not-sendable') {
    return appError('invalid-input', { ...details, case: 'not-sendable' })
  }
  return appError('service-unreachable', details)
}

/**
 * The error for an HTTP status other than success: `key-refused` for 401 and 403, `service-busy` for 429,
 * `service-refused` for the other 4xx but 408, `service-moved` for 3xx, else `service-failed`. The service's own words
 * are in `details.serviceSays`.
 * @param body the answer's body, or the JSON value it held
 */
export function statusError(status: number, body: unknown, { host, redact }: AskedOf): AppError {
  const says = serviceWords(body, redact)
  const details = { host, status: String(status), ...(says === null ? {} : { serviceSays: says }) }
  if (status === 401 || status === 403) {
    return appError('key-refused', details)
  }
  if (status === 429) {
    return appError('service-busy', details)
  }
  if (status >= 300 && status <= 399) {
    return appError('service-moved', details)
  }
  if (refusesByStatus(status)) {
    return appError('service-refused', details)
  }
  return appError('service-failed', details)
}

/** Whether an HTTP status says that the request was not carried out. 408 says only that the service gave up waiting. */
export function refusesByStatus(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408
}

/**
 * What an upload or a pre-alert comes to that was not accepted: refused when it provably had no effect, else unknown. The
 * rule is that of shipments, docs/decisions/0003-shipment-creation.md.
 */
export function refusedOrUnknown(
  error: AppError,
  { provable, sent }: { provable: boolean; sent: 'manifest' | 'pre-alert' },
): { kind: 'refused' | 'unknown'; error: AppError } {
  if (provable) return { kind: 'refused', error }
  return { kind: 'unknown', error: withUnknownOutcome(error, sent) }
}

/** The error for an answer in which the operation's own success test failed. */
export function refusal(value: unknown, { host, redact }: AskedOf): AppError {
  const says = serviceWords(value, redact)
  return appError('service-refused', says === null ? { host } : { host, serviceSays: says })
}

/** The error for an answer that is not what the specification describes. `problem`: English, completes a sentence. */
export function notUnderstood(host: string, problem: string): AppError {
  return appError('service-answer-not-understood', {
    host,
    problem,
  })
}
