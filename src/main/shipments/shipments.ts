import type { Result } from '../../shared/result'
import { createMutex } from '../lib/mutex'
import type { Log } from '../log/log'
import type { PrintJobRepository } from '../printing/queue/repository'
import type { SettingsStore } from '../settings/settingsStore'
import type { Database } from '../storage/database'
import type { DataFolder } from '../storage/dataFolder'
import { createShipmentHandlers, type ShipmentHandlerDeps } from './handlers'
import { createHistory, SearchTexts } from './history'
import { HistoryRepository } from './historyRepository'
import { createLabelFiles } from './labelFiles'
import { createLabelIntake, reencryptLabelUrls, type UrlCipher } from './labelIntake'
import { createLabelSource } from './labelSource'
import { RebuildRepository } from './rebuildRepository'
import type { FirstPrint } from './recordOutcome'
import { ShipmentRepository } from './repository'
import { RetentionRepository } from './retentionRepository'
import type { SharedShipments } from './sharedShipments'
import { createShipping, type ShippingDeps } from './shipping'

interface LabelStoreDeps {
  database: Database
  /** Another connection: looking back holds up no creation. */
  reader: Database
  places: DataFolder
  urlCipher: UrlCipher
  log: Log
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
    labels: createLabelSource(store, files, (label) => intake.restore(label)),
    reencryptLabelUrls: () =>
      reencrypting(() => reencryptLabelUrls({ store, files, intake, urlCipher, log })),
  }
}

interface ShipmentsDeps
  extends Omit<ShippingDeps, 'history' | 'delivery' | 'firstPrint' | 'checkOperator' | 'isOperatorSent'>,
    Pick<ShipmentHandlerDeps, 'tables' | 'past' | 'desktop'> {
  jobs: Pick<PrintJobRepository, 'ofShipments'>
  printing: FirstPrint
  people: { checkOperator(): Result<string | null> }
  settings: Pick<SettingsStore, 'current'>
  sharedShipments: SharedShipments
}

/** Creating shipments, and looking back at them. */
export function createShipments(deps: ShipmentsDeps) {
  const history = createHistory(deps.store, deps.past, deps.jobs, deps.sharedShipments)
  const shipping = createShipping({
    ...deps,
    history,
    firstPrint: deps.printing,
    delivery: () => deps.settings.current().labelDelivery,
    checkOperator: () => deps.people.checkOperator(),
    isOperatorSent: () => deps.settings.current().people.isSent,
  })
  const handlers = createShipmentHandlers({ ...deps, history, shipping })
  return { history, searchTexts: new SearchTexts(deps.past, deps.log), shipping, handlers }
}
