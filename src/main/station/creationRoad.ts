import { ok } from '../../shared/result'
import type { CarrierClient } from '../carrier/carrierClient'
import type { Session } from '../credentials/session'
import type { CreationService } from '../shipments/creationService'
import type { ServiceHealth } from './serviceHealth'

/**
 * Joins session and client to what the creation of shipments needs. The key is fetched before a creation and renewed
 * after a refusal; a creation itself goes through no repeating path.
 */
export function createCreationService(
  session: Session,
  carrier: CarrierClient,
  health: ServiceHealth,
): CreationService {
  return {
    async open() {
      const connection = await session.key()
      if (!connection.ok) return health.noting(connection)
      return ok({
        async create(draft, delivery, keep) {
          const outcome = await carrier.createShipment(connection.value, draft, delivery, keep)
          health.note(outcome.kind === 'created' ? undefined : outcome.error)
          return outcome
        },
        renewKey: () => session.renewAfterRefusal(connection.value.apiKey),
      })
    },
    fetchLabel: (url) => carrier.fetchLabel(url),
  }
}
