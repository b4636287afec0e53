import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { OrderIssue } from '../../shared/orders'
import { orderContentSchema } from '../orders/repository'

/** What all stations know of an order besides where it stands; `issues` are those that its fields alone don't show. */
export const sharedContentSchema = orderContentSchema.extend({
  importedAt: z.string(),
  orderDate: z.string().nullable(),
})
export type SharedContent = z.infer<typeof sharedContentSchema>

/** Where an order stands for all stations: `removed` once retention took it. */
export interface SharedStanding {
  state: 'open' | 'shipped' | 'skipped' | 'removed'
  content: SharedContent | null
  shipmentId: string | null
  skippedReason: string | null
  skippedBy: string | null
}

/** An order of one station that is to be published. */
export interface LocalOrder extends SharedStanding {
  id: string
  reference: string
  /** The fleet's version that it goes by; null when it was never published, or is not in the list any more. */
  version: number | null
}

/** An order as the fleet has it. */
export interface SharedOrder extends SharedStanding {
  id: string
  reference: string
  version: number
  changedBy: string
}

/** What the publication of an order comes to. */
export type OrderVerdict =
  /** The fleet says it already. */
  | { kind: 'same' }
  /** The fleet is to say this from now on; `isMerged`: it is not all as this station says. */
  | { kind: 'write'; standing: SharedStanding; version: number; isMerged: boolean }
  /** Another station changed it before: what it wrote stands. */
  | { kind: 'refused' }
  /** Another station brought the same order in before. */
  | { kind: 'twin' }

/** An order that two stations brought in at the same time, and that says something else at each. */
export const twiceInFleet: OrderIssue = { field: 'reference', code: 'twice-in-fleet' }

/**
 * What becomes of an order that a station publishes. Whoever comes second with a change of what an order says is refused;
 * that an order was shipped is no opinion and is always taken, and that it was skipped as long as it is open.
 * @param fleet what the fleet has under its id
 * @param twin an open order of its reference that another station published
 */
export function judgeOrder(
  local: LocalOrder,
  fleet: SharedOrder | undefined,
  twin: SharedOrder | undefined,
  station: string,
): OrderVerdict {
  const standing = toStanding(local)
  const write = (wanted: SharedStanding, version: number): OrderVerdict => ({
    kind: 'write',
    ...{ standing: wanted, version, isMerged: wanted !== standing },
  })
  if (fleet === undefined) {
    if (local.state === 'removed') return { kind: 'same' }
    if (local.state !== 'open' || local.content === null || twin === undefined || twin.content === null)
      return write(standing, 1)
    // The file of an order of the hot folder waits for that very order.
    const isOfFile = local.content.source.kind === 'hot-folder'
    if (!isOfFile && saysTheSame(local.content, twin.content)) return { kind: 'twin' }
    const issues = [...local.content.issues.filter(({ code }) => code !== twiceInFleet.code), twiceInFleet]
    return write({ ...standing, content: { ...local.content, issues } }, 1)
  }
  if (isDeepStrictEqual(standing, toStanding(fleet))) return { kind: 'same' }
  const version = fleet.version + 1
  // Only what is closed is removed, by the shortest retention of all stations.
  if (local.state === 'removed')
    return fleet.state === 'open' ? { kind: 'refused' } : write(standing, version)
  if (fleet.version === local.version) return write(standing, version)
  // A change of its own whose answer was lost is nothing that it could have overlooked; one that was merged is.
  const isOwnNext = fleet.changedBy === station && fleet.version === (local.version ?? 0) + 1
  if (isOwnNext) return write(standing, version)
  if (fleet.state === 'shipped' || fleet.state === 'removed') return { kind: 'refused' }
  const { shipmentId, skippedReason, skippedBy } = local
  if (local.state === 'shipped') {
    return write({ ...toStanding(fleet), state: 'shipped', shipmentId }, version)
  }
  if (local.state === 'skipped' && fleet.state === 'open') {
    return write({ ...toStanding(fleet), state: 'skipped', skippedReason, skippedBy }, version)
  }
  return { kind: 'refused' }
}

function saysTheSame(one: SharedContent, other: SharedContent): boolean {
  return isDeepStrictEqual([one.values, one.items], [other.values, other.items])
}

function toStanding({
  state,
  content,
  shipmentId,
  skippedReason,
  skippedBy,
}: SharedStanding): SharedStanding {
  return { state, content, shipmentId, skippedReason, skippedBy }
}
