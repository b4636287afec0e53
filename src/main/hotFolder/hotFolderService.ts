import { isAbsolute, join } from 'node:path'
import type { AppStatus } from '../../shared/app'
import { type AppError, appError } from '../../shared/errors'
import type { HotFolderSettings } from '../../shared/settings'
import type { Session } from '../account/session'
import type { EventBus } from '../lib/eventBus'
import { createMutex } from '../lib/mutex'
import type { Log } from '../log/log'
import type { PrintQueue } from '../printing/queue/printQueue'
import type { SettingsStore } from '../settings/settingsStore'
import { findBlocker } from '../shipments/duplicateGuard'
import type { History } from '../shipments/history'
import type { ShipmentRepository } from '../shipments/repository'
import type { Shipping } from '../shipments/shipping'
import { blockerError } from '../shipments/shippingErrors'
import type { Database } from '../storage/database'
import type { DataFolder } from '../storage/dataFolder'
import { HotFolder } from './hotFolder'
import type { OrderShipping } from './lineOutcome'
import { createOrderFileRepository } from './repository'

/** Keeps the hot folder as the settings want it. */
export interface HotFolderService {
  /** Starts, moves or ends the hot folder after the settings changed. What goes wrong is told by the status. */
  follow(settings: HotFolderSettings | null): Promise<void>
  /** The account changed: tries waiting files again, unless it changed for the worse. */
  retry(): void
  status(): AppStatus['hotFolder']
  /** Never fails: what comes after it must be closed too. */
  stop(): Promise<void>
}

export interface HotFolderServiceDeps {
  database: Database
  store: ShipmentRepository
  shipping: Pick<Shipping, 'create'>
  history: Pick<History, 'findAttempt' | 'getDetails'>
  printing: Pick<PrintQueue, 'whenJobsEnded'>
  settings: Pick<SettingsStore, 'current'>
  session: Pick<Session, 'status'>
  places: DataFolder
  bus: EventBus
  log: Log
  now(): Date
}

/** No folder is touched before `follow`. */
export function createHotFolderService(deps: HotFolderServiceDeps): HotFolderService {
  const { places, bus, log, now } = deps
  const files = createOrderFileRepository(deps.database)
  const shipping = orderShipping(deps)
  // One change after the other: two folders at once would take each other's files.
  const mutex = createMutex()
  let hotFolder: HotFolder | undefined
  let following: HotFolderSettings | null = null
  let failure: AppError | null = null

  async function change(settings: HotFolderSettings | null): Promise<void> {
    if (failure === null && settings?.path === following?.path && settings?.print === following?.print) return
    const moves = settings?.path !== following?.path
    following = settings
    failure = null
    await end(moves)
    if (settings === null) return
    const next = new HotFolder({
      folder: isAbsolute(settings.path) ? settings.path : join(places.root, settings.path),
      dataFolder: places.root,
      print: settings.print,
      shipping,
      files,
      defaults: () => deps.settings.current().shipmentDefaults,
      log,
      now,
      onChange: () => bus.emit('statusOutdated'),
    })
    hotFolder = next
    await next.start()
    bus.emit('statusOutdated')
  }

  async function giveUp(error: unknown): Promise<void> {
    const reason = reasonOf(error)
    failure = appError('hot-folder-not-started', { reason })
    log.error('the hot folder could not follow the settings', { reason: reasonOf(error) })
    await end(false)
  }

  /** @param handOver whether another station may have the folder now */
  async function end(handOver: boolean): Promise<void> {
    const ending = hotFolder
    hotFolder = undefined
    if (ending === undefined) return
    try {
      await ending.stop()
      if (handOver) await ending.handOver()
    } catch (error) {
      log.error('the hot folder could not be ended properly', { reason: reasonOf(error) })
    }
  }

  return {
    follow: (settings) => mutex(() => change(settings).catch(giveUp)),
    retry() {
      const { state, error } = deps.session.status()
      if (error === null || state === 'connected') hotFolder?.retry()
    },
    status() {
      if (failure !== null) return { state: 'trouble', message: failure.message, error: failure, waiting: 0 }
      const { state, message, error, waiting } = hotFolder?.status() ?? off
      return { state, message, error, waiting }
    },
    stop: () => mutex(() => end(false)),
  }
}

const off: AppStatus['hotFolder'] = { state: 'off', message: null, error: null, waiting: 0 }

function orderShipping({ shipping, history, printing, store, session }: HotFolderServiceDeps): OrderShipping {
  return {
    create: (request) => shipping.create(request),
    findBlocker: (reference) => findBlockerOf(reference, store),
    accountRefused() {
      const { error } = session.status()
      // Neither ends by itself for this order alone: the files wait for a person.
      return error?.code === 'account-refused' || error?.code === 'vault-locked' ? error : undefined
    },
    findAttempt: (attemptId) => history.findAttempt(attemptId),
    details: (shipmentId) => history.getDetails(shipmentId),
    endedJobs: (shipmentId) => printing.whenJobsEnded(shipmentId),
  }
}

async function findBlockerOf(reference: string, store: ShipmentRepository): Promise<AppError | undefined> {
  const blocker = findBlocker(await store.listEarlier(reference))
  return blocker === undefined ? undefined : blockerError(blocker)
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
