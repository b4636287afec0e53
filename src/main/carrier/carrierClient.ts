import type { LookupFunction } from 'node:net'
import type { PreAlertRequest } from '../../shared/consignments'
import { err, type Result } from '../../shared/result'
import type { ShipmentDraft } from '../../shared/shipments'
import type { TrackedCode, TrackingOptions } from '../../shared/tracking'
import type { Log } from '../log/log'
import { authenticate, type Credentials, type SignedIn } from './authenticate'
import type { CarrierConnection } from './connection'
import { createShipment } from './createShipment'
import type { CreationOutcome } from './creationOutcome'
import { type Redact, redactedError } from './discretion'
import { fetchLabel } from './fetchLabel'
import { createTransport, type Timeouts } from './httpClient'
import type { LabelPolicy } from './labelHosts'
import { type PreAlertOutcome, sendPreAlert } from './preAlert'
import type { KeepAnswer, LabelDelivery } from './receivedAnswer'
import { trackMany, trackOne } from './trackCodes'
import { type ManifestUpload, type UploadOutcome, uploadManifest } from './uploadManifest'

/** The service's operations. None of them throws, and none repeats a request by itself. */
export interface CarrierClient {
  authenticate(credentials: Credentials): Promise<Result<SignedIn>>
  /** One creation request: see `createShipment` for what each outcome promises. */
  createShipment(
    connection: CarrierConnection,
    draft: ShipmentDraft,
    delivery: LabelDelivery,
    keep?: KeepAnswer,
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

interface CarrierClientDeps {
  /** Asked at each request, so that changed settings hold for the next one. */
  timeouts: () => Timeouts
  /** Most megabytes of the answer to a creation; 64 by default. */
  maxAnswerMegabytes?: () => number
  log: Log
  /** Where labels may be fetched from; asked at each fetch. */
  labelPolicy: () => LabelPolicy
  /** Looks up the addresses of label hosts; the system's resolver by default. */
  lookup?: LookupFunction
  /** Called with each label URL before anything else sees it, so that no log ever holds it. */
  onLabelUrl?: (url: string) => void
  /** Takes out of a text every secret of the app: the service's own words may quote any of them. */
  redact?: Redact
}

/** Makes the client. It keeps connections, and neither credentials nor keys. */
export function createCarrierClient(options: CarrierClientDeps): CarrierClient {
  const {
    timeouts,
    log,
    maxAnswerMegabytes = () => 64,
    onLabelUrl = () => {},
    redact = (text) => text,
  } = options
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

  /** Whatever an operation put into an error, no secret leaves this folder in it. */
  async function asked<Value>(operation: string, run: Promise<Result<Value>>): Promise<Result<Value>> {
    const result = await logged(operation, run, resultWord)
    return result.ok ? result : err(redactedError(result.error, redact))
  }

  return {
    authenticate: (credentials) => asked('authenticate', authenticate(transport, credentials, redact)),
    async createShipment(connection, draft, delivery, keep = async () => undefined) {
      const discretion = { redact, onLabelUrl }
      const maxBytes = maxAnswerMegabytes() * 1024 * 1024
      const creating = createShipment(transport, connection, draft, delivery, discretion, maxBytes, keep)
      const outcome = await logged('create shipment', creating, creationWord)
      return outcome.kind === 'created'
        ? outcome
        : { ...outcome, error: redactedError(outcome.error, redact) }
    },
    fetchLabel(url) {
      onLabelUrl(url)
      return asked('fetch label', fetchLabel(transport, url, options.labelPolicy(), options.lookup))
    },
    trackOne: (connection, code, options) =>
      asked('track one', trackOne(transport, connection, code, options, redact)),
    trackMany: (connection, codes, options) =>
      asked('track many', trackMany(transport, connection, codes, options, redact)),
    async uploadManifest(connection, upload) {
      const uploading = uploadManifest(transport, connection, upload, redact)
      const outcome = await logged('upload manifest', uploading, outcomeWord)
      return outcome.kind === 'accepted'
        ? outcome
        : { ...outcome, error: redactedError(outcome.error, redact) }
    },
    async sendPreAlert(connection, request, pdf) {
      const sending = sendPreAlert(transport, connection, request, pdf, redact)
      const outcome = await logged('pre-alert', sending, outcomeWord)
      return outcome.kind === 'accepted'
        ? outcome
        : { ...outcome, error: redactedError(outcome.error, redact) }
    },
    close: () => transport.close(),
  }
}

function resultWord(result: Result<unknown>): string {
  if (result.ok) return 'ok'
  const { code, details } = result.error
  return details?.reason === undefined ? code : `${code}: ${details.reason}`
}

function outcomeWord(outcome: UploadOutcome | PreAlertOutcome): string {
  return outcome.kind === 'accepted' ? 'accepted' : `${outcome.kind}: ${outcome.error.code}`
}

function creationWord(outcome: CreationOutcome): string {
  return outcome.kind === 'created' ? 'created' : `${outcome.kind}: ${outcome.error.code}`
}
