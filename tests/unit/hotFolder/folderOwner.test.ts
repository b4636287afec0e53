import { expect, it } from 'vitest'
import { isSameFolder } from '../../../src/main/hotFolder/folderOwner'

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
