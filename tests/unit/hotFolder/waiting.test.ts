import { appendFileSync, lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { BackOff, createPauses, orStopped } from '../../../src/main/hotFolder/pauses'
import { readAtRest, stampOf } from '../../../src/main/hotFolder/stamp'
import { Troubles } from '../../../src/main/hotFolder/waitReasons'
import { createMutex } from '../../../src/main/lib/mutex'
import type { LogFields } from '../../../src/main/log/log'
import { appError } from '../../../src/shared/errors'

describe('pauses', () => {
  it('end by themselves, or all at once when woken', async () => {
    const pauses = createPauses()
    await pauses.pause(1)
    const long = Promise.all([pauses.pause(3_600_000), pauses.pause(3_600_000)])
    pauses.wake()
    expect(await long).toHaveLength(2)
  })

  it('grow between tries up to a limit, and start over', () => {
    const backOff = new BackOff(10, 50)
    expect([1, 2, 3, 4, 5].map(() => backOff.next())).toEqual([10, 20, 40, 50, 50])
    backOff.reset()
    expect(backOff.next()).toBe(10)
  })
})

describe('work that may be given up', () => {
  it('gives its result or its failure when nothing stops it', async () => {
    const { signal } = new AbortController()
    expect(await orStopped(Promise.resolve(5), signal)).toBe(5)
    await expect(orStopped(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
  })

  it('is not waited for any more when it is stopped, then or before', async () => {
    const stop = new AbortController()
    const waiting = orStopped(new Promise<number>(() => undefined), stop.signal)
    stop.abort()
    expect(await waiting).toBeUndefined()
    expect(await orStopped(new Promise<number>(() => undefined), stop.signal)).toBeUndefined()
  })
})

describe('a mutex', () => {
  it('runs work one after another, past a piece that fails', async () => {
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

describe('troubles', () => {
  it('are logged when they come, change and go, not each time they are met', () => {
    const heard: string[] = []
    const write = (message: string, fields?: LogFields) =>
      heard.push(`${message} ${fields?.reason ?? ''}`.trim())
    let changes = 0
    const log = { debug: write, info: write, warn: write, error: write }
    const troubles = new Troubles(log, () => {
      changes += 1
    })
    troubles.clear('orders')
    troubles.set('orders', appError('no-account', 'no account'))
    troubles.set('orders', appError('no-account', 'no account'))
    troubles.set('folder', appError('disk-full', 'full'))
    expect(troubles.first()?.code).toBe('no-account')
    troubles.clear('orders')
    expect(troubles.first()?.code).toBe('disk-full')
    troubles.clear('folder')
    expect(troubles.first()).toBeUndefined()
    expect(heard).toEqual([
      'the hot folder is held up no account',
      'the hot folder is held up full',
      'the hot folder works again',
    ])
    expect(changes).toBe(4)
  })
})

describe('reading a file at rest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rest-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'order.csv')
  const stamp = () => stampOf(lstatSync(path, { bigint: true }))

  it('reads at once what is as it was last seen', async () => {
    writeFileSync(path, 'one')
    const read = await readAtRest(path, stamp(), 100, () => Promise.reject(new Error('it waited')))
    expect(read).toEqual({ content: Buffer.from('one'), stamp: stamp() })
  })

  it('waits until nobody writes to it any more', async () => {
    writeFileSync(path, 'one')
    const before = stamp()
    appendFileSync(path, ' two')
    let waits = 0
    const read = await readAtRest(path, before, 100, async () => {
      waits += 1
      if (waits === 1) appendFileSync(path, ' three')
      return true
    })
    expect(read).toEqual({ content: Buffer.from('one two three'), stamp: stamp() })
    expect(waits).toBe(2)
  })

  it('gives up when it is told to, and leaves large files unread', async () => {
    writeFileSync(path, 'one')
    expect(await readAtRest(path, undefined, 100, async () => false)).toBeUndefined()
    expect(await readAtRest(path, stamp(), 2, async () => true)).toMatchObject({ content: 'too-large' })
  })
})
