import type { HandlersOf } from '../../shared/bridge'
import { ok } from '../../shared/result'
import type { UpdateHold, updateMethods } from '../../shared/updates'
import type { Batches } from '../batch/batches'
import type { EventBus } from '../lib/eventBus'
import { toReason } from '../lib/toReason'
import type { Network } from '../network/network'
import type { SettingsStore } from '../settings/settingsStore'
import type { Shipping } from '../shipments/shipping'
import type { Database } from '../storage/database'
import { countOpenWork } from './repository'
import { type UpdateMethod, Updater, type UpdaterDeps } from './updater'

interface CreateUpdatesDeps extends Pick<UpdaterDeps, 'channelsFile' | 'log' | 'now'> {
  updateMethod: UpdateMethod
  settings: Pick<SettingsStore, 'current'>
  network: Pick<Network, 'dispatcher'>
  database: Database
  batches: Pick<Batches, 'current'>
  shipping: Pick<Shipping, 'diskError'>
  places: { updates: string }
  bus: EventBus
}

export function createUpdates(deps: CreateUpdatesDeps) {
  const { settings, database, batches, shipping, bus, log } = deps

  /** Why the app may not be ended now; null when nothing would be interrupted or forgotten. */
  async function findHold() {
    const batch = await batches.current()
    return mayUpdateNow({
      ...(await countOpenWork(database)),
      isBatchRunning: batch?.state === 'running' || batch?.state === 'stopping',
      areLabelsInMemory: shipping.diskError() !== undefined,
    })
  }

  const updater = new Updater({
    ...deps,
    method: deps.updateMethod,
    dispatcher: (timeoutMs) => deps.network.dispatcher(timeoutMs),
    settings: () => settings.current().updates,
    folder: deps.places.updates,
    findHold,
    onChange: () =>
      void updater.status().then(
        (status) => bus.emit('updateStatusChanged', status),
        (error: unknown) =>
          log.error('the update status could not be sent to the window', { reason: toReason(error) }),
      ),
  })

  const handlers: HandlersOf<typeof updateMethods> = {
    getUpdateStatus: async () => ok(await updater.status()),
    lookForUpdate() {
      // Not awaited: the download may take long, and events report its progress.
      void updater.look()
      return ok(undefined)
    },
    restartToUpdate: () => updater.restart(),
  }
  return { updater, handlers, findHold }
}

/** Unfinished work at a station. */
interface OpenWork {
  /** Shipments that are being created. */
  creating: number
  /** Labels being sent to a printer. */
  printing: number
  /** Shipments, uploads, pre-alerts and prints with an unresolved outcome. */
  unknown: number
  isBatchRunning: boolean
  /** Some labels are only in memory, since the disk refused them. */
  areLabelsInMemory: boolean
}

/** Why the app may not be replaced and restarted now; null when no work would be interrupted or lost. */
export function mayUpdateNow(open: OpenWork): UpdateHold | null {
  if (open.creating > 0) return 'shipping'
  if (open.areLabelsInMemory) return 'labels'
  if (open.isBatchRunning) return 'batch'
  if (open.printing > 0) return 'printing'
  if (open.unknown > 0) return 'unknown'
  return null
}
