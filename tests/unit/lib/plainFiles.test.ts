import { link, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  createBy,
  exists,
  overwritePlain,
  readPlainText,
  removeLeftovers,
  replacePlain,
  toTemporaryPath,
} from '../../../src/main/lib/plainFiles'
import { makePipe } from '../../support/makePipe'
import { temporaryFolder } from '../../support/temporaryFolder'

/** A folder in which others may write, and a file outside it that must not change. */
async function openFolder() {
  const folder = await temporaryFolder()
  const victim = join(await temporaryFolder(), 'vault.json')
  await writeFile(victim, 'secret')
  return { folder, victim, path: join(folder, 'note') }
}

/** Puts something else in the place of a file. */
const planted: Record<string, (path: string, victim: string) => Promise<void>> = {
  'a link': (path, victim) => symlink(victim, path),
  'a link to nothing': (path, victim) => symlink(`${victim}.other`, path),
  'a second name of another file': (path, victim) => link(victim, path),
  'a pipe': async (path) => makePipe(path),
}

describe.skipIf(process.platform === 'win32').each(Object.entries(planted))(
  'in a folder in which others may write, %s',
  (_, plant) => {
    it.each([
      ['replacePlain', replacePlain],
      ['overwritePlain', overwritePlain],
    ])('is replaced by %s, which writes nothing through it', async (_name, write) => {
      const { folder, victim, path } = await openFolder()
      await plant(path, victim)
      await write(path, 'new', 0o600)
      expect(await readFile(path, 'utf8')).toBe('new')
      expect(await readFile(victim, 'utf8')).toBe('secret')
      expect(await readdir(join(victim, '..'))).toEqual(['vault.json'])
      expect(await readdir(folder)).toEqual(['note'])
    })
  },
)

describe('readPlainText', () => {
  it.skipIf(process.platform === 'win32').each(['a link', 'a link to nothing', 'a pipe'])(
    'returns no text for %s',
    async (what) => {
      const { victim, path } = await openFolder()
      await planted[what]?.(path, victim)
      expect(await readPlainText(path)).toBe('')
    },
  )

  it('returns no text for a folder and for a file above the limit, and undefined for a missing file', async () => {
    const { folder, path } = await openFolder()
    expect(await readPlainText(path)).toBeUndefined()
    await mkdir(join(folder, 'folder'))
    expect(await readPlainText(join(folder, 'folder'))).toBe('')
    await writeFile(path, '12345')
    expect(await readPlainText(path, 4)).toBe('')
    expect(await readPlainText(path, 5)).toBe('12345')
    await writeFile(path, Buffer.alloc(1024 ** 2 + 1, 'x'))
    expect(await readPlainText(path)).toBe('')
  })
})

it('createBy gives a file its name only when its content is complete, and leaves one that exists as it is', async () => {
  const { folder, path } = await openFolder()
  const write = (content: string) => async (temporary: string) => {
    await writeFile(temporary, content, { flag: 'wx' })
    expect(await exists(path)).toBe(content === 'second')
  }
  expect(await createBy(path, write('first'))).toBe(true)
  expect(await createBy(path, write('second'))).toBe(false)
  expect(await readFile(path, 'utf8')).toBe('first')
  await expect(createBy(path, () => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full')
  expect(await readdir(folder)).toEqual(['note'])
})

it('overwritePlain leaves nothing of a longer content', async () => {
  const { path } = await openFolder()
  await overwritePlain(path, 'longer', 0o600)
  await overwritePlain(path, 'new', 0o600)
  expect(await readFile(path, 'utf8')).toBe('new')
})

it('removeLeftovers removes temporary files after a day, or at once, and no other files', async () => {
  const { folder } = await openFolder()
  const [old, recent] = [toTemporaryPath(folder), toTemporaryPath(folder)]
  const others = ['.packbench-owner', '.packbench-1.tmp', 'order.tmp']
  for (const path of [old, recent, ...others.map((name) => join(folder, name))]) await writeFile(path, '')
  for (const path of [old, ...others.map((name) => join(folder, name))])
    await utimes(path, new Date(0), new Date(0))
  await mkdir(toTemporaryPath(folder))
  await removeLeftovers(folder)
  expect(await readdir(folder)).toHaveLength(5)
  await removeLeftovers(folder, 0)
  const left = await readdir(folder)
  expect(left).toHaveLength(4)
  expect(left).toEqual(expect.arrayContaining(others))
  await removeLeftovers(join(folder, 'missing'))
})
