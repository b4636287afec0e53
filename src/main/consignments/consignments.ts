import { join } from 'node:path'
import type { CarrierGateway } from '../carrier/gateway'
import type { EventBus } from '../lib/eventBus'
import type { Rasterizer } from '../printing/raster/rasterizer'
import type { SettingsStore } from '../settings/settingsStore'
import type { ShipmentRepository } from '../shipments/repository'
import type { Database } from '../storage/database'
import type { DataFolder } from '../storage/dataFolder'
import { type ConsignmentHandlerDeps, createConsignmentHandlers } from './handlers'
import type { LineWorker, OnChecked } from './lines/lineWorker'
import { Manifests } from './manifests'
import { ManifestRepository } from './repository'
import { PreAlerts, Submissions, Uploads } from './submissions'

export interface ConsignmentDeps {
  database: Database
  places: DataFolder
  /** Makes the worker that holds the lines of manifests, on their folder. */
  lineWorker(folder: string, onChecked: OnChecked): LineWorker
  carrier: Pick<CarrierGateway, 'open'>
  store: Pick<ShipmentRepository, 'find'>
  rasterizer: Rasterizer
  settings: Pick<SettingsStore, 'current'>
  desktop: Pick<ConsignmentHandlerDeps, 'saveFile'>
  bus: EventBus
  currentOperator: () => string | null
  now: () => Date
  newId: () => string
}

/** Manifests and pre-alerts of air waybills. */
export function createConsignments(deps: ConsignmentDeps) {
  const { bus, settings, store } = deps
  let isClosed = false
  let noted = Promise.resolve()
  const worker = deps.lineWorker(join(deps.places.root, 'manifests'), (manifestId, summary) => {
    if (isClosed) return
    bus.emit('manifestLinesChecked', { manifestId, summary })
    noted = noted.then(() => manifests.checked(manifestId, summary))
  })
  const manifestRepository = new ManifestRepository(deps.database)
  const common = { ...deps, repository: manifestRepository, worker }
  const manifests = new Manifests(common)
  const submissions = new Submissions({ ...common, manifests })
  const uploads = new Uploads({
    ...common,
    submissions,
    lockAgreed: () => settings.current().manifestLockAgreed,
  })
  const preAlerts = new PreAlerts({ ...common, submissions })
  const parts = { manifests, manifestRepository, submissions, uploads, preAlerts }
  return {
    ...parts,
    handlers: createConsignmentHandlers({ ...parts, store, saveFile: deps.desktop.saveFile }),
    /** Writes the lines that are not on the disk yet. */
    async close() {
      await worker.close()
      isClosed = true
      await noted
    },
  }
}
