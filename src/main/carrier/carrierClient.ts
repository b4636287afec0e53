import type { PreAlertRequest } from '../../shared/preAlert'
import type { Result } from '../../shared/result'
import type { ShipmentDraft } from '../../shared/shipment'
import type { TrackedCode, TrackingOptions } from '../../shared/tracking'
import type { Log } from '../log/log'
import { authenticate, type Credentials, type SignedIn } from './authenticate'
import type { CarrierConnection } from './connection'
import { createShipment, type LabelDelivery } from './createShipment'
import type { CreationOutcome } from './creationOutcome'
import { fetchLabel } from './fetchLabel'
import { type PreAlertOutcome, sendPreAlert } from './preAlert'
import { trackMany } from './trackMany'
import { trackOne } from './trackOne'
import { createTransport, type Timeouts } from './transport'
import { type ManifestUpload, type UploadOutcome, uploadManifest } from './uploadManifest'

/** The service's operations. None of them throws, and none repeats a request by itself. */
export interface CarrierClient {
  authenticate(credentials: Credentials): Promise<Result<SignedIn>>
  /** One creation request: see `createShipment` for what each outcome promises. */
  createShipment(
    connection: CarrierConnection,
    draft: ShipmentDraft,
    delivery: LabelDelivery,
  ): Promise<CreationOutcome>
  /** The PDF behind the label URL of a creation. */
  fetchLabel(url: string): Promise<Result<Buffer>>
  trackOne(
    connection: CarrierConnection,
    code: string,
    options: TrackingOptions,
  ): Promise<Result<TrackedCode>>
  trackMany(
    connection: CarrierConnection,
    codes: readonly string[],
    options: TrackingOptions,
  ): Promise<Result<TrackedCode[]>>
  /** One upload of a whole manifest: see `uploadManifest` for what each outcome promises. */
  uploadManifest(connection: CarrierConnection, upload: ManifestUpload): Promise<UploadOutcome>
  /** One pre-alert: see `sendPreAlert`. */
  sendPreAlert(
    connection: CarrierConnection,
    request: PreAlertRequest,
    pdf: Uint8Array,
  ): Promise<PreAlertOutcome>
  /** Ends every request under way at once; a creation among them has an unknown outcome. */
  close(): Promise<void>
}

export interface CarrierClientOptions {
  /** Asked at each request, so that changed settings hold for the next one. */
  timeouts: () => Timeouts
  log: Log
  /** Told of each label URL before anything else sees it, so that no log ever holds it. */
  onLabelUrl?: (url: string) => void
}

/** Makes the client. It keeps connections, and neither credentials nor keys. */
export function createCarrierClient({ timeouts, log, onLabelUrl }: CarrierClientOptions): CarrierClient {
  const transport = createTransport(timeouts)

  /** Logs that an operation ended: no path, no words of the service, which may quote the request. */
  async function logged<Value>(
    operation: string,
    run: Promise<Value>,
    outcomeOf: (value: Value) => string,
  ): Promise<Value> {
    const startedAt = performance.now()
    const value = await run
    log.info('service asked', {
      operation,
      outcome: outcomeOf(value),
      ms: Math.round(performance.now() - startedAt),
    })
    return value
  }

  return {
    authenticate: (credentials) => logged('authenticate', authenticate(transport, credentials), resultWord),
    async createShipment(connection, draft, delivery) {
      const creating = createShipment(transport, connection, draft, delivery)
      const outcome = await logged('create shipment', creating, creationWord)
      if (outcome.kind === 'created' && outcome.creation.labelUrl !== null) {
        onLabelUrl?.(outcome.creation.labelUrl)
      }
      return outcome
    },
    fetchLabel(url) {
      onLabelUrl?.(url)
      return logged('fetch label', fetchLabel(transport, url), resultWord)
    },
    trackOne: (connection, code, options) =>
      logged('track one', trackOne(transport, connection, code, options), resultWord),
    trackMany: (connection, codes, options) =>
      logged('track many', trackMany(transport, connection, codes, options), resultWord),
    uploadManifest: (connection, upload) =>
      logged('upload manifest', uploadManifest(transport, connection, upload), outcomeWord),
    sendPreAlert: (connection, request, pdf) =>
      logged('pre-alert', sendPreAlert(transport, connection, request, pdf), outcomeWord),
    close: () => transport.close(),
  }
}

function resultWord(result: Result<unknown>): string {
  return result.ok ? 'ok' : result.error.code
}

function outcomeWord(outcome: UploadOutcome | PreAlertOutcome): string {
  return outcome.kind === 'accepted' ? 'accepted' : `${outcome.kind}: ${outcome.error.code}`
}

function creationWord(outcome: CreationOutcome): string {
  return outcome.kind === 'created' ? 'created' : `${outcome.kind}: ${outcome.error.code}`
}
