import type { ShipmentDraft } from '../../shared/shipment'
import { askedOf, type CarrierConnection, operationPath } from './connection'
import type { CreationOutcome } from './creationOutcome'
import type { Discretion } from './discretion'
import { readOutcome, unknownOutcome } from './readOutcome'
import { type KeepAnswer, type LabelDelivery, takeIn } from './receivedAnswer'
import { transportError } from './serviceError'
import { shipmentToWire } from './shipmentWire'
import type { Transport } from './transport'

/** Labels are inside: several of 20 MB each may come in one answer. */
const mostAnswerBytes = 64 * 1024 * 1024

/**
 * Creates a shipment (spec: Create shipment): one request, never repeated. `refused` only when the shipment provably
 * does not exist; whatever leaves a doubt is `unknown`.
 * @param keep puts the answer on the disk before anybody judges it: see `ReceivedAnswer`
 */
export async function createShipment(
  transport: Transport,
  connection: CarrierConnection,
  draft: ShipmentDraft,
  delivery: LabelDelivery,
  discretion: Discretion,
  keep: KeepAnswer,
): Promise<CreationOutcome> {
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
    const error = transportError(exchanged.error, connection.baseUrl)
    return exchanged.error.kind === 'not-sent' ? { kind: 'refused', error } : unknownOutcome(error)
  }
  const received = takeIn(exchanged.value, { connection, delivery }, discretion)
  await keep(received)
  return readOutcome(received, askedOf(connection, discretion.redact).redact)
}
