import { isLoopbackHost } from '../../shared/fleet'
import type { ProxySettings } from '../../shared/network'

/** How one host is reached. `unsupported`: over a proxy of a kind that the app does not speak, such as SOCKS. */
export type Route =
  | { kind: 'direct' }
  | { kind: 'proxy'; host: string; port: number; tls: boolean }
  | { kind: 'unsupported'; place: string }

export type ProxyRoute = Extract<Route, { kind: 'proxy' }>

/** The proxy as `host:port`, which its credentials are kept for. */
export function toPlace({ host, port }: Pick<ProxyRoute, 'host' | 'port'>): string {
  return `${host.toLowerCase()}:${port}`
}

/**
 * Reads what the system says of a host, in the words of a PAC file: «PROXY a:8080; HTTPS b:443; DIRECT».
 * @returns the routes in the order in which they are to be tried; a direct one when nothing is said
 */
export function parseProxyList(text: string): Route[] {
  const routes = text.split(';').flatMap((entry): Route[] => {
    const [kind = '', place = ''] = entry.trim().split(/\s+/)
    if (kind === '') return []
    if (kind.toUpperCase() === 'DIRECT') return [{ kind: 'direct' }]
    const tls = kind.toUpperCase() === 'HTTPS'
    if (!tls && kind.toUpperCase() !== 'PROXY') return [{ kind: 'unsupported', place: entry.trim() }]
    const address = `${tls ? 'https' : 'http'}://${place}`
    if (!URL.canParse(address)) return [{ kind: 'unsupported', place: entry.trim() }]
    const { hostname, port } = new URL(address)
    return [{ kind: 'proxy', host: hostname, port: port === '' ? (tls ? 443 : 80) : Number(port), tls }]
  })
  return routes.length === 0 ? [{ kind: 'direct' }] : routes
}

/**
 * The routes to an origin, in the order in which they are to be tried.
 * @param askSystem what the system's settings say of an origin; never told more than that of a request
 */
export async function findRoutes(
  origin: string,
  settings: ProxySettings,
  askSystem: (origin: string) => Promise<string>,
): Promise<Route[]> {
  const { hostname } = new URL(origin)
  if (settings.mode === 'off') return [{ kind: 'direct' }]
  const isLoopback = isLoopbackHost(hostname)
  if (settings.mode === 'system') {
    return isLoopback ? [{ kind: 'direct' }] : parseProxyList(await askSystem(origin))
  }
  const { host, port, tls, exceptions, loopback } = settings
  if ((isLoopback && !loopback) || exceptions.some((exception) => isExcepted(hostname, exception))) {
    return [{ kind: 'direct' }]
  }
  return [{ kind: 'proxy', host, port, tls }]
}

function isExcepted(hostname: string, exception: string): boolean {
  const host = hostname.toLowerCase()
  const suffix = exception.replace(/^\*/, '')
  return suffix.startsWith('.') ? host.endsWith(suffix) : host === suffix
}
