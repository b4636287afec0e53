import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './temporaryFolder'

/** Whether the tests can mount disks on this machine: only as root on Linux. */
export const hasSmallDisks = process.platform === 'linux' && process.getuid?.() === 0

/** A real in-memory disk of a few megabytes that can be filled and made read-only. */
export async function smallDisk(megabytes: number) {
  const folder = join(await temporaryFolder(), 'disk')
  mkdirSync(folder)
  const size = `size=${megabytes}m`
  execFileSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder])
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder])
  })
  const remount = (right: 'ro' | 'rw') => execFileSync('mount', ['-o', `remount,${right},${size}`, folder])
  return { folder, readOnly: () => remount('ro'), writable: () => remount('rw') }
}
