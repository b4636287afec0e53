import type { BigIntStats } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { parseJsonText } from './jsonText'
import { readPlain, toStamp } from './plainFiles'
import { systemCode } from './synced'

/** What the end of a file is known by. */
export type FileFormat = 'json' | 'csv' | 'xlsx'

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

/** A file that another program puts into a folder, which waits until it is at rest. */
export class IncomingFile {
  /** How often it could not be taken. */
  failures = 0
  private stats: BigIntStats
  private restingSince: number
  private content: Content | undefined

  constructor(
    readonly name: string,
    private readonly path: string,
    private readonly format: FileFormat,
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
    if (this.format === 'xlsx') return endsWorkbook(bytes) ? 'whole' : 'cut-off'
    const text = bytes.toString('utf8')
    if (this.format === 'csv') return /[\r\n]$/.test(text) ? 'whole' : 'unsure'
    const parsed = parseJsonText(text)
    if (parsed.ok) return 'whole'
    return parsed.error.endsEarly ? 'cut-off' : 'unsure'
  }
}

/** Whether a ZIP's list of contents, which is written last, is there. */
function endsWorkbook(bytes: Buffer): boolean {
  return bytes.subarray(-maxZipEnd).includes('PK\x05\x06', 0, 'latin1')
}

/** The end of a ZIP file with the longest comment, in bytes. */
const maxZipEnd = 22 + 65_535

/** Without the right to read it there is nothing to see; that it went away is another matter. */
function unreadable(error: unknown): undefined {
  if (systemCode(error) === 'ENOENT') throw error
  return undefined
}
