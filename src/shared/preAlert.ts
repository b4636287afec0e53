import { z } from 'zod'
import { appErrorSchema } from './errors'
import { requiredTextSchema } from './fields'

/** Largest air waybill PDF that is taken. */
export const maxWaybillMegabytes = 25

/** What goes along with the PDF (spec: Pre-alert request). */
export const preAlertRequestSchema = z.strictObject({
  airWaybillNumber: requiredTextSchema,
  /** YYYY-MM-DD. */
  estimatedTimeOfArrival: z.iso.date(),
  grossWeight: z.number().positive(),
})
export type PreAlertRequest = z.infer<typeof preAlertRequestSchema>

/** What the service said of a pre-alert (spec: Pre-alert response); null for what it left out. */
export const preAlertAnswerSchema = z.object({
  message: z.string().nullable(),
  estimatedTimeOfArrival: z.string().nullable(),
  airWaybillNumber: z.string().nullable(),
  submittedGrossWeight: z.number().nullable(),
  boxes: z.number().nullable(),
  totalParcels: z.number().nullable(),
  totalManifestWeight: z.number().nullable(),
  iossManifestLocked: z.boolean().nullable(),
  carrierName: z.string().nullable(),
  awbPrefix: z.string().nullable(),
})
export type PreAlertAnswer = z.infer<typeof preAlertAnswerSchema>

/**
 * What became of an upload or a pre-alert.
 * - `refused`: the service said no, or the request provably never left
 * - `unknown`: anything else; nothing more of its kind is sent for the air waybill until a person resolves it
 */
export const submissionStateSchema = z.enum(['sending', 'accepted', 'refused', 'unknown'])

/** One pre-alert of an air waybill, as it stands in the air waybill's history. */
export const preAlertSchema = z.object({
  ...preAlertRequestSchema.shape,
  id: z.string(),
  /** Name of the PDF's file. */
  fileName: z.string(),
  byteLength: z.int(),
  sentAt: z.iso.datetime(),
  state: submissionStateSchema,
  /** When a person said what became of it; null for one that has an outcome of its own, or none yet. */
  resolvedAt: z.iso.datetime().nullable(),
  answer: preAlertAnswerSchema.nullable(),
  error: appErrorSchema.nullable(),
})
export type PreAlert = z.infer<typeof preAlertSchema>
