import { type Dirent, type FSWatcher, watch } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type FileFormat, IncomingFile, type RestTimes, type Trace } from '../lib/incomingFile'
import { ignoreMissing } from '../lib/plainFiles'
import { systemCode } from '../lib/synced'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import { findTakenFormat, isTemporary, requireFolder } from './folders'
import type { IgnoredFile } from './issues'

export interface InboxDeps {
  /** The folder `in/`. */
  folder: string
  times: RestTimes & {
    /** How often the folder is listed though nothing was reported: not every share reports changes. */
    lookMs: number
  }
  /** Whether tables are read by a mapping: then spreadsheets are taken too. */
  hasMapping(): boolean
  log: Log
  /** The system reports a change in the folder: it is time for another look. */
  onReport(): void
  /** Other files lie there that are not taken: all of them as they are now, also when there are none any more. */
  onIgnored(files: readonly IgnoredFile[]): Promise<void>
}

// On other systems one report stands for a creation and the writes after it.
const reportsEveryWrite = process.platform === 'linux'

/** So many files are looked at side by side: more would keep other file operations of the app waiting. */
const parallelLooks = 64

/**
 * What waits in `in/`. A look costs as much as what is new: the folder is listed now and then, what the system reports
 * is looked at by name, and a file that is known is looked at again only when it is next.
 */
export class Inbox {
  private readonly files = new Map<string, IncomingFile>()
  /** The same files in order of arrival, once it is sorted. */
  private order: IncomingFile[] = []
  private isSorted = true
  private readonly traces = new Map<string, Trace>()
  private readonly reported = new Set<string>()
  /** Names of files that are not taken; undefined before the first listing. */
  private ignored: ReadonlySet<string> | undefined
  private watcher: FSWatcher | undefined
  private watchedInode: bigint | undefined
  private listAt = 0
  /** After `atRest` ended: how many milliseconds until another file may be at rest. */
  untilRestMs = Number.POSITIVE_INFINITY

  constructor(private readonly deps: InboxDeps) {}

  /** How many files wait there. */
  get count(): number {
    return this.files.size
  }

  /** Whether a file of that name waits there. */
  has(name: string): boolean {
    return this.files.has(name)
  }

  /** Milliseconds until the folder is to be listed again. */
  get listMs(): number {
    return Math.max(0, this.listAt - performance.now())
  }

  /** Takes note of what is new. Fails as file operations fail when the folder can't be read. */
  async look(): Promise<void> {
    if (this.listMs === 0) await this.list()
    const names = [...this.reported]
    this.reported.clear()
    await this.see(names)
  }

  /**
   * The files at rest, in order of arrival (time of the last write, then name).
   * @param isBusy names that can't be taken at the moment
   */
  async *atRest(isBusy: (name: string) => boolean): AsyncGenerator<IncomingFile> {
    this.untilRestMs = Number.POSITIVE_INFINITY
    if (!this.isSorted) this.order.sort(byArrival)
    this.isSorted = true
    for (let index = 0; index < this.order.length; ) {
      const file = this.order[index]
      if (file === undefined) return
      if (!isBusy(file.name)) {
        const rest = await this.restNeeded(file)
        if (rest === undefined) this.forget(file.name)
        else if (rest > 0) this.untilRestMs = Math.min(this.untilRestMs, rest)
        else yield file
      }
      // The file is gone from the order when it was taken, or is not there any more.
      if (this.order[index] === file) index += 1
    }
  }

  /** The file was taken, or went away. */
  forget(name: string): void {
    const file = this.files.get(name)
    this.traces.delete(name)
    if (file === undefined) return
    this.files.delete(name)
    this.order.splice(this.order.indexOf(file), 1)
  }

  /** The file could not be taken: the others come before it from now on. */
  putBack(file: IncomingFile): void {
    file.failures += 1
    this.isSorted = false
  }

  /** Stops watching and forgets what was seen; the next look lists the folder and watches it again. */
  close(): void {
    this.watcher?.close()
    this.watcher = undefined
    this.watchedInode = undefined
    this.traces.clear()
    this.reported.clear()
    this.files.clear()
    this.order = []
    this.listAt = 0
  }

  private async list(): Promise<void> {
    const { folder, times } = this.deps
    await this.keepWatching()
    const entries = await readdir(folder, { withFileTypes: true })
    this.listAt = performance.now() + times.lookMs
    const present = new Set<string>()
    const strange: IgnoredFile[] = []
    for (const entry of entries) {
      // A name that is not UTF-8 comes with a stand-in for what can't be read, and no file has that name.
      const isOrder =
        entry.isFile() && this.findFormat(entry.name) !== undefined && !entry.name.includes('\uFFFD')
      if (isOrder) present.add(entry.name)
      else if (!isTemporary(entry.name)) strange.push({ name: entry.name, why: findWhyIgnored(entry) })
    }
    await this.noteIgnored(strange)
    const gone = this.order.filter((file) => !present.has(file.name))
    if (gone.length > 0) this.order = this.order.filter((file) => present.has(file.name))
    for (const { name } of gone) this.files.delete(name)
    for (const name of this.traces.keys()) {
      // What was reported meanwhile may have come after the listing.
      if (!present.has(name) && !this.reported.has(name)) this.traces.delete(name)
    }
    await this.see([...present].filter((name) => !this.files.has(name)))
  }

  /** Begins to watch; again when the folder was replaced by another of the same name. */
  private async keepWatching(): Promise<void> {
    const { folder, log } = this.deps
    await requireFolder(folder)
    const { ino } = await stat(folder, { bigint: true })
    if (ino === this.watchedInode) return
    this.close()
    this.watchedInode = ino
    try {
      this.watcher = watch(folder, (event, name) => this.onReport(event, name))
      this.watcher.on('error', () => this.close())
    } catch (error) {
      log.warn('the system does not report changes of the hot folder; it is listed once a second', {
        reason: systemCode(error),
      })
    }
  }

  private findFormat(name: string): FileFormat | undefined {
    return findTakenFormat(name, this.deps.hasMapping())
  }

  private onReport(event: string, name: string | null): void {
    if (name === null) this.listAt = 0
    else if (this.findFormat(name) === undefined) return
    else {
      this.traces.set(name, event === 'rename' ? 'moved' : 'written')
      if (event !== 'rename') this.files.get(name)?.touch()
      this.reported.add(name)
    }
    this.deps.onReport()
  }

  private async see(names: readonly string[]): Promise<void> {
    const added: (IncomingFile | undefined)[] = []
    for (let from = 0; from < names.length; from += parallelLooks) {
      const part = names.slice(from, from + parallelLooks)
      added.push(...(await Promise.all(part.map((name) => this.seeOne(name)))))
    }
    // Files that were there together are at rest together, so that none is taken before one that was written earlier.
    for (const file of added) file?.touch()
  }

  /** @returns the file when it was not known before */
  private async seeOne(name: string): Promise<IncomingFile | undefined> {
    const path = join(this.deps.folder, name)
    const stats = await lstat(path, { bigint: true }).catch(ignoreMissing)
    const format = this.findFormat(name)
    if (stats === undefined || format === undefined || !stats.isFile()) {
      this.forget(name)
      return undefined
    }
    const known = this.files.get(name)
    this.isSorted = false
    if (known !== undefined) {
      known.see(stats)
      return undefined
    }
    const file = new IncomingFile(name, path, format, stats)
    this.files.set(name, file)
    this.order.push(file)
    return file
  }

  /** Undefined when the file is not there any more. */
  private async restNeeded(file: IncomingFile): Promise<number | undefined> {
    const trace = reportsEveryWrite ? () => this.traces.get(file.name) : null
    const wait = file.restByClock(this.deps.times, trace)
    if (wait > 0) return wait
    const stats = await lstat(join(this.deps.folder, file.name), { bigint: true }).catch(ignoreMissing)
    if (stats === undefined || !stats.isFile()) return undefined
    if (stats.mtimeNs !== file.modifiedNs) this.isSorted = false
    file.see(stats)
    return file.restNeeded(this.deps.times, trace).catch(ignoreMissing)
  }

  private async noteIgnored(files: readonly IgnoredFile[]): Promise<void> {
    const { log, onIgnored } = this.deps
    const before = this.ignored
    const added = files.filter(({ name }) => before?.has(name) !== true)
    if (before !== undefined && added.length === 0 && files.length === before.size) return
    for (const { name } of added) {
      log.warn(
        'not an order file, so it stays in in/: only regular .json and .csv files with a name in UTF-8 are taken',
        { name },
      )
    }
    this.ignored = new Set(files.map(({ name }) => name))
    try {
      await onIgnored(files)
    } catch (error) {
      this.ignored = undefined
      log.error('files that are not taken could not be noted for the screen', { reason: toReason(error) })
    }
  }
}

function findWhyIgnored(entry: Dirent): IgnoredFile['why'] {
  if (!entry.isFile()) return 'no-file'
  if (entry.name.includes('\uFFFD')) return 'name'
  return /\.(xlsx|xls|ods)$/i.test(entry.name) ? 'table' : 'other'
}

/** First written first; files of the same moment by name. A file that could not be taken comes after the others. */
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
