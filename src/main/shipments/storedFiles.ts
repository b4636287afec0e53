import { z } from 'zod'
import {
  carrierLimitsSchema,
  labelSchema,
  recordedDraftSchema,
  shipmentOriginSchema,
} from '../../shared/shipments'

/** A label as it lies on the disk. */
const storedLabelSchema = labelSchema.extend({
  /** Path below the labels folder; null when there is no content. */
  file: z.string().nullable(),
  sha256: z.string().nullable(),
})
export type StoredLabel = z.infer<typeof storedLabelSchema>

/** What was shipped, as the journal knew it before the request. */
export const storedOrderSchema = z.object({
  attemptId: z.string(),
  origin: shipmentOriginSchema,
  /** Who created it; files of older versions lack it. */
  operator: z.string().nullable().optional(),
  print: z.boolean(),
  takenAt: z.iso.datetime(),
  draft: recordedDraftSchema,
})
export type StoredOrder = z.infer<typeof storedOrderSchema>

/**
 * What the service said of a shipment, as it is written before its labels and before the database learns of it.
 * After a crash in between, the shipment is finished from this file and not asked for again.
 */
export const storedCreationSchema = z.object({
  version: z.literal(1),
  /** Whether the service said so clearly that the shipment exists; `unclear` leaves it to a person. */
  certainty: z.enum(['created', 'unclear']),
  receivedAt: z.iso.datetime(),
  storedAt: z.iso.datetime(),
  barcodes: z.array(z.string()),
  serviceShipmentId: z.string().nullable(),
  zendingId: z.string().nullable(),
  subLogId: z.string().nullable(),
  logId: z.string().nullable(),
  message: z.string().nullable(),
  trackingUrl: z.string().nullable(),
  /** The label's URL, encrypted by the vault's cipher: the URL itself is a secret. */
  sealedLabelUrl: z.string().nullable(),
  limits: carrierLimitsSchema.nullable(),
  labels: z.array(storedLabelSchema),
  /** The journal is rebuilt from it when the database is lost; files of older versions lack it. */
  order: storedOrderSchema.optional(),
})
export type StoredCreation = z.infer<typeof storedCreationSchema>

/**
 * `answer.json`: the service's answer as it came, without secrets. It is written in one piece before anything else is
 * done with the answer; label files, `shipment.json`, rows and print jobs are made from it, and made again if need be.
 */
export const keptAnswerSchema = z.object({
  version: z.literal(1),
  host: z.string(),
  delivery: z.enum(['in-answer', 'by-url']),
  status: z.int(),
  receivedAt: z.iso.datetime(),
  /** The label's URL, encrypted by the vault's cipher; null without one, or without a cipher. */
  sealedLabelUrl: z.string().nullable(),
  content: z.record(z.string(), z.unknown()).nullable(),
  text: z.string().nullable(),
  isCut: z.boolean().default(false),
})
export type KeptAnswer = z.infer<typeof keptAnswerSchema>
