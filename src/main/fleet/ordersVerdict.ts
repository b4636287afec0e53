import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { orderContentSchema, orderDateColumn, twiceInFleet } from '../orders/repository'

/** The shared content of an order; `issues` are those that do not follow from its fields alone. */
export const sharedContentSchema = orderContentSchema.extend({
  importedAt: z.string(),
  orderDate: orderDateColumn,
})
export type SharedContent = z.infer<typeof sharedContentSchema>

/** The shared state of an order: `removed` after retention. */
export interface SharedOrderState {
  state: 'open' | 'shipped' | 'skipped' | 'removed'
  content: SharedContent | null
  shipmentId: string | null
  skippedReason: string | null
  skippedBy: string | null
}

/** An order as this station publishes it. */
export interface LocalOrder extends SharedOrderState {
  id: string
  reference: string
  /** The fleet's version that it is based on; null when it was never published, or is no longer in the list. */
  version: number | null
}

/** An order as the fleet has it. */
export interface SharedOrder extends SharedOrderState {
  id: string
  reference: string
  version: number
  changedBy: string
}

/** What publishing an order does. */
export type OrderVerdict =
  /** Nothing: the fleet has the same order. */
  | { kind: 'same' }
  /** The fleet gets this state; `isMerged`: it differs from this station's. */
  | { kind: 'write'; orderState: SharedOrderState; version: number; isMerged: boolean }
  /** Another station changed the order first: its version wins. */
  | { kind: 'refused' }
  /** Another station imported the same order first: its order replaces this one. */
  | { kind: 'twin' }

/**
 * Decides what publishing an order does. Of two concurrent changes of its content the second is refused. `shipped` is a
 * fact and is always accepted; `skipped` is accepted while the order is open.
 * @param fleet the fleet's order with the same id
 * @param twin an open order with the same reference that another station published
 * @param isUnderWay whether a shipment of another station has no outcome yet that ends the order by the fleet's reference
 */
export function decidePublication(
  local: LocalOrder,
  fleet: SharedOrder | undefined,
  twin: SharedOrder | undefined,
  station: string,
  isUnderWay = false,
): OrderVerdict {
  const orderState = toOrderState(local)
  const write = (wanted: SharedOrderState, version: number): OrderVerdict => ({
    kind: 'write',
    ...{ orderState: wanted, version, isMerged: wanted !== orderState },
  })
  if (fleet === undefined) {
    if (local.state === 'removed') return { kind: 'same' }
    if (local.state !== 'open' || local.content === null || twin === undefined || twin.content === null)
      return write(orderState, 1)
    // An order from a hot-folder file must stay: the file's result depends on this very order.
    const isOfFile = local.content.source.kind === 'hot-folder'
    if (!isOfFile && hasSameContent(local.content, twin.content)) return { kind: 'twin' }
    return write({ ...orderState, content: withTwiceInFleet(local.content) }, 1)
  }
  if (isDeepStrictEqual(orderState, toOrderState(fleet))) return { kind: 'same' }
  const version = fleet.version + 1
  // Only closed orders are removed; the shortest retention of all stations applies.
  if (local.state === 'removed')
    return fleet.state === 'open' ? { kind: 'refused' } : write(orderState, version)
  // This station's own change whose answer was lost is not a conflict.
  const isOwnNext = fleet.changedBy === station && fleet.version === (local.version ?? 0) + 1
  // A new version, because stations take over no other.
  if (isUnderWay && local.state === 'open' && fleet.state === 'open') {
    const isConflict = fleet.version !== local.version && !isOwnNext
    return write(isConflict ? toOrderState(fleet) : withReferenceOf(fleet, orderState), version)
  }
  if (fleet.version === local.version) return write(orderState, version)
  if (isOwnNext) {
    // The mark that the lost answer of the first publication contained.
    const isMarkLost = local.version === null && local.reference === fleet.reference && isTwiceInFleet(fleet)
    if (!isMarkLost || local.state !== 'open' || local.content === null) return write(orderState, version)
    return write({ ...orderState, content: withTwiceInFleet(local.content) }, version)
  }
  if (fleet.state === 'shipped' || fleet.state === 'removed') return { kind: 'refused' }
  const { shipmentId, skippedReason, skippedBy } = local
  if (local.state === 'shipped') {
    return write({ ...toOrderState(fleet), state: 'shipped', shipmentId }, version)
  }
  if (local.state === 'skipped' && fleet.state === 'open') {
    return write({ ...toOrderState(fleet), state: 'skipped', skippedReason, skippedBy }, version)
  }
  return { kind: 'refused' }
}

function hasSameContent(one: SharedContent, other: SharedContent): boolean {
  return isDeepStrictEqual([one.values, one.items], [other.values, other.items])
}

function isTwiceInFleet({ content }: SharedOrder): boolean {
  return content?.issues.some(({ code }) => code === twiceInFleet.code) === true
}

function withTwiceInFleet(content: SharedContent): SharedContent {
  const others = content.issues.filter(({ code }) => code !== twiceInFleet.code)
  return { ...content, issues: [...others, twiceInFleet] }
}

/** The order with the reference of the fleet's one, and the issues that belong to that reference. */
function withReferenceOf({ content: fleet }: SharedOrder, order: SharedOrderState): SharedOrderState {
  const { content } = order
  if (fleet === null || content === null) return order
  const { reference } = fleet.values
  return { ...order, content: { ...content, values: { ...content.values, reference }, issues: fleet.issues } }
}

function toOrderState({
  state,
  content,
  shipmentId,
  skippedReason,
  skippedBy,
}: SharedOrderState): SharedOrderState {
  return { state, content, shipmentId, skippedReason, skippedBy }
}
