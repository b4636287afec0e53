import { type FileFault, type FileFaultCode, fileFault } from '../../shared/fileFaults'
import { systemCode } from './synced'

const faultOfCode: ReadonlyMap<string, FileFaultCode> = new Map([
  ['ENOSPC', 'no-space'],
  ['EDQUOT', 'no-quota'],
  ['EACCES', 'no-right'],
  ['EPERM', 'no-right'],
  ['EROFS', 'read-only-disk'],
  ['EIO', 'disk-error'],
  ['ENOENT', 'no-folder'],
  ['ENOTDIR', 'no-folder'],
  ['EEXIST', 'no-folder'],
])

/** Why the disk refuses, in words that end a sentence. */
export function diskCause(error: unknown): FileFault {
  const code = systemCode(error)
  const detail = code === '' ? String(error instanceof Error ? error.message : error) : code
  return fileFault(faultOfCode.get(code) ?? 'system-error', detail)
}

/** Codes of a system that has no room left. */
export const fullDiskCodes: readonly string[] = ['ENOSPC', 'EDQUOT']
