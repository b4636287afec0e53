import { createHash } from 'node:crypto'
import { lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ok, type Result } from '../../shared/result'
import type { ShipmentDefaults } from '../../shared/shipments'
import type { Mutex } from '../lib/mutex'
import type { Log } from '../log/log'
import { withLaterChanges } from './changedLines'
import { type OrderFolders, restoreFolders, systemCode } from './folders'
import { createOrderRun, type OrderRun } from './lineOutcome'
import { maxFile, type OrderLine, readOrderLines, unreadableFile } from './orderLines'
import { type LineOutcome, orderResult } from './orderResult'
import { BackOff, orStopped, type Pauses } from './pauses'
import type { OrderFile, OrderFileStore, OrderShipping } from './ports'
import {
  type Destination,
  exists,
  freeDestination,
  hasResult,
  moveBesideResult,
  writeResult,
} from './resultFiles'
import { readAtRest, stampOf } from './stamp'

export interface OrderJobDeps {
  folders: OrderFolders
  print: boolean
  settleMs: number
  shipping: OrderShipping
  files: OrderFileStore
  defaults: () => ShipmentDefaults
  log: Log
  pauses: Pauses
  stop: AbortSignal
}

/** A file in `work/` as it was found. */
export interface WorkFile {
  /** What is noted of it; made up for a file that nothing is noted of. */
  row: OrderFile
  /**
   * How it came there: taken just now, by an earlier run, or not known, since the journal that knew it is lost. The
   * shipments of such a file may have been sent: none of them is sent again.
   */
  origin: 'taken' | 'earlier-run' | 'not-noted'
  modifiedNs: bigint
  /** Its stamp when it was at rest in `in/`; undefined for a file that was already in `work/`. */
  stamp: string | undefined
  /** Where an earlier run wrote its result. */
  destination: Destination | undefined
}

/** What a file held when it was read. */
interface ReadFile {
  stamp: string
  lines: OrderLine[]
  /** What its shipments left out then. */
  defaults: ShipmentDefaults
}

/** Waits between questions to the journal for an outcome that is still to come. */
const firstPauseMs = 1_000
const maxPauseMs = 5_000

/**
 * The way of one file from `work/` to `done/` or `failed/`. Every step may be tried again after trouble, in this run
 * of the app or the next: what was done is found in the journal, or on the disk.
 */
export class OrderJob {
  readonly name: string
  readonly askAgain = new BackOff(firstPauseMs, maxPauseMs)
  private read: ReadFile | undefined
  /** The stamp of what the result speaks of. */
  private lastStamp: string | undefined
  private run: OrderRun | undefined
  private destination: Destination | undefined
  private moved = false

  constructor(
    private readonly deps: OrderJobDeps,
    private readonly found: WorkFile,
  ) {
    this.name = found.row.name
    this.destination = found.destination
  }

  /**
   * Creates the shipments that have no outcome yet.
   * @returns 'complete', 'stopped', or 'gone' when a person took the file away; an error is the station's
   */
  async create(): Promise<Result<'complete' | 'stopped' | 'gone'>> {
    const { files, stop } = this.deps
    const { row } = this.found
    if (this.destination !== undefined) return ok('complete')
    try {
      // While it waited a person may have taken it away: then the rest of it is not to be sent.
      if (this.run !== undefined) await lstat(this.path)
      this.run ??= await this.open()
    } catch (error) {
      if (!(await this.isGone(error))) throw error
      this.deps.log.warn(
        'an order file was removed from work/; what is left of it is not sent, and it gets no result',
        { name: this.name },
      )
      await files.finish(row.id)
      return ok('gone')
    }
    if (this.run === undefined) return ok('stopped')
    const complete = await this.run.proceed(stop)
    return complete.ok ? ok(complete.value ? 'complete' : 'stopped') : complete
  }

  /**
   * Waits for the print jobs, writes the result and moves the file beside it.
   * @param mutex for the choice of names, which is made for one file at a time
   * @param onPrinted the print jobs have ended
   * @returns where it went; undefined when the app stops first
   */
  async finish(mutex: Mutex, onPrinted: () => void): Promise<Destination | undefined> {
    const { run } = this
    const { row } = this.found
    if (this.destination !== undefined && run !== undefined) {
      // The move failed. A folder that somebody put away took the result with it, so that it is written again.
      if (!(await hasResult(this.deps.folders, this.destination, row))) this.destination = undefined
    }
    if (this.destination === undefined && run !== undefined) {
      const jobs = await orStopped(run.endedJobs(), this.deps.stop)
      onPrinted()
      const outcomes = jobs && (await this.outcomesAtDelivery(run))
      if (jobs === undefined || outcomes === undefined) return undefined
      const result = orderResult(row, outcomes, jobs, this.deps.print)
      this.destination = await mutex(async () => {
        const { folders } = this.deps
        await restoreFolders(folders)
        const folder = outcomes.every(({ outcome }) => outcome === 'created') ? 'done' : 'failed'
        const destination = await freeDestination(folders, row.name, folder)
        await writeResult(folders, destination, result)
        return destination
      })
    }
    if (this.destination !== undefined) await this.move(this.destination)
    await this.deps.files.finish(row.id)
    return this.destination
  }

  private get path(): string {
    return join(this.deps.folders.work, this.name)
  }

  /** The outcomes, and what was written to the file after it was read; undefined when the app stops first. */
  private async outcomesAtDelivery(run: OrderRun): Promise<readonly LineOutcome[] | undefined> {
    const { read } = this
    const outcomes = run.outcomes()
    if (read === undefined || !(await this.isChanged(this.path, read.stamp))) return outcomes
    const now = await this.readAtRest(undefined)
    if (now === undefined) return undefined
    this.lastStamp = now.stamp
    const lines = readOrderLines(this.name, now.content, read.defaults)
    return withLaterChanges(this.name, outcomes, read.lines, lines)
  }

  /** Whether somebody wrote to the file; one that was taken away was not changed. */
  private async isChanged(path: string, stamp: string): Promise<boolean> {
    const stats = await lstat(path, { bigint: true }).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined
      throw error
    })
    return stats !== undefined && stampOf(stats) !== stamp
  }

  private async move(destination: Destination): Promise<void> {
    if (this.moved) return
    const { folders, log } = this.deps
    const { lastStamp, name } = this
    try {
      const delivered = await moveBesideResult(folders, destination, this.found.row)
      if (lastStamp !== undefined && (await this.isChanged(delivered, lastStamp))) {
        log.warn('an order file was changed after its result was written; the change was not sent', { name })
      }
    } catch (error) {
      if (!(await this.isGone(error))) throw error
      log.warn('an order file was removed from work/ after its result was written', { name })
    }
    this.moved = true
  }

  private async open(): Promise<OrderRun | undefined> {
    const { shipping, print } = this.deps
    const { row, stamp, origin } = this.found
    const file = await this.readAtRest(stamp)
    if (file === undefined) return undefined
    const isChanged = await this.isChangedSinceRead(file.content)
    const defaults = this.deps.defaults()
    const content = readOrderLines(this.name, file.content, defaults)
    const lines = content.ok ? content.value : [unreadableFile(this.name, content.error)]
    this.read = { stamp: file.stamp, lines, defaults }
    this.lastStamp = file.stamp
    return createOrderRun(row, lines, shipping, { print, mayBeSent: origin !== 'not-noted', isChanged })
  }

  /** Whether an earlier run read something else in this file; notes what it holds when none has read it. */
  private async isChangedSinceRead(content: Buffer | 'too-large'): Promise<boolean> {
    const { row, origin } = this.found
    const sha256 = createHash('sha256').update(content).digest('hex')
    if (row.sha256 !== null) return row.sha256 !== sha256
    if (origin !== 'not-noted') await this.deps.files.noteContent(row.id, sha256)
    return false
  }

  private readAtRest(stamp: string | undefined): ReturnType<typeof readAtRest> {
    const { settleMs, stop, pauses } = this.deps
    return readAtRest(this.path, stamp, maxFile, async () => {
      if (!stop.aborted) await pauses.pause(settleMs)
      return !stop.aborted
    })
  }

  /** Tells a file that was taken away from a folder that is not there at the moment. */
  private async isGone(error: unknown): Promise<boolean> {
    if (systemCode(error) !== 'ENOENT') return false
    await stat(this.deps.folders.work)
    return !(await exists(this.path))
  }
}
