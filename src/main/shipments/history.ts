import type { PrintJob } from '../../shared/printing'
import { err, ok, type Result } from '../../shared/result'
import type { EarlierShipment, Label, ShipmentDetails, ShipmentSummary } from '../../shared/shipments'
import type { PrintJobRepository } from '../printing/queue/repository'
import {
  type LabelRecord,
  type NewShipment,
  type ShipmentRecord,
  type ShipmentRepository,
  type ShipmentSearch,
  toRecipientName,
} from './repository'
import { notFound } from './shippingErrors'
import { trackingLinkHost } from './trackingLink'

/** Looking back: shipments as the screens show them. */
export type History = ReturnType<typeof createHistory>

/** Makes the history on top of the journal. */
export function createHistory(store: ShipmentRepository, jobs: Pick<PrintJobRepository, 'ofShipments'>) {
  /** Adds labels and print jobs to what the journal knows of a shipment. */
  async function loadDetails(record: ShipmentRecord): Promise<ShipmentDetails> {
    return toDetails(record, await store.listLabels(record.id), await jobs.ofShipments([record.id]))
  }

  return {
    loadDetails,

    /** @returns `shipment-not-found` when the history does not hold it any more */
    async getDetails(shipmentId: string): Promise<Result<ShipmentDetails>> {
      const record = await store.find(shipmentId)
      return record === undefined ? err(notFound(shipmentId)) : ok(await loadDetails(record))
    },

    async findAttempt(attemptId: string): Promise<ShipmentDetails | undefined> {
      const record = await store.findAttempt(attemptId)
      return record === undefined ? undefined : loadDetails(record)
    },

    /** Newest first. */
    async search(search: ShipmentSearch): Promise<{ shipments: ShipmentSummary[]; total: number }> {
      const { shipments, total } = await store.search(search)
      const ids = shipments.map(({ id }) => id)
      const labels = await store.listLabelsOfAll(ids)
      const printJobs = await jobs.ofShipments(ids)
      const summaries = shipments.map((record) => {
        const ofRecord = ({ shipmentId }: { shipmentId: string }) => shipmentId === record.id
        return toSummary(record, labels.filter(ofRecord), printJobs.filter(ofRecord))
      })
      return { shipments: summaries, total }
    },

    /** Shipments of a reference that were not refused, newest first. */
    async listEarlier(reference: string): Promise<EarlierShipment[]> {
      const records = await store.listEarlier(reference.trim())
      return records.map(({ id, state, takenAt, barcodes }) => ({ shipmentId: id, state, takenAt, barcodes }))
    },
  }
}

/** A shipment as it is shown while it is being created: nothing is known of it but its order. */
export function summarizeIntent({
  id,
  origin,
  operator,
  print,
  takenAt,
  draft,
}: NewShipment): ShipmentSummary {
  const { reference, city, country, carrierOptionId } = draft
  return {
    ...{ id, reference, state: 'intended', resolution: null, origin, takenAt },
    ...(operator && { operator }),
    ...{ recipient: toRecipientName(draft), city, country, carrierOptionId },
    ...{ barcodes: [], needsAttention: false, print, labels: [], jobs: [] },
  }
}

/** The row of the history for a shipment, with its own labels and print jobs. */
function toSummary(record: ShipmentRecord, labels: LabelRecord[], jobs: PrintJob[]): ShipmentSummary {
  return {
    id: record.id,
    reference: record.reference,
    state: record.state,
    resolution: record.resolution,
    origin: record.origin,
    ...(record.operator !== null && { operator: record.operator }),
    takenAt: record.takenAt,
    recipient: record.recipient,
    city: record.city,
    country: record.country,
    carrierOptionId: record.carrierOptionId,
    barcodes: record.barcodes,
    needsAttention: record.needsAttention,
    print: record.print,
    labels: labels.map(toLabel),
    jobs,
  }
}

/** Everything the screen may see of a shipment: no label URL, and of the tracking link only its host. */
function toDetails(record: ShipmentRecord, labels: LabelRecord[], jobs: PrintJob[]): ShipmentDetails {
  return {
    ...toSummary(record, labels, jobs),
    draft: record.draft,
    times: {
      taken: record.takenAt,
      requestSent: record.requestSentAt,
      responseReceived: record.responseReceivedAt,
      labelStored: record.labelStoredAt,
    },
    error: record.error,
    serviceShipmentId: record.serviceShipmentId,
    zendingId: record.zendingId,
    subLogId: record.subLogId,
    logId: record.logId,
    trackingLinkHost: trackingLinkHost(record.trackingUrl),
    serviceMessage: record.serviceMessage,
  }
}

function toLabel({ id, position, barcode, kind, byteLength, problem, closed }: LabelRecord): Label {
  return { id, position, barcode, kind, byteLength, problem, ...(closed !== undefined && { closed }) }
}
