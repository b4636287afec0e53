import type { PreAlertAnswer, PreAlertRequest } from '../../shared/consignments'
import { ok } from '../../shared/result'
import type { HttpAnswer } from './httpClient'
import { asFlag, asRecord, asText, type JsonRecord, parseJson } from './json'
import {
  type CarrierOutcome,
  failedByAnswer,
  failedByStatus,
  failedByTransport,
  failedByUnreadableAnswer,
  isSuccess,
  type RequestContext,
  requestService,
  type Service,
  toDisplayLine,
  toRequestContext,
  toSendingTime,
  warnOfEffect,
} from './service'

const maxAnswerBytes = 1024 * 1024

/**
 * Sends an air waybill pre-alert (spec: Upload AWB pre-alert): one request, never repeated.
 * - `ok`: `ok` is true
 * - `refused`: `ok` is false, or 4xx except 408
 * - `unknown`: the service may have accepted the pre-alert
 */
export async function sendPreAlert(
  service: Service,
  { airWaybillNumber, estimatedTimeOfArrival, grossWeight }: PreAlertRequest,
  pdf: Uint8Array,
): Promise<CarrierOutcome<PreAlertAnswer>> {
  const context = toRequestContext(service)
  const airWaybillPdfBase64 = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).toString('base64')
  const exchanged = await requestService(service, {
    method: 'POST',
    operation: 'post_pre_alert',
    body: JSON.stringify({ airWaybillPdfBase64, estimatedTimeOfArrival, airWaybillNumber, grossWeight }),
    isRepeatable: false,
    sendingTimeMs: toSendingTime(airWaybillPdfBase64.length),
    maxAnswerBytes,
  })
  const outcome = exchanged.ok
    ? readAnswer(exchanged.value, context)
    : failedByTransport(exchanged.error, context)
  return warnOfEffect(outcome, 'pre-alert')
}

function readAnswer({ status, body }: HttpAnswer, context: RequestContext): CarrierOutcome<PreAlertAnswer> {
  const record = asRecord(parseJson(body))
  const answer = record === undefined ? null : readFields(record, context)
  const verdict = asFlag(record?.ok)
  if (!isSuccess(status)) {
    const failed = failedByStatus(status, body, context)
    // A refusal that also says «ok» is contradictory and proves nothing.
    return { ...failed, answer, kind: verdict === true ? 'unknown' : failed.kind }
  }
  if (record === undefined || answer === null) {
    return failedByUnreadableAnswer(context.host, 'no-object-or-cut')
  }
  if (verdict === true) return ok(answer)
  if (verdict === false) return { ...failedByAnswer(record, context), answer }
  return { ...failedByUnreadableAnswer(context.host, 'no-ok'), answer }
}
function readFields(record: JsonRecord, { redact }: RequestContext): PreAlertAnswer {
  const words = (value: unknown) => {
    const text = asText(value)
    return text === null ? null : toDisplayLine(text, redact)
  }
  const data = (value: unknown) => {
    const text = asText(value)
    return text === null ? null : toDisplayLine(text, (line) => redact(line, 'data'))
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

/** A number, or a number as decimal text. */
function asNumber(value: unknown): number | null {
  const text = asText(value)
  return text !== null && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : null
}
