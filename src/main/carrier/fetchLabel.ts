import type { LookupFunction } from 'node:net'
import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { looksLikePdf } from './creationAnswer'
import type { HttpAnswer } from './exchange'
import type { Transport } from './httpClient'
import { isAllowedLiteral, type LabelPolicy, labelLookup } from './labelHosts'
import { hostNotAllowed, notFetched, parseLabelUrl } from './labelUrl'
import { transportError } from './serviceError'

const maxLabelBytes = 32 * 1024 * 1024
const maxRedirects = 3

/**
 * Fetches the label that a `DO=N` answer gave the URL of (spec: Shipment-creation response). Neither credentials nor
 * key go along. Follows up to three redirects, each under the same rules as the URL itself.
 * @returns the PDF's bytes; `label-not-fetched` when they could not be had, `label-host-not-allowed` when they lie
 * where this station fetches no labels from, `label-unreadable` when they are no PDF
 */
export async function fetchLabel(
  transport: Transport,
  labelUrl: string,
  policy: LabelPolicy,
  lookup?: LookupFunction,
): Promise<Result<Buffer>> {
  const scheme = policy.baseUrl?.protocol ?? 'https:'
  let target = parseLabelUrl(labelUrl, scheme)
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    if (!target.ok) return target
    const from = target.value
    const answer = await get(transport, from, policy, lookup)
    if (!answer.ok) return answer
    const { status, location, body } = answer.value
    if (status >= 200 && status <= 299) return readPdf(body)
    if (status < 300 || status > 399 || location === null) {
      return err(notFetched('status', { host: from.host, status: String(status) }))
    }
    target = parseLabelUrl(location, scheme, from)
  }
  return err(notFetched('redirects'))
}

async function get(
  transport: Transport,
  url: URL,
  policy: LabelPolicy,
  lookup?: LookupFunction,
): Promise<Result<HttpAnswer>> {
  if (!(await isAllowedLiteral(url, policy, lookup))) return err(hostNotAllowed(url))
  const exchanged = await transport.sendAlone({
    method: 'GET',
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    maxAnswerBytes: maxLabelBytes,
    lookup: labelLookup(policy, lookup),
  })
  if (exchanged.ok) return exchanged
  if (exchanged.error.kind === 'not-sent' && exchanged.error.reason === 'address-not-allowed') {
    return err(hostNotAllowed(url))
  }
  const cause = transportError(exchanged.error, url)
  return err(notFetched(cause.code, cause.details))
}

function readPdf(bytes: Buffer): Result<Buffer> {
  if (bytes.length === 0) return err(notFetched('empty'))
  if (looksLikePdf(bytes)) return ok(bytes)
  return err(appError('label-unreadable', { case: 'fetched-no-pdf', bytes: String(bytes.length) }))
}
