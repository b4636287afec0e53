import type { CutAnswer } from './cutAnswer'

import { addressNotAllowed } from './labelHosts'

/**
 * Why an exchange did not give a whole answer.
 * - `not-sent`: no byte of the request left; the service can't know of it
 * - `timeout`, `lost`: the request may have arrived
 * - `too-large`: the answer exceeds what is taken; the request arrived
 *
 * `cut` is what came of the answer all the same.
 */
export type TransportFailure =
  | { kind: 'not-sent'; reason: NotSentReason; code: string }
  | { kind: 'timeout'; waitedMs: number; cut?: CutAnswer }
  | { kind: 'lost'; code: string; cut?: CutAnswer }
  | { kind: 'too-large'; limitBytes: number; cut?: CutAnswer }

/** What kept a request from leaving. `address-not-allowed`: the host's address is private; `closed`: the app is ending. */
export type NotSentReason =
  | 'name-not-found'
  | 'connection-refused'
  | 'connect-timeout'
  | 'unreachable'
  | 'tls'
  | 'not-sendable'
  | 'address-not-allowed'
  | 'closed'

const reasonOfCode: ReadonlyMap<string, NotSentReason> = new Map<string, NotSentReason>([
  ['ENOTFOUND', 'name-not-found'],
  ['EAI_AGAIN', 'name-not-found'],
  ['EAI_FAIL', 'name-not-found'],
  ['EAI_NODATA', 'name-not-found'],
  ['EAI_NONAME', 'name-not-found'],
  ['ECONNREFUSED', 'connection-refused'],
  ['ETIMEDOUT', 'connect-timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect-timeout'],
  ['EHOSTUNREACH', 'unreachable'],
  ['EHOSTDOWN', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['ENETDOWN', 'unreachable'],
  ['EADDRNOTAVAIL', 'unreachable'],
  ['EACCES', 'unreachable'],
  ['EPERM', 'unreachable'],
  [addressNotAllowed, 'address-not-allowed'],
  ['UND_ERR_INVALID_ARG', 'not-sendable'],
  ['UND_ERR_DESTROYED', 'closed'],
  ['UND_ERR_CLOSED', 'closed'],
])

/**
 * Classifies an error that came before the first byte was written. Only what proves by itself that nothing left counts
 * as `not-sent`; a reset at that moment is treated like any other broken line.
 * @param secure whether the connection was to be TLS: what has no better name failed in its handshake then
 */
export function beforeSending(error: unknown, secure: boolean): TransportFailure {
  const code = codeOf(error)
  const reason = reasonOfCode.get(code) ?? (secure ? 'tls' : undefined)
  return reason === undefined ? { kind: 'lost', code } : { kind: 'not-sent', reason, code }
}

/** The system's or library's code of an error; never its message, which may quote the request. */
export function codeOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') {
    return error.code
  }
  return 'unknown'
}
