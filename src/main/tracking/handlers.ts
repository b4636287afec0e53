import type { HandlersOf, MethodInput } from '../../shared/bridge'
import { ok } from '../../shared/result'
import type { LookUp, trackingMethods } from '../../shared/tracking'
import type { BulkTracking } from './bulk'
import type { ParcelRepository } from './repository'
import type { TrackingTables } from './trackingTables'
import type { TrackingBoard, Watch } from './watch'

export interface TrackingHandlerDeps {
  /** See `lookUp` in lookup.ts. */
  lookUp(asked: MethodInput<'trackCode'>): Promise<LookUp>
  parcels: ParcelRepository
  bulk: BulkTracking
  watch: Watch
  board: TrackingBoard
  trackingTables: TrackingTables
}

/** The handlers of tracking: one code, many codes, and the board. */
export function createTrackingHandlers(deps: TrackingHandlerDeps): HandlersOf<typeof trackingMethods> {
  const { lookUp, parcels, bulk, watch, board, trackingTables: tables } = deps
  return {
    trackCode: async (asked) => ok(await lookUp(asked)),
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
      tables.copy(rows.value, names)
      return ok(undefined)
    },
    chooseCodesFile: () => tables.choose(),
    readCodesFile: ({ name, content }) => tables.read(name, content),
    getTrackingBoard: async () => ok(await board.getBoard()),
    listWatchedParcels: async (wanted) => ok(await board.listParcels(wanted)),
    askWatchedParcels: async () => ok(await watch.askNow()),
    listSeenStatuses: async () => ok(await parcels.listSeenStatuses()),
  }
}
