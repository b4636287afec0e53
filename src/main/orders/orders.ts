import { randomUUID } from 'node:crypto'
import { type AppError, appError } from '../../shared/errors'
import type { Order, OrderQuery, OrderValues } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import { getReferences, type ShipmentSummary } from '../../shared/shipments'
import type { EventBus } from '../lib/eventBus'
import { throttle } from '../lib/throttle'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { SettingsStore } from '../settings/settingsStore'
import { judgeOrder } from './checks'
import type { OrderListRepository } from './listRepository'
import { type NewOrder, type OrderRecord, type OrderRepository, openStates } from './repository'
import { explainRule, findRule, toRuledExtras } from './rules'
import type { OrderSharing } from './sharing'

export interface OrdersDeps {
  repository: OrderRepository
  orderList: Pick<OrderListRepository, 'list' | 'counts'>
  settings: Pick<SettingsStore, 'current'>
  /** Where several stations share their orders. */
  sharing: OrderSharing
  /** Which of some references were shipped, or left with an unknown outcome. */
  shippedReferences: (references: readonly string[]) => Promise<Set<string>>
  /** Who is signed in; null when nobody is. */
  currentOperator: () => string | null
  now: () => Date
  bus: Pick<EventBus, 'emit' | 'on'>
  log: Log
}

/** A shipment that may end orders. */
type EndedShipment = Pick<ShipmentSummary, 'id' | 'reference' | 'combinedReferences' | 'state' | 'resolution'>

/** What an order has that only tables say. */
export const emptyOrderContent = { items: [], orderDate: null, orderValue: '', currency: '', columns: {} }

/** Between two reports of shipped orders, in milliseconds. */
const tellEveryMs = 100

/** The list of orders and the life of each: typed, changed, skipped and put back, ended by its shipment, removed. */
export class Orders {
  /** Each count of the orders reads an index of the whole list. */
  private readonly tellShipped: () => void

  constructor(private readonly deps: OrdersDeps) {
    this.tellShipped = throttle(
      () => tellOrdersChanged(deps),
      tellEveryMs,
      (error) => deps.log.error('the orders of the list could not be counted', { reason: toReason(error) }),
    )
  }

  async list(query: OrderQuery): Promise<{ orders: Order[]; total: number; offset: number }> {
    const { orders, total } = await this.deps.orderList.list(query)
    return { orders: orders.map((order) => toListed(order, this.deps)), total, offset: query.offset }
  }

  async get(id: string): Promise<Result<Order>> {
    const order = await this.deps.repository.find(id)
    return order === undefined ? err(appError('order-not-found')) : ok(toExplained(order, this.deps))
  }

  /**
   * Replaces what an order says and checks it again; `order-not-open` when it was shipped or skipped,
   * `order-changed-elsewhere` when another station was faster: it says then what that one wrote.
   */
  async change(id: string, values: OrderValues): Promise<Result<Order>> {
    const { repository, settings, sharing } = this.deps
    const order = await repository.find(id)
    if (order === undefined) return err(appError('order-not-found'))
    if (!openStates.includes(order.state)) return err(notOpen(order))
    const [changed] = await repository.rewrite([id], openStates, (before) =>
      judgeOrder({ ...before, values }, settings.current()),
    )
    const isOwn = changed === undefined || (await sharing.publishChange(id))
    await tellOrdersChanged(this.deps)
    if (!isOwn) return err(appError('order-changed-elsewhere', { reference: order.values.reference ?? '' }))
    if (changed === undefined) return err(notOpen((await repository.find(id)) ?? order))
    return ok(toExplained(changed, this.deps))
  }

  /** Adds an order that was typed; `order-known` when its reference is in the list already, or was shipped. */
  async add(typed: OrderValues): Promise<Result<Order>> {
    const { repository, now } = this.deps
    const reference = typed.reference?.trim() ?? ''
    if ((await listKnownReferences([reference], this.deps)).has(reference))
      return err(appError('order-known', { reference }))
    const content: Omit<NewOrder, 'state' | 'issues'> = {
      ...emptyOrderContent,
      ...{ id: randomUUID(), values: { ...typed, reference }, importedAt: now().toISOString() },
      ...{ source: { kind: 'typed', name: '', line: null }, origin: 'typed' },
    }
    const order = judgeOrder(content, this.deps.settings.current())
    await repository.save([order], [])
    await tellOrdersChanged(this.deps)
    return this.get(order.id)
  }

  /** Takes orders out of the list, with the reason and who did it; gives how many were open. */
  async skip(ids: readonly string[], reason: string): Promise<number> {
    const { repository, currentOperator } = this.deps
    const count = await repository.skip(ids, reason, currentOperator())
    await tellOrdersChanged(this.deps)
    return count
  }

  /**
   * Puts skipped orders back into the list; gives how many. `order-not-put-back`, and nothing is put back, when one is of
   * the hot folder: its file says that it was not sent, or is about to.
   */
  async unskip(ids: readonly string[]): Promise<Result<number>> {
    const { repository, settings } = this.deps
    const skipped = [...(await repository.findAll(ids)).values()].filter(({ state }) => state === 'skipped')
    const held = skipped.find(({ source }) => source.kind === 'hot-folder')
    if (held !== undefined) return err(notPutBack(held))
    const back = await repository.rewrite(ids, ['skipped'], (order) => judgeOrder(order, settings.current()))
    await tellOrdersChanged(this.deps)
    return ok(back.length)
  }

  /** Ends all orders of a shipment that was created, or found to exist. What the database refuses now is noted at the next start. */
  async noteShipment(shipment: EndedShipment): Promise<void> {
    const { id, reference, state, resolution } = shipment
    if (state !== 'created' && resolution?.verdict !== 'exists') return
    const { repository, log } = this.deps
    try {
      if (await repository.markShipped(getReferences(shipment), id)) this.tellShipped()
    } catch (error) {
      log.error('an order could not be marked as shipped; the next start does it', {
        reference,
        reason: toReason(error),
      })
    }
  }

  /** Removes orders that were shipped or skipped and came in before a moment, unless their order file still waits. */
  async forgetClosed(before: Date): Promise<void> {
    const { repository, log } = this.deps
    const count = await repository.forgetClosed(before)
    if (count === 0) return
    log.info('old orders were removed', { count })
    await tellOrdersChanged(this.deps)
  }
}

/** An order with what of it made its rule hold, for where a person looks at it alone. */
export function toExplained(order: OrderRecord, deps: Pick<OrdersDeps, 'settings' | 'sharing'>): Order {
  const rule = findRule(order, deps.settings.current().orderRules)
  return { ...toListed(order, deps), ...(rule !== undefined && { because: explainRule(order, rule) }) }
}

/** An order as the list shows it. */
export function toListed(
  { orderValue, columns, extras, ...order }: OrderRecord,
  { settings, sharing }: Pick<OrdersDeps, 'settings' | 'sharing'>,
): Order {
  const rule = findRule({ ...order, orderValue, columns }, settings.current().orderRules)
  const ruled = toRuledExtras(rule)
  const holder = openStates.includes(order.state) ? sharing.findHolder(order.id) : undefined
  return {
    ...order,
    rule: rule?.name ?? null,
    ...(ruled !== undefined && { ruled }),
    ...(holder !== undefined && { holder }),
  }
}

/** Which of some references are taken: with the id of the open order that an import may replace, or «closed». */
export async function listKnownReferences(
  all: readonly string[],
  {
    repository,
    shippedReferences,
    sharing,
  }: Pick<OrdersDeps, 'repository' | 'shippedReferences' | 'sharing'>,
): Promise<Map<string, string>> {
  const references = [...new Set(all)]
  const known = new Map<string, string>()
  for (const [reference, { id, state }] of await repository.known(references)) {
    known.set(reference, openStates.includes(state) ? id : 'closed')
  }
  for (const reference of await shippedReferences(references)) known.set(reference, 'closed')
  for (const reference of await sharing.findShippedElsewhere(references)) known.set(reference, 'closed')
  return known
}

/** Tells the window and the other stations that the list is another one. */
export async function tellOrdersChanged({
  orderList,
  bus,
}: {
  orderList: Pick<OrderListRepository, 'counts'>
  bus: Pick<EventBus, 'emit'>
}): Promise<void> {
  bus.emit('ordersChanged', await orderList.counts())
}

/** For an order that was shipped or skipped. */
export function notOpen({ values }: OrderRecord): AppError {
  return appError('order-not-open', { reference: values.reference ?? '' })
}

function notPutBack({ values, source }: OrderRecord): AppError {
  return appError('order-not-put-back', { reference: values.reference ?? '', file: source.name })
}
