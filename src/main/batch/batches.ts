import { randomUUID } from 'node:crypto'
import { type Batch, type batchMethods, maxBatchOrders } from '../../shared/batches'
import type { HandlersOf, MethodInput, MethodOutput } from '../../shared/bridge'
import { appError } from '../../shared/errors'
import type { OrderQuery } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import { createMutex, throttle } from '../lib/async'
import type { EventBus } from '../lib/eventBus'
import { toReason } from '../lib/toReason'
import type { OrderRepository } from '../orders/repository'
import type { PrintJobRepository } from '../printing/queue/repository'
import type { Database } from '../storage/database'
import { BatchRun, type BatchRunDeps } from './batchRun'
import { type BatchRecord, BatchRepository } from './repository'

export interface BatchesDeps extends Omit<BatchRunDeps, 'stop' | 'mutex' | 'onChange'> {
  orderRepository: Pick<OrderRepository, 'listOpen'>
  jobs: Pick<PrintJobRepository, 'listByShipments'>
  /** The name of the operator who is signed in; null when nobody is. */
  currentOperator: () => string | null
  bus: Pick<EventBus, 'emit' | 'on'>
}

const publishEveryMs = 200

/**
 * Ships many orders in one run, each with `createShipment`. The attempt ids are written before the first order is sent, so
 * that a crash neither loses nor repeats an order. Creations overlap with the printing of earlier labels.
 */
export class Batches {
  private run: BatchRun | undefined
  private readonly mutex = createMutex()
  /** Publishes the current batch to the window. */
  private readonly publish: () => void
  private readonly stopping = new AbortController()
  private endListening: (() => void) | undefined

  /** Nothing is read before `start`. */
  constructor(private readonly deps: BatchesDeps) {
    this.publish = throttle(
      () => this.publishNow(),
      publishEveryMs,
      (error) =>
        deps.log.error('the progress of a batch could not be read; the window shows an old state', {
          reason: toReason(error),
        }),
    )
  }

  /** Restores the batch of an earlier run of the app: it is paused until a person resumes it. */
  async start(): Promise<void> {
    const { repository } = this.deps
    const batch = await repository.findLast()
    if (batch === undefined || batch.isClosed) return
    this.run = await this.load(batch)
    if (batch.state === 'ended') return
    for (const item of [...this.run.pending]) await this.run.endByJournal(item)
    if (batch.state === 'stopping' || this.run.pending.length === 0) await this.run.end()
    else if (batch.state === 'running') await this.run.change({ state: 'paused', pausedBy: 'restart' })
  }

  /**
   * @returns `batch-running` while another one is not ended, `batch-empty` when none of the orders is open,
   *   `batch-too-large` for more than `maxBatchOrders`, `batch-needs-scans` where each label has to be scanned
   */
  begin(orderIds: readonly string[], sort: OrderQuery['sort'], descending: boolean): Promise<Result<Batch>> {
    return this.mutex(async () => {
      if (orderIds.length > maxBatchOrders) {
        const details = { count: String(orderIds.length), max: String(maxBatchOrders) }
        return err(appError('batch-too-large', details))
      }
      const orders = await this.deps.orderRepository.listOpen(orderIds, sort, descending)
      return this.beginWith(orders)
    })
  }

  /** Begins a new batch with the orders that an ended one did not ship; see `begin`. */
  repeat(batchId: string): Promise<Result<Batch>> {
    return this.mutex(async () => {
      const run = this.find(batchId)
      if (run === undefined) return err(appError('batch-not-found'))
      const { repository, orderRepository } = this.deps
      const left = await repository.listUnshippedOrders(run.batch.number)
      const open = new Map(
        (await orderRepository.listOpen(left, 'imported', false)).map((order) => [order.id, order] as const),
      )
      return this.beginWith(left.flatMap((id) => open.get(id) ?? []))
    })
  }

  private async beginWith(orders: readonly { id: string; reference: string }[]): Promise<Result<Batch>> {
    const { repository, now, currentOperator } = this.deps
    if (this.areScansRequired()) return err(appError('batch-needs-scans'))
    if (this.run !== undefined && this.run.batch.state !== 'ended') return err(appError('batch-running'))
    if (orders.length === 0) return err(appError('batch-empty'))
    const items = orders.map(({ id, reference }) => ({ orderId: id, reference, attemptId: randomUUID() }))
    const batch = await repository.add(
      { id: randomUUID(), createdAt: now().toISOString(), operator: currentOperator() },
      items,
    )
    this.run = await this.load(batch)
    this.run.work()
    return ok(await this.run.toBatch())
  }

  /** Begins no further order. `batch-not-found` if the batch is not the current one. */
  pause(batchId: string): Promise<Result<Batch>> {
    return this.changeRun(batchId, async (run) => {
      if (run.batch.state === 'running') await run.change({ state: 'paused', pausedBy: 'operator' })
    })
  }

  /** @returns `batch-needs-scans` if each label has to be scanned before the next; see `pause` */
  async resume(batchId: string): Promise<Result<Batch>> {
    if (this.areScansRequired()) return err(appError('batch-needs-scans'))
    return this.changeRun(batchId, async (run) => {
      if (run.batch.state === 'paused') await run.resume(this.deps.currentOperator())
    })
  }

  /** If each label has to be scanned before the next one, a batch can't print them in one run. */
  private areScansRequired(): boolean {
    const { on, required } = this.deps.settings.current().scanBack
    return on && required
  }

  /** Ends a batch after the orders in progress; the others are not shipped. */
  stopAfterCurrent(batchId: string): Promise<Result<Batch>> {
    return this.changeRun(batchId, async (run) => {
      if (run.batch.state === 'ended') return
      await run.change({ state: 'stopping', pausedBy: null, error: null })
      run.work()
    })
  }

  /** Closes the summary of an ended batch. */
  close(batchId: string): Promise<Result<undefined>> {
    return this.mutex(async () => {
      const run = this.find(batchId)
      if (run?.batch.state !== 'ended') return err(appError('batch-not-found'))
      await this.deps.repository.change(run.batch.number, { isClosed: true })
      this.run = undefined
      this.endListening?.()
      this.endListening = undefined
      this.deps.bus.emit('batchChanged', null)
      return ok(undefined)
    })
  }

  async current(): Promise<Batch | null> {
    return this.run === undefined ? null : this.run.toBatch()
  }

  async listItems({
    batchId,
    shown,
    ...page
  }: MethodInput<'listBatchItems'>): Promise<MethodOutput<'listBatchItems'>> {
    const { repository } = this.deps
    const isCreatedLeftOut = shown === 'not-created'
    const { items, total } = await repository.listItems(batchId, { ...page, isCreatedLeftOut })
    const created = items.flatMap(({ outcome, shipmentId }) =>
      outcome === 'created' && shipmentId !== null ? [shipmentId] : [],
    )
    const jobs = await this.deps.jobs.listByShipments(created)
    return {
      items: items.map(({ batchNumber: _number, attemptId: _attempt, ...item }) => ({
        ...item,
        jobs: jobs.filter((job) => job.shipmentId === item.shipmentId),
      })),
      total,
    }
  }

  /** The app is closing: begins no further order. The next start finds the outcomes of orders in progress in the journal. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.endListening?.()
    await this.run?.idle()
  }

  /** Removes batches that ended before a moment. */
  forgetEnded(before: Date): Promise<void> {
    return this.deps.repository.forgetEnded(before)
  }

  private load(batch: BatchRecord): Promise<BatchRun> {
    const { mutex, stopping } = this
    this.endListening ??= this.listen()
    return BatchRun.load(batch, { ...this.deps, mutex, stop: stopping.signal, onChange: this.publish })
  }

  /** @returns a function that ends it */
  private listen(): () => void {
    const { bus } = this.deps
    const subscriptions = [
      bus.on('printJobChanged', this.publish),
      // The orders that an ended batch left are shipped or skipped one by one.
      bus.on('ordersChanged', () => {
        if (this.run?.batch.state === 'ended') this.publish()
      }),
    ]
    return () => {
      for (const unsubscribe of subscriptions) unsubscribe()
    }
  }

  private find(batchId: string): BatchRun | undefined {
    return this.run?.batch.id === batchId ? this.run : undefined
  }

  private changeRun(batchId: string, change: (run: BatchRun) => Promise<void>): Promise<Result<Batch>> {
    return this.mutex(async () => {
      const run = this.find(batchId)
      if (run === undefined) return err(appError('batch-not-found'))
      await change(run)
      return ok(await run.toBatch())
    })
  }

  private async publishNow(): Promise<void> {
    const { run } = this
    if (run === undefined || this.stopping.signal.aborted) return
    const batch = await run.toBatch()
    // The batch may have been closed in the meantime.
    if (this.run === run) this.deps.bus.emit('batchChanged', batch)
  }
}

export function createBatches({
  database,
  reader,
  ...deps
}: Omit<BatchesDeps, 'repository'> & {
  database: Database
  /** A second connection, which only reads. */
  reader: Database
}) {
  const batches = new Batches({ ...deps, repository: new BatchRepository(database) })
  const ends = new BatchRepository(reader)
  const handlers: HandlersOf<typeof batchMethods> = {
    startBatch: ({ orderIds, sort, descending }) => batches.begin(orderIds, sort, descending),
    getBatch: async () => ok(await batches.current()),
    pauseBatch: ({ batchId }) => batches.pause(batchId),
    resumeBatch: ({ batchId }) => batches.resume(batchId),
    stopBatch: ({ batchId }) => batches.stopAfterCurrent(batchId),
    repeatBatch: ({ batchId }) => batches.repeat(batchId),
    closeBatch: ({ batchId }) => batches.close(batchId),
    listBatchItems: async (query) => ok(await batches.listItems(query)),
    listBatchEnds: async ({ orderIds }) => ok(await ends.listEnds(orderIds)),
  }
  return { batches, handlers }
}
