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

describe('how the service was last', () => {
  it.each(['no-account', 'vault-unreadable', 'base-url-not-allowed', 'invalid-input'] as const)(
    'stays «not tried» after %s, because nothing was asked',
    (code) => {
      const { made, note, changes } = health()
      note(code)
      expect(made.current()).toEqual({ state: 'not-tried', at: null, error: null })
      expect(changes).toEqual([])
    },
  )

  it('is reachable after an answer, also one that says no, and unreachable after none', () => {
    const { made, note, changes } = health()
    note('account-refused')
    note('service-timeout')
    note('no-account')
    expect(made.current()).toMatchObject({ state: 'unreachable', error: { code: 'service-timeout' } })
    made.noting(ok(undefined))
    expect(changes).toEqual(['reachable', 'unreachable', 'reachable'])
  })

  it('is «not tried» once another service is asked', () => {
    const { made } = health()
    made.note(undefined)
    made.forget()
    expect(made.current().state).toBe('not-tried')
  })
})
