import { hash } from 'node:crypto'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import {
  newerElsewhere,
  orderExtrasSchema,
  orderIssueSchema,
  orderItemSchema,
  orderValueFields,
  orderValuesSchema,
  printerUnknown,
} from '../../shared/orders'
import {
  type ConfirmedDuplicate,
  findConfirmed,
  getReferences,
  type ShipmentDraft,
} from '../../shared/shipments'
import { compileOnce, type Database, jsonColumn, type Placeholders } from '../storage/database'
import { type Blocker, findBlocker, listEarlier } from './duplicateGuard'

/* What blocks a draft from being sent: an earlier shipment of its reference, or the order that it was made from. */

/** The part of an order that its shipment is made from. */
const fingerprintedSchema = z.object({
  values: orderValuesSchema,
  items: z.array(orderItemSchema),
  extras: orderExtrasSchema.optional(),
})
/** In addition, the values that decide which rule applies to the order. */
const unattendedSchema = fingerprintedSchema.extend({
  orderValue: z.string(),
  columns: z.record(z.string(), z.string()),
})
const contentColumn = jsonColumn(unattendedSchema.extend({ issues: z.array(orderIssueSchema) }))

/** An order that was shipped, skipped or changed since the draft was made from it. */
export interface OrderBlocker {
  kind: 'order-closed' | 'order-changed'
  reference: string
}

/** What must still be true of the imported orders that a draft was made from. */
interface ShippedOrders {
  /** The order must be open. */
  orderId?: string | undefined
  /** The order must have this fingerprint. */
  fingerprint?: string | undefined
  /** No person reviews the draft, so the order must have no problem; a person may have corrected one in the form. */
  isUnattended?: boolean
  /** All orders of a combined parcel must have this consignee; by default the consignee of the first order. */
  consigneeKey?: string | undefined
}

/** The error code for each kind of blocker. */
export const blockerCodes = {
  'in-progress': 'shipment-in-progress',
  unresolved: 'shipment-unsettled',
  'already-created': 'shipment-duplicate',
} as const

/** Why a creation may not start. `details.shipmentId` is the blocking shipment. */
export function blockerError(blocker: OrderBlocker | Blocker): AppError {
  if (!('shipment' in blocker)) return appError(blocker.kind, { reference: blocker.reference })
  const { id, reference, takenAt, barcodes, cancelledAt } = blocker.shipment
  const details = { shipmentId: id, reference, takenAt, barcodes: barcodes.join(', ') }
  if (cancelledAt) return appError('shipment-duplicate', { ...details, case: 'cancelled', cancelledAt })
  return appError(blockerCodes[blocker.kind], details)
}

/** Input of the guard's check: from the operator, the order list, and the fleet. */
export interface IntentFacts {
  /** Created shipments that the operator was shown, each for the one reference that is to be shipped again. */
  confirmed: readonly ConfirmedDuplicate[]
  orders: ShippedOrders
  /** References whose confirmed duplicate is newer than every created shipment in this journal. */
  confirmedByFleet: ReadonlySet<string>
}

/** The earlier shipment or the order that blocks a draft; undefined when it may be sent. */
export async function findIntentBlocker(
  transaction: Database,
  draft: ShipmentDraft,
  { confirmed, orders, confirmedByFleet }: IntentFacts,
): Promise<Blocker | OrderBlocker | undefined> {
  for (const reference of getReferences(draft)) {
    const blocker = findBlocker(await listEarlier(transaction, reference))
    const isConfirmed =
      blocker?.kind === 'already-created' &&
      (confirmedByFleet.has(reference) || blocker.shipment.id === findConfirmed(confirmed, reference))
    if (blocker !== undefined && !isConfirmed) return blocker
  }
  return findOrderBlocker(transaction, draft, orders, confirmed)
}

async function findOrderBlocker(
  transaction: Database,
  { reference, combinedReferences = [] }: ShipmentDraft,
  { orderId, fingerprint, isUnattended, consigneeKey }: ShippedOrders,
  confirmed: readonly ConfirmedDuplicate[],
): Promise<OrderBlocker | undefined> {
  if (orderId !== undefined) {
    const { rows } = await selectOpenOrder(transaction, { orderId })
    const [order] = rows
    if (order === undefined && !(await isShippedAsConfirmed(transaction, reference, confirmed)))
      return { kind: 'order-closed', reference }
    if (order !== undefined && !matchesDraft(order, fingerprint, isUnattended))
      return { kind: 'order-changed', reference }
  }
  if (combinedReferences.length === 0) return undefined
  let requiredConsignee = consigneeKey
  for (const each of [reference, ...combinedReferences]) {
    const found = await selectOpenOrders(transaction)
      .where('reference', '=', each)
      .orderBy('number')
      .execute()
    if (found.length === 0) {
      // Shipped before, and confirmed to be shipped again, for example after a cancellation.
      if (await isShippedAsConfirmed(transaction, each, confirmed)) continue
      return { kind: 'order-closed', reference: each }
    }
    const toShip = found.find(({ state }) => state === 'to-ship')
    requiredConsignee ??= toShip?.consigneeKey ?? undefined
    if (toShip === undefined || toShip.consigneeKey !== requiredConsignee)
      return { kind: 'order-changed', reference: each }
  }
  return undefined
}

function selectOpenOrders(database: Database) {
  return database
    .selectFrom('orders')
    .select(['state', 'consigneeKey'])
    .where('state', 'in', ['to-ship', 'problem'])
}

const selectOpenOrder = compileOnce((database: Database, { orderId }: Placeholders<{ orderId: string }>) =>
  selectOpenOrders(database).select('content').where('id', '=', orderId).compile(),
)

/** Identifies the content of an order, independent of its problems. */
export function toOrderFingerprint({ values, items, extras }: z.infer<typeof fingerprintedSchema>): string {
  const content = [
    orderValueFields.map((field) => values[field] ?? ''),
    items.map((item) => orderItemSchema.keyof().options.map((field) => item[field])),
    orderExtrasSchema.keyof().options.map((field) => extras?.[field] ?? null),
  ]
  return hash('sha256', JSON.stringify(content))
}

/** Includes the values that decide which rule applies, since nobody reviews the result. */
export function toUnattendedFingerprint({
  orderValue,
  columns,
  ...order
}: z.infer<typeof unattendedSchema>): string {
  return hash('sha256', JSON.stringify([toOrderFingerprint(order), orderValue, columns]))
}

/**
 * Whether an open order may be shipped with the draft: it did not change, and has no problem if no person reviewed it. A missing printer is
 * not looked at: the draft was made with the current settings, and the order's issue may be older.
 */
function matchesDraft(
  { state, content }: { state: string; content: string },
  fingerprint: string | undefined,
  isUnattended = false,
): boolean {
  if (fingerprint === undefined) return state === 'to-ship'
  const { issues, ...order } = contentColumn.decode(content)
  // Its present values can't be shown, so no person reviewed them.
  if (issues.some(({ code }) => code === newerElsewhere)) return false
  if (!isUnattended) return fingerprint === toOrderFingerprint(order)
  const hasProblem = state !== 'to-ship' && issues.some(({ code }) => code !== printerUnknown)
  return !hasProblem && fingerprint === toUnattendedFingerprint(order)
}

/** Whether the operator confirmed to ship a reference again, none of whose orders is skipped. */
async function isShippedAsConfirmed(
  transaction: Database,
  reference: string,
  confirmed: readonly ConfirmedDuplicate[],
): Promise<boolean> {
  if (findConfirmed(confirmed, reference) === undefined) return false
  const skipped = await transaction
    .selectFrom('orders')
    .select('id')
    .where('reference', '=', reference)
    .where('state', '=', 'skipped')
    .executeTakeFirst()
  return skipped === undefined
}
