import type { EventBus } from '../lib/eventBus'
import { createMutex } from '../lib/mutex'
import type { Log } from '../log/log'
import type { Database, OpenDatabase } from '../storage/database'
import type { DataFolder } from '../storage/dataFolder'
import { createShipmentHandlers, type ShipmentHandlerDeps } from './handlers'
import { createHistory, type HistoryDeps, SearchTexts } from './history'
import { HistoryRepository } from './historyRepository'
import { createLabelFiles } from './labelFiles'
import { createLabelIntake, reencryptLabelUrls, type UrlCipher } from './labelIntake'
import { createLabelSource } from './labelSource'
import { RebuildRepository } from './rebuildRepository'
import { ShipmentRepository } from './repository'
import { RetentionRepository } from './retentionRepository'
import { createShipping, type ShippingDeps } from './shipping'

interface LabelStoreDeps {
  database: OpenDatabase
  /** Another connection: looking back holds up no creation. */
  reader: Database
  places: DataFolder
  urlCipher: UrlCipher
  log: Log
  bus: EventBus
  now: () => Date
  newId: () => string
}

/** The journal of shipments, and their labels on the disk. */
export function createLabelStore(deps: LabelStoreDeps) {
  const { urlCipher, log } = deps
  const store = new ShipmentRepository(deps.database, deps.reader)
  const files = createLabelFiles(deps.places.labels)
  const intake = createLabelIntake({ ...deps, files })
  // One after the other: the last one sees how secrets may be kept in the end.
  const reencrypting = createMutex()
  return {
    store,
    past: new HistoryRepository(deps.database, deps.reader),
    retention: new RetentionRepository(deps.database, deps.reader),
    rebuild: new RebuildRepository(deps.database),
    files,
    intake,
    labels: createLabelSource({ store, files, intake, log }),
    reencryptLabelUrls: () =>
      reencrypting(() => reencryptLabelUrls({ store, files, intake, urlCipher, log })),
  }
}

/** Creating shipments, and looking back at them. */
export function createShipments(
  deps: HistoryDeps & Omit<ShippingDeps, 'history'> & Omit<ShipmentHandlerDeps, 'history' | 'shipping'>,
) {
  const history = createHistory(deps)
  const shipping = createShipping({ ...deps, history })
  const handlers = createShipmentHandlers({ ...deps, history, shipping })
  return { history, searchTexts: new SearchTexts(deps.past, deps.log), shipping, handlers }
}
