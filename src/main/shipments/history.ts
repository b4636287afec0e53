import type { EarlierShipment } from '../../shared/bridge'
import type { ShipmentSummary } from '../../shared/shipment'
import { summaryOf } from './details'
import type { ShipmentSearch, ShipmentStore } from './ports'

/** Looking back: finding shipments. */
export interface History {
  /** Newest first. */
  search(search: ShipmentSearch): Promise<{ shipments: ShipmentSummary[]; total: number }>
  /** Shipments of a reference that were not refused, newest first. */
  earlier(reference: string): Promise<EarlierShipment[]>
}

/** Makes the history on top of the journal. */
export function createHistory(store: ShipmentStore): History {
  return {
    search: (search) => store.search(search),
    async earlier(reference) {
      const records = await store.earlier(reference.trim())
      return records.map((record) => {
        const { id, state, takenAt, barcodes } = summaryOf(record)
        return { shipmentId: id, state, takenAt, barcodes }
      })
    },
  }
}
