import { setTimeout as pause } from 'node:timers/promises'
import { appError } from '../../shared/errors'
import type { OrderHolder } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import type { EventBus } from '../lib/eventBus'
import { createMutex } from '../lib/mutex'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { OrderListRepository } from '../orders/listRepository'
import { publishOrdersChanged } from '../orders/orders'
import type { OrderRepository } from '../orders/repository'
import type { OrderSharing, Portion } from '../orders/sharing'
import type { SettingsStore } from '../settings/settingsStore'
import { isUnusableValue } from './connection'
import type { FleetSession } from './membership'
import {
  type LocalOrdersRepository,
  markOverruled,
  type OrderEntry,
  type WaitingOrder,
} from './ordersLocalRepository'
import {
  type FleetOrdersRepository,
  type Lease,
  leaseSeconds,
  type Published,
  UnreadableOrder,
} from './ordersRepository'

export interface SharedOrdersDeps {
  settings: Pick<SettingsStore, 'current'>
  rows: LocalOrdersRepository
  repository: Pick<OrderRepository, 'find'>
  orderList: Pick<OrderListRepository, 'counts'>
  currentOperator: () => string | null
  bus: Pick<EventBus, 'emit' | 'on'>
  log: Log
}

/** The connection that orders are shared on. */
export interface OrdersSession extends Pick<FleetSession, 'stationId' | 'hearsNews' | 'isEnding' | 'lose'> {
  repository: FleetOrdersRepository
  /** Tells the others that orders changed, or who has which. */
  announce(): void
}

/** How often the fleet is asked what changed: where news come from the others, and where they don't. */
const roundMs = { heard: 5000, unheard: 1000 }

/** A station shows this often that it is at work on its orders: several times before a lease ends. */
const renewMs = (leaseSeconds * 1000) / 3

const publishedAtOnce = 200
const readAtOnce = 500
const referencesAtOnce = 10_000
const idsLogged = 10

/** Pending orders of a batch that a portion is looked for among. */
const portionWindow = 1000

/** Longest wait of a person for the others to learn of a change. */
const patienceMs = 2000

/** Longest wait of the app's end for orders to be given back; else their leases end. */
const partingMs = 500

/**
 * The list of orders that all stations work on. Each keeps the whole list in its own database, where everything else finds
 * it; this brings changes there and back, and knows who works on which order. docs/decisions/0008-fleet.md tells how.
 */
export class SharedOrders implements OrderSharing {
  private session: OrdersSession | null = null
  private leases = new Map<string, Lease>()
  /** The order that is open on the Ship screen. */
  private onShip: string | null = null
  /** Orders that batches took. */
  private readonly inBatch = new Set<string>()
  private readonly mutex = createMutex()
  /** Entries that the database refused: said once. */
  private readonly refused = new Set<number>()
  private running: Promise<void> = Promise.resolve()
  private wake: () => void = () => undefined
  private isAwake = false
  private renewAt = 0
  private readonly unsubscribe: () => void

  constructor(private readonly deps: SharedOrdersDeps) {
    this.unsubscribe = deps.bus.on('ordersChanged', () => {
      // The status bar counts what waits to be published.
      if (this.session === null && this.isShared()) deps.bus.emit('statusOutdated')
      this.publishSoon()
    })
  }

  /** A fleet is joined: queues the list for it, once. */
  begin(fleetId: string): Promise<void> {
    return this.deps.rows.begin(fleetId)
  }

  /** The connection is there: shares orders on it until `suspend`. */
  join(session: OrdersSession): void {
    this.session = session
    const before = this.running
    this.running = before.then(() => this.work(session))
  }

  /** The connection is gone. */
  suspend(): void {
    this.session = null
    this.showLeases([])
    this.wake()
  }

  /** The station left its fleet. */
  async leave(): Promise<void> {
    this.onShip = null
    this.inBatch.clear()
    await this.deps.rows.leave()
  }

  /** The app is closing: gives its orders back. */
  async stop(): Promise<void> {
    this.unsubscribe()
    const { session } = this
    if (session !== null) {
      const given = session.repository.giveBack(session.stationId, this.listOwn()).catch(() => undefined)
      await Promise.race([given, pause(partingMs, undefined, { ref: false })])
    }
    this.suspend()
    await this.running
  }

  isShared(): boolean {
    return this.deps.settings.current().fleet !== null
  }

  findHolder(orderId: string): OrderHolder | undefined {
    const lease = this.leases.get(orderId)
    return lease === undefined || lease.stationId === this.session?.stationId ? undefined : toHolder(lease)
  }

  async takeForShip(orderId: string, takeOver: boolean): Promise<Result<OrderHolder | null>> {
    if (!this.isShared()) return ok(null)
    const before = this.onShip
    if (before !== null && before !== orderId) await this.giveBackFromShip()
    const { session } = this
    if (session === null) return this.takeAway(orderId)
    try {
      const operator = this.deps.currentOperator()
      const taken = await session.repository.take(orderId, { station: session.stationId, operator, takeOver })
      switch (taken) {
        case 'taken':
          this.onShip = orderId
          session.announce()
          return ok(null)
        case 'unknown':
          return ok(null)
        case 'closed':
          await this.read(session)
          return err(appError('order-not-open', { reference: await this.findReference(orderId) }))
        default:
          return ok(toHolder(taken))
      }
    } catch (error) {
      this.judge(session, error)
      return this.takeAway(orderId)
    }
  }

  async giveBackFromShip(): Promise<void> {
    const { onShip } = this
    this.onShip = null
    if (onShip !== null && !this.inBatch.has(onShip)) await this.giveBack([onShip])
  }

  async takePortion(orderIds: readonly string[], size: number): Promise<Result<Portion>> {
    const ids = orderIds.slice(0, portionWindow)
    const { session } = this
    if (session === null) return this.takePortionAway(ids, size)
    try {
      const { repository, stationId: station } = session
      const states = await repository.listStates(ids)
      // Nobody else knows of them yet.
      const own = ids.filter((id) => !states.has(id)).slice(0, size)
      const operator = this.deps.currentOperator()
      const wanted = ids.filter((id) => states.get(id) === 'open')
      const found = own.length > 0 ? [] : await repository.takePortion(wanted, { station, operator, size })
      const taken = new Set([...own, ...found])
      for (const id of taken) this.inBatch.add(id)
      if (found.length > 0) session.announce()
      const leases = new Map((await repository.listLeases()).map((lease) => [lease.orderId, lease]))
      const others = wanted.filter((id) => !taken.has(id))
      const isHeld = (id: string) => {
        const lease = leases.get(id)
        return lease !== undefined && !lease.isBatch && lease.stationId !== station
      }
      return ok({
        taken: ids.filter((id) => taken.has(id)),
        waiting: others.filter((id) => !isHeld(id)),
        held: others.filter(isHeld),
        closed: ids.filter((id) => states.has(id) && states.get(id) !== 'open'),
      })
    } catch (error) {
      this.judge(session, error)
      return this.takePortionAway(ids, size)
    }
  }

  isTaken(orderId: string): boolean {
    return !this.isShared() || this.inBatch.has(orderId)
  }

  async giveBack(orderIds: readonly string[]): Promise<void> {
    for (const id of orderIds) this.inBatch.delete(id)
    const { session, onShip } = this
    const given = orderIds.filter((id) => id !== onShip)
    if (session === null || given.length === 0) return
    try {
      await session.repository.giveBack(session.stationId, given)
      session.announce()
    } catch (error) {
      this.judge(session, error)
    }
  }

  async publishChange(orderId: string): Promise<boolean> {
    const { session } = this
    if (session === null) return true
    let state: 'asked' | 'answered' | 'late' = 'asked'
    // Once it is true, the person is told the verdict: marks are left out.
    const isHeard = () => {
      if (state === 'asked') state = 'answered'
      return state === 'answered'
    }
    const published = this.mutex(async () => {
      const waiting = await this.deps.rows.listWaitingOf(orderId)
      return waiting.length === 0 || this.publish(session, waiting, isHeard)
    }).catch((error: unknown) => {
      this.judge(session, error)
      return true
    })
    const patience = pause(patienceMs, undefined, { ref: false }).then(async () => {
      if (state === 'answered') return published
      state = 'late'
      void published.then((isSame) => (isSame ? undefined : this.tell()))
      return true
    })
    return Promise.race([published, patience])
  }

  async findShippedElsewhere(references: readonly string[]): Promise<Set<string>> {
    const { session } = this
    const shipped = new Set<string>()
    if (session === null) return shipped
    try {
      for (let from = 0; from < references.length; from += referencesAtOnce) {
        const part = references.slice(from, from + referencesAtOnce)
        for (const reference of await session.repository.findShipped(part)) shipped.add(reference)
      }
    } catch (error) {
      this.judge(session, error)
    }
    return shipped
  }

  /** Orders that the fleet does not have as they are. */
  countWaiting(): Promise<number> {
    return this.deps.rows.countWaiting()
  }

  /** Something changed here or there: the next round begins at once. */
  publishSoon(): void {
    this.isAwake = true
    this.wake()
  }

  private async work(session: OrdersSession): Promise<void> {
    let isTidy = false
    while (this.session === session) {
      this.isAwake = false
      try {
        if (!isTidy) {
          await session.repository.tidy(session.stationId, this.listOwn())
          await this.dropForgotten(session)
        }
        isTidy = true
        await this.publishWaiting(session)
        await this.read(session)
        await this.renew(session)
        this.showLeases(await session.repository.listLeases())
      } catch (error) {
        this.judge(session, error)
      }
      if (this.session === session && !this.isAwake) await this.rest(session)
    }
  }

  /** Orders that were removed while this station was away for so long that nobody remembers it any more. */
  private async dropForgotten({ repository }: OrdersSession): Promise<void> {
    const { rows, log } = this.deps
    if (!(await repository.hasForgottenSince(await rows.readUpTo()))) return
    const published = await rows.listPublished()
    const known = await repository.listStates(published)
    const forgotten = published.filter((id) => !known.has(id))
    if (forgotten.length === 0) return
    await rows.dropForgotten(forgotten)
    log.info('orders that other stations removed long ago were removed here', { count: forgotten.length })
    await this.tell()
  }

  private async rest({ hearsNews }: OrdersSession): Promise<void> {
    const waking = new AbortController()
    this.wake = () => waking.abort()
    const ms = hearsNews ? roundMs.heard : roundMs.unheard
    await pause(ms, undefined, { signal: waking.signal, ref: false }).catch(() => undefined)
  }

  private async publishWaiting(session: OrdersSession): Promise<void> {
    let isChanged = false
    let after = 0
    while (this.session === session) {
      const waiting = await this.mutex(async () => {
        const part = await this.deps.rows.listWaiting(after, publishedAtOnce)
        if (part.length > 0 && !(await this.publish(session, part, () => false))) isChanged = true
        return part
      })
      const last = waiting.at(-1)
      if (last === undefined) break
      after = last.entry.number
    }
    // The status bar counts them.
    if (after > 0) this.deps.bus.emit('statusOutdated')
    if (isChanged) await this.tell()
  }

  /**
   * @param isHeard whether a person waits for the verdict; else what they typed is marked where it is replaced
   * @returns whether the list says all the same afterwards
   */
  private async publish(
    session: OrdersSession,
    waiting: readonly WaitingOrder[],
    isHeard: () => boolean,
  ): Promise<boolean> {
    const { repository, stationId } = session
    let published: Published[]
    try {
      published = await repository.publish(
        stationId,
        waiting.map(({ order }) => order),
      )
    } catch (error) {
      const isOfOne = error instanceof UnreadableOrder || isUnusableValue(error)
      if (!isOfOne) throw error
      let isSame = true
      // One that can't be kept there keeps no other from going.
      if (waiting.length > 1) {
        for (const each of waiting) isSame = (await this.publish(session, [each], isHeard)) && isSame
      } else this.noteRefused(waiting, error)
      return isSame
    }
    if (published.some(({ verdict }) => verdict.kind === 'write')) session.announce()
    return this.notePublished(waiting, published, isHeard)
  }

  private async notePublished(
    waiting: readonly WaitingOrder[],
    published: readonly Published[],
    isHeard: () => boolean,
  ): Promise<boolean> {
    const { rows } = this.deps
    const noted: { entry: OrderEntry; version: number | null }[] = []
    let isSame = true
    for (const [index, { entry }] of waiting.entries()) {
      const { order, verdict, fleet } = published[index] ?? {}
      if (order === undefined || verdict === undefined) continue
      if (verdict.kind === 'twin') await rows.dropTwin(entry)
      else if (verdict.kind === 'refused' && fleet !== undefined) {
        await rows.takeInstead(entry, fleet, isHeard() ? [] : markOverruled(order, fleet))
      } else if (verdict.kind === 'write' && verdict.isMerged && fleet !== undefined) {
        await rows.takeInstead(entry, fleet, [])
      } else {
        noted.push({ entry, version: fleet?.version ?? null })
        continue
      }
      isSame = false
    }
    await rows.notePublished(noted)
    return isSame
  }

  private noteRefused(waiting: readonly WaitingOrder[], error: unknown): void {
    for (const { entry } of waiting) {
      if (this.refused.has(entry.number)) continue
      this.refused.add(entry.number)
      const reason = toReason(error)
      this.deps.log.error('an order can not be shared with the fleet', { id: entry.orderId, reason })
    }
  }

  /** Takes over what other stations changed. */
  private async read(session: OrdersSession): Promise<void> {
    const { rows } = this.deps
    let isChanged = false
    while (this.session === session) {
      const after = await rows.readUpTo()
      const { orders, unreadable, upTo } = await session.repository.listChanges(after, readAtOnce)
      if (upTo === after) break
      if (unreadable.length > 0) {
        this.deps.log.error('orders of the fleet can not be read: this station is too old for them', {
          count: unreadable.length,
          ids: unreadable.slice(0, idsLogged).join(', '),
        })
      }
      if (await rows.take(orders, upTo)) isChanged = true
    }
    if (isChanged) await this.tell()
  }

  private async renew({ repository, stationId }: OrdersSession): Promise<void> {
    const own = this.listOwn()
    if (own.length === 0 || performance.now() < this.renewAt) return
    const left = new Set(await repository.renew(stationId, own))
    this.renewAt = performance.now() + renewMs
    // Others took them over, or they are closed.
    for (const id of own) {
      if (left.has(id)) continue
      this.inBatch.delete(id)
      if (this.onShip === id) this.onShip = null
    }
  }

  private showLeases(leases: readonly Lease[]): void {
    const before = JSON.stringify([...this.leases.values()])
    this.leases = new Map(leases.map((lease) => [lease.orderId, lease]))
    if (JSON.stringify([...this.leases.values()]) !== before) void this.tell()
  }

  private listOwn(): string[] {
    return [...this.inBatch, ...(this.onShip === null ? [] : [this.onShip])]
  }

  /** Under the own guard alone, an order that others know is this station's only when it had taken it before. */
  private async takeAway(orderId: string): Promise<Result<null>> {
    return (await this.mayShipAway(orderId))
      ? ok(null)
      : err(appError('order-not-taken', { reference: await this.findReference(orderId) }))
  }

  private async takePortionAway(ids: readonly string[], size: number): Promise<Result<Portion>> {
    const taken: string[] = []
    for (const id of ids) {
      if (taken.length < size && (await this.mayShipAway(id))) taken.push(id)
    }
    const [first] = ids
    if (taken.length === 0 && first !== undefined) {
      return err(appError('order-not-taken', { reference: await this.findReference(first) }))
    }
    for (const id of taken) this.inBatch.add(id)
    return ok({ taken, waiting: ids.filter((id) => !taken.includes(id)), held: [], closed: [] })
  }

  private async mayShipAway(orderId: string): Promise<boolean> {
    const { fleet } = this.deps.settings.current()
    // Where nothing is shipped without the database, the claim says so.
    if (fleet === null || fleet.whenUnreachable === 'hold') return true
    if (this.inBatch.has(orderId) || this.onShip === orderId) return true
    return !(await this.deps.rows.isPublished(orderId))
  }

  private async findReference(orderId: string): Promise<string> {
    return (await this.deps.repository.find(orderId))?.values.reference ?? ''
  }

  private judge(session: OrdersSession, error: unknown): void {
    if (session.isEnding(error)) session.lose(error)
    else this.deps.log.warn('orders could not be shared with the fleet', { reason: toReason(error) })
  }

  private async tell(): Promise<void> {
    try {
      await publishOrdersChanged(this.deps)
    } catch (error) {
      this.deps.log.error('orders could not be counted', { reason: toReason(error) })
    }
  }
}

function toHolder({ station, operator, since, isBatch }: Lease): OrderHolder {
  return { station, operator, since, isBatch }
}
