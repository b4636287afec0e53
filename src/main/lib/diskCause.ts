import { type FileFault, type FileFaultCode, fileFault } from '../../shared/fileFaults'
import { systemCode } from './synced'

const faultOfCode: ReadonlyMap<string, readonly [FileFaultCode, string]> = new Map([
  ['ENOSPC', ['no-space', 'the disk is full']],
  ['EDQUOT', ['no-quota', "this user's share of the disk is used up"]],
  ['EACCES', ['no-right', 'this user has no right to write there']],
  ['EPERM', ['no-right', 'this user has no right to write there']],
  ['EROFS', ['read-only-disk', 'the disk is read-only']],
  ['EIO', ['disk-error', 'the disk has a failure']],
  ['ENOENT', ['no-folder', 'there is no such folder']],
  ['ENOTDIR', ['no-folder', 'a file has the place of the folder']],
  ['EEXIST', ['no-folder', 'a file has the place of the folder']],
])

/** Why the disk refuses, in words that end a sentence. */
export function diskCause(error: unknown): FileFault {
  const code = systemCode(error)
  const [fault, words] = faultOfCode.get(code) ?? ['system-error', 'the system refuses it']
  const detail = code === '' ? String(error instanceof Error ? error.message : error) : code
  return fileFault(fault, `${words} (${detail})`, detail)
}

/** Codes of a system that has no room left. */
export const fullDiskCodes: readonly string[] = ['ENOSPC', 'EDQUOT']
