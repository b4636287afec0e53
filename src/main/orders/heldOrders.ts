import { checkForStation, withIssues } from './checks'
import { type OrdersDeps, tellOrdersChanged } from './orders'
import { type NewOrder, type OrderRepository, type OrderStanding, openStates } from './repository'

interface HeldOrdersDeps extends Pick<OrdersDeps, 'settings' | 'orderList' | 'now' | 'bus'> {
  repository: Pick<OrderRepository, 'findStanding' | 'known' | 'save'>
}

/** A shipment of an order file that waits in the list. */
export type HeldOrder = Omit<NewOrder, 'state' | 'issues' | 'origin' | 'importedAt'>

/** Where it stands. A shipment that ends several orders of one reference belongs to the first of them. */
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

/** Looking takes at most this share of the time, however many files wait. */
const share = 1 / 20
const shortestPauseMs = 200
const longestPauseMs = 10_000

/** The orders of the list for which order files of the hot folder wait. */
export class HeldOrders {
  private lookups: Lookup[] = []
  private tookMs = 0
  /** Resolves at the next change; undefined while nobody waits for one. */
  private change: Promise<void> | undefined

  constructor(private readonly deps: HeldOrdersDeps) {}

  /**
   * Puts orders into the list, under ids that they have again after a crash: those that are there already stay as they
   * are. Durable when it resolves.
   */
  async hold(held: readonly HeldOrder[]): Promise<void> {
    const { repository, settings, now } = this.deps
    const standing = await repository.findStanding(held.map(({ id }) => id))
    const there = new Set(standing.map(({ id }) => id))
    const added = held.filter(({ id }) => !there.has(id))
    const known = await repository.known(added.flatMap(({ values }) => values.reference ?? []))
    const taken = new Set(
      [...known].filter(([, { state }]) => openStates.includes(state)).map(([reference]) => reference),
    )
    const importedAt = now().toISOString()
    const orders = added.map((order) => {
      const issues = checkForStation(order, settings.current())
      const reference = order.values.reference ?? ''
      if (reference !== '' && taken.has(reference)) issues.push({ field: 'reference', code: 'twice-in-file' })
      taken.add(reference)
      return withIssues({ ...order, origin: 'hot-folder' as const, importedAt }, issues, settings.current())
    })
    await repository.save(orders, [])
    await tellOrdersChanged(this.deps)
  }

  /**
   * Where orders stand; those that are not in the list any more are left out, and some of other files may be among them:
   * the orders of all files that look at the same moment are asked for at once.
   */
  find(ids: readonly string[]): Promise<Map<string, HeldOrderState>> {
    return new Promise((resolve, reject) => {
      this.lookups.push({ ids, resolve, reject })
      if (this.lookups.length === 1) setImmediate(() => void this.lookUp())
    })
  }

  /**
   * Resolves soon after orders of the list, or their shipments, have changed: files that wait for them look again no more
   * often than the station can bear.
   */
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
        // A skipped order is not changed by its shipment, and its file waits for the outcome.
        bus.on('shipmentChanged', resolveSoon),
        // An order of a file may have been shipped at another station.
        bus.on('fleetShipmentsChanged', resolveSoon),
      ]
    })
    return this.change
  }

  /** How many milliseconds changes are collected before files look again. */
  get pauseMs(): number {
    return Math.min(longestPauseMs, Math.max(shortestPauseMs, this.tookMs / share))
  }

  private async lookUp(): Promise<void> {
    const asked = this.lookups
    this.lookups = []
    const startedAt = performance.now()
    try {
      const standing = await this.deps.repository.findStanding(asked.flatMap(({ ids }) => ids))
      const states = new Map(standing.map((order) => [order.id, toState(order)]))
      for (const { resolve } of asked) resolve(states)
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
    this.tookMs = performance.now() - startedAt
  }
}

function toState({ reference, state, shipmentId, skippedReason, isFirst }: OrderStanding): HeldOrderState {
  if (state === 'shipped' && shipmentId !== null) return { reference, state, shipmentId, isFirst }
  if (state === 'skipped') return { reference, state, reason: skippedReason ?? '' }
  return { reference, state: 'open' }
}
