import { z } from 'zod'
import { barcodeProofSchema } from './barcodes'
import { appErrorSchema } from './errors'
import { labelFindingSchema } from './labelFindings'
import { areaSchema, placementRuleSchema, sizeMmSchema, turnSchema } from './labelRules'
import { printerRemarkSchema } from './printerRemarks'
import { pageRangeSchema, printerSchema, printJobSchema } from './printing'

function method<Input extends z.ZodType, Output extends z.ZodType>(input: Input, output: Output) {
  return { input, output }
}

const jobId = z.strictObject({ jobId: z.uuid() })
const printerId = z.strictObject({ printerId: z.string().min(1).max(64) })
const nothing = z.undefined()

/** A picture of a label or page: 8-bit grey pixels, row by row, 0 is black. */
const pagePictureSchema = z.object({
  width: z.int().positive(),
  height: z.int().positive(),
  pixels: z.instanceof(ArrayBuffer),
})
export type PagePicture = z.infer<typeof pagePictureSchema>

/** What a printer will show of a label, one picture for each printed label; its pages where that is not known. */
export const printPreviewSchema = z.object({
  labelId: z.string(),
  /** Empty when the pictures are not those of a printer. */
  printerName: z.string(),
  dpi: z.int().positive(),
  pictures: z.array(pagePictureSchema),
  /** The text of a ZPL label, which the printer draws itself. */
  text: z.string().nullable(),
  /** Why it can't be printed as it is. */
  problem: appErrorSchema.nullable(),
  /** What reading the barcodes of these dots showed, where they were read. */
  barcodes: barcodeProofSchema.optional(),
})
export type PrintPreview = z.infer<typeof printPreviewSchema>

/** What a person needs to choose how a page goes on a label. */
export const placementQuestionSchema = z.object({
  jobId: z.string(),
  printerId: z.string(),
  printerName: z.string(),
  carrierOptionId: z.int(),
  /** The page that has no rule yet, from 1, and as it is shown. */
  pageNumber: z.int().positive(),
  page: sizeMmSchema,
  /** The label as it is read. */
  stock: sizeMmSchema,
  picture: pagePictureSchema,
  /** Where labels seem to lie on the page; the first is the best guess. */
  suggestions: z.array(
    z.object({
      areas: z.array(areaSchema).min(1),
      turn: turnSchema,
      scale: z.number().positive(),
      /** Where on the page it cuts through something that is drawn. */
      cut: z.array(areaSchema),
      /** Where on the page something is drawn that it leaves out. */
      leftOut: z.array(areaSchema),
    }),
  ),
})
export type PlacementQuestion = z.infer<typeof placementQuestionSchema>

/** What a person needs to see before they decide about a label that would lose something. */
export const lossQuestionSchema = z.object({
  jobId: z.string(),
  printerName: z.string(),
  findings: z.array(labelFindingSchema),
  /** The pages with findings, as they are shown; none of a ZPL label, nor of a PDF that can't be drawn. */
  pages: z.array(z.object({ page: z.int().positive(), size: sizeMmSchema, picture: pagePictureSchema })),
  /** The page, from 1, whose placement a person can change; null where that does not help. */
  adjustablePage: z.int().positive().nullable(),
})
export type LossQuestion = z.infer<typeof lossQuestionSchema>

/** What a look at a printer showed. */
export const printerCheckSchema = z.object({
  /** What the screen words; `failed` by its error. */
  code: z.enum([
    'ready',
    'no-status',
    'troubled',
    'unreachable',
    'queue-ready',
    'folder-ready',
    'folder-not-writable',
    'no-powershell',
    'not-known-to-windows',
    'answer-not-understood',
    'failed',
  ]),
  details: z.record(z.string(), z.string()),
  reachable: z.boolean(),
  /** Whether it tells its state. */
  answersStatus: z.boolean(),
  /** What is the matter with it; empty when nothing is. */
  troubles: z.array(printerRemarkSchema),
  error: appErrorSchema.optional(),
})
export type PrinterCheck = z.infer<typeof printerCheckSchema>

/** What became of a test label, or of calibrating. */
export const testLabelAnswerSchema = z.object({
  code: z.enum(['written', 'taken', 'calibrating', 'not-calibrated', 'not-in-time']),
  details: z.record(z.string(), z.string()),
  /** In English, for the log. */
  message: z.string(),
})
export type TestLabelAnswer = z.infer<typeof testLabelAnswerSchema>

/** A place on a printer's sheet of labels, from 1, of so many. */
const sheetPlaceSchema = z.object({ place: z.int().positive(), places: z.int().positive() })
export type SheetPlace = z.infer<typeof sheetPlaceSchema>

/** What a scan of a printed label showed. */
export const scanOutcomeSchema = z.object({
  matches: z.boolean(),
  scanned: z.string(),
  expected: z.array(z.string()),
  /** Jobs of the label that the scan proved. */
  jobs: z.array(printJobSchema),
})
export type ScanOutcome = z.infer<typeof scanOutcomeSchema>

/** The part of the bridge that is about printers, the queue and labels on their way. */
export const printingMethods = {
  /** Jobs that are not through, and the newest of those that are, oldest first. */
  listQueue: method(nothing, z.array(printJobSchema)),
  /** Puts a job that has not been sent, or did not come out, on another printer. */
  moveJob: method(jobId.extend({ printerId: z.string().min(1).max(64) }), printJobSchema),
  pausePrinter: method(printerId.extend({ paused: z.boolean() }), nothing),
  /** Prints the label that last came out of a printer once more. */
  reprintLast: method(printerId, printJobSchema),
  /** Prints the failed labels of a printer again, in order. */
  printAllAgain: method(printerId, z.array(printJobSchema)),
  /** Prints some pages of a label again. */
  reprintPages: method(
    z.strictObject({ labelId: z.uuid(), pages: pageRangeSchema, printerId: z.string().optional() }),
    printJobSchema,
  ),
  /**
   * Connects to a printer as its settings are typed, and looks at its state; asks a person first when the place is new.
   * Prints and creates nothing.
   */
  checkPrinter: method(z.strictObject({ printer: printerSchema }), printerCheckSchema),
  /** The place of a printer's sheet on which the next label goes, from 1. */
  getSheetPlace: method(printerId, sheetPlaceSchema),
  /** Says where the next label goes, e.g. on a new sheet. */
  setSheetPlace: method(printerId.extend({ place: z.int().min(1).max(1000) }), sheetPlaceSchema),
  /** Prints a label with border, ruler, cross and barcodes; says what became of it. */
  printTestLabel: method(printerId, testLabelAnswerSchema),
  /** Has a printer measure its stock, between its jobs. */
  calibratePrinter: method(printerId, testLabelAnswerSchema),
  previewPrint: method(
    z.strictObject({ labelId: z.uuid(), printerId: z.string().optional() }),
    printPreviewSchema,
  ),
  /** What is asked about a waiting job whose page is not of the label's size; about a page, from 1, that is named. */
  askPlacement: method(jobId.extend({ page: z.int().positive().optional() }), placementQuestionSchema),
  /** The label as the printer will show it under a rule that is not saved. */
  tryPlacement: method(
    jobId.extend({ rule: placementRuleSchema, page: z.int().positive() }),
    printPreviewSchema,
  ),
  /** Prints the pages of a page's size on another printer; `remember` holds for later labels of the carrier option. */
  printPageElsewhere: method(
    jobId.extend({
      page: z.int().positive(),
      printerId: z.string().min(1).max(64),
      remember: z.boolean(),
    }),
    nothing,
  ),
  /** Remembers a rule, with what it leaves out of the page that was seen, and prints what waited for it. */
  savePlacement: method(
    z.strictObject({
      rule: placementRuleSchema,
      seen: jobId.extend({ page: z.int().positive() }).optional(),
    }),
    nothing,
  ),
  /** Remembers that a carrier option's ZPL may reconfigure the printer, and prints what waited for it. */
  allowZplCommands: method(jobId, nothing),
  /** What a waiting job's label would lose. */
  askLosses: method(jobId, lossQuestionSchema),
  /** Prints a waiting job's label all the same; `remember` holds for later labels of its carrier option on its printer. */
  printDespiteLosses: method(jobId.extend({ remember: z.boolean() }), nothing),
  /** Compares a scanned label with what was to be printed. */
  confirmScan: method(
    z.strictObject({ shipmentId: z.uuid(), code: z.string().trim().min(1).max(500) }),
    scanOutcomeSchema,
  ),
}
