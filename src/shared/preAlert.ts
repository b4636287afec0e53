import { z } from 'zod'
import { appErrorSchema } from './errors'
import { requiredTextSchema } from './fields'

/** Largest air waybill PDF that is taken. */
export const largestWaybillMegabytes = 25

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

/** One pre-alert of an air waybill, as it stands in the air waybill's history. */
export const preAlertSchema = z.object({
  ...preAlertRequestSchema.shape,
  id: z.string(),
  /** Name of the PDF's file. */
  fileName: z.string(),
  byteLength: z.int(),
  sentAt: z.iso.datetime(),
  /** `sending` after the app ended in the middle of one counts as `unknown` at its next start. */
  state: z.enum(['sending', 'accepted', 'refused', 'unknown']),
  answer: preAlertAnswerSchema.nullable(),
  error: appErrorSchema.nullable(),
})
export type PreAlert = z.infer<typeof preAlertSchema>
