import { ok, type Result } from '../../shared/result'
import type { Features } from '../app/compose'
import type { TrackingTables } from '../tracking/trackingTables'
import type { Handlers } from './registrar'

type TrackingMethods =
  | 'trackCode'
  | 'startBulkTracking'
  | 'resumeBulkTracking'
  | 'cancelBulkTracking'
  | 'exportBulkTracking'
  | 'copyBulkTracking'
  | 'chooseCodesFile'
  | 'readCodesFile'
  | 'getTrackingBoard'
  | 'listWatchedParcels'
  | 'askWatchedParcels'
  | 'listSeenStatuses'

type OnFeatures = <T>(run: (features: Features) => Promise<Result<T>> | Result<T>) => Promise<Result<T>>

/** The handlers of tracking: one code, many codes, and the board. */
export function trackingHandlers(on: OnFeatures, tables: TrackingTables): Pick<Handlers, TrackingMethods> {
  return {
    trackCode: (asked) => on(async (features) => ok(await features.lookUp(asked))),
    startBulkTracking: ({ codes, options }) => on((features) => ok(features.bulk.start(codes, options))),
    resumeBulkTracking: ({ jobId }) => on((features) => features.bulk.resume(jobId)),
    cancelBulkTracking: ({ jobId }) =>
      on((features) => {
        features.bulk.cancel(jobId)
        return ok(undefined)
      }),
    exportBulkTracking: ({ jobId, codes, names, format }) =>
      on(async (features) => {
        const rows = features.bulk.getRows(jobId, codes)
        return rows.ok ? tables.save(rows.value, names, format) : rows
      }),
    copyBulkTracking: ({ jobId, codes, names }) =>
      on((features) => {
        const rows = features.bulk.getRows(jobId, codes)
        if (!rows.ok) return rows
        tables.copy(rows.value, names)
        return ok(undefined)
      }),
    chooseCodesFile: () => tables.choose(),
    readCodesFile: ({ name, content }) => tables.read(name, content),
    getTrackingBoard: () => on(async (features) => ok(await features.board.getBoard())),
    listWatchedParcels: (wanted) => on(async (features) => ok(await features.board.listParcels(wanted))),
    askWatchedParcels: () => on(async (features) => ok(await features.watch.askNow())),
    listSeenStatuses: () => on(async (features) => ok(await features.parcels.listSeenStatuses())),
  }
}
