import { createServer, type Server } from 'node:http'
import { z } from 'zod'
import { DEMO_ACCOUNT } from './account'
import type { Deviation } from './checker'
import { exchange } from './exchange'
import { FaultPlan } from './faults'
import { Ledger, type RecordedRequest, RequestLog } from './records'
import { BASE_PATH } from './route'
import { Service } from './service'

/** How a simulator is to run; all of it has a default. */
export interface SimulatorOptions {
  /** Port on 127.0.0.1; 0 (the default) takes a free one. */
  port?: number
  /** Credentials and key of its one account; `DEMO_ACCOUNT` unless told. */
  user?: string
  password?: string
  apiKey?: string
  /** Seconds from one tracking status to the next; 20 unless told. */
  trackingStepSeconds?: number
  now?: () => Date
}

/** A running carrier service on loopback: demo mode's service and the tests' server. */
export interface Simulator {
  /** What a client is set up with: `http://127.0.0.1:PORT/api`. */
  baseUrl: string
  ledger: Ledger
  /** The last requests as they arrived, oldest first. */
  requests: readonly RecordedRequest[]
  /** Forgets the recorded requests and their deviations. */
  clearRequests(): void
  /** Every point in which requests differed from the specification, oldest first. */
  deviations(): Deviation[]
  faults: FaultPlan
  /** Ends the API key of the moment and returns it: 401 from now on, until `GET /auth` hands out a new one. */
  expireKey(): string
  /** The label that the service holds for a barcode; `undefined` when it has created none. */
  getLabel(barcode: string): Uint8Array | undefined
  /** Stops listening and ends all connections at once. */
  close(): Promise<void>
}

const addressSchema = z.object({ port: z.number() })

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(addressSchema.parse(server.address()).port))
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/** Starts a simulator; rejects when the port is taken. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const now = options.now ?? (() => new Date())
  const service = new Service({
    user: options.user ?? DEMO_ACCOUNT.user,
    password: options.password ?? DEMO_ACCOUNT.password,
    apiKey: options.apiKey ?? DEMO_ACCOUNT.apiKey,
    trackingStepSeconds: options.trackingStepSeconds ?? 20,
    now,
  })
  // No time limits of its own: hanging is what some tests are about. Idle connections live long, since a client whose
  // connection is closed while it sends cannot know what became of its request.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 120_000 })
  const origin = `http://127.0.0.1:${await listen(server, options.port ?? 0)}`
  const deps = { service, now, origin, ledger: new Ledger(), log: new RequestLog(), faults: new FaultPlan() }
  server.on('request', (request, response) => {
    exchange(request, response, deps).catch((defect: unknown) => {
      if (!response.headersSent) response.writeHead(500, { 'Content-Type': 'text/plain' })
      response.end(`The simulator has a defect: ${String(defect)}`)
    })
  })
  return {
    baseUrl: `${origin}${BASE_PATH}`,
    ledger: deps.ledger,
    requests: deps.log.requests,
    clearRequests: () => deps.log.clear(),
    deviations: () => deps.log.deviations(),
    faults: deps.faults,
    expireKey: () => service.account.expireKey(),
    getLabel: (barcode) =>
      service.shipments.withBarcode(barcode)?.parcels.find((parcel) => parcel.barcode === barcode)?.label,
    close: () => close(server),
  }
}
