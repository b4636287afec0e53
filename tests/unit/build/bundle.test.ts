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

describe('newestChange', () => {
  const then = new Date('2026-01-01T00:00:00Z')
  const later = new Date('2026-02-01T00:00:00Z')

  /** A folder with one file in a folder of its own, all last changed `then`. */
  async function oldTree(): Promise<{ inner: string; file: string }> {
    const inner = join(folder, 'inner')
    const file = join(inner, 'file.ts')
    await mkdir(inner)
    await writeFile(file, '')
    for (const path of [file, inner, folder]) await utimes(path, then, then)
    return { inner, file }
  }

  it('is that of the newest file, however deep', async () => {
    const { file } = await oldTree()
    expect(await getNewestChange(folder)).toBe(then.getTime())
    await utimes(file, later, later)
    expect(await getNewestChange(folder)).toBe(later.getTime())
  })

  it('sees that a file was removed', async () => {
    const { file } = await oldTree()
    await rm(file)
    expect(await getNewestChange(folder)).toBeGreaterThan(then.getTime())
  })

  it('is 0 for what is not there', async () => {
    expect(await getNewestChange(join(folder, 'missing'))).toBe(0)
  })
})
