import { checkForStation, withIssues } from './checks'
import { type OrdersDeps, publishOrdersChanged } from './orders'
import {
  type NewOrder,
  type OrderRepository,
  type OrderStanding,
  openStates,
  toReferenceKey,
  twiceInFile,
} from './repository'

interface HeldOrdersDeps extends Pick<OrdersDeps, 'settings' | 'orderList' | 'now' | 'bus'> {
  repository: Pick<OrderRepository, 'findStanding' | 'findKnownReferences' | 'save'>
}

/** A shipment of an order file that waits in the order list. */
export type HeldOrder = Omit<NewOrder, 'state' | 'issues' | 'origin' | 'importedAt'>

/** The state of a held order. A shipment that ends several orders of one reference belongs to the first of them. */
export type HeldOrderState = { reference: string } & (
  | { state: 'open' }
  | { state: 'shipped'; shipmentId: string; isFirst: boolean }
  | { state: 'skipped'; reason: string }
)

interface Lookup {
  ids: readonly string[]
  resolve: (states: Map<string, HeldOrderState>) => void
  reject: (error: unknown) => void
}

/** Queries take at most this share of the time, however many files wait. */
const maxQueryShare = 1 / 20
const minPauseMs = 200
const maxPauseMs = 10_000

/** The orders in the list for which order files of the hot folder wait. */
export class HeldOrders {
  private lookups: Lookup[] = []
  /** Duration of the last query. */
  private queryMs = 0
  /** Resolves at the next change; undefined while nothing waits for one. */
  private change: Promise<void> | undefined

  constructor(private readonly deps: HeldOrdersDeps) {}

  /** Adds orders to the list, durably. Their ids are the same after a crash, so those that are in the list do not change. */
  async hold(held: readonly HeldOrder[]): Promise<void> {
    const { repository, settings, now } = this.deps
    const standing = await repository.findStanding(held.map(({ id }) => id))
    const listed = new Set(standing.map(({ id }) => id))
    const added = held.filter(({ id }) => !listed.has(id))
    const known = await repository.findKnownReferences(
      added.flatMap(({ values }) => toReferenceKey(values) || []),
    )
    const taken = new Set(
      [...known].filter(([, { state }]) => openStates.includes(state)).map(([reference]) => reference),
    )
    const importedAt = now().toISOString()
    const orders = added.map((order) => {
      const issues = checkForStation(order, settings.current())
      const reference = toReferenceKey(order.values)
      if (reference !== '' && taken.has(reference)) issues.push(twiceInFile)
      taken.add(reference)
      return withIssues({ ...order, origin: 'hot-folder' as const, importedAt }, issues, settings.current())
    })
    await repository.save(orders, [])
    await publishOrdersChanged(this.deps)
  }

  /**
   * The states of orders, without those that are not in the list any more. Concurrent calls share one query, so the result
   * may also contain orders of other files.
   */
  find(ids: readonly string[]): Promise<Map<string, HeldOrderState>> {
    return new Promise((resolve, reject) => {
      this.lookups.push({ ids, resolve, reject })
      if (this.lookups.length === 1) setImmediate(() => void this.lookUp())
    })
  }

  /** Resolves after orders of the list or their shipments changed; delayed so that queries stay below `maxQueryShare`. */
  whenChanged(): Promise<void> {
    this.change ??= new Promise((resolve) => {
      const { bus } = this.deps
      const resolveSoon = () => {
        for (const unsubscribe of subscriptions) unsubscribe()
        setTimeout(() => {
          this.change = undefined
          resolve()
        }, this.pauseMs).unref()
      }
      const subscriptions = [
        bus.on('ordersChanged', resolveSoon),
        // The shipment of a skipped order does not change the order, but its file waits for the outcome.
        bus.on('shipmentChanged', resolveSoon),
        // Another station may have shipped the order.
        bus.on('fleetShipmentsChanged', resolveSoon),
      ]
    })
    return this.change
  }

  /** Time for which changes are collected, in milliseconds. */
  get pauseMs(): number {
    return Math.min(maxPauseMs, Math.max(minPauseMs, this.queryMs / maxQueryShare))
  }

  private async lookUp(): Promise<void> {
    const lookups = this.lookups
    this.lookups = []
    const startedAt = performance.now()
    try {
      const standing = await this.deps.repository.findStanding(lookups.flatMap(({ ids }) => ids))
      const states = new Map(standing.map((order) => [order.id, toState(order)]))
      for (const { resolve } of lookups) resolve(states)
    } catch (error) {
      for (const { reject } of lookups) reject(error)
    }
    this.queryMs = performance.now() - startedAt
  }
}

function toState({ reference, state, shipmentId, skippedReason, isFirst }: OrderStanding): HeldOrderState {
  if (state === 'shipped' && shipmentId !== null) return { reference, state, shipmentId, isFirst }
  if (state === 'skipped') return { reference, state, reason: skippedReason ?? '' }
  return { reference, state: 'open' }
}
