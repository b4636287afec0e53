import type { Batch, BatchOutcome } from '../../shared/batches'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { type Mutex, rest } from '../lib/async'
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
  /** Divides the orders among stations that ship one list together. */
  sharing: Pick<OrderSharing, 'takePortion' | 'isTaken' | 'giveBack'>
  shipping: Pick<Shipping, 'create'>
  /** The journal. */
  shipmentRepository: {
    findAttempt(
      attemptId: string,
    ): Promise<Pick<ShipmentRecord, 'state' | 'id' | 'reference' | 'error'> | undefined>
  }
  settings: Pick<SettingsStore, 'current'>
  log: Log
  now: () => Date
  /** Aborted when the app closes: no further order is begun. */
  stop: AbortSignal
  /** Serializes changes of the batch. */
  mutex: Mutex
  /** Called after each change of the batch. */
  onChange(): void
}

/** After so many orders in a row without an answer of the service, the batch pauses. */
const maxUnansweredInARow = 3
/** Orders that a station takes at a time from a shared list: a few seconds of work. */
const portionSize = 10
/** Orders in progress per request slot: one at the service, others being prepared or having their answer stored. */
const ordersPerSlot = 3
/** Interval of queries for orders that batches of other stations hold. */
const pollOthersMs = 1000
/** Number of recent orders from which the remaining time is estimated. */
const pacedOrders = 20
/** Errors of a refused creation that do not depend on its order. */
const unansweredCodes = new Set([
  'service-unreachable',
  'service-insecure',
  'proxy-failed',
  'service-busy',
  'key-refused',
])

const sentOutcomes: ReadonlySet<BatchOutcome> = new Set(['created', 'refused', 'unknown'])
/** Errors with one of these outcomes of orders that were not sent: an earlier shipment is unknown, or the draft is invalid. */
const unsentCodes: ReadonlySet<string> = new Set(['shipment-unsettled', 'invalid-input'])

/** A running batch. After a crash its rows show how far it came. */
export class BatchRun {
  private readonly outcomes: Batch['outcomes']
  /** Orders that are not begun. */
  pending: BatchItemRecord[]
  /** Orders in progress, by position. */
  private readonly underWay = new Map<number, { reference: string; ended: Promise<void> }>()
  /** Positions of the orders in progress that wait for their request slot: they can still be put back. */
  private readonly waiting = new Set<number>()
  private readonly slots: Slots
  /** Resolves when every order that was begun has ended. */
  private earlier: Promise<void> = Promise.resolve()
  private unanswered = 0
  /** Set while a portion is taken from a shared list. */
  private taking: Promise<void> | null = null
  private waitsForOthers = false
  /** Times of the service's last answers. Storing the answers takes a varying time and does not count. */
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

  /** Restores a batch from its rows. */
  static async load(batch: BatchRecord, deps: BatchRunDeps): Promise<BatchRun> {
    const counted = await deps.repository.countOutcomes(batch.number)
    return new BatchRun(deps, batch, { ...counted, pending: await deps.repository.listPending(batch.number) })
  }

  /** @param operator who resumes the batch: its further shipments are theirs */
  async resume(operator: string | null): Promise<void> {
    // Orders that were prepared at the pause are put back first, so that they keep their position.
    await Promise.all([...this.waiting].map((position) => this.underWay.get(position)?.ended))
    this.unanswered = 0
    this.ends = []
    await this.change({ state: 'running', pausedBy: null, error: null, operator })
    this.work()
  }

  /** Resolves when no order is in progress. Call it after `stop` is aborted. */
  async idle(): Promise<void> {
    this.slots.rejectWaiting()
    await Promise.all([this.earlier, this.taking])
  }

  /** Begins orders up to the limits, and ends the batch when no order is left. */
  work(): void {
    if (this.deps.stop.aborted) return
    const { state } = this.batch
    const atOnce = this.deps.settings.current().batch.parallelCreations
    while (
      this.batch.state === 'running' &&
      this.waiting.size < atOnce &&
      this.underWay.size < atOnce * ordersPerSlot
    ) {
      // Two orders of one reference go one after the other: the guard needs the outcome of the first.
      const references = new Set([...this.underWay.values()].map(({ reference }) => reference))
      const next = this.pending.find(({ orderId }) => this.deps.sharing.isTaken(orderId))
      if (next === undefined && this.pending.length > 0) this.takeNextPortion()
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
        this.deps.onChange()
        this.work()
      })
    }
    const isOver = state === 'stopping' || (state === 'running' && this.pending.length === 0)
    // A portion that is being taken ends orders too, and calls this again.
    if (isOver && this.underWay.size === 0 && this.taking === null) {
      void this.deps.mutex(() => this.end()).catch((error: unknown) => this.pauseAfterWriteError(error))
    }
  }

  /** Takes the next portion of a shared list, then begins its orders. */
  private takeNextPortion(): void {
    this.taking ??= this.takePortion()
      .catch((error: unknown) => this.pauseAfterWriteError(error))
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
      await this.pauseWith(portion.error)
      return
    }
    const { taken, held, closed } = portion.value
    const elsewhere = new Set([...held, ...closed])
    for (const item of this.pending.filter(({ orderId }) => elsewhere.has(orderId))) {
      if (this.batch.state !== 'running') break
      if (!(await this.endByJournal(item))) {
        await this.endItem(item, await this.toNotTakenEnd(item, closed.includes(item.orderId)))
      }
    }
    if (this.batch.state !== 'running') {
      // Orders that ended meanwhile, or are being sent, are given back with their outcome.
      const pending = new Set(this.pending.map(({ orderId }) => orderId))
      await this.deps.sharing.giveBack(taken.filter((orderId) => pending.has(orderId)))
      return
    }
    this.waitsForOthers = taken.length === 0 && elsewhere.size === 0
    this.deps.onChange()
    const { stop: signal } = this.deps
    if (this.waitsForOthers) await rest(pollOthersMs, { signal })
  }

  /** The end of an order that this station could not take. */
  private async toNotTakenEnd({ orderId, reference }: BatchItemRecord, isClosed: boolean): Promise<ItemEnd> {
    if (!isClosed || !(await this.deps.repository.isClosedHere(orderId))) return toEnd('elsewhere', {})
    return toEnd('left', { error: appError('order-closed', { reference }) })
  }

  /** Lets other stations ship the orders that this batch has not begun. */
  private giveBackPending(): Promise<void> {
    return this.deps.sharing.giveBack(this.pending.map(({ orderId }) => orderId))
  }

  /** Lets other stations ship an order that ended after the pause had given back the orders not begun. */
  private async giveBackIfPaused({ orderId }: BatchItemRecord): Promise<void> {
    if (this.batch.state === 'paused') await this.deps.sharing.giveBack([orderId])
  }

  /** Ships one order. Never rejects: an error of the database pauses the batch, and the row stays without outcome. */
  private async ship(item: BatchItemRecord, afterEarlier: Promise<void>): Promise<void> {
    const slot = this.enqueueSlot(item)
    try {
      const end = await this.create(item, this.batch.operator, afterEarlier, slot)
      if (!end.ok) {
        this.putBack(item)
        await this.pauseWith(end.error)
        await this.giveBackIfPaused(item)
      } else if (end.value === 'put-back') {
        this.putBack(item)
        await this.giveBackIfPaused(item)
      } else {
        await this.endItem(item, end.value, slot.answeredAt())
        // The order has its end: a pause that can't be written must not put it back.
        await this.pauseIfUnanswered(end.value).catch((error: unknown) => this.pauseAfterWriteError(error))
      }
    } catch (error) {
      this.putBack(item)
      this.pauseAfterWriteError(error)
    } finally {
      slot.release()
    }
  }

  /** The request slot of an order. It is refused if the batch does not run any more, or if settings changed the order. */
  private enqueueSlot({ position }: BatchItemRecord) {
    const queued = this.slots.enqueue()
    const mayGo = () => this.batch.state === 'running' && !this.deps.stop.aborted
    let isTaken = false
    let answeredAt: number | undefined
    return {
      /** An order keeps its slot when it is prepared again. */
      acquire: async ({ isCurrent }: ReadyOrder) => {
        const isGranted = mayGo() && (isTaken || (await queued.acquire())) && (await isCurrent()) && mayGo()
        if (!isGranted || isTaken) return isGranted
        isTaken = true
        this.waiting.delete(position)
        // The next order is prepared after this one has started to write its intent.
        setImmediate(() => this.work())
        return true
      },
      mayContinue: async ({ isCurrent }: ReadyOrder) => mayGo() && (await isCurrent()),
      markAnswered: () => {
        answeredAt = this.deps.now().getTime()
        queued.markAnswered()
      },
      release: queued.release,
      answeredAt: () => answeredAt,
    }
  }

  /** @returns the order's end, or 'put-back' to begin it again later; an error concerns the station, so the order is put back */
  private async create(
    item: BatchItemRecord,
    operator: string | null,
    afterEarlier: Promise<void>,
    slot: ReturnType<BatchRun['enqueueSlot']>,
  ): Promise<Result<ItemEnd | 'put-back'>> {
    const { shipping, ordersToShip, now } = this.deps
    const found = await ordersToShip.findReady(item.orderId)
    if (!found.ok) return ok(await this.toMissingEnd(item, { error: found.error }))
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
        mayContinue: () => slot.mayContinue(ready.value),
        markAnswered: slot.markAnswered,
        release: slot.release,
      },
      orderId: item.orderId,
      fingerprint,
    })
    if (created.ok) {
      const { state, id, error } = created.value
      const end = toShipmentEnd({ state, id, error })
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
        // If it was corrected since it was prepared, it is sent as it is now, in the same slot.
        return (await this.hasChanged(item, fingerprint))
          ? this.create(item, operator, afterEarlier, slot)
          : ok(toEnd('left', { error, shipmentId }))
      case 'shipment-duplicate':
        return ok(toEnd(isElsewhere(error) ? 'elsewhere' : 'duplicate', { error, shipmentId }))
      case 'shipment-unsettled':
        return ok(toEnd(isElsewhere(error) ? 'elsewhere' : 'unknown', { error, shipmentId }))
      case 'shipment-in-progress':
        return ok(toEnd(isElsewhere(error) ? 'elsewhere' : 'left', { error, shipmentId }))
      case 'order-closed':
        return ok(await this.toMissingEnd(item, { error, shipmentId }))
      case 'invalid-input':
        return ok(toEnd('refused', { error }))
      default:
        return err(error)
    }
  }

  /** The end of an order that is not in the list or not open; it is put back when an equal order has replaced it. */
  private async toMissingEnd(item: BatchItemRecord, more: Partial<ItemEnd>): Promise<ItemEnd | 'put-back'> {
    const known = await this.findEnd(item)
    if (known !== undefined) return known
    const orderId = await this.deps.repository.findOrderId(item)
    if (orderId === undefined || orderId === item.orderId) return toEnd('left', more)
    item.orderId = orderId
    return 'put-back'
  }

  /** Whether an order has changed, or can't be shipped without a person any more. */
  private async hasChanged({ orderId }: BatchItemRecord, fingerprint: string): Promise<boolean> {
    const found = await this.deps.ordersToShip.findReady(orderId)
    return !found.ok || !found.value.ok || found.value.value.fingerprint !== fingerprint
  }

  /** Ends an order with the outcome of its attempt in the journal; false if there is none. */
  async endByJournal(item: BatchItemRecord): Promise<boolean> {
    const end = await this.findEnd(item)
    if (end === undefined) return false
    await this.endItem(item, end)
    return true
  }

  private async findEnd({ attemptId }: BatchItemRecord): Promise<ItemEnd | undefined> {
    const known = await this.deps.shipmentRepository.findAttempt(attemptId)
    return known === undefined ? undefined : toShipmentEnd(known)
  }

  /** Ends an order that was sent, as unknown if its outcome is not written yet: it must not appear as not shipped. */
  private async endByAttempt(item: BatchItemRecord): Promise<void> {
    const known = await this.deps.shipmentRepository.findAttempt(item.attemptId)
    if (known === undefined) return
    const { id, reference } = known
    const inProgress = { shipmentId: id, error: appError('shipment-in-progress', { reference }) }
    await this.endItem(item, toShipmentEnd(known) ?? toEnd('unknown', inProgress))
  }

  private async endItem(
    item: BatchItemRecord,
    end: ItemEnd,
    answeredAt = this.deps.now().getTime(),
  ): Promise<void> {
    await this.deps.repository.endItem(item, end)
    this.outcomes[end.outcome] += 1
    // Publishing a created shipment ends the lease of its order.
    if (end.outcome !== 'created') await this.deps.sharing.giveBack([item.orderId])
    this.pending = this.pending.filter(({ position }) => position !== item.position)
    this.ends = [...this.ends, answeredAt].slice(-pacedOrders)
  }

  /** Pauses the batch after several orders in a row without an answer of the service; orders that were not sent do not count. */
  private async pauseIfUnanswered({ outcome, error }: ItemEnd): Promise<void> {
    const isSent = sentOutcomes.has(outcome) && !unsentCodes.has(error?.code ?? '')
    if (!isSent) return
    const isUnanswered = outcome === 'unknown' || (error !== null && unansweredCodes.has(error.code))
    this.unanswered = isUnanswered ? this.unanswered + 1 : 0
    if (this.unanswered >= maxUnansweredInARow && error !== null) await this.pauseWith(error)
  }

  private async pauseWith(error: AppError): Promise<void> {
    this.deps.log.warn('a batch was paused', { code: error.code, reason: error.message })
    if (this.batch.state === 'running') await this.change({ state: 'paused', pausedBy: 'error', error })
  }

  /** Pauses after an error of the database, in memory if the pause itself can't be written. */
  private pauseAfterWriteError(error: unknown): void {
    const { log } = this.deps
    const reason = toReason(error)
    log.error('the progress of a batch could not be written; the batch is paused', { reason })
    this.batch = {
      ...this.batch,
      state: 'paused',
      pausedBy: 'error',
      error: appError('journal-not-written', { reason }),
    }
    this.slots.rejectWaiting()
    void this.giveBackPending()
    this.deps.onChange()
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
    this.deps.onChange()
  }

  async change(
    change: Partial<Pick<BatchRecord, 'state' | 'pausedBy' | 'error' | 'operator'>>,
  ): Promise<void> {
    await this.deps.repository.change(this.batch.number, change)
    this.batch = { ...this.batch, ...change }
    if (this.batch.state !== 'running') this.slots.rejectWaiting()
    if (change.state === 'paused') await this.giveBackPending()
    this.deps.onChange()
  }

  /** Orders whose request was sent, at most as many as there are slots: storing answers in addition does not count. */
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
      unshipped: state === 'ended' ? await this.deps.repository.countUnshippedOrders(number) : 0,
    }
  }

  /** In milliseconds, from the pace of the last orders; null before there is one. */
  private estimateRest(): number | null {
    const { ends, pending, underWay, batch } = this
    const first = ends[0]
    const last = ends.at(-1)
    if (batch.state !== 'running' || first === undefined || last === undefined || ends.length < 3) return null
    const perOrder = (last - first) / (ends.length - 1)
    return Math.max(0, Math.round(perOrder * (pending.length + underWay.size)))
  }

  /** Returns an order that was not sent to its position in the list. */
  private putBack(item: BatchItemRecord): void {
    const others = this.pending.filter(({ position }) => position !== item.position)
    this.pending = [...others, item].sort((one, other) => one.position - other.position)
  }
}

/** Whether another station has the reference. */
function isElsewhere({ details }: AppError): boolean {
  return details?.station !== undefined
}

function toEnd(outcome: BatchOutcome, more: Partial<ItemEnd>): ItemEnd {
  return { issues: [], error: null, shipmentId: null, ...more, outcome }
}

/** The end of an order by the state of its shipment; undefined while that has no outcome. */
function toShipmentEnd({
  state,
  id,
  error,
}: Pick<ShipmentRecord, 'state' | 'id' | 'error'>): ItemEnd | undefined {
  if (state === 'intended' || state === 'sent') return undefined
  return toEnd(state, { shipmentId: id, error })
}
