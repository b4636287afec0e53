import type { LookupFunction } from 'node:net'
import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { looksLikePdf } from './creationAnswer'
import type { HttpAnswer } from './exchange'
import type { HttpClient } from './httpClient'
import { isAllowedLiteral, type LabelPolicy, labelLookup } from './labelHosts'
import { type CarrierOutcome, type FailedOutcome, isSuccess, unanswered } from './outcome'

const maxLabelBytes = 32 * 1024 * 1024
const maxRedirects = 3

/**
 * Fetches the label that a `DO=N` answer gave the URL of (spec: Shipment-creation response). Neither credentials nor
 * key go along. Follows up to three redirects, each under the same rules as the URL itself.
 * @returns the PDF's bytes; `label-not-fetched` when they could not be had, `label-host-not-allowed` when they lie
 * where this station fetches no labels from, `label-unreadable` when they are no PDF
 */
export async function fetchLabel(
  http: HttpClient,
  labelUrl: string,
  policy: LabelPolicy,
  lookup?: LookupFunction,
): Promise<CarrierOutcome<Buffer>> {
  const scheme = policy.baseUrl?.protocol ?? 'https:'
  let target = parseLabelUrl(labelUrl, scheme)
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    if (!target.ok) return target.error
    const from = target.value
    const answer = await get(http, from, policy, lookup)
    if (!answer.ok) return answer.error
    const { status, location, body } = answer.value
    if (isSuccess(status)) return readPdf(body)
    if (status < 300 || status > 399 || location === null) {
      return notFetched('status', { host: from.host, status: String(status) })
    }
    target = parseLabelUrl(location, scheme, from)
  }
  return notFetched('redirects')
}

async function get(
  http: HttpClient,
  url: URL,
  policy: LabelPolicy,
  lookup?: LookupFunction,
): Promise<Result<HttpAnswer, FailedOutcome>> {
  if (!(await isAllowedLiteral(url, policy, lookup))) return err(hostNotAllowed(url))
  const exchanged = await http.sendAlone({
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
  const { kind, error } = unanswered(exchanged.error, url)
  return err({ ...notFetched(error.code, error.details), kind })
}

/**
 * Reads a label URL: the `url` of a `DO=N` answer, or the `Location` that one leads on to.
 * @param from what a relative one is relative to
 * @param scheme the only one that is taken, such as `https:`: the service's, so that nothing goes unencrypted that it
 * did not send unencrypted itself
 */
function parseLabelUrl(text: string, scheme: string, from?: URL): Result<URL, FailedOutcome> {
  const url = URL.canParse(text, from?.href) ? new URL(text, from?.href) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return err(notFetched('no-web-address'))
  if (url.protocol !== scheme) return err(notFetched('other-scheme', { host: url.host }))
  return ok(url)
}

function readPdf(bytes: Buffer): CarrierOutcome<Buffer> {
  if (bytes.length === 0) return notFetched('empty')
  if (looksLikePdf(bytes)) return ok(bytes)
  const error = appError('label-unreadable', { case: 'fetched-no-pdf', bytes: String(bytes.length) })
  return { ok: false, kind: 'refused', error, answer: null }
}

/** The label's host has an address of this computer or of a private network. */
function hostNotAllowed({ host }: URL): FailedOutcome {
  const error = appError('label-host-not-allowed', { host, reason: 'private-address' })
  return { ok: false, kind: 'not-sent', error, answer: null }
}

/** The label could not be fetched. The error holds no URL. */
function notFetched(reason: string, details: Readonly<Record<string, string>> = {}): FailedOutcome {
  return {
    ok: false,
    kind: 'refused',
    error: appError('label-not-fetched', { ...details, reason }),
    answer: null,
  }
}
