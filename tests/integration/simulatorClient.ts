import { Agent, request } from 'undici'
import { z } from 'zod'
import { demoCredentials } from '../../src/simulator/account'
import { manifestLine, preAlert, shipmentBody } from '../unit/simulator/exampleBodies'

/** A complete and valid tracking query. */
export const trackingQuery = 'flight_tracking_setting=include&lang=en&type=barcode&tracking_details=full'

const jsonType = { 'Content-Type': 'application/json' }

/** The `DO=Y` answer of the specification, with exactly its fields in each label. */
export const directSchema = z.object({
  status: z.literal(true),
  labels: z.array(
    z.strictObject({
      barcode: z.string(),
      labeltype: z.string(),
      encodeType: z.literal('base64'),
      content: z.string(),
      carrierId: z.string(),
      carrierOptionId: z.string(),
      shipmentId: z.string(),
    }),
  ),
  shipmentID: z.string(),
  SubLogID: z.string(),
})

const decimal = z.string().regex(/^\d+\.\d{3}$/)
const whole = z.string().regex(/^\d+$/)
/** The `DO=N` answer of the specification, exactly. */
export const createdSchema = z.strictObject({
  state: z.literal('true'),
  message: z.string(),
  Errors: z.literal(''),
  ActionName: z.literal(101),
  carrierId: z.literal('1'),
  carrierOptionId: z.literal('11'),
  logId: z.string(),
  parcelInformation: z.strictObject({
    MinL: decimal,
    MaxL: decimal,
    DBMinB: decimal,
    DBMaxB: decimal,
    DBMinH: decimal,
    DBMaxH: decimal,
    DBMinGewicht: decimal,
    DBMaxGewicht: decimal,
    DBMaxVolume: whole,
    DBMaxOmtrek: whole,
  }),
  Pricing: z.null(),
  trace: z.string(),
  zpl: z.literal(''),
  ZendingID: z.number(),
  Barcode: z.string(),
  url: z.string(),
})

const event = z.strictObject({
  itemNumber: z.number(),
  code: z.string(),
  description: z.string(),
  location: z.string(),
  dateTime: z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
})
/** The tracking answer of the specification, exactly. */
export const trackingSchema = z.strictObject({
  state: z.literal(true),
  numberOfItems: z.number(),
  notFound: z.array(z.string()),
  items: z.record(z.string(), z.array(event)),
  lastStatus: z.record(z.string(), event),
  flightTracking: z.tuple([]),
})

/** An answer as received. */
export interface Reply {
  status: number
  type: string
  bytes: Buffer
  text: string
}

interface CallOptions {
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal
}

/** Sends requests as the specification shows them, with its own connections. */
export class SpecClient {
  private readonly agent = new Agent()
  private readonly baseUrl: string
  private readonly key: string

  constructor(baseUrl: string, key: string = demoCredentials.apiKey) {
    this.baseUrl = baseUrl
    this.key = key
  }

  /** Sends any request; rejects when the connection fails. */
  async call(method: 'GET' | 'POST', url: string, options: CallOptions = {}): Promise<Reply> {
    const { statusCode, headers, body } = await request(url, {
      method,
      dispatcher: this.agent,
      headers: options.headers ?? (options.body === undefined ? {} : jsonType),
      ...(options.body === undefined ? {} : { body: options.body }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    })
    const bytes = Buffer.from(await body.arrayBuffer())
    return { status: statusCode, type: String(headers['content-type']), bytes, text: bytes.toString('utf8') }
  }

  signIn(user: string = demoCredentials.user, password: string = demoCredentials.password): Promise<Reply> {
    return this.call('GET', `${this.baseUrl}/auth`, { headers: { AUTH_USER: user, AUTH_PW: password } })
  }

  create(changes: Record<string, unknown> = {}, direct = 'Y', signal?: AbortSignal): Promise<Reply> {
    const url = `${this.baseUrl}/action/${this.key}/101?o=JSON&DO=${direct}`
    const body = JSON.stringify(shipmentBody(changes))
    return this.call('POST', url, { body, ...(signal === undefined ? {} : { signal }) })
  }

  async createDirect(changes: Record<string, unknown> = {}): Promise<z.infer<typeof directSchema>> {
    return directSchema.parse(JSON.parse((await this.create(changes)).text))
  }

  async createWithUrl(changes: Record<string, unknown> = {}): Promise<z.infer<typeof createdSchema>> {
    return createdSchema.parse(JSON.parse((await this.create(changes, 'N')).text))
  }

  upload(lines: unknown[] = [manifestLine()], query = ''): Promise<Reply> {
    const url = `${this.baseUrl}/post_manifest_data/${this.key}${query}`
    return this.call('POST', url, { body: JSON.stringify(lines) })
  }

  trackCode(code: string, query = trackingQuery): Promise<Reply> {
    return this.call('GET', `${this.baseUrl}/get_tracking_information/${this.key}/${code}?${query}`)
  }

  trackBulk(codes: string[], query = trackingQuery): Promise<Reply> {
    const url = `${this.baseUrl}/get_tracking_information/${this.key}?${query}`
    return this.call('GET', url, { body: JSON.stringify(codes) })
  }

  sendPreAlert(changes: Record<string, unknown> = {}): Promise<Reply> {
    const url = `${this.baseUrl}/post_pre_alert/${this.key}`
    return this.call('POST', url, { body: JSON.stringify(preAlert(changes)) })
  }

  /** Closes all connections. */
  close(): Promise<void> {
    return this.agent.destroy()
  }
}
