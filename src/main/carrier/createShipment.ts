import { type AppError, appError } from '../../shared/errors'
import type { ShipmentDraft } from '../../shared/shipment'
import { askedOf, type CarrierConnection, operationPath } from './connection'
import { barcodesIn, judgeCreation, namesShipment, readCreation } from './creationAnswer'
import type { CreationOutcome } from './creationOutcome'
import type { HttpAnswer } from './exchange'
import { asRecord, type JsonRecord, parseJson } from './lenientJson'
import {
  type AskedOf,
  notUnderstood,
  refusal,
  refusesByStatus,
  statusError,
  transportError,
} from './serviceError'
import { shipmentToWire } from './shipmentWire'
import type { Transport } from './transport'

/** Labels are inside: several of 20 MB each may come in one answer. */
const mostAnswerBytes = 64 * 1024 * 1024

/** The label in the answer (`DO=Y`), or an answer that says where it can be fetched (`DO=N`). */
export type LabelDelivery = 'in-answer' | 'by-url'

/**
 * Creates a shipment (spec: Create shipment): one request, never repeated. `refused` only when the shipment provably
 * does not exist; whatever leaves a doubt is `unknown`.
 */
export async function createShipment(
  transport: Transport,
  connection: CarrierConnection,
  draft: ShipmentDraft,
  delivery: LabelDelivery,
): Promise<CreationOutcome> {
  const asked = askedOf(connection)
  const exchanged = await transport.sendAlone({
    method: 'POST',
    origin: connection.baseUrl.origin,
    path: operationPath(connection, 'action', ['101'], {
      o: 'JSON',
      DO: delivery === 'in-answer' ? 'Y' : 'N',
    }),
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(shipmentToWire(draft)),
    maxAnswerBytes: mostAnswerBytes,
  })
  if (!exchanged.ok) {
    const error = transportError(exchanged.error, asked)
    return exchanged.error.kind === 'not-sent' ? { kind: 'refused', error } : unknown(error)
  }
  return outcomeOf(exchanged.value, connection.apiKey, asked)
}

function outcomeOf(
  { status, body, receivedAt }: HttpAnswer,
  apiKey: string,
  asked: AskedOf,
): CreationOutcome {
  const answer = asRecord(parseJson(body))
  if (status < 200 || status > 299) {
    const error = statusError(status, body, asked)
    const provable = refusesByStatus(status) && (answer === undefined || !namesShipment(answer))
    return provable ? { kind: 'refused', error } : unknown(error, answer)
  }
  if (answer === undefined) {
    return unknown(notUnderstood(asked.host, 'it is not a JSON object, or it is cut off'))
  }
  switch (judgeCreation(answer)) {
    case 'accepted':
      return { kind: 'created', creation: readCreation(answer, apiKey), receivedAt }
    case 'denied':
      return { kind: 'refused', error: refusal(answer, asked) }
    case 'unclear': {
      const { details } = refusal(answer, asked)
      const error = notUnderstood(asked.host, 'it does not say clearly whether the shipment was created')
      return unknown({ ...error, details: { ...error.details, ...details } }, answer)
    }
  }
}

/** Tracking numbers in a doubtful answer help the person who has to find out what became of the shipment. */
function unknown(error: AppError, answer?: JsonRecord): CreationOutcome {
  const barcodes = answer === undefined ? [] : barcodesIn(answer)
  const message = `${error.message} The shipment may exist: look it up at the carrier, then settle it here.`
  const named: Record<string, string> = barcodes.length === 0 ? {} : { barcodes: barcodes.join(', ') }
  return { kind: 'unknown', error: appError(error.code, message, { ...error.details, ...named }) }
}
