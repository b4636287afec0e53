import type { KeepAnswer, LabelDelivery } from '../../../src/main/carrier/createShipment'
import type { LabelPolicy } from '../../../src/main/carrier/fetchLabel'
import {
  type CarrierGatewayDeps,
  createCarrierGateway,
  createServiceHealth,
} from '../../../src/main/carrier/gateway'
import type { CarrierConnection, CarrierOutcome } from '../../../src/main/carrier/service'
import type { ManifestUpload } from '../../../src/main/carrier/uploadManifest'
import { createEventBus } from '../../../src/main/lib/eventBus'
import type { Log } from '../../../src/main/log/log'
import type { PreAlertRequest } from '../../../src/shared/consignments'
import { ok, type Result } from '../../../src/shared/result'
import { defaultSettings, type Settings } from '../../../src/shared/settings'
import type { ShipmentDraft } from '../../../src/shared/shipments'
import type { TrackingOptions } from '../../../src/shared/tracking'
import { noRedactor } from '../../support/noRedactor'

/** A draft with every field filled. */
export const draft: ShipmentDraft = {
  createdBy: 'station-1',
  printPhoneNumber: '+31101234567',
  carrierId: 12,
  carrierOptionId: 34,
  signatureRequired: true,
  numberOfPackages: 1,
  weight: 1.25,
  length: 30,
  width: 20,
  height: 10,
  isCompany: false,
  companyName: '',
  firstName: 'Zoë',
  lastName: 'de Vries',
  email: 'zoe@example.com',
  phoneNumber: '+31612345678',
  content: 'books',
  street: 'Kade',
  houseNumber: '12',
  postalCode: '3011 AB',
  city: 'Rotterdam',
  country: 'NL',
  reference: 'ORDER-1',
  reference2: '',
  returnLabel: false,
}

export const trackingOptions: TrackingOptions = {
  flightTracking: 'exclude',
  language: 'en',
  type: 'barcode',
  details: 'full',
}

/** A PDF of one empty page. */
export const pdf = Buffer.from(`%PDF-1.7
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 283 425]>> endobj
trailer <</Root 1 0 R /Size 4>>
%%EOF
`)

/** The service's answer to a creation, with the label content. */
export const directAnswer = {
  status: true,
  labels: [
    {
      barcode: '3SPACK0001',
      labeltype: 'pdf',
      encodeType: 'base64',
      content: pdf.toString('base64'),
      carrierId: '12',
      carrierOptionId: '34',
      shipmentId: '77',
    },
  ],
  shipmentID: '77',
  SubLogID: 'SUB77',
}

const silentLog: Log = { info() {}, warn() {}, error() {} }

export type CarrierClient = ReturnType<typeof createCarrierClient>

interface CarrierClientDeps extends Pick<CarrierGatewayDeps, 'network' | 'log' | 'lookup'> {
  timeouts(): Settings['network']
  labelPolicy(): LabelPolicy
  maxAnswerMegabytes?: number
  redactor?: CarrierGatewayDeps['redactor']
}

/** The gateway with the service's address and key as arguments of each call. */
export function createCarrierClient({ timeouts, labelPolicy, ...deps }: CarrierClientDeps) {
  const { maxAnswerMegabytes = defaultSettings.maxAnswerMegabytes } = deps
  let current: CarrierConnection | undefined
  const key = (): CarrierConnection => {
    if (current === undefined) throw new Error('no connection was given')
    return current
  }
  const gateway = createCarrierGateway({
    redactor: noRedactor,
    ...deps,
    settings: {
      current: () => ({
        network: timeouts(),
        maxAnswerMegabytes,
        labelHosts: [...labelPolicy().labelHosts],
      }),
    },
    health: createServiceHealth(() => new Date(), createEventBus()),
    session: {
      baseUrl: () => labelPolicy().baseUrl,
      key: async () => ok(key()),
      call: (operation) => operation(key()),
      renewAfterRefusal: async () => undefined,
    },
  })
  const openTo = async (connection: CarrierConnection) => {
    current = connection
    return value(await gateway.open())
  }
  return {
    authenticate: gateway.authenticate,
    fetchLabel: gateway.fetchLabel,
    close: gateway.close,
    async createShipment(
      connection: CarrierConnection,
      draft: ShipmentDraft,
      delivery: LabelDelivery,
      keep: KeepAnswer = async () => undefined,
      mayLeave: () => boolean = () => true,
    ) {
      const opened = await openTo(connection)
      // The app connects early too, when it writes the intent.
      opened.connect()
      return opened.createShipment(draft, delivery, keep, mayLeave)
    },
    async uploadManifest(connection: CarrierConnection, upload: ManifestUpload) {
      return (await openTo(connection)).uploadManifest(upload)
    },
    async sendPreAlert(connection: CarrierConnection, request: PreAlertRequest, pdf: Uint8Array) {
      return (await openTo(connection)).sendPreAlert(request, pdf)
    },
    trackCode(connection: CarrierConnection, code: string, options: TrackingOptions) {
      current = connection
      return gateway.trackCode(code, options)
    },
    trackBulk(connection: CarrierConnection, codes: readonly string[], options: TrackingOptions) {
      current = connection
      return gateway.trackBulk(codes, options)
    },
  }
}

/** The kind of the outcome, or `ok`. */
export function getKind(outcome: CarrierOutcome<unknown>): string {
  return outcome.ok ? 'ok' : outcome.kind
}

/** The content of the answer, whatever the outcome is. */
export function toAnswer<Value>(outcome: CarrierOutcome<Value>): Value | null {
  return outcome.ok ? outcome.value : outcome.answer
}

function value<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

/** A client with short timeouts. */
export function clientFor(answerTimeoutMs = 2_000, connectTimeoutMs = 500): CarrierClient {
  return createCarrierClient({
    timeouts: () => ({ connectTimeoutMs, answerTimeoutMs }),
    log: silentLog,
    labelPolicy: localService,
  })
}

/** The label policy for a service on this computer. */
export function localService(): LabelPolicy {
  return { baseUrl: new URL('http://127.0.0.1/api'), labelHosts: [] }
}

/** A connection to a test server, under a path prefix. */
export function connectionTo(origin: string, apiKey = 'k3y-0f-the-station'): CarrierConnection {
  return { baseUrl: new URL(`${origin}/api`), apiKey }
}
