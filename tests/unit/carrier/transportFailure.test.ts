import { describe, expect, it } from 'vitest'
import { classifyConnectError } from '../../../src/main/carrier/httpClient'

function failure(code: string): Error {
  return Object.assign(new Error('with a secret in it'), { code })
}

describe('classifyConnectError', () => {
  it.each([
    ['ENOTFOUND', 'name-not-found'],
    ['EAI_AGAIN', 'name-not-found'],
    ['ECONNREFUSED', 'connection-refused'],
    ['UND_ERR_CONNECT_TIMEOUT', 'connect-timeout'],
    ['ETIMEDOUT', 'connect-timeout'],
    ['ENETUNREACH', 'unreachable'],
    ['EHOSTUNREACH', 'unreachable'],
    ['UND_ERR_INVALID_ARG', 'not-sendable'],
    ['UND_ERR_DESTROYED', 'closed'],
  ])('classifies %s as not sent with the reason %s', (code, reason) => {
    expect(classifyConnectError(failure(code), false)).toEqual({ kind: 'not-sent', reason, code })
    expect(classifyConnectError(failure(code), true)).toEqual({ kind: 'not-sent', reason, code })
  })

  it.each(['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'EPROTO', 'ECONNRESET'])(
    'classifies %s on a secure connection as a failed TLS handshake',
    (code) => {
      expect(classifyConnectError(failure(code), true)).toEqual({ kind: 'not-sent', reason: 'tls', code })
    },
  )

  it('classifies a reset of a plain connection and an unknown error as lost', () => {
    expect(classifyConnectError(failure('ECONNRESET'), false)).toEqual({ kind: 'lost', code: 'ECONNRESET' })
    expect(classifyConnectError(new Error('what'), false)).toEqual({ kind: 'lost', code: 'unknown' })
    expect(classifyConnectError('what', false)).toEqual({ kind: 'lost', code: 'unknown' })
  })
})
