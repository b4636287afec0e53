import type { AccountStatus } from '../../shared/account'
import type { HandlersOf } from '../../shared/bridge'
import { type AppError, appError } from '../../shared/errors'
import {
  type NetworkStatus,
  type networkMethods,
  type ProxyCredentials,
  type ProxySettings,
  proxyCredentialsSchema,
} from '../../shared/network'
import { err, ok, type Result } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import type { TargetConsent } from '../lib/desktop'
import type { JsonFile } from '../lib/jsonText'
import { readValid } from '../lib/readValid'
import { StoredSecret, type StoredSecretDeps } from '../lib/storedSecret'
import type { Log } from '../log/log'
import type { Redactor } from '../log/redactor'
import { testNetworkConnection } from './connectionTest'
import { Network, type NetworkSettings, toPlace } from './network'
import { Trust, type TrustDeps } from './trust'

export interface CreateNetworkDeps {
  settings: { current(): Settings }
  proxyFile: JsonFile
  vault: StoredSecretDeps['vault']
  memory: StoredSecretDeps['memory']
  redactor: Pick<Redactor, 'add'>
  /** The system's proxies for an origin, in the format of a PAC file. */
  systemProxy(origin: string): Promise<string>
  systemCertificates: TrustDeps['system']
  /** A further file of certificates that was given at start. */
  extraCertificates?: string | undefined
  log: Log
}

/** Creates the network and its proxy credentials. Reads nothing until used. */
export function createNetwork(deps: CreateNetworkDeps) {
  const { vault, memory, redactor, log } = deps
  const kept = new StoredSecret({ file: deps.proxyFile, vault, memory, protect })
  const trust = new Trust({ system: deps.systemCertificates, extraFile: deps.extraCertificates, log })

  /** User and password are also sent together, encoded in one header. */
  function protect(text: string): void {
    const { user, password } = parseCredentials(text) ?? { user: '', password: '' }
    for (const secret of [password, user, `${user}:${password}`]) redactor.add(secret)
  }

  function findCredentials(place: string): ProxyCredentials | null {
    const text = kept.find(place)
    return text === null ? null : parseCredentials(text)
  }

  const network = new Network({ ...deps, trust, findCredentials })

  /** Stores the credentials of one proxy, named as `host:port`; null deletes them. */
  function keepCredentials(place: string, credentials: ProxyCredentials | null): Result<undefined> {
    return kept.keep(place, credentials === null ? null : JSON.stringify(credentials))
  }

  return {
    network,
    trust,
    proxyCredentials: {
      keep: keepCredentials,
      server: () => kept.server(),
      followStorage: () => kept.followStorage(),
      protect: (credentials: ProxyCredentials) => protect(JSON.stringify(credentials)),
    },
  }
}

export interface NetworkHandlerDeps
  extends Pick<ReturnType<typeof createNetwork>, 'network' | 'trust' | 'proxyCredentials'> {
  settings: { current(): Settings }
  session: {
    status(): Pick<AccountStatus, 'state'>
    /** The account's service; null without one that can be read. */
    baseUrl(): URL | null
    /** Sends a request to the service with the account. */
    test(): Promise<Result<unknown>>
  }
  targetConsent: Pick<TargetConsent, 'forNetworkTest'>
}

export function createNetworkHandlers(deps: NetworkHandlerDeps): HandlersOf<typeof networkMethods> {
  const { network, trust, proxyCredentials, settings, session } = deps

  async function status(): Promise<NetworkStatus> {
    const service = session.baseUrl()
    const proxy =
      service === null ? findManual(settings.current().proxy) : await network.findProxy(service.origin)
    return { proxy, credentialsFor: proxyCredentials.server() }
  }

  return {
    getNetwork: async () => ok(await status()),
    async testNetwork({ proxy, certificates, credentials, address }) {
      const present = settings.current()
      const before = { state: session.status().state, baseUrl: session.baseUrl() }
      const origin = toOrigin(address, before.baseUrl)
      if (!origin.ok) return origin
      const named = { proxy, certificates }
      const agreed = await deps.targetConsent.forNetworkTest(origin.value, named, present, before)
      if (!agreed.ok) return agreed
      if (credentials !== null) proxyCredentials.protect(credentials)
      const isInUse =
        JSON.stringify([proxy, certificates]) === JSON.stringify([present.proxy, present.certificates])
      const isAccounts = origin.value.origin === before.baseUrl?.origin
      const wanted: NetworkSettings = { proxy, certificates }
      if (credentials !== null) {
        const service = before.baseUrl ?? origin.value
        const place = findManual(proxy) ?? (await network.findProxy(service.origin, proxy))
        wanted.typed = { place, credentials }
      }
      const tested = await testNetworkConnection(origin.value, wanted, {
        network,
        trust,
        askService: () => (isInUse && isAccounts && credentials === null ? askOnce(session) : null),
      })
      return ok(tested)
    },
    async setProxyCredentials({ credentials }) {
      const { proxy, credentialsFor } = await status()
      const place = credentials === null ? (credentialsFor ?? '') : proxy
      if (place === null) return err(appError('proxy-none'))
      const stored = proxyCredentials.keep(place, credentials)
      return stored.ok ? ok(await status()) : stored
    },
  }
}

async function askOnce(session: NetworkHandlerDeps['session']): Promise<AppError | 'answered'> {
  const asked = await session.test()
  return asked.ok ? 'answered' : asked.error
}

function findManual(proxy: ProxySettings): string | null {
  return proxy.mode === 'manual' ? toPlace(proxy) : null
}

function toOrigin(address: string | null, baseUrl: URL | null): Result<URL> {
  if (address === null) return baseUrl === null ? err(appError('network-target-missing')) : ok(baseUrl)
  const text = /^https?:\/\//i.test(address) ? address : `https://${address}`
  return URL.canParse(text) ? ok(new URL(text)) : err(appError('network-target-missing'))
}

function parseCredentials(text: string): ProxyCredentials | null {
  return readValid(proxyCredentialsSchema, () => JSON.parse(text)) ?? null
}
