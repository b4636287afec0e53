import type { AppStatus } from '../../shared/app'
import type { AppError, ErrorCode } from '../../shared/errors'
import type { Result } from '../../shared/result'
import type { EventBus } from '../lib/eventBus'

type ServiceState = AppStatus['service']

/** Failures that speak of the way to the service, not of what was asked of it. */
const wayIsBroken: readonly ErrorCode[] = [
  'service-unreachable',
  'service-insecure',
  'proxy-failed',
  'service-timeout',
  'service-connection-lost',
]

/** Failures that only an answer of the service can bring. */
const answered: readonly ErrorCode[] = [
  'account-refused',
  'key-refused',
  'service-refused',
  'service-busy',
  'service-moved',
  'service-failed',
  'service-answer-not-understood',
]

/** Remembers how the last request to the service went, for the status bar. */
export interface ServiceHealth {
  current(): ServiceState
  /** Takes note of a request's end; `undefined` when it went well. An error that came before any request says nothing. */
  note(error: AppError | undefined): void
  /** Takes note of a request's end and hands its result on. */
  noting<T>(result: Result<T>): Result<T>
  /** Another service is asked from now on. */
  forget(): void
}

const notTried: ServiceState = { state: 'not-tried', at: null, error: null }

/** Starts with «not tried». */
export function createServiceHealth(now: () => Date, bus: Pick<EventBus, 'emit'>): ServiceHealth {
  let state = notTried

  function note(error: AppError | undefined): void {
    const before = state
    const broken = error !== undefined && wayIsBroken.includes(error.code)
    if (error !== undefined && !broken && !answered.includes(error.code)) return
    state = {
      state: broken ? 'unreachable' : 'reachable',
      at: now().toISOString(),
      error: broken ? error : null,
    }
    if (before.state !== state.state || before.error?.code !== state.error?.code)
      bus.emit('serviceHealthChanged')
  }

  return {
    current: () => state,
    note,
    noting(result) {
      note(result.ok ? undefined : result.error)
      return result
    },
    forget() {
      state = notTried
    },
  }
}
