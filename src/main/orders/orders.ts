import { randomUUID } from 'node:crypto'
import { type AppError, appError } from '../../shared/errors'
import { normalizeText } from '../../shared/fields'
import {
  newerElsewhere,
  type Order,
  type OrderIssue,
  type OrderQuery,
  type OrderState,
  type OrderValues,
} from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import { getReferences, type ShipmentSummary } from '../../shared/shipments'
import { throttle } from '../lib/async'
import type { EventBus } from '../lib/eventBus'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { SettingsStore } from '../settings/settingsStore'
import { blockerCodes, blockerError } from '../shipments/intentBlockers'
import { withAllIssues } from './checks'
import type { OrderListRepository } from './listRepository'
import {
  findShipmentUnderWay,
  type NewOrder,
  type OrderRecord,
  type OrderRepository,
  openStates,
  repeatedCodes,
  twiceInFile,
} from './repository'
import { explainRule, findRule, toRuledExtras } from './rules'
import type { OrderSharing } from './sharing'

export interface OrdersDeps {
  repository: OrderRepository
  orderList: Pick<OrderListRepository, 'list' | 'counts'>
  settings: Pick<SettingsStore, 'current'>
  /** Orders shared with other stations. */
  sharing: OrderSharing
  /** The claims of the fleet: the error with which claiming a reference fails now. */
  claims: { findBlocker(reference: string): Promise<AppError | undefined> }
  /** The references that are shipped, in progress or unknown. */
  shippedReferences: (references: readonly string[]) => Promise<Set<string>>
  /** Who is signed in; null when nobody is. */
  currentOperator: () => string | null
  now: () => Date
  bus: Pick<EventBus, 'emit' | 'on'>
  log: Log
}

type EndedShipment = Pick<
  ShipmentSummary,
  'id' | 'reference' | 'combinedReferences' | 'state' | 'resolution' | 'cancellation'
>

/** Values that only tables contain, for orders of other sources. */
export const emptyOrderContent = { items: [], orderDate: null, orderValue: '', currency: '', columns: {} }

const publishEveryMs = 100

/** The order list: adds, changes, skips and restores orders, and ends them with their shipments. */
export class Orders {
  /** Throttled, because counting the orders reads an index of the whole list. */
  private readonly publishShipped: () => void

  constructor(private readonly deps: OrdersDeps) {
    this.publishShipped = throttle(
      () => publishOrdersChanged(deps),
      publishEveryMs,
      (error) =>
        deps.log.error('the orders could not be counted; the window shows old numbers', {
          reason: toReason(error),
        }),
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
   * Replaces the values of an order and checks it again; `order-not-open` if it was shipped or skipped, `order-known` if
   * its new reference is in the list or was shipped, `order-changed-elsewhere` if another station changed it first: the
   * order then has the values of that station. `shipment-in-progress` or `shipment-unsettled` if it has a new reference
   * and a shipment of the old one has no outcome yet: a shipment that exists ends the order by its reference. If the fleet
   * learned of the shipment only meanwhile, the other values are saved.
   */
  async change(id: string, values: OrderValues): Promise<Result<Order>> {
    const { repository, settings, sharing } = this.deps
    const order = await repository.find(id)
    if (order === undefined) return err(appError('order-not-found'))
    if (!openStates.includes(order.state)) return err(notOpen(order))
    const reference = normalizeText(values.reference ?? '')
    const repeated = await this.checkReference(order, reference)
    if (!repeated.ok) return repeated
    const refusal: { error?: AppError } = {}
    const [changed] = await repository.rewrite([id], openStates, async (before, transaction) => {
      const blocker =
        reference === toReference(before) ? undefined : await findShipmentUnderWay(transaction, before)
      if (blocker !== undefined) {
        refusal.error = blockerError(blocker)
        return undefined
      }
      const further = [...repeated.value, ...findNewerElsewhere(before, this.deps)]
      return withAllIssues({ ...before, values }, settings.current(), further)
    })
    if (refusal.error !== undefined) return err(refusal.error)
    const isOwn = changed === undefined || (await sharing.publishChange(id))
    await publishOrdersChanged(this.deps)
    if (!isOwn) {
      // The shipment may have been claimed since the reference was checked.
      const blocker = reference === toReference(order) ? undefined : await this.findBlockerElsewhere(order)
      return err(blocker ?? appError('order-changed-elsewhere', { reference: order.values.reference ?? '' }))
    }
    if (changed === undefined) return err(notOpen((await repository.find(id)) ?? order))
    return ok(toExplained(changed, this.deps))
  }

  /**
   * Checks the reference of a corrected order; `order-known` if it is new and in use, `shipment-in-progress` or
   * `shipment-unsettled` if it is new and another station's shipment of the old one has no outcome yet.
   * @returns the issue that the order keeps, because it still repeats the reference of another order
   */
  private async checkReference(order: OrderRecord, reference: string): Promise<Result<OrderIssue[]>> {
    if (reference !== toReference(order)) {
      const blocker = await this.findBlockerElsewhere(order)
      if (blocker !== undefined) return err(blocker)
      if (reference === '') return ok([])
      const known = await listKnownReferences([reference], this.deps)
      return known.has(reference) ? err(appError('order-known', { reference })) : ok([])
    }
    const repeated = order.issues.filter(({ code }) => repeatedCodes.has(code))
    if (repeated.length === 0) return ok([])
    const others = await this.deps.repository.findReferencesOfOthers([reference], [order.id])
    const isInUse =
      others.has(reference) || (await listShippedReferences([reference], this.deps)).has(reference)
    return ok(isInUse ? repeated : [])
  }

  /** The error of a shipment without an outcome by which the fleet would end an order. */
  private async findBlockerElsewhere(order: OrderRecord): Promise<AppError | undefined> {
    const { repository, sharing, claims } = this.deps
    const reference = toReference(order)
    if (!sharing.isShared() || (await repository.findOpen(reference))?.id !== order.id) return undefined
    const blocker = await claims.findBlocker(reference)
    const isUnderWay =
      blocker?.code === blockerCodes['in-progress'] || blocker?.code === blockerCodes.unresolved
    return isUnderWay ? blocker : undefined
  }

  /** Adds an order that was typed; `order-known` if its reference is in the list or was shipped. */
  async add(typed: OrderValues): Promise<Result<Order>> {
    const { repository, now } = this.deps
    const reference = normalizeText(typed.reference ?? '')
    if ((await listKnownReferences([reference], this.deps)).has(reference))
      return err(appError('order-known', { reference }))
    const content: Omit<NewOrder, 'state' | 'issues'> = {
      ...emptyOrderContent,
      ...{ id: randomUUID(), values: { ...typed, reference }, importedAt: now().toISOString() },
      ...{ source: { kind: 'typed', name: '', line: null }, origin: 'typed' },
    }
    const order = withAllIssues(content, this.deps.settings.current())
    await repository.save([order], [])
    await publishOrdersChanged(this.deps)
    return this.get(order.id)
  }

  /**
   * Skips open orders, with the reason and the operator; returns their ids.
   * @param state only orders in this state; by default all open ones
   */
  async skip(ids: readonly string[], reason: string, state?: OrderState): Promise<string[]> {
    const { repository, currentOperator } = this.deps
    const skipped = await repository.skip(ids, reason, currentOperator(), state)
    await publishOrdersChanged(this.deps)
    return skipped
  }

  /**
   * Returns skipped orders to the list; returns how many. One whose shipment was created meanwhile becomes shipped.
   * `order-not-put-back`, without any change, if one of them is from the hot folder: the result of its file reports it as
   * not sent.
   */
  async unskip(ids: readonly string[]): Promise<Result<number>> {
    const { repository, settings } = this.deps
    const skipped = [...(await repository.findAll(ids)).values()].filter(({ state }) => state === 'skipped')
    const held = skipped.find(({ source }) => source.kind === 'hot-folder')
    if (held !== undefined) return err(notPutBack(held))
    const inUse = await repository.findReferencesOfOthers(skipped.map(toReference), ids)
    const back = await repository.rewrite(ids, ['skipped'], (order) => {
      const reference = toReference(order)
      const isRepeated = reference !== '' && inUse.has(reference)
      inUse.add(reference)
      const kept = findNewerElsewhere(order, this.deps)
      return withAllIssues(order, settings.current(), isRepeated ? [twiceInFile, ...kept] : kept)
    })
    await repository.markShippedEarlier(ids)
    await publishOrdersChanged(this.deps)
    return ok(back.length)
  }

  /**
   * Marks the orders of a shipment of this station that exists and was not cancelled at the carrier as shipped. Does not
   * throw: the next start repeats what failed.
   */
  async noteShipment(shipment: EndedShipment): Promise<void> {
    const { id, state, resolution, cancellation } = shipment
    if (cancellation !== undefined) return
    if (state === 'created' || resolution?.verdict === 'exists')
      await this.markShipped(getReferences(shipment), id)
  }

  /** Marks the orders of a shipment that exists at any station as shipped. Does not throw. */
  async markShipped(references: readonly string[], shipmentId: string): Promise<void> {
    const { repository, log } = this.deps
    try {
      if (await repository.markShipped(references, shipmentId)) this.publishShipped()
    } catch (error) {
      log.error(
        'an order could not be marked as shipped; skip it if it is still in the list after a restart',
        {
          reference: references.join(' + '),
          reason: toReason(error),
        },
      )
    }
  }

  /** Removes shipped and skipped orders that were imported before a moment, unless their order file still waits. */
  async forgetClosed(before: Date): Promise<void> {
    const { repository, log } = this.deps
    const count = await repository.forgetClosed(before)
    if (count === 0) return
    log.info('orders past their retention time were removed', { count })
    await publishOrdersChanged(this.deps)
  }
}

/** The issue that an order of the fleet keeps until this version can read what another station changed in it. */
export function findNewerElsewhere(
  { issues }: Pick<OrderRecord, 'issues'>,
  { sharing }: Pick<OrdersDeps, 'sharing'>,
): OrderIssue[] {
  return sharing.isShared() ? issues.filter(({ code }) => code === newerElsewhere) : []
}

function toReference({ values }: OrderRecord): string {
  return normalizeText(values.reference ?? '')
}

/** An order with the values that match its rule, for the view of a single order. */
export function toExplained(order: OrderRecord, deps: Pick<OrdersDeps, 'settings' | 'sharing'>): Order {
  const settings = deps.settings.current()
  const rule = findRule(order, settings)
  return {
    ...toListed(order, deps),
    ...(rule !== undefined && { because: explainRule(order, rule, settings) }),
  }
}

/** An order for the list. */
export function toListed(
  { orderValue, columns, extras, ...order }: OrderRecord,
  { settings, sharing }: Pick<OrdersDeps, 'settings' | 'sharing'>,
): Order {
  const rule = findRule({ ...order, orderValue, columns }, settings.current())
  const ruled = toRuledExtras(rule)
  const holder = openStates.includes(order.state) ? sharing.findHolder(order.id) : undefined
  return {
    ...order,
    rule: rule?.name ?? null,
    ...(ruled !== undefined && { ruled }),
    ...(holder !== undefined && { holder }),
  }
}

/** The references that are in use, with the ids of the open orders that an import may replace; none if it was shipped. */
export async function listKnownReferences(
  all: readonly string[],
  deps: Pick<OrdersDeps, 'repository' | 'shippedReferences' | 'sharing'>,
): Promise<Map<string, string[]>> {
  const references = [...new Set(all)]
  const known = new Map<string, string[]>()
  for (const [reference, { id, state, further }] of await deps.repository.findKnownReferences(references)) {
    known.set(reference, openStates.includes(state) ? [id, ...further] : [])
  }
  for (const reference of await listShippedReferences(references, deps)) known.set(reference, [])
  return known
}

/** The references that this station, or another one of its fleet, has shipped or left unknown. */
async function listShippedReferences(
  references: readonly string[],
  { shippedReferences, sharing }: Pick<OrdersDeps, 'shippedReferences' | 'sharing'>,
): Promise<Set<string>> {
  return new Set([
    ...(await shippedReferences(references)),
    ...(await sharing.findShippedElsewhere(references)),
  ])
}

/** Publishes a change of the list to the window and the other stations. */
export async function publishOrdersChanged({
  orderList,
  bus,
}: {
  orderList: Pick<OrderListRepository, 'counts'>
  bus: Pick<EventBus, 'emit'>
}): Promise<void> {
  bus.emit('ordersChanged', await orderList.counts())
}

/** The error for an order that was shipped or skipped. */
export function notOpen({ values }: OrderRecord): AppError {
  return appError('order-not-open', { reference: values.reference ?? '' })
}

function notPutBack({ values, source }: OrderRecord): AppError {
  return appError('order-not-put-back', { reference: values.reference ?? '', file: source.name })
}
