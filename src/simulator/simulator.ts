import { createServer, type Server } from 'node:http'
import { z } from 'zod'
import { demoCredentials } from './account'
import { exchange } from './exchange'
import { FaultPlan } from './faults'
import { Ledger, RequestLog } from './records'
import { basePath } from './route'
import { Service } from './service'

/** Options of a simulator; all have defaults. */
export interface SimulatorOptions {
  /** Port on 127.0.0.1; 0 (default) uses a free one. */
  port?: number
  /** Credentials and key of its only account; default `demoCredentials`. */
  user?: string
  password?: string
  apiKey?: string
  /** Seconds between two tracking statuses; default 20. */
  trackingStepSeconds?: number
  now?: () => Date
}

/** A running carrier service on loopback, for demo mode and the tests. */
export type Simulator = Awaited<ReturnType<typeof startSimulator>>

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
export async function startSimulator(options: SimulatorOptions = {}) {
  const now = options.now ?? (() => new Date())
  const service = new Service({
    user: options.user ?? demoCredentials.user,
    password: options.password ?? demoCredentials.password,
    apiKey: options.apiKey ?? demoCredentials.apiKey,
    trackingStepSeconds: options.trackingStepSeconds ?? 20,
    now,
  })
  // No request time-out, because some tests need hanging requests. A long keep-alive, because a client whose connection is
  // closed while it sends can't know the outcome of its request.
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
    /** Base URL for clients: `http://127.0.0.1:PORT/api`. */
    baseUrl: `${origin}${basePath}`,
    ledger: deps.ledger,
    /** The last requests, oldest first. */
    requests: deps.log.requests,
    /** Removes the recorded requests and their deviations. */
    clearRequests: () => deps.log.clear(),
    /** Deviations of requests from the specification, oldest first. */
    deviations: () => deps.log.deviations(),
    faults: deps.faults,
    /** Expires the current API key and returns it: requests get 401 until `GET /auth` issues a new one. */
    expireKey: () => service.account.expireKey(),
    getLabel: (barcode: string) =>
      service.shipments.findByBarcode(barcode)?.parcels.find((parcel) => parcel.barcode === barcode)?.label,
    /** Stops listening and closes all connections. */
    close: () => close(server),
  }
}
