import { z } from 'zod'
import { Account } from './account'
import { type Answer, htmlAnswer, jsonAnswer } from './answer'
import type { Deviation } from './checker'
import { ManifestStore, takePreAlert } from './consignments'
import { createShipment } from './createShipment'
import type { CreationOutcome } from './records'
import type { Route } from './route'
import { type LabelStyle, readShipmentInput, ShipmentStore, wholeDocument } from './shipmentStore'
import { parcelEvents, type TrackingSources, trackingAnswer, trackingPage } from './tracking'
import { parseJson } from './wire'

/** A completely read request. */
export interface ServiceRequest {
  route: Route
  query: URLSearchParams
  headers: ReadonlyArray<readonly [name: string, value: string]>
  body: string
  deviations: readonly Deviation[]
  /** The label style of a fault; undefined for normal labels. */
  style: LabelStyle | undefined
  /** Scheme, host and port for the URLs in answers. */
  origin: string
}

/** An answer, and for a shipment creation its outcome. */
interface ServiceResult {
  answer: Answer
  creation?: { outcome: CreationOutcome; barcodes: readonly string[] }
}

interface ServiceDeps {
  user: string
  password: string
  apiKey: string
  trackingStepSeconds: number
  now: () => Date
}

const codesSchema = z.array(z.string())

/** The carrier service itself: its data, and its answers without faults. */
export class Service {
  readonly account: Account
  readonly shipments = new ShipmentStore()
  private readonly manifests = new ManifestStore()
  private readonly now: () => Date
  private readonly tracking: TrackingSources

  constructor({ user, password, apiKey, trackingStepSeconds, now }: ServiceDeps) {
    this.account = new Account(user, password, apiKey)
    this.now = now
    this.tracking = {
      shipments: this.shipments,
      manifests: this.manifests,
      stepSeconds: trackingStepSeconds,
      now,
    }
  }

  /** Answers a request. A wrong key gets 401, an unknown route 404. */
  async answer(request: ServiceRequest): Promise<ServiceResult> {
    const { route } = request
    const wrongKey = 'apiKey' in route && !this.account.accepts(route.apiKey)
    if (route.operation === 'shipment') {
      return wrongKey
        ? { answer: this.unauthorized(), creation: { outcome: 'unauthorized', barcodes: [] } }
        : await this.create(request)
    }
    return { answer: wrongKey ? this.unauthorized() : await this.answerOther(request) }
  }

  private async answerOther({ route, ...request }: ServiceRequest): Promise<Answer> {
    switch (route.operation) {
      case 'auth':
        return this.signIn(request.headers)
      case 'trackCode':
        return jsonAnswer(trackingAnswer([route.code], request.query, this.tracking))
      case 'trackBulk':
        return this.trackBulk(request.body, request.query)
      case 'manifest':
        return this.takeManifest(request.body, request.query)
      case 'preAlert':
        return jsonAnswer(takePreAlert(parseJson(request.body), this.manifests))
      case 'label':
        return await this.giveLabel(route.token, request.style)
      case 'trackingPage':
        return htmlAnswer(trackingPage(route.code, parcelEvents(route.code, 'en', this.tracking)))
      default:
        return jsonAnswer({ state: 'false', message: '', Errors: 'There is nothing at this address' }, 404)
    }
  }

  private unauthorized(): Answer {
    return jsonAnswer({ state: 'false', message: '', Errors: 'The API key is not valid' }, 401)
  }

  private signIn(headers: ServiceRequest['headers']): Answer {
    const value = (wanted: string): string | undefined =>
      headers.find(([name]) => name.toUpperCase() === wanted)?.[1]
    return jsonAnswer(this.account.signIn(value('AUTH_USER'), value('AUTH_PW'), this.now()))
  }

  private async create(request: ServiceRequest): Promise<ServiceResult> {
    const { answer, shipment } = await createShipment(
      {
        input: readShipmentInput(parseJson(request.body)),
        deviations: request.deviations,
        direct: request.query.get('DO') === 'Y',
        style: request.style ?? { format: 'pdf' },
        at: this.now(),
        origin: request.origin,
      },
      this.shipments,
    )
    const barcodes = shipment?.parcels.map(({ barcode }) => barcode) ?? []
    const outcome = shipment === undefined ? 'refused' : 'created'
    return { answer: jsonAnswer(answer), creation: { outcome, barcodes } }
  }

  private trackBulk(body: string, query: URLSearchParams): Answer {
    const codes = codesSchema.safeParse(parseJson(body))
    if (codes.success) return jsonAnswer(trackingAnswer(codes.data, query, this.tracking))
    return jsonAnswer({ state: false, message: 'The body must be a JSON array of codes', notFound: [] })
  }

  private takeManifest(body: string, query: URLSearchParams): Answer {
    const reason = this.manifests.upload(parseJson(body), query.get('ls') === 'Y', this.now())
    if (reason !== undefined) return jsonAnswer({ state: 'false', message: '', Errors: reason })
    return jsonAnswer({ state: 'true', message: 'Manifest data received', Errors: '' })
  }

  private async giveLabel(token: string, style: LabelStyle | undefined): Promise<Answer> {
    const shipment = this.shipments.findByLabelToken(token)
    if (shipment === undefined) return jsonAnswer({ state: 'false', Errors: 'There is no such label' }, 404)
    const format = style?.format ?? shipment.labelFormat
    const contentType = format === 'pdf' ? 'application/pdf' : 'text/plain; charset=utf-8'
    return { kind: 'bytes', status: 200, contentType, bytes: await wholeDocument(shipment, style) }
  }
}
