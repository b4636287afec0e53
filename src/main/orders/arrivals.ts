import { type FSWatcher, watch } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppError } from '../../shared/errors'
import type { Log } from '../log/log'
import { systemCode, troubleOf } from './folders'
import { IncomingFile, type RestTimes, type Trace } from './incoming'
import { formatOf, isTemporary } from './orderNames'

/** A file that is at rest in `in/`. */
export interface ArrivedFile {
  name: string
  stamp: string
  modifiedNs: bigint
}

export interface ArrivalsParts {
  /** The folder `in/`. */
  folder: string
  times: RestTimes
  log: Log
  /** Takes the file out of the folder: 'later' leaves it for another look, an error too, and is told. */
  take(file: ArrivedFile): Promise<'taken' | 'later' | AppError>
  /** A look ended: `lost` when the folder itself could not be read. */
  onLooked(trouble: AppError | null, lost: boolean): void
}

// On other systems one report stands for a creation and the writes after it.
const reportsEveryWrite = process.platform === 'linux'

/** Watches `in/` and hands over its files in order of arrival (time of the last write, then name). */
export class Arrivals {
  private readonly waiting = new Map<string, IncomingFile>()
  private readonly traces = new Map<string, Trace>()
  private ignored = new Set<string>()
  private watcher: FSWatcher | undefined
  private watchedInode: bigint | undefined
  private timer: NodeJS.Timeout | undefined
  private looking: Promise<void> | undefined
  private lookAgain = false
  private closed = false

  constructor(private readonly parts: ArrivalsParts) {}

  /** How many files wait there. */
  get count(): number {
    return this.waiting.size
  }

  /** Looks at the folder now; once more after that, when a look is under way. Resolves when the current one ended. */
  look(): Promise<void> {
    if (this.looking !== undefined) {
      this.lookAgain = true
      return this.looking
    }
    if (this.closed) return Promise.resolve()
    const looking = this.lookOnce().finally(() => {
      this.looking = undefined
      if (!this.lookAgain) return
      this.lookAgain = false
      void this.look()
    })
    this.looking = looking
    return looking
  }

  /** Stops watching; resolves when no file is being taken any more. */
  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    this.stopWatching()
    await this.looking
  }

  private async lookOnce(): Promise<void> {
    const { folder, onLooked } = this.parts
    try {
      await this.keepWatching()
      await this.seeAll()
      onLooked(await this.takeAllAtRest(), false)
    } catch (error) {
      this.stopWatching()
      onLooked(troubleOf(error, folder), true)
    }
  }

  /** Begins to watch; again when the folder was replaced by another of the same name. */
  private async keepWatching(): Promise<void> {
    const { folder, log } = this.parts
    const { ino } = await stat(folder, { bigint: true })
    if (ino === this.watchedInode || this.closed) return
    this.stopWatching()
    this.watchedInode = ino
    try {
      this.watcher = watch(folder, (event, name) => this.onReport(event, name))
      this.watcher.on('error', () => this.stopWatching())
    } catch (error) {
      log.warn('changes of the hot folder are not reported; it is looked at now and then', {
        reason: systemCode(error),
      })
    }
  }

  private stopWatching(): void {
    this.watcher?.close()
    this.watcher = undefined
    this.watchedInode = undefined
    this.traces.clear()
  }

  private onReport(event: string, name: string | null): void {
    if (name !== null && formatOf(name) !== undefined) {
      this.traces.set(name, event === 'rename' ? 'moved' : 'written')
      if (event !== 'rename') this.waiting.get(name)?.touch()
    }
    void this.look()
  }

  private async seeAll(): Promise<void> {
    const entries = await readdir(this.parts.folder, { withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile() && formatOf(entry.name) !== undefined)
    this.tellIgnored(
      entries
        .filter((entry) => !files.includes(entry) && !isTemporary(entry.name))
        .map((entry) => entry.name),
    )
    const present = new Set(files.map((file) => file.name))
    for (const names of [this.waiting, this.traces]) {
      for (const name of names.keys()) if (!present.has(name)) names.delete(name)
    }
    await Promise.all([...present].map((name) => this.see(name)))
  }

  private async see(name: string): Promise<void> {
    const path = join(this.parts.folder, name)
    const format = formatOf(name)
    const stats = await lstat(path, { bigint: true }).catch(absent)
    if (stats === undefined || format === undefined) {
      this.waiting.delete(name)
      return
    }
    const known = this.waiting.get(name)
    if (known === undefined) this.waiting.set(name, new IncomingFile(name, path, format, stats))
    else known.see(stats)
  }

  private async takeAllAtRest(): Promise<AppError | null> {
    const atRest: IncomingFile[] = []
    let nextLook = Number.POSITIVE_INFINITY
    for (const file of this.waiting.values()) {
      const trace = reportsEveryWrite ? () => this.traces.get(file.name) : null
      const rest = await file.restNeeded(this.parts.times, trace).catch(absent)
      if (rest === 0) atRest.push(file)
      else if (rest !== undefined) nextLook = Math.min(nextLook, rest)
    }
    clearTimeout(this.timer)
    if (nextLook < Number.POSITIVE_INFINITY && !this.closed) {
      this.timer = setTimeout(() => void this.look(), Math.ceil(nextLook))
    }
    return this.takeInOrder(atRest)
  }

  private async takeInOrder(files: IncomingFile[]): Promise<AppError | null> {
    let trouble: AppError | null = null
    for (const file of files.sort(byArrival)) {
      if (this.closed) break
      const { name, stamp, modifiedNs } = file
      const taken = await this.parts.take({ name, stamp, modifiedNs })
      if (taken === 'taken') this.waiting.delete(name)
      else if (taken !== 'later') trouble ??= taken
    }
    return trouble
  }

  private tellIgnored(names: string[]): void {
    for (const name of names) {
      if (this.ignored.has(name)) continue
      this.parts.log.warn('the hot folder leaves this where it is: only .json and .csv files are taken', {
        name,
      })
    }
    this.ignored = new Set(names)
  }
}

/** First written first; files of the same moment by name. */
export function byArrival(
  a: { modifiedNs: bigint; name: string },
  b: { modifiedNs: bigint; name: string },
): number {
  if (a.modifiedNs !== b.modifiedNs) return a.modifiedNs < b.modifiedNs ? -1 : 1
  return a.name < b.name ? -1 : 1
}

/** A file that went away between two looks is none. */
function absent(error: unknown): undefined {
  if (systemCode(error) === 'ENOENT') return undefined
  throw error
}
