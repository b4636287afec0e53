import { z } from 'zod'
import { method, nothing } from './contract'
import { appErrorSchema } from './errors'
import { orderIssueSchema, orderValuesSchema } from './orders'

/** A file of the hot folder, or one of its shipments, that a person has to see to. */
export const orderFileIssueSchema = z.object({
  id: z.uuid(),
  /** `ignored`: a file that is not taken. The others are outcomes as the result file says them. */
  kind: z.enum(['invalid', 'refused', 'unknown', 'ignored']),
  file: z.string(),
  /** 1 for the first shipment of the file; null when it concerns the file as a whole. */
  line: z.int().nullable(),
  reference: z.string().nullable(),
  error: appErrorSchema,
  at: z.iso.datetime(),
  /** The shipment whose outcome is unknown. */
  shipmentId: z.uuid().nullable(),
  /** What the shipment says, to be corrected; null where it can be corrected in the file only. */
  values: orderValuesSchema.nullable(),
  /** What of it the form's rules refuse. */
  issues: z.array(orderIssueSchema),
  /** What the file says under names that are not known, by these names: it is left out when the shipment is sent again. */
  leftOut: z.record(z.string(), z.string()),
  closed: z
    .object({
      at: z.iso.datetime(),
      /** What a person noted; empty when it ended by itself or was sent again. */
      note: z.string(),
      /** The operator who closed or sent it; null when it ended by itself or nobody was signed in. */
      by: z.string().nullable(),
      /** The file that it was sent again in; null when it was not. */
      sentAs: z.string().nullable(),
    })
    .nullable(),
})
export type OrderFileIssue = z.infer<typeof orderFileIssueSchema>

/** Most issues that the screen lists. */
export const maxListedIssues = 500

const issueId = z.strictObject({ issueId: z.uuid() })

/** Methods of the bridge for the hot folder. */
export const hotFolderMethods = {
  /** Open issues, or closed ones, newest first. */
  listOrderFileIssues: method(
    z.strictObject({ closed: z.boolean() }),
    z.object({ issues: z.array(orderFileIssueSchema), total: z.int() }),
  ),
  closeOrderFileIssue: method(issueId.extend({ note: z.string().trim().min(1).max(200) }), nothing),
  /**
   * Puts the corrected shipment into the hot folder as a file of its own, and closes the issue. Nothing was put there
   * when there are issues; the file's name else.
   */
  sendOrderAgain: method(
    issueId.extend({ values: orderValuesSchema }),
    z.object({ issues: z.array(orderIssueSchema), file: z.string().nullable() }),
  ),
  /** Shows the folder in which the issue's file lies. */
  openOrderFolder: method(issueId, nothing),
}

/** Events of the hot folder. */
export const hotFolderEvents = { orderFileIssuesChanged: z.object({ open: z.int() }) }
