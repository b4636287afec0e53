import { err, ok, type Result } from '../../shared/result'
import type { TrackedCode, TrackingOptions } from '../../shared/tracking'
import { askedOf, type CarrierConnection, operationPath } from './connection'
import type { Redact } from './discretion'
import { transportError } from './serviceError'
import { readTracking, trackingQuery } from './trackingAnswer'
import type { Transport } from './transport'

const maxAnswerBytes = 64 * 1024 * 1024

/**
 * Reads the tracking events of several codes in one request, a GET with a JSON body (spec: Track several codes).
 * @returns one value for each code in the order asked for, then codes that the answer adds; no request for no codes
 */
export async function trackMany(
  transport: Transport,
  connection: CarrierConnection,
  codes: readonly string[],
  options: TrackingOptions,
  redact: Redact,
): Promise<Result<TrackedCode[]>> {
  if (codes.length === 0) return ok([])
  const asked = askedOf(connection, redact)
  const exchanged = await transport.send({
    method: 'GET',
    origin: connection.baseUrl.origin,
    path: operationPath(connection, 'get_tracking_information', [], trackingQuery(options)),
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(codes),
    maxAnswerBytes: maxAnswerBytes,
  })
  if (!exchanged.ok) return err(transportError(exchanged.error, asked))
  return readTracking(exchanged.value, asked, codes)
}
