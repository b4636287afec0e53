import { hash } from 'node:crypto'
import { lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type AppError, appError } from '../../shared/errors'
import type { OrderFileIssueDetails } from '../../shared/inputIssues'
import { err, ok, type Result } from '../../shared/result'
import type { ShipmentDefaults } from '../../shared/shipments'
import { exists, ignoreMissing, readAtRest, renameOnShare, toStamp } from '../lib/plainFiles'
import { syncFolder, systemCode } from '../lib/synced'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { ClaimedFile } from './claim'
import { type FolderOwner, isSameFolder, type SeenFolder } from './folderOwner'
import type { OrderFolders } from './folders'
import { addLaterChanges, type LineOutcome } from './lineOutcome'
import {
  maxFileBytes,
  type OrderLine,
  readMappedLines,
  readOrderLines,
  type TableReading,
  toUnreadableLine,
} from './orderLines'
import type { OrderFileNotes } from './repository'
import { forgetTakenMapping } from './sharing'

export interface OrderContentDeps {
  folders: OrderFolders
  owner: Pick<FolderOwner, 'folder' | 'readFolder'>
  tables: TableReading
  files: OrderFileNotes
  /** A file is at rest when it has not changed for this long. */
  restMs: number
  stop: AbortSignal
  log: Log
}

/** The content of a file when it was read. */
interface Content {
  stamp: string
  sha256: string
  lines: OrderLine[]
  /** The values of fields that its shipments omitted. */
  defaults: ShipmentDefaults
  /** The content differs from what an earlier run read. */
  isChanged: boolean
}

/**
 * The content of an order file in `work/`. It is read once, before anything of it is sent, and compared when the result is
 * written, since other programs and people may change or remove the file at any time.
 */
export class OrderContent {
  private readonly name: string
  private readonly path: string
  private content: Content | undefined
  /** The stamp of the content that the result covers. */
  private resultStamp: string | undefined
  /** Whether the file is in a folder from which no other station takes it over. */
  isBegun: boolean
  /** The hot folder in which the file was last seen. */
  private folder: SeenFolder | undefined

  constructor(
    private readonly deps: OrderContentDeps,
    private readonly claimed: ClaimedFile,
  ) {
    this.name = claimed.row.name
    this.path = join(deps.folders.work, this.name)
    this.isBegun = deps.folders.shared === undefined
    this.folder = deps.owner.folder
  }

  /**
   * Reads the file, once.
   * @returns 'removed' if a person or another station took it from `work/`: then nothing more is sent;
   *   `order-file-not-readable` if only this file can't be read at the moment; `hot-folder-missing` if another folder is in
   *   the place of the one in which it was
   */
  async read(): Promise<Result<Pick<Content, 'lines' | 'isChanged'> | 'removed'>> {
    const { name } = this
    const { files, log } = this.deps
    try {
      if (this.content === undefined) {
        await this.moveToBegun()
        const read = await this.readLines()
        if (!read.ok) return read
        this.content = read.value
      } else await lstat(this.path)
      this.folder = this.deps.owner.folder
      return ok(this.content)
    } catch (error) {
      if (systemCode(error) === 'ENOENT' && (await this.isAway())) return err(this.toReplaced())
      if (!(await this.isRemoved(error))) throw error
      if (this.isBegun) {
        log.warn(
          'an order file was removed from work/; its remaining lines are not sent, and it gets no result',
          { name },
        )
      } else log.info('another station took over an order file before it was begun here', { name })
      await files.finish(this.claimed.row.id)
      return ok('removed')
    }
  }

  /** Adds outcomes for lines that were written to the file after it was read: none of them was sent. */
  async addLaterChanges(outcomes: readonly LineOutcome[]): Promise<readonly LineOutcome[]> {
    const { content } = this
    if (content === undefined || !(await isChanged(this.path, content.stamp))) return outcomes
    const now = await this.readAtRest(undefined)
    this.resultStamp = now.stamp
    // The same content may read differently under the settings of now.
    if (hash('sha256', now.content) === content.sha256) return outcomes
    const linesNow = await this.readOrders(now.content, content.defaults)
    return addLaterChanges(this.name, outcomes, content.lines, linesNow)
  }

  /** Whether the file, which was moved to `path`, has changed since the result was made. */
  async isChangedSinceResult(path: string): Promise<boolean> {
    return this.resultStamp !== undefined && (await isChanged(path, this.resultStamp))
  }

  /**
   * Moves a file of a shared folder to a folder from which no other station takes it over. Throws if one already did: only
   * one of two moves finds the file.
   */
  private async moveToBegun(): Promise<void> {
    const { shared, work } = this.deps.folders
    if (this.isBegun || shared === undefined) return
    // Succeeds too if an earlier run moved it.
    const moved = await renameOnShare(join(shared.taken, this.name), this.path)
    if (!moved.ok) throw moved.error
    this.isBegun = true
    // A power failure of the share must not return the file to other stations after a line was sent.
    await syncFolder(work).catch(() => undefined)
    await forgetTakenMapping(shared.taken, this.name)
  }

  private async readLines(): Promise<Result<Content>> {
    const taken = await this.readTaken()
    if (!taken.ok) return taken
    const file = taken.value
    const sha256 = hash('sha256', file.content)
    const isChanged = await this.isChangedSinceRun(sha256)
    const defaults = this.deps.tables.settings.current().shipmentDefaults
    const read = await this.readOrders(file.content, defaults)
    const lines = read.ok ? read.value : [toUnreadableLine(this.name, read.error)]
    this.resultStamp = file.stamp
    return ok({ stamp: file.stamp, sha256, lines, defaults, isChanged })
  }

  /** Throws if the folder itself can't be used. */
  private async readTaken(): Promise<Result<Awaited<ReturnType<typeof readAtRest>>>> {
    const { stop, folders } = this.deps
    try {
      return ok(await this.readAtRest(this.claimed.stamp))
    } catch (error) {
      stop.throwIfAborted()
      if (systemCode(error) === 'ENOENT') throw error
      await stat(folders.work)
      return this.toNotReadable(error)
    }
  }

  /** The error of a file whose folder `isAway`. */
  toReplaced(): AppError {
    const path = this.deps.folders.root
    return appError('hot-folder-missing', { case: 'replaced', path, name: this.name })
  }

  private toNotReadable(error: unknown): Result<never> {
    return err(appError('order-file-not-readable', { path: this.path, reason: toReason(error) }))
  }

  private async readOrders(
    content: Buffer | 'too-large',
    defaults: ShipmentDefaults,
  ): Promise<Result<OrderLine[], OrderFileIssueDetails>> {
    const { mapping } = this.claimed.row
    const { tables } = this.deps
    const lines =
      mapping === null
        ? await readOrderLines(this.name, content, defaults, tables.settings.current().printers)
        : await readMappedLines(this.name, content, mapping, defaults, tables)
    this.deps.stop.throwIfAborted()
    return lines
  }

  /** Whether an earlier run read different content; stores the checksum if no run has read it. */
  private async isChangedSinceRun(sha256: string): Promise<boolean> {
    const { row, origin } = this.claimed
    if (row.sha256 !== null) return row.sha256 !== sha256
    if (origin !== 'not-noted') await this.deps.files.noteContent(row.id, sha256)
    return false
  }

  private readAtRest(stamp: string | undefined): ReturnType<typeof readAtRest> {
    const { restMs, stop } = this.deps
    return readAtRest(this.path, stamp, maxFileBytes, () => pause(restMs, undefined, { signal: stop }))
  }

  /** Whether the file is missing because its share was unmounted, or another one mounted; throws if no folder is there. */
  async isAway(): Promise<boolean> {
    return !(await exists(this.path)) && !isSameFolder(await this.deps.owner.readFolder(), this.folder)
  }

  /** Whether the file was removed; throws if the folder itself is missing at the moment. */
  async isRemoved(error: unknown): Promise<boolean> {
    if (systemCode(error) !== 'ENOENT' || (await this.isAway())) return false
    await stat(this.deps.folders.work)
    return !(await exists(this.path))
  }
}

/** False for a file that was removed. */
async function isChanged(path: string, stamp: string): Promise<boolean> {
  const stats = await lstat(path, { bigint: true }).catch(ignoreMissing)
  return stats !== undefined && toStamp(stats) !== stamp
}
