import { lstat, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { AppError } from '../../shared/errors'
import type { OrderFileProblem } from '../../shared/inputIssues'
import type { PrintJob } from '../../shared/printing'
import { err, ok, type Result } from '../../shared/result'
import type { ShipmentDefaults } from '../../shared/shipments'
import { toSha256 } from '../lib/hash'
import type { Mutex } from '../lib/mutex'
import { exists, ignoreMissing, readAtRest, toStamp } from '../lib/plainFiles'
import { type BackOff, type Retries, untilStopped } from '../lib/retry'
import { syncFolder, systemCode } from '../lib/synced'
import type { Log } from '../log/log'
import type { HeldOrders } from '../orders/heldOrders'
import type { ClaimedFile } from './claim'
import { type OrderFolders, restoreFolders, toFolderError } from './folders'
import type { IssueNotes } from './issues'
import {
  addLaterChanges,
  createLine,
  endHeldLine,
  type HeldLine,
  isOutcomeToCome,
  type LineOutcome,
  type OrderShipping,
  toHeldOrder,
} from './lineOutcome'
import {
  listPrinterIds,
  maxFile,
  type OrderLine,
  readMappedLines,
  readOrderLines,
  type TableReading,
  toUnreadableLine,
} from './orderLines'
import { toOrderResult } from './orderResult'
import type { OrderFileRepository } from './repository'
import {
  type Destination,
  freeDestination,
  hasResult,
  moveBesideResult,
  reserveDestination,
  writeResult,
} from './resultFiles'
import { forgetTakenMapping } from './takenMapping'
import type { WaitReasons } from './waitReasons'

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
  files: OrderFileRepository
  issues: IssueNotes
  heldOrders: Pick<HeldOrders, 'hold' | 'find' | 'whenChanged'>
  /** Whether shipments wait in the list of orders instead of being created at once. */
  holdsOrders: boolean
  log: Log
}

export interface OrderFileDeps extends OrderWorkDeps {
  folders: OrderFolders
  /** Milliseconds without a change after which a file is at rest. */
  restMs: number
  /** Ends the work of all files: nothing more is sent, written or moved. */
  stop: AbortSignal
  retries: Retries
  waitReasons: WaitReasons
  /** Makes sure that the folder is this station's; else says why it is not. */
  holdFolder(): Promise<AppError | undefined>
  /** The shipments of one file are created at a time. */
  creationMutex: Mutex
  /** Two deliveries at once could choose the same name. */
  deliveryMutex: Mutex
  /** The file has another state. */
  onChange(file: OrderFile): void
}

/** What a file held when it was read. */
interface Content {
  stamp: string
  lines: OrderLine[]
  /** What its shipments left out then. */
  defaults: ShipmentDefaults
  /** An earlier run read something else in it. */
  isChanged: boolean
}

/** What a person has to see to shows while a long file is worked on, and costs no write for each shipment. */
const noteEveryMs = 1_000
function hasOutcome(line: LineOutcome | HeldLine): line is LineOutcome {
  return 'outcome' in line
}

const stationBackOff: BackOff = { firstMs: 1_000, maxMs: 60_000 }
/** Between questions to the journal for an outcome that is still to come. */
const outcomeBackOff: BackOff = { firstMs: 1_000, maxMs: 5_000 }

/**
 * One order file from `work/` to `done/` or `failed/`. Every step may be tried again after a failure, in this run of the
 * app or the next one: what was done is found in the journal, or on the disk.
 */
export class OrderFile {
  readonly name: string
  state: OrderFileState = 'taken'
  /** Where its result is, once it is written. */
  destination: Destination | undefined
  private readonly path: string
  private content: Content | undefined
  /** What became of each line, and the orders as which others wait. */
  private readonly lines: (LineOutcome | HeldLine)[] = []
  /** How many outcomes were looked through for what a person has to see to, and when. */
  private noted = 0
  private notedAt = performance.now()
  /** Ended print jobs, by shipment. */
  private readonly jobs = new Map<string, PrintJob[]>()
  /** The stamp of what the result speaks of. */
  private resultStamp: string | undefined
  private isMoved = false
  /** Whether it lies where no other station takes it over. */
  private isBegun: boolean

  constructor(
    private readonly deps: OrderFileDeps,
    private readonly claimed: ClaimedFile,
  ) {
    this.name = claimed.row.name
    this.path = join(deps.folders.work, this.name)
    this.isBegun = deps.folders.shared === undefined
  }

  /**
   * Takes the file to its end. When `stop` is aborted it stays where it is, for the next run of the app.
   * @param isHeld the folder was seen to be this station's just now
   */
  async run(isHeld: boolean): Promise<void> {
    try {
      const { destination } = this.claimed
      // The result that an earlier run wrote stands.
      if (destination !== undefined) return await this.deliver(async () => destination)
      const content = await this.createShipments(isHeld)
      if (content === 'removed') return
      await this.waitForOrders()
      await this.waitForLabels()
      await this.deliver(() => this.writeResult(content))
    } catch (error) {
      if (!this.deps.stop.aborted) throw error
    }
  }

  /** Creates one line after another. While an outcome is still to come, the shipments of other files are created. */
  private async createShipments(isHeld: boolean): Promise<Content | 'removed'> {
    const { retries, waitReasons, creationMutex, stop, holdFolder } = this.deps
    const place = `order file ${this.name}`
    let wasHeld = isHeld
    const createRest = async (): Promise<Result<Content | 'removed'>> => {
      stop.throwIfAborted()
      const notOurs = wasHeld ? undefined : await holdFolder()
      wasHeld = false
      if (notOurs !== undefined) return err(notOurs)
      // Another station can have what can't be sent here.
      const refused = this.isBegun ? undefined : this.deps.shipping.findAccountRefusal()
      if (refused !== undefined) return err(refused)
      const content = await this.readContent()
      if (content === 'removed') return ok(content)
      for (const line of content.lines.slice(this.lines.length)) {
        const outcome = await untilStopped(this.createLine(line, content), stop)
        if (!outcome.ok) {
          await this.noteIssues()
          return outcome
        }
        this.lines.push(outcome.value)
        if (performance.now() - this.notedAt > noteEveryMs) await this.noteIssues()
      }
      await this.holdOrders()
      await this.noteIssues()
      return ok(content)
    }
    const created = await retries.run(
      () => creationMutex(() => this.tryStep('orders', this.path, createRest, isOutcomeToCome)),
      outcomeBackOff,
      (error) => waitReasons.set(place, error),
    )
    waitReasons.clear(place)
    return created
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
    await this.tryStep(`orders of ${this.name}`, folders.root, async () => {
      for (;;) {
        const changed = heldOrders.whenChanged()
        const isToCome = await this.endHeldLines()
        if (this.lines.every(hasOutcome)) return ok(undefined)
        // Nothing may be told of what other stations know.
        const again = () => pause(outcomeBackOff.maxMs, undefined, { ref: false })
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

  private createLine(line: OrderLine, { isChanged }: Content): Promise<Result<LineOutcome | HeldLine>> {
    const { shipping, heldOrders, print, holdsOrders, stop } = this.deps
    const { row, origin } = this.claimed
    const wasRead = origin === 'earlier-run'
    const file = {
      row,
      print,
      mayBeSent: origin !== 'not-noted',
      isChanged,
      heldOrders,
      wasRead,
      holdsOrders,
    }
    return createLine(line, file, shipping, stop)
  }

  private async waitForLabels(): Promise<void> {
    const { print, shipping, stop, folders } = this.deps
    this.enter('printing')
    if (!print) return
    await this.tryStep(`labels of ${this.name}`, folders.root, async () => {
      for (const { outcome, shipment } of this.outcomes) {
        if (outcome !== 'created' || shipment === null || this.jobs.has(shipment.details.id)) continue
        const { id } = shipment.details
        this.jobs.set(id, await untilStopped(shipping.whenJobsEnded(id), stop))
      }
      return ok(undefined)
    })
  }

  private get outcomes(): LineOutcome[] {
    return this.lines.filter(hasOutcome)
  }

  /** Sees to the result, moves the file beside it, and removes its note. */
  private async deliver(writeResult: () => Promise<Destination>): Promise<void> {
    const { folders, files, holdFolder, log } = this.deps
    const { row } = this.claimed
    this.enter('delivering')
    await this.tryStep(`result of ${this.name}`, folders.root, async () => {
      const notOurs = await holdFolder()
      if (notOurs !== undefined) return err(notOurs)
      this.destination = await writeResult()
      await this.move(this.destination)
      await files.finish(row.id)
      return ok(undefined)
    })
    log.info('an order file got its result', { name: this.name, folder: this.destination?.folder })
    this.enter('delivered')
  }

  /** @returns where the result is, which may have been written by an earlier try */
  private async writeResult(content: Content): Promise<Destination> {
    const { folders, print, deliveryMutex } = this.deps
    const { destination, jobs } = this
    const { row } = this.claimed
    // A folder that somebody put away took the result with it.
    if (destination !== undefined && (await hasResult(folders, destination, row))) return destination
    const outcomes = await this.listOutcomesAtDelivery(content)
    await this.deps.issues.noteOutcomes(row, outcomes)
    return deliveryMutex(async () => {
      await restoreFolders(folders)
      const folder = outcomes.every(({ outcome }) => outcome === 'created') ? 'done' : 'failed'
      const free = await reserveDestination(folders, row, folder)
      await writeResult(folders, free, toOrderResult(row, outcomes, jobs, print))
      return free
    })
  }

  /** The outcomes, and what was written to the file after it was read. */
  private async listOutcomesAtDelivery({ stamp, lines, defaults }: Content): Promise<readonly LineOutcome[]> {
    if (!(await isChanged(this.path, stamp))) return this.outcomes
    const now = await this.readAtRest(undefined)
    this.resultStamp = now.stamp
    const linesNow = await this.readOrders(now.content, defaults)
    return addLaterChanges(this.name, this.outcomes, lines, linesNow)
  }

  /** That it lies beside its result says that everything is finished. */
  private async move(destination: Destination): Promise<void> {
    if (this.isMoved) return
    const { folders, log } = this.deps
    const { resultStamp, name } = this
    try {
      const delivered = await moveBesideResult(folders, destination, this.claimed.row)
      if (resultStamp !== undefined && (await isChanged(delivered, resultStamp))) {
        log.warn('an order file was changed after its result was written; the change was not sent', { name })
      }
    } catch (error) {
      if (!(await this.isRemoved(error))) throw error
      log.warn('an order file was removed from work/ after its result was written', { name })
    }
    await freeDestination(folders, destination, this.claimed.row)
    this.isMoved = true
  }

  /** Reads the file once. While it waited a person may have taken it away: then the rest of it is not to be sent. */
  private async readContent(): Promise<Content | 'removed'> {
    const { files, log } = this.deps
    try {
      if (this.content !== undefined) {
        await lstat(this.path)
        return this.content
      }
      await this.begin()
      const content = await this.readLines()
      this.content = content
      this.enter('creating')
      return content
    } catch (error) {
      if (!(await this.isRemoved(error))) throw error
      if (this.isBegun) {
        log.warn(
          'an order file was removed from work/; what is left of it is not sent, and it gets no result',
          { name: this.name },
        )
      } else log.info('another station took an order file over before it was begun here', { name: this.name })
      await files.finish(this.claimed.row.id)
      this.enter('removed')
      return 'removed'
    }
  }

  /**
   * Moves a file of a shared folder to where no other station takes it over. Fails when one has: of its move and this one
   * only one finds the file.
   */
  private async begin(): Promise<void> {
    const { shared, work } = this.deps.folders
    if (this.isBegun || shared === undefined) return
    await rename(join(shared.taken, this.name), this.path).catch(async (error: unknown) => {
      // An earlier run did so, or a share reports a failure and has moved it all the same.
      if (!(await exists(this.path))) throw error
    })
    this.isBegun = true
    // A power cut of the share must not give it to another station once something of it was sent.
    await syncFolder(work).catch(() => undefined)
    await forgetTakenMapping(shared.taken, this.name)
  }

  private async readLines(): Promise<Content> {
    const file = await this.readAtRest(this.claimed.stamp)
    const isChanged = await this.isChangedSinceRead(file.content)
    const defaults = this.deps.tables.settings.current().shipmentDefaults
    const read = await this.readOrders(file.content, defaults)
    const lines = read.ok ? read.value : [toUnreadableLine(this.name, read.error)]
    this.resultStamp = file.stamp
    return { stamp: file.stamp, lines, defaults, isChanged }
  }

  private async readOrders(
    content: Buffer | 'too-large',
    defaults: ShipmentDefaults,
  ): Promise<Result<OrderLine[], OrderFileProblem>> {
    const { mapping } = this.claimed.row
    const lines =
      mapping === null
        ? readOrderLines(this.name, content, defaults, listPrinterIds(this.deps.tables.settings.current()))
        : await readMappedLines(this.name, content, mapping, defaults, this.deps.tables)
    this.deps.stop.throwIfAborted()
    return lines
  }

  /** Whether an earlier run read something else in this file; notes what it holds when none has read it. */
  private async isChangedSinceRead(content: Buffer | 'too-large'): Promise<boolean> {
    const { row, origin } = this.claimed
    const sha256 = toSha256(content)
    if (row.sha256 !== null) return row.sha256 !== sha256
    if (origin !== 'not-noted') await this.deps.files.noteContent(row.id, sha256)
    return false
  }

  private readAtRest(stamp: string | undefined): ReturnType<typeof readAtRest> {
    const { restMs, stop } = this.deps
    return readAtRest(this.path, stamp, maxFile, () => pause(restMs, undefined, { signal: stop }))
  }

  /** Tells a file that was taken away from a folder that is not there at the moment. */
  private async isRemoved(error: unknown): Promise<boolean> {
    if (systemCode(error) !== 'ENOENT') return false
    await stat(this.deps.folders.work)
    return !(await exists(this.path))
  }

  /** Tries a step until it succeeds, or ends in a final error. Meanwhile the status says why files wait at that place. */
  private tryStep<Value>(
    place: string,
    path: string,
    step: () => Promise<Result<Value>>,
    isFinal: (error: AppError) => boolean = () => false,
  ): Promise<Result<Value>> {
    const { retries, waitReasons, stop } = this.deps
    const attempt = async (): Promise<Result<Result<Value>>> => {
      try {
        const result = await step()
        if (!result.ok && !isFinal(result.error)) return result
        waitReasons.clear(place)
        return ok(result)
      } catch (error) {
        stop.throwIfAborted()
        return err(toFolderError(error, path))
      }
    }
    return retries.run(attempt, stationBackOff, (error) => waitReasons.set(place, error))
  }

  private enter(state: OrderFileState): void {
    this.state = state
    this.deps.onChange(this)
  }
}

/** Whether somebody wrote to the file; one that was taken away was not changed. */
async function isChanged(path: string, stamp: string): Promise<boolean> {
  const stats = await lstat(path, { bigint: true }).catch(ignoreMissing)
  return stats !== undefined && toStamp(stats) !== stamp
}
