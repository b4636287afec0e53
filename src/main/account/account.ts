import { createCarrierGateway, createServiceHealth } from '../carrier/gateway'
import type { Connecting } from '../carrier/httpClient'
import type { EventBus } from '../lib/eventBus'
import type { Log } from '../log/log'
import type { Redactor } from '../log/redactor'
import type { SettingsStore } from '../settings/settingsStore'
import { type AccountHandlerDeps, createAccountHandlers } from './handlers'
import { createSession } from './session'
import type { Vault } from './vault'

export interface AccountDeps {
  settings: Pick<SettingsStore, 'current'>
  vault: Vault
  network: Connecting
  redactor: Redactor
  targetConsent: AccountHandlerDeps['consent']
  bus: EventBus
  log: Log
  now: () => Date
}

/** The account at the service, and the gateway that works with it: each signs in through the other. */
export function createAccount(deps: AccountDeps) {
  const { settings, vault, redactor, log } = deps
  const health = createServiceHealth(deps.now, deps.bus)
  const carrier = createCarrierGateway({
    keys: () => session,
    health,
    timeouts: () => settings.current().network,
    network: deps.network,
    maxAnswerMegabytes: () => settings.current().maxAnswerMegabytes,
    labelPolicy: () => ({ baseUrl: session.baseUrl(), labelHosts: settings.current().labelHosts }),
    log,
    onLabelUrl: redactor.addPassing,
    redact: redactor.redact,
  })
  const session = createSession({ vault, client: carrier, redactor, log })
  const handlers = createAccountHandlers({ session, health, consent: deps.targetConsent })
  return { health, carrier, session, handlers }
}
