import { type FSWatcher, watch } from 'node:fs'
import { mkdir, readdir, rename } from 'node:fs/promises'
import { join, parse, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type AppError, appError } from '../../shared/errors'
import type { ImportResult } from '../../shared/orders'
import { err, type Result } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import { readAtRest } from '../hotFolder/atRest'
import { exists, ignoreMissing } from '../hotFolder/folders'
import type { EventBus } from '../lib/eventBus'
import { createMutex } from '../lib/mutex'
import { writeSynced } from '../lib/synced'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { Orders } from '../orders/orders'

export interface ImportFolderDeps {
  orders: Pick<Orders, 'importFile'>
  /** Absolute; a relative path of the settings lies in it. */
  dataFolder: string
  bus: Pick<EventBus, 'emit'>
  log: Log
  /** How often the folder is listed though nothing was reported, in milliseconds. */
  lookMs?: number
}

const ownerOnly = 0o700
/** A file is taken when it has not changed for this long, in milliseconds. */
const restMs = 300
const usualLookMs = 1000
const maxFileBytes = 20 * 1024 * 1024
const tableName = /^[^.~].*\.(?:csv|tsv|txt|xlsx)$/i

/** A folder under watch. */
interface Watched {
  settings: NonNullable<Settings['orderImport']>
  folder: string
  stop: AbortController
  ended: Promise<void>
}

/**
 * Imports the tables that other programs put into a folder (docs/orders.md): each goes to `done/` or `failed/` beside a
 * note of what became of it. A file that a crash left where it was is imported again, which changes nothing: its
 * references are in the list.
 */
export class ImportFolder {
  private watched: Watched | undefined
  private failure: AppError | null = null
  private readonly mutex = createMutex()

  /** No folder is touched before `follow`. */
  constructor(private readonly deps: ImportFolderDeps) {}

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
    let wake = new AbortController()
    let watcher: FSWatcher | undefined
    while (!stop.signal.aborted) {
      wake = new AbortController()
      try {
        await mkdir(folder, { recursive: true, mode: ownerOnly })
        watcher ??= this.watchFolder(folder, () => wake.abort())
        await this.importAll(watched)
        this.note(null)
      } catch (error) {
        this.note(appError('order-import-stopped', { path: folder, reason: toReason(error) }))
      }
      const { lookMs = usualLookMs } = this.deps
      const signal = AbortSignal.any([stop.signal, wake.signal])
      await pause(lookMs, undefined, { signal }).catch(() => undefined)
    }
    watcher?.close()
  }

  /** Not every share reports changes: without reports the folder is listed now and then. */
  private watchFolder(folder: string, onReport: () => void): FSWatcher | undefined {
    try {
      const watcher = watch(folder, onReport)
      watcher.on('error', () => watcher.close())
      return watcher
    } catch (error) {
      this.deps.log.warn('the system does not report changes of the import folder', {
        reason: toReason(error),
      })
      return undefined
    }
  }

  private async importAll(watched: Watched): Promise<void> {
    const entries = await readdir(watched.folder, { withFileTypes: true })
    const names = entries
      .filter((entry) => entry.isFile() && tableName.test(entry.name))
      .map(({ name }) => name)
    for (const name of names.toSorted()) {
      if (watched.stop.signal.aborted) return
      await this.importOne(watched, name)
    }
  }

  private async importOne({ folder, settings, stop }: Watched, name: string): Promise<void> {
    const { orders, log } = this.deps
    const path = join(folder, name)
    const rest = () => pause(restMs, undefined, { signal: stop.signal })
    const read = await readAtRest(path, undefined, maxFileBytes, rest).catch((error: unknown) => {
      if (stop.signal.aborted) return undefined
      return ignoreMissing(error)
    })
    if (read === undefined) return
    const imported: Result<ImportResult> =
      read.content === 'too-large'
        ? err(appError('table-unreadable', { file: name, reason: 'it is larger than 20 MB' }))
        : await orders.importFile(name, read.content, settings.mapping ?? null, settings.onDuplicate)
    log.info('a file of orders was imported by itself', {
      name,
      ...(imported.ok ? imported.value : { code: imported.error.code }),
    })
    const place = join(folder, imported.ok ? 'done' : 'failed')
    await mkdir(place, { recursive: true, mode: ownerOnly })
    const free = await findFreeName(place, name)
    const note = imported.ok
      ? { file: name, ...imported.value, error: null }
      : { file: name, error: { code: imported.error.code, message: imported.error.message } }
    await writeSynced(join(place, `${free}.result.json`), `${JSON.stringify(note, null, 2)}\n`, 0o600)
    await rename(path, join(place, free))
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

/** A name that nothing has yet: «orders.csv», then «orders.2.csv». */
async function findFreeName(folder: string, name: string): Promise<string> {
  const { name: stem, ext } = parse(name)
  for (let attempt = 1; ; attempt += 1) {
    const free = attempt === 1 ? name : `${stem}.${attempt}${ext}`
    const isUsed = (await exists(join(folder, free))) || (await exists(join(folder, `${free}.result.json`)))
    if (!isUsed) return free
  }
}
