import { createCarrierGateway } from '../carrier/gateway'
import { createServiceHealth } from '../carrier/serviceHealth'
import type { EventBus } from '../lib/eventBus'
import type { JsonFile } from '../lib/jsonText'
import type { Log } from '../log/log'
import type { Redactor } from '../log/redactor'

import type { SettingsStore } from '../settings/settingsStore'

import { type AccountHandlerDeps, createAccountHandlers } from './handlers'
import { createSession } from './session'
import { type Cipher, createVault } from './vault'

export interface AccountDeps {
  settings: Pick<SettingsStore, 'current'>
  vaultFile: JsonFile
  cipher: Cipher
  redactor: Redactor
  targetConsent: AccountHandlerDeps['consent']
  bus: EventBus
  log: Log
  now: () => Date
}

/** The account at the service, and the gateway that works with it: each signs in through the other. */
export function createAccount(deps: AccountDeps) {
  const { settings, redactor, log } = deps
  const allowWeak = () => settings.current().allowWeakStorage
  const vault = createVault({ file: deps.vaultFile, cipher: deps.cipher, allowWeak })
  const health = createServiceHealth(deps.now, deps.bus)
  const carrier = createCarrierGateway({
    keys: () => session,
    health,
    timeouts: () => settings.current().network,
    maxAnswerMegabytes: () => settings.current().maxAnswerMegabytes,
    labelPolicy: () => ({ baseUrl: session.baseUrl(), labelHosts: settings.current().labelHosts }),
    log,
    onLabelUrl: redactor.addPassing,
    redact: redactor.redact,
  })
  const session = createSession({ vault, client: carrier, redactor, log })
  const handlers = createAccountHandlers({ session, health, consent: deps.targetConsent })
  return { vault, health, carrier, session, handlers }
}
