import { isLoopback } from '../lib/networks'

/**
 * The address behind a tracking link, when it may be handed to a browser: https, or http to this machine, where the
 * demo's simulator is. The same rule as for the service itself.
 */
export function openableLink(link: string | null): URL | null {
  if (link === null || !URL.canParse(link)) return null
  const url = new URL(link)
  if (url.protocol === 'https:') return url
  return url.protocol === 'http:' && isLoopback(url.hostname) ? url : null
}

/** The host that a person is shown before a tracking link is opened; null when it can't be opened. */
export function trackingLinkHost(link: string | null): string | null {
  return openableLink(link)?.host ?? null
}
