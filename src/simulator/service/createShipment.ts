import type { Deviation } from '../checker/deviation'
import type { JsonObject } from '../json'
import { directLabelAnswer, refusedShipment, shipmentAnswer } from './shipmentAnswers'
import type { ShipmentInput } from './shipmentInput'
import type { LabelStyle, ShipmentStore, StoredShipment } from './shipmentStore'

const MAX_PACKAGES = 99

/** A shipment creation as the service sees it. */
interface CreationRequest {
  input: ShipmentInput
  deviations: readonly Deviation[]
  /** DO=Y: the answer holds the labels. */
  direct: boolean
  style: LabelStyle
  at: Date
  /** Scheme, host and port for the URLs in the answer. */
  origin: string
}

/** The answer to a shipment creation, and the shipment when there is one. */
export interface Creation {
  answer: JsonObject
  shipment?: StoredShipment
}

function problem({ input, deviations }: CreationRequest): string | undefined {
  const wrong = deviations.find(({ kind }) => kind === 'wrongType' || kind === 'notJson')
  if (wrong !== undefined) return wrong.message
  const count = input.number_of_packages
  if (Number.isInteger(count) && count >= 1 && count <= MAX_PACKAGES) return undefined
  return `number_of_packages must be a whole number from 1 to ${MAX_PACKAGES}`
}

/**
 * Creates a shipment (spec, Endpoints 2). What can be understood is taken; wrongly typed fields are refused. The same
 * reference may come again: the specification gives no guarantee against it.
 */
export async function createShipment(request: CreationRequest, store: ShipmentStore): Promise<Creation> {
  const reason = problem(request)
  if (reason !== undefined) return { answer: refusedShipment(request.direct, reason) }
  const shipment = await store.create(request.input, request.at, request.style)
  const answer = request.direct ? directLabelAnswer(shipment) : shipmentAnswer(shipment, request.origin)
  return { answer, shipment }
}
