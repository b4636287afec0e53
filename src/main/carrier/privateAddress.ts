import { BlockList } from 'node:net'

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
