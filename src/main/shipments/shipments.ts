import type { HandlersOf, MethodInput } from '../../shared/bridge'
import { appError } from '../../shared/errors'
import type { historyMethods, ReportFormat, ShippingReport } from '../../shared/history'
import { err, ok, type Result } from '../../shared/result'
import { nameCarrierOptions } from '../../shared/settings'
import type { shipmentMethods } from '../../shared/shipments'
import { createMutex } from '../lib/async'
import type { Desktop } from '../lib/desktop'
import type { EventBus } from '../lib/eventBus'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { SettingsStore } from '../settings/settingsStore'
import type { Database, OpenDatabase } from '../storage/database'
import type { DataFolder } from '../storage/dataFolder'
import { createHistory, type History, type HistoryDeps } from './history'
import { HistoryRepository } from './historyRepository'
import { createLabelSource } from './labelSource'
import { RebuildRepository } from './rebuildRepository'
import { createReceivedAnswers, reencryptLabelUrls, type UrlCipher } from './receivedAnswers'
import { makeShippingReport } from './report'
import type { ReportContent } from './reportFile'
import { ShipmentRepository } from './repository'
import { RetentionRepository } from './retentionRepository'
import { SearchTexts } from './searchTexts'
import type { SharedShipments } from './sharedShipments'
import { createShipmentFiles } from './shipmentFiles'
import { createShipping, type Shipping, type ShippingDeps } from './shipping'

interface ShipmentJournalDeps {
  database: OpenDatabase
  /** A second connection, so that searching the history does not delay a creation. */
  reader: Database
  places: DataFolder
  urlCipher: UrlCipher
  log: Log
  bus: EventBus
  now: () => Date
  newId: () => string
}

/** Constructs the journal of shipments and the files of each. */
export function createShipmentJournal(deps: ShipmentJournalDeps) {
  const { urlCipher, log } = deps
  const shipmentRepository = new ShipmentRepository(deps.database, deps.reader)
  const files = createShipmentFiles(deps.places.labels)
  const receivedAnswers = createReceivedAnswers({ ...deps, files })
  // One run at a time: the last one uses the final way of storing secrets.
  const reencrypting = createMutex()
  return {
    shipmentRepository,
    historyRepository: new HistoryRepository(deps.database, deps.reader),
    retention: new RetentionRepository(deps.database, deps.reader),
    rebuild: new RebuildRepository(deps.database),
    files,
    receivedAnswers,
    stationLabels: createLabelSource({ shipmentRepository, files, receivedAnswers, log }),
    reencryptLabelUrls: () =>
      reencrypting(() => reencryptLabelUrls({ shipmentRepository, files, receivedAnswers, urlCipher, log })),
  }
}

export function createShipments(
  deps: HistoryDeps &
    Omit<ShippingDeps, 'history'> &
    Omit<ShipmentHandlerDeps, 'history' | 'shipping'> & { bus: Pick<EventBus, 'on'> },
) {
  const history = createHistory(deps)
  const shipping = createShipping({ ...deps, history })
  const handlers = createShipmentHandlers({ ...deps, history, shipping })
  return {
    history,
    searchTexts: new SearchTexts(deps.historyRepository, deps.bus, deps.log),
    shipping,
    handlers,
  }
}

interface ShipmentHandlerDeps {
  shipping: Shipping
  history: History
  historyRepository: HistoryRepository
  shipmentRepository: Pick<ShipmentRepository, 'find' | 'findLimits'>
  settings: Pick<SettingsStore, 'current' | 'belongsToFleet'>
  sharedShipments: Pick<SharedShipments, 'find' | 'isMember' | 'report'>
  /** Runs `makeReportFile` in a worker thread. Rejects when the file can't be made. */
  tables: { makeReport(content: ReportContent, format: ReportFormat): Promise<Uint8Array> }
  desktop: Pick<Desktop, 'openInBrowser' | 'saveFile'>
  now(): Date
}

function createShipmentHandlers(
  deps: ShipmentHandlerDeps,
): HandlersOf<typeof shipmentMethods & typeof historyMethods> {
  const {
    shipping,
    history,
    historyRepository,
    shipmentRepository,
    tables,
    desktop,
    settings,
    sharedShipments,
    now,
  } = deps
  async function makeReport({
    from,
    to,
    stations,
  }: MethodInput<'getShippingReport'>): Promise<Result<ShippingReport>> {
    if (stations === 'all' && sharedShipments.isMember()) return sharedShipments.report(from, to)
    return ok(await makeShippingReport(historyRepository, from, to))
  }
  return {
    createShipment: (input) => shipping.create({ ...input, origin: 'screen', print: true, takenAt: now() }),
    findEarlierShipments: async ({ reference }) => ok(await history.listEarlier(reference)),
    getShipment: ({ shipmentId }) => history.getDetails(shipmentId),
    resolveShipment: ({ shipmentId, ...found }) =>
      shipping.resolveUnknown(shipmentId, found.verdict, found.verdict === 'exists' ? found.barcode : null),
    fetchLabels: ({ shipmentId }) => shipping.completeLabels(shipmentId, true),
    closeLabelProblems: ({ shipmentId, reason }) => shipping.closeLabelProblems(shipmentId, reason),
    noteCancellation: ({ shipmentId, note }) => shipping.noteCancellation(shipmentId, note),
    openTrackingLink: async ({ shipmentId }) => {
      const shipment = await shipmentRepository.find(shipmentId)
      const elsewhere = shipment === undefined ? await sharedShipments.find(shipmentId) : undefined
      const shared = elsewhere?.ok === true ? elsewhere.value?.record : undefined
      const link = (shipment ?? shared)?.trackingUrl ?? null
      if (link !== null && (await desktop.openInBrowser(link))) return ok(undefined)
      return err(appError('no-tracking-link'))
    },
    getCarrierLimits: async (option) => ok(await shipmentRepository.findLimits(option)),
    searchShipments: async (search) => ok(await history.search(search)),
    findLabelToScan: async () => ok((await historyRepository.findUnscanned()) ?? null),
    findLabelToReprint: async () => ok((await historyRepository.findLastLabelled()) ?? null),
    listHistoryChoices: async ({ stations }) => ok(await history.listChoices(stations)),
    getShippingReport: makeReport,
    async saveShippingReport({ format, ...period }) {
      const { from, to } = period
      const report = await makeReport(period)
      if (!report.ok) return report
      const { carriers, language } = settings.current()
      const carrierOptions = Object.fromEntries(nameCarrierOptions(carriers))
      const fileName = `shipments-${[...new Set([from, to])].join('-to-')}.${format}`
      try {
        const bytes = await tables.makeReport({ report: report.value, carrierOptions, language }, format)
        return desktop.saveFile(fileName, bytes)
      } catch (error) {
        return err(appError('export-not-saved', { path: fileName, reason: toReason(error) }))
      }
    },
  }
}
