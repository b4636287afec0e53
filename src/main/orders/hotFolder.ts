import type { ShipmentDefaults } from '../../shared/shipment'
import type { Log } from '../log/log'
import { Arrivals } from './arrivals'
import { removeTemporaryResults } from './delivery'
import { createFolderOwner } from './folderOwner'
import { makeRoot, orderFolders, restoreFolders, troubleOf } from './folders'
import { type LastFile, OrderQueue } from './orderQueue'
import { createPauses } from './pauses'
import type { OrderFileStore, OrderShipping } from './ports'
import { type Trouble, Troubles } from './troubles'
import { createTurns } from './turns'

/** Waits of the hot folder in milliseconds. */
export interface HotFolderTimes {
  /** A file is taken when it has not changed for this long. */
  settleMs: number
  /** The same for JSON that ends too early, as that of a slow writer does. */
  cutOffMs: number
  /** How often the folder is looked at though nothing was reported: not every share reports changes. */
  lookMs: number
}

export interface HotFolderParts {
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
  times?: Partial<HotFolderTimes>
}

export interface HotFolderStatus {
  /** `trouble`: files wait, for the reason in `message`; it goes on by itself when that is over. */
  state: 'off' | 'watching' | 'trouble'
  message: string | null
  error: Trouble | null
  /** Files without a result. */
  waiting: number
  lastFile: LastFile | null
}

/** A folder in which other programs order shipments (docs/hot-folder.md). */
export interface HotFolder {
  /** Makes the folders, takes up what an earlier run left and watches; resolves when that was tried once. */
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
export function createHotFolder(parts: HotFolderParts): HotFolder {
  const { log } = parts
  const times = { ...usualTimes, ...parts.times }
  const folders = orderFolders(parts.folder)
  const stopping = new AbortController()
  const troubles = new Troubles(log)
  const owner = createFolderOwner(parts.folder, parts.dataFolder, parts.now)
  let state: 'new' | 'lost' | 'ready' = 'new'
  let timer: NodeJS.Timeout | undefined
  const turns = createTurns()
  let turn: Promise<void> = Promise.resolve()

  const queue = new OrderQueue({
    ...parts,
    folders,
    settleMs: times.settleMs,
    pauses: createPauses(),
    stop: stopping.signal,
    troubles,
    hold: () => owner.hold(),
    onLeft: () => void arrivals.look(),
  })
  const arrivals = new Arrivals({
    folder: folders.in,
    times,
    log,
    take: (file) => queue.take(file),
    onLooked(trouble, lost) {
      if (lost) lose()
      if (trouble === null) troubles.clear('folder')
      else troubles.set('folder', trouble)
    },
  })

  /** Brings the folders into being or back, then looks for files; again and again, for shares that report nothing. */
  async function look(): Promise<void> {
    if (stopping.signal.aborted) return
    try {
      if (await isOurs()) {
        if (state !== 'ready') await prepare()
        await arrivals.look()
      }
    } catch (error) {
      lose()
      troubles.set('folder', troubleOf(error, parts.folder))
    }
    clearTimeout(timer)
    if (!stopping.signal.aborted) timer = setTimeout(lookInTurn, times.lookMs)
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
  }

  async function prepare(): Promise<void> {
    await restoreFolders(folders)
    if (state === 'new') await removeTemporaryResults(folders)
    else queue.retry()
    await queue.recover()
    state = 'ready'
  }

  function lookInTurn(): void {
    turn = turns(look)
  }

  return {
    async start() {
      log.info('the hot folder is on')
      lookInTurn()
      await turn
    },
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await turn
      await arrivals.close()
      await queue.idle()
      log.info('the hot folder is off')
    },
    async handOver() {
      if (state === 'ready' && queue.count === 0) await owner.release()
    },
    retry() {
      queue.retry()
      lookInTurn()
    },
    status() {
      const error = troubles.first() ?? null
      const on = error === null ? 'watching' : 'trouble'
      return {
        state: stopping.signal.aborted || timer === undefined ? 'off' : on,
        message: error?.message ?? null,
        error,
        waiting: arrivals.count + queue.count,
        lastFile: queue.lastFile,
      }
    },
  }
}
