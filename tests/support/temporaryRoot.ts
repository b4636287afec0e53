import { readFileSync, realpathSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const inMemory = '/dev/shm'
const neededBytes = 2 * 1024 ** 3

/**
 * The parent of the tests' temporary folders: in memory if Linux has enough space there and allows programs to run from it,
 * because tests spend most of their time waiting for disk syncs. No test depends on the state of a disk after a power failure.
 * On macOS the system's folder is a link, and on Windows a short name: tests compare paths that were resolved.
 */
export const temporaryRoot = hasRoomInMemory() ? inMemory : realpathSync.native(tmpdir())

function hasRoomInMemory(): boolean {
  if (process.platform !== 'linux') return false
  try {
    const { bavail, bsize } = statfsSync(inMemory)
    const mount = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === inMemory)
    return (
      mount !== undefined &&
      !mount.split(' ')[3]?.split(',').includes('noexec') &&
      bavail * bsize >= neededBytes
    )
  } catch {
    return false
  }
}
