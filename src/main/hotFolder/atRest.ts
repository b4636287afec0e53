import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { systemCode } from '../lib/synced'
import { parseJsonText } from '../settings/jsonText'
import type { OrderFormat } from './folders'

/** What changes when somebody writes to a file or puts another in its place. */
export function toStamp(stats: BigIntStats): string {
  return `${stats.ino}:${stats.size}:${stats.mtimeNs}`
}

/** How long files must be left alone, in milliseconds. */
export interface RestTimes {
  /** Without a change for this long, a file is taken. */
  restMs: number
  /** The same for JSON that ends too early: its writer is probably still at it. */
  cutOffMs: number
}

/** What the file system reported about a name since it appeared: put there in one go, or written to. */
export type Trace = 'moved' | 'written'

type Content = 'whole' | 'cut-off' | 'unsure'

/** Content of larger files is not looked at before they are taken. */
const inspectLimit = 20 * 1024 * 1024

/** A file in `in/` that waits to be at rest. */
export class IncomingFile {
  /** How often it could not be taken. */
  failures = 0
  private stats: BigIntStats
  private restingSince: number
  private content: Content | undefined

  constructor(
    readonly name: string,
    private readonly path: string,
    private readonly format: OrderFormat,
    stats: BigIntStats,
  ) {
    this.stats = stats
    this.restingSince = performance.now()
  }

  get stamp(): string {
    return toStamp(this.stats)
  }

  get modifiedNs(): bigint {
    return this.stats.mtimeNs
  }

  /** Takes note of a new look at the file. */
  see(stats: BigIntStats): void {
    if (toStamp(stats) !== this.stamp) this.touch()
    this.stats = stats
  }

  /** Somebody wrote to it: its rest begins anew. */
  touch(): void {
    this.restingSince = performance.now()
    this.content = undefined
  }

  /** How many milliseconds it is left alone whatever a look at it would show; 0 when it is worth a look. */
  restByClock(times: RestTimes, trace: (() => Trace | undefined) | null): number {
    const cutOff = this.content === 'cut-off'
    const needed = cutOff ? times.cutOffMs : times.restMs
    const rest = Math.max(0, needed - (performance.now() - this.restingSince))
    if (cutOff || this.stats.size === 0n) return rest
    const { ctimeNs, mtimeNs } = this.stats
    const mayBeWhole = trace === null ? ctimeNs > mtimeNs && this.content !== 'unsure' : trace() === 'moved'
    return mayBeWhole ? 0 : rest
  }

  /**
   * How many milliseconds to leave it alone; 0 when it can be taken.
   * @param trace asks what the file system has reported of the name up to now; null where it can't tell
   */
  async restNeeded(times: RestTimes, trace: (() => Trace | undefined) | null): Promise<number> {
    if (await this.cameInOneGo(trace)) return 0
    const rested = performance.now() - this.restingSince
    if (rested < times.restMs) return times.restMs - rested
    return (await this.inspect()) === 'cut-off' ? Math.max(0, times.cutOffMs - rested) : 0
  }

  /**
   * Whether it was renamed into place. Linux reports every write to a file after it appeared, so that content without
   * a reported write was there before. (The times can't tell there: a file written and renamed within one tick of the
   * kernel's clock has equal ones.) Elsewhere a rename is the usual reason for a change that is later than the last
   * write, and whole content is asked for as well.
   */
  private async cameInOneGo(trace: (() => Trace | undefined) | null): Promise<boolean> {
    if (this.stats.size === 0n) return false
    if (trace === null) {
      return this.stats.ctimeNs > this.stats.mtimeNs && (await this.inspect()) === 'whole'
    }
    // Reports of writes made before the size was looked at have come in after one turn of the event loop.
    await setImmediate()
    return trace() === 'moved' && (await this.inspect()) !== 'cut-off' && trace() === 'moved'
  }

  private async inspect(): Promise<Content> {
    this.content ??= this.stats.size > inspectLimit ? 'unsure' : await this.look()
    return this.content
  }

  private async look(): Promise<Content> {
    const bytes = await readPlain(this.path, inspectLimit).catch(unreadable)
    if (bytes === undefined || bytes === 'too-large') return 'unsure'
    const text = bytes.toString('utf8')
    if (this.format === 'csv') return /[\r\n]$/.test(text) ? 'whole' : 'unsure'
    const parsed = parseJsonText(text)
    if (parsed.ok) return 'whole'
    return parsed.error.endsEarly ? 'cut-off' : 'unsure'
  }
}

/** Without the right to read it there is nothing to see; that it went away is another matter. */
function unreadable(error: unknown): undefined {
  if (systemCode(error) === 'ENOENT') throw error
  return undefined
}

// Windows has neither: there a link is told from a file before it is opened.
const plainFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Reads a file that other programs can replace at any time: no link is followed, no pipe or device waited for or read, and
 * no more than the limit kept, however fast it grows. Fails as file operations do.
 */
async function readPlain(path: string, limit: number): Promise<Buffer | 'too-large'> {
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
  // One byte more than it has shows that it grew.
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
 * Reads a file once no program writes to it any more.
 * @param expected its stamp when it was last seen at rest; undefined when it has not been looked at
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
