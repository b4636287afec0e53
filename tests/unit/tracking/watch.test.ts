import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Watch, type WatchDeps } from '../../../src/main/tracking/watch'
import { appError } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'
import { defaultTrackingSettings } from '../../../src/shared/tracking'

const nothing = () => undefined
const log: WatchDeps['log'] = { info: nothing, warn: nothing, error: nothing }
const quietStore: WatchDeps['parcels'] = {
  enrolAll: async () => undefined,
  listUnderWay: async () => ['A', 'B'],
  keep: async () => undefined,
  noteStatuses: async () => undefined,
  takeNewAlerts: async () => [],
}
const toFound = (code: string) => ({ code, found: true, lastStatus: null, events: [] })
let watch: Watch | undefined

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-16T18:00:00Z') })
})

afterEach(async () => {
  await watch?.stop()
  vi.useRealTimers()
})

/** A watch over two parcels with a round every hour; counts the requests to the service. */
async function watching(change: Partial<WatchDeps> = {}) {
  const trackBulk = vi.fn<WatchDeps['trackBulk']>(async () => ok([]))
  watch = new Watch({
    parcels: quietStore,
    trackBulk,
    settings: () => ({ ...defaultTrackingSettings, pollMinutes: 60 }),
    language: () => 'en',
    hasAccount: () => true,
    isOffline: () => false,
    timing: { now: () => new Date(), random: () => 0.5, pause: async () => undefined },
    log,
    bus: { emit: nothing },
    ...change,
  })
  watch.start()
  await vi.advanceTimersByTimeAsync(3_000)
  return { watch, trackBulk }
}

describe('the watch over parcels', () => {
  it('starts a round when it is started, and then at each interval', async () => {
    const { trackBulk } = await watching()
    expect(trackBulk).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(59 * 60_000)
    expect(trackBulk).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(trackBulk).toHaveBeenCalledTimes(2)
  })

  it('starts a round soon after the machine slept through one', async () => {
    const { trackBulk } = await watching()
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    // While the machine sleeps, the clock advances but timers do not.
    vi.setSystemTime(new Date('2026-11-17T07:00:00Z'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(trackBulk).toHaveBeenCalledTimes(2)
  })

  it('does not delay a round when the clock is set back', async () => {
    const { trackBulk } = await watching()
    vi.setSystemTime(new Date('2009-01-01T00:00:00Z'))
    await vi.advanceTimersByTimeAsync(60 * 60_000)
    expect(trackBulk).toHaveBeenCalledTimes(2)
  })

  it('starts a round at once when the watched parcels or settings change', async () => {
    let language: 'en' | 'nl' = 'en'
    const { watch: changed, trackBulk } = await watching({ language: () => language })
    language = 'nl'
    changed.askSoon()
    await vi.advanceTimersByTimeAsync(1)
    expect(trackBulk.mock.calls.map(([, options]) => options.language)).toEqual(['en', 'nl'])
  })

  it('starts another round when a change occurs during one', async () => {
    let answer: () => void = nothing
    const asked: string[] = []
    let language: 'en' | 'nl' = 'en'
    const { watch: changed } = await watching({
      language: () => language,
      trackBulk(_codes, options) {
        asked.push(options.language)
        return new Promise((resolve) => {
          answer = () => resolve(ok([]))
        })
      },
    })
    language = 'nl'
    changed.askSoon()
    answer()
    await vi.advanceTimersByTimeAsync(1)
    expect(asked).toEqual(['en', 'nl'])
  })

  it('starts one round, not two, after a pause during which a change occurred', async () => {
    const answers = [err(appError('account-refused')), ok([]), ok([])]
    const { watch: changed } = await watching({
      async trackBulk() {
        if (answers.length === 3) watch?.askSoon()
        return answers.shift() ?? ok([])
      },
    })
    expect(changed.status().state).toBe('no-account')
    changed.resume()
    await vi.advanceTimersByTimeAsync(1)
    expect(answers).toHaveLength(1)
  })

  it.each([
    ['service-unreachable', 4],
    ['account-refused', 1],
  ] as const)('after %s sends %i requests in three minutes', async (code, times) => {
    const asked: string[] = []
    await watching({
      async trackBulk() {
        asked.push(code)
        return err(appError(code))
      },
      isOffline: () => true,
    })
    await vi.advanceTimersByTimeAsync(3 * 60_000)
    expect(asked).toHaveLength(times)
  })

  it.each([
    'service-timeout',
    'service-connection-lost',
    'service-failed',
    'service-answer-not-understood',
  ] as const)('asks for all other parcels when one of them causes %s', async (code) => {
    const codes = Array.from({ length: 200 }, (_, index) => `P${index}`)
    const answered = new Set<string>()
    const warn = vi.fn<WatchDeps['log']['warn']>()
    const { watch: asking } = await watching({
      log: { ...log, warn },
      parcels: {
        ...quietStore,
        listUnderWay: async () => codes,
        keep: async (tracked) => {
          for (const each of tracked) answered.add(each.code)
        },
      },
      trackBulk: async (asked) => (asked.includes('P60') ? err(appError(code)) : ok(asked.map(toFound))),
    })
    expect(answered.size).toBe(199)
    expect(asking.status()).toMatchObject({ state: 'waiting', error: null })
    expect(asking.status().lastRoundAt).not.toBeNull()
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.any(String), { parcels: 1, error: code })
  })

  it('completes a round of few parcels although the service fails over the newest, which it then asks for alone', async () => {
    const asked: string[] = []
    const { watch: asking } = await watching({
      parcels: { ...quietStore, listUnderWay: async () => ['BAD', 'A', 'B'] },
      async trackBulk(chunk) {
        asked.push(chunk.join())
        return chunk.includes('BAD') ? err(appError('service-failed')) : ok(chunk.map(toFound))
      },
    })
    expect(asking.status()).toMatchObject({ state: 'waiting', error: null })
    expect(asking.status().lastRoundAt).not.toBeNull()
    asked.length = 0
    await vi.advanceTimersByTimeAsync(60 * 60_000)
    expect(asked).toEqual(['A,B', 'BAD'])
  })

  it('reports that the service fails when it begins to during a round', async () => {
    const codes = ['A', 'B', 'C', 'D']
    const { watch: asking } = await watching({
      parcels: { ...quietStore, listUnderWay: async () => codes },
      settings: () => ({ ...defaultTrackingSettings, chunkSize: 1, parallelRequests: 1, pollMinutes: 60 }),
      trackBulk: async (chunk) =>
        chunk.includes('A') ? ok(chunk.map(toFound)) : err(appError('service-failed')),
    })
    expect(asking.status()).toMatchObject({ lastRoundAt: null, error: { code: 'service-failed' } })
  })

  it('asks alone for at most 60 parcels in a round, others each time, until these are answered', async () => {
    const codes = ['A', ...Array.from({ length: 99 }, (_, index) => `B${index}`)]
    let isBad = true
    const asked: string[] = []
    await watching({
      parcels: { ...quietStore, listUnderWay: async () => codes },
      settings: () => ({ ...defaultTrackingSettings, chunkSize: 1, pollMinutes: 60 }),
      async trackBulk(chunk) {
        asked.push(...chunk)
        return isBad && !chunk.includes('A') ? err(appError('service-failed')) : ok(chunk.map(toFound))
      },
    })
    const askAgain = async () => {
      asked.length = 0
      await vi.advanceTimersByTimeAsync(60 * 60_000)
      return asked.filter((code) => code !== 'A')
    }
    const [first, second] = [await askAgain(), await askAgain()]
    expect([first.length, second.length]).toEqual([60, 60])
    expect(new Set([...first, ...second]).size).toBe(99)
    isBad = false
    expect(await askAgain()).toHaveLength(60)
    expect(await askAgain()).toHaveLength(99)
  })

  it('goes on reporting the failure while more than ten parcels have no usable answer', async () => {
    const codes = ['A', ...Array.from({ length: 11 }, (_, index) => `B${index}`)]
    const bad = new Set(codes.slice(1))
    const { watch: asking } = await watching({
      parcels: { ...quietStore, listUnderWay: async () => codes },
      settings: () => ({ ...defaultTrackingSettings, chunkSize: 1, pollMinutes: 60 }),
      trackBulk: async (chunk) =>
        chunk.some((code) => bad.has(code)) ? err(appError('service-failed')) : ok(chunk.map(toFound)),
    })
    // In this round they are known.
    await vi.advanceTimersByTimeAsync(60 * 60_000)
    expect(asking.status()).toMatchObject({ lastRoundAt: null, error: { code: 'service-failed' } })
    bad.delete('B0')
    await vi.advanceTimersByTimeAsync(60 * 60_000)
    expect(asking.status().error).toBeNull()
    expect(asking.status().lastRoundAt).not.toBeNull()
  })

  it('reports that the service asks for a pause, also over a single code', async () => {
    const { watch: asking } = await watching({
      settings: () => ({ ...defaultTrackingSettings, chunkSize: 1, pollMinutes: 60 }),
      trackBulk: async (chunk) =>
        chunk.includes('A')
          ? ok(chunk.map(toFound))
          : err(appError('service-failed', { status: '503', retryAfterSeconds: '30' })),
    })
    expect(asking.status()).toMatchObject({ lastRoundAt: null, error: { code: 'service-failed' } })
  })

  it('sends few requests more, and reports the failure, when the service fails whatever it is asked for', async () => {
    const codes = Array.from({ length: 200 }, (_, index) => `P${index}`)
    const trackBulk = vi.fn<WatchDeps['trackBulk']>(async () => err(appError('service-failed')))
    const { watch: asking } = await watching({
      parcels: { ...quietStore, listUnderWay: async () => codes },
      trackBulk,
    })
    expect(asking.status()).toMatchObject({ lastRoundAt: null, error: { code: 'service-failed' } })
    // Four chunks with three retries each, and the parts of ten chunks that were halved.
    expect(trackBulk.mock.calls.length).toBeLessThanOrEqual(4 * 4 + 2 * 10)
  })

  it.each([
    ['the newest while the service counts as unreachable', ['P0'], 2, true],
    ['the two newest while the service counts as unreachable', ['P0', 'P1'], 2, true],
    ['two neighbours, one request at a time', ['P60', 'P61'], 1, false],
  ])(
    'asks for all other parcels, once in each interval, when some break the connection: %s',
    async (...row) => {
      const [, bad, parallelRequests, isOffline] = row
      const codes = Array.from({ length: 200 }, (_, index) => `P${index}`)
      const answered: string[] = []
      const { watch: asking } = await watching({
        parcels: {
          ...quietStore,
          listUnderWay: async () => codes,
          keep: async (tracked) => void answered.push(...tracked.map(({ code }) => code)),
        },
        settings: () => ({ ...defaultTrackingSettings, parallelRequests, pollMinutes: 60 }),
        isOffline: () => isOffline,
        trackBulk: async (asked) =>
          asked.some((code) => bad.includes(code))
            ? err(appError('service-connection-lost'))
            : ok(asked.map(toFound)),
      })
      await vi.advanceTimersByTimeAsync(5 * 60_000)
      expect(asking.status().state).toBe('waiting')
      answered.length = 0
      await vi.advanceTimersByTimeAsync(60 * 60_000)
      expect(asking.status().state).toBe('waiting')
      expect(answered.toSorted()).toEqual(codes.filter((code) => !bad.includes(code)).toSorted())
    },
  )

  it('asks for a parcel that broke the connection with the others again once it is answered', async () => {
    const asked: string[] = []
    let isBad = true
    await watching({
      parcels: { ...quietStore, listUnderWay: async () => ['A', 'B', 'C', 'D'] },
      async trackBulk(chunk) {
        asked.push(chunk.join())
        return isBad && chunk.includes('B')
          ? err(appError('service-connection-lost'))
          : ok(chunk.map(toFound))
      },
    })
    isBad = false
    asked.length = 0
    await vi.advanceTimersByTimeAsync(60 * 60_000)
    expect(asked).toEqual(['A,C,D', 'B'])
    await vi.advanceTimersByTimeAsync(60 * 60_000)
    expect(asked.slice(2)).toEqual(['A,B,C,D'])
  })

  it.each(['service-timeout', 'service-connection-lost'] as const)(
    'pauses when every parcel causes %s',
    async (code) => {
      const codes = Array.from({ length: 200 }, (_, index) => `P${index}`)
      const asked: string[] = []
      const { watch: paused } = await watching({
        parcels: { ...quietStore, listUnderWay: async () => codes },
        async trackBulk(chunk) {
          asked.push(chunk.join())
          return err(appError(code))
        },
      })
      expect(paused.status()).toMatchObject({ state: 'offline', error: { code } })
      expect(asked.length).toBeLessThan(80)
    },
  )

  it('completes a round although the service refuses one code, which counts as not found', async () => {
    const kept: [code: string, found: boolean][] = []
    const { watch: refused } = await watching({
      parcels: {
        ...quietStore,
        listUnderWay: async () => ['A', 'BAD', 'C'],
        keep: async (tracked) => {
          for (const { code, found } of tracked) kept.push([code, found])
        },
      },
      trackBulk: async (codes) =>
        codes.includes('BAD') ? err(appError('service-refused')) : ok(codes.map(toFound)),
    })
    expect(refused.status()).toMatchObject({ state: 'waiting', error: null })
    expect(refused.status().lastRoundAt).not.toBeNull()
    expect(kept.toSorted()).toEqual([
      ['A', true],
      ['BAD', false],
      ['C', true],
    ])
  })

  it('counts the only parcel that is under way as not found when the service refuses it', async () => {
    const keep = vi.fn<WatchDeps['parcels']['keep']>(async () => undefined)
    const { watch: refused } = await watching({
      parcels: { ...quietStore, listUnderWay: async () => ['BAD'], keep },
      trackBulk: async () => err(appError('service-refused')),
    })
    expect(refused.status()).toMatchObject({ state: 'waiting', error: null })
    expect(refused.status().lastRoundAt).not.toBeNull()
    expect(keep.mock.calls.map(([tracked]) => tracked)).toMatchObject([[{ code: 'BAD', found: false }]])
  })

  it('reports the refusal when the service refuses every code', async () => {
    const keep = vi.fn<WatchDeps['parcels']['keep']>(async () => undefined)
    const { watch: refused } = await watching({
      parcels: { ...quietStore, keep },
      trackBulk: async () => err(appError('service-refused')),
    })
    expect(refused.status()).toMatchObject({ lastRoundAt: null, error: { code: 'service-refused' } })
    expect(keep).not.toHaveBeenCalled()
  })

  it('reports an error when the results of a round can’t be stored', async () => {
    const { watch: failing } = await watching({
      parcels: {
        ...quietStore,
        keep: async () => {
          throw new Error('disk full')
        },
      },
    })
    expect(failing.status()).toMatchObject({
      state: 'waiting',
      lastRoundAt: null,
      error: { code: 'internal' },
    })
  })

  it('stops listening for its end after a round whose results can’t be stored', async () => {
    const keep = vi.fn(() => Promise.reject(new Error('disk full')))
    const enrolAll = vi.fn<WatchDeps['parcels']['enrolAll']>(async () => undefined)
    await watching({ parcels: { ...quietStore, keep, enrolAll } })
    expect(keep).toHaveBeenCalled()
    const signals = enrolAll.mock.calls.map(([signal]) => signal)
    expect(signals.length).toBeGreaterThan(0)
    expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([])
  })

  it('retries failed requests of a round again once the service is reachable', async () => {
    const answers = [ok([]), err(appError('service-failed')), ok([])]
    const { watch: back } = await watching({
      isOffline: () => true,
      trackBulk: async () => answers.shift() ?? ok([]),
    })
    expect(answers).toEqual([])
    expect(back.status()).toMatchObject({ state: 'waiting', error: null })
  })
})
