import type { Socket } from 'node:net'
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import { type AppError, appError } from '../../shared/errors'
import type { Hop, NetworkTest } from '../../shared/network'
import { systemCode } from '../lib/synced'
import type { Network, NetworkSettings } from './network'
import { ProxyError, proxyError, type Route, toPlace, unreachedReasons, withoutBrackets } from './network'
import type { Trust } from './trust'

export interface ConnectionTestDeps {
  network: Network
  trust: Trust
  /** Sends a request to the service; null when that is not possible with the tested settings. */
  askService(): Promise<AppError | 'answered'> | null
}

const timeoutMs = 10_000

const beforeTunnel: ReadonlySet<string> = new Set(['unreachable', 'insecure', 'unsupported', 'system-silent'])

/** The hop at which a connection through a proxy failed. */
function toFailedHop({ failure: { kind } }: ProxyError): Hop {
  return beforeTunnel.has(kind) ? 'proxy' : 'tunnel'
}

/**
 * Tests the connection to an origin hop by hop: certificates of the settings, proxy, tunnel, the service's certificate, its
 * answer. Sends nothing to the service before the last one.
 */
export async function testNetworkConnection(
  origin: URL,
  settings: NetworkSettings,
  { network, trust: current, askService }: ConnectionTestDeps,
): Promise<NetworkTest> {
  const trust = current.withoutCache()
  const { error: certificateError } = await trust.load(settings.certificates)
  const isSecure = origin.protocol === 'https:'
  let route: Route = { kind: 'direct' }
  const connect = (acceptsAnyCertificate: boolean) =>
    network.connector(
      {
        timeoutMs,
        acceptsAnyCertificate,
        onRoute: (tried) => {
          route = tried
        },
      },
      () => settings,
      trust,
    )
  const target = toTarget(origin)
  const reached: Hop[] = []
  const report = (failed: NetworkTest['failed'], issuer: string | null): NetworkTest => ({
    target: `${origin.hostname}:${target.port}`,
    proxy: route.kind === 'proxy' ? toPlace(route) : route.kind === 'unsupported' ? route.place : null,
    reached,
    failed,
    issuer,
  })

  if (certificateError !== undefined) {
    return report({ hop: 'certificates', error: certificateError }, null)
  }
  current.adopt(trust)
  const made = await open(connect(false), target)
  const throughProxy = () => route.kind !== 'direct'
  if (made instanceof ProxyError) {
    const hop = toFailedHop(made)
    if (hop === 'tunnel') reached.push('proxy')
    return report({ hop, error: proxyError(made.failure, origin.host) }, null)
  }
  if (made instanceof Error) {
    const code = systemCode(made) || made.message
    if (throughProxy()) reached.push('proxy', 'tunnel')
    const seen = isSecure ? await open(connect(true), target) : made
    if (seen instanceof Error) {
      const isReached = isSecure && !unreachedReasons.has(code)
      const error = appError(isReached ? 'service-insecure' : 'service-unreachable', {
        host: origin.host,
        reason: code,
      })
      return report({ hop: isReached ? 'trust' : 'service', error }, null)
    }
    const issuer = describeIssuer(seen)
    seen.destroy()
    const isUntrusted = /SELF_SIGNED|UNABLE_TO|DEPTH_ZERO|UNTRUSTED|CERT_SIGNATURE|INVALID_CA/.test(code)
    const details = { host: origin.host, reason: code }
    const error = isUntrusted
      ? appError('certificate-not-trusted', { ...details, issuer: issuer ?? '?' })
      : appError('service-insecure', details)
    return report({ hop: 'trust', error }, issuer)
  }
  const issuer = describeIssuer(made)
  made.destroy()
  if (throughProxy()) reached.push('proxy', 'tunnel')
  if (isSecure) reached.push('trust')
  const answer = await askService()
  if (answer === 'answered') reached.push('service')
  return report(answer === null || answer === 'answered' ? null : { hop: 'service', error: answer }, issuer)
}

function toTarget({ protocol, hostname, host, port }: URL): buildConnector.Options & { port: string } {
  const bare = withoutBrackets(hostname)
  return { protocol, hostname: bare, host, port: port === '' ? (protocol === 'https:' ? '443' : '80') : port }
}

function open(connect: buildConnector.connector, target: buildConnector.Options): Promise<Socket | Error> {
  return new Promise((resolve) => {
    connect(target, (error, socket) => resolve(error ?? socket))
  })
}

/** The issuer at the top of the certificate's chain. */
function describeIssuer(socket: Socket | null): string | null {
  if (!(socket instanceof TLSSocket)) return null
  const certificate = socket.getPeerCertificate(true)
  if (Object.keys(certificate).length === 0) return null
  const { issuer } = findTop(certificate)
  const name = [issuer.CN, issuer.O].flat().filter((part) => part !== undefined && part !== '')
  return name.length === 0 ? null : name.join(', ').slice(0, 200)
}

const maxDepth = 20

function findTop(certificate: DetailedPeerCertificate): DetailedPeerCertificate {
  let top = certificate
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const next = top.issuerCertificate
    if (next === undefined || next === top || next.fingerprint256 === top.fingerprint256) return top
    top = next
  }
  return top
}
