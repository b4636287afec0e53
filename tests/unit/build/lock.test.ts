import { execFile } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withLock } from '../../../build/lock.mjs'

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packbench-lock-test-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

describe('withLock', () => {
  it('runs one task at a time, and removes the lock file afterwards', async () => {
    const order: string[] = []
    const release = new EventEmitter()
    const held = once(release, 'open')
    const one = withLock(
      'thing',
      async () => {
        order.push('one in')
        await held
        order.push('one out')
      },
      folder,
    )
    await expect.poll(() => order).toEqual(['one in'])
    const two = withLock('thing', async () => order.push('two in'), folder)
    release.emit('open')
    await Promise.all([one, two])
    expect(order).toEqual(['one in', 'one out', 'two in'])
    expect(await readdir(folder)).toEqual([])
  })

  it('takes over the lock of a process that has ended', async () => {
    const child = await promisify(execFile)(process.execPath, ['-p', 'process.pid'])
    await writeFile(join(folder, 'thing.lock'), child.stdout.trim())
    expect(await withLock('thing', async () => 'done', folder)).toBe('done')
  })

  it('releases the lock when the task fails', async () => {
    await expect(withLock('thing', () => Promise.reject(new Error('no')), folder)).rejects.toThrow('no')
    expect(await readdir(folder)).toEqual([])
  })
})
