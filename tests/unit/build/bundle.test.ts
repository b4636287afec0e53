import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { getNewestChange } from '../../../build/bundle.mjs'

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packbench-bundle-test-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

describe('getNewestChange', () => {
  const then = new Date('2026-01-01T00:00:00Z')
  const later = new Date('2026-02-01T00:00:00Z')

  /** A folder with one file in an inner folder, all last changed at `then`. */
  async function oldTree(): Promise<{ inner: string; file: string }> {
    const inner = join(folder, 'inner')
    const file = join(inner, 'file.ts')
    await mkdir(inner)
    await writeFile(file, '')
    for (const path of [file, inner, folder]) await utimes(path, then, then)
    return { inner, file }
  }

  it('returns the time of the newest file, also in an inner folder', async () => {
    const { file } = await oldTree()
    expect(await getNewestChange(folder)).toBe(then.getTime())
    await utimes(file, later, later)
    expect(await getNewestChange(folder)).toBe(later.getTime())
  })

  it('returns a later time after a file was removed', async () => {
    const { file } = await oldTree()
    await rm(file)
    expect(await getNewestChange(folder)).toBeGreaterThan(then.getTime())
  })

  it('returns 0 for a missing folder', async () => {
    expect(await getNewestChange(join(folder, 'missing'))).toBe(0)
  })
})
