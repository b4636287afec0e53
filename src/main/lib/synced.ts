import { chmod, copyFile, open, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type FileIssue, type FileIssueCode, fileIssue } from '../../shared/inputIssues'

/**
 * Writes a file; its content is on the disk (fsync) when the promise resolves.
 * @param mode permissions of a new file
 * @param flag `w` overwrites an existing file, `wx` fails when there is one
 */
export async function writeSynced(
  path: string,
  content: string | Uint8Array,
  mode: number,
  flag: 'w' | 'wx' = 'w',
): Promise<void> {
  const file = await open(path, flag, mode)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Writes a file whose readers can tell from its content whether it is complete; the file and its name are on the disk when
 * the promise resolves. File and folders are synced concurrently: a journaling file system then commits once.
 * @param folders to be synced, such as the file's own
 */
export async function writeSyncedIn(
  folders: readonly string[],
  path: string,
  content: string | Uint8Array,
  mode: number,
): Promise<void> {
  const file = await open(path, 'w', mode)
  try {
    await file.writeFile(content)
    await Promise.all([file.sync(), ...folders.map(syncFolder)])
  } finally {
    await file.close()
  }
}

/** The temporary name that `replaceSynced` uses. */
export function unfinished(path: string): string {
  return `${path}.part`
}

/** Replaces a file atomically and durably: under its name there is always a complete file. */
export async function replaceSynced(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  await writeSynced(unfinished(path), content, mode)
  await rename(unfinished(path), path)
  await syncFolder(dirname(path))
}

/**
 * Copies a file; its content is on the disk (fsync) when the promise resolves.
 * @param flags as for `copyFile`; by default an existing file is overwritten
 */
export async function copySynced(from: string, to: string, mode: number, flags = 0): Promise<void> {
  await copyFile(from, to, flags)
  // A copy of a read-only file can't be opened for its fsync.
  await chmod(to, mode)
  const file = await open(to, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Joins a folder and names below it. SECURITY: throws unless each is the name of one file or folder, because ids and names that come
 * from the database of a copy could lead anywhere.
 */
export function joinNames(folder: string, ...names: readonly string[]): string {
  const path = names.find((name) => name !== basename(name) || ['', '.', '..'].includes(name))
  if (path !== undefined) throw new Error(`'${path}' is not the name of a file`)
  return join(folder, ...names)
}

/** Durably renames a file that was complete under its temporary name when the app crashed. */
export async function adoptUnfinished(path: string): Promise<void> {
  const file = await open(unfinished(path), 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished(path), path)
  await syncFolder(dirname(path))
}

/** Makes the names in a folder durable (fsync). Not needed on Windows, and ignored on shares that do not support it. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } catch (error) {
    if (!isNotSupported(error)) throw error
  } finally {
    await folder.close()
  }
}

function isNotSupported(error: unknown): boolean {
  return ['EINVAL', 'ENOTSUP', 'ENOSYS'].includes(systemCode(error))
}

/** The system's code of an error, such as ENOSPC; empty when it has none. */
export function systemCode(error: unknown): string {
  const isCoded = error instanceof Error && 'code' in error && typeof error.code === 'string'
  return isCoded ? String(error.code) : ''
}

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

/** The cause of a disk error, as text that completes a sentence. */
export function diskCause(error: unknown): FileIssue {
  const code = systemCode(error)
  const detail = code === '' ? String(error instanceof Error ? error.message : error) : code
  return fileIssue(issueOfCode.get(code) ?? 'system-error', detail)
}

/** Codes of a system that has no room left. */
export const fullDiskCodes: readonly string[] = ['ENOSPC', 'EDQUOT']
