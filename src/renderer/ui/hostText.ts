const longest = 40

/** The end of a long host name: that is the part which says whose it is. */
export function shortHost(host: string): string {
  return host.length > longest ? `…${host.slice(-longest)}` : host
}
