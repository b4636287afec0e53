import { ok, type Result } from '../../shared/result'
import type { CarrierClient } from '../carrier/carrierClient'
import type { CarrierConnection } from '../carrier/connection'
import type { PreAlertOutcome } from '../carrier/preAlert'
import type { UploadOutcome } from '../carrier/uploadManifest'
import type { Session } from '../credentials/session'
import type { UploadService } from '../manifests/uploads'
import type { PreAlertService } from '../preAlerts/preAlerts'
import type { ServiceHealth } from './serviceHealth'

/**
 * Joins session and client to what manifests and pre-alerts need. The key is fetched before a request and renewed
 * after a refusal; the request itself goes through no repeating path.
 */
export function createConsignmentServices(
  session: Session,
  carrier: CarrierClient,
  health: ServiceHealth,
): { uploads: UploadService; preAlerts: PreAlertService } {
  const open = async (): Promise<Result<CarrierConnection>> => health.noting(await session.key())
  const done = async <Outcome extends UploadOutcome | PreAlertOutcome>(
    connection: CarrierConnection,
    outcome: Outcome,
  ): Promise<Outcome> => {
    const error = outcome.kind === 'accepted' ? undefined : outcome.error
    health.note(error)
    if (error?.code === 'key-refused') await session.renewAfterRefusal(connection.apiKey)
    return outcome
  }
  return {
    uploads: {
      async open() {
        const connection = await open()
        if (!connection.ok) return connection
        return ok({
          async upload(body, lock, onSent) {
            const outcome = await carrier.uploadManifest(connection.value, { body, lock, onSent })
            return done(connection.value, outcome)
          },
        })
      },
    },
    preAlerts: {
      async open() {
        const connection = await open()
        if (!connection.ok) return connection
        return ok({
          async send(request, pdf) {
            const outcome = await carrier.sendPreAlert(connection.value, request, pdf)
            return done(connection.value, outcome)
          },
        })
      },
    },
  }
}
