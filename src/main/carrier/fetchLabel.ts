import { lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { addressNotAllowed, withoutBrackets } from '../network/network'
import { hasEndMarker, looksLikePdf } from './createShipment'
import type { HttpAnswer, HttpClient } from './httpClient'
import { type CarrierOutcome, type FailedOutcome, failedByTransport, isSuccess } from './service'

const maxLabelBytes = 32 * 1024 * 1024
const maxRedirects = 3

/**
 * Fetches the label from the URL of a `DO=N` answer (spec: Shipment-creation response), without credentials and without
 * the key. Follows up to three redirects; the rules for the URL apply to each of them.
 * @returns the PDF's bytes; `label-not-fetched` when the request failed or the PDF is cut off, `label-host-not-allowed` for a
 * host that this station must not fetch labels from, `label-unreadable` when the content is not a PDF
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
    const { status, location } = answer.value
    if (isSuccess(status)) return readPdf(answer.value, from)
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
  if (!(await isAllowedLiteral(url, policy, lookup))) return err(toHostNotAllowed(url))
  const exchanged = await http.sendOnNewConnection({
    method: 'GET',
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    maxAnswerBytes: maxLabelBytes,
    lookup: createLabelLookup(policy, lookup),
  })
  if (exchanged.ok) return exchanged
  if (exchanged.error.kind === 'not-sent' && exchanged.error.reason === 'address-not-allowed') {
    return err(toHostNotAllowed(url))
  }
  const { kind, error } = failedByTransport(exchanged.error, url)
  return err({ ...notFetched(error.code, error.details), kind })
}

/**
 * Parses a label URL: the `url` of a `DO=N` answer, or the `Location` of a redirect.
 * @param scheme the only accepted one, such as `https:`. It is the service's own, so that no label travels unencrypted
 * unless the service itself is unencrypted
 * @param from the base of a relative URL
 */
function parseLabelUrl(text: string, scheme: string, from?: URL): Result<URL, FailedOutcome> {
  const url = URL.canParse(text, from?.href) ? new URL(text, from?.href) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return err(notFetched('no-web-address'))
  if (url.protocol !== scheme) return err(notFetched('other-scheme', { host: url.host }))
  return ok(url)
}

function readPdf({ body, endsWithConnection }: HttpAnswer, { host }: URL): CarrierOutcome<Buffer> {
  if (body.length === 0) return notFetched('empty')
  if (!looksLikePdf(body)) {
    const error = appError('label-unreadable', { case: 'fetched-no-pdf', bytes: String(body.length) })
    return { ok: false, kind: 'refused', error, answer: null }
  }
  // Only the PDF's own end tells a complete body from a dropped connection then.
  if (endsWithConnection && !hasEndMarker(body)) return notFetched('service-connection-lost', { host })
  return ok(body)
}

/** The label's host, which is named as the list of allowed hosts has to name it, is this computer or in a private network. */
function toHostNotAllowed({ hostname: host }: URL): FailedOutcome {
  const error = appError('label-host-not-allowed', { host, reason: 'private-address' })
  return { ok: false, kind: 'not-sent', error, answer: null }
}

/** SECURITY: the error contains no URL. */
function notFetched(reason: string, details: Readonly<Record<string, string>> = {}): FailedOutcome {
  return {
    ok: false,
    kind: 'refused',
    error: appError('label-not-fetched', { ...details, reason }),
    answer: null,
  }
}

/** The hosts that labels may be fetched from. */
export interface LabelPolicy {
  /** The service's address; null without an account. */
  baseUrl: URL | null
  /** Hosts that are allowed whatever their addresses are. */
  labelHosts: readonly string[]
}

/**
 * Creates a resolver for label hosts that fails with `addressNotAllowed` for addresses of this computer or of a private
 * network: a label URL must not reach what the internet can't reach. The connection uses the checked address itself, so
 * that no second look-up can change it. Such addresses are allowed for listed hosts, and when the service itself has one.
 * @param lookup the resolver; the system's by default
 */
function createLabelLookup(policy: LabelPolicy, lookup: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = Array.isArray(found) ? found : []
      const [first] = addresses
      if (error !== null || first === undefined) {
        callback(error ?? createCodedError('ENOTFOUND'), '')
        return
      }
      const accept = () =>
        options.all === true ? callback(null, addresses) : callback(null, first.address, first.family)
      if (!addresses.some(({ address }) => isPrivateAddress(address)) || isListed(hostname, policy)) accept()
      else {
        isServicePrivate(policy, lookup, (allowed) => {
          if (allowed) accept()
          else callback(createCodedError(addressNotAllowed), '')
        })
      }
    })
  }
}

/** Checks a label URL whose host is an IP address, which no resolver sees. True for host names. */
async function isAllowedLiteral(
  url: URL,
  policy: LabelPolicy,
  lookup: LookupFunction = systemLookup,
): Promise<boolean> {
  const host = withoutBrackets(url.hostname)
  if (isIP(host) === 0 || !isPrivateAddress(host) || isListed(host, policy)) return true
  return new Promise((resolve) => isServicePrivate(policy, lookup, resolve))
}

function isListed(host: string, { labelHosts }: LabelPolicy): boolean {
  return labelHosts.some((listed) => withoutBrackets(listed) === host)
}

function isServicePrivate(
  { baseUrl }: LabelPolicy,
  lookup: LookupFunction,
  done: (isPrivate: boolean) => void,
): void {
  const host = baseUrl === null ? '' : withoutBrackets(baseUrl.hostname)
  if (host === '') done(false)
  else if (isIP(host) !== 0) done(isPrivateAddress(host))
  else {
    lookup(host, { all: true }, (error, found) => {
      const addresses = error === null && Array.isArray(found) ? found : []
      done(addresses.length > 0 && addresses.every(({ address }) => isPrivateAddress(address)))
    })
  }
}

function createCodedError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code })
}

/** IPv4 networks outside of the public internet: this host, private, shared (CGNAT), loopback, link-local … */
const privateNetworksV4: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** The same for IPv6: discard, unique local, link-local, site-local, multicast, Teredo, and local NAT64. */
const privateNetworksV6: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ['100::', 64],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  ['2001::', 32],
  ['64:ff9b:1::', 48],
]

/** How IPv6 embeds an IPv4 address, given as its two halves in hex: compatible, mapped, NAT64 and 6to4. */
const ipv4Embeddings: ReadonlyArray<readonly [wrap: (halves: string) => string, bitsBefore: number]> = [
  [(halves) => `::${halves}`, 96],
  [(halves) => `::ffff:${halves}`, 96],
  [(halves) => `64:ff9b::${halves}`, 96],
  [(halves) => `2002:${halves}::`, 16],
]

const blockList = new BlockList()
for (const [network, prefix] of privateNetworksV4) {
  blockList.addSubnet(network, prefix, 'ipv4')
  for (const [wrap, bitsBefore] of ipv4Embeddings) {
    blockList.addSubnet(wrap(toHexHalves(network)), bitsBefore + prefix, 'ipv6')
  }
}
for (const [network, prefix] of privateNetworksV6) blockList.addSubnet(network, prefix, 'ipv6')

function toHexHalves(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/**
 * Whether an IP address is outside of the public internet: private, shared, loopback, link-local, unspecified, multicast
 * or reserved, also when embedded in IPv6.
 * @param address as the resolver returns it, possibly with a zone such as `%eth0`
 */
export function isPrivateAddress(address: string): boolean {
  const [plain = ''] = address.split('%')
  return blockList.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4')
}
