import { randomBytes } from 'node:crypto'
import { type FSWatcher, watch } from 'node:fs'
import { lstat, mkdir, readdir, readFile, realpath, rename } from 'node:fs/promises'
import { hostname } from 'node:os'
import { extname, join, parse, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import type { ImportResult } from '../../shared/orders'
import { err, type Result } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import type { EventBus } from '../lib/eventBus'
import { toSha256 } from '../lib/hash'
import { IncomingFile, type Trace } from '../lib/incomingFile'
import { parseJsonText } from '../lib/jsonText'
import { createMutex } from '../lib/mutex'
import { exists, ignoreMissing, leadsTo, readAtRest, toStamp } from '../lib/plainFiles'
import { writeSynced } from '../lib/synced'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { OrderImport } from './orderImport'

export interface ImportFolderDeps {
  orderImport: Pick<OrderImport, 'importFile'>
  /** Absolute; a relative path of the settings lies in it. */
  dataFolder: string
  /** Where an earlier version kept the data: what it left in `work/` is this station's as long as that place leads to the data. */
  earlierDataFolder?: string | undefined
  bus: Pick<EventBus, 'emit'>
  log: Log
  now: () => Date
  /** How often the folder is listed though nothing was reported, in milliseconds. */
  lookMs?: number
  /** A file is taken when it has not changed for this long, in milliseconds, unless it was renamed into place. */
  restMs?: number
}

const ownerOnly = 0o700
const usualRestMs = 300
const usualLookMs = 1000
const maxFileBytes = 20 * 1024 * 1024
const tableName = /^[^.~].*\.(?:csv|tsv|txt|xlsx)$/i
/** A file in `work/`: whose it is, when it was taken in milliseconds, a random part, and its name. */
const claimedName = /^([0-9a-f]{16})([0-9a-f]{12})[0-9a-f]{8}\.(.+)$/s
/** What the name of a note has behind that of its file. */
const noteEnd = '.result.json'
/** Where a note in `work/` says that its file belongs. */
const deliverySchema = z.object({ movedTo: z.string().regex(/^(?:done|failed)[\\/][^\\/]+$/) })
/** Files that a notice names. */
const filesNamed = 3

/** A folder under watch. */
interface Watched {
  settings: NonNullable<Settings['orderImport']>
  folder: string
  stop: AbortController
  ended: Promise<void>
}

/** A file in `work/`. */
interface Claimed {
  name: string
  /** Its name in `work/`, which tells one file from a later one of its name. */
  workName: string
  /** ISO 8601. */
  takenAt: string
  /** Its stamp when it was taken just now; undefined for one that was left in `work/`. */
  stamp: string | undefined
}

/**
 * Imports the tables that other programs put into a folder (docs/orders.md): each is moved to `work/` first, so that what
 * can't be moved is never imported, then to `done/` or `failed/` beside a note of what became of it. A file that a crash
 * left in `work/` is imported again as the same claim: orders that it has added or replaced stay as they are.
 */
export class ImportFolder {
  private watched: Watched | undefined
  private failure: AppError | null = null
  /** What became of files that could not be moved out of `work/` yet, by their names there. */
  private readonly outcomes = new Map<string, Result<ImportResult>>()
  /** The beginning of names in `work/` of this station: another one's are left to it. */
  private readonly station: string
  /** That, and the one of an earlier place of the data. */
  private ownMarks: readonly string[]
  private readonly mutex = createMutex()
  /** What the system reported of names in the folder, where it reports every write. */
  private traces: Map<string, Trace> | null = null

  /** No folder is touched before `follow`. */
  constructor(private readonly deps: ImportFolderDeps) {
    this.station = toMark(deps.dataFolder)
    this.ownMarks = [this.station]
  }

  /** Why nothing is imported now; null when the folder is off or works. */
  currentFailure(): AppError | null {
    return this.failure
  }

  /** Starts, moves or ends it after the settings changed. */
  follow(settings: Settings['orderImport']): Promise<void> {
    return this.mutex(async () => {
      if (JSON.stringify(this.watched?.settings ?? null) === JSON.stringify(settings)) return
      await this.end()
      if (settings === null) return
      const folder = resolve(this.deps.dataFolder, settings.path)
      const stop = new AbortController()
      this.watched = { settings, folder, stop, ended: Promise.resolve() }
      this.watched.ended = this.work(this.watched)
    })
  }

  /** Ends it; a file that is being imported is finished. */
  stop(): Promise<void> {
    return this.mutex(() => this.end())
  }

  private async end(): Promise<void> {
    this.watched?.stop.abort()
    await this.watched?.ended
    this.watched = undefined
    this.note(null)
  }

  private async work(watched: Watched): Promise<void> {
    const { folder, stop } = watched
    this.ownMarks = [this.station, ...(await this.findEarlierMarks())]
    let wake = new AbortController()
    let watcher: FSWatcher | undefined
    while (!stop.signal.aborted) {
      wake = new AbortController()
      try {
        await mkdir(folder, { recursive: true, mode: ownerOnly })
        watcher ??= this.watchFolder(folder, {
          onReport: () => wake.abort(),
          onEnd() {
            watcher = undefined
          },
        })
        const failures = await this.importAll(watched)
        const reason = failures.slice(0, filesNamed).join('; ')
        this.note(failures.length === 0 ? null : appError('order-import-stopped', { path: folder, reason }))
      } catch (error) {
        this.note(appError('order-import-stopped', { path: folder, reason: toReason(error) }))
      }
      const { lookMs = usualLookMs } = this.deps
      const signal = AbortSignal.any([stop.signal, wake.signal])
      await pause(lookMs, undefined, { signal }).catch(() => undefined)
    }
    watcher?.close()
  }

  private async findEarlierMarks(): Promise<string[]> {
    const { dataFolder, earlierDataFolder: earlier } = this.deps
    const real = await realpath(dataFolder).catch(() => undefined)
    if (earlier === undefined || real === undefined) return []
    return (await leadsTo(earlier, real)) ? [toMark(earlier)] : []
  }

  /** Not every share reports changes, and some stop to: the folder is listed now and then besides, and watched anew. */
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
      this.deps.log.warn('the system does not report changes of the import folder', {
        reason: toReason(error),
      })
      return undefined
    }
  }

  /** @returns the files that wait, each with the reason: they don't hold up the others */
  private async importAll(watched: Watched): Promise<string[]> {
    const { folder, stop } = watched
    for (const place of ['work', 'done', 'failed']) await makePlace(join(folder, place))
    const failures: string[] = []
    const tryOne = async (name: string, step: () => Promise<void>) => {
      if (stop.signal.aborted) return
      await step().catch((error: unknown) => {
        if (!stop.signal.aborted) failures.push(`${name}: ${toReason(error)}`)
      })
    }
    for (const name of await readdir(join(folder, 'work'))) {
      if (!this.ownMarks.some((mark) => name.startsWith(mark)) || !name.endsWith(noteEnd)) continue
      const workName = name.slice(0, -noteEnd.length)
      await tryOne(workName, () => this.deliverNoted(folder, workName))
    }
    for (const claimed of await this.listClaimed(folder))
      await tryOne(claimed.name, () => this.importClaimed(watched, claimed))
    const entries = await readdir(folder, { withFileTypes: true })
    const present = new Set(entries.map(({ name }) => name))
    for (const name of this.traces?.keys() ?? []) if (!present.has(name)) this.traces?.delete(name)
    const names = entries.filter((entry) => entry.isFile() && tableName.test(entry.name))
    for (const { name } of names.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      await tryOne(name, async () => {
        const claimed = await this.claim(watched, name)
        if (claimed !== undefined) await this.importClaimed(watched, claimed)
      })
    }
    return failures
  }

  /** Files of this station in `work/`, the oldest first. */
  private async listClaimed(folder: string): Promise<Claimed[]> {
    const names = await readdir(join(folder, 'work'))
    return names.toSorted().flatMap((workName): Claimed[] => {
      const [, station = '', taken = '', name] = claimedName.exec(workName) ?? []
      if (!this.ownMarks.includes(station) || name === undefined || workName.endsWith(noteEnd)) return []
      return [
        { name, workName, takenAt: new Date(Number.parseInt(taken, 16)).toISOString(), stamp: undefined },
      ]
    })
  }

  /** @returns undefined when the file went away */
  private async claim({ folder, stop }: Watched, name: string): Promise<Claimed | undefined> {
    const path = join(folder, name)
    // A file that can't be read stays where it is.
    const read = await this.readNew(path, name, stop).catch(ignoreMissing)
    if (read === undefined) return undefined
    const now = this.deps.now()
    const taken = now.getTime().toString(16).padStart(12, '0')
    const workName = `${this.station}${taken}${randomBytes(4).toString('hex')}.${name}`
    try {
      await rename(path, join(folder, 'work', workName))
    } catch (error) {
      return ignoreMissing(error)
    }
    return { name, workName, takenAt: now.toISOString(), stamp: read.stamp }
  }

  /** Reads a file that was renamed into place at once, others when they are at rest. */
  private async readNew(path: string, name: string, stop: AbortController) {
    const { traces } = this
    const stats = await lstat(path, { bigint: true })
    const format = extname(name).toLowerCase() === '.xlsx' ? 'xlsx' : 'csv'
    const { restMs = usualRestMs } = this.deps
    const isWhole =
      traces !== null &&
      stats.isFile() &&
      (await new IncomingFile(name, path, format, stats).restNeeded({ restMs, cutOffMs: restMs }, () =>
        traces.get(name),
      )) === 0
    return this.read(path, isWhole ? toStamp(stats) : undefined, stop)
  }

  private read(
    path: string,
    stamp: string | undefined,
    { signal }: AbortController,
  ): ReturnType<typeof readAtRest> {
    return readAtRest(path, stamp, maxFileBytes, () =>
      pause(this.deps.restMs ?? usualRestMs, undefined, { signal }),
    )
  }

  private async importClaimed(watched: Watched, claimed: Claimed): Promise<void> {
    const { folder } = watched
    const { name, workName } = claimed
    const imported = this.outcomes.get(workName) ?? (await this.importOnce(watched, claimed))
    const place = imported.ok ? 'done' : 'failed'
    const free = await findFreeName(join(folder, place), name)
    const note = {
      file: name,
      movedTo: join(place, free),
      ...(imported.ok
        ? { ...imported.value, error: null }
        : { error: { code: imported.error.code, message: imported.error.message } }),
    }
    // Beside the file before it is moved: a crash in between leaves no file without its note.
    const path = join(folder, 'work', workName + noteEnd)
    await writeSynced(path, `${JSON.stringify(note, null, 2)}\n`, 0o600, 'w')
    await this.deliver(folder, workName, note)
  }

  private async deliver(folder: string, workName: string, { movedTo }: { movedTo: string }): Promise<void> {
    await rename(join(folder, 'work', workName), join(folder, movedTo)).catch(ignoreMissing)
    await rename(join(folder, 'work', workName + noteEnd), join(folder, movedTo + noteEnd))
    this.outcomes.delete(workName)
  }

  /** Moves a file whose outcome an earlier run noted, and that it did not bring beside its note any more. */
  private async deliverNoted(folder: string, workName: string): Promise<void> {
    // This run still tries it.
    if (this.outcomes.has(workName) && (await exists(join(folder, 'work', workName)))) return
    const parsed = parseJsonText(await readFile(join(folder, 'work', workName + noteEnd), 'utf8'))
    const note = deliverySchema.safeParse(parsed.ok ? parsed.value : undefined)
    if (note.success) await this.deliver(folder, workName, note.data)
  }

  private async importOnce(
    { folder, settings, stop }: Watched,
    { name, workName, takenAt, stamp }: Claimed,
  ): Promise<Result<ImportResult>> {
    const { orderImport, log } = this.deps
    const { content } = await this.read(join(folder, 'work', workName), stamp, stop)
    const claim = { id: workName, resumedFrom: stamp === undefined ? takenAt : null }
    const imported: Result<ImportResult> =
      content === 'too-large'
        ? err(appError('table-unreadable', { file: name, reason: 'it is larger than 20 MB' }))
        : await orderImport.importFile(name, content, settings.mapping ?? null, settings.onDuplicate, claim)
    this.outcomes.set(workName, imported)
    log.info('a file of orders was imported by itself', {
      name,
      ...(imported.ok ? imported.value : { code: imported.error.code }),
    })
    return imported
  }

  private note(failure: AppError | null): void {
    const isSame = this.failure?.message === failure?.message
    this.failure = failure
    if (isSame) return
    if (failure !== null)
      this.deps.log.warn('orders are not imported by themselves', { reason: failure.message })
    this.deps.bus.emit('statusOutdated')
  }
}

function toMark(dataFolder: string): string {
  return toSha256(JSON.stringify([hostname(), dataFolder])).slice(0, 16)
}

/** Makes a folder that is missing. A link in its place would lead files elsewhere. */
async function makePlace(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: ownerOnly })
  if (!(await lstat(path)).isDirectory()) throw new Error(`${path} is a link or no folder`)
}

/** A name that nothing has yet: «orders.csv», then «orders.2.csv». */
async function findFreeName(folder: string, name: string): Promise<string> {
  const { name: stem, ext } = parse(name)
  for (let attempt = 1; ; attempt += 1) {
    const free = attempt === 1 ? name : `${stem}.${attempt}${ext}`
    const isUsed = (await exists(join(folder, free))) || (await exists(join(folder, free + noteEnd)))
    if (!isUsed) return free
  }
}
