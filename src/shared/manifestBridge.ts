import { z } from 'zod'
import {
  columnMappingSchema,
  decimalMarkSchema,
  importPreviewSchema,
  issueSchema,
  lineEditSchema,
  linesPageSchema,
  linesSummarySchema,
  manifestDetailsSchema,
  manifestIdSchema,
  manifestSummarySchema,
  maxLinesAtOnce,
  newManifestSchema,
  uploadProgressSchema,
} from './manifest'
import { manifestFields } from './manifestLine'
import { preAlertRequestSchema } from './preAlert'

const bytes = z.instanceof(ArrayBuffer)
const importId = z.strictObject({ importId: z.uuid() })

/** One picture of the first page of a PDF, and how many pages there are. */
export const pdfPreviewSchema = z.object({
  pages: z.int(),
  width: z.int(),
  height: z.int(),
  pixels: bytes,
})

/** Methods of the bridge for manifests and pre-alerts. */
export const manifestMethods = {
  listManifests: { input: z.undefined(), output: z.array(manifestSummarySchema) },
  /** Makes an air waybill's page; the one that is there already when the number is known. */
  createManifest: { input: newManifestSchema, output: manifestDetailsSchema },
  getManifest: { input: manifestIdSchema, output: manifestDetailsSchema },
  /** Removes a manifest that was never uploaded. */
  removeManifest: { input: manifestIdSchema, output: z.undefined() },
  readManifestLines: {
    input: manifestIdSchema.extend({ from: z.int().min(0), count: z.int().min(1).max(maxLinesAtOnce) }),
    output: linesPageSchema,
  },
  editManifestLines: { input: manifestIdSchema.extend({ edit: lineEditSchema }), output: linesSummarySchema },
  undoManifestEdit: { input: manifestIdSchema, output: linesSummarySchema },
  redoManifestEdit: { input: manifestIdSchema, output: linesSummarySchema },
  /** The next cell that holds a text, from a place on, round the end; null when no cell does. */
  findInManifest: {
    input: manifestIdSchema.extend({
      text: z.string().min(1).max(500),
      row: z.int().min(0),
      column: z
        .int()
        .min(-1)
        .max(manifestFields.length - 1),
    }),
    output: z.object({ row: z.int(), column: z.int() }).nullable(),
  },
  /** What the checks found, errors first. */
  listManifestIssues: {
    input: manifestIdSchema.extend({ offset: z.int().min(0), limit: z.int().min(1).max(500) }),
    output: z.array(issueSchema),
  },
  /** Reads a CSV or XLSX file and keeps it until it is taken or dropped. */
  readManifestFile: {
    input: z.strictObject({ fileName: z.string().max(500), bytes }),
    output: importPreviewSchema,
  },
  takeManifestFile: {
    input: manifestIdSchema.extend({
      importId: z.uuid(),
      mapping: columnMappingSchema,
      decimalMark: decimalMarkSchema,
      replace: z.boolean(),
    }),
    output: linesSummarySchema,
  },
  dropManifestFile: { input: importId, output: z.undefined() },
  /** Adds lines for shipments of this station; parcels that are there already are passed over. */
  addShipmentsToManifest: {
    input: manifestIdSchema.extend({
      shipmentIds: z.array(z.uuid()).min(1).max(5000),
      packageId: z.string().trim().max(100),
    }),
    output: z.object({ summary: linesSummarySchema, added: z.int(), passedOver: z.int() }),
  },
  /** Saves the lines as a file of the person's choice; null when they chose none. */
  saveManifestLines: {
    input: manifestIdSchema.extend({ kind: z.enum(['csv', 'xlsx']) }),
    output: z.string().nullable(),
  },
  /**
   * Sends the whole manifest; `manifest-upload-unknown` while the outcome of an earlier upload is not resolved.
   * `lockNumber`: the air waybill number as typed, to lock the manifest.
   */
  uploadManifest: {
    input: manifestIdSchema.extend({ lockNumber: z.string().max(100).optional() }),
    output: manifestDetailsSchema,
  },
  /** A person says what became of an upload or a pre-alert whose outcome is unknown. */
  resolveSubmission: {
    input: manifestIdSchema.extend({ submissionId: z.uuid(), verdict: z.enum(['accepted', 'refused']) }),
    output: manifestDetailsSchema,
  },
  /** What the service answered to an upload, as it came. */
  getUploadAnswer: { input: z.strictObject({ uploadId: z.uuid() }), output: z.string() },
  previewPdf: { input: z.strictObject({ bytes }), output: pdfPreviewSchema },
  /** Sends a pre-alert; `pre-alert-unknown` while the outcome of an earlier one is not resolved. */
  sendPreAlert: {
    input: manifestIdSchema.extend({
      request: preAlertRequestSchema,
      fileName: z.string().max(500),
      bytes,
      /** The manifest was uploaded with another program. */
      uploadedElsewhere: z.boolean(),
    }),
    output: manifestDetailsSchema,
  },
}

/** Events for manifests. */
export const manifestEvents = {
  manifestChanged: manifestSummarySchema,
  /** The lines were checked again after a change. */
  manifestLinesChecked: z.object({ manifestId: z.string(), summary: linesSummarySchema }),
  uploadProgressed: uploadProgressSchema,
}
