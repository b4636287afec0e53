import { setTimeout as pause } from 'node:timers/promises'
import type { Batch, BatchOutcome } from '../../shared/batches'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { Mutex } from '../lib/mutex'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { OrdersToShip, ReadyOrder } from '../orders/ordersToShip'
import type { OrderSharing } from '../orders/sharing'
import type { SettingsStore } from '../settings/settingsStore'
import type { ShipmentRecord } from '../shipments/repository'
import type { Shipping } from '../shipments/shipping'
import type { BatchItemRecord, BatchRecord, BatchRepository, ItemEnd } from './repository'
import { Slots } from './slots'

export interface BatchRunDeps {
  repository: BatchRepository
  ordersToShip: Pick<OrdersToShip, 'findReady'>
  /** Where several stations work one list down together. */
  sharing: Pick<OrderSharing, 'takePortion' | 'isTaken' | 'giveBack'>
  shipping: Pick<Shipping, 'create'>
  /** What the journal knows of an attempt. */
  store: {
    findAttempt(
      attemptId: string,
    ): Promise<Pick<ShipmentRecord, 'state' | 'id' | 'reference' | 'error'> | undefined>
  }
  settings: Pick<SettingsStore, 'current'>
  log: Log
  now: () => Date
  /** The app is closing: nothing more is begun. */
  stop: AbortSignal
  /** A batch is changed by one at a time. */
  mutex: Mutex
  /** The batch says something else now. */
  tell(): void
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
/** Wait for orders that batches of other stations have, in milliseconds. */
const askAgainMs = 1000
/** Orders whose pace the estimate goes by. */
const pacedOrders = 20
/** Errors of a refused creation that say nothing about its order. */
const unansweredCodes = new Set([
  'service-unreachable',
  'service-insecure',
  'proxy-failed',
  'service-busy',
  'key-refused',
])

/** A batch at work: what is in memory is gone after a crash, and the rows say how far it came. */
export class BatchRun {
  private readonly outcomes: Batch['outcomes']
  /** Orders of which nothing was sent. */
  pending: BatchItemRecord[]
  private readonly underWay = new Map<number, { reference: string; ended: Promise<void> }>()
  /** The orders under way of which the service was not asked yet, by their positions: they can still be put back. */
  private readonly waiting = new Set<number>()
  private readonly slots: Slots
  /** Resolves when every order that was begun has ended. */
  private earlier: Promise<void> = Promise.resolve()
  private unanswered = 0
  /** Orders are just being taken from the list that stations share. */
  private taking: Promise<void> | null = null
  private waitsForOthers = false
  /** When the service had answered the last orders that ended: what is done with the answers later blurs the pace. */
  private ends: number[] = []
  private readonly total: number

  private constructor(
    private readonly deps: BatchRunDeps,
    public batch: BatchRecord,
    rows: Awaited<ReturnType<BatchRepository['countOutcomes']>> & { pending: BatchItemRecord[] },
  ) {
    this.outcomes = rows.outcomes
    this.total = rows.total
    this.pending = rows.pending
    this.slots = new Slots(() => deps.settings.current().batch.parallelCreations)
  }

  /** Takes a batch up as its rows say. */
  static async load(batch: BatchRecord, deps: BatchRunDeps): Promise<BatchRun> {
    const counted = await deps.repository.countOutcomes(batch.number)
    return new BatchRun(deps, batch, { ...counted, pending: await deps.repository.listPending(batch.number) })
  }

  /** Works again after a pause, as whoever resumes it. */
  async resume(operator: string | null): Promise<void> {
    // Those that were ready at the pause are put back first, so that they keep their place.
    await Promise.all([...this.waiting].map((position) => this.underWay.get(position)?.ended))
    this.unanswered = 0
    this.ends = []
    await this.change({ state: 'running', pausedBy: null, error: null, operator })
    this.work()
  }

  /** Resolves when nothing of it is under way any more: nothing more is begun. */
  async idle(): Promise<void> {
    this.slots.rejectWaiting()
    await Promise.all([this.earlier, this.taking])
  }

  /** Begins orders as long as there is room, and ends the batch when nothing is left to do. */
  work(): void {
    if (this.deps.stop.aborted) return
    const { state } = this.batch
    const atOnce = this.deps.settings.current().batch.parallelCreations
    while (
      this.batch.state === 'running' &&
      this.waiting.size < atOnce &&
      this.underWay.size < atOnce * underWayForEach
    ) {
      // One after the other where two orders have the same reference: the guard has to know what became of the first.
      const references = new Set([...this.underWay.values()].map(({ reference }) => reference))
      const next = this.pending.find(({ orderId }) => this.deps.sharing.isTaken(orderId))
      if (next === undefined && this.pending.length > 0) this.takeMore()
      if (next === undefined || references.has(next.reference)) break
      this.pending = this.pending.filter((item) => item !== next)
      const { earlier } = this
      this.waiting.add(next.position)
      const ended = this.ship(next, earlier)
      this.underWay.set(next.position, { reference: next.reference, ended })
      this.earlier = Promise.all([earlier, ended]).then(() => undefined)
      void ended.then(() => {
        this.underWay.delete(next.position)
        this.waiting.delete(next.position)
        this.deps.tell()
        this.work()
      })
    }
    const isOver = state === 'stopping' || (state === 'running' && this.pending.length === 0)
    if (isOver && this.underWay.size === 0) {
      void this.deps.mutex(() => this.end()).catch((error: unknown) => this.giveUp(error))
    }
  }

  /** Takes the next portion of a list that stations share, and goes on with it. */
  private takeMore(): void {
    this.taking ??= this.takePortion()
      .catch((error: unknown) => this.giveUp(error))
      .finally(() => {
        this.taking = null
        this.work()
      })
  }

  private async takePortion(): Promise<void> {
    const portion = await this.deps.sharing.takePortion(
      this.pending.map(({ orderId }) => orderId),
      portionSize,
    )
    if (!portion.ok) {
      await this.pauseFor(portion.error)
      return
    }
    const { taken, held, closed } = portion.value
    if (this.batch.state !== 'running') {
      await this.deps.sharing.giveBack(taken)
      return
    }
    const elsewhere = new Set([...held, ...closed])
    for (const item of this.pending.filter(({ orderId }) => elsewhere.has(orderId))) {
      if (!(await this.endByJournal(item))) {
        await this.endItem(item, await this.toUntaken(item, closed.includes(item.orderId)))
      }
    }
    this.waitsForOthers = taken.length === 0 && elsewhere.size === 0
    this.deps.tell()
    const { stop: signal } = this.deps
    if (this.waitsForOthers) await pause(askAgainMs, undefined, { signal }).catch(() => undefined)
  }

  /** The end of an order that could not be taken. */
  private async toUntaken({ orderId, reference }: BatchItemRecord, isClosed: boolean): Promise<ItemEnd> {
    if (!isClosed || !(await this.deps.repository.isClosedHere(orderId))) return toEnd('elsewhere', {})
    return toEnd('left', { error: appError('order-closed', { reference }) })
  }

  /** Others may work on what this batch has not begun. */
  private giveBackPending(): Promise<void> {
    return this.deps.sharing.giveBack(this.pending.map(({ orderId }) => orderId))
  }

  /** Ships one order. Never rejects: what the database refuses pauses the batch, and its row stays without outcome. */
  private async ship(item: BatchItemRecord, afterEarlier: Promise<void>): Promise<void> {
    const slot = this.enqueueSlot(item)
    try {
      const end = await this.create(item, this.batch.operator, afterEarlier, slot)
      if (!end.ok) {
        this.putBack(item)
        await this.pauseFor(end.error)
      } else if (end.value === 'put-back') {
        this.putBack(item)
        if (this.batch.state === 'paused') await this.deps.sharing.giveBack([item.orderId])
      } else {
        await this.endItem(item, end.value, slot.answeredAt())
        await this.watchService(end.value)
      }
    } catch (error) {
      this.putBack(item)
      this.giveUp(error)
    } finally {
      slot.release()
    }
  }

  /** An order's slot at the service. It is refused to one of a batch that does not run any more, and to one that settings changed. */
  private enqueueSlot({ position }: BatchItemRecord) {
    const queued = this.slots.enqueue()
    const mayGo = () => this.batch.state === 'running' && !this.deps.stop.aborted
    let isTaken = false
    let answeredAt: number | undefined
    return {
      /** Once it has its slot an order keeps it, also when it is made ready anew. */
      acquire: async ({ isCurrent }: ReadyOrder) => {
        const isGranted = mayGo() && (isTaken || (await queued.acquire())) && (await isCurrent()) && mayGo()
        if (!isGranted || isTaken) return isGranted
        isTaken = true
        this.waiting.delete(position)
        // The next order is made ready when the intent of this one is on its way.
        setImmediate(() => this.work())
        return true
      },
      markAnswered: () => {
        answeredAt = this.deps.now().getTime()
        queued.markAnswered()
      },
      release: queued.release,
      answeredAt: () => answeredAt,
    }
  }

  /** An order's end, or that it is to be taken again; an error is about the station, so the order keeps its place. */
  private async create(
    item: BatchItemRecord,
    operator: string | null,
    afterEarlier: Promise<void>,
    slot: ReturnType<BatchRun['enqueueSlot']>,
  ): Promise<Result<ItemEnd | 'put-back'>> {
    const { shipping, ordersToShip, now } = this.deps
    const found = await ordersToShip.findReady(item.orderId)
    if (!found.ok) return ok((await this.findEnd(item)) ?? toEnd('left', { error: found.error }))
    const ready = found.value
    if (!ready.ok) return ok((await this.findEnd(item)) ?? toEnd('incomplete', { issues: ready.error }))
    const { draft, fingerprint } = ready.value
    const created = await shipping.create({
      attemptId: item.attemptId,
      draft,
      origin: 'batch',
      operator,
      print: true,
      takenAt: now(),
      afterEarlier,
      slot: {
        acquire: () => slot.acquire(ready.value),
        markAnswered: slot.markAnswered,
        release: slot.release,
      },
      orderId: item.orderId,
      fingerprint,
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
      case 'batch-held':
        return ok('put-back')
      case 'order-changed':
        // Corrected since it was made ready: it goes as it is now, in its place of the list.
        return (await this.saysOther(item, fingerprint))
          ? this.create(item, operator, afterEarlier, slot)
          : ok(toEnd('left', { error, shipmentId }))
      case 'shipment-duplicate':
        return ok(toEnd(isElsewhere(error) ? 'elsewhere' : 'duplicate', { error, shipmentId }))
      case 'shipment-unsettled':
        return ok(toEnd(isElsewhere(error) ? 'elsewhere' : 'unknown', { error, shipmentId }))
      case 'shipment-in-progress':
        return ok(toEnd(isElsewhere(error) ? 'elsewhere' : 'left', { error, shipmentId }))
      case 'order-closed':
        return ok(toEnd('left', { error, shipmentId }))
      case 'invalid-input':
        return ok(toEnd('refused', { error }))
      default:
        return err(error)
    }
  }

  /** Whether an order says something else by now, or can't be shipped by itself any more. */
  private async saysOther({ orderId }: BatchItemRecord, fingerprint: string): Promise<boolean> {
    const found = await this.deps.ordersToShip.findReady(orderId)
    return !found.ok || !found.value.ok || found.value.value.fingerprint !== fingerprint
  }

  /** Ends an order by what the journal knows of its attempt; false when it does not know it, or no outcome yet. */
  async endByJournal(item: BatchItemRecord): Promise<boolean> {
    const end = await this.findEnd(item)
    if (end === undefined) return false
    await this.endItem(item, end)
    return true
  }

  private async findEnd({ attemptId }: BatchItemRecord): Promise<ItemEnd | undefined> {
    const known = await this.deps.store.findAttempt(attemptId)
    return known === undefined ? undefined : toKnownEnd(known)
  }

  /** Ends an order that was sent, though its outcome is not written yet: nobody may take it for one that was left. */
  private async endByAttempt(item: BatchItemRecord): Promise<void> {
    const known = await this.deps.store.findAttempt(item.attemptId)
    if (known === undefined) return
    const { id, reference } = known
    const inProgress = { shipmentId: id, error: appError('shipment-in-progress', { reference }) }
    await this.endItem(item, toKnownEnd(known) ?? toEnd('unknown', inProgress))
  }

  private async endItem(
    item: BatchItemRecord,
    end: ItemEnd,
    answeredAt = this.deps.now().getTime(),
  ): Promise<void> {
    await this.deps.repository.endItem(item, end)
    this.outcomes[end.outcome] += 1
    // The end of an order that was created is published, and its lease with it.
    if (end.outcome !== 'created') await this.deps.sharing.giveBack([item.orderId])
    this.pending = this.pending.filter(({ position }) => position !== item.position)
    this.ends = [...this.ends, answeredAt].slice(-pacedOrders)
  }

  /** Pauses a batch whose orders the service does not answer any more. */
  private async watchService({ outcome, error }: ItemEnd): Promise<void> {
    const isUnanswered = outcome === 'unknown' || (error !== null && unansweredCodes.has(error.code))
    this.unanswered = isUnanswered ? this.unanswered + 1 : 0
    if (this.unanswered >= maxUnansweredInARow && error !== null) await this.pauseFor(error)
  }

  private async pauseFor(error: AppError): Promise<void> {
    this.deps.log.warn('a batch was paused', { code: error.code, reason: error.message })
    if (this.batch.state === 'running') await this.change({ state: 'paused', pausedBy: 'error', error })
  }

  /** The database refuses a row: nothing more is begun, whether or not that can be written. */
  private giveUp(error: unknown): void {
    const { log } = this.deps
    const reason = toReason(error)
    log.error('a batch could not be written', { reason })
    this.batch = {
      ...this.batch,
      state: 'paused',
      pausedBy: 'error',
      error: appError('journal-not-written', { reason }),
    }
    this.slots.rejectWaiting()
    this.deps.tell()
  }

  async end(): Promise<void> {
    const { repository, now, log } = this.deps
    if (this.batch.state === 'ended') return
    for (const item of [...this.pending]) await this.endByAttempt(item)
    const endedAt = now()
    await repository.endRest(this.batch.number, endedAt)
    await this.giveBackPending()
    this.outcomes.left += this.pending.length
    this.pending = []
    this.batch = {
      ...this.batch,
      state: 'ended',
      pausedBy: null,
      error: null,
      endedAt: endedAt.toISOString(),
    }
    log.info('a batch ended', { orders: this.total, ...this.outcomes })
    this.deps.tell()
  }

  async change(
    change: Partial<Pick<BatchRecord, 'state' | 'pausedBy' | 'error' | 'operator'>>,
  ): Promise<void> {
    await this.deps.repository.change(this.batch.number, change)
    this.batch = { ...this.batch, ...change }
    if (this.batch.state !== 'running') this.slots.rejectWaiting()
    if (change.state === 'paused') await this.giveBackPending()
    this.deps.tell()
  }

  /** Of those that the service was asked for: the others can still be put back, and what is finished besides counts as one of them. */
  private countUnderWay(): number {
    return Math.min(
      this.underWay.size - this.waiting.size,
      this.deps.settings.current().batch.parallelCreations,
    )
  }

  async toBatch(): Promise<Batch> {
    const { id, number, state, pausedBy, error, createdAt, endedAt } = this.batch
    return {
      ...{ id, state, pausedBy, error, createdAt, endedAt },
      total: this.total,
      outcomes: { ...this.outcomes },
      underWay: this.countUnderWay(),
      waitsForOthers: this.batch.state === 'running' && this.waitsForOthers && this.underWay.size === 0,
      remainingMs: this.estimateRest(),
      labels: await this.deps.repository.countLabels(number),
      ...(state === 'ended' &&
        this.outcomes.elsewhere > 0 && {
          openElsewhere: await this.deps.repository.countOpenElsewhere(number),
        }),
    }
  }

  /** By the pace of the last orders; null before there is one. */
  private estimateRest(): number | null {
    const { ends, pending, underWay, batch } = this
    const first = ends[0]
    const last = ends.at(-1)
    if (batch.state !== 'running' || first === undefined || last === undefined || ends.length < 3) return null
    const perOrder = (last - first) / (ends.length - 1)
    return Math.max(0, Math.round(perOrder * (pending.length + underWay.size)))
  }

  /** An order of which nothing was sent is taken again in its place of the list. */
  private putBack(item: BatchItemRecord): void {
    const others = this.pending.filter(({ position }) => position !== item.position)
    this.pending = [...others, item].sort((one, other) => one.position - other.position)
  }
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
