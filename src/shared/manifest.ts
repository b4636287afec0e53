import { z } from 'zod'
import { appErrorSchema } from './errors'
import { requiredTextSchema } from './fields'
import { manifestFields } from './manifestLine'
import { preAlertSchema, submissionStateSchema } from './preAlert'

/** Most lines that one manifest holds. */
export const maxManifestLines = 200_000
/** Most lines that the screen is given at a time. */
export const maxLinesAtOnce = 400

export const manifestFieldSchema = z.enum(manifestFields)
const rowSchema = z.array(z.string()).length(manifestFields.length)
const rowNumber = z.int().min(0).max(maxManifestLines)
const column = z
  .int()
  .min(0)
  .max(manifestFields.length - 1)
const cellText = z.string().max(2000)

/** What a check found in a cell. Errors keep a manifest from being uploaded, advice does not. */
export const issueCodeSchema = z.enum([
  'required',
  'cell-error',
  'decimal-comma',
  'not-a-number',
  'not-positive',
  'negative',
  'zero-price',
  'whole-number',
  'country',
  'currency-form',
  'currency-unknown',
  'currency-missing',
  'hs-form',
  'hs-lost-zero',
  'tax-type-missing',
  'tax-ident-missing',
  'ioss-form',
  'vat-form',
  'eori-form',
  'other-waybill',
  'parcel-in-two-packages',
  'parcel-differs',
  'line-twice',
  'items-heavier',
  'prices-differ',
  'line-break',
])
export type IssueCode = z.infer<typeof issueCodeSchema>

export const issueSchema = z.object({
  /** From 0. */
  row: z.int(),
  column: z.int(),
  code: issueCodeSchema,
  severity: z.enum(['error', 'advice']),
  /** What the sentence names, e.g. the sum of the items; empty when it names nothing. */
  detail: z.string(),
})
export type Issue = z.infer<typeof issueSchema>

/** Sums over the lines; weights in the lines' own unit, summed over parcels. */
export const manifestTotalsSchema = z.object({
  lines: z.int(),
  packages: z.int(),
  parcels: z.int(),
  parcelWeight: z.number(),
  /** Prices of the parcels by currency. */
  prices: z.array(z.object({ currency: z.string(), total: z.number() })),
})
export type ManifestTotals = z.infer<typeof manifestTotalsSchema>

/** What the lines of a manifest are like at the moment. */
export const linesSummarySchema = z.object({
  /** Changes with each change of the lines. */
  revision: z.int(),
  lines: z.int(),
  errors: z.int(),
  advice: z.int(),
  totals: manifestTotalsSchema,
  canUndo: z.boolean(),
  canRedo: z.boolean(),
})
export type LinesSummary = z.infer<typeof linesSummarySchema>

/** One upload of a manifest, as it stands in its history. */
export const uploadSchema = z.object({
  id: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  lockAsked: z.boolean(),
  lines: z.int(),
  packages: z.int(),
  parcels: z.int(),
  parcelWeight: z.number(),
  /** Fingerprint of the lines that were sent. */
  sha256: z.string(),
  state: submissionStateSchema,
  /** When a person said what became of it; null for one that has an outcome of its own, or none yet. */
  resolvedAt: z.iso.datetime().nullable(),
  status: z.int().nullable(),
  speaksOfErrors: z.boolean(),
  error: appErrorSchema.nullable(),
})
export type Upload = z.infer<typeof uploadSchema>

/**
 * - `open`: no lock was asked for, or the service said that there is none
 * - `uncertain`: a lock was asked for, and the upload's outcome is unknown or its answer speaks of errors
 * - `assumed`: a lock was asked for and the upload was accepted
 * - `locked`: the service said so in the answer to a pre-alert
 */
export const lockStateSchema = z.enum(['open', 'uncertain', 'assumed', 'locked'])
export type LockState = z.infer<typeof lockStateSchema>

export const manifestSummarySchema = z.object({
  id: z.string(),
  airWaybillNumber: z.string(),
  createdAt: z.iso.datetime(),
  changedAt: z.iso.datetime(),
  lines: z.int(),
  state: z.enum(['draft', 'uploaded', 'locked']),
  lock: lockStateSchema,
  /** Whether a person has to resolve the outcome of an upload. */
  unknownUpload: z.boolean(),
  /** Whether a person has to resolve the outcome of a pre-alert. */
  unknownPreAlert: z.boolean(),
})
export type ManifestSummary = z.infer<typeof manifestSummarySchema>

/** An air waybill's page. */
export const manifestDetailsSchema = manifestSummarySchema.extend({
  summary: linesSummarySchema,
  /** Newest first. */
  uploads: z.array(uploadSchema),
  preAlerts: z.array(preAlertSchema),
})
export type ManifestDetails = z.infer<typeof manifestDetailsSchema>

export const manifestIdSchema = z.strictObject({ manifestId: z.uuid() })

export const newManifestSchema = z.strictObject({
  airWaybillNumber: requiredTextSchema.refine((text) => text.length <= 60),
})

/** A change of the lines that the grid asks for. */
export const lineEditSchema = z.discriminatedUnion('kind', [
  /** Puts a block of values at a place; lines are added when it reaches past the last one. */
  z.strictObject({
    kind: z.literal('put'),
    row: rowNumber,
    column,
    values: z.array(z.array(cellText).max(manifestFields.length)).min(1).max(maxManifestLines),
  }),
  /** Repeats the first line of a block in all lines of it. */
  z.strictObject({ kind: z.literal('fill'), from: rowNumber, to: rowNumber, left: column, right: column }),
  z.strictObject({ kind: z.literal('clear'), from: rowNumber, to: rowNumber, left: column, right: column }),
  z.strictObject({ kind: z.literal('insert'), at: rowNumber, count: z.int().min(1).max(1000) }),
  z.strictObject({ kind: z.literal('remove'), from: rowNumber, to: rowNumber }),
])
export type LineEdit = z.infer<typeof lineEditSchema>

/** Some lines and what the checks say about them. */
export const linesPageSchema = z.object({
  revision: z.int(),
  from: z.int(),
  rows: z.array(rowSchema),
  issues: z.array(issueSchema),
})
export type LinesPage = z.infer<typeof linesPageSchema>

/** Which column of a file fills which field; a field that is left out stays empty. */
export const columnMappingSchema = z.partialRecord(manifestFieldSchema, z.int().min(0).max(1000))
export type ColumnMapping = z.infer<typeof columnMappingSchema>

export const decimalMarkSchema = z.enum(['automatic', 'point', 'comma'])
export type DecimalMark = z.infer<typeof decimalMarkSchema>

/** A file that was read and not yet taken into a manifest. */
export const importPreviewSchema = z.object({
  importId: z.string(),
  fileName: z.string(),
  kind: z.enum(['csv', 'xlsx']),
  /** How the text is written, e.g. «UTF-8» or «Windows-1252»; null for XLSX. */
  encoding: z.string().nullable(),
  header: z.array(z.string()),
  lines: z.int(),
  /** The first lines as they stand in the file. */
  sample: z.array(z.array(z.string())),
  mapping: columnMappingSchema,
  /** Whether the mapping is one that was used for such a file before. */
  remembered: z.boolean(),
  notes: z.object({
    /** For each column, how many cells the spreadsheet holds as numbers: a code among them has lost its leading zeros. */
    numericCells: z.array(z.int()),
    /** Cells that hold an error of the spreadsheet, e.g. #REF!. */
    cellErrors: z.int(),
    /** Formulas of which the file holds no result. */
    emptyFormulas: z.int(),
    mergedCells: z.int(),
    /** Lines with more or fewer values than the header. */
    unevenLines: z.int(),
  }),
})
export type ImportPreview = z.infer<typeof importPreviewSchema>

/** How far an upload has come. */
export const uploadProgressSchema = z.object({
  manifestId: z.string(),
  phase: z.enum(['preparing', 'sending', 'waiting', 'done']),
  sentBytes: z.int(),
  totalBytes: z.int(),
})
export type UploadProgress = z.infer<typeof uploadProgressSchema>
