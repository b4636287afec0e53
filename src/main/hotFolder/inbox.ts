import { type Dirent, type FSWatcher, watch } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { byArrival, type FileFormat, IncomingFile, type RestTimes, type Trace } from '../lib/incomingFile'
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
    /** How often the folder is listed without a reported change: not every share reports changes. */
    pollMs: number
  }
  /** Whether the settings name a mapping for tables: then spreadsheets are taken too. */
  hasMapping(): boolean
  log: Log
  /** The system reported a change in the folder: call `update`. */
  onReport(): void
  /** Receives the complete list of files that are not taken, whenever it changes; also an empty one. */
  onIgnored(files: readonly IgnoredFile[]): Promise<void>
}

// Other systems merge the report of a creation with those of the following writes.
const reportsEveryWrite = process.platform === 'linux'

/** More concurrent calls would delay other file operations of the app. */
const maxParallelStats = 64

/**
 * The files that wait in `in/`. The cost of an update depends on the number of new files only: the folder is listed at an
 * interval, reported names are read one by one, and a known file is read again only when it is next.
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
  /** Set when `listAtRest` ends: milliseconds until another file may be at rest. */
  untilRestMs = Number.POSITIVE_INFINITY

  constructor(private readonly deps: InboxDeps) {}

  get count(): number {
    return this.files.size
  }

  has(name: string): boolean {
    return this.files.has(name)
  }

  /** Milliseconds until the next listing of the folder is due. */
  get listMs(): number {
    return Math.max(0, this.listAt - performance.now())
  }

  /** Reads new and changed files. Throws file system errors of the folder. */
  async update(): Promise<void> {
    if (this.listMs === 0) await this.list()
    const names = [...this.reported]
    this.reported.clear()
    await this.readFiles(names)
  }

  /**
   * The files at rest, in order of arrival (time of the last write, then name).
   * @param isBusy tells which names can't be taken at the moment
   */
  async *listAtRest(isBusy: (name: string) => boolean): AsyncGenerator<IncomingFile> {
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
      // The caller removes a file from the order by `forget`.
      if (this.order[index] === file) index += 1
    }
  }

  /** Removes a file that was taken or disappeared. */
  forget(name: string): void {
    const file = this.files.get(name)
    this.traces.delete(name)
    if (file === undefined) return
    this.files.delete(name)
    this.order.splice(this.order.indexOf(file), 1)
  }

  /** Moves a file that could not be taken behind the others. */
  putBack(file: IncomingFile): void {
    file.failures += 1
    this.isSorted = false
  }

  /** Stops watching and forgets all files; the next update lists the folder and watches it again. */
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
    this.listAt = performance.now() + times.pollMs
    const present = new Set<string>()
    const ignored: IgnoredFile[] = []
    for (const entry of entries) {
      // Node replaces bytes that are not UTF-8, and no file has the resulting name.
      const isOrder =
        entry.isFile() && this.findFormat(entry.name) !== undefined && !entry.name.includes('\uFFFD')
      if (isOrder) present.add(entry.name)
      else if (!isTemporary(entry.name)) ignored.push({ name: entry.name, why: findWhyIgnored(entry) })
    }
    await this.noteIgnored(ignored)
    const gone = this.order.filter((file) => !present.has(file.name))
    if (gone.length > 0) this.order = this.order.filter((file) => present.has(file.name))
    for (const { name } of gone) this.files.delete(name)
    for (const name of this.traces.keys()) {
      // A file that was reported since may be newer than the listing.
      if (!present.has(name) && !this.reported.has(name)) this.traces.delete(name)
    }
    await this.readFiles([...present].filter((name) => !this.files.has(name)))
  }

  /** Starts watching; again if another folder of the same name replaced the folder. */
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

  private async readFiles(names: readonly string[]): Promise<void> {
    const added: (IncomingFile | undefined)[] = []
    for (let from = 0; from < names.length; from += maxParallelStats) {
      const part = names.slice(from, from + maxParallelStats)
      added.push(...(await Promise.all(part.map((name) => this.readFile(name)))))
    }
    // Files found together come to rest together, so that none is taken before one that was written earlier.
    for (const file of added) file?.touch()
  }

  /** @returns the file if it is new */
  private async readFile(name: string): Promise<IncomingFile | undefined> {
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

  /** Milliseconds until the file is at rest; undefined if it disappeared. */
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
        'a file stays in in/ and is not sent: an order file is a regular .json or .csv file (with a mapping also .xlsx) with a name in UTF-8',
        { name },
      )
    }
    this.ignored = new Set(files.map(({ name }) => name))
    try {
      await onIgnored(files)
    } catch (error) {
      this.ignored = undefined
      log.error('the list of ignored files could not be stored for the screen; it is tried again', {
        reason: toReason(error),
      })
    }
  }
}

function findWhyIgnored(entry: Dirent): IgnoredFile['why'] {
  if (!entry.isFile()) return 'no-file'
  if (entry.name.includes('\uFFFD')) return 'name'
  return /\.(xlsx|xls|ods)$/i.test(entry.name) ? 'table' : 'other'
}
