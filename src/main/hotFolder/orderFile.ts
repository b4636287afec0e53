import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { AppError } from '../../shared/errors'
import type { PrintJob } from '../../shared/printing'
import { err, ok, type Result } from '../../shared/result'
import type { Mutex } from '../lib/mutex'
import { untilStopped } from '../lib/retry'
import type { Log } from '../log/log'
import type { HeldOrders } from '../orders/heldOrders'
import type { ClaimedFile } from './claim'
import { restoreFolders } from './folders'
import type { OrderFileIssues } from './issues'
import {
  createLine,
  endHeldLine,
  type HeldLine,
  isOutcomeToCome,
  type LineOutcome,
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

/** Where an order file is on its way, in order. */
export type OrderFileState =
  /** In `work/` and noted; the files before it come first. */
  | 'taken'
  /** Its lines are known and get their outcomes, one after another. */
  | 'creating'
  /** Lines without an outcome wait in the list of orders. */
  | 'holding'
  /** Every line has its outcome; labels are at the printers. */
  | 'printing'
  /** Its labels are printed; the result is written and the file moved beside it. */
  | 'delivering'
  /** It lies beside its result, and its note is gone. */
  | 'delivered'
  /** A person took it out of `work/`, or another station took it over: it gets no result here, and its note is gone. */
  | 'removed'

/** What the hot folder hands on to each of its files. */
export interface OrderWorkDeps {
  /** Whether labels are printed. */
  print: boolean
  tables: TableReading
  shipping: OrderShipping
  files: OrderFileNotes
  issues: Pick<OrderFileIssues, 'noteOutcomes' | 'noteIgnored'>
  heldOrders: Pick<HeldOrders, 'hold' | 'find' | 'whenChanged'>
  /** Whether shipments wait in the list of orders instead of being created at once. */
  holdsOrders: boolean
  log: Log
}

export interface OrderFileDeps extends OrderWorkDeps, OrderContentDeps {
  /** Ends the work of all files: nothing more is sent, written or moved. */
  stop: AbortSignal
  steps: Steps
  /** Makes sure that the folder is this station's; else says why it is not. */
  holdFolder(): Promise<AppError | undefined>
  /** The shipments of one file are created at a time. */
  creationMutex: Mutex
  /** Two deliveries at once could choose the same name. */
  deliveryMutex: Mutex
  /** The file has another state. */
  onChange(file: OrderFile): void
}

/** What a person has to see to shows while a long file is worked on, and costs no write for each shipment. */
const noteEveryMs = 1_000
/** Between looks for what other stations shipped, of which nothing may be told. */
const askAgainMs = 5_000

/**
 * One order file from `work/` to `done/` or `failed/`. Every step may be tried again after a failure, in this run of the
 * app or the next one: what was done is found in the journal, or on the disk.
 */
export class OrderFile {
  readonly name: string
  state: OrderFileState = 'taken'
  /** Where its result is, once it is written. */
  private destination: Destination | undefined
  private readonly content: OrderContent
  /** What became of each line, and the orders as which others wait. */
  private readonly lines: (LineOutcome | HeldLine)[] = []
  /** How many outcomes were looked through for what a person has to see to, and when. */
  private noted = 0
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
   * Takes the file to its end. When `stop` is aborted it stays where it is, for the next run of the app.
   * @param isHeld the folder was seen to be this station's just now
   */
  async run(isHeld: boolean): Promise<void> {
    try {
      // The result that an earlier run wrote stands.
      if (this.claimed.destination === undefined) {
        if (!(await this.createShipments(isHeld))) return
        await this.waitForOrders()
        await this.waitForLabels()
      }
      await this.deliver()
    } catch (error) {
      if (!this.deps.stop.aborted) throw error
    }
  }

  /**
   * Creates one line after another. While an outcome is still to come, the shipments of other files are created.
   * @returns false for a file that is not in `work/` any more
   */
  private createShipments(isHeld: boolean): Promise<boolean> {
    const { steps, creationMutex, folders, holdFolder, stop } = this.deps
    const path = join(folders.work, this.name)
    let wasHeld = isHeld
    const createRest = async () => {
      stop.throwIfAborted()
      const notOurs = wasHeld ? undefined : await holdFolder()
      wasHeld = false
      return notOurs === undefined ? this.createRest() : err(notOurs)
    }
    return steps.untilKnown(`order file ${this.name}`, () =>
      creationMutex(() => steps.tryUntilDone('orders', path, createRest, isOutcomeToCome)),
    )
  }

  /** Creates the lines that have no outcome yet; an error is the station's, for another try later. */
  private async createRest(): Promise<Result<boolean>> {
    const { shipping, stop } = this.deps
    // Another station can have what can't be sent here.
    const refused = this.content.isBegun ? undefined : shipping.findAccountRefusal()
    if (refused !== undefined) return err(refused)
    const content = await this.content.read()
    if (content === 'removed') {
      this.enter('removed')
      return ok(false)
    }
    if (this.state === 'taken') this.enter('creating')
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

  /** Notes what a person has to see to, of the outcomes since the last time. */
  private async noteIssues(): Promise<void> {
    const lines = this.lines.slice(this.noted)
    await this.deps.issues.noteOutcomes(this.claimed.row, lines.filter(hasOutcome))
    this.noted += lines.length
    this.notedAt = performance.now()
  }

  /** Puts what waits into the list of orders, all at once: a crash before that leaves the file as it was. */
  private async holdOrders(): Promise<void> {
    const held = this.lines.flatMap((line) => (hasOutcome(line) ? [] : toHeldOrder(line, this.name)))
    if (held.length > 0) await this.deps.heldOrders.hold(held)
  }

  /** The file waits until the last of its orders was shipped or taken out of the list, in this run or a later one. */
  private async waitForOrders(): Promise<void> {
    const { folders, heldOrders, stop } = this.deps
    if (this.lines.every(hasOutcome)) return
    this.enter('holding')
    await this.deps.steps.tryUntilDone(`orders of ${this.name}`, folders.root, async () => {
      for (;;) {
        const changed = heldOrders.whenChanged()
        const isToCome = await this.endHeldLines()
        if (this.lines.every(hasOutcome)) return ok(undefined)
        // Nothing may be said about what other stations know.
        const again = () => pause(askAgainMs, undefined, { ref: false })
        await untilStopped(isToCome ? Promise.race([changed, again()]) : changed, stop)
      }
    })
  }

  /** @returns whether an order that is not open any more has no outcome yet */
  private async endHeldLines(): Promise<boolean> {
    const { heldOrders, shipping } = this.deps
    let isToCome = false
    const ids = this.lines.flatMap((line) => (hasOutcome(line) ? [] : line.orderId))
    const states = await heldOrders.find(ids)
    for (const [index, line] of this.lines.entries()) {
      if (hasOutcome(line)) continue
      const outcome = await endHeldLine(line, states.get(line.orderId), shipping)
      if (outcome?.ok) this.lines[index] = outcome.value
      else if (outcome !== undefined) isToCome = true
    }
    return isToCome
  }

  private createLine(line: OrderLine, isChanged: boolean): Promise<Result<LineOutcome | HeldLine>> {
    const { shipping, heldOrders, print, holdsOrders, stop } = this.deps
    const { row, origin } = this.claimed
    const state = { mayBeSent: origin !== 'not-noted', wasRead: origin === 'earlier-run', isChanged }
    return createLine(line, { row, print, heldOrders, holdsOrders, ...state }, shipping, stop)
  }

  private async waitForLabels(): Promise<void> {
    const { print, shipping, stop, folders } = this.deps
    this.enter('printing')
    if (!print) return
    await this.deps.steps.tryUntilDone(`labels of ${this.name}`, folders.root, async () => {
      for (const { outcome, shipment } of this.lines.filter(hasOutcome)) {
        if (outcome !== 'created' || shipment === null || this.jobs.has(shipment.details.id)) continue
        const { id } = shipment.details
        this.jobs.set(id, await untilStopped(shipping.whenJobsEnded(id), stop))
      }
      return ok(undefined)
    })
  }

  /** Sees to the result, moves the file beside it, and removes its note. */
  private async deliver(): Promise<void> {
    const { folders, files, holdFolder, log } = this.deps
    const { row } = this.claimed
    this.enter('delivering')
    await this.deps.steps.tryUntilDone(`result of ${this.name}`, folders.root, async () => {
      const notOurs = await holdFolder()
      if (notOurs !== undefined) return err(notOurs)
      this.destination = await this.writeResult()
      await this.move(this.destination)
      await files.finish(row.id)
      return ok(undefined)
    })
    log.info('an order file got its result', { name: this.name, folder: this.destination?.folder })
    this.enter('delivered')
  }

  /** @returns where the result is, which may have been written by an earlier try */
  private async writeResult(): Promise<Destination> {
    const { folders, print, deliveryMutex } = this.deps
    const { destination, jobs } = this
    const { row, destination: written } = this.claimed
    if (written !== undefined) return written
    // A folder that somebody put away took the result with it.
    if (destination !== undefined && (await hasResult(folders, destination, row))) return destination
    const outcomes = await this.content.addLaterChanges(this.lines.filter(hasOutcome))
    await this.deps.issues.noteOutcomes(row, outcomes)
    return deliveryMutex(async () => {
      await restoreFolders(folders)
      const folder = outcomes.every(({ outcome }) => outcome === 'created') ? 'done' : 'failed'
      const free = await reserveDestination(folders, row, folder)
      await writeResult(folders, free, toOrderResult(row, outcomes, jobs, print))
      return free
    })
  }

  /** That it lies beside its result says that everything is finished. */
  private async move(destination: Destination): Promise<void> {
    if (this.isMoved) return
    const { folders, log } = this.deps
    const { name } = this
    try {
      const delivered = await moveBesideResult(folders, destination, this.claimed.row)
      if (await this.content.isChangedSinceResult(delivered)) {
        log.warn('an order file was changed after its result was written; the change was not sent', { name })
      }
    } catch (error) {
      if (!(await this.content.isRemoved(error))) throw error
      log.warn('an order file was removed from work/ after its result was written', { name })
    }
    await freeDestination(folders, destination, this.claimed.row)
    this.isMoved = true
  }

  private enter(state: OrderFileState): void {
    this.state = state
    this.deps.onChange(this)
  }
}

function hasOutcome(line: LineOutcome | HeldLine): line is LineOutcome {
  return 'outcome' in line
}
