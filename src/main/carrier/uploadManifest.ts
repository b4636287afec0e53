import { ok } from '../../shared/result'
import { decodeText } from '../lib/decodeText'
import type { HttpAnswer } from './httpClient'
import { asFlag, asRecord, hasErrors, type JsonRecord, parseJson } from './json'
import {
  type CarrierOutcome,
  failedByStatus,
  failedByTransport,
  failedByUnreadableAnswer,
  isSuccess,
  type RequestContext,
  requestService,
  type Service,
  toRequestContext,
  toSendingTime,
  warnOfEffect,
} from './service'

/** The specification does not define the answer: this is enough for a line of text for each line of a manifest. */
const maxAnswerBytes = 16 * 1024 * 1024

/** A manifest to upload. */
export interface ManifestUpload {
  /** The JSON array of lines in UTF-8 (spec: Manifest line). */
  body: Uint8Array
  /** Adds `ls=Y`: the service locks the manifest once it has found its lines valid. */
  lock: boolean
  /** Called with the number of bytes handed to the connection so far. */
  onSent(bytes: number): void
}

/** The answer as received, except for redacted secrets. */
export interface UploadAnswer {
  status: number
  content: string
  receivedAt: Date
  /** Whether a successful answer also reports errors, as those of other operations may: a person has to read it. */
  speaksOfErrors: boolean
}

/**
 * Uploads a whole manifest (spec: Upload manifest): one request, never repeated.
 * - `ok`: any 2xx, since the specification does not define the answer, unless its JSON is truncated
 * - `refused`: 4xx except 408
 * - `unknown`: the service may have accepted the lines
 */
export async function uploadManifest(
  service: Service,
  { body, lock, onSent }: ManifestUpload,
): Promise<CarrierOutcome<UploadAnswer>> {
  const context = toRequestContext(service)
  const exchanged = await requestService(service, {
    method: 'POST',
    operation: 'post_manifest_data',
    query: lock ? { ls: 'Y' } : {},
    body: { bytes: body, onSent },
    isRepeatable: false,
    sendingTimeMs: toSendingTime(body.length),
    maxAnswerBytes,
  })
  const outcome = exchanged.ok
    ? readAnswer(exchanged.value, context)
    : failedByTransport(exchanged.error, context)
  return warnOfEffect(outcome, 'manifest')
}

function readAnswer(
  { status, body, receivedAt }: HttpAnswer,
  context: RequestContext,
): CarrierOutcome<UploadAnswer> {
  const content = context.redact(decodeText(body).text, 'data')
  const answer = { status, content, receivedAt, speaksOfErrors: false }
  if (!isSuccess(status)) return { ...failedByStatus(status, body, context), answer }
  const value = parseJson(body)
  // Without a Content-Length a dropped connection looks like the end of the body: JSON has to be complete.
  if (value === undefined && /^\s*[[{"]/.test(content)) {
    return { ...failedByUnreadableAnswer(context.host, 'cut'), answer }
  }
  // The answer may have one element per line.
  const records = (Array.isArray(value) ? value : [value]).map(asRecord)
  return ok({
    ...answer,
    speaksOfErrors: records.some((record) => record !== undefined && speaksOfErrors(record)),
  })
}

/** The answer is not specified, so the fields by which other operations report failure are checked (spec: Errors). */
function speaksOfErrors(record: JsonRecord): boolean {
  return hasErrors(record) || [record.state, record.status, record.ok].some((flag) => asFlag(flag) === false)
}
