import type { JsonObject } from '../json'
import type { StoredShipment } from './shipmentStore'

/** The `DO=Y` answer (spec, Direct label response): one element of `labels` per package. */
export function directLabelAnswer(shipment: StoredShipment): JsonObject {
  const carrierId = String(shipment.option.carrierId)
  const carrierOptionId = String(shipment.option.carrierOptionId)
  const shipmentId = String(shipment.id)
  return {
    status: true,
    labels: shipment.parcels.map(({ barcode, label }) => ({
      barcode,
      labeltype: shipment.labelFormat,
      encodeType: 'base64',
      content: Buffer.from(label).toString('base64'),
      carrierId,
      carrierOptionId,
      shipmentId,
    })),
    shipmentID: shipmentId,
    SubLogID: `SUB${shipmentId}`,
  }
}

/**
 * The `DO=N` answer (spec, Shipment-creation response). With several packages `Barcode` is the first one's and `url`
 * holds all labels, a page each.
 * @param origin scheme, host and port that `url` and `trace` begin with
 */
export function shipmentAnswer(shipment: StoredShipment, origin: string): JsonObject {
  const [first] = shipment.parcels
  return {
    state: 'true',
    message: 'Shipment created',
    Errors: '',
    ActionName: 101,
    carrierId: String(shipment.option.carrierId),
    carrierOptionId: String(shipment.option.carrierOptionId),
    logId: String(shipment.id),
    parcelInformation: shipment.option.limits,
    Pricing: null,
    trace: `${origin}/track/${first.barcode}`,
    zpl: shipment.labelFormat === 'zpl' ? Buffer.from(first.label).toString('utf8') : '',
    ZendingID: shipment.id,
    Barcode: first.barcode,
    url: `${origin}/labels/${shipment.labelToken}`,
  }
}

/**
 * A refusal of a shipment creation. Failure bodies are not shown in the specification: this keeps the fields that a
 * client is told to check (`status`, or `state` and `Errors`).
 */
export function refusedShipment(direct: boolean, reason: string): JsonObject {
  return direct
    ? { status: false, message: reason, Errors: reason, labels: [], shipmentID: '', SubLogID: '' }
    : { state: 'false', message: '', Errors: reason, ActionName: 101 }
}
