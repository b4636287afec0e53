import type { MethodInput } from '../../shared/bridge'
import type { Result } from '../../shared/result'
import type { ShipmentSummary } from '../../shared/shipments'
import type { LookUp, TrackedCode, TrackingOptions } from '../../shared/tracking'
import type { Session } from '../account/session'
import type { CarrierGateway } from '../carrier/gateway'
import type { ServiceHealth } from '../carrier/serviceHealth'
import type { EventBus } from '../lib/eventBus'
import type { Log } from '../log/log'
import type { SettingsStore } from '../settings/settingsStore'
import { ShipmentRepository } from '../shipments/repository'
import type { Database } from '../storage/database'
import { BulkTracking } from '../tracking/bulk'
import { createTiming } from '../tracking/chunks'
import { lookUp, lookUpCode } from '../tracking/lookup'
import { ParcelRepository } from '../tracking/repository'
import { TrackingBoard, Watch } from '../tracking/watch'

/** What the features of tracking need of the station. */
export interface TrackingDeps {
  database: Database
  settings: SettingsStore
  session: Session
  carrier: CarrierGateway
  health: ServiceHealth
  log: Log
  now: () => Date
  newId: () => string
  bus: EventBus
}

/** The features of tracking, wired to the carrier gateway. */
export interface TrackingFeatures {
  parcels: ParcelRepository
  /** See `lookUpCode` in tracking/lookup.ts. */
  lookUpCode(code: string, options: TrackingOptions): Promise<Result<TrackedCode>>
  /** See `lookUp` in tracking/lookup.ts. */
  lookUp(asked: MethodInput<'trackCode'>): Promise<LookUp>
  bulk: BulkTracking
  watch: Watch
  board: TrackingBoard
  /** Starts watching the barcodes of a shipment; the next round makes up for it when that fails. */
  watchShipment(shipmentId: string): void
}

/** Joins tracking to the carrier gateway and storage. Nothing is asked yet. */
export function wireTracking(deps: TrackingDeps): TrackingFeatures {
  const { bus, settings, session, carrier, health, log, now } = deps
  const parcels = new ParcelRepository(deps.database)
  const timing = createTiming(now)
  const tracking = () => settings.current().tracking
  const language = () => settings.current().language
  const watch = new Watch({
    parcels,
    trackMany: carrier.trackMany,
    settings: tracking,
    language,
    hasAccount: () => session.status().state !== 'none' && session.status().state !== 'locked',
    isOffline: () => health.current().state === 'unreachable',
    timing,
    log,
    onChange: (status) => bus.emit('watchedParcelsChanged', status),
    notify: (parcels) => bus.emit('parcelsInTrouble', { parcels, language: language() }),
  })
  return {
    parcels,
    lookUpCode: (code, options) => lookUpCode({ carrier, parcels, now }, code, options),
    lookUp: (asked) =>
      lookUp(
        {
          carrier,
          parcels,
          now,
          shipments: new ShipmentRepository(deps.database),
          onKnown: (lookUpId, known) => bus.emit('lookUpProgressed', { lookUpId, lookUp: known }),
        },
        asked,
      ),
    bulk: new BulkTracking({
      trackMany: carrier.trackMany,
      parcels,
      settings: tracking,
      timing,
      newId: deps.newId,
      log,
      onProgress: (progress) => bus.emit('bulkTrackingProgressed', progress),
    }),
    watch,
    board: new TrackingBoard({ parcels, watch, settings: tracking, now }),
    watchShipment(shipmentId) {
      parcels.enrol(shipmentId).then(
        () => bus.emit('watchedParcelsChanged', watch.status()),
        (error: unknown) => log.error('a shipment could not be watched', { reason: String(error) }),
      )
    },
  }
}

/** Whether a shipment has barcodes that the station should follow. */
export function isWorthWatching(shipment: ShipmentSummary): boolean {
  return shipment.state === 'created' || shipment.resolution?.verdict === 'exists'
}
