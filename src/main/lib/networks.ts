import { BlockList } from 'node:net'

const ownNetworks = new BlockList()
for (const [address, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  ownNetworks.addSubnet(address, bits, 'ipv4')
}

/** Whether an IPv4 address is one of a private network or of a link; not so for this computer's own 127.0.0.0/8. */
export function isOnOwnNetwork(address: string): boolean {
  return ownNetworks.check(address, 'ipv4')
}

/** Whether a URL's host name is this computer; the URL parser has normalised other spellings of the addresses. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

/**
 * The address behind a link, when it may be handed to a browser: https, or http to this computer itself. The same rule as
 * for the service.
 */
export function toOpenableUrl(link: string | null): URL | null {
  if (link === null || !URL.canParse(link)) return null
  const url = new URL(link)
  if (url.protocol === 'https:') return url
  return url.protocol === 'http:' && isLoopback(url.hostname) ? url : null
}

/** The host that a person is shown before a tracking link is opened; null when it can't be opened. */
export function findLinkHost(link: string | null): string | null {
  return toOpenableUrl(link)?.host ?? null
}
