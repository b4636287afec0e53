import type { PrintJob } from '../../shared/printing'
import type { EarlierShipment, ShipmentSummary } from '../../shared/shipments'
import { summaryOf } from './details'
import type { ShipmentRepository, ShipmentSearch } from './repository'

/** Looking back: finding shipments. */
export interface History {
  /** Newest first. */
  search(search: ShipmentSearch): Promise<{ shipments: ShipmentSummary[]; total: number }>
  /** Shipments of a reference that were not refused, newest first. */
  earlier(reference: string): Promise<EarlierShipment[]>
}

/**
 * Makes the history on top of the journal.
 * @param jobsOf the print jobs of shipments, oldest first
 */
export function createHistory(
  store: ShipmentRepository,
  jobsOf: (shipmentIds: readonly string[]) => Promise<PrintJob[]>,
): History {
  return {
    async search(search) {
      const { shipments, total } = await store.search(search)
      const ids = shipments.map(({ id }) => id)
      const labels = await store.listLabelsOfAll(ids)
      const jobs = await jobsOf(ids)
      const summaries = shipments.map((record) => {
        const ofRecord = ({ shipmentId }: { shipmentId: string }) => shipmentId === record.id
        return summaryOf(record, labels.filter(ofRecord), jobs.filter(ofRecord))
      })
      return { shipments: summaries, total }
    },
    async earlier(reference) {
      const records = await store.listEarlier(reference.trim())
      return records.map(({ id, state, takenAt, barcodes }) => ({ shipmentId: id, state, takenAt, barcodes }))
    },
  }
}
