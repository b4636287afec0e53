import { beforeEach, describe, expect, it, vi } from 'vitest'
import { toHotFolderError } from '../../../src/main/hotFolder/folders'
import { Steps, WaitReasons } from '../../../src/main/hotFolder/steps'
import { createMutex } from '../../../src/main/lib/async'
import { untilStopped } from '../../../src/main/lib/retry'
import type { LogFields } from '../../../src/main/log/log'
import { appError } from '../../../src/shared/errors'
import { err, ok, type Result } from '../../../src/shared/result'
import { silentLog } from '../../support/silentLog'

/** The waits so far, in milliseconds; a wait of `endless` or more lasts until it is aborted. */
const waits: number[] = []
const endless = 3_600_000
function wait(ms: number, signal: AbortSignal): Promise<unknown> {
  waits.push(ms)
  if (ms < endless) return Promise.resolve()
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}
const noReasons = () => new WaitReasons(silentLog, () => undefined)
beforeEach(() => {
  waits.length = 0
})

/** Returns a step that fails `times` times and then succeeds. */
function failing(times: number): () => Promise<Result<string, string>> {
  let tries = 0
  return async () => {
    tries += 1
    return tries > times ? ok('done') : err(`try ${tries}`)
  }
}

describe('a repeated step', () => {
  it('waits longer after each failure, up to a limit', async () => {
    const errors: string[] = []
    const steps = new Steps(noReasons(), new AbortController().signal, wait)
    expect(await steps.repeat(failing(5), { firstMs: 10, maxMs: 50 }, (error) => errors.push(error))).toBe(
      'done',
    )
    expect(waits).toEqual([10, 20, 40, 50, 50])
    expect(errors).toEqual(['try 1', 'try 2', 'try 3', 'try 4', 'try 5'])
  })

  it('is repeated at once by retryNow, with all other steps, and its waits start over', async () => {
    const steps = new Steps(noReasons(), new AbortController().signal, wait)
    const run = () => steps.repeat(failing(3), { firstMs: endless / 4, maxMs: endless }, () => undefined)
    const done = Promise.all([run(), run()])
    await vi.waitFor(() => expect(waits).toHaveLength(6))
    expect(waits.slice(-2)).toEqual([endless, endless])
    steps.retryNow()
    expect(await done).toEqual(['done', 'done'])

    const again = steps.repeat(failing(2), { firstMs: endless, maxMs: 2 * endless }, () => undefined)
    await vi.waitFor(() => expect(waits).toHaveLength(7))
    steps.retryNow()
    await vi.waitFor(() => expect(waits).toHaveLength(8))
    expect(waits.slice(-2)).toEqual([endless, endless])
    steps.retryNow()
    expect(await again).toBe('done')
  })

  it('rejects when the signal is aborted during a wait or before the start', async () => {
    const stop = new AbortController()
    const steps = new Steps(noReasons(), stop.signal, wait)
    const long = { firstMs: endless, maxMs: endless }
    const waiting = steps.repeat(
      async () => err('not yet'),
      long,
      () => undefined,
    )
    await vi.waitFor(() => expect(waits).toHaveLength(1))
    stop.abort()
    await expect(waiting).rejects.toThrow('aborted')
    await expect(
      steps.repeat(
        async () => err('not yet'),
        long,
        () => undefined,
      ),
    ).rejects.toThrow('aborted')
  })
})

describe('untilStopped', () => {
  it('returns the result or the error of the work without an abort', async () => {
    const { signal } = new AbortController()
    expect(await untilStopped(Promise.resolve(5), signal)).toBe(5)
    await expect(untilStopped(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
  })

  it('rejects when the signal is aborted before or during the work', async () => {
    const stop = new AbortController()
    const waiting = untilStopped(new Promise<number>(() => undefined), stop.signal)
    stop.abort()
    await expect(waiting).rejects.toThrow('aborted')
    await expect(untilStopped(new Promise<number>(() => undefined), stop.signal)).rejects.toThrow('aborted')
  })
})

describe('a mutex', () => {
  it('runs tasks one after another, even after a failed one', async () => {
    const mutex = createMutex()
    const heard: string[] = []
    const slow = mutex(async () => {
      heard.push('slow begins')
      await new Promise((resolve) => setImmediate(resolve))
      heard.push('slow ends')
      throw new Error('failed')
    })
    const next = mutex(async () => heard.push('next'))
    await expect(slow).rejects.toThrow('failed')
    await next
    expect(heard).toEqual(['slow begins', 'slow ends', 'next'])
  })
})

describe('WaitReasons', () => {
  it('logs a reason when it appears, changes or ends, but not when it is repeated', () => {
    const heard: string[] = []
    const write = (message: string, fields?: LogFields) =>
      heard.push(`${message} ${fields?.reason ?? ''}`.trim())
    let changes = 0
    const log = { info: write, warn: write, error: write }
    const waitReasons = new WaitReasons(log, () => {
      changes += 1
    })
    waitReasons.clear('orders')
    waitReasons.set('orders', appError('no-account'))
    waitReasons.set('orders', appError('no-account'))
    waitReasons.set('folder', appError('disk-full'))
    expect(waitReasons.first()?.code).toBe('no-account')
    waitReasons.clear('orders')
    expect(waitReasons.first()?.code).toBe('disk-full')
    waitReasons.clear('folder')
    expect(waitReasons.first()).toBeUndefined()
    expect(heard).toEqual([
      'the hot folder waits No account is connected: connect one under Settings, Account.',
      'the hot folder waits The disk is full: free some space, then try again.',
      'the hot folder has resumed',
    ])
    expect(changes).toBe(4)
  })

  it('names what holds up all files before an older reason of one file', () => {
    const write = () => undefined
    const log = { info: write, warn: write, error: write }
    const waitReasons = new WaitReasons(log, () => undefined)
    const replaced = appError('hot-folder-missing', { case: 'replaced', path: '/orders', name: 'A.json' })
    waitReasons.set('result of A.json', replaced)
    expect(waitReasons.first()).toEqual(replaced)
    waitReasons.set('orders', appError('no-account'))
    expect(waitReasons.first()?.code).toBe('no-account')
    waitReasons.clear('orders')
    expect(waitReasons.first()).toEqual(replaced)
  })
})

it('a full disk of the database is named as that, and not as a fault of the hot folder', () => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  expect(toHotFolderError(full, '/exchange')).toMatchObject({
    code: 'disk-full',
    details: { reason: expect.any(String) },
  })
  expect(toHotFolderError(full, '/exchange').message).not.toContain('/exchange')
})
