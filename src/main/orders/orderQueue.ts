import { access, constants, lstat, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppError } from '../../shared/errors'
import { err, type Result } from '../../shared/result'
import { type ArrivedFile, byArrival } from './arrivals'
import { writtenResult } from './delivery'
import { restoreFolders, systemCode, troubleOf } from './folders'
import { OrderJob, type OrderJobParts, type WorkFile } from './orderJob'
import { formatOf } from './orderNames'
import { BackOff } from './pauses'
import type { OrderFile } from './ports'
import type { Troubles } from './troubles'
import { createTurns } from './turns'

/** The last file that got its result. */
export interface LastFile {
  name: string
  folder: 'done' | 'failed'
  at: Date
}

export interface OrderQueueParts extends OrderJobParts {
  now: () => Date
  troubles: Troubles
  /** A file left `work/`, so that one of the same name can be taken now. */
  onLeft: () => void
}

const firstWaitMs = 1_000
const longestWaitMs = 60_000

/**
 * The files in `work/`. Their shipments are created one file after another; a file whose shipments all have an outcome
 * waits for its print jobs and is delivered while the next one is under way.
 */
export class OrderQueue {
  private readonly jobs = new Map<string, OrderJob>()
  private readonly finishing = new Set<Promise<void>>()
  /** Files of an earlier run that are not in `work/`: a person took them, or the share is another one. */
  private readonly missing = new Map<string, OrderFile>()
  private readonly backOff = new BackOff(firstWaitMs, longestWaitMs)
  private running: Promise<void> | undefined
  /** Taking a file and looking through the work folder would else see each other's half-done work. */
  private readonly intakeTurns = createTurns()
  /** Two deliveries at once could choose the same name. */
  private readonly deliveryTurns = createTurns()
  private last: LastFile | null = null

  constructor(private readonly parts: OrderQueueParts) {}

  /** How many files have no result yet. */
  get count(): number {
    return this.jobs.size
  }

  get lastFile(): LastFile | null {
    return this.last
  }

  /** Moves a file from `in/` to `work/` and queues it; 'later' while one of its name is still there. */
  take(file: ArrivedFile): Promise<'taken' | 'later' | AppError> {
    return this.intakeTurns(() => this.takeNow(file))
  }

  /** Takes up what an earlier run left in `work/`; files that are queued already stay as they are. */
  recover(): Promise<void> {
    return this.intakeTurns(() => this.recoverNow())
  }

  /** Tries again at once what is waiting for better times. */
  retry(): void {
    this.backOff.reset()
    this.parts.pauses.wake()
  }

  /** After `stop` was aborted: resolves when nothing is written or moved any more. */
  async idle(): Promise<void> {
    this.parts.pauses.wake()
    await this.running
    await Promise.all(this.finishing)
  }

  private async takeNow({ name, modifiedNs, stamp }: ArrivedFile): Promise<'taken' | 'later' | AppError> {
    const { folders, now } = this.parts
    const source = join(folders.in, name)
    try {
      await access(source, constants.R_OK)
      if (this.jobs.has(name)) return 'later'
      if (await this.adopt(name, undefined)) {
        this.run()
        return 'later'
      }
      await this.forgetMissing(name)
      const takenAt = now()
      await rename(source, join(folders.work, name))
      this.add({ name, modifiedNs, takenAt, stamp }, undefined)
      this.run()
      return 'taken'
    } catch (error) {
      return this.notTaken(error, source)
    }
  }

  private async recoverNow(): Promise<void> {
    const { folders, files } = this.parts
    const rows = new Map((await files.working()).map((row) => [row.name, row]))
    for (const entry of await readdir(folders.work, { withFileTypes: true })) {
      if (!entry.isFile() || formatOf(entry.name) === undefined) continue
      if (!this.jobs.has(entry.name)) await this.adopt(entry.name, rows.get(entry.name))
    }
    for (const row of rows.values()) {
      if (!this.jobs.has(row.name)) await this.settleMissing(row)
    }
    this.run()
  }

  private add(found: WorkFile, row: OrderFile | undefined): void {
    this.jobs.set(found.name, new OrderJob(this.parts, found, row))
  }

  /** Queues a file that is in `work/` already; false when there is none of that name. */
  private async adopt(name: string, row: OrderFile | undefined): Promise<boolean> {
    const known = row ?? this.missing.get(name)
    try {
      const { mtimeNs } = await lstat(join(this.parts.folders.work, name), { bigint: true })
      this.add({ name, modifiedNs: mtimeNs, takenAt: this.parts.now(), stamp: undefined }, known)
      this.missing.delete(name)
      this.parts.log.info('an order file that was in the work folder is gone on with', { name })
      return true
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false
      throw error
    }
  }

  /** A row without its file: the crash came after the last move, or the file is not where it was. */
  private async settleMissing(row: OrderFile): Promise<void> {
    if ((await writtenResult(this.parts.folders, row)) !== undefined) {
      await this.parts.files.finish(row.id)
    } else if (!this.missing.has(row.name)) {
      this.missing.set(row.name, row)
      this.parts.log.warn('an order file is not in the work folder any more', { name: row.name })
    }
  }

  /** A new file of that name: the old one's shipments are in the journal, and the guard knows them. */
  private async forgetMissing(name: string): Promise<void> {
    const row = this.missing.get(name)
    if (row === undefined) return
    await this.parts.files.finish(row.id)
    this.missing.delete(name)
  }

  private async notTaken(error: unknown, source: string): Promise<'later' | AppError> {
    const code = systemCode(error)
    // On Windows a file can't be moved while its writer has it open.
    if (code === 'EBUSY') return 'later'
    if (code !== 'ENOENT') return troubleOf(error, source)
    try {
      // Either the file went away, or the work folder did.
      await restoreFolders(this.parts.folders)
      return 'later'
    } catch (lost) {
      return troubleOf(lost, this.parts.folders.root)
    }
  }

  private run(): void {
    if (this.running !== undefined || this.parts.stop.aborted || this.next() === undefined) return
    this.running = this.workOff().finally(() => {
      this.running = undefined
      this.run()
    })
  }

  private next(): OrderJob | undefined {
    return [...this.jobs.values()].filter((job) => !job.finishing).sort(byArrival)[0]
  }

  private async workOff(): Promise<void> {
    const { stop, troubles, pauses } = this.parts
    for (let job = this.next(); job !== undefined && !stop.aborted; job = this.next()) {
      const created = await this.createAll(job)
      if (!created.ok) {
        troubles.set('orders', created.error)
        if (!stop.aborted) await pauses.pause(this.backOff.next())
        continue
      }
      troubles.clear('orders')
      this.backOff.reset()
      if (created.value === 'gone') this.leave(job)
      if (created.value === 'complete') this.finish(job)
    }
  }

  private async createAll(job: OrderJob): Promise<Result<'complete' | 'stopped' | 'gone'>> {
    try {
      return await job.create()
    } catch (error) {
      return err(troubleOf(error, join(this.parts.folders.work, job.name)))
    }
  }

  private finish(job: OrderJob): void {
    job.finishing = true
    const finishing = this.deliver(job).finally(() => this.finishing.delete(finishing))
    this.finishing.add(finishing)
  }

  private async deliver(job: OrderJob): Promise<void> {
    const { stop, troubles, pauses, log, now } = this.parts
    const backOff = new BackOff(firstWaitMs, longestWaitMs)
    const place = `result of ${job.name}`
    while (!stop.aborted) {
      try {
        const destination = await job.finish(this.deliveryTurns)
        if (destination === undefined) return
        troubles.clear(place)
        this.last = { name: job.name, folder: destination.folder, at: now() }
        log.info('an order file got its result', { name: job.name, folder: destination.folder })
        this.leave(job)
        return
      } catch (error) {
        troubles.set(place, troubleOf(error, this.parts.folders.root))
        if (!stop.aborted) await pauses.pause(backOff.next())
      }
    }
  }

  private leave(job: OrderJob): void {
    this.jobs.delete(job.name)
    this.parts.onLeft()
  }
}
