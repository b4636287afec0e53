import { lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { addressNotAllowed } from '../network/network'
import { looksLikePdf } from './createShipment'
import type { HttpAnswer, HttpClient } from './httpClient'
import { type CarrierOutcome, type FailedOutcome, isSuccess, unanswered } from './service'

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

/** Where labels may be fetched from. */
export interface LabelPolicy {
  /** The service's address; null without an account. */
  baseUrl: URL | null
  /** Hosts that labels may come from whatever their addresses are. */
  labelHosts: readonly string[]
}

/** A URL's host as the system's resolver and sockets take it: without the brackets of IPv6. */
function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/**
 * Looks up the address of a label's host, and fails with `addressNotAllowed` when it is one of this computer or of a
 * private network, where a label URL could reach what the internet can not. The connection is made to the very address
 * that was looked at. Such addresses are allowed for hosts on the list, and when the service itself has one.
 * @param lookup the resolver; the system's by default
 */
function labelLookup(policy: LabelPolicy, lookup: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = Array.isArray(found) ? found : []
      const [first] = addresses
      if (error !== null || first === undefined) {
        callback(error ?? codedError('ENOTFOUND'), '')
        return
      }
      const give = () =>
        options.all === true ? callback(null, addresses) : callback(null, first.address, first.family)
      if (!addresses.some(({ address }) => isPrivateAddress(address)) || isListed(hostname, policy)) give()
      else {
        serviceIsPrivate(policy, lookup, (allowed) => {
          if (allowed) give()
          else callback(codedError(addressNotAllowed), '')
        })
      }
    })
  }
}

/** Whether a label URL names an address itself, without a name to look up, and may. */
async function isAllowedLiteral(
  url: URL,
  policy: LabelPolicy,
  lookup: LookupFunction = systemLookup,
): Promise<boolean> {
  const host = bareHost(url)
  if (isIP(host) === 0 || !isPrivateAddress(host) || isListed(host, policy)) return true
  return new Promise((resolve) => serviceIsPrivate(policy, lookup, resolve))
}

function isListed(host: string, { labelHosts }: LabelPolicy): boolean {
  return labelHosts.some((listed) => listed.replace(/^\[|\]$/g, '') === host)
}

function serviceIsPrivate(
  { baseUrl }: LabelPolicy,
  lookup: LookupFunction,
  tell: (isPrivate: boolean) => void,
): void {
  const host = baseUrl === null ? '' : bareHost(baseUrl)
  if (host === '') tell(false)
  else if (isIP(host) !== 0) tell(isPrivateAddress(host))
  else {
    lookup(host, { all: true }, (error, found) => {
      const addresses = error === null && Array.isArray(found) ? found : []
      tell(addresses.length > 0 && addresses.every(({ address }) => isPrivateAddress(address)))
    })
  }
}

function codedError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code })
}

/** Networks of IPv4 that are no part of the internet: this host, private, shared (CGNAT), loopback, link-local … */
const privateNetworks: ReadonlyArray<readonly [network: string, prefix: number]> = [
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

/** The same of IPv6: discard, unique local, link-local, site-local, multicast, Teredo, and local NAT64. */
const privateNetworks6: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ['100::', 64],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  ['2001::', 32],
  ['64:ff9b:1::', 48],
]

/** How IPv6 wraps an address of IPv4, given as its two halves in hex: compatible, mapped, NAT64 and 6to4. */
const wrappings: ReadonlyArray<readonly [wrap: (halves: string) => string, bitsBefore: number]> = [
  [(halves) => `::${halves}`, 96],
  [(halves) => `::ffff:${halves}`, 96],
  [(halves) => `64:ff9b::${halves}`, 96],
  [(halves) => `2002:${halves}::`, 16],
]

const blockList = new BlockList()
for (const [network, prefix] of privateNetworks) {
  blockList.addSubnet(network, prefix, 'ipv4')
  for (const [wrap, bitsBefore] of wrappings) {
    blockList.addSubnet(wrap(hexHalves(network)), bitsBefore + prefix, 'ipv6')
  }
}
for (const [network, prefix] of privateNetworks6) blockList.addSubnet(network, prefix, 'ipv6')

function hexHalves(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/**
 * Whether an IP address is none of the internet's: private, shared, loopback, link-local, unspecified, multicast or
 * reserved, also when IPv6 wraps it.
 * @param address as the resolver gives it, possibly with a zone such as `%eth0`
 */
export function isPrivateAddress(address: string): boolean {
  const [plain = ''] = address.split('%')
  return blockList.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4')
}
