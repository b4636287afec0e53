import { access, constants, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { type ArrivedFile, byArrival } from './arrivals'
import type { Destination } from './delivery'
import { restoreFolders, systemCode, troubleOf } from './folders'
import { OrderJob, type OrderJobParts, type WorkFile } from './orderJob'
import { formatOf } from './orderNames'
import { BackOff } from './pauses'
import type { Trouble, Troubles } from './troubles'
import { createTurns } from './turns'
import { WorkNotes } from './workNotes'

/** The last file that got its result. */
export interface LastFile {
  name: string
  folder: 'done' | 'failed'
  at: Date
}

export interface OrderQueueParts extends OrderJobParts {
  now: () => Date
  troubles: Troubles
  /** Makes sure that the folder is this station's; else says why it is not. */
  hold(): Promise<Trouble | undefined>
  /** A file left `work/`, so that one of the same name can be taken now. */
  onLeft: () => void
}

const firstWaitMs = 1_000
const longestWaitMs = 60_000

/**
 * The files in `work/`. Their shipments are created one file after another; a file whose shipments all have an outcome
 * waits for its print jobs and is delivered while the next one is under way, and so does one that waits for an outcome.
 */
export class OrderQueue {
  private readonly jobs = new Map<string, OrderJob>()
  private readonly finishing = new Set<Promise<void>>()
  private readonly notes: WorkNotes
  private readonly backOff = new BackOff(firstWaitMs, longestWaitMs)
  private running: Promise<void> | undefined
  /** Taking a file and looking through the work folder would else see each other's half-done work. */
  private readonly intakeTurns = createTurns()
  /** Two deliveries at once could choose the same name. */
  private readonly deliveryTurns = createTurns()
  private last: LastFile | null = null

  constructor(private readonly parts: OrderQueueParts) {
    this.notes = new WorkNotes(parts)
  }

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
    const { folders } = this.parts
    const source = join(folders.in, name)
    try {
      // The hot folder itself says why it is not its own any more.
      if ((await this.parts.hold()) !== undefined) return 'later'
      await access(source, constants.R_OK)
      if (this.jobs.has(name)) return 'later'
      if (await this.adopt(name)) {
        this.run()
        return 'later'
      }
      const row = await this.notes.moving(name, () => rename(source, join(folders.work, name)))
      this.add({ row, origin: 'taken', modifiedNs, stamp })
      this.run()
      return 'taken'
    } catch (error) {
      return this.notTaken(error, source)
    }
  }

  private async recoverNow(): Promise<void> {
    for (const entry of await readdir(this.parts.folders.work, { withFileTypes: true })) {
      if (!entry.isFile() || formatOf(entry.name) === undefined) continue
      if (!this.jobs.has(entry.name)) await this.adopt(entry.name)
    }
    await this.notes.settleMissing((name) => this.jobs.has(name))
    this.run()
  }

  private add(found: WorkFile): void {
    this.jobs.set(found.row.name, new OrderJob(this.parts, found))
  }

  /** Queues a file that is in `work/` already; false when there is none of that name. */
  private async adopt(name: string): Promise<boolean> {
    const found = await this.notes.find(name)
    if (found !== undefined) this.add(found)
    return found !== undefined
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
    return [...this.jobs.values()].filter((job) => !job.finishing && !job.aside).sort(byArrival)[0]
  }

  private async workOff(): Promise<void> {
    const { stop, troubles, pauses } = this.parts
    for (let job = this.next(); job !== undefined && !stop.aborted; job = this.next()) {
      const created = await this.createAll(job)
      if (!created.ok && outcomeIsToCome(created.error)) {
        this.putAside(job, created.error)
        continue
      }
      if (!created.ok) {
        troubles.set('orders', created.error)
        if (!stop.aborted) await pauses.pause(this.backOff.next())
        continue
      }
      troubles.clear('orders')
      troubles.clear(placeOf(job))
      this.backOff.reset()
      if (created.value === 'gone') this.leave(job)
      if (created.value === 'complete') this.finish(job)
    }
  }

  private async createAll(job: OrderJob): Promise<Result<'complete' | 'stopped' | 'gone', Trouble>> {
    try {
      const notOurs = await this.parts.hold()
      return notOurs === undefined ? await job.create() : err(notOurs)
    } catch (error) {
      return err(troubleOf(error, join(this.parts.folders.work, job.name)))
    }
  }

  /** Lets the other files go on, and asks the journal again after a pause. */
  private putAside(job: OrderJob, trouble: Trouble): void {
    const { stop, troubles, pauses } = this.parts
    troubles.set(placeOf(job), trouble)
    if (stop.aborted) return
    job.aside = true
    void pauses.pause(job.askAgain.next()).then(() => {
      job.aside = false
      this.run()
    })
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
      const destination = await this.tryToDeliver(job)
      if (destination.ok) {
        troubles.clear(place)
        if (destination.value === undefined) return
        const { folder } = destination.value
        this.last = { name: job.name, folder, at: now() }
        log.info('an order file got its result', { name: job.name, folder })
        this.leave(job)
        return
      }
      troubles.set(place, destination.error)
      if (!stop.aborted) await pauses.pause(backOff.next())
    }
  }

  private async tryToDeliver(job: OrderJob): Promise<Result<Destination | undefined, Trouble>> {
    try {
      const notOurs = await this.parts.hold()
      return notOurs === undefined ? ok(await job.finish(this.deliveryTurns)) : err(notOurs)
    } catch (error) {
      return err(troubleOf(error, this.parts.folders.root))
    }
  }

  private leave(job: OrderJob): void {
    this.jobs.delete(job.name)
    this.parts.onLeft()
  }
}

/** Another's request, or one of its own, is under way: that is no reason for other orders to wait. */
function outcomeIsToCome({ code }: Trouble): boolean {
  return code === 'shipment-in-progress' || code === 'outcome-not-written'
}

function placeOf(job: OrderJob): string {
  return `order file ${job.name}`
}
