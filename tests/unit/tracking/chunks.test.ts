import { describe, expect, it } from 'vitest'
import { askChunks, type ChunkDeps, cutIntoChunks } from '../../../src/main/tracking/chunks'
import { appError } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'

/** A clock that advances only by pauses, which end at once. */
function standingClock() {
  let now = 0
  const pauses: number[] = []
  return {
    pauses,
    timing: {
      now: () => new Date(now),
      random: () => 1,
      pause: async (ms: number) => {
        pauses.push(ms)
        now += ms
      },
    },
  }
}

const busy = (details: Record<string, string>) => err(appError('service-busy', details))

async function run(chunks: string[][], change: Partial<ChunkDeps> & Pick<ChunkDeps, 'ask'>) {
  const clock = standingClock()
  const ended: [string, boolean][] = []
  await askChunks(chunks, {
    timing: clock.timing,
    parallel: 1,
    signal: new AbortController().signal,
    onChunk: (codes, result) => {
      ended.push([codes.join(), result.ok])
    },
    ...change,
  })
  return { pauses: clock.pauses, ended }
}

describe('chunks of codes', () => {
  it('contain at most the given number of codes', () => {
    expect(cutIntoChunks(['a', 'b', 'c'], 2)).toEqual([['a', 'b'], ['c']])
    expect(cutIntoChunks([], 2)).toEqual([])
  })

  it('are split when one code causes a refusal, and all other codes are answered', async () => {
    const { ended, pauses } = await run([['a', 'b', 'bad', 'c', 'd'], ['e']], {
      ask: async (codes) => (codes.includes('bad') ? err(appError('service-refused')) : ok([])),
    })
    expect(ended).toEqual([
      ['a,b', true],
      ['bad', false],
      ['c,d', true],
      ['e', true],
    ])
    expect(pauses).toEqual([])
  })

  it('are split at once when they take too long, and a single code is asked for again', async () => {
    const asked: string[] = []
    const { ended } = await run([['a', 'slow', 'b', 'c']], {
      async ask(codes) {
        asked.push(codes.join())
        return codes.includes('slow') ? err(appError('service-timeout')) : ok([])
      },
      retries: 1,
    })
    expect(asked).toEqual(['a,slow,b,c', 'a,slow', 'a', 'slow', 'slow', 'b,c'])
    expect(ended).toEqual([
      ['a', true],
      ['slow', false],
      ['b,c', true],
    ])
  })

  it.each([
    [
      'the service fails over one code, after the retries, which only the whole chunk gets',
      'service-failed',
      2,
    ],
    ['an answer with one code is not understood', 'service-answer-not-understood', 1],
  ] as const)('are split when %s', async (_what, error, tries) => {
    const asked: string[] = []
    const { ended } = await run([['a', 'bad', 'b', 'c']], {
      async ask(codes) {
        asked.push(codes.join())
        return codes.includes('bad') ? err(appError(error)) : ok([])
      },
      retries: 1,
    })
    expect(asked).toEqual([...Array.from({ length: tries }, () => 'a,bad,b,c'), 'a,bad', 'a', 'bad', 'b,c'])
    expect(ended).toEqual([
      ['a', true],
      ['bad', false],
      ['b,c', true],
    ])
  })

  it('are split to the last code when the service fails over the first of a thousand', async () => {
    const codes = Array.from({ length: 1000 }, (_, index) => `code-${index}`)
    const { ended } = await run([codes], {
      ask: async (asked) => (asked.includes('code-0') ? err(appError('service-failed')) : ok([])),
    })
    expect(ended.filter(([, isAnswered]) => !isAnswered)).toEqual([['code-0', false]])
    expect(ended.flatMap(([asked]) => asked.split(','))).toHaveLength(1000)
  })

  it('wait before the next request after each part over which the service fails', async () => {
    const { pauses, ended } = await run([['a', 'b', 'c', 'd']], {
      ask: async () => err(appError('service-failed')),
      retries: 1,
    })
    expect(ended.map(([codes]) => codes)).toEqual(['a', 'b', 'c', 'd'])
    // One for the retry of the chunk, and one after each part but the last.
    expect(pauses).toEqual([500, 500, 500, 500, 500, 500])
  })

  it('are not split when the service fails and asks for a pause', async () => {
    const asked: string[] = []
    const { pauses, ended } = await run([['a', 'b'], ['c']], {
      async ask(codes) {
        asked.push(codes.join())
        return err(appError('service-failed', { status: '503', retryAfterSeconds: '30' }))
      },
      retries: 1,
    })
    expect(asked).toEqual(['a,b', 'a,b', 'c', 'c'])
    // The next chunk waits too.
    expect(pauses).toEqual([30_000, 30_000, 30_000])
    expect(ended).toEqual([
      ['a,b', false],
      ['c', false],
    ])
  })

  it('are split too when they are refused after all other requests have ended', async () => {
    const { ended } = await run([['a', 'bad', 'b', 'c'], ['d']], {
      parallel: 2,
      async ask(codes) {
        // The other request ends, and no chunk is left for it, before this one is refused.
        if (codes.length === 4) await new Promise((resolve) => setImmediate(resolve))
        return codes.includes('bad') ? err(appError('service-refused')) : ok([])
      },
    })
    expect(ended).toEqual([
      ['d', true],
      ['a', true],
      ['bad', false],
      ['b,c', true],
    ])
  })

  it('free their place for the next chunk when the response arrives, before it is read', async () => {
    const asked: string[] = []
    const reading: (() => void)[] = []
    const running = run([['a'], ['b'], ['c']], {
      async ask([code = ''], onAnswered) {
        asked.push(code)
        if (code === 'c') return ok([])
        onAnswered()
        await new Promise<void>((resolve) => reading.push(resolve))
        return ok([])
      },
    })
    await expect.poll(() => asked).toEqual(['a', 'b', 'c'])
    for (const end of reading) end()
    expect((await running).ended.map(([codes]) => codes)).toEqual(['c', 'a', 'b'])
  })

  it('are split too when the refusal is found only by reading the last response', async () => {
    const { ended } = await run([['a', 'bad']], {
      async ask(codes, onAnswered) {
        onAnswered()
        await new Promise((resolve) => setImmediate(resolve))
        return codes.includes('bad') ? err(appError('service-refused')) : ok([])
      },
    })
    expect(ended).toEqual([
      ['a', true],
      ['bad', false],
    ])
  })

  it('cause at most 220 requests for 5,000 codes when the service refuses everything', async () => {
    let asked = 0
    const chunks = cutIntoChunks(
      Array.from({ length: 5_000 }, (_, index) => `code-${index}`),
      50,
    )
    const { ended } = await run(chunks, {
      ask: async () => {
        asked += 1
        return err(appError('service-refused'))
      },
    })
    expect(asked).toBeLessThanOrEqual(100 + 2 * 60)
    expect(ended.flatMap(([codes]) => codes.split(',')).sort()).toEqual(chunks.flat().sort())
  })

  it('wait longer before each retry, and fail after the fourth', async () => {
    const { pauses, ended } = await run([['a'], ['b']], {
      ask: async (codes) => (codes[0] === 'a' ? err(appError('service-failed')) : ok([])),
    })
    expect(pauses).toEqual([500, 1000, 2000, 4000])
    expect(ended).toEqual([
      ['a', false],
      ['b', true],
    ])
  })

  it('wait as long as the service requests, but at most 30 s', async () => {
    const answers = [
      busy({ status: '429', retryAfterSeconds: '7' }),
      busy({ status: '429', retryAfterSeconds: '99999' }),
    ]
    const { pauses, ended } = await run([['a']], { ask: async () => answers.shift() ?? ok([]) })
    expect(pauses).toEqual([7000, 30_000])
    expect(ended).toEqual([['a', true]])
  })

  it('do not pause longer when the clock is set back', async () => {
    let now = 10_000_000
    const pauses: number[] = []
    const answers = [busy({ status: '429', retryAfterSeconds: '20' })]
    await run([['a']], {
      ask: async () => answers.shift() ?? ok([]),
      timing: {
        random: () => 1,
        now() {
          const moment = new Date(now)
          now -= 3_600_000
          return moment
        },
        pause: async (ms) => {
          pauses.push(ms)
          now = 20_000_000
        },
      },
    })
    expect(pauses).toEqual([30_000])
  })

  it('continue when the result of one can’t be stored, and report the error at the end', async () => {
    const taken: string[] = []
    const running = run([['a'], ['b'], ['c']], {
      ask: async () => ok([]),
      async onChunk(codes) {
        if (codes[0] === 'a') throw new Error('disk full')
        taken.push(codes.join())
      },
    })
    await expect(running).rejects.toThrow('disk full')
    expect(taken).toEqual(['b', 'c'])
  })

  it('are not requested again when a single code was refused', async () => {
    let asked = 0
    const { pauses } = await run([['a']], {
      ask: async () => {
        asked += 1
        return err(appError('service-refused'))
      },
    })
    expect([asked, pauses]).toEqual([1, []])
  })

  it('never have more requests in flight than allowed', async () => {
    let inFlight = 0
    let most = 0
    await run(
      Array.from({ length: 20 }, (_, at) => [String(at)]),
      {
        parallel: 3,
        ask: async () => {
          inFlight += 1
          most = Math.max(most, inFlight)
          await Promise.resolve()
          inFlight -= 1
          return ok([])
        },
      },
    )
    expect(most).toBe(3)
  })

  it('stop when they are cancelled, even if a response never arrives', async () => {
    const cancel = new AbortController()
    const { ended } = await run([['a'], ['b']], {
      signal: cancel.signal,
      ask: () => {
        cancel.abort()
        return new Promise(() => undefined)
      },
    })
    expect(ended).toEqual([])
  })
})
