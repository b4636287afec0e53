import type { buildConnector } from 'undici'
import { Agent, type Dispatcher } from 'undici'
import type { ProxyCredentials } from '../../shared/network'
import type { Settings } from '../../shared/settings'
import { type ConnectOptions, createConnector, findRoutes, type Route, toPlace } from './connect'
import { ProxyError } from './proxyError'
import type { Trust } from './trust'

/** What connections are made by. Others than those in use may be tried. */
export interface NetworkSettings extends Pick<Settings, 'proxy' | 'certificates'> {
  /** Instead of those that are kept for the proxy. */
  credentials?: ProxyCredentials
}

export interface NetworkDeps {
  settings: { current(): Settings }
  /** What the system's settings say of an origin, in the words of a PAC file. */
  systemProxy(origin: string): Promise<string>
  trust: Trust
  /** What is kept for a proxy, named as `host:port`. */
  findCredentials(place: string): ProxyCredentials | null
}

/** Longest wait for what the screen shows of the system's proxy, in milliseconds. */
const statusTimeoutMs = 5_000

/** The one way of all HTTP to the outside: through the proxies, and by the certificates, that the settings name. */
export class Network {
  constructor(private readonly deps: NetworkDeps) {}

  /** Changes with the settings that connections are made by: those that were made before are not used again then. */
  revision(): string {
    const { proxy, certificates } = this.deps.settings.current()
    return JSON.stringify([proxy, certificates])
  }

  /** Makes connections for the HTTP library by the settings of the moment. */
  connector(options: ConnectOptions): buildConnector.connector {
    return this.connectorBy(() => this.deps.settings.current(), options)
  }

  /** The same by other settings, to try them. */
  connectorBy(settings: () => NetworkSettings, options: ConnectOptions): buildConnector.connector {
    const { findCredentials } = this.deps
    return createConnector(
      {
        routes: (origin) => this.findRoutes(origin, settings(), options.timeoutMs),
        credentials: (place) => settings().credentials ?? findCredentials(place),
        trust: async () => (await this.deps.trust.load(settings().certificates)).context,
      },
      options,
    )
  }

  /** A dispatcher of undici for other HTTP than the service's, such as looking for updates. Whoever asks for it closes it. */
  dispatcher(timeoutMs: number): Dispatcher {
    return new Agent({ connect: this.connector({ timeoutMs }) })
  }

  /** The proxy that leads to an origin now, as `host:port`; null for none, and when the system does not say in time. */
  async findProxy(origin: string): Promise<string | null> {
    const asked = this.findRoutes(origin, this.deps.settings.current(), statusTimeoutMs)
    const routes = await asked.catch(() => [])
    const first = routes.find((route) => route.kind !== 'unsupported')
    return first?.kind === 'proxy' ? toPlace(first) : null
  }

  /** Reads what verifying certificates takes, so that the first connection does not wait for it. */
  async warmUp(): Promise<void> {
    await this.deps.trust.load(this.deps.settings.current().certificates)
  }

  private findRoutes(origin: string, { proxy }: NetworkSettings, timeoutMs: number): Promise<Route[]> {
    return findRoutes(origin, proxy, (asked) => this.askSystem(asked, timeoutMs))
  }

  /** A PAC file that is not answered for can hold up the system's answer for minutes. */
  private askSystem(origin: string, timeoutMs: number): Promise<string> {
    const failure = new ProxyError({ kind: 'system-silent', proxy: '' })
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(failure), timeoutMs)
      this.deps
        .systemProxy(origin)
        .then(resolve, () => reject(failure))
        .finally(() => clearTimeout(timer))
    })
  }
}
