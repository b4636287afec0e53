import { setMaxListeners } from 'node:events'
import type { AppError } from '../../shared/errors'
import type { ShipmentDefaults } from '../../shared/shipments'
import { createMutex } from '../lib/mutex'
import type { Log } from '../log/log'
import { createFolderOwner } from './folderOwner'
import { makeRoot, onTwoDisks, orderFolders, restoreFolders, troubleOf } from './folders'
import { Arrivals } from './inbox'
import { type LastFile, OrderQueue } from './orderQueue'
import { createPauses } from './pauses'
import type { OrderFileStore, OrderShipping } from './ports'
import { removeTemporaryResults } from './resultFiles'
import { Troubles } from './waitReasons'

/** Waits of the hot folder in milliseconds. */
export interface HotFolderTimes {
  /** A file is taken when it has not changed for this long. */
  settleMs: number
  /** The same for JSON that ends too early, as that of a slow writer does. */
  cutOffMs: number
  /** How often the folder is looked at though nothing was reported: not every share reports changes. */
  lookMs: number
}

export interface HotFolderDeps {
  /** Absolute path. */
  folder: string
  /** Absolute path of the station's data: says whose folder it is. */
  dataFolder: string
  /** Whether labels are printed. */
  print: boolean
  shipping: OrderShipping
  files: OrderFileStore
  /** What shipments leave out, as it is now. */
  defaults: () => ShipmentDefaults
  log: Log
  now: () => Date
  /** The status is another one. */
  onChange(): void
  times?: Partial<HotFolderTimes>
}

export interface HotFolderStatus {
  /** `trouble`: files wait, for the reason in `error`; the hot folder resumes by itself when that is over. */
  state: 'off' | 'watching' | 'trouble'
  message: string | null
  error: AppError | null
  /** Files without a result. */
  waiting: number
  lastFile: LastFile | null
}

/** A folder in which other programs order shipments (docs/hot-folder.md). */
export interface HotFolder {
  /** Makes the folders, resumes what an earlier run left and watches; resolves when that was tried once. */
  start(): Promise<void>
  /**
   * Ends for good; another instance of this station may then use the folder. A creation that is under way is not
   * waited for: its outcome is in the journal, and the next start finds it there.
   */
  stop(): Promise<void>
  /** After `stop`: lets another station have the folder, unless files without a result lie in it. */
  handOver(): Promise<void>
  /** Something changed for the better (an account was connected, room was made): tries again at once. */
  retry(): void
  status(): HotFolderStatus
}

const usualTimes: HotFolderTimes = { settleMs: 300, cutOffMs: 3_000, lookMs: 1_000 }

/** Wires a hot folder. One instance of a station at a time may use a folder. */
export function createHotFolder(deps: HotFolderDeps): HotFolder {
  const { log } = deps
  const times = { ...usualTimes, ...deps.times }
  const folders = orderFolders(deps.folder)
  const stopping = new AbortController()
  // Each file that waits for its labels listens.
  setMaxListeners(0, stopping.signal)
  const troubles = new Troubles(log, report)
  const owner = createFolderOwner(deps.folder, deps.dataFolder, deps.now)
  let state: 'new' | 'lost' | 'ready' = 'new'
  /** The last file that could not be taken, and when the next one may be. */
  let failed: { name: string; retryAt: number } | undefined
  let timer: NodeJS.Timeout | undefined
  const mutex = createMutex()
  let pass: Promise<void> = Promise.resolve()
  let isPassAsked = false
  let reported = ''

  const arrivals = new Arrivals({ folder: folders.in, times, log, onReport: wake })
  const queue = new OrderQueue({
    ...deps,
    folders,
    settleMs: times.settleMs,
    pauses: createPauses(),
    stop: stopping.signal,
    troubles,
    hold: () => owner.hold(),
    onRoom: wake,
  })

  /** Asks for a pass over `in/`; whatever asks before it begins is served by the same one. */
  function wake(): void {
    if (isPassAsked || stopping.signal.aborted) return
    isPassAsked = true
    pass = mutex(async () => {
      isPassAsked = false
      if (stopping.signal.aborted) return
      clearTimeout(timer)
      const waitMs = await look()
      if (!stopping.signal.aborted) timer = setTimeout(wake, Math.ceil(waitMs))
      report()
    })
  }

  /**
   * Brings the folders into being or back, sees what is new, and takes what there is room for.
   * @returns milliseconds until the next look, if nothing asks for one earlier
   */
  async function look(): Promise<number> {
    try {
      if (!(await isOurs())) return times.lookMs
      const trouble = state === 'ready' ? undefined : await prepare()
      if (trouble !== undefined) {
        troubles.set('folder', trouble)
        return times.lookMs
      }
      await arrivals.look()
      troubles.clear('folder')
      return Math.min(await takeWhileRoom(), arrivals.listMs)
    } catch (error) {
      lose()
      troubles.set('folder', troubleOf(error, deps.folder))
      return times.lookMs
    }
  }

  /** @returns milliseconds until another file may be at rest; room for more asks for a look by itself */
  async function takeWhileRoom(): Promise<number> {
    if (failed !== undefined && !arrivals.has(failed.name)) endFailure()
    if (!queue.hasRoom || (failed !== undefined && performance.now() < failed.retryAt)) {
      return Number.POSITIVE_INFINITY
    }
    for await (const file of arrivals.atRest((name) => queue.has(name))) {
      const taken = await queue.take(file)
      if (taken === 'taken') {
        arrivals.forget(file.name)
        if (failed?.name === file.name) endFailure()
      } else if (taken !== 'later') {
        // The others come first from now on, but not at once: it may be the folder that refuses.
        arrivals.putBack(file)
        failed = { name: file.name, retryAt: performance.now() + times.lookMs }
        troubles.set('taking', taken)
        return times.lookMs
      }
      if (!queue.hasRoom || stopping.signal.aborted) return Number.POSITIVE_INFINITY
    }
    return arrivals.restMs
  }

  function endFailure(): void {
    failed = undefined
    troubles.clear('taking')
  }

  async function isOurs(): Promise<boolean> {
    if (state === 'new') await makeRoot(folders)
    const trouble = await owner.hold()
    if (trouble === undefined) {
      troubles.clear('owner')
      return true
    }
    lose()
    troubles.set('owner', trouble)
    return false
  }

  function lose(): void {
    if (state === 'ready') state = 'lost'
    arrivals.close()
  }

  /** @returns why nothing can be taken although the folders are there */
  async function prepare(): Promise<AppError | undefined> {
    await restoreFolders(folders)
    const trouble = await onTwoDisks(folders)
    if (trouble !== undefined) return trouble
    if (state === 'new') await removeTemporaryResults(folders)
    else queue.retry()
    await queue.recover()
    state = 'ready'
    return undefined
  }

  function status(): HotFolderStatus {
    const error = troubles.first() ?? null
    const on = error === null ? 'watching' : 'trouble'
    return {
      state: stopping.signal.aborted || timer === undefined ? 'off' : on,
      message: error?.message ?? null,
      error,
      waiting: arrivals.count + queue.count,
      lastFile: queue.lastFile,
    }
  }

  /** Announces a status that is another one than before. */
  function report(): void {
    const now = JSON.stringify(status())
    if (now === reported) return
    reported = now
    deps.onChange()
  }

  return {
    async start() {
      log.info('the hot folder is on')
      wake()
      await pass
    },
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await pass
      arrivals.close()
      await queue.idle()
      log.info('the hot folder is off')
    },
    async handOver() {
      if (state === 'ready' && queue.count === 0) await owner.release()
    },
    retry() {
      queue.retry()
      if (failed !== undefined) failed.retryAt = 0
      wake()
    },
    status,
  }
}
