import {
  type CarrierGateway,
  createCarrierGateway,
  createServiceHealth,
} from '../../src/main/carrier/gateway'
import { createEventBus } from '../../src/main/lib/eventBus'
import { ok } from '../../src/shared/result'
import { defaultSettings } from '../../src/shared/settings'
import { noRedactor } from './noRedactor'
import { silentLog } from './silentLog'

/** A gateway to a service on this computer, with an API key and without a sign-in. */
export function createKeyedGateway(
  origin: string,
  timeouts: { connectTimeoutMs: number; answerTimeoutMs: number },
): CarrierGateway {
  const baseUrl = new URL(origin)
  const connection = { baseUrl, apiKey: 'k3y-0f-the-station' }
  return createCarrierGateway({
    session: {
      baseUrl: () => baseUrl,
      key: async () => ok(connection),
      call: (operation) => operation(connection),
      renewAfterRefusal: async () => undefined,
    },
    health: createServiceHealth(() => new Date(), createEventBus()),
    settings: { current: () => ({ ...defaultSettings, network: timeouts }) },
    redactor: noRedactor,
    log: silentLog,
  })
}
