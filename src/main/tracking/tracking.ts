import type { HandlersOf } from '../../shared/bridge'
import { ok } from '../../shared/result'
import type { TrackingOptions, trackingMethods } from '../../shared/tracking'
import type { Session } from '../account/session'
import type { CarrierGateway, ServiceHealth } from '../carrier/gateway'
import type { Desktop } from '../lib/desktop'
import type { EventBus } from '../lib/eventBus'
import type { Log } from '../log/log'
import type { SettingsStore } from '../settings/settingsStore'
import type { Database } from '../storage/database'
import { BulkTracking } from './bulk'
import { createTiming } from './chunks'
import { type LookUpDeps, lookUp, lookUpCode } from './lookup'
import { ParcelRepository } from './repository'
import { clipboardTable, createTrackingTables, type TrackingTablesDeps } from './trackingTables'
import { TrackingBoard, Watch } from './watch'

interface TrackingDeps {
  database: Database
  /** A separate connection, so that scanning the history does not delay creations. */
  reader: Database
  carrier: Pick<CarrierGateway, 'trackCode' | 'trackBulk'>
  session: Pick<Session, 'status'>
  health: Pick<ServiceHealth, 'current'>
  settings: Pick<SettingsStore, 'current'>
  historyRepository: LookUpDeps['shipments']
  shipmentRepository: LookUpDeps['shipmentRepository']
  sharedShipments: LookUpDeps['elsewhere']
  tables: TrackingTablesDeps['tables']
  desktop: Pick<Desktop, 'chooseTableFile' | 'saveFile' | 'copyText'>
  bus: EventBus
  log: Log
  now: () => Date
  newId: () => string
}

/** Tracking: single look-ups, bulk tracking, and the parcels that are watched until delivery. */
export function createTracking(deps: TrackingDeps) {
  const { carrier, session, health, bus, log, now, newId } = deps
  const parcels = new ParcelRepository(deps.database, deps.reader)
  const settings = () => deps.settings.current().tracking
  const asking = { parcels, trackBulk: carrier.trackBulk, timing: createTiming(now), settings, bus, log }
  const watch = new Watch({
    ...asking,
    language: () => deps.settings.current().language,
    hasAccount: () => !['none', 'locked'].includes(session.status().state),
    isOffline: () => health.current().state === 'unreachable',
  })
  const bulk = new BulkTracking({ ...asking, newId })
  const board = new TrackingBoard({ parcels, watch, settings, now })
  const { historyRepository: shipments, shipmentRepository, sharedShipments: elsewhere } = deps
  const lookingUp: LookUpDeps = { carrier, parcels, shipments, shipmentRepository, elsewhere, bus, log, now }
  const tables = createTrackingTables({ ...deps.desktop, tables: deps.tables, now })
  const handlers: HandlersOf<typeof trackingMethods> = {
    trackCode: async (asked) => ok(await lookUp(lookingUp, asked)),
    startBulkTracking: ({ codes, options }) => ok(bulk.start(codes, options)),
    resumeBulkTracking: ({ jobId }) => bulk.resume(jobId),
    cancelBulkTracking: ({ jobId }) => {
      bulk.cancel(jobId)
      return ok(undefined)
    },
    exportBulkTracking: async ({ jobId, codes, names, format }) => {
      const rows = bulk.getRows(jobId, codes)
      return rows.ok ? tables.save(rows.value, names, format) : rows
    },
    copyBulkTracking: ({ jobId, codes, names }) => {
      const rows = bulk.getRows(jobId, codes)
      if (!rows.ok) return rows
      deps.desktop.copyText(clipboardTable(rows.value, names))
      return ok(undefined)
    },
    chooseCodesFile: () => tables.choose(),
    readCodesFile: ({ name, content }) => deps.tables.read(name, Buffer.from(content)),
    getTrackingBoard: async () => ok(await board.getBoard()),
    listWatchedParcels: async (wanted) => ok(await board.listParcels(wanted)),
    askWatchedParcels: async () => ok(await watch.askNow()),
    listSeenStatuses: async () => ok(await parcels.listSeenStatuses()),
  }
  return {
    parcels,
    bulk,
    watch,
    board,
    lookUpCode: (code: string, options: TrackingOptions) => lookUpCode(lookingUp, code, options),
    handlers,
  }
}
