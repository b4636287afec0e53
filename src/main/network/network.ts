import type { LookupFunction, Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { buildConnector, Dispatcher } from 'undici'
import { type AppError, appError } from '../../shared/errors'
import { isLoopbackHost } from '../../shared/fields'
import type { ProxyCredentials, ProxySettings } from '../../shared/network'
import type { Settings } from '../../shared/settings'
import { inTime } from '../lib/retry'
import { systemCode } from '../lib/synced'
import type { Trust } from './trust'

/** The settings for connections; a connection test may use others than the saved ones. */
export interface NetworkSettings extends Pick<Settings, 'proxy' | 'certificates'> {
  /** Used instead of the stored credentials of one proxy, named as `host:port`. SECURITY: no other proxy gets them. */
  typed?: { place: string | null; credentials: ProxyCredentials }
}

export interface NetworkDeps {
  settings: { current(): Settings }
  /** The system's proxies for an origin, in the format of a PAC file. */
  systemProxy(origin: string): Promise<string>
  trust: Trust
  /** The stored credentials of a proxy; `place` is `host:port`. */
  findCredentials(place: string): ProxyCredentials | null
}

/** Time-out for showing the system's proxy on the screen. */
const statusTimeoutMs = 5_000

/** How long each address of a name is tried in the second round, in milliseconds: a lost packet is sent again after a second. */
const patientAttemptMs = 1_500

/**
 * Creates undici's connector. It tries the addresses of a name one after the other, each for Node's 250 ms: where one kind of
 * address gets no answer, each connection waits that long. If none answers, it tries each for up to 1.5 s, because a slow
 * network may reach the others no faster.
 * @param timeoutMs time-out for each round
 */
export async function toConnector(
  timeoutMs: number,
  more: buildConnector.BuildOptions = {},
): Promise<buildConnector.connector> {
  const { buildConnector: build } = await loadHttpLibrary()
  const autoSelectFamilyAttemptTimeout = Math.min(patientAttemptMs, Math.ceil(timeoutMs / 3))
  const quick = build({ ...more, timeout: timeoutMs })
  const patient = build({ ...more, timeout: timeoutMs, autoSelectFamilyAttemptTimeout })
  return (target, callback) =>
    quick(target, (...result) => {
      const [error] = result
      if (error === null || target.httpSocket !== undefined || systemCode(error) !== 'ETIMEDOUT')
        return callback(...result)
      patient(target, callback)
    })
}

/** Loads undici. The first connection does it: the app needs none until its window is usable. */
export function loadHttpLibrary(): Promise<typeof import('undici')> {
  return import('undici')
}

/** Creates all outgoing HTTP connections, with the proxies and certificates of the settings. */
export class Network {
  constructor(private readonly deps: NetworkDeps) {}

  /** Changes with the connection settings: connections of another revision are not reused. */
  revision(): string {
    const { proxy, certificates } = this.deps.settings.current()
    return JSON.stringify([proxy, certificates])
  }

  /** A connector for undici that uses the current settings and certificates, or others to test them. */
  connector(
    options: ConnectOptions,
    settings: () => NetworkSettings = () => this.deps.settings.current(),
    trust = this.deps.trust,
  ): buildConnector.connector {
    return createConnector({ ...this.deps, trust }, settings, options)
  }

  /** A dispatcher of undici for other requests than the service's, such as updates. The caller closes it. */
  async dispatcher(timeoutMs: number): Promise<Dispatcher> {
    const { Agent } = await loadHttpLibrary()
    return new Agent({ connect: this.connector({ timeoutMs }) })
  }

  /** The proxy for an origin, as `host:port`; null for none, and when the system does not answer in time. */
  async findProxy(origin: string, proxy = this.deps.settings.current().proxy): Promise<string | null> {
    const asked = findRoutesInTime(this.deps, origin, proxy, statusTimeoutMs)
    const routes = await asked.catch(() => [])
    const first = routes.find((route) => route.kind !== 'unsupported')
    return first?.kind === 'proxy' ? toPlace(first) : null
  }

  /** Loads the trusted certificates in advance for the first connection. */
  async warmUp(): Promise<void> {
    await loadHttpLibrary()
    await this.deps.trust.load(this.deps.settings.current().certificates)
  }
}

/** An unreachable PAC file can delay the system's answer for minutes. */
function findRoutesInTime(
  deps: NetworkDeps,
  origin: string,
  proxy: ProxySettings,
  timeoutMs: number,
): Promise<Route[]> {
  return findRoutes(origin, proxy, async (asked) => {
    const answer = await inTime(deps.systemProxy(asked), timeoutMs)
    if (answer === undefined) throw new ProxyError({ kind: 'system-silent', proxy: '' })
    return answer
  })
}

/** How a host is reached. `unsupported`: over a proxy of an unsupported kind, such as SOCKS. */
export type Route =
  | { kind: 'direct' }
  | { kind: 'proxy'; host: string; port: number; tls: boolean }
  | { kind: 'unsupported'; place: string }

type ProxyRoute = Extract<Route, { kind: 'proxy' }>

/** The proxy as `host:port`, the key of its credentials. */
export function toPlace({ host, port }: Pick<ProxyRoute, 'host' | 'port'>): string {
  return `${host.toLowerCase()}:${port}`
}

/**
 * Parses the result of a PAC file: «PROXY a:8080; HTTPS b:443; DIRECT».
 * @returns the routes in the order in which to try them; a direct one for an empty text
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
 * The routes to an origin, in the order in which to try them.
 * @param askSystem the system's proxies for an origin. SECURITY: it gets the origin only, never a path
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

export interface ConnectOptions {
  /** Time-out for each hop. */
  timeoutMs: number
  /** Resolves the host's address, and may refuse it. */
  lookup?: LookupFunction
  /** Called with each route before it is tried. */
  onRoute?: (route: Route) => void
  /** SECURITY: only for inspecting an untrusted certificate; nothing may be sent over such a connection. */
  acceptsAnyCertificate?: boolean
}

/**
 * Creates a connector for undici, direct or through a proxy's tunnel (CONNECT). When a proxy can't be reached, it tries
 * the next route, which is safe: nothing was sent. Every proxy failure is a `ProxyError`.
 */
function createConnector(
  deps: NetworkDeps,
  settings: () => NetworkSettings,
  options: ConnectOptions,
): buildConnector.connector {
  let strict: { trust: SecureContext | undefined; connect: Promise<buildConnector.connector> } | undefined

  /** The trusted certificates; undefined for those of the runtime. */
  async function loadTrust(): Promise<SecureContext | undefined> {
    return (await deps.trust.load(settings().certificates)).context
  }

  /** The connector is kept while the trust stays the same, since it caches TLS sessions for resumption. */
  async function toStrict(): Promise<buildConnector.connector> {
    const trust = await loadTrust()
    if (strict === undefined || strict.trust !== trust) strict = { trust, connect: build(trust) }
    return strict.connect
  }

  async function build(
    trust: SecureContext | undefined,
    more: object = {},
  ): Promise<buildConnector.connector> {
    return toConnector(options.timeoutMs, {
      ...(trust !== undefined && { secureContext: trust }),
      ...more,
    })
  }

  /** The connection to the host itself: over a tunnel, or direct. */
  async function toTarget(lookup?: LookupFunction): Promise<buildConnector.connector> {
    if (options.acceptsAnyCertificate) return build(await loadTrust(), { rejectUnauthorized: false })
    return lookup === undefined ? toStrict() : build(await loadTrust(), { lookup })
  }

  async function open(target: buildConnector.Options): Promise<Socket> {
    const origin = `${target.protocol}//${target.host ?? target.hostname}`
    const routes = await findRoutesInTime(deps, origin, settings().proxy, options.timeoutMs)
    let firstError: ProxyError | undefined
    for (const route of routes) {
      options.onRoute?.(route)
      try {
        return await openBy(route, target)
      } catch (error) {
        if (!isPassedOver(error)) throw error
        // A route that was tried says more than one that is ignored.
        if (firstError === undefined || firstError.failure.kind === 'unsupported') firstError = error
      }
    }
    throw firstError ?? new Error('there is no route')
  }

  async function openBy(route: Route, target: buildConnector.Options): Promise<Socket> {
    if (route.kind === 'unsupported') throw new ProxyError({ kind: 'unsupported', proxy: route.place })
    const { lookup } = options
    if (route.kind === 'direct') return toSocket(await toTarget(lookup), target)
    if (lookup !== undefined) await refuseByAddress(lookup, target.hostname)
    const tunnel = await openTunnel(route, target)
    if (target.protocol !== 'https:') return tunnel
    const connect = await toTarget()
    try {
      return await toSocket(connect, { ...target, httpSocket: tunnel })
    } catch (error) {
      const code = systemCode(error)
      if (code !== 'ECONNRESET' && code !== 'EPIPE') throw error
      throw new ProxyError({ kind: 'broken', proxy: toPlace(route), reason: code })
    }
  }

  async function openTunnel(route: ProxyRoute, target: buildConnector.Options): Promise<Socket> {
    // SECURITY: the proxy gets credentials, so its own certificate is always verified.
    const connect = await toStrict()
    const proxy = toPlace(route)
    const { typed } = settings()
    const credentials = typed?.place === proxy ? typed.credentials : deps.findCredentials(proxy)
    const host = `${bracketed(target.hostname)}:${target.port || defaultPort(target.protocol)}`
    let isConnected = false
    const { Client } = await loadHttpLibrary()
    const client = new Client(`${route.tls ? 'https' : 'http'}://${route.host}:${route.port}`, {
      connect(proxyOptions, callback) {
        // undici would verify the proxy's certificate against the Host header, which names the service.
        connect({ ...proxyOptions, servername: '' }, (...made) => {
          isConnected = made[0] === null
          callback(...made)
        })
      },
      headersTimeout: options.timeoutMs,
      maxHeaderSize: 32 * 1024,
    })
    try {
      const { statusCode, headers, socket } = await client.connect({
        path: host,
        headers: { host, ...(credentials !== null && { 'proxy-authorization': toBasic(credentials) }) },
      })
      if (statusCode >= 200 && statusCode <= 299 && isSocket(socket)) return socket
      socket.on('error', () => undefined).destroy()
      throw refusal(proxy, statusCode, headers['proxy-authenticate'], credentials !== null)
    } catch (error) {
      if (error instanceof ProxyError) throw error
      throw toProxyError(proxy, error, isConnected, route.tls)
    } finally {
      void client.close()
    }
  }

  return (target, callback) => {
    open(target).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
}

/** Whether the next route is to be tried. */
function isPassedOver(error: unknown): error is ProxyError {
  return (
    error instanceof ProxyError &&
    (error.failure.kind === 'unreachable' || error.failure.kind === 'unsupported')
  )
}

function toSocket(connect: buildConnector.connector, target: buildConnector.Options): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connect(target, (error, socket) => {
      if (error === null) resolve(socket)
      else reject(error)
    })
  })
}

function isSocket(socket: unknown): socket is Socket {
  return typeof socket === 'object' && socket !== null && 'setNoDelay' in socket
}

/** The proxy resolves names itself; names that this computer resolves to a forbidden address are refused first. */
function refuseByAddress(lookup: LookupFunction, hostname: string): Promise<void> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error) => {
      if (error !== null && error.code === addressNotAllowed) reject(error)
      else resolve()
    })
  })
}

/** A URL's host as resolvers and sockets expect it: without the brackets of IPv6. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}

function bracketed(hostname: string): string {
  return hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname
}

function defaultPort(protocol: string): number {
  return protocol === 'https:' ? 443 : 80
}

function toBasic({ user, password }: ProxyCredentials): string {
  return `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`
}

function refusal(
  proxy: string,
  status: number,
  challenge: string | string[] | undefined,
  hadCredentials: boolean,
): ProxyError {
  if (status === 407) {
    const schemes = [challenge ?? []].flat().map((each) => each.trim().split(/\s/)[0] ?? '')
    const takesBasic = schemes.length === 0 || schemes.some((scheme) => /^basic$/i.test(scheme))
    const kind = hadCredentials ? 'credentials-refused' : 'credentials-missing'
    return new ProxyError({
      kind: takesBasic ? kind : 'credentials-other',
      proxy,
      schemes: schemes.filter((scheme) => /^[\w-]{1,30}$/.test(scheme)).join(', '),
    })
  }
  const kind = status >= 500 ? 'service-not-reached' : 'refused'
  return new ProxyError({ kind, proxy, status: String(status) })
}

function toProxyError(proxy: string, error: unknown, isConnected: boolean, tls: boolean): ProxyError {
  const code = systemCode(error)
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return new ProxyError({ kind: 'silent', proxy })
  if (isConnected) return new ProxyError({ kind: 'broken', proxy, reason: code })
  const isInsecure = tls && /CERT|SSL|TLS|EPROTO|SIGNED|VERIFY|ISSUER/.test(code)
  return new ProxyError({ kind: isInsecure ? 'insecure' : 'unreachable', proxy, reason: code })
}

/** The error code of a look-up that resolved to a forbidden address. */
export const addressNotAllowed = 'ADDRESS_NOT_ALLOWED'

/** Why a host was not reached. `address-not-allowed`: its address is private. */
export type UnreachedReason =
  | 'name-not-found'
  | 'connection-refused'
  | 'connect-timeout'
  | 'unreachable'
  | 'address-not-allowed'

/** The reasons by the error's code. With TLS any other error is one of the handshake. */
export const unreachedReasons: ReadonlyMap<string, UnreachedReason> = new Map<string, UnreachedReason>([
  ['ENOTFOUND', 'name-not-found'],
  ['EAI_AGAIN', 'name-not-found'],
  ['EAI_FAIL', 'name-not-found'],
  ['EAI_NODATA', 'name-not-found'],
  ['EAI_NONAME', 'name-not-found'],
  ['ECONNREFUSED', 'connection-refused'],
  ['ETIMEDOUT', 'connect-timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect-timeout'],
  ['EHOSTUNREACH', 'unreachable'],
  ['EHOSTDOWN', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['ENETDOWN', 'unreachable'],
  ['EADDRNOTAVAIL', 'unreachable'],
  ['EACCES', 'unreachable'],
  ['EPERM', 'unreachable'],
  [addressNotAllowed, 'address-not-allowed'],
])

/** Why a connection through a proxy failed; nothing was sent to the service. */
export type ProxyFailure =
  /** No connection to the proxy itself. */
  | { kind: 'unreachable'; proxy: string; reason: string }
  | { kind: 'insecure'; proxy: string; reason: string }
  /** The proxy accepted the connection but did not answer in time. */
  | { kind: 'silent'; proxy: string }
  /** The proxy accepted the connection but did not answer as a proxy. */
  | { kind: 'broken'; proxy: string; reason: string }
  /** `schemes`: the authentication schemes that the proxy offers. */
  | {
      kind: 'credentials-missing' | 'credentials-refused' | 'credentials-other'
      proxy: string
      schemes: string
    }
  | { kind: 'refused' | 'service-not-reached'; proxy: string; status: string }
  /** The operating system did not return its proxy in time; `proxy` is empty. */
  | { kind: 'system-silent'; proxy: string }
  /** A proxy of another kind than HTTP. */
  | { kind: 'unsupported'; proxy: string }

/** A failed attempt to connect through a proxy. No byte of the request itself was sent. */
export class ProxyError extends Error {
  readonly code = 'PROXY_FAILED'

  constructor(readonly failure: ProxyFailure) {
    super(`the proxy ${failure.proxy} could not be used: ${failure.kind}`)
  }
}

/** The error for a connection to `host` that failed at a proxy. */
export function proxyError({ kind, ...details }: ProxyFailure, host: string): AppError {
  return appError('proxy-failed', { ...details, host, case: kind })
}
