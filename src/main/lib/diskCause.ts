import { type FileIssue, type FileIssueCode, fileIssue } from '../../shared/fileIssues'
import { systemCode } from './synced'

const issueOfCode: ReadonlyMap<string, FileIssueCode> = new Map([
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
export function diskCause(error: unknown): FileIssue {
  const code = systemCode(error)
  const detail = code === '' ? String(error instanceof Error ? error.message : error) : code
  return fileIssue(issueOfCode.get(code) ?? 'system-error', detail)
}

/** Codes of a system that has no room left. */
export const fullDiskCodes: readonly string[] = ['ENOSPC', 'EDQUOT']
