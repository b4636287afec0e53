import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isPrivateAddress } from './privateAddress'

/** Where labels may be fetched from. */
export interface LabelPolicy {
  /** The service's address; null without an account. */
  baseUrl: URL | null
  /** Hosts that labels may come from whatever their addresses are. */
  labelHosts: readonly string[]
}

/** The code of the error of a look-up that found an address which labels may not be fetched from. */
export const addressNotAllowed = 'ADDRESS_NOT_ALLOWED'

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
export function labelLookup(policy: LabelPolicy, lookup: LookupFunction = systemLookup): LookupFunction {
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
export async function isAllowedLiteral(
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
