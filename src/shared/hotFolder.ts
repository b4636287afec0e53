import { z } from 'zod'
import { guardedMethod, nothing, openMethod } from './contract'
import { appErrorSchema } from './errors'
import { orderIssueSchema, orderValuesSchema } from './orders'

/** A file of the hot folder, or one of its shipments, that needs a person. */
export const orderFileIssueSchema = z.object({
  id: z.uuid(),
  /** `ignored`: the hot folder does not process this file. The others are outcomes as in the result file. */
  kind: z.enum(['invalid', 'refused', 'unknown', 'ignored']),
  file: z.string(),
  /** Shipment in the file, from 1; null when the issue concerns the whole file. */
  line: z.int().nullable(),
  reference: z.string().nullable(),
  error: appErrorSchema,
  at: z.iso.datetime(),
  /** The shipment whose outcome is unknown. */
  shipmentId: z.uuid().nullable(),
  /** The shipment's values for correction; null when it can be corrected only in the file. */
  values: orderValuesSchema.nullable(),
  /** Invalid fields of `values`. */
  issues: z.array(orderIssueSchema),
  /** Unknown fields of the file; they are dropped when the shipment is sent again. */
  leftOut: z.record(z.string(), z.string()),
  closed: z
    .object({
      at: z.iso.datetime(),
      /** A person's note; empty when the issue closed automatically or was sent again. */
      note: z.string(),
      /** The operator who closed or sent it; null when it closed automatically or nobody was signed in. */
      by: z.string().nullable(),
      /** The file in which it was sent again; null when it was not. */
      sentAs: z.string().nullable(),
    })
    .nullable(),
})
export type OrderFileIssue = z.infer<typeof orderFileIssueSchema>

/** Maximum issues that the screen lists. */
export const maxListedIssues = 500

const issueId = z.strictObject({ issueId: z.uuid() })

/** Methods of the bridge for the hot folder. */
export const hotFolderMethods = {
  /** Open issues, or closed ones, newest first. */
  listOrderFileIssues: openMethod(
    z.strictObject({ closed: z.boolean() }),
    z.object({ issues: z.array(orderFileIssueSchema), total: z.int() }),
  ),
  /** Closes an issue. Needs the PIN as resolving does if the outcome is unknown; main decides that by the issue. */
  closeOrderFileIssue: openMethod(issueId.extend({ note: z.string().trim().min(1).max(200) }), nothing),
  /**
   * Writes the corrected shipment to the hot folder as a separate file, and closes the issue. Returns the file's name, or the
   * invalid fields, in which case nothing was written. Needs the PIN like closing it.
   */
  sendOrderAgain: openMethod(
    issueId.extend({ values: orderValuesSchema }),
    z.object({ issues: z.array(orderIssueSchema), file: z.string().nullable() }),
  ),
  /** Opens the folder that contains the issue's file. */
  openOrderFolder: guardedMethod('settings', issueId, nothing),
}

/** Events of the hot folder. */
export const hotFolderEvents = { orderFileIssuesChanged: z.object({ open: z.int() }) }
