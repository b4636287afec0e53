import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppStatus } from '../../shared/app'
import { type AppError, appError } from '../../shared/errors'
import type { OrderMapping } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import type { EventBus } from '../lib/eventBus'
import { createMutex } from '../lib/mutex'
import { syncFolder, writeSynced } from '../lib/synced'
import { type ClaimDeps, type ClaimedFile, claimFile, findLeftFiles } from './claim'
import { FolderOwner, shareFolder } from './folderOwner'
import {
  checkOneDisk,
  claimFreeName,
  findTakenFormat,
  makeRoot,
  type OrderFolders,
  orderFolders,
  restoreFolders,
  toFolderError,
} from './folders'
import { byArrival, Inbox } from './inbox'
import { OrderFile, type OrderFileDeps, type OrderWorkDeps } from './orderFile'
import { findNamedMapping } from './orderLines'
import { removeTemporaryResults } from './orderResult'
import { OtherStations, unshareFolder } from './sharing'
import { Steps, WaitReasons } from './steps'

/** Waits of the hot folder in milliseconds. */
export interface HotFolderTimes {
  /** A file is taken when it has not changed for this long. */
  restMs: number
  /** The same for JSON that ends too early, as that of a slow writer does. */
  cutOffMs: number
  /** How often the folder is looked at though nothing was reported: not every share reports changes. */
  lookMs: number
  /** In a shared folder: a station that shows no sign for this long is silent. */
  silentMs: number
}

/** What a station needs to share its hot folder with others. */
export interface FolderSharing {
  /** This station's id in the folder. */
  station: string
  /** The fleet whose claims keep two files from shipping one reference twice; null while it is in none. */
  findFleetId(): Promise<string | null>
}

export interface HotFolderDeps extends OrderWorkDeps {
  /** Absolute path. */
  folder: string
  /** Undefined where the folder is this station's alone. */
  sharing?: FolderSharing | undefined
  /** Absolute path of the station's data: says whose folder it is. */
  dataFolder: string
  now: () => Date
  bus: Pick<EventBus, 'emit'>
  times?: Partial<HotFolderTimes>
}

/** In `error` files wait; the hot folder resumes by itself when that is over. */
export type HotFolderStatus = Omit<AppStatus['hotFolder'], 'issues'>

const usualTimes: HotFolderTimes = { restMs: 300, cutOffMs: 3_000, lookMs: 1_000, silentMs: 30_000 }

/**
 * With so many files in `work/` besides those that only wait for orders or labels, none is taken: reading the next one costs
 * no wait, and a station that is lost leaves no more than a few unclear.
 */
const enoughBusy = 3

/**
 * A folder in which other programs order shipments (docs/hot-folder.md): watches `in/`, claims what is at rest there, and
 * starts each file on its way. One instance of a station at a time may use a folder.
 */
export class HotFolder {
  private readonly times: HotFolderTimes
  readonly folders: OrderFolders
  private readonly stopping = new AbortController()
  private readonly waitReasons: WaitReasons
  private readonly steps: Steps
  /** Whose the folder is; in a shared one that of this station's own part. */
  private readonly owner: FolderOwner
  private readonly others: OtherStations | undefined
  private readonly inbox: Inbox
  private readonly fileDeps: OrderFileDeps
  /** Whether the folders were ever seen whole, and are now. */
  private state: 'new' | 'lost' | 'ready' = 'new'
  /** Files in `work/`, by name. */
  private readonly files = new Map<string, OrderFile>()
  /** Those of them that do not only wait for their labels, or in the list of orders. */
  private readonly busy = new Set<OrderFile>()
  private readonly runs = new Set<Promise<void>>()
  /** The last file that could not be claimed, and when the next one may be. */
  private failed: { name: string; retryAt: number } | undefined
  private readonly passMutex = createMutex()
  private pass: Promise<void> = Promise.resolve()
  private isPassAsked = false
  private timer: NodeJS.Timeout | undefined
  private reported = ''

  /** No folder is touched before `start`. */
  constructor(private readonly deps: HotFolderDeps) {
    const { folder, dataFolder, log, now, sharing } = deps
    const stop = this.stopping.signal
    // Each file that waits for its labels listens.
    setMaxListeners(0, stop)
    this.times = { ...usualTimes, ...deps.times }
    this.folders = orderFolders(folder, sharing?.station)
    const { shared } = this.folders
    this.others = shared && new OtherStations(shared, this.times.silentMs, log)
    this.waitReasons = new WaitReasons(log, () => this.report())
    this.steps = new Steps(this.waitReasons, stop)
    this.owner = new FolderOwner(shared?.taken ?? folder, dataFolder, now)
    this.inbox = new Inbox({
      folder: this.folders.in,
      times: this.times,
      hasMapping: () => this.findMapping() !== undefined,
      log,
      onReport: () => this.wake(),
      onIgnored: (files) => deps.issues.noteIgnored(files),
    })
    this.fileDeps = {
      ...deps,
      folders: this.folders,
      restMs: this.times.restMs,
      stop,
      steps: this.steps,
      holdFolder: () => this.holdFolder(),
      creationMutex: createMutex(),
      deliveryMutex: createMutex(),
      onChange: (file) => this.followFile(file),
    }
  }

  /** Makes the folders, resumes what an earlier run left and watches; resolves when that was tried once. */
  async start(): Promise<void> {
    this.deps.log.info('the hot folder is on')
    this.wake()
    await this.pass
  }

  /**
   * Ends for good; another instance of this station may then use the folder. A creation that is under way is not
   * waited for: its outcome is in the journal, and the next start finds it there.
   */
  async stop(): Promise<void> {
    this.stopping.abort()
    clearTimeout(this.timer)
    await this.pass
    this.inbox.close()
    await Promise.all(this.runs)
    this.deps.log.info('the hot folder is off')
  }

  /** After `stop`: lets another station have the folder, unless files without a result lie in it. */
  async handOver(): Promise<void> {
    if (this.state !== 'ready' || this.files.size > 0) return
    await this.owner.release()
    await this.others?.leave(this.folders.work)
  }

  /** Something changed for the better (an account was connected, room was made): tries again at once. */
  retry(): void {
    this.steps.retryNow()
    if (this.failed !== undefined) this.failed.retryAt = 0
    this.wake()
  }

  /**
   * Puts an order into `in/` in a file of its own, as another program would; never in the place of another file.
   * @param name what the file's name begins with; a number follows where it is taken
   * @returns the file's name; an error when the folder can't be used now
   */
  async drop(name: string, record: object): Promise<Result<string>> {
    const { folders } = this
    if (this.state !== 'ready' || this.stopping.signal.aborted)
      return err(appError('hot-folder-not-working', { reference: name }))
    try {
      const temporary = join(folders.in, `.${randomUUID()}.tmp`)
      await writeSynced(temporary, `${JSON.stringify(record, null, 2)}\n`, 0o600, 'wx')
      const free = await claimFreeName(folders, name)
      await rename(temporary, join(folders.in, free))
      await syncFolder(folders.in).catch(() => undefined)
      this.wake()
      return ok(free)
    } catch (error) {
      return err(toFolderError(error, folders.in))
    }
  }

  status(): HotFolderStatus {
    const error = this.waitReasons.first() ?? null
    const on = error === null ? 'watching' : 'error'
    return {
      state: this.stopping.signal.aborted || this.timer === undefined ? 'off' : on,
      message: error?.message ?? null,
      error,
      waiting: this.inbox.count + this.files.size,
    }
  }

  /** Asks for a pass over `in/`; whatever asks before it begins is served by the same one. */
  private wake(): void {
    const { signal } = this.stopping
    if (this.isPassAsked || signal.aborted) return
    this.isPassAsked = true
    this.pass = this.passMutex(async () => {
      this.isPassAsked = false
      if (signal.aborted) return
      clearTimeout(this.timer)
      const waitMs = await this.look()
      if (!signal.aborted) this.timer = setTimeout(() => this.wake(), Math.ceil(waitMs))
      this.report()
    })
  }

  /**
   * Brings the folders into being or back, sees what is new, and claims what there is room for.
   * @returns milliseconds until the next look, if nothing asks for one earlier
   */
  private async look(): Promise<number> {
    const { inbox, times, waitReasons } = this
    try {
      // Whose folder it is matters before a file is claimed, and now and then for the status.
      const isHeld = this.state !== 'ready' || inbox.listMs === 0
      if (isHeld && !(await this.hold())) return times.lookMs
      const notUsable = this.state === 'ready' ? undefined : await this.prepare()
      if (notUsable !== undefined) {
        waitReasons.set('folder', notUsable)
        return times.lookMs
      }
      await inbox.look()
      waitReasons.clear('folder')
      // While nothing can be sent here others take over what this station has not begun.
      if (!waitReasons.has('orders')) await this.others?.showSign()
      return Math.min(await this.claimWhileRoom(isHeld), inbox.listMs)
    } catch (error) {
      this.lose()
      waitReasons.set('folder', toFolderError(error, this.deps.folder))
      return times.lookMs
    }
  }

  /**
   * @param isHeld the folder was seen to be this station's just now
   * @returns milliseconds until another file may be at rest; room for more asks for a look by itself
   */
  private async claimWhileRoom(isHeld: boolean): Promise<number> {
    const { inbox, failed, times, waitReasons } = this
    if (failed !== undefined && !inbox.has(failed.name)) this.endFailure()
    if (!this.hasRoom || (this.failed !== undefined && performance.now() < this.failed.retryAt)) {
      return Number.POSITIVE_INFINITY
    }
    let isStillHeld = isHeld
    // A spreadsheet stays for a station that has a mapping.
    const isTaken = (name: string) => findTakenFormat(name, this.findMapping() !== undefined) !== undefined
    for (const file of (await this.others?.listAbandoned(isTaken)) ?? []) {
      // Another file of its name is in work here: it waits, the others don't.
      if (this.files.has(file.name)) continue
      if (!this.hasRoom || !(await this.hold())) break
      const claimed = await claimFile(this.claimDeps, file, file.folder)
      if (!claimed.ok || typeof claimed.value === 'string') continue
      this.deps.log.info('an order file of a silent station, which it had not begun, is taken over', {
        name: file.name,
      })
      this.feed(claimed.value)
    }
    if (!this.hasRoom) return Number.POSITIVE_INFINITY
    for await (const file of inbox.atRest((name) => this.files.has(name))) {
      if (!isStillHeld && !(await this.hold())) return times.lookMs
      isStillHeld = true
      const claimed = await claimFile(this.claimDeps, file)
      if (!claimed.ok) {
        // The others come first from now on, but not at once: it may be the folder that refuses.
        inbox.putBack(file)
        this.failed = { name: file.name, retryAt: performance.now() + times.lookMs }
        waitReasons.set('taking', claimed.error)
        return times.lookMs
      }
      if (claimed.value === 'occupied') await this.recover()
      else if (claimed.value !== 'later') {
        this.feed(claimed.value)
        inbox.forget(file.name)
        if (this.failed?.name === file.name) this.endFailure()
      }
      if (!this.hasRoom || this.stopping.signal.aborted) return Number.POSITIVE_INFINITY
    }
    return inbox.untilRestMs
  }

  private get claimDeps(): ClaimDeps {
    const { folders, deps } = this
    return { ...deps, folders, findMapping: () => this.findMapping() }
  }

  private findMapping(): OrderMapping | undefined {
    return findNamedMapping(this.deps.tables.settings.current())
  }

  private get hasRoom(): boolean {
    if (this.busy.size >= enoughBusy) return false
    // What one station has not begun another one could.
    return this.others === undefined || [...this.busy].every(({ state }) => state !== 'taken')
  }

  private endFailure(): void {
    this.failed = undefined
    this.waitReasons.clear('taking')
  }

  /** Whether the folder is this station's. */
  private async hold(): Promise<boolean> {
    if (this.state === 'new') await makeRoot(this.folders)
    const notOurs = await this.holdFolder()
    if (notOurs === undefined) {
      this.waitReasons.clear('owner')
      return true
    }
    this.lose()
    this.waitReasons.set('owner', notOurs)
    return false
  }

  /** Makes sure that the folder is this station's, or its fleet's and the own part in it this station's. */
  private async holdFolder(): Promise<AppError | undefined> {
    const { folders, deps } = this
    const { shared } = folders
    if (shared !== undefined && deps.sharing !== undefined) {
      const fleet = await deps.sharing.findFleetId()
      const notShared = await shareFolder({ ...folders, shared }, deps.dataFolder, fleet)
      if (notShared !== undefined) return notShared
      await mkdir(shared.taken, { recursive: true, mode: 0o700 })
    }
    return this.owner.hold()
  }

  private lose(): void {
    if (this.state === 'ready') this.state = 'lost'
    this.inbox.close()
  }

  /** @returns why nothing can be claimed although the folders are there */
  private async prepare(): Promise<AppError | undefined> {
    await restoreFolders(this.folders)
    const onTwoDisks = await checkOneDisk(this.folders)
    if (onTwoDisks !== undefined) return onTwoDisks
    const { dataFolder } = this.deps
    const isAlone = this.folders.shared === undefined
    const stillShared = isAlone ? await unshareFolder({ ...this.claimDeps, dataFolder }) : undefined
    if (stillShared !== undefined) return stillShared
    if (this.state === 'new') await removeTemporaryResults(this.folders)
    else this.steps.retryNow()
    await this.recover()
    this.state = 'ready'
    return undefined
  }

  /** Starts what an earlier run left in `work/`; files that are on their way already stay as they are. */
  private async recover(): Promise<void> {
    const left = await findLeftFiles(this.claimDeps, (name) => this.files.has(name))
    const toArrival = ({ row, modifiedNs }: ClaimedFile) => ({ name: row.name, modifiedNs })
    for (const file of left.sort((one, other) => byArrival(toArrival(one), toArrival(other)))) this.feed(file)
  }

  /** Starts a file on its way. The look at the owner before it was taken serves for its creation when that is next. */
  private feed(claimed: ClaimedFile): void {
    const file = new OrderFile(this.fileDeps, claimed)
    const isHeld = claimed.origin === 'taken' && this.busy.size === 0
    this.files.set(file.name, file)
    this.busy.add(file)
    const run = file.run(isHeld).finally(() => this.runs.delete(run))
    this.runs.add(run)
  }

  private followFile(file: OrderFile): void {
    const { name, state } = file
    if (state === 'delivering') this.busy.add(file)
    if (state === 'creating' && this.others !== undefined) this.wake()
    if (state === 'taken' || state === 'creating' || state === 'delivering') return
    this.busy.delete(file)
    if (state !== 'printing' && state !== 'holding') this.files.delete(name)
    // There is room for another file, also for one of the same name.
    this.wake()
  }

  /** Announces a status that is another one than before. */
  private report(): void {
    const now = JSON.stringify(this.status())
    if (now === this.reported) return
    this.reported = now
    this.deps.bus.emit('statusOutdated')
  }
}
