import { randomUUID } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import {
  copyFile,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isLocalPath } from '../../shared/fleet'
import { err, ok, type Result } from '../../shared/result'
import { dayMs } from './localDay'
import { systemCode, writeSynced } from './synced'

/** For `catch` of a file operation: returns undefined when the file does not exist, and rethrows other errors. */
export function ignoreMissing(error: unknown): undefined {
  if (systemCode(error) === 'ENOENT') return undefined
  throw error
}

/** Whether something has that name, a broken link included. */
export async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(ignoreMissing)) !== undefined
}

/**
 * Renames a file. A network share may report a failure although it completed the rename.
 * @returns the error if the file was not renamed; throws if this can't be determined
 */
export async function renameOnShare(source: string, target: string): Promise<Result<undefined, unknown>> {
  try {
    await rename(source, target)
  } catch (error) {
    if ((await exists(source)) || !(await exists(target))) return err(error)
  }
  return ok(undefined)
}

/**
 * Whether a path resolves to a folder, e.g. by a link that was left when the data were moved.
 * @param folder a real path
 */
export async function leadsTo(path: string, folder: string): Promise<boolean> {
  return (await realpath(path).catch(() => undefined)) === folder
}

/** What changes when somebody writes to a file or puts another in its place. */
export function toStamp(stats: BigIntStats): string {
  return `${stats.ino}:${stats.size}:${stats.mtimeNs}`
}

// Windows has neither flag: there `lstat` detects a link before the file is opened.
const plainFlags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

class NotPlain extends Error {}

/**
 * Reads a file that other programs may replace at any time: follows no links, reads no pipes or devices, and buffers no
 * more than the limit, even while the file grows. Fails like other file operations.
 */
export async function readPlain(path: string, limit: number): Promise<Buffer | 'too-large'> {
  requirePlain(await lstat(path), path)
  const file = await open(path, constants.O_RDONLY | plainFlags)
  try {
    const stats = await file.stat()
    requirePlain(stats, path)
    if (stats.size > limit) return 'too-large'
    return await readUpTo(file, stats.size, limit)
  } finally {
    await file.close()
  }
}

function requirePlain(stats: { isFile(): boolean }, path: string): void {
  if (!stats.isFile()) throw new NotPlain(`${path} is a link or no plain file`)
}

/** Largest note that a station writes for itself or for others in a folder in which others may write, in bytes. */
const maxNoteBytes = 1024 ** 2

/**
 * Reads a text like `readPlain`. Undefined if there is no such file; empty, as text that can't be used, if it is no plain file
 * or exceeds the limit.
 */
export async function readPlainText(path: string, limit = maxNoteBytes): Promise<string | undefined> {
  try {
    const bytes = await readPlain(path, limit)
    return bytes === 'too-large' ? '' : bytes.toString('utf8')
  } catch (error) {
    return error instanceof NotPlain ? '' : ignoreMissing(error)
  }
}

const temporaryName = /^\.packbench-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/

/** A new temporary name in a folder in which others may write: nobody can put a link there beforehand. */
export function toTemporaryPath(folder: string): string {
  return join(folder, `.packbench-${randomUUID()}.tmp`)
}

/**
 * Replaces a file atomically in a folder in which others may write. SECURITY: a link or pipe under its name is replaced: nothing
 * is written through it.
 * @param write creates the file under a temporary name, and must fail if that name exists
 */
export async function replaceBy(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = toTemporaryPath(dirname(path))
  try {
    await write(temporary)
    const renamed = await renameOnShare(temporary, path)
    if (!renamed.ok) throw renamed.error
  } catch (error) {
    // Repeated attempts would fill the share.
    await rm(temporary, { force: true }).catch(() => undefined)
    throw error
  }
}

/**
 * Creates a file that others may create at the same time: it never exists without its whole content, so a crash leaves none
 * that tells nobody whose it is. On a share without links it may be incomplete after a crash.
 * @param write creates the file under a temporary name, and must fail if that name exists
 * @returns false if it exists already
 */
export async function createBy(path: string, write: (temporary: string) => Promise<void>): Promise<boolean> {
  const temporary = toTemporaryPath(dirname(path))
  try {
    await write(temporary)
    return await nameOnce(temporary, path)
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined)
  }
}

async function nameOnce(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path).catch(async (error: unknown) => {
      if (systemCode(error) === 'EEXIST') throw error
      await copyFile(temporary, path, constants.COPYFILE_EXCL)
    })
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Replaces a file like `replaceBy`; its content is on the disk (fsync) when the promise resolves, its name may not be. */
export function replacePlain(path: string, content: string, mode: number): Promise<void> {
  return replaceBy(path, (temporary) => writeSynced(temporary, content, mode, 'wx'))
}

/**
 * Overwrites a file in place in a folder in which others may write; not atomically. Needed where others read the file often: a
 * share may refuse to rename over a file that is being read. SECURITY: a link or pipe under its name is replaced.
 */
export async function overwritePlain(path: string, content: string, mode: number): Promise<void> {
  const found = await lstat(path).catch(ignoreMissing)
  if (found !== undefined && (!found.isFile() || found.nlink > 1)) await rm(path)
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | plainFlags, mode)
  try {
    requirePlain(await file.stat(), path)
    await file.truncate()
    await file.writeFile(content)
  } finally {
    await file.close()
  }
}

/**
 * Removes what interrupted calls of `replaceBy` left in a folder, as far as that is possible: it does no harm.
 * @param minAgeMs younger files stay, because another station may be writing them; 0 if none writes there
 */
export async function removeLeftovers(
  folder: string,
  minAgeMs = dayMs,
  pattern: RegExp = temporaryName,
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!pattern.test(name)) continue
    const path = join(folder, name)
    const stats = await lstat(path).catch(ignoreMissing)
    const isOld = stats?.isFile() === true && Date.now() - stats.mtimeMs >= minAgeMs
    if (isOld) await rm(path, { force: true }).catch(() => undefined)
  }
}

/**
 * Creates a missing folder, for its user only. Throws if its parent is missing, or if a link in its place would redirect
 * files.
 */
export async function makePlainFolder(path: string): Promise<void> {
  await mkdir(path, 0o700).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error
  })
  if (!(await lstat(path)).isDirectory()) throw new Error(`${path} is a link or no folder`)
}

async function readUpTo(file: FileHandle, size: number, limit: number): Promise<Buffer | 'too-large'> {
  // One extra byte detects that the file has grown.
  const bytes = Buffer.alloc(Math.min(size, limit) + 1)
  let length = 0
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return length > limit ? 'too-large' : bytes.subarray(0, length)
}

/**
 * Reads a file once it no longer changes.
 * @param expected its stamp when it was last unchanged; undefined when it has not been checked
 * @param limit largest size in bytes that is read
 * @param wait waits as long as a file must be at rest; gives up by throwing
 * @returns the bytes, or 'too-large', and the stamp of what was read
 */
export async function readAtRest(
  path: string,
  expected: string | undefined,
  limit: number,
  wait: () => Promise<void>,
): Promise<{ content: Buffer | 'too-large'; stamp: string }> {
  let atRest = expected
  for (;;) {
    const before = await lstat(path, { bigint: true })
    if (toStamp(before) === atRest) {
      const content = await readPlain(path, limit)
      const after = await lstat(path, { bigint: true })
      const isWhole = content === 'too-large' || BigInt(content.length) === after.size
      if (toStamp(after) === atRest && isWhole) return { content, stamp: atRest }
    }
    atRest = toStamp(before)
    await wait()
  }
}

/** Largest file of certificates in bytes; all well-known authorities are about 220 kB. */
const maxCaBytes = 1024 ** 2

/**
 * Reads a file of certificates. Fails like other file operations, and for a file that exceeds 1 MB or is not on this
 * computer. SECURITY: the path comes from the renderer. A path on another computer would send it the user's Windows login.
 */
export async function readCaFile(path: string): Promise<string> {
  const real = await realpath(path)
  if (!isLocalPath(real)) throw new Error(`${real} is not on this computer`)
  const bytes = await readPlain(real, maxCaBytes)
  if (bytes === 'too-large') throw new Error('it is larger than 1 MB')
  return bytes.toString('utf8')
}
