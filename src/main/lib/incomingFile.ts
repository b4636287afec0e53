import type { BigIntStats } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { parseJsonText } from './jsonText'
import { readPlain, toStamp } from './plainFiles'
import { systemCode } from './synced'

/** The format, which decides how the end of a file is recognised. */
export type FileFormat = 'json' | 'csv' | 'xlsx'

/** How long files must be unchanged before they are taken, in milliseconds. */
export interface RestTimes {
  restMs: number
  /** For incomplete content, which is probably still being written. */
  cutOffMs: number
}

/** What the file system reported since a name appeared: renamed into place, or written to. */
export type Trace = 'moved' | 'written'

type Content = 'whole' | 'cut-off' | 'unsure'

/** The content of larger files is not inspected before they are taken. */
const inspectLimit = 20 * 1024 * 1024

/** A file that another program writes to a watched folder; it is taken once it no longer changes. */
export class IncomingFile {
  /** Number of failed attempts to take it. */
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

  /** Records the file's current attributes. */
  see(stats: BigIntStats): void {
    if (toStamp(stats) !== this.stamp) this.touch()
    this.stats = stats
  }

  /** Restarts the rest time after a write. */
  touch(): void {
    this.restingSince = performance.now()
    this.content = undefined
  }

  /** Milliseconds until the file is worth inspecting; 0 for now. */
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
   * Milliseconds until the file may be taken; 0 for now.
   * @param trace what the file system has reported of the name so far; null where this is not supported
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
    // A program may open its file first and write when its query has ended.
    if (bytes.length === 0) return 'cut-off'
    if (this.format === 'xlsx') return endsWorkbook(bytes) ? 'whole' : 'cut-off'
    const text = bytes.toString('utf8')
    if (this.format === 'csv') return /[\r\n]$/.test(text) ? 'whole' : 'unsure'
    const parsed = parseJsonText(text)
    if (parsed.ok) return 'whole'
    return parsed.error.endsEarly ? 'cut-off' : 'unsure'
  }
}

/** Whether a ZIP file contains its end-of-central-directory record, which is written last. */
function endsWorkbook(bytes: Buffer): boolean {
  return bytes.subarray(-maxZipEnd).includes('PK\x05\x06', 0, 'latin1')
}

/** The end of a ZIP file with the longest comment, in bytes. */
const maxZipEnd = 22 + 65_535

/** A file that can't be read is not inspected; a missing file is an error. */
function unreadable(error: unknown): undefined {
  if (systemCode(error) === 'ENOENT') throw error
  return undefined
}

/** Sorts by the time of the last write, then by name; files that could not be taken come last. */
export function byArrival(a: Arrival, b: Arrival): number {
  const failures = (a.failures ?? 0) - (b.failures ?? 0)
  if (failures !== 0) return failures
  if (a.modifiedNs !== b.modifiedNs) return a.modifiedNs < b.modifiedNs ? -1 : 1
  return a.name < b.name ? -1 : 1
}

interface Arrival {
  modifiedNs: bigint
  name: string
  failures?: number
}
