import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLabelRetries, isWorthFetching } from '../../../src/main/shipments/missingLabels'
import { type AppError, appError } from '../../../src/shared/errors'
import { err, ok, type Result } from '../../../src/shared/result'
import { deferred } from '../../support/deferred'
import { silentLog } from '../../support/silentLog'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const notFetched = (reason: string, status = '') => appError('label-not-fetched', { reason, status })
const lost = notFetched('service-connection-lost')
const minuteMs = 60_000

/** Retries whose attempts all fail, and the times of the attempts in seconds. */
function failing(nextError: () => AppError) {
  const startedAt = Date.now()
  const tries: number[] = []
  const retries = createLabelRetries({
    complete: async (): Promise<Result<undefined>> => {
      tries.push((Date.now() - startedAt) / 1000)
      return err(nextError())
    },
    log: silentLog,
  })
  return { retries, tries }
}

describe('a label that could not be fetched', () => {
  it('is fetched again after growing pauses, 20 times in about an hour', async () => {
    const { retries, tries } = failing(() => lost)
    retries.add('A', lost)
    await vi.advanceTimersByTimeAsync(24 * 60 * minuteMs)
    expect(tries.slice(0, 10)).toEqual([1, 3, 7, 15, 31, 63, 127, 255, 511, 811])
    expect(tries).toHaveLength(20)
    expect(tries.at(-1)).toBe(511 + 11 * 300)
  })

  it('starts with short pauses again after a successful fetch', async () => {
    const answers: Result<undefined>[] = [err(lost), ok(undefined)]
    const complete = vi.fn(async () => answers.shift() ?? ok(undefined))
    const retries = createLabelRetries({ complete, log: silentLog })
    retries.add('A', lost)
    await vi.advanceTimersByTimeAsync(60 * minuteMs)
    expect(complete).toHaveBeenCalledTimes(2)
    retries.add('A', lost)
    await vi.advanceTimersByTimeAsync(1000)
    expect(complete).toHaveBeenCalledTimes(3)
  })

  it('counts further failures during a wait as one fetch', async () => {
    const { retries, tries } = failing(() => lost)
    for (let at = 0; at < 30; at += 1) retries.add('A', lost)
    await vi.advanceTimersByTimeAsync(24 * 60 * minuteMs)
    expect(tries).toHaveLength(20)
    expect(tries.slice(0, 4)).toEqual([1, 3, 7, 15])
  })

  it.each([
    ['404', notFetched('status', '404')],
    ['410', notFetched('status', '410')],
    ['401', notFetched('status', '401')],
    ['a file that is not a PDF', appError('label-unreadable')],
    ['an invalid address', notFetched('no-web-address')],
    ['a host that is not allowed', appError('label-host-not-allowed', { reason: 'private-address' })],
  ])('is not fetched again after %s', async (_name, error) => {
    const { retries, tries } = failing(() => error)
    retries.add('A', error)
    await vi.advanceTimersByTimeAsync(24 * 60 * minuteMs)
    expect(tries).toEqual([])
    expect(isWorthFetching(error)).toBe(false)
  })

  it.each(['408', '425', '429', '500', '503'])('is fetched again after HTTP %s', (status) => {
    expect(isWorthFetching(notFetched('status', status))).toBe(true)
  })

  it('is not fetched once the app is closing, and closing ends only after all running attempts have ended', async () => {
    const attempts = Array.from({ length: 4 }, () => deferred<Result<undefined>>())
    const started: string[] = []
    const complete = async (shipmentId: string) => {
      started.push(shipmentId)
      return attempts[started.length - 1]?.promise ?? ok(undefined)
    }
    const retries = createLabelRetries({ complete, log: silentLog })
    retries.resume(['A', 'B', 'C', 'D', 'E'])
    expect(started).toEqual(['A', 'B', 'C', 'D'])
    retries.add('F', lost)
    const stopped = vi.fn()
    const stopping = retries.stop().then(stopped)
    for (const attempt of attempts) {
      await vi.advanceTimersByTimeAsync(minuteMs)
      expect(stopped).not.toHaveBeenCalled()
      attempt.resolve(err(lost))
    }
    await stopping
    await vi.advanceTimersByTimeAsync(24 * 60 * minuteMs)
    expect(started).toEqual(['A', 'B', 'C', 'D'])
  })
})

describe('a label that could not be written to the disk', () => {
  it('is written again without a limit, at most ten seconds apart', async () => {
    const error = appError('label-not-stored')
    const { retries, tries } = failing(() => error)
    retries.add('A', error)
    await vi.advanceTimersByTimeAsync(60 * minuteMs)
    expect(tries.slice(0, 6)).toEqual([0.5, 1.5, 3.5, 7.5, 15.5, 25.5])
    expect(tries.length).toBeGreaterThan(350)
  })

  it('is fetched with short pauses, 20 times, if the fetch fails once the disk accepts files', async () => {
    const refused = appError('label-not-stored')
    const errors = Array.from({ length: 30 }, () => refused)
    const { retries, tries } = failing(() => errors.shift() ?? lost)
    retries.add('A', refused)
    await vi.advanceTimersByTimeAsync(24 * 60 * minuteMs)
    const fetches = tries.slice(30)
    expect(fetches).toHaveLength(1 + 20)
    expect(fetches.slice(1, 5).map((at) => at - (fetches[0] ?? 0))).toEqual([1, 3, 7, 15])
  })
})
