import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath, rename } from 'node:fs/promises'
import { isCaFile } from '../../shared/fleet'
import { err, ok, type Result } from '../../shared/result'
import { systemCode } from './synced'

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
const plainFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Reads a file that other programs may replace at any time: follows no links, reads no pipes or devices, and buffers no
 * more than the limit, even while the file grows. Fails like other file operations.
 */
export async function readPlain(path: string, limit: number): Promise<Buffer | 'too-large'> {
  requirePlain(await lstat(path), path)
  const file = await open(path, plainFlags)
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
  if (!stats.isFile()) throw new Error(`${path} is a link or no plain file`)
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
  if (!isCaFile(real)) throw new Error(`${real} is not on this computer`)
  const bytes = await readPlain(real, maxCaBytes)
  if (bytes === 'too-large') throw new Error('it is larger than 1 MB')
  return bytes.toString('utf8')
}
