import { type AppError, appError } from '../../shared/errors'
import type { ShipmentDraft } from '../../shared/shipment'
import { askedOf, type CarrierConnection, operationPath } from './connection'
import { judgeCreation, namesAnything, namesShipment, readCreation } from './creationAnswer'
import type { Creation, CreationOutcome } from './creationOutcome'
import { type Discretion, hiding } from './discretion'
import type { HttpAnswer } from './exchange'
import { asRecord, asText, type JsonRecord, parseJson } from './lenientJson'
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
  discretion: Discretion,
): Promise<CreationOutcome> {
  const asked = askedOf(connection, discretion.redact)
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
  return outcomeOf(exchanged.value, asked, discretion)
}

function outcomeOf(
  { status, body, receivedAt }: HttpAnswer,
  { host, redact }: AskedOf,
  { onLabelUrl }: Discretion,
): CreationOutcome {
  const answer = asRecord(parseJson(body))
  if (answer === undefined) return outcomeWithoutAnswer(status, body, { host, redact })
  const labelUrl = asText(answer.url)
  if (labelUrl !== null) onLabelUrl(labelUrl)
  const asked: AskedOf = { host, redact: hiding(labelUrl === null ? [] : [labelUrl], redact) }
  const named = namesAnything(answer)
    ? { creation: readCreation(answer, asked.redact), receivedAt }
    : undefined
  if (status < 200 || status > 299) {
    const error = statusError(status, body, asked)
    const provable = refusesByStatus(status) && !namesShipment(answer)
    return provable ? { kind: 'refused', error } : unknown(error, named)
  }
  switch (judgeCreation(answer)) {
    case 'accepted':
      return { kind: 'created', creation: readCreation(answer, asked.redact), receivedAt }
    case 'denied':
      return { kind: 'refused', error: refusal(answer, asked) }
    case 'unclear':
      return unknown(unclearError(answer, asked), named)
  }
}

function outcomeWithoutAnswer(status: number, body: Buffer, asked: AskedOf): CreationOutcome {
  if (status < 200 || status > 299) {
    const error = statusError(status, body, asked)
    return refusesByStatus(status) ? { kind: 'refused', error } : unknown(error)
  }
  return unknown(notUnderstood(asked.host, 'it is not a JSON object, or it is cut off'))
}

function unclearError(answer: JsonRecord, asked: AskedOf): AppError {
  const error = notUnderstood(asked.host, 'it does not say clearly whether the shipment was created')
  return { ...error, details: { ...error.details, ...refusal(answer, asked).details } }
}

/** Tracking numbers in a doubtful answer help the person who has to find out what became of the shipment. */
function unknown(error: AppError, named?: { creation: Creation; receivedAt: Date }): CreationOutcome {
  const barcodes = named?.creation.barcodes ?? []
  const message = `${error.message} The shipment may exist: look it up at the carrier, then settle it here.`
  const details = barcodes.length === 0 ? error.details : { ...error.details, barcodes: barcodes.join(', ') }
  return {
    kind: 'unknown',
    error: appError(error.code, message, details),
    creation: named?.creation ?? null,
    receivedAt: named?.receivedAt ?? null,
  }
}
