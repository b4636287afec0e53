import { type AppError, appError } from '../../shared/errors'
import { decodeText } from '../text/decodeText'
import { askedOf, type CarrierConnection, operationPath } from './connection'
import type { Redact } from './discretion'
import type { HttpAnswer } from './exchange'
import { asFlag, asRecord, hasErrors, parseJson } from './lenientJson'
import { type AskedOf, statusError, transportError } from './serviceError'
import type { Transport } from './transport'

/** The shape of the answer is not shown in the specification: a line of words for each line of a manifest fits. */
const mostAnswerBytes = 16 * 1024 * 1024
/** Slowest line that an upload is waited for, in bytes a second. */
const slowestLine = 32 * 1024

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
 * - `accepted`: any 2xx
 * - `failed`: another status, or nothing was sent
 * - `unknown`: the lines may have arrived, nobody knows whether they were taken
 */
export type UploadOutcome =
  | { kind: 'accepted'; answer: UploadAnswer }
  | { kind: 'failed' | 'unknown'; error: AppError; answer: UploadAnswer | null }

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
    sendingTimeMs: Math.ceil((body.length / slowestLine) * 1000),
    maxAnswerBytes: mostAnswerBytes,
  })
  if (exchanged.ok) return outcomeOf(exchanged.value, asked)
  const error = transportError(exchanged.error, asked)
  return exchanged.error.kind === 'not-sent'
    ? { kind: 'failed', error, answer: null }
    : { kind: 'unknown', error: doubtful(error), answer: null }
}

function outcomeOf(exchanged: HttpAnswer, asked: AskedOf): UploadOutcome {
  const { status, body, receivedAt } = exchanged
  const record = asRecord(parseJson(body))
  const speaksOfErrors = record !== undefined && (hasErrors(record) || asFlag(record.state) === false)
  const answer = { status, content: asked.redact(decodeText(body).text, 'data'), receivedAt, speaksOfErrors }
  if (status >= 200 && status <= 299) return { kind: 'accepted', answer }
  const error = statusError(status, body, asked)
  // Both say that somebody on the way gave up waiting, not what became of the lines.
  const timedOut = status === 408 || status === 504
  return timedOut ? { kind: 'unknown', error: doubtful(error), answer } : { kind: 'failed', error, answer }
}

function doubtful(error: AppError): AppError {
  const message = `${error.message} Nobody knows whether the service took the manifest: ask there before sending it again.`
  return appError(error.code, message, error.details)
}
