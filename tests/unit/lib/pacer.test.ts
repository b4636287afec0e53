import { afterEach, describe, expect, it, vi } from 'vitest'
import { createPacer } from '../../../src/main/lib/async'

afterEach(() => vi.restoreAllMocks())

describe('createPacer', () => {
  it('yields to waiting tasks once 4 ms are used up, and then starts a new 4 ms', async () => {
    let now = 100
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const pace = createPacer()
    now += 3.9
    expect(pace()).toBeUndefined()

    now += 0.1
    let hasRun = false
    setImmediate(() => {
      hasRun = true
    })
    await pace()
    expect(hasRun).toBe(true)
    expect(pace()).toBeUndefined()

    now += 4
    expect(pace()).toBeInstanceOf(Promise)
  })
})
