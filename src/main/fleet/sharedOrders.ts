import { setTimeout as pause } from 'node:timers/promises'
import { type AppError, appError } from '../../shared/errors'
import type { OrderHolder } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import { createMutex, rest } from '../lib/async'
import type { EventBus } from '../lib/eventBus'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { OrderListRepository } from '../orders/listRepository'
import { publishOrdersChanged } from '../orders/orders'
import type { OrderRepository } from '../orders/repository'
import type { OrderSharing, Portion } from '../orders/sharing'
import type { SettingsStore } from '../settings/settingsStore'
import { isUnusableValue } from './connection'
import {
  type FleetOrdersRepository,
  type Lease,
  leaseSeconds,
  type Published,
  UnreadableOrderError,
} from './fleetOrdersRepository'
import {
  type LocalOrdersRepository,
  markOverruled,
  type OrderEntry,
  type WaitingOrder,
} from './localOrdersRepository'
import type { FleetSession } from './membership'
import type { OrderVerdict } from './ordersVerdict'

export interface SharedOrdersDeps {
  settings: Pick<SettingsStore, 'current' | 'belongsToFleet'>
  localOrdersRepository: LocalOrdersRepository
  orderRepository: Pick<OrderRepository, 'find'>
  orderList: Pick<OrderListRepository, 'counts'>
  /** Whether shipments are created while the database is unreachable. */
  shipsWhenAway(): boolean
  currentOperator: () => string | null
  bus: Pick<EventBus, 'emit' | 'on'>
  log: Log
}

/** What sharing orders needs of a fleet session. */
export interface OrdersSession
  extends Pick<FleetSession, 'stationId' | 'receivesNotifications' | 'endsSession' | 'drop'> {
  repository: FleetOrdersRepository
  /** Notifies the other stations of changed orders or leases. */
  announce(): void
}

/** How often the station polls for changes, with and without notifications. */
const roundIntervalMs = { notified: 5000, polling: 1000 }

/** How often leases are renewed: several times before they expire. */
const renewMs = (leaseSeconds * 1000) / 3

const publishBatchSize = 200
const readBatchSize = 500
const referenceBatchSize = 10_000
const maxIdsLogged = 10

/** Number of pending batch orders that one portion is selected from. */
const portionWindow = 1000

/** How long an operator waits for a change to be published. */
const maxPublishWaitMs = 2000

/** How long the app's exit waits for leases to be released; otherwise they expire. */
const maxReleaseMs = 500

/**
 * Shares the list of orders between stations. Each station has the whole list in its own database; this class publishes
 * local changes, reads those of other stations, and manages leases on orders. See docs/decisions/0008-fleet.md.
 */
export class SharedOrders implements OrderSharing {
  private session: OrdersSession | null = null
  private leases = new Map<string, Lease>()
  /** The order on the Ship screen that this station has taken. */
  private shipScreenOrder: string | null = null
  /** The order on the Ship screen that is still to be taken: the database or the order's publication was missing. */
  private untakenShipOrder: string | null = null
  /** Orders that this station's batch holds, and whether it has the lease: one that it took before its publication has none. */
  private readonly batchOrders = new Map<string, boolean>()
  private readonly mutex = createMutex()
  /** The Ship screen takes and gives back orders in the order of its calls. */
  private readonly shipScreenMutex = createMutex()
  /** Entries that the database refused; each is logged once. */
  private readonly refused = new Set<number>()
  private running: Promise<void> = Promise.resolve()
  private wake: () => void = () => undefined
  private isRoundDue = false
  private nextRenewalAt = 0
  /** The last change that this session read; null before the first. */
  private lastRead: string | null = null
  /** Whether this session met changes that this version can't read; the next one reads them again, perhaps updated. */
  private hasUnreadable = false
  private readonly unsubscribe: () => void

  constructor(private readonly deps: SharedOrdersDeps) {
    this.unsubscribe = deps.bus.on('ordersChanged', () => {
      // The status bar counts what waits to be published.
      if (this.session === null && this.isShared()) deps.bus.emit('statusOutdated')
      this.publishSoon()
    })
  }

  /** Queues the whole list for a fleet, once. */
  begin(fleetId: string): Promise<void> {
    return this.deps.localOrdersRepository.queueListOnce(fleetId)
  }

  /** Shares orders on this session until `suspend`. */
  join(session: OrdersSession): void {
    this.session = session
    this.lastRead = null
    this.hasUnreadable = false
    const before = this.running
    this.running = before.then(() => this.runRounds(session))
  }

  /** Stops sharing after the connection was lost. */
  suspend(): void {
    this.session = null
    this.updateLeases([])
    this.wake()
  }

  /** Stops recording changes after the station left its fleet. */
  async leave(): Promise<void> {
    this.shipScreenOrder = null
    this.untakenShipOrder = null
    this.batchOrders.clear()
    await this.deps.localOrdersRepository.leave()
  }

  /** Releases this station's leases and begins no further round, for the app's exit. */
  async stop(): Promise<void> {
    this.unsubscribe()
    const { session } = this
    if (session !== null) {
      const given = session.repository
        .releaseLeases(session.stationId, this.listHeldOrders())
        .catch(() => undefined)
      await Promise.race([given, pause(maxReleaseMs, undefined, { ref: false })])
    }
    this.suspend()
  }

  /** Resolves when the last round has ended; one that waits for the database ends with its connection. */
  waitUntilIdle(): Promise<void> {
    return this.running
  }

  isShared(): boolean {
    return this.deps.settings.belongsToFleet()
  }

  findHolder(orderId: string): OrderHolder | undefined {
    const lease = this.leases.get(orderId)
    return lease === undefined || lease.stationId === this.session?.stationId ? undefined : toHolder(lease)
  }

  takeForShip(orderId: string, takeOver: boolean): Promise<Result<OrderHolder | null>> {
    return this.shipScreenMutex(() => this.takeForShipNow(orderId, takeOver))
  }

  private async takeForShipNow(orderId: string, takeOver: boolean): Promise<Result<OrderHolder | null>> {
    if (!this.isShared()) return ok(null)
    const before = this.shipScreenOrder
    if (before !== null && before !== orderId) await this.giveBackFromShipNow()
    this.untakenShipOrder = null
    const { session } = this
    if (session === null) return this.takeOffline(orderId)
    try {
      const operator = this.deps.currentOperator()
      const taken = await session.repository.acquireLease(orderId, {
        station: session.stationId,
        operator,
        takeOver,
      })
      switch (taken) {
        case 'taken':
          this.shipScreenOrder = orderId
          session.announce()
          return ok(null)
        case 'unknown':
          // Another station's equal order may have replaced it.
          if ((await this.deps.orderRepository.find(orderId)) === undefined)
            return err(appError('order-not-found'))
          this.untakenShipOrder = orderId
          return ok(null)
        case 'closed':
          await this.readChanges(session)
          return err(appError('order-not-open', { reference: await this.findReference(orderId) }))
        default:
          return ok(toHolder(taken))
      }
    } catch (error) {
      this.handleError(session, error)
      return this.takeOffline(orderId)
    }
  }

  async isAvailable(orderId: string): Promise<boolean> {
    return this.session !== null || (await this.mayShipOffline(orderId))
  }

  /**
   * Why this station must not ship these references while the database is unreachable: another station has shipped one, or may
   * have its open order. Of several open orders of a reference, the first decides: at most one station has it.
   */
  async findNotTaken(references: readonly string[]): Promise<AppError | undefined> {
    const shipped = await this.deps.localOrdersRepository.findShippedElsewhere(references)
    if (shipped !== undefined) return appError('order-not-taken', { case: 'shipped', reference: shipped })
    const open = await this.deps.localOrdersRepository.listOpenPublished(references)
    const firstIds = new Map(open.toReversed().map(({ id, reference }) => [reference, id]))
    const notTaken = [...firstIds].find(([, id]) => !this.hasLease(id))
    return notTaken && appError('order-not-taken', { reference: notTaken[0] })
  }

  giveBackFromShip(): Promise<void> {
    return this.shipScreenMutex(() => this.giveBackFromShipNow())
  }

  private async giveBackFromShipNow(): Promise<void> {
    const { shipScreenOrder } = this
    this.shipScreenOrder = null
    this.untakenShipOrder = null
    if (shipScreenOrder !== null && !this.batchOrders.has(shipScreenOrder))
      await this.giveBack([shipScreenOrder])
  }

  async takePortion(orderIds: readonly string[], size: number): Promise<Result<Portion>> {
    const ids = orderIds.slice(0, portionWindow)
    const { session } = this
    if (session === null) return this.takePortionOffline(ids, size)
    try {
      const { repository, stationId: station } = session
      const states = await repository.listStates(ids)
      // Unpublished orders: no other station knows them.
      const own = ids.filter((id) => !states.has(id)).slice(0, size)
      const operator = this.deps.currentOperator()
      const wanted = ids.filter((id) => states.get(id) === 'open')
      const found =
        own.length > 0 ? [] : await repository.acquireBatchLeases(wanted, { station, operator, size })
      const taken = new Set([...own, ...found])
      for (const id of own) this.batchOrders.set(id, false)
      for (const id of found) this.batchOrders.set(id, true)
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
      this.handleError(session, error)
      return this.takePortionOffline(ids, size)
    }
  }

  isTaken(orderId: string): boolean {
    return !this.isShared() || this.batchOrders.has(orderId)
  }

  async giveBack(orderIds: readonly string[]): Promise<void> {
    for (const id of orderIds) this.batchOrders.delete(id)
    const { session, shipScreenOrder } = this
    const given = orderIds.filter((id) => id !== shipScreenOrder)
    if (session === null || given.length === 0) return
    try {
      await session.repository.releaseLeases(session.stationId, given)
      session.announce()
    } catch (error) {
      this.handleError(session, error)
    }
  }

  async publishChange(orderId: string): Promise<boolean> {
    const { session } = this
    if (session === null) return true
    let state: 'asked' | 'answered' | 'late' = 'asked'
    // Once this returns true, the operator gets the result directly, and replaced fields need no marks.
    const isOperatorWaiting = () => {
      if (state === 'asked') state = 'answered'
      return state === 'answered'
    }
    const published = this.mutex(async () => {
      const waiting = await this.deps.localOrdersRepository.listWaitingForOrder(orderId)
      return waiting.length === 0 || this.publish(session, waiting, isOperatorWaiting)
    }).catch((error: unknown) => {
      this.handleError(session, error)
      return true
    })
    const patience = pause(maxPublishWaitMs, undefined, { ref: false }).then(async () => {
      if (state === 'answered') return published
      state = 'late'
      void published.then((isUnchanged) => (isUnchanged ? undefined : this.emitOrdersChanged()))
      return true
    })
    return Promise.race([published, patience])
  }

  async findShippedElsewhere(references: readonly string[]): Promise<Set<string>> {
    const { session } = this
    const shipped = new Set<string>()
    if (session === null) return shipped
    try {
      for (let from = 0; from < references.length; from += referenceBatchSize) {
        const part = references.slice(from, from + referenceBatchSize)
        for (const reference of await session.repository.findShipped(part)) shipped.add(reference)
      }
    } catch (error) {
      this.handleError(session, error)
    }
    return shipped
  }

  /** The number of unpublished changes. */
  countWaiting(): Promise<number> {
    return this.deps.localOrdersRepository.countWaiting()
  }

  /** Starts the next round at once. */
  publishSoon(): void {
    this.isRoundDue = true
    this.wake()
  }

  private async runRounds(session: OrdersSession): Promise<void> {
    let isCleanedUp = false
    while (this.session === session) {
      this.isRoundDue = false
      try {
        if (!isCleanedUp) {
          await session.repository.cleanUp(session.stationId, this.listHeldOrders())
          await this.removeForgotten(session)
        }
        isCleanedUp = true
        await this.publishWaiting(session)
        await this.takeUntaken(session)
        await this.readChanges(session)
        await this.renewLeases(session)
        await this.readLeases(session)
      } catch (error) {
        this.handleError(session, error)
      }
      if (this.session === session && !this.isRoundDue) await this.waitForNextRound(session)
    }
  }

  /** Removes orders whose removal the fleet has already deleted: this station was disconnected for too long. */
  private async removeForgotten({ repository }: OrdersSession): Promise<void> {
    const { localOrdersRepository, log } = this.deps
    if (!(await repository.hasForgottenSince(await localOrdersRepository.readUpTo()))) return
    const published = await localOrdersRepository.listPublished()
    const known = await repository.listStates(published)
    const forgotten = published.filter((id) => !known.has(id))
    if (forgotten.length === 0) return
    await localOrdersRepository.removeForgotten(forgotten)
    log.info('orders that other stations removed long ago were removed here', { count: forgotten.length })
    await this.emitOrdersChanged()
  }

  private async waitForNextRound({ receivesNotifications }: OrdersSession): Promise<void> {
    const waking = new AbortController()
    this.wake = () => waking.abort()
    const ms = receivesNotifications ? roundIntervalMs.notified : roundIntervalMs.polling
    await rest(ms, { signal: waking.signal, ref: false })
  }

  private async publishWaiting(session: OrdersSession): Promise<void> {
    let isChanged = false
    let after = 0
    while (this.session === session) {
      const waiting = await this.mutex(async () => {
        const part = await this.deps.localOrdersRepository.listWaiting(after, publishBatchSize)
        if (part.length > 0 && !(await this.publish(session, part, () => false))) isChanged = true
        return part
      })
      const last = waiting.at(-1)
      if (last === undefined) break
      after = last.entry.number
    }
    // The status bar counts them.
    if (after > 0) this.deps.bus.emit('statusOutdated')
    if (isChanged) await this.emitOrdersChanged()
  }

  /**
   * @param isOperatorWaiting whether an operator waits for the result; otherwise replaced fields are marked
   * @returns whether the local list is unchanged
   */
  private async publish(
    session: OrdersSession,
    waiting: readonly WaitingOrder[],
    isOperatorWaiting: () => boolean,
  ): Promise<boolean> {
    const { repository, stationId } = session
    let published: Published[]
    try {
      published = await repository.publish(
        stationId,
        waiting.map(({ order }) => order),
      )
    } catch (error) {
      const affectsOneOrder = error instanceof UnreadableOrderError || isUnusableValue(error)
      if (!affectsOneOrder) throw error
      let isUnchanged = true
      // An order that can't be stored there must not block the others: publish each alone.
      if (waiting.length > 1) {
        for (const each of waiting)
          isUnchanged = (await this.publish(session, [each], isOperatorWaiting)) && isUnchanged
      } else this.logRefused(waiting, error)
      return isUnchanged
    }
    if (published.some(({ verdict }) => verdict.kind === 'write')) session.announce()
    return this.notePublished(waiting, published, isOperatorWaiting)
  }

  private async notePublished(
    waiting: readonly WaitingOrder[],
    published: readonly Published[],
    isOperatorWaiting: () => boolean,
  ): Promise<boolean> {
    const { localOrdersRepository } = this.deps
    const noted: { entry: OrderEntry; version: number | null }[] = []
    let isUnchanged = true
    for (const [index, { entry }] of waiting.entries()) {
      const { order, verdict, fleet } = published[index] ?? {}
      if (order === undefined || verdict === undefined) continue
      if (verdict.kind === 'twin' && fleet !== undefined) {
        await localOrdersRepository.replaceWithTwin(entry, fleet)
        this.noteReplaced(entry)
      } else if (fleet !== undefined && isReplaced(verdict)) {
        await localOrdersRepository.replaceWithShared(entry, fleet, {
          marks: isOperatorWaiting() ? [] : markOverruled(order, fleet),
          // Otherwise another station's shipment ends the order by the fleet's reference.
          keepsReferences: verdict.kind === 'refused',
        })
      } else {
        noted.push({ entry, version: fleet?.version ?? null })
        continue
      }
      isUnchanged = false
    }
    await localOrdersRepository.notePublished(noted)
    return isUnchanged
  }

  /** Reports that an order which Ship opened before its publication became another station's. */
  private noteReplaced({ orderId }: OrderEntry): void {
    if (this.untakenShipOrder !== orderId) return
    this.untakenShipOrder = null
    this.deps.bus.emit('claimedOrderLost', { orderId })
  }

  private logRefused(waiting: readonly WaitingOrder[], error: unknown): void {
    for (const { entry } of waiting) {
      if (this.refused.has(entry.number)) continue
      this.refused.add(entry.number)
      const reason = toReason(error)
      this.deps.log.error('an order can not be published: other stations do not see its changes', {
        ...{ id: entry.orderId, reason },
      })
    }
  }

  /** Reads the changes of other stations. */
  private async readChanges(session: OrdersSession): Promise<void> {
    let isChanged = false
    let isEnd = false
    while (!isEnd && this.session === session) {
      // Not during a publication: it may not know the change, which is skipped because its order still waits.
      await this.mutex(async () => {
        const { localOrdersRepository, log } = this.deps
        const after = this.lastRead ?? (await localOrdersRepository.readUpTo())
        const { orders, unreadable, upTo } = await session.repository.listChanges(after, readBatchSize)
        isEnd = upTo === after || this.session !== session
        if (isEnd) return
        if (unreadable.length > 0) {
          this.hasUnreadable = true
          log.error('orders of the fleet can not be read: a newer version of Packbench wrote them', {
            count: unreadable.length,
            ids: unreadable.slice(0, maxIdsLogged).join(', '),
          })
        }
        if (await localOrdersRepository.applyChanges(orders, unreadable, this.hasUnreadable ? null : upTo))
          isChanged = true
        if (this.session === session) this.lastRead = upTo
      })
    }
    if (isChanged) await this.emitOrdersChanged()
  }

  /** Takes the order that Ship opened before it could be taken, or reports that another station has it. */
  private takeUntaken({ repository, stationId: station, announce }: OrdersSession): Promise<void> {
    return this.shipScreenMutex(async () => {
      const orderId = this.untakenShipOrder
      if (orderId === null) return
      const operator = this.deps.currentOperator()
      const taken = await repository.acquireLease(orderId, { station, operator, takeOver: false })
      if (taken === 'unknown') return
      this.untakenShipOrder = null
      if (taken === 'taken') {
        this.shipScreenOrder = orderId
        announce()
      } else this.deps.bus.emit('claimedOrderLost', { orderId })
    })
  }

  private async renewLeases({ repository, stationId }: OrdersSession): Promise<void> {
    const own = this.listHeldOrders()
    if (own.length === 0 || performance.now() < this.nextRenewalAt) return
    const left = new Set(await repository.renewLeases(stationId, own))
    this.nextRenewalAt = performance.now() + renewMs
    // Lost leases: another station took the order over, or it is closed.
    for (const id of own) {
      if (left.has(id)) {
        if (this.batchOrders.has(id)) this.batchOrders.set(id, true)
        continue
      }
      this.batchOrders.delete(id)
    }
  }

  /** Reads the leases of all stations, and reports that this one lost that of the order on the Ship screen. */
  private async readLeases({ repository, stationId }: OrdersSession): Promise<void> {
    const held = this.shipScreenOrder
    const leases = await repository.listLeases()
    this.updateLeases(leases)
    const isOwn = (lease: Lease) => lease.orderId === held && lease.stationId === stationId
    // An order that was taken meanwhile may be missing in the list.
    if (held === null || held !== this.shipScreenOrder || leases.some(isOwn)) return
    this.shipScreenOrder = null
    this.deps.bus.emit('claimedOrderLost', { orderId: held })
  }

  private updateLeases(leases: readonly Lease[]): void {
    const before = JSON.stringify([...this.leases.values()])
    this.leases = new Map(leases.map((lease) => [lease.orderId, lease]))
    if (JSON.stringify([...this.leases.values()]) !== before) void this.emitOrdersChanged()
  }

  private listHeldOrders(): string[] {
    return [...this.batchOrders.keys(), ...(this.shipScreenOrder === null ? [] : [this.shipScreenOrder])]
  }

  private hasLease(orderId: string): boolean {
    return this.batchOrders.get(orderId) === true || this.shipScreenOrder === orderId
  }

  /** Without the database, a published order may be used only when this station acquired it before. */
  private async takeOffline(orderId: string): Promise<Result<null>> {
    if (!(await this.mayShipOffline(orderId)))
      return err(appError('order-not-taken', { reference: await this.findReference(orderId) }))
    this.untakenShipOrder = orderId
    return ok(null)
  }

  private async takePortionOffline(ids: readonly string[], size: number): Promise<Result<Portion>> {
    const taken: string[] = []
    for (const id of ids) {
      if (taken.length < size && (await this.mayShipOffline(id))) taken.push(id)
    }
    const [first] = ids
    if (taken.length === 0 && first !== undefined) {
      return err(appError('order-not-taken', { reference: await this.findReference(first) }))
    }
    for (const id of taken) this.batchOrders.set(id, this.hasLease(id))
    return ok({ taken, waiting: ids.filter((id) => !taken.includes(id)), held: [], closed: [] })
  }

  private async mayShipOffline(orderId: string): Promise<boolean> {
    // Otherwise the claim refuses the shipment later, and says why.
    if (!this.deps.shipsWhenAway()) return true
    return this.hasLease(orderId) || !(await this.deps.localOrdersRepository.isPublished(orderId))
  }

  private async findReference(orderId: string): Promise<string> {
    return (await this.deps.orderRepository.find(orderId))?.values.reference ?? ''
  }

  private handleError(session: OrdersSession, error: unknown): void {
    if (session.endsSession(error)) session.drop(error)
    else
      this.deps.log.warn('orders could not be shared with the fleet: the next round tries again', {
        reason: toReason(error),
      })
  }

  private async emitOrdersChanged(): Promise<void> {
    try {
      await publishOrdersChanged(this.deps)
    } catch (error) {
      this.deps.log.error('orders could not be counted', { reason: toReason(error) })
    }
  }
}

/** Whether the order of this station becomes the fleet's. */
function isReplaced(verdict: OrderVerdict): boolean {
  return verdict.kind === 'refused' || (verdict.kind === 'write' && verdict.isMerged)
}

function toHolder({ station, operator, since, isBatch }: Lease): OrderHolder {
  return { station, operator, since, isBatch }
}
