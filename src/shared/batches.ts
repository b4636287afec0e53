import { z } from 'zod'
import { method, nothing } from './contract'
import { appErrorSchema } from './errors'
import { maxChosenOrders, orderIssueSchema, orderSortSchema } from './orders'
import { printJobSchema } from './printing'

/** How a station ships many orders in one run. */
export const batchSettingsSchema = z.strictObject({
  /** Creations at the same time: what the service takes is not known, so one unless somebody found out. */
  parallelCreations: z.int().min(1).max(8),
})

/** `stopping` ends what is under way and then the batch. */
export const batchStateSchema = z.enum(['running', 'paused', 'stopping', 'ended'])

/**
 * What became of an order in a batch.
 * - `created`, `refused`, `unknown`: its shipment's outcome; `unknown` also when an earlier one blocks it, or when the
 *   batch ended before the outcome was written
 * - `duplicate`: its reference was shipped before, so nothing was sent
 * - `incomplete`: something that the service needs is missing, so nothing was sent
 * - `left`: the batch ended before it, or the order was not open any more; nothing was sent
 * - `elsewhere`: another station of the fleet has it, or ended it; nothing was sent here
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

/** Most orders of one batch. */
export const maxBatchOrders = 10_000

export const batchSchema = z.object({
  id: z.uuid(),
  state: batchStateSchema,
  /** Why it is paused; null when it is not. `restart`: the app was closed or killed while it ran. */
  pausedBy: z.enum(['operator', 'restart', 'error']).nullable(),
  /** What stands in the way of all orders; null unless `pausedBy` is `error`. */
  error: appErrorSchema.nullable(),
  total: z.int(),
  outcomes: z.record(batchOutcomeSchema, z.int()),
  /** Creations under way. */
  underWay: z.int(),
  /** Whether all that is left is in batches of other stations at the moment. */
  waitsForOthers: z.boolean(),
  /** Milliseconds that the rest takes by the pace of the last orders; null while that is not known. */
  remainingMs: z.int().nullable(),
  /** Labels of its shipments: `waiting` for their printer, or `open`: failed or unconfirmed, for a person. */
  labels: z.object({ waiting: z.int(), open: z.int() }),
  /** Of an ended one: orders that other stations had and that are still to be shipped; left out where there were none. */
  openElsewhere: z.int().optional(),
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
})
export type Batch = z.infer<typeof batchSchema>

/** One order of a batch, in the order in which labels leave. */
export const batchItemSchema = z.object({
  /** 1 for the first one. */
  position: z.int(),
  orderId: z.uuid(),
  reference: z.string(),
  /** Null as long as it has none. */
  outcome: batchOutcomeSchema.nullable(),
  /** What is missing or can't be used. */
  issues: z.array(orderIssueSchema),
  error: appErrorSchema.nullable(),
  /** Its shipment, or the earlier one that blocks it. */
  shipmentId: z.uuid().nullable(),
  jobs: z.array(printJobSchema),
})
export type BatchItem = z.infer<typeof batchItemSchema>

/** How a batch left an order that it did not ship, with why. */
export const batchEndSchema = batchItemSchema
  .pick({ orderId: true, issues: true, error: true, shipmentId: true })
  .extend({ outcome: batchOutcomeSchema, begunAt: batchSchema.shape.createdAt })
export type BatchEnd = z.infer<typeof batchEndSchema>

/** Which items a summary shows: `not-created` are those that a person may want to see to, without those of other stations. */
export const batchItemsShownSchema = z.enum(['all', 'not-created'])

const batchId = z.strictObject({ batchId: z.uuid() })

/** Methods of the bridge for batches. There is one at a time. */
export const batchMethods = {
  /** Ships orders one after another; they are sent, and their labels leave, in the order of the list. */
  startBatch: method(
    z.strictObject({
      orderIds: z.array(z.uuid()).min(1).max(maxChosenOrders),
      sort: orderSortSchema,
      descending: z.boolean(),
    }),
    batchSchema,
  ),
  /** The batch that was begun last; null when there is none, or its summary was closed. */
  getBatch: method(nothing, batchSchema.nullable()),
  /** Begins no further order; what is under way is finished. */
  pauseBatch: method(batchId, batchSchema),
  resumeBatch: method(batchId, batchSchema),
  /** Ends it after the orders that are under way. */
  stopBatch: method(batchId, batchSchema),
  /** A new batch of the orders of an ended one that were not shipped and are still open. */
  repeatBatch: method(batchId, batchSchema),
  /** The summary of an ended batch was read. */
  closeBatch: method(batchId, nothing),
  listBatchItems: method(
    batchId.extend({
      shown: batchItemsShownSchema,
      offset: z.int().min(0),
      limit: z.int().min(1).max(500),
    }),
    z.object({ items: z.array(batchItemSchema), total: z.int() }),
  ),
  /**
   * The last end of each of some orders that says why a batch did not ship it, also when that batch was closed; none for
   * the others, and for an unknown outcome that was resolved.
   */
  listBatchEnds: method(z.strictObject({ orderIds: z.array(z.uuid()).max(500) }), z.array(batchEndSchema)),
}

/** Events for batches. */
export const batchEvents = { batchChanged: batchSchema.nullable() }
