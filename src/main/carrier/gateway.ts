import type { LookupFunction } from 'node:net'
import type { AppStatus } from '../../shared/app'
import type { PreAlertAnswer, PreAlertRequest } from '../../shared/consignments'
import type { AppError, ErrorCode } from '../../shared/errors'
import { ok, type Result } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import type { ShipmentDraft } from '../../shared/shipments'
import type { TrackedCode, TrackingOptions } from '../../shared/tracking'
import type { EventBus } from '../lib/eventBus'
import type { Log } from '../log/log'
import { type Redactor, redactedError } from '../log/redactor'
import { authenticate, type Credentials, type SignedIn } from './authenticate'
import { type CreationOutcome, createShipment, type KeepAnswer, type LabelDelivery } from './createShipment'
import { fetchLabel } from './fetchLabel'
import { type ConnectionFactory, createHttpClient } from './httpClient'
import { sendPreAlert } from './sendPreAlert'
import type { CarrierConnection, CarrierOutcome, Service } from './service'
import { trackBulk, trackCode } from './trackCodes'
import { type ManifestUpload, type UploadAnswer, uploadManifest } from './uploadManifest'

/** The station's session, which provides API keys. */
interface KeySource {
  /** The service's address; null without an account. */
  baseUrl(): URL | null
  key(): Promise<Result<CarrierConnection>>
  call<Value>(operation: (connection: CarrierConnection) => Promise<Result<Value>>): Promise<Result<Value>>
  /** After a refused creation: the operator's next attempt then has another key. */
  renewAfterRefusal(staleKey: string): Promise<unknown>
}

export interface CarrierGatewayDeps {
  session: KeySource
  health: ServiceHealth
  /** Read at each request, so that changed settings apply to the next one. */
  settings: { current(): Pick<Settings, 'network' | 'maxAnswerMegabytes' | 'labelHosts'> }
  /** Creates connections to the service; direct ones by default. */
  network?: ConnectionFactory
  log: Log
  /** The resolver for label hosts; the system's by default. */
  lookup?: LookupFunction
  /** Each label URL is registered here before it is used. Error messages are redacted: the service may quote any secret. */
  redactor: Pick<Redactor, 'addPassing' | 'redact'>
}

/**
 * The service, with an API key. Each call sends one request, which is never repeated. When the service refuses the key, a
 * new one is fetched afterwards, so that the operator's next attempt works.
 */
export interface OpenCarrier {
  /** Opens a connection in advance, while the next request is still being stored. Sends nothing. */
  connect(): void
  /**
   * @param keep stores the answer durably before it is evaluated
   * @param mayLeave called just before the first byte is sent; when it returns false, nothing is sent
   */
  createShipment(
    draft: ShipmentDraft,
    delivery: LabelDelivery,
    keep: KeepAnswer,
    mayLeave: () => boolean,
  ): Promise<CreationOutcome>
  uploadManifest(upload: ManifestUpload): Promise<CarrierOutcome<UploadAnswer>>
  sendPreAlert(request: PreAlertRequest, pdf: Uint8Array): Promise<CarrierOutcome<PreAlertAnswer>>
}

/** The only access to the carrier service. */
export type CarrierGateway = ReturnType<typeof createCarrierGateway>

/**
 * Creates the gateway. It gives each call its key, sends it, records the result in the service's health and in the log,
 * and redacts errors. It keeps connections, but neither credentials nor keys. No operation throws. Only operations that
 * are safe to repeat (tracking) are repeated, once, when the service refuses the key.
 */
export function createCarrierGateway(deps: CarrierGatewayDeps) {
  const { session, health, settings, log } = deps
  const { redact, addPassing: onLabelUrl } = deps.redactor
  const http = createHttpClient(() => settings.current().network, deps.network)

  /** Runs one operation and logs its outcome, without path and messages: they may quote the request. */
  async function run<Value>(
    operation: string,
    sending: Promise<CarrierOutcome<Value>>,
  ): Promise<CarrierOutcome<Value>> {
    const startedAt = performance.now()
    const outcome = await sending
    log.info('the service was called', {
      operation,
      outcome: toLogWord(outcome),
      ...(!outcome.ok && { effect: outcome.kind }),
      ms: Math.round(performance.now() - startedAt),
    })
    return outcome.ok ? outcome : { ...outcome, error: redactedError(outcome.error, redact) }
  }

  async function callRepeatable<Value>(
    operation: string,
    send: (service: Service) => Promise<CarrierOutcome<Value>>,
  ): Promise<Result<Value>> {
    const result = await session.call((connection) => run(operation, send({ http, connection, redact })))
    return health.noting(result)
  }

  function openConnection(connection: CarrierConnection): OpenCarrier {
    const service: Service = { http, connection, redact }

    async function sendOnce<Value>(
      operation: string,
      sending: Promise<CarrierOutcome<Value>>,
    ): Promise<CarrierOutcome<Value>> {
      const outcome = await run(operation, sending)
      health.noting(outcome)
      // Not awaited: the caller has to store the outcome of the request first.
      if (!outcome.ok && outcome.error.code === 'key-refused') {
        void session.renewAfterRefusal(connection.apiKey)
      }
      return outcome
    }

    return {
      connect() {
        service.early = http.connect(connection.baseUrl)
      },
      createShipment(draft, delivery, keep, mayLeave) {
        const maxAnswerBytes = settings.current().maxAnswerMegabytes * 1024 * 1024
        const options = { delivery, maxAnswerBytes, keep, onLabelUrl, mayLeave }
        return sendOnce('create shipment', createShipment(service, draft, options))
      },
      uploadManifest: (upload) => sendOnce('upload manifest', uploadManifest(service, upload)),
      sendPreAlert: (request, pdf) => sendOnce('pre-alert', sendPreAlert(service, request, pdf)),
    }
  }

  return {
    /** Exchanges credentials for a key. The caller records the result in the service's health. */
    authenticate: (credentials: Credentials): Promise<Result<SignedIn>> =>
      run('authenticate', authenticate(http, credentials, redact)),

    /** Gets a key, signing in if necessary, for one request that must not be repeated. Does not send that request. */
    async open(): Promise<Result<OpenCarrier>> {
      const connection = await session.key()
      // A stored key needs no request, so it says nothing about the service's health.
      return connection.ok ? ok(openConnection(connection.value)) : health.noting(connection)
    },

    trackCode: (code: string, options: TrackingOptions): Promise<Result<TrackedCode>> =>
      callRepeatable('track one', (service) => trackCode(service, code, options)),
    /** @param onAnswered called when an answer has arrived, before it is parsed */
    trackBulk: (
      codes: readonly string[],
      options: TrackingOptions,
      onAnswered?: () => void,
    ): Promise<Result<TrackedCode[]>> =>
      callRepeatable('track in bulk', (service) => trackBulk(service, codes, options, onAnswered)),

    /** Fetches the PDF at a label URL. Its host may be another one, so the result does not affect the service's health. */
    fetchLabel(url: string): Promise<Result<Buffer>> {
      onLabelUrl(url)
      const { labelHosts } = settings.current()
      return run(
        'fetch label',
        fetchLabel(http, url, { baseUrl: session.baseUrl(), labelHosts }, deps.lookup),
      )
    },

    /** Aborts every pending request; the outcome of a pending creation is unknown. */
    close: () => http.close(),
  }
}

function toLogWord(outcome: CarrierOutcome<unknown>): string {
  if (outcome.ok) return 'ok'
  const { code, details } = outcome.error
  return details?.reason === undefined ? code : `${code}: ${details.reason}`
}

type ServiceState = AppStatus['service']

/** Errors of the connection to the service, not of the request. */
export const connectionErrors: readonly ErrorCode[] = [
  'service-unreachable',
  'service-insecure',
  'proxy-failed',
  'service-timeout',
  'service-connection-lost',
]

/** Errors that prove that the service answered. */
const answerErrors: readonly ErrorCode[] = [
  'account-refused',
  'key-refused',
  'service-refused',
  'service-busy',
  'service-moved',
  'service-failed',
  'service-answer-not-understood',
]

export type ServiceHealth = ReturnType<typeof createServiceHealth>

const notTriedState: ServiceState = { state: 'not-tried', at: null, error: null }

/** Keeps the result of the last request to the service, for the status bar; starts with «not tried». */
export function createServiceHealth(now: () => Date, bus: Pick<EventBus, 'emit'>) {
  let state = notTriedState

  /** Records a request's result; `undefined` for success. Ignores errors that occurred before a request was sent. */
  function note(error: AppError | undefined): void {
    const before = state
    const broken = error !== undefined && connectionErrors.includes(error.code)
    if (error !== undefined && !broken && !answerErrors.includes(error.code)) return
    state = {
      state: broken ? 'unreachable' : 'reachable',
      at: now().toISOString(),
      error: broken ? error : null,
    }
    if (before.state !== state.state || before.error?.code !== state.error?.code)
      bus.emit('serviceHealthChanged')
  }

  return {
    current: () => state,
    note,
    /** Records a request's result and returns it. */
    noting<Value>(result: Result<Value>): Result<Value> {
      note(result.ok ? undefined : result.error)
      return result
    },
    /** Resets the health, when another service is used from now on. */
    forget(): void {
      state = notTriedState
    },
  }
}
