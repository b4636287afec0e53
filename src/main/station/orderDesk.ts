import { isAbsolute, join } from 'node:path'
import type { AppStatus } from '../../shared/appStatus'
import type { HotFolderSettings } from '../../shared/settings'
import type { Log } from '../log/log'
import { createHotFolder, type HotFolder } from '../orders/hotFolder'
import { createOrderFileRepository } from '../storage/orderFileRepository'
import type { DataFolder } from './dataFolder'
import type { Features } from './features'

/** Keeps the hot folder as the settings want it. */
export interface OrderDesk {
  /** Starts, moves or ends the hot folder after the settings changed. */
  follow(settings: HotFolderSettings | null): Promise<void>
  /** Something changed for the better: tries waiting files again. */
  retry(): void
  status(): AppStatus['hotFolder']
  stop(): Promise<void>
}

/** Makes the desk; no folder is touched before `follow`. */
export function createOrderDesk(
  features: Features,
  places: DataFolder,
  log: Log,
  now: () => Date,
): OrderDesk {
  const files = createOrderFileRepository(features.database)
  let hotFolder: HotFolder | undefined
  let following: HotFolderSettings | null = null
  let turn: Promise<void> = Promise.resolve()

  async function change(settings: HotFolderSettings | null): Promise<void> {
    if (settings?.path === following?.path && settings?.print === following?.print) return
    following = settings
    await hotFolder?.stop()
    hotFolder = undefined
    if (settings === null) return
    hotFolder = createHotFolder({
      folder: isAbsolute(settings.path) ? settings.path : join(places.root, settings.path),
      print: settings.print,
      shipping: {
        create: (request) => features.shipping.create(request),
        findAttempt: (attemptId) => features.shipping.findAttempt(attemptId),
        details: (shipmentId) => features.shipping.details(shipmentId),
        settledJobs: (shipmentId) => features.printing.whenSettled(shipmentId),
      },
      files,
      defaults: () => features.settings.current().shipmentDefaults,
      log,
      now,
    })
    await hotFolder.start()
  }

  return {
    follow(settings) {
      // One change after the other: two folders at once would take each other's files.
      turn = turn.then(() => change(settings))
      return turn
    },
    retry() {
      hotFolder?.retry()
    },
    status() {
      const status = hotFolder?.status()
      return status === undefined
        ? { state: 'off', message: null, waiting: 0 }
        : { state: status.state, message: status.message, waiting: status.waiting }
    },
    async stop() {
      await turn
      await hotFolder?.stop()
    },
  }
}
