import { BlockList } from 'node:net'
import { isLoopbackHost } from '../../shared/fields'

const ownNetworks = new BlockList()
for (const [address, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  ownNetworks.addSubnet(address, bits, 'ipv4')
}

/** Whether an IPv4 address is private (RFC 1918) or link-local; loopback addresses (127.0.0.0/8) are not. */
export function isOnOwnNetwork(address: string): boolean {
  return ownNetworks.check(address, 'ipv4')
}

/**
 * The URL of a link that may be opened in a browser: https, or http to a loopback address; otherwise null. The same rule
 * as for the service's address.
 */
export function toOpenableUrl(link: string | null): URL | null {
  if (link === null || !URL.canParse(link)) return null
  const url = new URL(link)
  if (url.protocol === 'https:') return url
  return url.protocol === 'http:' && isLoopbackHost(url.hostname) ? url : null
}

/** The host that a person is shown before a tracking link is opened; null when it can't be opened. */
export function findLinkHost(link: string | null): string | null {
  return toOpenableUrl(link)?.host ?? null
}
