import { err, ok, type Result } from '../../shared/result'
import type { TrackedCode, TrackingOptions } from '../../shared/tracking'
import { askedOf, type CarrierConnection, operationPath } from './connection'
import type { Redact } from './discretion'
import { transportError } from './serviceError'
import { readTracking, trackingQuery } from './trackingAnswer'
import type { Transport } from './transport'

const mostAnswerBytes = 16 * 1024 * 1024

/** Reads the tracking events of one code (spec: Track one code). An unknown code is a value with `found` false. */
export async function trackOne(
  transport: Transport,
  connection: CarrierConnection,
  code: string,
  options: TrackingOptions,
  redact: Redact,
): Promise<Result<TrackedCode>> {
  const asked = askedOf(connection, redact)
  const exchanged = await transport.send({
    method: 'GET',
    origin: connection.baseUrl.origin,
    path: operationPath(connection, 'get_tracking_information', [code], trackingQuery(options)),
    maxAnswerBytes: mostAnswerBytes,
  })
  if (!exchanged.ok) return err(transportError(exchanged.error, asked))
  const tracked = readTracking(exchanged.value, asked, [code])
  if (!tracked.ok) return tracked
  return ok(theOneAskedFor(tracked.value, code))
}

/** The service may write the code in another way (a waybill for its box, other case): a lone result is the one meant. */
function theOneAskedFor(tracked: readonly TrackedCode[], code: string): TrackedCode {
  const [own, ...added] = tracked
  const [only, ...others] = added
  if (own?.found !== true && only !== undefined && others.length === 0) return { ...only, code }
  return own ?? { code, found: false, lastStatus: null, events: [] }
}
