import { describe, expect, it } from 'vitest'
import { createTrackStore } from '../../../src/renderer/features/track/trackStore'
import { appError } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'
import type { TrackedCode, TrackingOptions } from '../../../src/shared/tracking'
import { createFakeBridge } from '../../support/fakeBridge'

const event = {
  itemNumber: 0,
  code: '99',
  description: 'Label',
  location: '',
  dateTime: '2026-11-21 09:00:00',
}
const tracked: TrackedCode = { code: 'A', found: true, lastStatus: event, events: [event] }
const kept = { tracked, askedAt: '2026-11-21T09:00:00.000Z', language: 'en' } as const

describe('looking up one code', () => {
  it('shows what is stored until the service has answered', async () => {
    let answer: (value: TrackedCode) => void = () => undefined
    const store = createTrackStore({
      ...createFakeBridge().bridge,
      getStoredTracking: async () => ok(kept),
      trackCode: () => new Promise((resolve) => (answer = (value) => resolve(ok(value)))),
    })
    const looking = store.getState().lookUp('A')
    await expect.poll(() => store.getState().stored?.askedAt).toBe(kept.askedAt)
    expect(store.getState()).toMatchObject({ busy: true, result: tracked })
    answer({ ...tracked, events: [] })
    await looking
    expect(store.getState()).toMatchObject({ busy: false, stored: null, result: { events: [] } })
  })

  it('keeps showing it, with the failure, when the service can’t be reached', async () => {
    const down = appError('service-unreachable')
    const store = createTrackStore({
      ...createFakeBridge().bridge,
      getStoredTracking: async () => ok(kept),
      trackCode: async () => err(down),
    })
    await store.getState().lookUp('A')
    expect(store.getState()).toMatchObject({ result: tracked, error: down, stored: { language: 'en' } })
  })

  it('another language asks again, another kind of code does not', async () => {
    const asked: TrackingOptions['language'][] = []
    const store = createTrackStore({
      ...createFakeBridge().bridge,
      trackCode: async ({ options }) => {
        asked.push(options.language)
        return ok(tracked)
      },
    })
    await store.getState().lookUp('A')
    store.getState().setOptions({ type: 'box' })
    store.getState().setOptions({ language: 'nl' })
    await expect.poll(() => store.getState().busy).toBe(false)
    expect(asked).toEqual(['en', 'nl'])
  })

  it('another language leaves alone what is being typed', async () => {
    const asked: string[] = []
    const store = createTrackStore({
      ...createFakeBridge().bridge,
      trackCode: async ({ code, options }) => {
        asked.push(`${code} ${options.language}`)
        return ok(tracked)
      },
    })
    await store.getState().lookUp('A')
    store.getState().setCode('B')
    store.getState().setOptions({ language: 'nl' })
    await expect.poll(() => store.getState().busy).toBe(false)
    expect(asked).toEqual(['A en', 'A nl'])
    expect(store.getState()).toMatchObject({ code: 'B', result: { code: 'A' } })
  })

  it('another language asks again for what is still under way', async () => {
    const asked: string[] = []
    const answers: ((value: TrackedCode) => void)[] = []
    const store = createTrackStore({
      ...createFakeBridge().bridge,
      trackCode({ code, options }) {
        asked.push(`${code} ${options.language}`)
        return new Promise((resolve) => answers.push((value) => resolve(ok(value))))
      },
    })
    store.getState().setOptions({ language: 'nl' })
    expect(asked).toEqual([])
    void store.getState().lookUp('A')
    store.getState().setOptions({ language: 'en' })
    expect(asked).toEqual(['A nl', 'A en'])
    answers[1]?.(tracked)
    answers[0]?.({ ...tracked, events: [] })
    await expect.poll(() => store.getState().result).toEqual(tracked)
  })

  it('keeps showing what is stored when the service does not know it any more', async () => {
    const store = createTrackStore({
      ...createFakeBridge().bridge,
      getStoredTracking: async () => ok(kept),
      trackCode: async () => ok({ code: 'A', found: false, lastStatus: null, events: [] }),
    })
    await store.getState().lookUp('A')
    expect(store.getState()).toMatchObject({ result: tracked, lost: true, stored: { language: 'en' } })
  })

  it('a slow answer does not cover a later look-up', async () => {
    const answers: ((value: TrackedCode) => void)[] = []
    const store = createTrackStore({
      ...createFakeBridge().bridge,
      trackCode: () => new Promise((resolve) => answers.push((value) => resolve(ok(value)))),
    })
    const first = store.getState().lookUp('A')
    const second = store.getState().lookUp('B')
    answers[1]?.({ ...tracked, code: 'B' })
    await second
    answers[0]?.(tracked)
    await first
    expect(store.getState().result?.code).toBe('B')
  })
})
