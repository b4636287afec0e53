import type { PreAlertRequest } from '../../shared/consignments'
import type { AppError } from '../../shared/errors'
import { ok, type Result } from '../../shared/result'
import type { ShipmentDraft } from '../../shared/shipments'
import type { TrackedCode, TrackingOptions } from '../../shared/tracking'
import type { CarrierClient } from './carrierClient'
import type { CarrierConnection } from './connection'
import type { CreationOutcome } from './creationOutcome'
import type { PreAlertOutcome } from './preAlert'
import type { KeepAnswer, LabelDelivery } from './receivedAnswer'
import type { ServiceHealth } from './serviceHealth'
import type { ManifestUpload, UploadOutcome } from './uploadManifest'

/**
 * The one way from the features to the service: each call gets its key, is sent, and is noted in the service's health.
 * What is safe to repeat (tracking) is asked again once when the key was refused. Nothing else is ever repeated.
 */
export interface CarrierGateway {
  /** Gets a key, signing in if need be, for one request that must not be repeated. The request itself is not sent yet. */
  open(): Promise<Result<OpenCarrier>>
  trackOne(code: string, options: TrackingOptions): Promise<Result<TrackedCode>>
  trackMany(codes: readonly string[], options: TrackingOptions): Promise<Result<TrackedCode[]>>
  /** The PDF behind the label URL of a creation. */
  fetchLabel(url: string): Promise<Result<Buffer>>
}

/**
 * The service with a key in hand. Each call sends one request. When the service refuses the key, a new one is fetched
 * afterwards, so that the operator's next try works.
 */
export interface OpenCarrier {
  /** @param keep stores the answer durably before it is judged */
  createShipment(draft: ShipmentDraft, delivery: LabelDelivery, keep: KeepAnswer): Promise<CreationOutcome>
  uploadManifest(upload: ManifestUpload): Promise<UploadOutcome>
  sendPreAlert(request: PreAlertRequest, pdf: Uint8Array): Promise<PreAlertOutcome>
}

/** Where keys come from: the station's session. */
interface KeySource {
  key(): Promise<Result<CarrierConnection>>
  call<Value>(operation: (connection: CarrierConnection) => Promise<Result<Value>>): Promise<Result<Value>>
  renewAfterRefusal(staleKey: string): Promise<void>
}

/** Makes the gateway. Nothing is asked yet. */
export function createCarrierGateway(
  client: CarrierClient,
  keys: KeySource,
  health: ServiceHealth,
): CarrierGateway {
  function openWith(connection: CarrierConnection): OpenCarrier {
    async function noted<Outcome extends SentOutcome>(sending: Promise<Outcome>): Promise<Outcome> {
      const outcome = await sending
      const error = errorOf(outcome)
      health.note(error)
      // Not waited for: what became of the request is to be stored first.
      if (error?.code === 'key-refused') void keys.renewAfterRefusal(connection.apiKey)
      return outcome
    }
    return {
      createShipment: (draft, delivery, keep) =>
        noted(client.createShipment(connection, draft, delivery, keep)),
      uploadManifest: (upload) => noted(client.uploadManifest(connection, upload)),
      sendPreAlert: (request, pdf) => noted(client.sendPreAlert(connection, request, pdf)),
    }
  }

  return {
    async open() {
      const connection = await keys.key()
      // A key that was kept says nothing of the service.
      return connection.ok ? ok(openWith(connection.value)) : health.noting(connection)
    },
    trackOne: async (code, options) =>
      health.noting(await keys.call((connection) => client.trackOne(connection, code, options))),
    trackMany: async (codes, options) =>
      health.noting(await keys.call((connection) => client.trackMany(connection, codes, options))),
    fetchLabel: (url) => client.fetchLabel(url),
  }
}

type SentOutcome = CreationOutcome | UploadOutcome | PreAlertOutcome

function errorOf(outcome: SentOutcome): AppError | undefined {
  return outcome.kind === 'created' || outcome.kind === 'accepted' ? undefined : outcome.error
}
