import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { FolderOwner, isSameFolder } from '../../../src/main/hotFolder/folderOwner'
import { temporaryFolder } from '../../support/temporaryFolder'

const folder = { id: 'A', place: '1:2' }

it.each([
  ['the same one on another device', { id: 'A', place: '3:2' }, true],
  ['another one that got its device and inode', { id: 'B', place: '1:2' }, false],
  ['the same one without its owner file', { id: undefined, place: '1:2' }, true],
  ['another one without an owner file', { id: undefined, place: '3:2' }, false],
  ['one that was not seen yet', undefined, false],
])(
  'a hot folder is compared with %s by the id, and by device and inode if an id is missing',
  (_, other, isSame) => {
    expect(isSameFolder(folder, other)).toBe(isSame)
    expect(isSameFolder(other, folder)).toBe(isSame)
  },
)

it.runIf(process.platform !== 'win32')(
  'other users can read who owns a hot folder, whatever the umask',
  async () => {
    const umask = process.umask(0o077)
    onTestFinished(() => {
      process.umask(umask)
    })
    const root = await temporaryFolder()
    const [folder, data] = [join(root, 'exchange'), join(root, 'data')]
    for (const each of [folder, data]) await mkdir(each)
    for (const run of ['the first run', 'a restart']) {
      expect(await new FolderOwner(folder, data, () => new Date()).acquire(), run).toBeUndefined()
      expect((await stat(join(folder, '.packbench-owner'))).mode & 0o777, run).toBe(0o644)
    }
  },
)
