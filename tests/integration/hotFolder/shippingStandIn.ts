import { randomUUID } from 'node:crypto'
import type { IgnoredFile, OrderFileIssues } from '../../../src/main/hotFolder/issues'
import type { OpenLineOutcome, OrderShipping } from '../../../src/main/hotFolder/lineOutcome'
import type { OrderFileNotes, OrderFileRow } from '../../../src/main/hotFolder/repository'
import type { HeldOrder, HeldOrderState, HeldOrders } from '../../../src/main/orders/heldOrders'
import { type AppError, appError } from '../../../src/shared/errors'
import type { PrintJob } from '../../../src/shared/printing'
import { err, ok, type Result } from '../../../src/shared/result'
import type { ShipmentDetails, ShipmentDraft, ShipmentState } from '../../../src/shared/shipments'

/** The behaviour of the service or the connection for a reference. */
export type Behaviour =
  | 'create'
  | 'refuse'
  | 'lose-the-answer'
  /** The process crashes before the intent is on the disk. */
  | 'die-before-intent'
  /** The process crashes while it waits for the answer. */
  | 'die-after-sending'
  /** The station cannot send at the moment. */
  | { failure: AppError }

type CreateRequest = Parameters<OrderShipping['create']>[0]

export function never<Value>(): Promise<Value> {
  return new Promise(() => undefined)
}

/**
 * The creation of shipments as the hot folder sees it, with a journal in memory: one request per attempt, one per
 * reference, and after a restart every shipment in progress is unknown.
 */
export class ShippingStandIn implements OrderShipping {
  /** References in the order of their requests. */
  readonly requests: string[] = []
  readonly received: CreateRequest[] = []
  behave: (reference: string) => Behaviour = () => 'create'
  /** The final state of print jobs by reference; may resolve late. */
  print: (reference: string) => Promise<PrintJob['state']> = async () => 'done'
  /** The refusal of the account or the fleet, if any. */
  refused: AppError | undefined
  /** The number of calls of `create`, with any result. */
  asked = 0
  private readonly journal = new Map<string, ShipmentDetails>()
  private readonly attempts = new Map<string, string>()
  private clock = Date.parse('2026-01-01T00:00:00.000Z')

  async create(request: CreateRequest): Promise<Result<ShipmentDetails>> {
    const { reference } = request.draft
    this.asked += 1
    const known = await this.findAttempt(request.attemptId)
    if (known !== undefined) return ok(known)
    const behaviour = this.behave(reference)
    if (typeof behaviour === 'object') return err(behaviour.failure)
    if (behaviour === 'die-before-intent') return never()
    const blocker = await this.findBlocker(reference)
    if (blocker !== undefined) return err(blocker)

    const details = this.begin(request)
    this.requests.push(reference)
    this.received.push(request)
    if (behaviour === 'die-after-sending') return never()
    return ok(this.conclude(details, behaviour))
  }

  async waitForFleet(): Promise<void> {}

  async findRefusal(): Promise<AppError | undefined> {
    return this.refused
  }

  async findAttempt(attemptId: string): Promise<ShipmentDetails | undefined> {
    const id = this.attempts.get(attemptId)
    return id === undefined ? undefined : structuredClone(this.journal.get(id))
  }

  async getDetails(shipmentId: string): Promise<Result<ShipmentDetails>> {
    const details = this.journal.get(shipmentId)
    return details === undefined ? err(appError('shipment-not-found')) : ok(structuredClone(details))
  }

  findEndingShipment(shipmentId: string): Promise<Result<ShipmentDetails | undefined>> {
    return this.getDetails(shipmentId)
  }

  async whenJobsEnded(shipmentId: string): Promise<PrintJob[]> {
    const details = this.journal.get(shipmentId)
    if (details === undefined) return []
    const state = await this.print(details.reference)
    return details.jobs.map((job) => ({
      ...job,
      state,
      acceptedAt: state === 'done' ? this.tick() : null,
      error: state === 'failed' ? appError('printer-failed') : null,
    }))
  }

  /** Simulates the restart of the process. */
  restart(): void {
    for (const details of this.journal.values()) {
      if (details.state === 'sent') this.end(details, 'unknown', appError('shipment-interrupted'))
    }
  }

  /** Delivers a late answer to the request in progress. */
  answer(reference: string, answer: 'create' | 'refuse' | 'lose-the-answer' = 'create'): void {
    for (const details of this.journal.values()) {
      if (details.reference === reference && details.state === 'sent') this.conclude(details, answer)
    }
  }

  private begin({ attemptId, draft, print, takenAt }: CreateRequest): ShipmentDetails {
    const details = newDetails(draft, takenAt, print)
    details.times.requestSent = this.tick()
    if (print) details.jobs.push(newJob(details))
    this.journal.set(details.id, details)
    this.attempts.set(attemptId, details.id)
    return details
  }

  private conclude(
    details: ShipmentDetails,
    behaviour: 'create' | 'refuse' | 'lose-the-answer',
  ): ShipmentDetails {
    details.times.responseReceived = this.tick()
    if (behaviour === 'refuse')
      this.end(details, 'refused', appError('service-refused', { serviceSays: 'Unknown postal code.' }))
    if (behaviour === 'lose-the-answer') this.end(details, 'unknown', appError('service-timeout'))
    if (behaviour === 'create') {
      details.barcodes = [`3S${details.reference}`]
      details.serviceShipmentId = `S-${details.reference}`
      details.subLogId = `L-${details.reference}`
      details.times.labelStored = this.tick()
      this.end(details, 'created', null)
    }
    return structuredClone(details)
  }

  private end(details: ShipmentDetails, state: ShipmentState, error: AppError | null): void {
    details.state = state
    details.error = error
    if (state !== 'created') details.jobs = []
  }

  async findBlocker(reference: string): Promise<AppError | undefined> {
    const others = [...this.journal.values()].filter((details) => details.reference === reference)
    const stated = (state: ShipmentState) => others.find((details) => details.state === state)
    const unknown = stated('unknown')
    if (unknown !== undefined) {
      return appError('shipment-unsettled', { shipmentId: unknown.id })
    }
    const underWay = stated('sent')
    if (underWay !== undefined) {
      return appError('shipment-in-progress', { shipmentId: underWay.id })
    }
    const created = stated('created')
    return created && appError('shipment-duplicate', { shipmentId: created.id })
  }

  private tick(): string {
    this.clock += 1
    return new Date(this.clock).toISOString()
  }
}

/** The records of taken files. A new record replaces the older one of the same name. */
export class OrderFilesStandIn implements OrderFileNotes {
  readonly rows: OrderFileRow[] = []
  /** The process crashes at this call: before a file is recorded, after that, or before its record is removed. */
  dieAt: 'begin' | 'noted' | 'finish' | undefined
  /** The number of calls of that kind that succeed before. */
  survives = 0

  async addWorking(name: string, takenAt: Date, mapping: OrderFileRow['mapping']): Promise<OrderFileRow> {
    if (this.dies('begin')) return never()
    const older = this.rows.findIndex((each) => each.name === name)
    if (older !== -1) this.rows.splice(older, 1)
    const row = { id: randomUUID(), name, takenAt, sha256: null, mapping }
    this.rows.push(row)
    return this.dies('noted') ? never() : row
  }

  async noteContent(id: string, sha256: string): Promise<void> {
    const row = this.rows.find((each) => each.id === id)
    if (row !== undefined) row.sha256 = sha256
  }

  async listWorking(): Promise<OrderFileRow[]> {
    return this.rows.map((row) => ({ ...row }))
  }

  async finish(id: string): Promise<void> {
    if (this.dies('finish')) return never()
    const index = this.rows.findIndex((row) => row.id === id)
    if (index !== -1) this.rows.splice(index, 1)
  }

  private dies(at: typeof this.dieAt): boolean {
    if (this.dieAt !== at) return false
    this.survives -= 1
    return this.survives < 0
  }
}

/** The list of orders as the hot folder sees it. */
export class HoldingStandIn implements Pick<HeldOrders, 'hold' | 'find' | 'whenChanged'> {
  readonly orders = new Map<string, HeldOrder>()
  readonly states = new Map<string, HeldOrderState>()
  /** The process crashes before or after orders are added to the list. */
  dieAt: 'before' | 'after' | undefined
  private waiting: (() => void)[] = []

  async hold(orders: readonly HeldOrder[]): Promise<void> {
    if (this.dieAt === 'before') return never()
    for (const order of orders) {
      if (this.orders.has(order.id)) continue
      this.orders.set(order.id, order)
      this.states.set(order.id, { reference: order.values.reference ?? '', state: 'open' })
    }
    return this.dieAt === 'after' ? never() : undefined
  }

  async find(ids: readonly string[]): Promise<Map<string, HeldOrderState>> {
    return new Map(
      ids.flatMap((id) => {
        const state = this.states.get(id)
        return state === undefined ? [] : [[id, state] as const]
      }),
    )
  }

  whenChanged(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  /** Sets the final state of the order with this reference. */
  end(reference: string, state: HeldOrderState): void {
    const held = [...this.orders.values()].find(({ values }) => values.reference === reference)
    if (held !== undefined) this.states.set(held.id, state)
    for (const resolve of this.waiting.splice(0)) resolve()
  }

  get references(): (string | undefined)[] {
    return [...this.orders.values()].map(({ values }) => values.reference)
  }
}

/** The issues that the hot folder reported. */
export class IssuesStandIn implements Pick<OrderFileIssues, 'noteOutcomes' | 'noteIgnored'> {
  readonly outcomes: { file: string; outcome: OpenLineOutcome }[] = []
  ignored: readonly IgnoredFile[] = []

  async noteOutcomes(file: { name: string }, outcomes: readonly OpenLineOutcome[]): Promise<void> {
    this.outcomes.push(...outcomes.map((outcome) => ({ file: file.name, outcome })))
  }

  async noteIgnored(files: readonly IgnoredFile[]): Promise<void> {
    this.ignored = files
  }
}

function newDetails(draft: ShipmentDraft, takenAt: Date, print: boolean): ShipmentDetails {
  return {
    id: randomUUID(),
    reference: draft.reference,
    state: 'sent',
    resolution: null,
    origin: 'hot-folder',
    takenAt: takenAt.toISOString(),
    consignee: draft.lastName,
    postalCode: draft.postalCode,
    city: draft.city,
    country: draft.country,
    carrierOptionId: draft.carrierOptionId,
    weight: draft.weight,
    numberOfPackages: draft.numberOfPackages,
    barcodes: [],
    print,
    draft,
    times: { taken: takenAt.toISOString(), requestSent: null, responseReceived: null, labelStored: null },
    error: null,
    serviceShipmentId: null,
    zendingId: null,
    subLogId: null,
    logId: null,
    trackingLinkHost: null,
    serviceMessage: null,
    labels: [],
    jobs: [],
  }
}

function newJob(details: ShipmentDetails): PrintJob {
  return {
    id: randomUUID(),
    shipmentId: details.id,
    labelId: randomUUID(),
    document: 'label',
    labelPosition: 1,
    reference: details.reference,
    barcode: `3S${details.reference}`,
    printerId: 'zebra',
    printerName: 'zebra',
    state: 'queued',
    kind: 'first',
    createdAt: details.takenAt,
    updatedAt: details.takenAt,
    acceptedAt: null,
    outputPath: null,
    note: null,
    error: null,
  }
}
