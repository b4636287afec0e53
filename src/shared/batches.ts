import { z } from 'zod'
import { nothing, openMethod } from './contract'
import { appErrorSchema } from './errors'
import { maxChosenOrders, orderIssueSchema, orderSortSchema } from './orders'
import { printJobSchema } from './printing'

/** How a station ships many orders in one run. */
export const batchSettingsSchema = z.strictObject({
  /** Number of parallel creations. Default 1, because the service's limit is unknown. */
  parallelCreations: z.int().min(1).max(8),
})

/** `stopping`: finishes the orders in progress, then ends the batch. */
const batchStateSchema = z.enum(['running', 'paused', 'stopping', 'ended'])

/**
 * Outcome of an order in a batch.
 * - `created`, `refused`, `unknown`: outcome of its shipment; `unknown` also when an earlier unknown shipment blocks it, or
 *   when the batch ended before the outcome was stored
 * - `duplicate`: its reference was shipped before, so nothing was sent
 * - `incomplete`: data that the service needs are missing, so nothing was sent
 * - `left`: the batch ended before this order, or the order was no longer open; nothing was sent
 * - `elsewhere`: another station of the fleet has claimed or finished the order; nothing was sent here
 */
export const batchOutcomeSchema = z.enum([
  'created',
  'refused',
  'unknown',
  'duplicate',
  'incomplete',
  'left',
  'elsewhere',
])
export type BatchOutcome = z.infer<typeof batchOutcomeSchema>

/** Maximum orders per batch. */
export const maxBatchOrders = 10_000

export const batchSchema = z.object({
  id: z.uuid(),
  state: batchStateSchema,
  /** Why the batch is paused; null when it is not. `restart`: the app was closed or killed while the batch ran. */
  pausedBy: z.enum(['operator', 'restart', 'error']).nullable(),
  /** The error that blocks all orders; null unless `pausedBy` is `error`. */
  error: appErrorSchema.nullable(),
  total: z.int(),
  outcomes: z.record(batchOutcomeSchema, z.int()),
  /** Creations in progress. */
  underWay: z.int(),
  /** Whether batches of other stations currently hold all remaining orders. */
  waitsForOthers: z.boolean(),
  /** Estimated remaining time in milliseconds, from the pace of the last orders; null while unknown. */
  remainingMs: z.int().nullable(),
  /** Print jobs of its shipments, by the sets of `printJobStates`. */
  labels: z.object({ underWay: z.int(), forPerson: z.int() }),
  /** For an ended batch: orders that it did not ship, and that are still open for another batch; 0 before. */
  unshipped: z.int(),
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
})
export type Batch = z.infer<typeof batchSchema>

/** One order of a batch; items are sorted in the order in which labels are printed. */
export const batchItemSchema = z.object({
  /** From 1. */
  position: z.int(),
  orderId: z.uuid(),
  reference: z.string(),
  /** Null until it has one. */
  outcome: batchOutcomeSchema.nullable(),
  /** Missing or invalid fields. */
  issues: z.array(orderIssueSchema),
  error: appErrorSchema.nullable(),
  /** Its shipment, or the earlier shipment that blocks it. */
  shipmentId: z.uuid().nullable(),
  jobs: z.array(printJobSchema),
})
export type BatchItem = z.infer<typeof batchItemSchema>

/** Why a batch did not ship an order. */
export const batchEndSchema = batchItemSchema
  .pick({ orderId: true, issues: true, error: true, shipmentId: true })
  .extend({ outcome: batchOutcomeSchema, begunAt: batchSchema.shape.createdAt })
export type BatchEnd = z.infer<typeof batchEndSchema>

/** Filter of a summary. `not-created`: items that may need a person, without those of other stations. */
const batchItemsShownSchema = z.enum(['all', 'not-created'])

const batchId = z.strictObject({ batchId: z.uuid() })

/** Methods of the bridge for batches. Only one batch runs at a time. */
export const batchMethods = {
  /** Ships orders; they are sent, and their labels are printed, in the order of the list. */
  startBatch: openMethod(
    z.strictObject({
      orderIds: z.array(z.uuid()).min(1).max(maxChosenOrders),
      sort: orderSortSchema,
      descending: z.boolean(),
    }),
    batchSchema,
  ),
  /** The last started batch; null when there is none, or its summary was closed. */
  getBatch: openMethod(nothing, batchSchema.nullable()),
  /** Finishes the orders in progress and starts no further ones. */
  pauseBatch: openMethod(batchId, batchSchema),
  resumeBatch: openMethod(batchId, batchSchema),
  /** Ends the batch after the orders in progress. */
  stopBatch: openMethod(batchId, batchSchema),
  /** Starts a new batch of the orders of an ended batch that were not shipped and are still open. */
  repeatBatch: openMethod(batchId, batchSchema),
  /** Closes the summary of an ended batch. */
  closeBatch: openMethod(batchId, nothing),
  listBatchItems: openMethod(
    batchId.extend({
      shown: batchItemsShownSchema,
      /** If given, only items of those of these orders that are still open. */
      orderIds: z.array(z.uuid()).max(500).optional(),
      offset: z.int().min(0),
      limit: z.int().min(1).max(500),
    }),
    z.object({ items: z.array(batchItemSchema), total: z.int() }),
  ),
  /**
   * For each order, why its last batch did not ship it, also when that batch was closed. Has no entry for other orders, and for
   * unknown outcomes that were resolved.
   */
  listBatchEnds: openMethod(
    z.strictObject({ orderIds: z.array(z.uuid()).max(500) }),
    z.array(batchEndSchema),
  ),
}

/** Events for batches. */
export const batchEvents = { batchChanged: batchSchema.nullable() }
