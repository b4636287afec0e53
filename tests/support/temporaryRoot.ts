import { readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const inMemory = '/dev/shm'
const neededBytes = 2 * 1024 ** 3

/**
 * Where tests make their folders: in memory where Linux has room for it and lets programs run there, since most of a test's
 * time is spent waiting for a disk to sync. What a power cut leaves on a disk is no test's question.
 */
export const temporaryRoot = hasRoomInMemory() ? inMemory : tmpdir()

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
