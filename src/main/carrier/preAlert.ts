import type { PreAlertAnswer, PreAlertRequest } from '../../shared/consignments'
import type { AppError } from '../../shared/errors'
import { askedOf, type CarrierConnection, operationPath } from './connection'
import type { Redact } from './discretion'
import type { HttpAnswer } from './exchange'
import type { Transport } from './httpClient'
import { asFlag, asRecord, asText, type JsonRecord, parseJson } from './json'
import {
  type AskedOf,
  notUnderstood,
  refusal,
  refusedOrUnknown,
  refusesByStatus,
  statusError,
  transportError,
} from './serviceError'
import { presentable } from './serviceWords'

const maxAnswerBytes = 1024 * 1024
/** Slowest line that a pre-alert is waited for, in bytes a second. */
const minBytesPerSecond = 32 * 1024

/**
 * - `accepted`: `ok` is true
 * - `refused`: `ok` is false, 4xx except 408, or nothing was sent
 * - `unknown`: the pre-alert may have been taken
 */
export type PreAlertOutcome =
  | { kind: 'accepted'; answer: PreAlertAnswer }
  | { kind: 'refused' | 'unknown'; error: AppError; answer: PreAlertAnswer | null }

/** Sends an air waybill pre-alert (spec: Upload AWB pre-alert): one request, never repeated. */
export async function sendPreAlert(
  transport: Transport,
  connection: CarrierConnection,
  { airWaybillNumber, estimatedTimeOfArrival, grossWeight }: PreAlertRequest,
  pdf: Uint8Array,
  redact: Redact,
): Promise<PreAlertOutcome> {
  const asked = askedOf(connection, redact)
  const airWaybillPdfBase64 = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).toString('base64')
  const body = { airWaybillPdfBase64, estimatedTimeOfArrival, airWaybillNumber, grossWeight }
  const exchanged = await transport.sendAlone({
    method: 'POST',
    origin: connection.baseUrl.origin,
    path: operationPath(connection, 'post_pre_alert', [], {}),
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    sendingTimeMs: Math.ceil((airWaybillPdfBase64.length / minBytesPerSecond) * 1000),
    maxAnswerBytes: maxAnswerBytes,
  })
  if (exchanged.ok) return outcomeOf(exchanged.value, asked)
  const provable = exchanged.error.kind === 'not-sent'
  const error = transportError(exchanged.error, asked)
  return { ...refusedOrUnknown(error, { provable, sent: 'pre-alert' }), answer: null }
}

function outcomeOf({ status, body }: HttpAnswer, asked: AskedOf): PreAlertOutcome {
  const record = asRecord(parseJson(body))
  const answer = record === undefined ? null : readAnswer(record, asked)
  const verdict = asFlag(record?.ok)
  const notAccepted = (error: AppError, provable = false): PreAlertOutcome => ({
    ...refusedOrUnknown(error, { provable, sent: 'pre-alert' }),
    answer,
  })
  if (status < 200 || status > 299) {
    // A refusal that all the same says «ok» proves nothing.
    return notAccepted(statusError(status, body, asked), refusesByStatus(status) && verdict !== true)
  }
  if (record === undefined || answer === null) {
    return notAccepted(notUnderstood(asked.host, 'it is not a JSON object, or it is cut off'))
  }
  if (verdict === true) return { kind: 'accepted', answer }
  if (verdict === false) return notAccepted(refusal(record, asked), true)
  return notAccepted(notUnderstood(asked.host, 'its «ok» is neither true nor false'))
}

function readAnswer(record: JsonRecord, { redact }: AskedOf): PreAlertAnswer {
  const words = (value: unknown) => {
    const text = asText(value)
    return text === null ? null : presentable(text, redact)
  }
  const data = (value: unknown) => {
    const text = asText(value)
    return text === null ? null : presentable(text, (line) => redact(line, 'data'))
  }
  const carrier = asRecord(record.carrier) ?? {}
  return {
    message: words(record.message),
    estimatedTimeOfArrival: data(record.estimatedTimeOfArrival),
    airWaybillNumber: data(record.airWaybillNumber),
    submittedGrossWeight: asNumber(record.submittedGrossWeight),
    boxes: asNumber(record.boxes),
    totalParcels: asNumber(record.totalParcels),
    totalManifestWeight: asNumber(record.totalManifestWeight),
    iossManifestLocked: asFlag(record.iossManifestLocked),
    carrierName: data(carrier.name),
    awbPrefix: data(carrier.awbPrefix),
  }
}

/** A number, or decimal text that says one. */
function asNumber(value: unknown): number | null {
  const text = asText(value)
  return text !== null && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : null
}
