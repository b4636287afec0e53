import type { AppError } from '../../shared/errors'
import { decodeText } from '../lib/decodeText'
import { askedOf, type CarrierConnection, operationPath } from './connection'
import type { Redact } from './discretion'
import type { HttpAnswer } from './exchange'
import type { Transport } from './httpClient'
import { asFlag, asRecord, hasErrors, parseJson } from './json'
import {
  type AskedOf,
  notUnderstood,
  refusedOrUnknown,
  refusesByStatus,
  statusError,
  transportError,
} from './serviceError'

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
interface UploadAnswer {
  status: number
  content: string
  receivedAt: Date
  /** Whether a success all the same speaks of errors, as other operations of the service do: a person has to read it. */
  speaksOfErrors: boolean
}

/**
 * - `accepted`: any 2xx, since the answer's shape is not shown, unless its JSON broke off
 * - `refused`: 4xx except 408, or nothing was sent
 * - `unknown`: the lines may have been taken
 */
export type UploadOutcome =
  | { kind: 'accepted'; answer: UploadAnswer }
  | { kind: 'refused' | 'unknown'; error: AppError; answer: UploadAnswer | null }

/** Uploads a whole manifest (spec: Upload manifest): one request, never repeated. */
export async function uploadManifest(
  transport: Transport,
  connection: CarrierConnection,
  { body, lock, onSent }: ManifestUpload,
  redact: Redact,
): Promise<UploadOutcome> {
  const asked = askedOf(connection, redact)
  const exchanged = await transport.sendAlone({
    method: 'POST',
    origin: connection.baseUrl.origin,
    path: operationPath(connection, 'post_manifest_data', [], lock ? { ls: 'Y' } : {}),
    headers: { 'Content-Type': 'application/json' },
    body: { bytes: body, onSent },
    sendingTimeMs: Math.ceil((body.length / minBytesPerSecond) * 1000),
    maxAnswerBytes: maxAnswerBytes,
  })
  if (exchanged.ok) return outcomeOf(exchanged.value, asked)
  const provable = exchanged.error.kind === 'not-sent'
  const error = transportError(exchanged.error, asked)
  return { ...refusedOrUnknown(error, { provable, sent: 'manifest' }), answer: null }
}

function outcomeOf(exchanged: HttpAnswer, asked: AskedOf): UploadOutcome {
  const { status, body, receivedAt } = exchanged
  const content = asked.redact(decodeText(body).text, 'data')
  const answer = { status, content, receivedAt, speaksOfErrors: false }
  if (status >= 200 && status <= 299) {
    const value = parseJson(body)
    // Without a length the end of the connection is the end of the body: what begins as JSON must end as JSON.
    if (value === undefined && /^\s*[[{"]/.test(content)) {
      const error = notUnderstood(asked.host, 'it broke off')
      return { ...refusedOrUnknown(error, { provable: false, sent: 'manifest' }), answer }
    }
    const record = asRecord(value)
    const speaksOfErrors = record !== undefined && (hasErrors(record) || asFlag(record.state) === false)
    return { kind: 'accepted', answer: { ...answer, speaksOfErrors } }
  }
  const error = statusError(status, body, asked)
  return { ...refusedOrUnknown(error, { provable: refusesByStatus(status), sent: 'manifest' }), answer }
}
