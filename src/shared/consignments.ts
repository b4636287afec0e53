import { z } from 'zod'
import { guardedMethod, nothing, openMethod } from './contract'
import { appErrorSchema } from './errors'
import { requiredTextSchema } from './fields'
import { fileBytesSchema, maxTableMegabytes } from './inputIssues'
import { pdfPreviewSchema } from './printing'

/** The fields of a manifest line in order (spec: Manifest line). All are text on the wire. */
export const manifestFields = [
  'transportType',
  'transportNumber',
  'packageId',
  'parcelId',
  'name',
  'address',
  'address2',
  'zipcode',
  'city',
  'country',
  'phone',
  'email',
  'sellerName',
  'sellerAddress',
  'sellerZipcode',
  'sellerCity',
  'sellerCountry',
  'sku',
  'content',
  'hsCode',
  'quantity',
  'itemPrice',
  'itemWeight',
  'parcelWeight',
  'parcelPrice',
  'currency',
  'taxType',
  'taxIdent',
  'grossWeight',
] as const
export type ManifestField = (typeof manifestFields)[number]

/** The values of a line in the order of `manifestFields`. */
export type ManifestRow = string[]

const positions = new Map<string, number>(manifestFields.map((field, index) => [field, index]))

/** The index of a field in a row. */
export function toPosition(field: ManifestField): number {
  return positions.get(field) ?? 0
}

/** Fields that hold decimal text. */
export const decimalFields: readonly ManifestField[] = [
  'quantity',
  'itemPrice',
  'itemWeight',
  'parcelWeight',
  'parcelPrice',
  'grossWeight',
]

export const weightFields: readonly ManifestField[] = ['itemWeight', 'parcelWeight', 'grossWeight']

/** Fields with codes that a spreadsheet shortens if it takes them for numbers. */
export const codeFields: readonly ManifestField[] = [
  'packageId',
  'parcelId',
  'zipcode',
  'sellerZipcode',
  'sku',
  'hsCode',
]

export function emptyRow(): ManifestRow {
  return manifestFields.map(() => '')
}

/** A warning about an air waybill number. */
export type WaybillAdvice = 'form' | 'check-digit'

/**
 * Checks an air waybill number: AAA-NNNNNNNN, the last digit is the seven digits before it modulo 7. Advice only, because the
 * specification has no rule.
 */
export function waybillAdvice(number: string): WaybillAdvice | null {
  const match = /^\d{3}-?(\d{7})(\d)$/.exec(number.trim())
  if (match === null) return 'form'
  const [, serial = '', digit = ''] = match
  return Number(serial) % 7 === Number(digit) ? null : 'check-digit'
}

/**
 * An air waybill number without the hyphens and spaces that are written or left out: «074-12345675», «074 1234 5675». Any other text
 * stays as it is: two of them may differ only in where their marks are, «2026-1-11» and «2026-11-1».
 */
export function toBareNumber(number: string): string {
  return /^\d{3}[\s\p{Pd}]*\d{4}[\s\p{Pd}]*\d{4}$/u.test(number) ? number.replace(/\D/g, '') : number
}

/** Maximum size of an air waybill PDF. */
export const maxWaybillMegabytes = 25

/** The fields sent with the PDF (spec: Pre-alert request). */
export const preAlertRequestSchema = z.strictObject({
  airWaybillNumber: requiredTextSchema,
  /** YYYY-MM-DD. */
  estimatedTimeOfArrival: z.iso.date(),
  grossWeight: z.number().positive(),
})
export type PreAlertRequest = z.infer<typeof preAlertRequestSchema>

/** The service's answer to a pre-alert (spec: Pre-alert response); null for missing fields. */
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
 * State of an upload or a pre-alert.
 * - `refused`: the service refused it, or the request was provably not sent
 * - `unknown`: any other outcome; nothing of the same kind is sent for the air waybill until a person resolves it
 */
const submissionStateSchema = z.enum(['sending', 'accepted', 'refused', 'unknown'])

/** The place among an air waybill's uploads and pre-alerts, in the order of sending: the clock may be set between them. */
const sentNumberSchema = z.int()

/** What uploads and pre-alerts have in common. */
const submissionShape = {
  id: z.string(),
  sentNumber: sentNumberSchema,
  state: submissionStateSchema,
  /** The operator who sent it; null when nobody was signed in. */
  operator: z.string().nullable(),
  /** When a person resolved the unknown outcome, and who; null when the outcome was never unknown or is still open. */
  resolvedAt: z.iso.datetime().nullable(),
  resolvedBy: z.string().nullable(),
  error: appErrorSchema.nullable(),
}

/** A pre-alert in an air waybill's history. */
export const preAlertSchema = z.object({
  ...preAlertRequestSchema.shape,
  ...submissionShape,
  /** Name of the PDF's file. */
  fileName: z.string(),
  byteLength: z.int(),
  sentAt: z.iso.datetime(),
  answer: preAlertAnswerSchema.nullable(),
})
export type PreAlert = z.infer<typeof preAlertSchema>

/** Maximum lines of a manifest. */
export const maxManifestLines = 200_000
/** Maximum lines per request of the screen. */
const maxLinesAtOnce = 400

const manifestFieldSchema = z.enum(manifestFields)
const rowSchema = z.array(z.string()).length(manifestFields.length)
const rowNumber = z.int().min(0).max(maxManifestLines)
const column = z
  .int()
  .min(0)
  .max(manifestFields.length - 1)
const cellText = z.string().max(2000)

/** An issue of a cell. Errors block the upload of a manifest, advice does not. */
export const issueCodeSchema = z.enum([
  'required',
  'cell-error',
  'code-shortened',
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
  /** A value for the message, e.g. the sum of the items; empty when the message has none. */
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

/** Counts, totals and undo state of a manifest's lines. */
export const linesSummarySchema = z.object({
  /** Increases with each change of the lines. */
  revision: z.int(),
  lines: z.int(),
  errors: z.int(),
  advice: z.int(),
  totals: manifestTotalsSchema,
  canUndo: z.boolean(),
  canRedo: z.boolean(),
  /** Why the last changes could not be written to the disk; null when they were, or will be shortly. */
  saveError: z.string().nullable(),
})
export type LinesSummary = z.infer<typeof linesSummarySchema>

/** An upload in a manifest's history. */
export const uploadSchema = z.object({
  ...submissionShape,
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  lockAsked: z.boolean(),
  /** 0 if the content is unknown, because a copy of the database was restored. */
  lines: z.int(),
  packages: z.int(),
  parcels: z.int(),
  parcelWeight: z.number(),
  /** Hash of the sent body. */
  sha256: z.string(),
  status: z.int().nullable(),
  speaksOfErrors: z.boolean(),
})
export type Upload = z.infer<typeof uploadSchema>

/**
 * - `open`: no lock was requested, or the service reported no lock
 * - `uncertain`: a lock was requested, and the upload's outcome is unknown or its answer mentions errors
 * - `assumed`: a lock was requested and the upload was accepted
 * - `locked`: the service reported the lock in its answer to a pre-alert
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
  /**
   * Whether there are other lines than in the last accepted upload. Until the page was opened in this run of the app, only by
   * their number.
   */
  hasUnsentLines: z.boolean(),
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

/**
 * Whether an air waybill may be removed: the service has nothing of it. What a person resolved as refused stays, as the record of
 * that decision, except an upload of which only a restored copy asked (0 lines).
 */
export function isRemovable({ uploads, preAlerts }: Pick<ManifestDetails, 'uploads' | 'preAlerts'>): boolean {
  const decided = [...uploads.filter(({ lines }) => lines > 0), ...preAlerts]
  return (
    [...uploads, ...preAlerts].every(({ state }) => state === 'refused') &&
    decided.every(({ resolvedAt }) => resolvedAt === null)
  )
}

const manifestIdSchema = z.strictObject({ manifestId: z.uuid() })

const newManifestSchema = z.strictObject({
  airWaybillNumber: requiredTextSchema.refine((text) => text.length <= 60),
})

/** A change of the lines in the grid. */
export const lineEditSchema = z.discriminatedUnion('kind', [
  /** Writes a block of values at a position; adds lines when it extends past the last one. */
  z.strictObject({
    kind: z.literal('put'),
    row: rowNumber,
    column,
    values: z.array(z.array(cellText).max(manifestFields.length)).min(1).max(maxManifestLines),
  }),
  /** Copies the first line of a block to all of its lines. */
  z.strictObject({ kind: z.literal('fill'), from: rowNumber, to: rowNumber, left: column, right: column }),
  z.strictObject({ kind: z.literal('clear'), from: rowNumber, to: rowNumber, left: column, right: column }),
  z.strictObject({ kind: z.literal('insert'), at: rowNumber, count: z.int().min(1).max(1000) }),
  z.strictObject({ kind: z.literal('remove'), from: rowNumber, to: rowNumber }),
])
export type LineEdit = z.infer<typeof lineEditSchema>

/** A range of lines and their issues. */
export const linesPageSchema = z.object({
  revision: z.int(),
  from: z.int(),
  rows: z.array(rowSchema),
  issues: z.array(issueSchema),
})
export type LinesPage = z.infer<typeof linesPageSchema>

/** Column index per field; a field without a column stays empty. */
export const columnMappingSchema = z.partialRecord(manifestFieldSchema, z.int().min(0).max(1000))
export type ColumnMapping = z.infer<typeof columnMappingSchema>

export const decimalMarkSchema = z.enum(['automatic', 'point', 'comma'])
export type DecimalMark = z.infer<typeof decimalMarkSchema>

/** A file that was read and not yet imported into a manifest. */
export const importPreviewSchema = z.object({
  importId: z.string(),
  fileName: z.string(),
  kind: z.enum(['csv', 'xlsx']),
  /** The text encoding, e.g. «UTF-8» or «Windows-1252»; null for XLSX. */
  encoding: z.string().nullable(),
  header: z.array(z.string()),
  lines: z.int(),
  /** The first lines of the file, unchanged. */
  sample: z.array(z.array(z.string())),
  mapping: columnMappingSchema,
  /** Whether the mapping was used before for a file with this header row. */
  remembered: z.boolean(),
  notes: z.object({
    /** Per column, how many cells the spreadsheet stores as numbers: codes among them may have lost digits. */
    numericCells: z.array(z.int()),
    /** Cells that contain a spreadsheet error, e.g. #REF!. */
    cellErrors: z.int(),
    /** Formulas without a stored result. */
    emptyFormulas: z.int(),
    mergedCells: z.int(),
    /** Lines with more or fewer values than the header. */
    unevenLines: z.int(),
  }),
})
export type ImportPreview = z.infer<typeof importPreviewSchema>

/** Progress of an upload. */
export const uploadProgressSchema = z.object({
  manifestId: z.string(),
  phase: z.enum(['preparing', 'sending', 'waiting', 'done']),
  sentBytes: z.int(),
  totalBytes: z.int(),
})
export type UploadProgress = z.infer<typeof uploadProgressSchema>

const waybillBytes = fileBytesSchema(maxWaybillMegabytes)
const importId = z.strictObject({ importId: z.uuid() })

/** Methods of the bridge for manifests and pre-alerts. */
export const consignmentMethods = {
  listManifests: openMethod(nothing, z.array(manifestSummarySchema)),
  /** Creates an air waybill's page, or returns the existing one. */
  createManifest: openMethod(newManifestSchema, manifestDetailsSchema),
  getManifest: openMethod(manifestIdSchema, manifestDetailsSchema),
  /** Removes a manifest of which the service has nothing. */
  removeManifest: openMethod(manifestIdSchema, nothing),
  readManifestLines: openMethod(
    manifestIdSchema.extend({ from: z.int().min(0), count: z.int().min(1).max(maxLinesAtOnce) }),
    linesPageSchema,
  ),
  editManifestLines: openMethod(manifestIdSchema.extend({ edit: lineEditSchema }), linesSummarySchema),
  undoManifestEdit: openMethod(manifestIdSchema, linesSummarySchema),
  redoManifestEdit: openMethod(manifestIdSchema, linesSummarySchema),
  /** Finds the next cell that contains a text, after a position, wrapping around at the end; null when there is none. */
  findInManifest: openMethod(
    manifestIdSchema.extend({
      text: z.string().min(1).max(500),
      row: z.int().min(0),
      column: z
        .int()
        .min(-1)
        .max(manifestFields.length - 1),
    }),
    z.object({ row: z.int(), column: z.int() }).nullable(),
  ),
  /** Issues of the lines, errors first. */
  listManifestIssues: openMethod(
    manifestIdSchema.extend({ offset: z.int().min(0), limit: z.int().min(1).max(500) }),
    z.array(issueSchema),
  ),
  /** Reads a CSV or XLSX file and keeps it until it is imported or discarded. */
  readManifestFile: openMethod(
    z.strictObject({ fileName: z.string().max(500), bytes: fileBytesSchema(maxTableMegabytes) }),
    importPreviewSchema,
  ),
  takeManifestFile: openMethod(
    manifestIdSchema.extend({
      importId: z.uuid(),
      mapping: columnMappingSchema,
      decimalMark: decimalMarkSchema,
      replace: z.boolean(),
    }),
    linesSummarySchema,
  ),
  dropManifestFile: openMethod(importId, nothing),
  /** Adds lines for shipments of this station; skips parcels that the lines already contain. */
  addShipmentsToManifest: openMethod(
    manifestIdSchema.extend({
      shipmentIds: z.array(z.uuid()).min(1).max(5000),
      packageId: z.string().trim().max(100),
    }),
    z.object({ summary: linesSummarySchema, added: z.int(), passedOver: z.int() }),
  ),
  /**
   * The air waybills of this station to which shipments were added, except those of which the service has nothing and whose lines
   * contain no parcel of a shipment any more.
   */
  listAddedShipments: openMethod(
    z.strictObject({ shipmentIds: z.array(z.uuid()).max(5000) }),
    z.array(z.object({ shipmentId: z.string(), airWaybillNumber: z.string() })),
  ),
  /** The parcels among the lines whose shipments of this station were cancelled at the carrier after they were added. */
  listCancelledParcels: openMethod(manifestIdSchema, z.array(z.string())),
  /** Saves the lines to a file that the person chooses; null when cancelled. */
  saveManifestLines: openMethod(
    manifestIdSchema.extend({ kind: z.enum(['csv', 'xlsx']) }),
    z.string().nullable(),
  ),
  /**
   * Sends the whole manifest; `manifest-upload-unknown` while the outcome of an earlier upload is not resolved,
   * `manifest-accepted` when the service accepted one and the person did not confirm to send it `again`.
   * `lockNumber`: the air waybill number as typed, to lock the manifest.
   */
  uploadManifest: guardedMethod(
    ({ lockNumber }) => (lockNumber === undefined ? 'none' : 'lock'),
    manifestIdSchema.extend({ again: z.boolean().optional(), lockNumber: z.string().max(100).optional() }),
    manifestDetailsSchema,
  ),
  /** Resolves the unknown outcome of an upload or a pre-alert by a person's decision. */
  resolveSubmission: guardedMethod(
    'resolve',
    manifestIdSchema.extend({ submissionId: z.uuid(), verdict: z.enum(['accepted', 'refused']) }),
    manifestDetailsSchema,
  ),
  /** The service's unchanged answer to an upload. */
  getUploadAnswer: openMethod(z.strictObject({ uploadId: z.uuid() }), z.string()),
  previewPdf: openMethod(z.strictObject({ bytes: waybillBytes }), pdfPreviewSchema),
  /**
   * Sends a pre-alert; `pre-alert-unknown` or `manifest-upload-unknown` while the outcome of an earlier pre-alert or
   * upload is not resolved, `pre-alert-accepted` when the service accepted one and the person did not confirm to send it `again`.
   */
  sendPreAlert: openMethod(
    manifestIdSchema.extend({
      request: preAlertRequestSchema,
      fileName: z.string().max(500),
      bytes: waybillBytes,
      /** The manifest was uploaded with another program. */
      uploadedElsewhere: z.boolean(),
      again: z.boolean().optional(),
    }),
    manifestDetailsSchema,
  ),
}

/** Events for manifests and pre-alerts. */
export const consignmentEvents = {
  manifestChanged: manifestSummarySchema,
  /** The lines were checked again after a change. */
  manifestLinesChecked: z.object({ manifestId: z.string(), summary: linesSummarySchema }),
  uploadProgressed: uploadProgressSchema,
}
