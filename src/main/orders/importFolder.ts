import { hash, randomBytes } from 'node:crypto'
import { type Dirent, type FSWatcher, watch } from 'node:fs'
import { lstat, mkdir, readdir, realpath, rename, unlink } from 'node:fs/promises'
import { dirname, extname, join, parse, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import type { ImportResult } from '../../shared/orders'
import { err, type Result } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import { createMutex, rest } from '../lib/async'
import { findComputerName, listComputerNames } from '../lib/computerName'
import type { EventBus } from '../lib/eventBus'
import { byArrival, IncomingFile, type Trace } from '../lib/incomingFile'
import { parseJsonText } from '../lib/jsonText'
import {
  exists,
  ignoreMissing,
  leadsTo,
  makePlainFolder,
  readAtRest,
  readPlainText,
  removeLeftovers,
  replacePlain,
  toStamp,
} from '../lib/plainFiles'
import { inTime } from '../lib/retry'
import { syncFolder } from '../lib/synced'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { OrderImport } from './orderImport'

export interface ImportFolderDeps {
  orderImport: Pick<OrderImport, 'importFile'>
  /** Absolute; base of a relative path in the settings. */
  dataFolder: string
  /** The data folder of an earlier version, whose files in `work/` belong to this station if the path leads to the data. */
  earlierDataFolder?: string | undefined
  bus: Pick<EventBus, 'emit'>
  log: Log
  now: () => Date
  /** How often the folder is listed without a reported change, in milliseconds. */
  pollMs?: number
  /** A file is taken when it has not changed for this long, in milliseconds, unless it was renamed into place. */
  restMs?: number
  /** The folder does not answer if a step takes longer, in milliseconds. */
  slowMs?: number
}

const ownerOnly = 0o700
const defaultRestMs = 300
/** An empty file, whose program may write when its query has ended, gets so many times the rest of others. */
const emptyRests = 10
const defaultPollMs = 1000
const defaultSlowMs = 10_000
/** A share that does not answer must not keep the station from closing or from using another folder. */
const maxStopMs = 2000
const maxFileBytes = 20 * 1024 * 1024
const tableName = /^[^.~].*\.(?:csv|tsv|txt|xlsx)$/i
/** Files that nobody put there to be imported: unfinished, of an editor, or of the Windows Explorer. */
const strayName = /^[.~]|\.(?:tmp|part)$|^(?:desktop\.ini|thumbs\.db)$/i
/** Name of a file in `work/`: id of the station, time of the claim in milliseconds, a random part, and the original name. */
const claimedName = /^([0-9a-f]{16})([0-9a-f]{12})[0-9a-f]{8}\.(.+)$/s
/** Added to a file's name for the name of its result. */
const resultEnd = '.result.json'
/** The destination of the file, in the result in `work/`. */
const deliverySchema = z.object({ movedTo: z.string().regex(/^(?:done|failed)[\\/][^\\/]+$/) })
const subfolders = ['work', 'done', 'failed']
/** Longest file name in bytes on common file systems. */
const maxNameBytes = 255
/** Files that an error message names. */
const maxFilesNamed = 3

/** A file changed while it was to be at rest. */
class StillChanging extends Error {}

interface Watched {
  settings: NonNullable<Settings['orderImport']>
  folder: string
  stop: AbortController
  timer: NodeJS.Timeout | undefined
}

/** A file in `work/`. */
interface Claimed {
  name: string
  /** Its unique name in `work/`. */
  workName: string
  /** ISO 8601. */
  takenAt: string
  /** Its stamp if it was taken just now; undefined if an earlier attempt left it in `work/`. */
  stamp: string | undefined
}

/**
 * Imports tables that other programs write to a folder (docs/orders.md). Each file is moved to `work/` first, so that a file
 * that can't be moved is never imported, then to `done/` or `failed/` beside its result. A file that a crash left in
 * `work/` is imported again under the same claim: orders that it added or replaced before do not change.
 */
export class ImportFolder {
  private watched: Watched | undefined
  /** By folder: resolves when its last import has ended. */
  private readonly endings = new Map<string, Promise<void>>()
  private readonly stopping = new AbortController()
  private failure: AppError | null = null
  /** Outcomes of imported files that could not be moved out of `work/` yet, by their names there. */
  private readonly outcomes = new Map<string, Result<ImportResult>>()
  /** Prefix of this station's files in `work/`; the files of other stations are not touched. */
  private readonly ownPrefix: string
  /** Includes the prefixes of an earlier data folder and of the name that earlier versions took for the computer's. */
  private ownPrefixes: readonly string[]
  private readonly mutex = createMutex()
  /** The last reported event per name; null if the system does not report every write. */
  private traces: Map<string, Trace> | null = null
  /** When a file was first found empty, by the clock of `performance`. */
  private readonly emptySince = new Map<string, number>()

  /** No folder is touched before `follow`. */
  constructor(private readonly deps: ImportFolderDeps) {
    this.ownPrefix = toPrefix(findComputerName(), deps.dataFolder)
    this.ownPrefixes = [this.ownPrefix]
  }

  /** Why nothing is imported now; null if the folder is off or works. */
  currentFailure(): AppError | null {
    return this.failure
  }

  /** Starts, moves or ends the import after the settings changed. */
  follow(settings: Settings['orderImport']): Promise<void> {
    return this.mutex(async () => {
      if (JSON.stringify(this.watched?.settings ?? null) === JSON.stringify(settings)) return
      await this.end()
      if (settings === null) return
      const folder = resolve(this.deps.dataFolder, settings.path)
      this.watched = { settings, folder, stop: new AbortController(), timer: undefined }
      this.endings.set(folder, this.work(this.watched, this.endings.get(folder)))
    })
  }

  /**
   * Ends the import for good; the next start imports the rest of the current file. Resolves within 2 s, also if the share
   * does not answer; after its answer nothing is moved.
   */
  stop(): Promise<void> {
    this.stopping.abort()
    return this.mutex(() => this.end())
  }

  /** Ends the import after the current file, which continues if it takes longer than 2 s. */
  private async end(): Promise<void> {
    const { watched } = this
    this.watched = undefined
    watched?.stop.abort()
    clearTimeout(watched?.timer)
    await inTime(Promise.all(this.endings.values()), maxStopMs)
    this.setFailure(null)
  }

  /** Reports a folder that does not answer: until it does, the pass that waits for it reports nothing. */
  private expectAnswer(watched: Watched): void {
    clearTimeout(watched.timer)
    if (watched.stop.signal.aborted) return
    const { slowMs = defaultSlowMs } = this.deps
    watched.timer = setTimeout(
      () => this.report(watched, `its disk or network share has not answered for ${slowMs} ms`),
      slowMs,
    )
  }

  private async work(watched: Watched, previous: Promise<void> | undefined): Promise<void> {
    const { folder, stop } = watched
    this.expectAnswer(watched)
    // Two imports of one folder would take each other's files.
    await previous
    this.ownPrefixes = [...listPrefixes(this.deps.dataFolder), ...(await this.findEarlierPrefixes())]
    let wake = new AbortController()
    let watcher: FSWatcher | undefined
    let isMade = false
    let isTidy = false
    while (!stop.signal.aborted) {
      wake = new AbortController()
      this.expectAnswer(watched)
      try {
        // Only once: if the folder disappears later, its share was probably unmounted, and files in a new folder would be hidden.
        if (!isMade) await mkdir(folder, { recursive: true, mode: ownerOnly })
        isMade = true
        for (const name of subfolders) await makePlainFolder(join(folder, name))
        watcher ??= this.watchFolder(folder, {
          onReport: () => wake.abort(),
          onEnd() {
            watcher = undefined
          },
        })
        if (!isTidy) for (const name of subfolders) await removeLeftovers(join(folder, name))
        isTidy = true
        const failures = await this.importAll(watched)
        this.report(watched, failures.length === 0 ? null : failures.slice(0, maxFilesNamed).join('; '))
      } catch (error) {
        this.report(watched, toReason(error))
      }
      clearTimeout(watched.timer)
      const { pollMs = defaultPollMs } = this.deps
      const signal = AbortSignal.any([stop.signal, wake.signal])
      await rest(pollMs, { signal })
    }
    watcher?.close()
  }

  private async findEarlierPrefixes(): Promise<string[]> {
    const { dataFolder, earlierDataFolder: earlier } = this.deps
    const real = await realpath(dataFolder).catch(() => undefined)
    if (earlier === undefined || real === undefined) return []
    return (await leadsTo(earlier, real)) ? listPrefixes(earlier) : []
  }

  /** Not every share reports changes, and some stop reporting: the folder is also listed at an interval, and watched again. */
  private watchFolder(
    folder: string,
    { onReport, onEnd }: { onReport(): void; onEnd(): void },
  ): FSWatcher | undefined {
    try {
      const traces = new Map<string, Trace>()
      const watcher = watch(folder, (event, name) => {
        if (name !== null) traces.set(name, event === 'rename' ? 'moved' : 'written')
        onReport()
      })
      this.traces = process.platform === 'linux' ? traces : null
      watcher.on('error', () => {
        this.traces = null
        watcher.close()
        onEnd()
      })
      return watcher
    } catch (error) {
      this.deps.log.warn(
        'the system does not report changes of the import folder; it is listed once a second',
        {
          reason: toReason(error),
        },
      )
      return undefined
    }
  }

  /** @returns the files that could not be imported, with the reasons; the others were */
  private async importAll(watched: Watched): Promise<string[]> {
    const { folder, stop } = watched
    const failures: string[] = []
    const tryOne = async (name: string, step: () => Promise<void>) => {
      if (stop.signal.aborted) return
      this.expectAnswer(watched)
      await step().catch((error: unknown) => {
        if (!stop.signal.aborted) failures.push(`${name}: ${toReason(error)}`)
      })
    }
    const inWork = await readdir(join(folder, 'work'))
    for (const name of inWork) {
      if (!this.ownPrefixes.some((prefix) => name.startsWith(prefix)) || !name.endsWith(resultEnd)) continue
      const workName = name.slice(0, -resultEnd.length)
      if (inWork.includes(workName)) continue
      await tryOne(workName, async () => void (await this.resumeDelivery(folder, workName)))
    }
    for (const claimed of await this.listClaimed(folder))
      await tryOne(claimed.name, () => this.importClaimed(watched, claimed))
    const entries = await readdir(folder, { withFileTypes: true })
    const present = new Set(entries.map(({ name }) => name))
    for (const name of this.traces?.keys() ?? []) if (!present.has(name)) this.traces?.delete(name)
    for (const name of this.emptySince.keys()) if (!present.has(name)) this.emptySince.delete(name)
    const isTable = (entry: Dirent) =>
      entry.isFile() && tableName.test(entry.name) && !entry.name.includes('\uFFFD')
    const waiting: { name: string; modifiedNs: bigint }[] = []
    for (const { name } of entries.filter(isTable)) {
      if (stop.signal.aborted) break
      this.expectAnswer(watched)
      // A file that can't be read is reported when it is claimed.
      const stats = await lstat(join(folder, name), { bigint: true }).catch(() => undefined)
      waiting.push({ name, modifiedNs: stats?.mtimeNs ?? 0n })
    }
    for (const { name } of waiting.sort(byArrival)) {
      await tryOne(name, async () => {
        const claimed = await this.claim(watched, name)
        if (claimed !== undefined) await this.importClaimed(watched, claimed)
      })
    }
    for (const entry of entries) {
      const { name } = entry
      if (!isTable(entry) && !entry.isDirectory() && !strayName.test(name))
        failures.push(`${name}: ${findWhyNotTaken(entry)}`)
    }
    return failures
  }

  /** Files of this station in `work/`, oldest first. */
  private async listClaimed(folder: string): Promise<Claimed[]> {
    const names = await readdir(join(folder, 'work'))
    return names.toSorted().flatMap((workName): Claimed[] => {
      const [, station = '', taken = '', name] = claimedName.exec(workName) ?? []
      if (!this.ownPrefixes.includes(station) || name === undefined || workName.endsWith(resultEnd)) return []
      return [
        { name, workName, takenAt: new Date(Number.parseInt(taken, 16)).toISOString(), stamp: undefined },
      ]
    })
  }

  /** @returns undefined if the file disappeared, or is still being written */
  private async claim({ folder, stop }: Watched, name: string): Promise<Claimed | undefined> {
    const path = join(folder, name)
    // Read before the move, so that a file that can't be read stays where it is.
    const read = await this.readNew(path, name, stop).catch((error: unknown) =>
      error instanceof StillChanging ? undefined : ignoreMissing(error),
    )
    if (read === undefined || this.mayGetContent(name, read.content.length)) return undefined
    const now = this.deps.now()
    const taken = now.getTime().toString(16).padStart(12, '0')
    const workName = `${this.ownPrefix}${taken}${randomBytes(4).toString('hex')}.${name}`
    const excess = Buffer.byteLength(workName + resultEnd) - maxNameBytes
    // The result could not be written after the import.
    if (excess > 0) throw new Error(`its name is too long by ${excess} bytes`)
    stop.signal.throwIfAborted()
    try {
      await rename(path, join(folder, 'work', workName))
    } catch (error) {
      return ignoreMissing(error)
    }
    return { name, workName, takenAt: now.toISOString(), stamp: read.stamp }
  }

  /** Whether a file was found empty so recently that its writer may still write to it. */
  private mayGetContent(name: string, length: number): boolean {
    const since = this.emptySince.get(name) ?? performance.now()
    const { restMs = defaultRestMs } = this.deps
    const isExpected = length === 0 && performance.now() - since < emptyRests * restMs
    if (isExpected) this.emptySince.set(name, since)
    else this.emptySince.delete(name)
    return isExpected
  }

  /** Reads a file that was renamed into the folder at once, and other files when they are at rest. */
  private async readNew(path: string, name: string, stop: AbortController) {
    const { traces } = this
    const stats = await lstat(path, { bigint: true })
    const format = extname(name).toLowerCase() === '.xlsx' ? 'xlsx' : 'csv'
    const { restMs = defaultRestMs } = this.deps
    const isComplete =
      traces !== null &&
      stats.isFile() &&
      (await new IncomingFile(name, path, format, stats).restNeeded({ restMs, cutOffMs: restMs }, () =>
        traces.get(name),
      )) === 0
    let hasWaited = false
    return readAtRest(path, isComplete ? toStamp(stats) : undefined, maxFileBytes, () => {
      // The next round tries again, so that a file that keeps changing does not stop the others.
      if (hasWaited) throw new StillChanging()
      hasWaited = true
      return this.rest(stop)
    })
  }

  private rest({ signal }: AbortController): Promise<void> {
    return pause(this.deps.restMs ?? defaultRestMs, undefined, { signal })
  }

  private async importClaimed(watched: Watched, claimed: Claimed): Promise<void> {
    const { folder } = watched
    const { name, workName } = claimed
    if (await this.resumeDelivery(folder, workName)) return
    const imported = this.outcomes.get(workName) ?? (await this.importOnce(watched, claimed))
    const place = imported.ok ? 'done' : 'failed'
    const free = await findFreeName(join(folder, place), name)
    const movedTo = join(place, free)
    const result = {
      file: name,
      movedTo,
      ...(imported.ok
        ? { ...imported.value, error: null }
        : { error: { code: imported.error.code, message: imported.error.message } }),
    }
    const text = `${JSON.stringify(result, null, 2)}\n`
    // Tells an interrupted delivery which result in the destination is its own.
    await replacePlain(join(folder, 'work', workName + resultEnd), text, 0o600)
    await this.deliver(folder, workName, movedTo, text)
  }

  /** Writes the result first, so that no file is in `done/` or `failed/` without one. Can be repeated. */
  private async deliver(folder: string, workName: string, movedTo: string, result: string): Promise<void> {
    this.stopping.signal.throwIfAborted()
    const path = join(folder, 'work', workName)
    const destination = join(folder, movedTo)
    await replacePlain(destination + resultEnd, result, 0o600)
    await syncFolder(dirname(destination))
    await rename(path, destination).catch(ignoreMissing)
    await this.forget(folder, workName)
  }

  private async forget(folder: string, workName: string): Promise<void> {
    await unlink(join(folder, 'work', workName + resultEnd))
    this.outcomes.delete(workName)
  }

  /**
   * Finishes a delivery that failed or was interrupted by a crash.
   * @returns false if the file has no result yet, or another one has its names by now
   */
  private async resumeDelivery(folder: string, workName: string): Promise<boolean> {
    const path = join(folder, 'work', workName)
    const result = await readPlainText(path + resultEnd)
    if (result === undefined) return false
    const parsed = parseJsonText(result)
    const delivery = deliverySchema.safeParse(parsed.ok ? parsed.value : undefined)
    if (!delivery.success) return false
    const { movedTo } = delivery.data
    const delivered = await readPlainText(join(folder, movedTo + resultEnd))
    if (!(await exists(path))) {
      // Its result was there before it, and may have been taken away with it. Only older versions moved the file first.
      const isWithoutResult = delivered === undefined && (await exists(join(folder, movedTo)))
      if (isWithoutResult) await this.deliver(folder, workName, movedTo, result)
      else await this.forget(folder, workName)
      return true
    }
    const isTaken = delivered === undefined ? await exists(join(folder, movedTo)) : delivered !== result
    if (!isTaken) await this.deliver(folder, workName, movedTo, result)
    return !isTaken
  }

  private async importOnce(
    watched: Watched,
    { name, workName, takenAt, stamp }: Claimed,
  ): Promise<Result<ImportResult>> {
    const { folder, settings, stop } = watched
    const { orderImport, log } = this.deps
    const path = join(folder, 'work', workName)
    const read = await readAtRest(path, stamp, maxFileBytes, () => this.rest(stop))
    const { content } = read
    const resumedFrom = stamp === undefined ? takenAt : null
    const claim = { id: workName, resumedFrom, stop: this.stopping.signal }
    // A large file takes longer than an answer of the folder.
    clearTimeout(watched.timer)
    let imported: Result<ImportResult> =
      content === 'too-large'
        ? err(appError('table-unreadable', { file: name, reason: 'it is larger than 20 MB' }))
        : await orderImport.importFile(name, content, settings.mapping ?? null, settings.onDuplicate, claim)
    this.expectAnswer(watched)
    const after = await lstat(path, { bigint: true }).catch(ignoreMissing)
    if (imported.ok && after !== undefined && toStamp(after) !== read.stamp) {
      const { added, updated } = imported.value
      const reason = `it was written to after it was taken; imported: ${added + updated}. Put it into the folder again`
      imported = err(appError('table-unreadable', { file: name, reason }))
    }
    this.outcomes.set(workName, imported)
    log.info(
      imported.ok ? 'a file of the import folder was imported' : 'a file of the import folder was refused',
      {
        name,
        ...(imported.ok ? imported.value : { code: imported.error.code }),
      },
    )
    return imported
  }

  /** @param reason null if the folder works; without effect after the folder changed */
  private report(watched: Watched, reason: string | null): void {
    if (watched !== this.watched) return
    const { folder: path } = watched
    this.setFailure(reason === null ? null : appError('order-import-stopped', { path, reason }))
  }

  private setFailure(failure: AppError | null): void {
    const isSame = this.failure?.message === failure?.message
    this.failure = failure
    if (isSame) return
    if (failure !== null)
      this.deps.log.warn('the import folder does not work, or not for all files', { reason: failure.message })
    this.deps.bus.emit('statusOutdated')
  }
}

function toPrefix(computer: string, dataFolder: string): string {
  return hash('sha256', JSON.stringify([computer, dataFolder])).slice(0, 16)
}

function listPrefixes(dataFolder: string): string[] {
  return listComputerNames().map((computer) => toPrefix(computer, dataFolder))
}

function findWhyNotTaken(entry: Dirent): string {
  if (entry.name.includes('\uFFFD')) return 'its name is not in UTF-8'
  return entry.isFile() ? 'it is no .csv, .tsv, .txt or .xlsx file' : 'it is a link or no plain file'
}

/** A name that is not in use: «orders.csv», then «orders.2.csv». */
async function findFreeName(folder: string, name: string): Promise<string> {
  const { name: stem, ext } = parse(name)
  for (let attempt = 1; ; attempt += 1) {
    const free = attempt === 1 ? name : `${stem}.${attempt}${ext}`
    const isUsed = (await exists(join(folder, free))) || (await exists(join(folder, free + resultEnd)))
    if (!isUsed) return free
  }
}
