import { stat } from 'node:fs/promises'
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
import { orStopped, type Pauses } from './pauses'
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
  name: string
  modifiedNs: bigint
  /** When this run of the app found it; an earlier run's note goes before it. */
  takenAt: Date
  /** Its stamp when it was at rest in `in/`; undefined for a file that was already in `work/`. */
  stamp: string | undefined
}

/**
 * The way of one file from `work/` to `done/` or `failed/`. Every step may be tried again after trouble, in this run
 * of the app or the next: what was done is found in the journal, or on the disk.
 */
export class OrderJob {
  readonly name: string
  readonly modifiedNs: bigint
  /** Its shipments have their outcomes; labels may still be at the printers. */
  finishing = false
  private run: OrderRun | undefined
  private destination: Destination | undefined
  private moved = false
  private lookedForResult = false

  /** @param row what an earlier run of the app began; undefined for a file that is new */
  constructor(
    private readonly parts: OrderJobParts,
    private readonly found: WorkFile,
    private row: OrderFile | undefined,
  ) {
    this.name = found.name
    this.modifiedNs = found.modifiedNs
    this.lookedForResult = row === undefined
  }

  /**
   * Creates the shipments that have no outcome yet.
   * @returns 'complete', 'stopped', or 'gone' when a person took the file away; an error is the station's
   */
  async create(): Promise<Result<'complete' | 'stopped' | 'gone'>> {
    const { folders, files, stop } = this.parts
    this.row ??= await files.begin(this.name, this.found.takenAt)
    if (!this.lookedForResult) {
      this.destination = await writtenResult(folders, this.row)
      this.lookedForResult = true
    }
    if (this.destination !== undefined) return ok('complete')
    try {
      this.run ??= await this.open(this.row)
    } catch (error) {
      if (!(await this.isGone(error))) throw error
      this.parts.log.warn('an order file was taken away before it was read', { name: this.name })
      await files.finish(this.row.id)
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
    const { row, run } = this
    if (row === undefined) throw new Error('a file was finished before it was begun')
    if (this.destination === undefined && run !== undefined) {
      const jobs = await orStopped(run.settledJobs(), this.parts.stop)
      if (jobs === undefined) return undefined
      const result = orderResult(row, run.outcomes(), jobs)
      this.destination = await turns(async () => {
        const { folders } = this.parts
        await restoreFolders(folders)
        const folder = run.outcomes().every(({ outcome }) => outcome === 'created') ? 'done' : 'failed'
        const destination = await freeDestination(folders, row.name, folder)
        await writeResult(folders, destination, result)
        return destination
      })
    }
    if (this.destination !== undefined) await this.move(row, this.destination)
    await this.parts.files.finish(row.id)
    return this.destination
  }

  private async move(row: OrderFile, destination: Destination): Promise<void> {
    if (this.moved) return
    try {
      await moveBesideResult(this.parts.folders, destination, row)
    } catch (error) {
      if (!(await this.isGone(error))) throw error
      this.parts.log.warn('an order file was taken away before it was moved to its result', {
        name: this.name,
      })
    }
    this.moved = true
  }

  private async open(row: OrderFile): Promise<OrderRun | undefined> {
    const { folders, settleMs, stop, pauses, shipping, print, defaults } = this.parts
    const path = join(folders.work, this.name)
    const bytes = await readAtRest(path, this.found.stamp, largestFile, async () => {
      if (!stop.aborted) await pauses.pause(settleMs)
      return !stop.aborted
    })
    if (bytes === undefined) return undefined
    return createOrderRun(row, readOrderLines(this.name, bytes, defaults()), shipping, print)
  }

  /** Tells a file that was taken away from a folder that is not there at the moment. */
  private async isGone(error: unknown): Promise<boolean> {
    if (systemCode(error) !== 'ENOENT') return false
    const { work } = this.parts.folders
    await stat(work)
    return !(await exists(join(work, this.name)))
  }
}
