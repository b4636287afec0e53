import type { ShipmentDraft } from '../../shared/shipments'
import { askedOf, type CarrierConnection, operationPath } from './connection'
import type { CreationOutcome } from './creationOutcome'
import type { Discretion } from './discretion'
import type { Transport } from './httpClient'
import { readOutcome, unknownOutcome, whatItNames } from './readOutcome'
import { type KeepAnswer, type LabelDelivery, takeIn, takeInCut } from './receivedAnswer'
import { transportError } from './serviceError'
import { shipmentToWire } from './shipmentCodec'

/**
 * Creates a shipment (spec: Create shipment): one request, never repeated. `refused` only when the shipment provably
 * does not exist; whatever leaves a doubt is `unknown`.
 * @param maxAnswerBytes labels are inside: several of 20 MB each may come in one answer
 * @param keep puts the answer on the disk before anybody judges it: see `ReceivedAnswer`
 */
export async function createShipment(
  transport: Transport,
  connection: CarrierConnection,
  draft: ShipmentDraft,
  delivery: LabelDelivery,
  discretion: Discretion,
  maxAnswerBytes: number,
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
    maxAnswerBytes,
    readsToEnd: true,
  })
  const { redact } = askedOf(connection, discretion.redact)
  if (!exchanged.ok) {
    const error = transportError(exchanged.error, connection.baseUrl)
    if (exchanged.error.kind === 'not-sent') return { kind: 'refused', error }
    if (exchanged.error.cut === undefined) return unknownOutcome(error)
    const cut = takeInCut(exchanged.error.cut, { connection, delivery }, discretion)
    await keep(cut)
    return unknownOutcome(error, whatItNames(cut, redact))
  }
  const received = takeIn(exchanged.value, { connection, delivery }, discretion)
  await keep(received)
  return readOutcome(received, redact)
}
