import { z } from 'zod'
import { appErrorSchema } from './errors'
import { trackingEventSchema, trackingOptionsSchema } from './tracking'
import { maxCodeLength, maxCodes } from './trackingCodes'

/** A shipment of this station, as far as lists of parcels show it. */
export const parcelShipmentSchema = z.object({
  id: z.string(),
  reference: z.string(),
  /** Host of the carrier's page, shown before it is opened; null when there is no safe link. */
  trackingLinkHost: z.string().nullable(),
})
export type ParcelShipment = z.infer<typeof parcelShipmentSchema>

/** What the service said of one of many codes. */
export const bulkRowSchema = z.object({
  code: z.string(),
  found: z.boolean(),
  lastStatus: trackingEventSchema.nullable(),
  eventCount: z.int().nonnegative(),
  /** The shipment of ours with that barcode. */
  shipment: parcelShipmentSchema.nullable(),
})
export type BulkRow = z.infer<typeof bulkRowSchema>

export const bulkRowsSchema = z.array(bulkRowSchema)

/** How far a bulk tracking is. */
export const bulkProgressSchema = z.object({
  jobId: z.string(),
  state: z.enum(['running', 'ended', 'cancelled']),
  total: z.int().nonnegative(),
  answered: z.int().nonnegative(),
  /** Codes of chunks that failed, and why the last one of them did. */
  failed: z.int().nonnegative(),
  error: appErrorSchema.nullable(),
  /** Whether the service asked for a pause that is being kept now. */
  pausing: z.boolean(),
  /**
   * Rows that came since the last message, as JSON text of `bulkRowsSchema`: the bridge copies a text as one value, and
   * everything else value by value, which thousands of rows at once would make the window feel.
   */
  rows: z.string(),
})
export type BulkProgress = z.infer<typeof bulkProgressSchema>

/** Codes out of a file. */
export const codesFileSchema = z.object({
  name: z.string(),
  codes: z.array(z.string()),
  duplicates: z.int().nonnegative(),
  empty: z.int().nonnegative(),
  tooLong: z.int().nonnegative(),
  tooMany: z.int().nonnegative(),
  /** Name of the column the codes were taken from; null without a header row. */
  column: z.string().nullable(),
  /** Cells that hold a number too long for a spreadsheet to keep exactly. */
  inexact: z.int().nonnegative(),
  /** Cells left out because they hold an error of the spreadsheet, or a formula without a result. */
  cellErrors: z.int().nonnegative(),
})
export type CodesFile = z.infer<typeof codesFileSchema>

/** Most bytes of a file of codes. */
export const maxFileMegabytes = 20
export const maxFileBytes = maxFileMegabytes * 1024 * 1024

/** Headings of an export, in the operator's language. */
export const columnNamesSchema = z.strictObject({
  code: z.string().max(100),
  found: z.string().max(100),
  statusCode: z.string().max(100),
  description: z.string().max(100),
  location: z.string().max(100),
  dateTime: z.string().max(100),
  events: z.string().max(100),
  reference: z.string().max(100),
  yes: z.string().max(100),
  no: z.string().max(100),
})
export type ColumnNames = z.infer<typeof columnNamesSchema>

const codes = z.array(z.string().trim().min(1).max(maxCodeLength)).max(maxCodes)
const rowsWanted = z.strictObject({ jobId: z.uuid(), codes, names: columnNamesSchema })
const jobId = z.strictObject({ jobId: z.uuid() })

/** The part of the bridge about many codes. */
export const bulkMethods = {
  /** Starts tracking many codes; rows come by `bulkTrackingProgressed`. A bulk tracking before it is cancelled. */
  startBulkTracking: {
    input: z.strictObject({ codes: codes.min(1), options: trackingOptionsSchema }),
    output: bulkProgressSchema,
  },
  /** Asks again for the chunks that failed or were not asked for yet. */
  resumeBulkTracking: { input: jobId, output: bulkProgressSchema },
  cancelBulkTracking: { input: jobId, output: z.undefined() },
  /** Saves rows in the order of `codes` where the operator says; the file's path, null when they said nowhere. */
  exportBulkTracking: {
    input: rowsWanted.extend({ format: z.enum(['csv', 'xlsx']) }),
    output: z.string().nullable(),
  },
  /** Puts rows in the order of `codes` on the clipboard, as text that spreadsheets take. */
  copyBulkTracking: { input: rowsWanted, output: z.undefined() },
  /** Lets the operator choose a CSV or XLSX file; null when they chose none. */
  chooseCodesFile: { input: z.undefined(), output: codesFileSchema.nullable() },
  /** Reads a file that was dropped on the window. */
  readCodesFile: {
    input: z.strictObject({
      name: z.string().min(1).max(300),
      content: z.instanceof(ArrayBuffer).refine((content) => content.byteLength <= maxFileBytes, {
        error: 'the file is larger than 20 MB',
      }),
    }),
    output: codesFileSchema,
  },
}

export const bulkEvents = { bulkTrackingProgressed: bulkProgressSchema }
