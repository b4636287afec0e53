import { err, ok, type Result } from '../../shared/result'
import type { TrackedCode, TrackingOptions } from '../../shared/tracking'
import { askedOf, type CarrierConnection, operationPath } from './connection'
import type { Redact } from './discretion'
import { transportError } from './serviceError'
import { readTracking, trackingQuery } from './trackingAnswer'
import { trackMany } from './trackMany'
import type { Transport } from './transport'

const maxAnswerBytes = 16 * 1024 * 1024
/** Servers refuse request lines of more than 8 kB or so. */
const maxInPath = 4000

/**
 * Reads the tracking events of one code (spec: Track one code). An unknown code is a value with `found` false. A code
 * that can't stand in a path goes by the bulk operation, which carries it in its body.
 */
export async function trackOne(
  transport: Transport,
  connection: CarrierConnection,
  code: string,
  options: TrackingOptions,
  redact: Redact,
): Promise<Result<TrackedCode>> {
  const asked = askedOf(connection, redact)
  if (!fitsInPath(code)) {
    const many = await trackMany(transport, connection, [code], options, redact)
    return many.ok ? ok(theOneAskedFor(many.value, code, options.type, asked.redact)) : many
  }
  const exchanged = await transport.send({
    method: 'GET',
    origin: connection.baseUrl.origin,
    path: operationPath(connection, 'get_tracking_information', [code], trackingQuery(options)),
    maxAnswerBytes: maxAnswerBytes,
  })
  if (!exchanged.ok) return err(transportError(exchanged.error, asked))
  const tracked = readTracking(exchanged.value, asked, [code])
  if (!tracked.ok) return tracked
  return ok(theOneAskedFor(tracked.value, code, options.type, asked.redact))
}

/**
 * A waybill or a box stands for parcels: a lone result under another code is what was meant. What else the answer
 * names goes along by name only, for the operator to choose from; another barcode's events are never taken for this
 * one's.
 */
function theOneAskedFor(
  tracked: readonly TrackedCode[],
  code: string,
  type: TrackingOptions['type'],
  redact: Redact,
): TrackedCode {
  const [own = { code, found: false, lastStatus: null, events: [] }, ...added] = tracked
  const others = added.filter(({ lastStatus }) => lastStatus !== null)
  const [only, ...more] = others
  if (type !== 'barcode' && !own.found && only !== undefined && more.length === 0) return { ...only, code }
  if (others.length === 0) return own
  return { ...own, others: others.map((other) => redact(other.code, 'data')) }
}

/** Dots alone are steps between folders to servers on the way, and halves of a character can't be percent-encoded. */
function fitsInPath(code: string): boolean {
  if (code === '' || code === '.' || code === '..') return false
  try {
    return encodeURIComponent(code).length <= maxInPath
  } catch {
    return false
  }
}
