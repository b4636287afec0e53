import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { AppError } from '../../shared/errors'
import type { PrintJob } from '../../shared/printing'
import { err, ok, type Result } from '../../shared/result'
import type { Mutex } from '../lib/async'
import { untilStopped } from '../lib/retry'
import type { Log } from '../log/log'
import type { HeldOrders } from '../orders/heldOrders'
import type { ClaimedFile } from './claim'
import { restoreFolders } from './folders'
import type { OrderFileIssues } from './issues'
import {
  concernsOneFile,
  createLine,
  endHeldLine,
  type HeldLine,
  type LineOutcome,
  needsPerson,
  type OrderShipping,
  toHeldOrder,
} from './lineOutcome'
import { OrderContent, type OrderContentDeps } from './orderContent'
import type { OrderLine, TableReading } from './orderLines'
import {
  type Destination,
  freeDestination,
  hasResult,
  moveBesideResult,
  reserveDestination,
  toOrderResult,
  writeResult,
} from './orderResult'
import type { OrderFileNotes } from './repository'
import type { Steps } from './steps'

/** The states of an order file, in order. */
export type OrderFileState =
  /** In `work/`, with a row in the database; waits for the files before it. */
  | 'taken'
  /** Its lines are read and get their outcomes, one after another. */
  | 'creating'
  /** Lines without an outcome wait in the order list, or the file waits for the folder in whose place another one is. */
  | 'holding'
  /** Every line has an outcome; labels are being printed. */
  | 'printing'
  /** Print jobs ended; the result is written and the file moved beside it. */
  | 'delivering'
  /** The file lies beside its result; its row is deleted. */
  | 'delivered'
  /** A person removed it from `work/`, or another station took it over: no result here, and its row is deleted. */
  | 'removed'

export interface OrderWorkDeps {
  /** Whether to print the labels of shipments that are created at once; those of held orders always print. */
  print: boolean
  tables: TableReading
  shipping: OrderShipping
  files: OrderFileNotes
  issues: Pick<OrderFileIssues, 'noteOutcomes' | 'noteIgnored'>
  heldOrders: Pick<HeldOrders, 'hold' | 'find' | 'whenChanged'>
  /** Whether shipments wait in the order list instead of being created at once. */
  holdsOrders: boolean
  log: Log
}

export interface OrderFileDeps extends OrderWorkDeps, OrderContentDeps {
  /** Ends the work of all files: nothing more is sent, written or moved. */
  stop: AbortSignal
  steps: Steps
  /** Claims the folder for this station; an error when it belongs to another one. */
  acquireFolder(): Promise<AppError | undefined>
  /** Files create their shipments one file at a time. */
  creationMutex: Mutex
  /** Two concurrent deliveries could choose the same name. */
  deliveryMutex: Mutex
  /** Called after each change of `state`. */
  onChange(file: OrderFile): void
}

/** Issues appear while a long file is in progress, without a write for each shipment. */
const noteEveryMs = 1_000
/** Interval of queries for orders that other stations shipped, since they may send no event. */
const pollOtherStationsMs = 5_000

/**
 * Processes one order file, from `work/` to `done/` or `failed/`. Every step can be repeated after a failure or in the next
 * run of the app: the journal and the disk show what is done already.
 */
export class OrderFile {
  readonly name: string
  state: OrderFileState = 'taken'
  /** Set when the result is written. */
  private destination: Destination | undefined
  private readonly content: OrderContent
  /** The outcome of each line, or the order as which it waits. */
  private readonly lines: (LineOutcome | HeldLine)[] = []
  /** How many lines were searched for issues, and when. */
  private notedLines = 0
  private notedAt = performance.now()
  /** Ended print jobs, by shipment. */
  private readonly jobs = new Map<string, PrintJob[]>()
  private isMoved = false

  constructor(
    private readonly deps: OrderFileDeps,
    private readonly claimed: ClaimedFile,
  ) {
    this.name = claimed.row.name
    this.content = new OrderContent(deps, claimed)
  }

  /**
   * Processes the file to its end. When `stop` is aborted, the file stays where it is for the next run of the app.
   * @param isAcquired the folder was acquired just now
   */
  async run(isAcquired: boolean): Promise<void> {
    try {
      // A result that an earlier run wrote is final.
      if (this.claimed.destination === undefined) {
        if (!(await this.createShipments(isAcquired))) return
        await this.waitForOrders()
        await this.waitForLabels()
      }
      await this.deliver()
    } catch (error) {
      if (!this.deps.stop.aborted) throw error
    }
  }

  /**
   * Creates one line after another. While a line has to wait for itself only, other files create their shipments.
   * @returns false if the file is not in `work/` any more
   */
  private createShipments(isAcquired: boolean): Promise<boolean> {
    const { steps, creationMutex, folders, acquireFolder, stop } = this.deps
    const path = join(folders.work, this.name)
    let skipsAcquire = isAcquired
    const createRemaining = async () => {
      stop.throwIfAborted()
      const ownerError = skipsAcquire ? undefined : await acquireFolder()
      skipsAcquire = false
      return ownerError === undefined ? this.createRemaining() : err(ownerError)
    }
    return steps.untilKnown(`order file ${this.name}`, () =>
      creationMutex(() => steps.tryUntilDone('orders', path, createRemaining, concernsOneFile)),
    )
  }

  /** Creates the lines without outcome; after an error the caller tries again later. */
  private async createRemaining(): Promise<Result<boolean>> {
    const { shipping, stop } = this.deps
    if (!this.content.isBegun) {
      // A file that this station can't send stays available for other stations.
      await untilStopped(shipping.waitForFleet(), stop)
      const refused = await shipping.findRefusal()
      if (refused !== undefined) return err(refused)
    }
    const read = await this.content.read()
    if (!read.ok) {
      // As for a result: the folder in which the file was may never come back.
      if (read.error.code === 'hot-folder-missing') this.setState('holding')
      else this.begin()
      return read
    }
    const content = read.value
    if (content === 'removed') {
      this.setState('removed')
      return ok(false)
    }
    this.begin()
    for (const line of content.lines.slice(this.lines.length)) {
      const outcome = await untilStopped(this.createLine(line, content.isChanged), stop)
      if (!outcome.ok) {
        await this.noteIssues()
        return outcome
      }
      this.lines.push(outcome.value)
      if (performance.now() - this.notedAt > noteEveryMs) await this.noteIssues()
    }
    await this.holdOrders()
    await this.noteIssues()
    return ok(true)
  }

  private begin(): void {
    if (this.state !== 'creating') this.setState('creating')
  }

  /** Stores the issues among the outcomes since the last call. */
  private async noteIssues(): Promise<void> {
    const lines = this.lines.slice(this.notedLines)
    await this.noteOutcomes(lines.filter(hasOutcome))
    this.notedLines += lines.length
    this.notedAt = performance.now()
  }

  private async noteOutcomes(outcomes: readonly LineOutcome[]): Promise<void> {
    const open = outcomes.filter(needsPerson)
    if (open.length > 0) await this.deps.issues.noteOutcomes(this.claimed.row, open)
  }

  /** Adds all waiting lines to the order list in one step, so that a crash leaves either none or all of them there. */
  private async holdOrders(): Promise<void> {
    const held = this.lines.flatMap((line) => (hasOutcome(line) ? [] : toHeldOrder(line, this.name)))
    if (held.length > 0) await this.deps.heldOrders.hold(held)
  }

  /** Waits until the last held order is shipped, skipped or removed, in this run or a later one. */
  private async waitForOrders(): Promise<void> {
    const { folders, heldOrders, stop } = this.deps
    if (this.lines.every(hasOutcome)) return
    this.setState('holding')
    await this.deps.steps.tryUntilDone(`orders of ${this.name}`, folders.root, async () => {
      for (;;) {
        const changed = heldOrders.whenChanged()
        const isPending = await this.endHeldLines()
        if (this.lines.every(hasOutcome)) return ok(undefined)
        // A change at another station may cause no event here.
        const timer = () => pause(pollOtherStationsMs, undefined, { ref: false })
        await untilStopped(isPending ? Promise.race([changed, timer()]) : changed, stop)
      }
    })
  }

  /** @returns whether the outcome of an order that is no longer open is pending */
  private async endHeldLines(): Promise<boolean> {
    const { heldOrders, shipping } = this.deps
    let isPending = false
    const ids = this.lines.flatMap((line) => (hasOutcome(line) ? [] : line.orderId))
    const states = await heldOrders.find(ids)
    for (const [index, line] of this.lines.entries()) {
      if (hasOutcome(line)) continue
      const outcome = await endHeldLine(line, states.get(line.orderId), shipping)
      if (outcome?.ok) this.lines[index] = outcome.value
      else if (outcome !== undefined) isPending = true
    }
    return isPending
  }

  private createLine(line: OrderLine, isChanged: boolean): Promise<Result<LineOutcome | HeldLine>> {
    const { shipping, heldOrders, print, holdsOrders, tables, stop } = this.deps
    const { row, origin } = this.claimed
    const settings = tables.settings.current()
    const state = { mayBeSent: origin !== 'not-noted', wasRead: origin === 'earlier-run', isChanged }
    return createLine(line, { row, print, heldOrders, holdsOrders, settings, ...state }, shipping, stop)
  }

  private async waitForLabels(): Promise<void> {
    const { shipping, stop, folders } = this.deps
    this.setState('printing')
    await this.deps.steps.tryUntilDone(`labels of ${this.name}`, folders.root, async () => {
      for (const { outcome, shipment } of this.lines.filter(hasOutcome)) {
        if (outcome !== 'created' || shipment === null || this.jobs.has(shipment.details.id)) continue
        const { id } = shipment.details
        this.jobs.set(id, await untilStopped(shipping.whenJobsEnded(id), stop))
      }
      return ok(undefined)
    })
  }

  /** Writes the result, moves the file beside it, and deletes its row. */
  private async deliver(): Promise<void> {
    const { folders, files, acquireFolder, log } = this.deps
    const { row } = this.claimed
    await this.deps.steps.tryUntilDone(`result of ${this.name}`, folders.root, async () => {
      const ownerError = await acquireFolder()
      if (ownerError !== undefined) return err(ownerError)
      // Another program may have taken both by now, so that a repeated attempt would write the result again.
      if (!this.isMoved) {
        // A result in the folder that is there instead would end this file at the next start.
        if (await this.content.isAway()) {
          // That folder may never come back: the folder that is there takes further files.
          this.setState('holding')
          return err(this.content.toReplaced())
        }
        this.setState('delivering')
        this.destination = await this.writeResult()
        await this.move(this.destination)
      }
      await files.finish(row.id)
      return ok(undefined)
    })
    log.info('an order file is finished; its result is written', {
      name: this.name,
      folder: this.destination?.folder,
    })
    this.setState('delivered')
  }

  /** @returns the location of the result, which an earlier attempt may have written */
  private async writeResult(): Promise<Destination> {
    const { folders, deliveryMutex } = this.deps
    const { destination, jobs } = this
    const { row, destination: written } = this.claimed
    if (written !== undefined) return written
    // If the folder was moved away together with the result, the result is written again.
    if (destination !== undefined && (await hasResult(folders, destination, row))) return destination
    const outcomes = await this.content.addLaterChanges(this.lines.filter(hasOutcome))
    await this.noteOutcomes(outcomes)
    return deliveryMutex(async () => {
      await restoreFolders(folders)
      const folder = outcomes.every(({ outcome }) => outcome === 'created') ? 'done' : 'failed'
      const free = await reserveDestination(folders, row, folder)
      await writeResult(folders, free, toOrderResult(row, outcomes, jobs))
      return free
    })
  }

  /** Moves the order file beside its result, which tells other programs that everything is finished. */
  private async move(destination: Destination): Promise<void> {
    const { folders, log } = this.deps
    const { name } = this
    try {
      const delivered = await moveBesideResult(folders, destination, this.claimed.row)
      if (await this.content.isChangedSinceResult(delivered)) {
        log.warn('an order file was changed after its result was written; the change was not sent', { name })
      }
    } catch (error) {
      if (!(await this.content.isRemoved(error))) throw error
      log.warn('an order file was removed from work/ before it was moved beside its result', { name })
    }
    await freeDestination(folders, destination, this.claimed.row)
    this.isMoved = true
  }

  private setState(state: OrderFileState): void {
    this.state = state
    this.deps.onChange(this)
  }
}

function hasOutcome(line: LineOutcome | HeldLine): line is LineOutcome {
  return 'outcome' in line
}
