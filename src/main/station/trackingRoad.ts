import type { Language } from '../../shared/settings'
import type { ShipmentSummary } from '../../shared/shipment'
import type { WatchStatus } from '../../shared/trackingBoard'
import type { BulkProgress } from '../../shared/trackingBulk'
import type { CarrierClient } from '../carrier/carrierClient'
import type { Session } from '../credentials/session'
import type { Log } from '../log/log'
import type { SettingsStore } from '../settings/settingsStore'
import type { Database } from '../storage/database'
import { createParcelRepository } from '../storage/parcelRepository'
import { createTrackingBoard, type TrackingBoard } from '../tracking/board'
import { type BulkTracking, createBulkTracking } from '../tracking/bulk'
import { createLookup, type Lookup, type TrackingService } from '../tracking/lookup'
import type { NewTrouble, ParcelStore } from '../tracking/ports'
import { createTiming } from '../tracking/timing'
import { createWatch, type Watch, type WatchParts } from '../tracking/watch'
import type { ServiceHealth } from './serviceHealth'

/** What the features of tracking need of the station. */
export interface TrackingRoadParts {
  database: Database
  settings: SettingsStore
  session: Session
  carrier: CarrierClient
  health: ServiceHealth
  log: Log
  now: () => Date
  newId: () => string
  onBulkProgress(progress: BulkProgress): void
  onWatchChange(status: WatchStatus): void
  onNewTroubles(troubles: readonly NewTrouble[], language: Language): void
}

/** The features of tracking, wired to session and client. */
export interface TrackingRoad {
  parcels: ParcelStore
  lookup: Lookup
  bulk: BulkTracking
  watch: Watch
  board: TrackingBoard
  /** Starts watching the barcodes of a shipment; the next round makes up for it when that fails. */
  watchShipment(shipmentId: string): void
}

/** Joins tracking to session, client and storage. Nothing is asked yet. */
export function wireTracking(parts: TrackingRoadParts): TrackingRoad {
  const { settings, session, carrier, health, log, now } = parts
  const parcels = createParcelRepository(parts.database)
  const timing = createTiming(now)
  const trackMany: WatchParts['trackMany'] = async (codes, options) =>
    health.noting(await session.call((connection) => carrier.trackMany(connection, codes, options)))
  const trackOne: TrackingService['trackOne'] = async (code, options) =>
    health.noting(await session.call((connection) => carrier.trackOne(connection, code, options)))
  const tracking = () => settings.current().tracking
  const language = () => settings.current().language
  const watch = createWatch({
    parcels,
    trackMany,
    settings: tracking,
    language,
    hasAccount: () => session.status().state !== 'none' && session.status().state !== 'locked',
    isOffline: () => health.current().state === 'unreachable',
    timing,
    log,
    onChange: parts.onWatchChange,
    notify: (troubles) => parts.onNewTroubles(troubles, language()),
  })
  return {
    parcels,
    lookup: createLookup({ trackOne }, parcels, now),
    bulk: createBulkTracking({
      trackMany,
      parcels,
      settings: tracking,
      timing,
      newId: parts.newId,
      log,
      onProgress: parts.onBulkProgress,
    }),
    watch,
    board: createTrackingBoard({ parcels, watch, settings: tracking, now }),
    watchShipment(shipmentId) {
      parcels.enrol(shipmentId).then(
        () => parts.onWatchChange(watch.status()),
        (error: unknown) => log.error('a shipment could not be watched', { reason: String(error) }),
      )
    },
  }
}

/** Whether a shipment has barcodes that the station should follow. */
export function isWorthWatching(shipment: ShipmentSummary): boolean {
  return shipment.state === 'created' || shipment.settlement?.verdict === 'exists'
}
