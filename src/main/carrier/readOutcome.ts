import { type AppError, withUnknownOutcome } from '../../shared/errors'
import { judgeCreation, namesAnything, namesShipment, readCreation } from './creationAnswer'
import type { Creation, CreationOutcome } from './creationOutcome'
import { hiding, type Redact } from './discretion'
import type { JsonRecord } from './json'
import type { ReceivedAnswer } from './receivedAnswer'
import { type AskedOf, notUnderstood, refusal, refusesByStatus, statusError } from './serviceError'

/**
 * What an answer says became of the request.
 * @param redact takes out secrets that are not known to the answer; one that was kept holds none any more
 */
export function readOutcome(received: ReceivedAnswer, redact: Redact = (words) => words): CreationOutcome {
  const { host, status, content, text, labelUrl, receivedAt } = received
  const asked = { host, redact: hiding(labelUrl === null ? [] : [labelUrl], redact) }
  const named = whatItNames(received, redact)
  if (received.isCut) return unknownOutcome(notUnderstood(host, 'it is too large, or it broke off'), named)
  if (content === null) return outcomeWithoutAnswer(status, Buffer.from(text ?? '', 'latin1'), asked)
  if (status < 200 || status > 299) {
    const error = statusError(status, content, asked)
    const provable = refusesByStatus(status) && !namesShipment(content)
    return provable ? { kind: 'refused', error } : unknownOutcome(error, named)
  }
  switch (judgeCreation(content)) {
    case 'accepted':
      return { kind: 'created', creation: named?.creation ?? readCreation(content, asked.redact), receivedAt }
    case 'denied':
      return { kind: 'refused', error: refusal(content, asked) }
    case 'unclear':
      return unknownOutcome(unclearError(content, asked), named)
  }
}

/** What an answer names of a shipment, whatever it says besides; undefined when that is nothing. */
export function whatItNames(
  { content, labelUrl, receivedAt }: ReceivedAnswer,
  redact: Redact,
): { creation: Creation; receivedAt: Date } | undefined {
  if (content === null || !namesAnything(content)) return undefined
  const creation = readCreation(content, hiding(labelUrl === null ? [] : [labelUrl], redact))
  return { creation: { ...creation, labelUrl }, receivedAt }
}

function outcomeWithoutAnswer(status: number, body: Buffer, asked: AskedOf): CreationOutcome {
  if (status < 200 || status > 299) {
    const error = statusError(status, body, asked)
    return refusesByStatus(status) ? { kind: 'refused', error } : unknownOutcome(error)
  }
  return unknownOutcome(notUnderstood(asked.host, 'it is not a JSON object, or it is cut off'))
}

function unclearError(answer: JsonRecord, asked: AskedOf): AppError {
  const error = notUnderstood(asked.host, 'it does not say clearly whether the shipment was created')
  return { ...error, details: { ...error.details, ...refusal(answer, asked).details } }
}

/**
 * The outcome of a request of which nobody can tell what became of it. Tracking numbers in a doubtful answer help the
 * person who has to find out.
 */
export function unknownOutcome(
  error: AppError,
  named?: { creation: Creation; receivedAt: Date },
): CreationOutcome {
  const barcodes = named?.creation.barcodes ?? []
  const details = barcodes.length === 0 ? error.details : { ...error.details, barcodes: barcodes.join(', ') }
  return {
    kind: 'unknown',
    error: withUnknownOutcome({ ...error, ...(details && { details }) }, 'shipment'),
    creation: named?.creation ?? null,
    receivedAt: named?.receivedAt ?? null,
  }
}
