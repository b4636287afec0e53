import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  type Batch,
  type BatchItem,
  type BatchOutcome,
  batchOutcomeSchema,
  maxBatchOrders,
} from '../../shared/batches'
import { type AppError, appError } from '../../shared/errors'
import type { OrderQuery } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import type { EventBus } from '../lib/eventBus'
import { createMutex } from '../lib/mutex'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { OrdersToShip } from '../orders/ordersToShip'
import type { OrderRepository } from '../orders/repository'
import type { OrderSharing } from '../orders/sharing'
import type { PrintJobRepository } from '../printing/queue/repository'
import type { SettingsStore } from '../settings/settingsStore'
import type { ShipmentRecord } from '../shipments/repository'
import type { Shipping } from '../shipments/shipping'
import type { BatchItemRecord, BatchRecord, BatchRepository, ItemEnd } from './repository'
import { Turns } from './turns'

export interface BatchesDeps {
  repository: BatchRepository
  orderRepository: Pick<OrderRepository, 'listOpen'>
  ordersToShip: Pick<OrdersToShip, 'findDraft'>
  /** Where several stations work one list down together. */
  sharing: Pick<OrderSharing, 'takePortion' | 'isTaken' | 'giveBack'>
  shipping: Pick<Shipping, 'create'>
  /** What the journal knows of an attempt. */
  store: {
    findAttempt(
      attemptId: string,
    ): Promise<Pick<ShipmentRecord, 'state' | 'id' | 'reference' | 'error'> | undefined>
  }
  jobs: Pick<PrintJobRepository, 'ofShipments'>
  settings: Pick<SettingsStore, 'current'>
  /** The name of the operator who is signed in; null when nobody is. */
  currentOperator: () => string | null
  bus: Pick<EventBus, 'emit' | 'on'>
  log: Log
  now: () => Date
}

/** With so many orders in a row that the service did not answer, the next ones would fare no better. */
const maxUnansweredInARow = 3
/** Orders that a station takes out of a list that others work down as well: a few seconds of work. */
const portionSize = 10
/**
 * Orders under way for each one that may be at the service: while it answers, the next ones are made ready and earlier answers are
 * worked on.
 */
const underWayForEach = 3
/** An order that waited longer for its turn is looked at once more, in milliseconds: it may say something else by then. */
const maxWaitMs = 100
/** Wait for orders that batches of other stations have, in milliseconds. */
const askAgainMs = 1000
/** Orders whose pace the estimate goes by. */
const pacedOrders = 20
/** The window hears of changes this often at most, in milliseconds. */
const tellEveryMs = 200

/** Errors of a refused creation that say nothing about its order. */
const unansweredCodes = new Set([
  'service-unreachable',
  'service-insecure',
  'proxy-failed',
  'service-busy',
  'key-refused',
])

/** A batch at work: what is in memory is gone after a crash, and the rows say how far it came. */
interface Run {
  batch: BatchRecord
  total: number
  outcomes: Batch['outcomes']
  pending: BatchItemRecord[]
  underWay: Map<number, { reference: string; ended: Promise<void> }>
  /** The orders under way of which the service was not asked yet, by their positions: they can still be put back. */
  waiting: Set<number>
  turns: Turns
  /** Resolves when every order that was begun has ended. */
  earlier: Promise<void>
  unanswered: number
  /** Orders are just being taken from the list that stations share. */
  taking: Promise<void> | null
  waitsForOthers: boolean
  /** When the last orders ended, and how many were under way then. */
  ends: number[]
}

/**
 * Ships many orders in one run. Each order goes the way of a single one (`createShipment`) under an attempt that was
 * written before the first one is sent, so that a crash neither loses nor repeats any; creations overlap with the
 * printing of earlier labels.
 */
export class Batches {
  private run: Run | undefined
  private readonly mutex = createMutex()
  private timer: NodeJS.Timeout | undefined
  private readonly stopping = new AbortController()
  private readonly endListening: () => void

  /** Nothing is read before `start`. */
  constructor(private readonly deps: BatchesDeps) {
    this.endListening = deps.bus.on('printJobChanged', () => this.tell())
  }

  /** Takes note of what an earlier run of the app left: its batch waits for a person to resume it. */
  async start(): Promise<void> {
    const { repository } = this.deps
    const batch = await repository.findLast()
    if (batch === undefined || batch.isClosed) return
    this.run = await this.load(batch)
    if (batch.state === 'ended') return
    for (const item of [...this.run.pending]) await this.endByJournal(this.run, item)
    if (batch.state === 'stopping' || this.run.pending.length === 0) await this.end(this.run)
    else if (batch.state === 'running') await this.change(this.run, { state: 'paused', pausedBy: 'restart' })
  }

  /**
   * @returns `batch-running` while another one is not ended, `batch-empty` when none of the orders is open,
   *   `batch-too-large` for more than `maxBatchOrders`, `batch-needs-scans` where each label has to be scanned
   */
  begin(orderIds: readonly string[], sort: OrderQuery['sort'], descending: boolean): Promise<Result<Batch>> {
    return this.mutex(async () => {
      if (orderIds.length > maxBatchOrders) return err(tooLarge(orderIds.length))
      const orders = await this.deps.orderRepository.listOpen(orderIds, sort, descending)
      return this.beginWith(orders)
    })
  }

  /** A new batch of what an ended one left; see `begin`. */
  repeat(batchId: string): Promise<Result<Batch>> {
    return this.mutex(async () => {
      const run = this.find(batchId)
      if (run === undefined) return err(notFound())
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
    const items = orders.map(({ id, reference }) => ({
      orderId: id,
      reference,
      attemptId: randomUUID(),
    }))
    const batch = await repository.add(
      { id: randomUUID(), createdAt: now().toISOString(), operator: currentOperator() },
      items,
    )
    this.run = await this.load(batch)
    this.work(this.run)
    return ok(await this.toBatch(this.run))
  }

  /** Begins no further order; `batch-not-found` for one that is not the current one. */
  pause(batchId: string): Promise<Result<Batch>> {
    return this.changed(batchId, async (run) => {
      if (run.batch.state === 'running') await this.change(run, { state: 'paused', pausedBy: 'operator' })
    })
  }

  /** @returns `batch-needs-scans` where each label has to be scanned before the next; see `pause` */
  async resume(batchId: string): Promise<Result<Batch>> {
    if (this.areScansRequired()) return err(appError('batch-needs-scans'))
    return this.changed(batchId, async (run) => {
      if (run.batch.state !== 'paused') return
      // Those that were ready at the pause are put back first, so that they keep their place.
      await Promise.all([...run.waiting].map((position) => run.underWay.get(position)?.ended))
      run.unanswered = 0
      run.ends = []
      const operator = this.deps.currentOperator()
      await this.change(run, { state: 'running', pausedBy: null, error: null, operator })
      this.work(run)
    })
  }

  /** Labels that have to be scanned one by one can't leave in a run. */
  private areScansRequired(): boolean {
    const { on, required } = this.deps.settings.current().scanBack
    return on && required
  }

  /** Ends a batch after the orders that are under way; the others are left. */
  stopAfterCurrent(batchId: string): Promise<Result<Batch>> {
    return this.changed(batchId, async (run) => {
      if (run.batch.state === 'ended') return
      await this.change(run, { state: 'stopping', pausedBy: null, error: null })
      this.work(run)
    })
  }

  /** The summary of an ended batch was read. */
  close(batchId: string): Promise<Result<undefined>> {
    return this.mutex(async () => {
      const run = this.find(batchId)
      if (run?.batch.state !== 'ended') return err(notFound())
      await this.deps.repository.change(run.batch.number, { isClosed: true })
      this.run = undefined
      this.deps.bus.emit('batchChanged', null)
      return ok(undefined)
    })
  }

  async current(): Promise<Batch | null> {
    return this.run === undefined ? null : this.toBatch(this.run)
  }

  async listItems({
    batchId,
    shown,
    ...page
  }: {
    batchId: string
    shown: 'all' | 'not-created'
    offset: number
    limit: number
  }): Promise<{ items: BatchItem[]; total: number }> {
    const { repository } = this.deps
    const isCreatedLeftOut = shown === 'not-created'
    const { items, total } = await repository.listItems(batchId, { ...page, isCreatedLeftOut })
    const created = items.flatMap(({ outcome, shipmentId }) =>
      outcome === 'created' && shipmentId !== null ? [shipmentId] : [],
    )
    const jobs = await this.deps.jobs.ofShipments(created)
    return {
      items: items.map(({ batchNumber: _number, attemptId: _attempt, ...item }) => ({
        ...item,
        jobs: jobs.filter((job) => job.shipmentId === item.shipmentId),
      })),
      total,
    }
  }

  /** The app is closing: begins nothing more. What is under way is the journal's; the next start takes note of it. */
  async stop(): Promise<void> {
    this.stopping.abort()
    clearTimeout(this.timer)
    this.endListening()
    this.run?.turns.sendAway()
    await Promise.all([this.run?.earlier, this.run?.taking])
  }

  /** Removes batches that ended before a moment. */
  forgetEnded(before: Date): Promise<void> {
    return this.deps.repository.forgetEnded(before)
  }

  private async load(batch: BatchRecord): Promise<Run> {
    const { repository } = this.deps
    const { total, outcomes } = await repository.countOutcomes(batch.number)
    return {
      ...{ batch, total, outcomes },
      pending: await repository.listPending(batch.number),
      underWay: new Map(),
      waiting: new Set(),
      turns: new Turns(() => this.deps.settings.current().batch.parallelCreations),
      earlier: Promise.resolve(),
      unanswered: 0,
      taking: null,
      waitsForOthers: false,
      ends: [],
    }
  }

  private find(batchId: string): Run | undefined {
    return this.run?.batch.id === batchId ? this.run : undefined
  }

  private changed(batchId: string, change: (run: Run) => Promise<void>): Promise<Result<Batch>> {
    return this.mutex(async () => {
      const run = this.find(batchId)
      if (run === undefined) return err(notFound())
      await change(run)
      return ok(await this.toBatch(run))
    })
  }

  /** Begins orders as long as there is room, and ends the batch when nothing is left to do. */
  private work(run: Run): void {
    if (this.stopping.signal.aborted || this.run !== run) return
    const { state } = run.batch
    const atOnce = this.deps.settings.current().batch.parallelCreations
    while (
      run.batch.state === 'running' &&
      run.waiting.size < atOnce &&
      run.underWay.size < atOnce * underWayForEach
    ) {
      // One after the other where two orders have the same reference: the guard has to know what became of the first.
      const references = new Set([...run.underWay.values()].map(({ reference }) => reference))
      const next = run.pending.find(({ orderId }) => this.deps.sharing.isTaken(orderId))
      if (next === undefined && run.pending.length > 0) this.takeMore(run)
      if (next === undefined || references.has(next.reference)) break
      run.pending = run.pending.filter((item) => item !== next)
      const { earlier } = run
      run.waiting.add(next.position)
      const ended = this.ship(run, next, earlier)
      run.underWay.set(next.position, { reference: next.reference, ended })
      run.earlier = Promise.all([earlier, ended]).then(() => undefined)
      void ended.then(() => {
        run.underWay.delete(next.position)
        run.waiting.delete(next.position)
        this.tell()
        this.work(run)
      })
    }
    const isOver = state === 'stopping' || (state === 'running' && run.pending.length === 0)
    if (isOver && run.underWay.size === 0) {
      void this.mutex(() => this.end(run)).catch((error: unknown) => this.giveUp(run, error))
    }
  }

  /** Takes the next portion of a list that stations share, and goes on with it. */
  private takeMore(run: Run): void {
    run.taking ??= this.takePortion(run)
      .catch((error: unknown) => this.giveUp(run, error))
      .finally(() => {
        run.taking = null
        this.work(run)
      })
  }

  private async takePortion(run: Run): Promise<void> {
    const portion = await this.deps.sharing.takePortion(
      run.pending.map(({ orderId }) => orderId),
      portionSize,
    )
    if (!portion.ok) {
      await this.pauseFor(run, portion.error)
      return
    }
    const { taken, held, closed } = portion.value
    if (run.batch.state !== 'running') {
      await this.deps.sharing.giveBack(taken)
      return
    }
    const elsewhere = new Set([...held, ...closed])
    for (const item of run.pending.filter(({ orderId }) => elsewhere.has(orderId))) {
      if (!(await this.endByJournal(run, item))) {
        await this.endItem(run, item, await this.toUntaken(item, closed.includes(item.orderId)))
      }
      run.pending = run.pending.filter(({ position }) => position !== item.position)
    }
    run.waitsForOthers = taken.length === 0 && elsewhere.size === 0
    this.tell()
    const { signal } = this.stopping
    if (run.waitsForOthers) await pause(askAgainMs, undefined, { signal }).catch(() => undefined)
  }

  /** The end of an order that could not be taken. */
  private async toUntaken({ orderId, reference }: BatchItemRecord, isClosed: boolean): Promise<ItemEnd> {
    if (!isClosed || !(await this.deps.repository.isClosedHere(orderId))) return toEnd('elsewhere', {})
    return toEnd('left', { error: appError('order-closed', { reference }) })
  }

  /** Others may work on what this batch has not begun. */
  private giveBackPending({ pending }: Run): Promise<void> {
    return this.deps.sharing.giveBack(pending.map(({ orderId }) => orderId))
  }

  /** Ships one order. Never rejects: what the database refuses pauses the batch, and its row stays without outcome. */
  private async ship(run: Run, item: BatchItemRecord, afterEarlier: Promise<void>): Promise<void> {
    const turn = this.joinLine(run, item)
    try {
      if (await this.endByJournal(run, item)) return
      const end = await this.create(item, run.batch.operator, afterEarlier, turn)
      if (turn.isRefused()) {
        putBack(run, item)
        if (run.batch.state === 'paused') await this.deps.sharing.giveBack([item.orderId])
      } else if (end.ok) {
        await this.endItem(run, item, end.value)
        await this.watchService(run, end.value)
      } else {
        putBack(run, item)
        await this.pauseFor(run, end.error)
      }
    } catch (error) {
      putBack(run, item)
      this.giveUp(run, error)
    } finally {
      turn.leave()
    }
  }

  /** An order's turn at the service. It is refused to one of a batch that does not run any more, and to one that changed meanwhile. */
  private joinLine(run: Run, { position }: BatchItemRecord) {
    const place = run.turns.join()
    const mayGo = () => run.batch.state === 'running' && !this.stopping.signal.aborted
    let isRefused = false
    return {
      take: async (isAsBefore: () => Promise<boolean>) => {
        const askedAt = performance.now()
        const isGranted = mayGo() && (await place.take())
        const isLate = performance.now() - askedAt > maxWaitMs
        isRefused = !isGranted || (isLate && !(await isAsBefore())) || !mayGo()
        if (isRefused) return false
        run.waiting.delete(position)
        this.work(run)
        return true
      },
      leave: place.leave,
      isRefused: () => isRefused,
    }
  }

  /** An order's end; an error is about the station, so the order keeps its place. */
  private async create(
    item: BatchItemRecord,
    operator: string | null,
    afterEarlier: Promise<void>,
    { take, leave }: ReturnType<Batches['joinLine']>,
  ): Promise<Result<ItemEnd>> {
    const { shipping, ordersToShip, now } = this.deps
    const draft = await ordersToShip.findDraft(item.orderId)
    const isAsBefore = async () => isDeepStrictEqual(await ordersToShip.findDraft(item.orderId), draft)
    if (!draft.ok) return ok(toEnd('left', { error: draft.error }))
    if (!draft.value.ok) return ok(toEnd('incomplete', { issues: draft.value.error }))
    const created = await shipping.create({
      attemptId: item.attemptId,
      draft: draft.value.value,
      origin: 'batch',
      operator,
      print: true,
      takenAt: now(),
      afterEarlier,
      turn: { take: () => take(isAsBefore), give: leave },
      orderId: item.orderId,
    })
    if (created.ok) {
      const { state, id, error } = created.value
      const end = toKnownEnd({ state, id, error })
      return end === undefined
        ? err(appError('shipment-in-progress', { reference: item.reference }))
        : ok(end)
    }
    const { error } = created
    const shipmentId = error.details?.shipmentId ?? null
    switch (error.code) {
      case 'shipment-duplicate':
        return ok(toEnd(isElsewhere(error) ? 'elsewhere' : 'duplicate', { error, shipmentId }))
      case 'shipment-unsettled':
        return ok(toEnd(isElsewhere(error) ? 'elsewhere' : 'unknown', { error, shipmentId }))
      case 'shipment-in-progress':
        return ok(toEnd(isElsewhere(error) ? 'elsewhere' : 'left', { error, shipmentId }))
      case 'order-closed':
      case 'order-changed':
        return ok(toEnd('left', { error, shipmentId }))
      case 'invalid-input':
        return ok(toEnd('refused', { error }))
      default:
        return err(error)
    }
  }

  /** Ends an order by what the journal knows of its attempt; false when it does not know it, or no outcome yet. */
  private async endByJournal(run: Run, item: BatchItemRecord): Promise<boolean> {
    const known = await this.deps.store.findAttempt(item.attemptId)
    const end = known === undefined ? undefined : toKnownEnd(known)
    if (end === undefined) return false
    await this.endItem(run, item, end)
    run.pending = run.pending.filter(({ position }) => position !== item.position)
    return true
  }

  /** Ends an order that was sent, though its outcome is not written yet: nobody may take it for one that was left. */
  private async endByAttempt(run: Run, item: BatchItemRecord): Promise<void> {
    const known = await this.deps.store.findAttempt(item.attemptId)
    if (known === undefined) return
    const { id, reference } = known
    const inProgress = { shipmentId: id, error: appError('shipment-in-progress', { reference }) }
    await this.endItem(run, item, toKnownEnd(known) ?? toEnd('unknown', inProgress))
    run.pending = run.pending.filter(({ position }) => position !== item.position)
  }

  private async endItem(run: Run, item: BatchItemRecord, end: ItemEnd): Promise<void> {
    await this.deps.repository.endItem(item, end)
    run.outcomes[end.outcome] += 1
    // The end of an order that was created is published, and its lease with it.
    if (end.outcome !== 'created') await this.deps.sharing.giveBack([item.orderId])
    run.ends = [...run.ends, this.deps.now().getTime()].slice(-pacedOrders)
  }

  /** Pauses a batch whose orders the service does not answer any more. */
  private async watchService(run: Run, { outcome, error }: ItemEnd): Promise<void> {
    const isUnanswered = outcome === 'unknown' || (error !== null && unansweredCodes.has(error.code))
    run.unanswered = isUnanswered ? run.unanswered + 1 : 0
    if (run.unanswered >= maxUnansweredInARow && error !== null) await this.pauseFor(run, error)
  }

  private async pauseFor(run: Run, error: AppError): Promise<void> {
    this.deps.log.warn('a batch was paused', { code: error.code, reason: error.message })
    if (run.batch.state === 'running') await this.change(run, { state: 'paused', pausedBy: 'error', error })
  }

  /** The database refuses a row: nothing more is begun, whether or not that can be written. */
  private giveUp(run: Run, error: unknown): void {
    const { log } = this.deps
    const reason = toReason(error)
    log.error('a batch could not be written', { reason })
    run.batch = {
      ...run.batch,
      state: 'paused',
      pausedBy: 'error',
      error: appError('journal-not-written', { reason }),
    }
    run.turns.sendAway()
    this.tell()
  }

  private async end(run: Run): Promise<void> {
    const { repository, now, log } = this.deps
    if (run.batch.state === 'ended') return
    for (const item of [...run.pending]) await this.endByAttempt(run, item)
    const endedAt = now()
    await repository.endRest(run.batch.number, endedAt)
    await this.giveBackPending(run)
    run.outcomes.left += run.pending.length
    run.pending = []
    run.batch = { ...run.batch, state: 'ended', pausedBy: null, error: null, endedAt: endedAt.toISOString() }
    log.info('a batch ended', { orders: run.total, ...countsForLog(run.outcomes) })
    this.tell()
  }

  private async change(
    run: Run,
    change: Partial<Pick<BatchRecord, 'state' | 'pausedBy' | 'error' | 'operator'>>,
  ): Promise<void> {
    await this.deps.repository.change(run.batch.number, change)
    run.batch = { ...run.batch, ...change }
    if (run.batch.state !== 'running') run.turns.sendAway()
    if (change.state === 'paused') await this.giveBackPending(run)
    this.tell()
  }

  /** Of those that the service was asked for: the others can still be put back, and what is finished besides counts as one of them. */
  private countUnderWay({ underWay, waiting }: Run): number {
    return Math.min(underWay.size - waiting.size, this.deps.settings.current().batch.parallelCreations)
  }

  /** Tells the window of the current batch, soon. */
  private tell(): void {
    if (this.stopping.signal.aborted || this.run === undefined) return
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      const { run } = this
      if (run === undefined || this.stopping.signal.aborted) return
      this.toBatch(run).then(
        (batch) => {
          // It may have been closed meanwhile.
          if (this.run === run) this.deps.bus.emit('batchChanged', batch)
        },
        (error: unknown) => this.deps.log.error('a batch could not be read', { reason: toReason(error) }),
      )
    }, tellEveryMs)
  }

  private async toBatch(run: Run): Promise<Batch> {
    const { id, number, state, pausedBy, error, createdAt, endedAt } = run.batch
    return {
      ...{ id, state, pausedBy, error, createdAt, endedAt },
      total: run.total,
      outcomes: { ...run.outcomes },
      underWay: this.countUnderWay(run),
      waitsForOthers: run.batch.state === 'running' && run.waitsForOthers && run.underWay.size === 0,
      remainingMs: estimateRest(run),
      labels: await this.deps.repository.countLabels(number),
      ...(state === 'ended' &&
        run.outcomes.elsewhere > 0 && {
          openElsewhere: await this.deps.repository.countOpenElsewhere(number),
        }),
    }
  }
}

/** An order of which nothing was sent is taken again in its place of the list. */
function putBack(run: Run, item: BatchItemRecord): void {
  run.pending = [...run.pending, item].sort((one, other) => one.position - other.position)
}

/** By the pace of the last orders; null before there is one. */
function estimateRest({ ends, pending, underWay, batch }: Run): number | null {
  const first = ends[0]
  const last = ends.at(-1)
  if (batch.state !== 'running' || first === undefined || last === undefined || ends.length < 3) return null
  const perOrder = (last - first) / (ends.length - 1)
  return Math.max(0, Math.round(perOrder * (pending.length + underWay.size)))
}

/** Whether the error says that another station has the reference. */
function isElsewhere({ details }: AppError): boolean {
  return details?.case === 'elsewhere'
}

function toEnd(outcome: BatchOutcome, more: Partial<ItemEnd>): ItemEnd {
  return { issues: [], error: null, shipmentId: null, ...more, outcome }
}

/** The end by a shipment's state; undefined while it has no outcome. */
function toKnownEnd({
  state,
  id,
  error,
}: Pick<ShipmentRecord, 'state' | 'id' | 'error'>): ItemEnd | undefined {
  if (state === 'intended' || state === 'sent') return undefined
  return toEnd(state, { shipmentId: id, error })
}

function countsForLog(outcomes: Batch['outcomes']): Record<string, number> {
  return Object.fromEntries(batchOutcomeSchema.options.map((outcome) => [outcome, outcomes[outcome]]))
}

function tooLarge(count: number): AppError {
  return appError('batch-too-large', { count: String(count), most: String(maxBatchOrders) })
}

function notFound(): AppError {
  return appError('batch-not-found')
}
