import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { getNewestChange, isBuilt } from '../../../build/bundle.mjs'

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

describe('isBuilt', () => {
  /** Writes a file of the sources or of the build, last changed at some second of 2026. */
  async function write(name: string, second: number, text = ''): Promise<void> {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
    const time = new Date(Date.UTC(2026, 0, 1, 0, 0, second))
    await utimes(path, time, time)
    await utimes(dirname(path), time, time)
  }

  beforeEach(async () => {
    for (const name of ['src/index.ts', 'docs/backup.md', 'build/plugin.mjs']) await write(name, 10)
    for (const name of ['main/index.js', 'preload/index.cjs', 'renderer/index.html']) {
      await write(join('out', name), 30)
    }
    await write('out/build-stamp', 20, 'one key')
  })

  it('is true for a build that is newer than its sources, with the same key of updates', async () => {
    expect(await isBuilt(folder, { MAIN_VITE_UPDATE_KEY: 'one key' })).toBe(true)
  })

  it('is false when the build contains another key of updates, or none is given now', async () => {
    expect(await isBuilt(folder, { MAIN_VITE_UPDATE_KEY: 'another key' })).toBe(false)
    expect(await isBuilt(folder, {})).toBe(false)
  })

  it.each(['src/index.ts', 'docs/backup.md', 'build/plugin.mjs'])(
    'is false after a change of %s',
    async (name) => {
      await write(name, 25)
      expect(await isBuilt(folder, { MAIN_VITE_UPDATE_KEY: 'one key' })).toBe(false)
    },
  )

  it('is false when a file of the build is missing', async () => {
    await rm(join(folder, 'out', 'preload'), { recursive: true })
    expect(await isBuilt(folder, { MAIN_VITE_UPDATE_KEY: 'one key' })).toBe(false)
  })
})
