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
import { type Connecting, createHttpClient } from './httpClient'
import { sendPreAlert } from './sendPreAlert'
import type { CarrierConnection, CarrierOutcome, Service } from './service'
import { trackMany, trackOne } from './trackCodes'
import { type ManifestUpload, type UploadAnswer, uploadManifest } from './uploadManifest'

/** Where keys come from, and which service they open: the station's session. */
interface KeySource {
  /** The service's address; null without an account. */
  baseUrl(): URL | null
  key(): Promise<Result<CarrierConnection>>
  call<Value>(operation: (connection: CarrierConnection) => Promise<Result<Value>>): Promise<Result<Value>>
  renewAfterRefusal(staleKey: string): Promise<void>
}

export interface CarrierGatewayDeps {
  session: KeySource
  health: ServiceHealth
  /** Asked at each request, so that changed settings hold for the next one. */
  settings: { current(): Pick<Settings, 'network' | 'maxAnswerMegabytes' | 'labelHosts'> }
  /** How the service is connected to; directly by default. */
  network?: Connecting
  log: Log
  /** Looks up the addresses of label hosts; the system's resolver by default. */
  lookup?: LookupFunction
  /** Learns each label URL before anything else sees it; the service's own words may quote any secret of the app. */
  redactor: Pick<Redactor, 'addPassing' | 'redact'>
}

/**
 * The service with a key in hand. Each call sends one request, which is never repeated. When the service refuses the
 * key, a new one is fetched afterwards, so that the operator's next try works.
 */
export interface OpenCarrier {
  /** Begins to connect for a request that follows in a moment, while it is written down. Nothing is sent. */
  connect(): void
  /**
   * @param keep stores the answer durably before it is judged
   * @param mayLeave asked just before the first byte: when it says no, nothing was sent
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

/** The one way to the service. */
export type CarrierGateway = ReturnType<typeof createCarrierGateway>

/**
 * Makes the gateway: each call gets its key, is sent, noted in the service's health and in the log, and what comes out
 * holds no secret. It keeps connections, and neither credentials nor keys. No operation throws. Only what is safe to
 * repeat (tracking) is asked again, once, when the key was refused.
 */
export function createCarrierGateway(deps: CarrierGatewayDeps) {
  const { session, health, settings, log } = deps
  const { redact, addPassing: onLabelUrl } = deps.redactor
  const http = createHttpClient(() => settings.current().network, deps.network)

  /** Runs one operation: its end is logged without path and words, which may quote the request. */
  async function run<Value>(
    operation: string,
    sending: Promise<CarrierOutcome<Value>>,
  ): Promise<CarrierOutcome<Value>> {
    const startedAt = performance.now()
    const outcome = await sending
    log.info('service asked', {
      operation,
      outcome: toLogWord(outcome),
      ...(!outcome.ok && { effect: outcome.kind }),
      ms: Math.round(performance.now() - startedAt),
    })
    return outcome.ok ? outcome : { ...outcome, error: redactedError(outcome.error, redact) }
  }

  /** Runs an operation that is safe to repeat, with a key. */
  async function ask<Value>(
    operation: string,
    send: (service: Service) => Promise<CarrierOutcome<Value>>,
  ): Promise<Result<Value>> {
    const result = await session.call((connection) => run(operation, send({ http, connection, redact })))
    return health.noting(result)
  }

  function openWith(connection: CarrierConnection): OpenCarrier {
    const service: Service = { http, connection, redact }

    async function sendOnce<Value>(
      operation: string,
      sending: Promise<CarrierOutcome<Value>>,
    ): Promise<CarrierOutcome<Value>> {
      const outcome = await run(operation, sending)
      health.noting(outcome)
      // Not waited for: what became of the request is to be stored first.
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
    /** Exchanges credentials for a key; notes nothing in the service's health: whoever wants a key does. */
    authenticate: (credentials: Credentials): Promise<Result<SignedIn>> =>
      run('authenticate', authenticate(http, credentials, redact)),

    /** Gets a key, signing in if need be, for one request that must not be repeated. The request itself is not sent yet. */
    async open(): Promise<Result<OpenCarrier>> {
      const connection = await session.key()
      // A key that was kept says nothing of the service.
      return connection.ok ? ok(openWith(connection.value)) : health.noting(connection)
    },

    trackOne: (code: string, options: TrackingOptions): Promise<Result<TrackedCode>> =>
      ask('track one', (service) => trackOne(service, code, options)),
    /** @param onAnswered told when an answer has come, before it is read */
    trackMany: (
      codes: readonly string[],
      options: TrackingOptions,
      onAnswered?: () => void,
    ): Promise<Result<TrackedCode[]>> =>
      ask('track many', (service) => trackMany(service, codes, options, onAnswered)),

    /** The PDF behind the label URL of a creation. It may lie elsewhere, so it says nothing of the service. */
    fetchLabel(url: string): Promise<Result<Buffer>> {
      onLabelUrl(url)
      const { labelHosts } = settings.current()
      return run(
        'fetch label',
        fetchLabel(http, url, { baseUrl: session.baseUrl(), labelHosts }, deps.lookup),
      )
    },

    /** Ends every request under way at once; a creation among them has an unknown outcome. */
    close: () => http.close(),
  }
}

function toLogWord(outcome: CarrierOutcome<unknown>): string {
  if (outcome.ok) return 'ok'
  const { code, details } = outcome.error
  return details?.reason === undefined ? code : `${code}: ${details.reason}`
}

type ServiceState = AppStatus['service']

/** Failures that speak of the way to the service, not of what was asked of it. */
export const connectionErrors: readonly ErrorCode[] = [
  'service-unreachable',
  'service-insecure',
  'proxy-failed',
  'service-timeout',
  'service-connection-lost',
]

/** Failures that only an answer of the service can bring. */
const answered: readonly ErrorCode[] = [
  'account-refused',
  'key-refused',
  'service-refused',
  'service-busy',
  'service-moved',
  'service-failed',
  'service-answer-not-understood',
]

export type ServiceHealth = ReturnType<typeof createServiceHealth>

const notTried: ServiceState = { state: 'not-tried', at: null, error: null }

/** Remembers how the last request to the service went, for the status bar; starts with «not tried». */
export function createServiceHealth(now: () => Date, bus: Pick<EventBus, 'emit'>) {
  let state = notTried

  /** Takes note of a request's end; `undefined` when it went well. An error that came before any request says nothing. */
  function note(error: AppError | undefined): void {
    const before = state
    const broken = error !== undefined && connectionErrors.includes(error.code)
    if (error !== undefined && !broken && !answered.includes(error.code)) return
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
    /** Takes note of a request's end and hands its result on. */
    noting<Value>(result: Result<Value>): Result<Value> {
      note(result.ok ? undefined : result.error)
      return result
    },
    /** Another service is asked from now on. */
    forget(): void {
      state = notTried
    },
  }
}
