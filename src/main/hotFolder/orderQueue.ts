import { access, constants, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { createMutex } from '../lib/mutex'
import { findLeftFiles } from './claim'
import { notReadable, restoreFolders, systemCode, troubleOf } from './folders'
import { byArrival } from './inbox'
import { OrderJob, type OrderJobDeps, type WorkFile } from './orderFile'
import { BackOff } from './pauses'
import type { OrderFile } from './ports'
import { type Destination, exists } from './resultFiles'
import type { Troubles } from './waitReasons'

/** The last file that got its result. */
export interface LastFile {
  name: string
  folder: 'done' | 'failed'
  at: Date
}

export interface OrderQueueDeps extends OrderJobDeps {
  now: () => Date
  troubles: Troubles
  /** Makes sure that the folder is this station's; else says why it is not. */
  hold(): Promise<AppError | undefined>
  /** There is room for another file, or a file left `work/`, so that one of the same name can be taken. */
  onRoom(): void
}

/**
 * With so many files in `work/` besides those that only wait for their labels, none is taken: reading the next one costs
 * no wait, and a station that is lost leaves no more than a few in doubt.
 */
const enoughTaken = 3

const firstWaitMs = 1_000
const maxWaitMs = 60_000

/**
 * The files in `work/`. Their shipments are created one file after another; a file whose shipments all have an outcome
 * waits for its print jobs and is delivered while the next one is under way, and so does one that waits for an outcome.
 */
export class OrderQueue {
  private readonly jobs = new Map<string, OrderJob>()
  /** Those whose shipments are to be created, in order. */
  private readonly ready: OrderJob[] = []
  /** Those whose shipments have their outcomes and whose labels are at the printers. */
  private readonly printing = new Set<OrderJob>()
  private readonly finishing = new Set<Promise<void>>()
  private readonly backOff = new BackOff(firstWaitMs, maxWaitMs)
  private running: Promise<void> | undefined
  /** Two deliveries at once could choose the same name. */
  private readonly deliveryMutex = createMutex()
  private last: LastFile | null = null

  constructor(private readonly deps: OrderQueueDeps) {}

  /** How many files have no result yet. */
  get count(): number {
    return this.jobs.size
  }

  get lastFile(): LastFile | null {
    return this.last
  }

  get hasRoom(): boolean {
    return this.jobs.size - this.printing.size < enoughTaken
  }

  /** Whether a file of that name is in `work/`. */
  has(name: string): boolean {
    return this.jobs.has(name)
  }

  /**
   * Moves a file from `in/` to `work/` and queues it; 'later' leaves it for another time, and so does an error. Fails as
   * file operations fail when it can't be told whether the file was moved.
   */
  async take({ name, modifiedNs, stamp }: TakenFile): Promise<'taken' | 'later' | AppError> {
    const { folders, files, now } = this.deps
    const source = join(folders.in, name)
    const target = join(folders.work, name)
    let row: OrderFile
    try {
      const refused = await refusedRead(source)
      if (refused !== undefined) return refused
      if (await exists(target)) {
        await this.recover()
        return 'later'
      }
      row = await files.begin(name, now())
    } catch (error) {
      return this.notTaken(error)
    }
    try {
      await rename(source, target)
    } catch (error) {
      // A share may report a failure and have moved it all the same.
      if ((await exists(source)) || !(await exists(target))) {
        await files.finish(row.id)
        return this.notTaken(error)
      }
    }
    this.add([{ row, origin: 'taken', modifiedNs, stamp, destination: undefined }])
    return 'taken'
  }

  /** Queues what an earlier run left in `work/`; files that are queued already stay as they are. */
  async recover(): Promise<void> {
    const left = await findLeftFiles(this.deps, (name) => this.jobs.has(name))
    this.add(left.sort((one, other) => byArrival(arrivalOf(one), arrivalOf(other))))
  }

  /** Tries again at once what waits after a failure. */
  retry(): void {
    this.backOff.reset()
    this.deps.pauses.wake()
  }

  /** After `stop` was aborted: resolves when nothing is written or moved any more. */
  async idle(): Promise<void> {
    this.deps.pauses.wake()
    await this.running
    await Promise.all(this.finishing)
  }

  private add(found: readonly WorkFile[]): void {
    for (const file of found) {
      const job = new OrderJob(this.deps, file)
      this.jobs.set(job.name, job)
      this.ready.push(job)
    }
    this.run()
  }

  private async notTaken(error: unknown): Promise<'later' | AppError> {
    const code = systemCode(error)
    // On Windows a file can't be moved while its writer has it open.
    if (code === 'EBUSY') return 'later'
    if (code !== 'ENOENT') return troubleOf(error, this.deps.folders.root)
    try {
      // Either the file went away, or the work folder did.
      await restoreFolders(this.deps.folders)
      return 'later'
    } catch (lost) {
      return troubleOf(lost, this.deps.folders.root)
    }
  }

  private run(): void {
    if (this.running !== undefined || this.deps.stop.aborted || this.ready.length === 0) return
    this.running = this.workOff().finally(() => {
      this.running = undefined
      this.run()
    })
  }

  private async workOff(): Promise<void> {
    const { stop, troubles, pauses } = this.deps
    for (let job = this.ready[0]; job !== undefined && !stop.aborted; job = this.ready[0]) {
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
      if (created.value === 'stopped') return
      this.dequeue(job)
      if (created.value === 'gone') this.leave(job)
      else this.finish(job)
    }
  }

  private async createAll(job: OrderJob): Promise<Result<'complete' | 'stopped' | 'gone'>> {
    try {
      const notOurs = await this.deps.hold()
      return notOurs === undefined ? await job.create() : err(notOurs)
    } catch (error) {
      return err(troubleOf(error, join(this.deps.folders.work, job.name)))
    }
  }

  /** Lets the other files go first, and asks the journal again after a pause. */
  private putAside(job: OrderJob, trouble: AppError): void {
    const { stop, troubles, pauses } = this.deps
    this.dequeue(job)
    troubles.set(placeOf(job), trouble)
    if (stop.aborted) return
    void pauses.pause(job.askAgain.next()).then(() => {
      this.ready.unshift(job)
      this.run()
    })
  }

  /** It may not be the first one any more. */
  private dequeue(job: OrderJob): void {
    this.ready.splice(this.ready.indexOf(job), 1)
  }

  private finish(job: OrderJob): void {
    const finishing = this.deliver(job).finally(() => this.finishing.delete(finishing))
    this.finishing.add(finishing)
    this.printing.add(job)
    this.deps.onRoom()
  }

  private async deliver(job: OrderJob): Promise<void> {
    const { stop, troubles, pauses, log, now } = this.deps
    const backOff = new BackOff(firstWaitMs, maxWaitMs)
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
      this.printing.delete(job)
      troubles.set(place, destination.error)
      if (!stop.aborted) await pauses.pause(backOff.next())
    }
  }

  private async tryToDeliver(job: OrderJob): Promise<Result<Destination | undefined>> {
    try {
      const notOurs = await this.deps.hold()
      return notOurs === undefined
        ? ok(await job.finish(this.deliveryMutex, () => this.printing.delete(job)))
        : err(notOurs)
    } catch (error) {
      return err(troubleOf(error, this.deps.folders.root))
    }
  }

  private leave(job: OrderJob): void {
    this.jobs.delete(job.name)
    this.printing.delete(job)
    this.deps.onRoom()
  }
}

/** That this user may not read the file; undefined when it may. */
async function refusedRead(path: string): Promise<AppError | undefined> {
  try {
    await access(path, constants.R_OK)
    return undefined
  } catch (error) {
    if (systemCode(error) === 'EACCES' || systemCode(error) === 'EPERM') return notReadable(path, error)
    throw error
  }
}

/** A file at rest in `in/`. */
interface TakenFile {
  name: string
  modifiedNs: bigint
  stamp: string
}

function arrivalOf({ row, modifiedNs }: WorkFile) {
  return { name: row.name, modifiedNs }
}

/** Another's request, or one of its own, is under way: that is no reason for other orders to wait. */
function outcomeIsToCome({ code }: AppError): boolean {
  return code === 'shipment-in-progress' || code === 'outcome-not-written'
}

function placeOf(job: OrderJob): string {
  return `order file ${job.name}`
}
