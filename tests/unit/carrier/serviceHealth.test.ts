import { describe, expect, it } from 'vitest'
import { createServiceHealth } from '../../../src/main/carrier/gateway'
import { appError, type ErrorCode } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'

function health() {
  const changes: string[] = []
  const made = createServiceHealth(() => new Date('2026-11-21T10:00:00.000Z'), {
    emit: () => changes.push(made.current().state),
  })
  return { made, changes, note: (code: ErrorCode) => made.noting(err(appError(code))) }
}

describe('the recorded health of the service', () => {
  it.each(['no-account', 'vault-unreadable', 'base-url-not-allowed', 'invalid-input'] as const)(
    'stays «not tried» after the error %s, which occurs before any request',
    (code) => {
      const { made, note, changes } = health()
      note(code)
      expect(made.current()).toEqual({ state: 'not-tried', at: null, error: null })
      expect(changes).toEqual([])
    },
  )

  it('becomes reachable after an answer or a refusal, and unreachable after a timeout', () => {
    const { made, note, changes } = health()
    note('account-refused')
    note('service-timeout')
    note('no-account')
    expect(made.current()).toMatchObject({ state: 'unreachable', error: { code: 'service-timeout' } })
    made.noting(ok(undefined))
    expect(changes).toEqual(['reachable', 'unreachable', 'reachable'])
  })

  it('returns to «not tried» when the service is forgotten', () => {
    const { made } = health()
    made.note(undefined)
    made.forget()
    expect(made.current().state).toBe('not-tried')
  })
})
