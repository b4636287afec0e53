import { ok } from '../../shared/result'
import { decodeText } from '../lib/decodeText'
import type { HttpAnswer } from './httpClient'
import { asFlag, asRecord, hasErrors, parseJson } from './json'
import {
  type AskedOf,
  type CarrierOutcome,
  failedByStatus,
  isSuccess,
  misunderstood,
  requestService,
  type Service,
  toAsked,
  unanswered,
  warnOfEffect,
} from './service'

/** The shape of the answer is not shown in the specification: a line of words for each line of a manifest fits. */
const maxAnswerBytes = 16 * 1024 * 1024
/** Slowest line that an upload is waited for, in bytes a second. */
const minBytesPerSecond = 32 * 1024

/** A manifest on its way out. */
export interface ManifestUpload {
  /** The JSON array of lines in UTF-8 (spec: Manifest line). */
  body: Uint8Array
  /** Adds `ls=Y`: locks the manifest after the service found its lines valid. */
  lock: boolean
  /** Told how many bytes were handed to the connection so far. */
  onSent(bytes: number): void
}

/** What an answer holds, kept as it came but for the API key. */
export interface UploadAnswer {
  status: number
  content: string
  receivedAt: Date
  /** Whether a success all the same speaks of errors, as other operations of the service do: a person has to read it. */
  speaksOfErrors: boolean
}

/**
 * Uploads a whole manifest (spec: Upload manifest): one request, never repeated.
 * - `ok`: any 2xx, since the answer's shape is not shown, unless its JSON broke off
 * - `refused`: 4xx except 408
 * - `unknown`: the lines may have been taken
 */
export async function uploadManifest(
  service: Service,
  { body, lock, onSent }: ManifestUpload,
): Promise<CarrierOutcome<UploadAnswer>> {
  const asked = toAsked(service)
  const exchanged = await requestService(service, {
    method: 'POST',
    operation: 'post_manifest_data',
    query: lock ? { ls: 'Y' } : {},
    body: { bytes: body, onSent },
    isRepeatable: false,
    sendingTimeMs: Math.ceil((body.length / minBytesPerSecond) * 1000),
    maxAnswerBytes,
  })
  const outcome = exchanged.ok ? readAnswer(exchanged.value, asked) : unanswered(exchanged.error, asked)
  return warnOfEffect(outcome, 'manifest')
}

function readAnswer({ status, body, receivedAt }: HttpAnswer, asked: AskedOf): CarrierOutcome<UploadAnswer> {
  const content = asked.redact(decodeText(body).text, 'data')
  const answer = { status, content, receivedAt, speaksOfErrors: false }
  if (!isSuccess(status)) return { ...failedByStatus(status, body, asked), answer }
  const value = parseJson(body)
  // Without a length the end of the connection is the end of the body: what begins as JSON must end as JSON.
  if (value === undefined && /^\s*[[{"]/.test(content)) {
    return { ...misunderstood(asked.host, 'it broke off'), answer }
  }
  const record = asRecord(value)
  const speaksOfErrors = record !== undefined && (hasErrors(record) || asFlag(record.state) === false)
  return ok({ ...answer, speaksOfErrors })
}
