import type { accountMethods } from '../../shared/account'
import type { HandlersOf } from '../../shared/bridge'
import { createCarrierGateway, createServiceHealth } from '../carrier/gateway'
import type { ConnectionFactory } from '../carrier/httpClient'
import { parseBaseUrl } from '../carrier/service'
import type { AccountBefore, TargetConsent } from '../lib/desktop'
import type { EventBus } from '../lib/eventBus'
import type { SecretMemory } from '../lib/storedSecret'
import type { Log } from '../log/log'
import type { Redactor } from '../log/redactor'
import type { SettingsStore } from '../settings/settingsStore'
import { Session } from './session'
import type { StoredAccount, Vault } from './vault'

interface AccountDeps {
  settings: Pick<SettingsStore, 'current'>
  vault: Vault
  memory: SecretMemory<StoredAccount>
  network: ConnectionFactory
  redactor: Redactor
  targetConsent: Pick<TargetConsent, 'forAccount' | 'noteForgotten'>
  bus: EventBus
  log: Log
  now: () => Date
}

/** Creates the session and the carrier gateway, which depend on each other: the session signs in through the gateway. */
export function createAccount(deps: AccountDeps) {
  const { targetConsent } = deps
  const health = createServiceHealth(deps.now, deps.bus)
  const session = new Session({ ...deps, authenticate: (credentials) => carrier.authenticate(credentials) })
  const carrier = createCarrierGateway({ ...deps, session, health })
  const before = (): AccountBefore => ({ state: session.status().state, baseUrl: session.baseUrl() })
  const handlers: HandlersOf<typeof accountMethods> = {
    connectAccount: async (input) => {
      const agreed = await targetConsent.forAccount(input.baseUrl, before())
      if (!agreed.ok) return agreed
      const connected = await session.connect(input)
      // A failure at another address says nothing about the account's service, which stays in use.
      const typed = parseBaseUrl(input.baseUrl)
      const isAccounts = typed.ok && typed.value.origin === session.baseUrl()?.origin
      return isAccounts ? health.noting(connected) : connected
    },
    testAccount: async () => {
      await session.unlock()
      return health.noting(await session.test())
    },
    forgetAccount: () => {
      targetConsent.noteForgotten(before())
      return session.forget()
    },
  }
  return { health, carrier, session, handlers }
}
