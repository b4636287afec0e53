import type { PrintJob } from '../../shared/printing'
import type { Label, ShipmentDetails, ShipmentSummary } from '../../shared/shipments'
import type { LabelRecord, ShipmentRecord } from './repository'
import { trackingLinkHost } from './trackingLink'

/** The row of the history for a shipment, with its own labels and print jobs. */
export function summaryOf(record: ShipmentRecord, labels: LabelRecord[], jobs: PrintJob[]): ShipmentSummary {
  return {
    id: record.id,
    reference: record.reference,
    state: record.state,
    resolution: record.resolution,
    origin: record.origin,
    takenAt: record.takenAt,
    recipient: record.recipient,
    city: record.city,
    country: record.country,
    carrierOptionId: record.carrierOptionId,
    barcodes: record.barcodes,
    needsAttention: record.needsAttention,
    print: record.print,
    labels: labels.map(labelOf),
    jobs,
  }
}

/** Everything the screen may see of a shipment: no label URL, and of the tracking link only its host. */
export function detailsOf(record: ShipmentRecord, labels: LabelRecord[], jobs: PrintJob[]): ShipmentDetails {
  return {
    ...summaryOf(record, labels, jobs),
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

function labelOf(record: LabelRecord): Label {
  return {
    id: record.id,
    position: record.position,
    barcode: record.barcode,
    kind: record.kind,
    byteLength: record.byteLength,
    problem: record.problem,
    ...(record.closed !== undefined && { closed: record.closed }),
  }
}
