import { setMaxListeners } from 'node:events'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppStatus } from '../../shared/app'
import { type AppError, appError } from '../../shared/errors'
import type { OrderMapping } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import { createMutex } from '../lib/async'
import type { EventBus } from '../lib/eventBus'
import { byArrival } from '../lib/incomingFile'
import { ignoreMissing, toTemporaryPath } from '../lib/plainFiles'
import { syncFolder, writeSynced } from '../lib/synced'
import { type ClaimDeps, type ClaimedFile, claimFile, findLeftFiles } from './claim'
import { FolderOwner, isSameFolder, type SeenFolder, shareFolder } from './folderOwner'
import {
  checkOneDisk,
  claimFreeName,
  findTakenFormat,
  makeRoot,
  type OrderFolders,
  orderFolders,
  removeUnfinished,
  restoreFolders,
  toHotFolderError,
} from './folders'
import { Inbox } from './inbox'
import { OrderFile, type OrderFileDeps, type OrderWorkDeps } from './orderFile'
import { findNamedMapping } from './orderLines'
import { OtherStations, unshareFolder } from './sharing'
import { Steps, WaitReasons } from './steps'

/** In milliseconds. */
export interface HotFolderTimes {
  /** A file is taken when it has not changed for this long. */
  restMs: number
  /** The same for incomplete JSON, which a slow writer may still be writing. */
  cutOffMs: number
  /** How often the folder is listed without a reported change: not every share reports changes. */
  pollMs: number
  /** In a shared folder: a station without a new heartbeat for this long counts as unresponsive. */
  heartbeatTimeoutMs: number
  /** A pass over the folder that takes longer is reported: its share may not answer. */
  slowPassMs: number
}

/** What a station needs to share its hot folder with others. */
export interface FolderSharing {
  /** This station's id in the folder. */
  station: string
  /** The fleet, whose claims keep two files from shipping one reference twice; null without a fleet. */
  findFleetId(): Promise<string | null>
}

export interface HotFolderDeps extends OrderWorkDeps {
  /** Absolute path. */
  folder: string
  /** Undefined if the folder belongs to this station only. */
  sharing?: FolderSharing | undefined
  /** Absolute path of the station's data, which identifies the owner of the folder. */
  dataFolder: string
  /** Resolves when the last instance for this folder has ended; until then the folder is not touched. */
  previousEnded?: Promise<void> | undefined
  now: () => Date
  bus: Pick<EventBus, 'emit'>
  times?: Partial<HotFolderTimes>
}

/** In state `error` files wait; the hot folder resumes automatically. */
export type HotFolderStatus = Omit<AppStatus['hotFolder'], 'issues'>

const defaultTimes: HotFolderTimes = {
  restMs: 300,
  cutOffMs: 3_000,
  pollMs: 1_000,
  heartbeatTimeoutMs: 30_000,
  slowPassMs: 10_000,
}

/**
 * No further file is taken while so many are in progress; files that only wait for held orders, labels or their folder do not
 * count. Enough to read the next file ahead of time, and few whose outcome is unclear when a station is lost.
 */
const maxBusyFiles = 3

/**
 * A folder in which other programs order shipments (docs/hot-folder.md): watches `in/`, claims files that are no longer
 * written to, and processes each as an `OrderFile`. Only one instance at a time may use a folder.
 */
export class HotFolder {
  private readonly times: HotFolderTimes
  readonly folders: OrderFolders
  private readonly stopping = new AbortController()
  private readonly waitReasons: WaitReasons
  private readonly steps: Steps
  /** Owner of the folder; in a shared folder, of this station's part. */
  private readonly owner: FolderOwner
  private readonly others: OtherStations | undefined
  private readonly inbox: Inbox
  private readonly fileDeps: OrderFileDeps
  /** `lost`: the folders were usable and are not now. */
  private state: 'new' | 'lost' | 'ready' = 'new'
  /** The folder whose files in `work/` were started. */
  private preparedFolder: SeenFolder | undefined
  /** Files in `work/`, by name. */
  private readonly files = new Map<string, OrderFile>()
  /** Files that do more than wait for held orders, labels or their folder. */
  private readonly busy = new Set<OrderFile>()
  private readonly runs = new Set<Promise<void>>()
  /** The last file that could not be claimed, and when the next attempt may be made. */
  private failedClaim: { name: string; retryAt: number } | undefined
  private readonly passMutex = createMutex()
  private pass: Promise<void> = Promise.resolve()
  private isPassRequested = false
  private timer: NodeJS.Timeout | undefined
  private reportedStatus = ''

  /** No folder is touched before `start`. */
  constructor(private readonly deps: HotFolderDeps) {
    const { folder, dataFolder, log, now, sharing } = deps
    const stop = this.stopping.signal
    // Each file that waits for its labels adds a listener.
    setMaxListeners(0, stop)
    this.times = { ...defaultTimes, ...deps.times }
    this.folders = orderFolders(folder, sharing?.station)
    const { shared } = this.folders
    this.others = shared && new OtherStations(shared, this.times.heartbeatTimeoutMs, log)
    this.waitReasons = new WaitReasons(log, () => this.report())
    this.steps = new Steps(this.waitReasons, stop)
    this.owner = new FolderOwner(shared?.taken ?? folder, dataFolder, now)
    this.inbox = new Inbox({
      folder: this.folders.in,
      times: this.times,
      hasMapping: () => this.findMapping() !== undefined,
      log,
      onReport: () => this.wake(),
      onIgnored: async (files) => {
        // A share may answer after another folder was set.
        if (!stop.aborted) await deps.issues.noteIgnored(files)
      },
    })
    this.fileDeps = {
      ...deps,
      folders: this.folders,
      restMs: this.times.restMs,
      stop,
      steps: this.steps,
      owner: this.owner,
      acquireFolder: () => this.acquireFolder(),
      creationMutex: createMutex(),
      deliveryMutex: createMutex(),
      onChange: (file) => this.handleFileState(file),
    }
  }

  /** Creates the folders, resumes files of an earlier run and watches `in/`. Resolves after the first attempt. */
  start(): Promise<void> {
    this.deps.log.info('the hot folder is on')
    this.wake()
    return this.pass
  }

  /**
   * Ends for good; another instance of this station may then use the folder. Does not wait for a creation in progress: the
   * next start finds its outcome in the journal. Waits for a share that does not answer; after its answer nothing is taken,
   * sent or delivered.
   */
  async stop(): Promise<void> {
    this.stopping.abort()
    clearTimeout(this.timer)
    await this.pass
    this.inbox.close()
    await Promise.all(this.runs)
    this.deps.log.info('the hot folder is off')
  }

  /** After `stop`: releases the folder to other stations, unless it contains files without a result. */
  async handOver(): Promise<void> {
    if (this.state === 'lost' || this.owner.folder === undefined || this.files.size > 0) return
    // The first pass may have been stopped before it found the files in `work/`.
    const left = this.state === 'new' ? await readdir(this.folders.work).catch(ignoreMissing) : undefined
    if (left !== undefined && left.length > 0) return
    await this.owner.release()
    await this.others?.leave(this.folders.work)
  }

  /** Tries again at once, because a cause may be gone (an account was connected, disk space was freed). */
  retry(): void {
    this.steps.retryNow()
    if (this.failedClaim !== undefined) this.failedClaim.retryAt = 0
    this.wake()
  }

  /**
   * Writes an order to a new file in `in/`, as another program would. Never replaces a file.
   * @param name start of the file name; a number is added if that name is in use
   * @returns the file's name; an error when the folder can't be used now
   */
  async drop(name: string, record: object): Promise<Result<string>> {
    const { folders } = this
    if (this.state !== 'ready' || this.stopping.signal.aborted)
      return err(appError('hot-folder-not-working', { reference: name }))
    const temporary = toTemporaryPath(folders.in)
    const written = [temporary]
    try {
      await writeSynced(temporary, `${JSON.stringify(record, null, 2)}\n`, 0o600, 'wx')
      const free = await claimFreeName(folders, name)
      written.push(join(folders.in, free))
      await rename(temporary, join(folders.in, free))
      await syncFolder(folders.in).catch(() => undefined)
      this.wake()
      return ok(free)
    } catch (error) {
      // The reserved name is still empty: it would be taken as an order file that can't be read.
      for (const path of written) await rm(path, { force: true }).catch(() => undefined)
      return err(toHotFolderError(error, folders.in))
    }
  }

  status(): HotFolderStatus {
    const error = this.waitReasons.first() ?? null
    const on = error === null ? 'watching' : 'error'
    return {
      state: this.stopping.signal.aborted ? 'off' : on,
      message: error?.message ?? null,
      error,
      waiting: this.inbox.count + this.files.size,
    }
  }

  /** Requests a pass over `in/`. Requests before it begins share one pass. */
  private wake(): void {
    const { signal } = this.stopping
    if (this.isPassRequested || signal.aborted) return
    this.isPassRequested = true
    this.pass = this.passMutex(async () => {
      this.isPassRequested = false
      if (signal.aborted) return
      clearTimeout(this.timer)
      this.timer = setTimeout(() => this.reportSlowPass(), this.times.slowPassMs)
      const waitMs = await this.runPass()
      clearTimeout(this.timer)
      if (!signal.aborted) this.timer = setTimeout(() => this.wake(), Math.ceil(waitMs))
      this.report()
    })
  }

  private reportSlowPass(): void {
    const { folder } = this.deps
    const reason = `no result for ${this.times.slowPassMs} ms`
    this.waitReasons.set(
      'folder',
      appError('hot-folder-not-answering', { case: 'slow', path: folder, reason }),
    )
  }

  /**
   * Creates missing folders, reads changes of `in/`, and claims files.
   * @returns milliseconds until the next pass, if none is requested earlier
   */
  private async runPass(): Promise<number> {
    const { inbox, times, waitReasons } = this
    try {
      await this.deps.previousEnded
      // The owner is checked before a file is claimed, and at each listing for the status.
      const isAcquired = this.state !== 'ready' || inbox.listMs === 0
      if (isAcquired && !(await this.tryAcquireFolder())) return times.pollMs
      const notUsable = this.state === 'ready' ? undefined : await this.prepare()
      if (notUsable !== undefined) {
        waitReasons.set('folder', notUsable)
        return times.pollMs
      }
      await inbox.update()
      waitReasons.clear('folder')
      // Without a heartbeat other stations take over files that this one can't send.
      if (!waitReasons.has('orders')) await this.others?.writeHeartbeat()
      return Math.min(await this.claimFiles(isAcquired), inbox.listMs)
    } catch (error) {
      if (this.stopping.signal.aborted) return times.pollMs
      this.markLost()
      waitReasons.set('folder', toHotFolderError(error, this.deps.folder))
      return times.pollMs
    }
  }

  /**
   * Claims files until `maxBusyFiles` are in progress: first those of unresponsive stations, then those in `in/`.
   * @param isAcquired the folder was acquired just now
   * @returns milliseconds until another file may be at rest; a file that ends requests a pass itself
   */
  private async claimFiles(isAcquired: boolean): Promise<number> {
    const { inbox, failedClaim, times, waitReasons } = this
    if (failedClaim !== undefined && !inbox.has(failedClaim.name)) this.clearFailedClaim()
    if (!this.hasRoom || (this.failedClaim !== undefined && performance.now() < this.failedClaim.retryAt)) {
      return Number.POSITIVE_INFINITY
    }
    let skipsAcquire = isAcquired
    // Without a mapping a spreadsheet is left to a station that has one.
    const isTaken = (name: string) => findTakenFormat(name, this.findMapping() !== undefined) !== undefined
    for (const file of (await this.others?.listAbandoned(isTaken)) ?? []) {
      // A file of the same name is in progress here.
      if (this.files.has(file.name)) continue
      if (!this.hasRoom || !(await this.tryAcquireFolder())) break
      const claimed = await claimFile(this.claimDeps, file, file.folder)
      if (!claimed.ok || typeof claimed.value === 'string') continue
      this.deps.log.info('an order file that an unresponsive station had not begun is taken over', {
        name: file.name,
      })
      this.startFile(claimed.value)
    }
    if (!this.hasRoom) return Number.POSITIVE_INFINITY
    for await (const file of inbox.listAtRest((name) => this.files.has(name))) {
      this.stopping.signal.throwIfAborted()
      if (!skipsAcquire && !(await this.tryAcquireFolder())) return times.pollMs
      skipsAcquire = true
      const claimed = await claimFile(this.claimDeps, file)
      if (!claimed.ok) {
        // Other files are tried before this one, but only after a wait: the folder itself may be the cause.
        inbox.putBack(file)
        this.failedClaim = { name: file.name, retryAt: performance.now() + times.pollMs }
        waitReasons.set('taking', claimed.error)
        return times.pollMs
      }
      if (claimed.value === 'occupied') await this.recover()
      else if (claimed.value !== 'later') {
        this.startFile(claimed.value)
        inbox.forget(file.name)
        if (this.failedClaim?.name === file.name) this.clearFailedClaim()
      }
      if (!this.hasRoom) return Number.POSITIVE_INFINITY
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
    if (this.busy.size >= maxBusyFiles) return false
    // In a shared folder a station takes no further file before it has begun the last one: another station could begin it.
    return this.others === undefined || [...this.busy].every(({ state }) => state !== 'taken')
  }

  private clearFailedClaim(): void {
    this.failedClaim = undefined
    this.waitReasons.clear('taking')
  }

  /** @returns false when the folder belongs to another station; the status then shows it */
  private async tryAcquireFolder(): Promise<boolean> {
    if (this.state === 'new') await makeRoot(this.folders)
    const ownerError = await this.acquireFolder()
    if (ownerError === undefined) {
      this.waitReasons.clear('owner')
      return true
    }
    this.markLost()
    this.waitReasons.set('owner', ownerError)
    // It answers: the owner is the reason now.
    this.waitReasons.clear('folder')
    return false
  }

  /**
   * Claims the folder for this station; a shared one for its fleet, and the part in it for this station. Throws if the hot
   * folder was stopped meanwhile: a share that answers late must cause nothing more.
   */
  private async acquireFolder(): Promise<AppError | undefined> {
    const { folders, deps } = this
    const { shared } = folders
    if (shared !== undefined && deps.sharing !== undefined) {
      const fleet = await deps.sharing.findFleetId()
      const notShared = await shareFolder({ ...folders, shared }, deps.dataFolder, fleet)
      if (notShared !== undefined) return notShared
      await mkdir(shared.taken, { recursive: true, mode: 0o700 })
    }
    const ownerError = await this.owner.acquire()
    this.stopping.signal.throwIfAborted()
    if (
      ownerError !== undefined ||
      this.state !== 'ready' ||
      isSameFolder(this.owner.folder, this.preparedFolder)
    ) {
      return ownerError
    }
    // A share was mounted or unmounted: the next pass prepares what is there now.
    this.markLost()
    return appError('hot-folder-missing', { path: folders.root, reason: 'another folder is in its place' })
  }

  private markLost(): void {
    if (this.state === 'ready') this.state = 'lost'
    this.inbox.close()
  }

  /** @returns why no file can be claimed although the folders exist */
  private async prepare(): Promise<AppError | undefined> {
    await restoreFolders(this.folders)
    const onTwoDisks = await checkOneDisk(this.folders)
    if (onTwoDisks !== undefined) return onTwoDisks
    const { dataFolder } = this.deps
    const isAlone = this.folders.shared === undefined
    const stillShared = isAlone ? await unshareFolder({ ...this.claimDeps, dataFolder }) : undefined
    if (stillShared !== undefined) return stillShared
    if (this.state === 'new') await removeUnfinished(this.folders)
    else this.steps.retryNow()
    this.stopping.signal.throwIfAborted()
    await this.recover()
    this.preparedFolder = this.owner.folder
    this.state = 'ready'
    return undefined
  }

  /** Starts files that an earlier run left in `work/`; files in progress are not affected. */
  private async recover(): Promise<void> {
    const left = await findLeftFiles(this.claimDeps, (name) => this.files.has(name))
    const toArrival = ({ row, modifiedNs }: ClaimedFile) => ({ name: row.name, modifiedNs })
    for (const file of left.sort((one, other) => byArrival(toArrival(one), toArrival(other))))
      this.startFile(file)
  }

  /** Processes a file. If no other file is in progress, it needs no new check of the owner before its first creation. */
  private startFile(claimed: ClaimedFile): void {
    const file = new OrderFile(this.fileDeps, claimed)
    const isAcquired = claimed.origin === 'taken' && this.busy.size === 0
    this.files.set(file.name, file)
    this.busy.add(file)
    const run = file.run(isAcquired).finally(() => this.runs.delete(run))
    this.runs.add(run)
  }

  private handleFileState(file: OrderFile): void {
    const { name, state } = file
    if (state === 'creating' || state === 'delivering') this.busy.add(file)
    if (state === 'creating' && this.others !== undefined) this.wake()
    if (state === 'taken' || state === 'creating' || state === 'delivering') return
    this.busy.delete(file)
    if (state !== 'printing' && state !== 'holding') this.files.delete(name)
    // Another file may be claimed, also one of the same name.
    this.wake()
  }

  /** Publishes the status if it changed. */
  private report(): void {
    const status = JSON.stringify(this.status())
    if (status === this.reportedStatus) return
    this.reportedStatus = status
    this.deps.bus.emit('statusOutdated')
  }
}
