import { lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ok, type Result } from '../../shared/result'
import type { ShipmentDefaults } from '../../shared/shipment'
import type { Log } from '../log/log'
import {
  type Destination,
  exists,
  freeDestination,
  moveBesideResult,
  writeResult,
  writtenResult,
} from './delivery'
import { type OrderFolders, restoreFolders, systemCode } from './folders'
import { largestFile, readOrderLines } from './orderLines'
import { orderResult } from './orderResult'
import { createOrderRun, type OrderRun } from './orderRun'
import { BackOff, orStopped, type Pauses } from './pauses'
import type { OrderFile, OrderFileStore, OrderShipping } from './ports'
import { readAtRest } from './stamp'
import type { Turns } from './turns'

export interface OrderJobParts {
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
   * How it came there: taken just now, by an earlier run, or nobody knows, since the journal that knew it is lost. The
   * shipments of such a file may have been sent: none of them is sent again.
   */
  origin: 'taken' | 'earlier-run' | 'not-noted'
  modifiedNs: bigint
  /** Its stamp when it was at rest in `in/`; undefined for a file that was already in `work/`. */
  stamp: string | undefined
}

/** Waits between questions to the journal for an outcome that is still to come. */
const firstPauseMs = 1_000
const longestPauseMs = 5_000

/**
 * The way of one file from `work/` to `done/` or `failed/`. Every step may be tried again after trouble, in this run
 * of the app or the next: what was done is found in the journal, or on the disk.
 */
export class OrderJob {
  readonly name: string
  readonly modifiedNs: bigint
  /** Its shipments have their outcomes; labels may still be at the printers. */
  finishing = false
  /** It waits for an outcome of its own that is still to come; others go on. */
  aside = false
  readonly askAgain = new BackOff(firstPauseMs, longestPauseMs)
  private run: OrderRun | undefined
  private destination: Destination | undefined
  private moved = false
  private lookedForResult: boolean

  constructor(
    private readonly parts: OrderJobParts,
    private readonly found: WorkFile,
  ) {
    this.name = found.row.name
    this.modifiedNs = found.modifiedNs
    this.lookedForResult = found.origin === 'taken'
  }

  /**
   * Creates the shipments that have no outcome yet.
   * @returns 'complete', 'stopped', or 'gone' when a person took the file away; an error is the station's
   */
  async create(): Promise<Result<'complete' | 'stopped' | 'gone'>> {
    const { folders, files, stop } = this.parts
    const { row } = this.found
    if (!this.lookedForResult) {
      this.destination = await writtenResult(folders, row)
      this.lookedForResult = true
    }
    if (this.destination !== undefined) return ok('complete')
    try {
      // While it waited a person may have taken it away: then the rest of it is not to be sent.
      if (this.run !== undefined) await lstat(this.path)
      this.run ??= await this.open()
    } catch (error) {
      if (!(await this.isGone(error))) throw error
      this.parts.log.warn('an order file was taken away before it was finished', { name: this.name })
      await files.finish(row.id)
      return ok('gone')
    }
    if (this.run === undefined) return ok('stopped')
    const complete = await this.run.proceed(stop)
    return complete.ok ? ok(complete.value ? 'complete' : 'stopped') : complete
  }

  /**
   * Waits for the print jobs, writes the result and moves the file beside it.
   * @param turns for the choice of names, which is made for one file at a time
   * @returns where it went; undefined when the app stops first
   */
  async finish(turns: Turns): Promise<Destination | undefined> {
    const { run } = this
    const { row } = this.found
    if (this.destination === undefined && run !== undefined) {
      const jobs = await orStopped(run.settledJobs(), this.parts.stop)
      if (jobs === undefined) return undefined
      const result = orderResult(row, run.outcomes(), jobs, this.parts.print)
      this.destination = await turns(async () => {
        const { folders } = this.parts
        await restoreFolders(folders)
        const folder = run.outcomes().every(({ outcome }) => outcome === 'created') ? 'done' : 'failed'
        const destination = await freeDestination(folders, row.name, folder)
        await writeResult(folders, destination, result)
        return destination
      })
    }
    if (this.destination !== undefined) await this.move(this.destination)
    await this.parts.files.finish(row.id)
    return this.destination
  }

  private get path(): string {
    return join(this.parts.folders.work, this.name)
  }

  private async move(destination: Destination): Promise<void> {
    if (this.moved) return
    try {
      await moveBesideResult(this.parts.folders, destination, this.found.row)
    } catch (error) {
      if (!(await this.isGone(error))) throw error
      this.parts.log.warn('an order file was taken away before it was moved to its result', {
        name: this.name,
      })
    }
    this.moved = true
  }

  private async open(): Promise<OrderRun | undefined> {
    const { settleMs, stop, pauses, shipping, print, defaults } = this.parts
    const { row, stamp, origin } = this.found
    const bytes = await readAtRest(this.path, stamp, largestFile, async () => {
      if (!stop.aborted) await pauses.pause(settleMs)
      return !stop.aborted
    })
    if (bytes === undefined) return undefined
    const lines = readOrderLines(this.name, bytes, defaults())
    return createOrderRun(row, lines, shipping, { print, mayBeSent: origin !== 'not-noted' })
  }

  /** Tells a file that was taken away from a folder that is not there at the moment. */
  private async isGone(error: unknown): Promise<boolean> {
    if (systemCode(error) !== 'ENOENT') return false
    await stat(this.parts.folders.work)
    return !(await exists(this.path))
  }
}
