import type { Deviation } from './checker'
import type { LabelStyle, ShipmentInput, ShipmentStore, StoredShipment } from './shipmentStore'
import type { JsonObject } from './wire'

const maxPackages = 99

/** A shipment creation request. */
interface CreationRequest {
  input: ShipmentInput
  deviations: readonly Deviation[]
  /** DO=Y: the answer contains the labels. */
  direct: boolean
  style: LabelStyle
  at: Date
  /** Scheme, host and port for the URLs in the answer. */
  origin: string
}

/** The answer to a shipment creation, and the shipment when there is one. */
interface Creation {
  answer: JsonObject
  shipment?: StoredShipment
}

function problem({ input, deviations }: CreationRequest): string | undefined {
  const wrong = deviations.find(({ kind }) => kind === 'wrongType' || kind === 'notJson')
  if (wrong !== undefined) return wrong.message
  const count = input.number_of_packages
  if (Number.isInteger(count) && count >= 1 && count <= maxPackages) return undefined
  return `number_of_packages must be a whole number from 1 to ${maxPackages}`
}

/**
 * Creates a shipment (spec, Endpoints 2). Tolerates missing and unknown fields; refuses wrongly typed ones. Accepts repeated
 * references, because the specification does not promise to reject them.
 */
export async function createShipment(request: CreationRequest, store: ShipmentStore): Promise<Creation> {
  const reason = problem(request)
  if (reason !== undefined) return { answer: refusedShipment(request.direct, reason) }
  const shipment = await store.create(request.input, request.at, request.style)
  const answer = request.direct ? directLabelAnswer(shipment) : shipmentAnswer(shipment, request.origin)
  return { answer, shipment }
}

/** The `DO=Y` answer (spec, Direct label response): one element of `labels` per package. */
function directLabelAnswer(shipment: StoredShipment): JsonObject {
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
function shipmentAnswer(shipment: StoredShipment, origin: string): JsonObject {
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
 * A refusal of a shipment creation. The specification shows no failure bodies: this one has the fields that clients must check
 * (`status`, or `state` and `Errors`).
 */
export function refusedShipment(direct: boolean, reason: string): JsonObject {
  return direct
    ? { status: false, message: reason, Errors: reason, labels: [], shipmentID: '', SubLogID: '' }
    : { state: 'false', message: '', Errors: reason, ActionName: 101 }
}
