import { z } from 'zod'
import { guardedMethod, nothing, openMethod } from './contract'
import { appErrorSchema } from './errors'
import { languageSchema } from './fields'
import {
  areaSchema,
  barcodeProofSchema,
  findingKindSchema,
  labelFindingSchema,
  placementRuleSchema,
  sizeMmSchema,
  turnSchema,
} from './labels'
import { dismissalReasonSchema, printerRemarkSchema, printNoteSchema } from './printerRemarks'

/** The label material in a printer, in millimetres. */
export const stockSchema = z.strictObject({
  widthMm: z.number().min(10).max(1000),
  heightMm: z.number().min(10).max(3000),
})
export type Stock = z.infer<typeof stockSchema>

const printerIdSchema = z.string().regex(/^[\w.-]{1,64}$/, {
  error: 'use 1 to 64 letters, digits, dots, dashes or underscores',
})

const commonPrinterShape = {
  id: printerIdSchema,
  /** Display name; default: the id. */
  name: z.string().trim().min(1).max(80).optional(),
}

/** Nominal resolutions of print heads in dots per inch: 6, 8, 11.8, 12, 16, 23.6 and 24 dots per millimetre. */
export const printHeads = [152, 203, 300, 305, 406, 600, 609] as const
const dpiSchema = z.literal(printHeads)
export type Dpi = z.infer<typeof dpiSchema>

const stockedPrinterShape = {
  ...commonPrinterShape,
  stock: stockSchema.default({ widthMm: 100, heightMm: 150 }),
  /** Clockwise rotation of the page on the stock. */
  rotate: turnSchema.default(0),
  offsetMm: z.strictObject({ x: z.number().min(-50).max(50), y: z.number().min(-50).max(50) }).optional(),
  copies: z.int().min(1).max(20).default(1),
  /** Whether copies of several pages are printed as 1, 2, 1, 2 (default) or as 1, 1, 2, 2. */
  collate: z.boolean().optional(),
}

/** Printer languages that the app generates. */
export const printerLanguages = ['zpl', 'epl2', 'tspl'] as const
export type PrinterLanguage = (typeof printerLanguages)[number]

/** A gap between labels, a black mark, or continuous stock, on which a label is as long as its content. */
export const stockTrackings = ['gap', 'mark', 'continuous'] as const
/** Tear off by hand, peel from the liner, or cut. EPL2 printers use only their own setting. */
export const printModes = ['tear-off', 'peel-off', 'cutter'] as const

/** Settings sent to a label printer with each label. For missing ones the printer's own setting applies. */
const labelPrinterShape = {
  /** How the printer detects the end of a label. */
  stockTracking: z.enum(stockTrackings).optional(),
  /** What happens to a printed label. */
  printMode: z.enum(printModes).optional(),
  /** Darkness relative to the printer's setting, ZPL ^MD; only for ZPL printers. */
  darknessChange: z.int().min(-30).max(30).optional(),
  /** How grey is converted to black and white: by threshold, or dithered except at edges. */
  greys: z.enum(['threshold', 'dither']).optional(),
}

/** A label printer on a TCP port. */
export const socketPrinterSchema = z.strictObject({
  driver: z.literal('socket'),
  ...stockedPrinterShape,
  /** Host name or address; or the device of a USB printer on Linux, such as /dev/usb/lp0, for which `port` is ignored. */
  host: z.string().trim().min(1).max(255),
  port: z.int().min(1).max(65_535).default(9100),
  dpi: dpiSchema.default(203),
  /** Default: ZPL. */
  language: z.enum(printerLanguages).optional(),
  ...labelPrinterShape,
  /** ZPL ~SD value; halved for the other languages, which have 16 steps. */
  darkness: z.int().min(0).max(30).optional(),
  /** ZPL ^PR value in inches per second. EPL2 has its own steps 1 to 6. */
  speed: z.int().min(1).max(14).optional(),
})
export type SocketPrinter = z.infer<typeof socketPrinterSchema>

const alongAndDownSchema = z.strictObject({ x: z.number().min(0).max(100), y: z.number().min(0).max(100) })

/** A sheet with rows of labels of the printer's stock; default size A4. */
const labelSheetSchema = z.strictObject({
  widthMm: z.number().min(50).max(1000).default(210),
  heightMm: z.number().min(50).max(1000).default(297),
  columns: z.int().min(1).max(20),
  rows: z.int().min(1).max(50),
  /** From the sheet's top left corner to the first label. */
  marginMm: alongAndDownSchema.optional(),
  /** Between two labels. */
  gapMm: alongAndDownSchema.optional(),
})
export type LabelSheet = z.infer<typeof labelSheetSchema>

/** Tolerance for cutting and rounding of sizes. */
const sheetToleranceMm = 1

/** Whether columns or rows of a sheet extend past its edge with labels of this stock; empty when all fit. */
export function pastSheetEdge(sheet: LabelSheet, stock: Stock): ('columns' | 'rows')[] {
  const { columns, rows, marginMm = { x: 0, y: 0 }, gapMm = { x: 0, y: 0 } } = sheet
  const width = marginMm.x + columns * (stock.widthMm + gapMm.x) - gapMm.x
  const height = marginMm.y + rows * (stock.heightMm + gapMm.y) - gapMm.y
  return [
    ...(width > sheet.widthMm + sheetToleranceMm ? (['columns'] as const) : []),
    ...(height > sheet.heightMm + sheetToleranceMm ? (['rows'] as const) : []),
  ]
}

/** A queue of the operating system: CUPS, or a Windows printer. */
export const systemPrinterSchema = z.strictObject({
  driver: z.literal('system'),
  ...stockedPrinterShape,
  queue: z.string().min(1).max(255),
  /** The queue's name of the stock, for queues whose sizes can't be recognised. */
  paper: z
    .string()
    .trim()
    .min(1)
    .max(127)
    .regex(/^[^\p{Cc}]*$/u)
    .optional(),
  /** Language of the printer behind the queue: labels are sent raw in this language, bypassing the queue's driver. */
  language: z.enum(printerLanguages).optional(),
  /** Only for queues with `language`: refused for a queue whose driver renders. */
  ...labelPrinterShape,
  /** For a queue whose labels the app renders; default 203. */
  dpi: dpiSchema.optional(),
  /** As ZPL ~SD; a queue whose driver renders needs an option for it. Default, as for `speed`: the printer's own setting. */
  darkness: z.int().min(0).max(30).optional(),
  /** Inches per second. */
  speed: z.int().min(1).max(14).optional(),
  /** For sheets of labels in an office printer. */
  sheet: labelSheetSchema.optional(),
})
export type SystemPrinter = z.infer<typeof systemPrinterSchema>

/** A folder that receives one file per label. Relative paths start at the data folder. */
export const folderPrinterSchema = z.strictObject({
  driver: z.literal('folder'),
  ...commonPrinterShape,
  path: z.string().trim().min(1).max(1000),
})
export type FolderPrinter = z.infer<typeof folderPrinterSchema>

export const printerSchema = z.discriminatedUnion('driver', [
  socketPrinterSchema,
  systemPrinterSchema,
  folderPrinterSchema,
])
export type Printer = z.infer<typeof printerSchema>

export function getPrinterName({ name, id }: Pick<Printer, 'name' | 'id'>): string {
  return name ?? id
}

/** Whether a printer's host is the path of a device. */
export function isDevicePath(host: string): boolean {
  return host.startsWith('/')
}

/** A device or a link to one on Linux, as udev names them. */
export const devicePath = /^\/dev\/[\w-][\w.-]*(\/[\w-][\w.-]*)*$/
/** A host name or address, which contains no spaces and slashes, unlike a URL. */
const networkName = /^[^\s/]+$/

/**
 * A printer as a person may set it up. Stored settings are not checked against this, so that a station still starts with an
 * older printer; its jobs are refused instead.
 */
export const settablePrinterSchema = printerSchema.superRefine((printer, { addIssue }) => {
  if (
    printer.driver === 'socket' &&
    !(isDevicePath(printer.host) ? devicePath : networkName).test(printer.host)
  ) {
    addIssue({ code: 'custom', path: ['host'], message: 'printer-address' })
  }
  if (printer.driver !== 'system' || printer.sheet === undefined) return
  for (const side of pastSheetEdge(printer.sheet, printer.stock)) {
    addIssue({ code: 'custom', path: ['sheet', side], message: 'past-sheet-edge' })
  }
})

/**
 * Chooses the printer of labels: the first matching rule wins; without carrierOptionId it matches all. With `pages` it applies
 * only to those pages of a label.
 */
export const routingRuleSchema = z.strictObject({
  carrierOptionId: z.int().min(0).optional(),
  /**
   * Pages of one size in either orientation, within 1 mm; or all pages that neither fit on the stock of the label's printer nor
   * have a placement for it.
   */
  pages: z.union([z.literal('larger-than-stock'), sizeMmSchema]).optional(),
  printer: printerIdSchema,
  standby: printerIdSchema.optional(),
})
export type RoutingRule = z.infer<typeof routingRuleSchema>

/** First and last page to print, from 1. */
export const pageRangeSchema = z
  .strictObject({ from: z.int().min(1).max(10_000), to: z.int().min(1).max(10_000) })
  .refine(({ from, to }) => from <= to, { path: ['to'], error: 'range' })
export type PageRange = z.infer<typeof pageRangeSchema>

/**
 * queued -> sending -> handed-over -> done | failed | unconfirmed | waiting | cancelled (docs/decisions/0004-printing.md).
 * Nothing of a queued job was sent; its note, if any, tells what its printer waits for.
 * A waiting job needs a person's choice; its error tells which.
 */
export const printJobStateSchema = z.enum([
  'queued',
  'sending',
  'waiting',
  'handed-over',
  'done',
  'failed',
  'unconfirmed',
  'cancelled',
])
export type PrintJobState = z.infer<typeof printJobStateSchema>

const underWay: readonly PrintJobState[] = ['queued', 'sending']
const pending: readonly PrintJobState[] = [...underWay, 'waiting']
const forPerson: readonly PrintJobState[] = ['waiting', 'failed', 'unconfirmed']
const printed: readonly PrintJobState[] = ['handed-over', 'done']
const unsent: readonly PrintJobState[] = ['queued', 'waiting']
const open: readonly PrintJobState[] = [...underWay, ...forPerson]
const printedOrUnconfirmed: readonly PrintJobState[] = [...printed, 'unconfirmed']
const ended: readonly PrintJobState[] = [...printed, 'cancelled']

/** The sets of states that queries and decisions use. */
export const printJobStates = {
  /** Nothing was sent, and the job can still print its label. */
  unsent,
  /** In the queue of its printer, or being sent: it goes on without a person. */
  underWay,
  /** Will print its label without a new job, perhaps after a choice about it. */
  pending,
  /** Needs a person: a choice, a new job, or to be closed. */
  forPerson,
  /** Has not ended, or needs a person. */
  open,
  /** Its label came out, as far as the printer can know. */
  printed,
  /** Its label came out, or may have. */
  printedOrUnconfirmed,
  /** Has ended and needs nobody. */
  ended,
}

export const printJobSchema = z.object({
  id: z.string(),
  shipmentId: z.string(),
  /** A stored label, or the commercial invoice, which is generated from the shipment. */
  document: z.enum(['label', 'invoice']),
  /** Null for an invoice. */
  labelId: z.string().nullable(),
  /** Position of the label in its shipment, from 1. */
  labelPosition: z.int().positive(),
  reference: z.string(),
  /** Name of the station that sent the shipment, if it is another one of the fleet. */
  station: z.string().optional(),
  /** When the shipment was noted as cancelled at the carrier, if this station sent it. */
  cancelledAt: z.iso.datetime().optional(),
  /** Empty for an invoice. */
  barcode: z.string(),
  /** For an invoice. */
  language: languageSchema.optional(),
  printerId: z.string(),
  printerName: z.string(),
  state: printJobStateSchema,
  /** The first print of a label, or a later one that a person requested. */
  kind: z.enum(['first', 'reprint', 'moved']),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  /** When the printer, spooler or folder had taken all bytes. */
  acceptedAt: z.iso.datetime().nullable(),
  /** The file that a folder printer wrote. */
  outputPath: z.string().nullable(),
  /** What the job waits for, or where it was moved. */
  note: printNoteSchema.nullable(),
  error: appErrorSchema.nullable(),
  /** The pages to print; default: all. */
  pages: pageRangeSchema.optional(),
  /** Number of pages of the label; known only when it is printed in parts. */
  labelPages: z.int().positive().optional(),
  /** When the printed label was scanned and matched. */
  scannedAt: z.iso.datetime().optional(),
  /** Why a required scan of the printed label was skipped. */
  scanSkipped: z.string().optional(),
  /** When it was removed from its spooler, because whether it was printed is unknown. */
  leftSpoolerAt: z.iso.datetime().optional(),
  /** Who requested it, if an operator was signed in. */
  operator: z.string().nullish(),
  /** Who resolved it, if an operator was signed in. */
  resolvedBy: z.string().nullish(),
  /** Losses that a person accepted for this label. */
  agreedLosses: z.array(findingKindSchema).optional(),
  /** Result of verifying the label's barcodes before printing; missing when they were not verified. */
  barcodes: barcodeProofSchema.optional(),
})
export type PrintJob = z.infer<typeof printJobSchema>

/** A print queue of the operating system. */
export const systemQueueSchema = z.object({
  queue: z.string(),
  description: z.string(),
  isDefault: z.boolean(),
  /** Media names that the queue reports; empty when it reports none. */
  media: z.array(z.string()),
})
export type SystemQueue = z.infer<typeof systemQueueSchema>

export const printerStatusSchema = z.object({
  id: z.string(),
  name: z.string(),
  driver: z.enum(['socket', 'system', 'folder']),
  state: z.enum(['ready', 'busy', 'error', 'unknown', 'paused']),
  /** What the current job waits for. */
  note: printNoteSchema.nullable(),
  /** Error of the last job. */
  error: appErrorSchema.nullable(),
  waitingJobs: z.int().nonnegative(),
})
export type PrinterStatus = z.infer<typeof printerStatusSchema>

const jobId = z.strictObject({ jobId: z.uuid() })
const printerId = z.strictObject({ printerId: z.string().min(1).max(64) })

/** An image of a label or page: 8-bit grey pixels, row by row, 0 is black. */
export const pagePictureSchema = z.object({
  width: z.int().positive(),
  height: z.int().positive(),
  pixels: z.instanceof(ArrayBuffer),
})
export type PagePicture = z.infer<typeof pagePictureSchema>

/** An image of the first page of a PDF, and the number of pages. */
export const pdfPreviewSchema = pagePictureSchema.extend({ pages: z.int() })

/** Preview of a label as printed, one picture per printed label; its pages when the printer is unknown. */
export const printPreviewSchema = z.object({
  labelId: z.string(),
  /** Empty when the preview is not for a printer. */
  printerName: z.string(),
  dpi: z.int().positive(),
  pictures: z.array(pagePictureSchema),
  /** The pages of its PDF, of which one may be several printed labels; 0 for other labels and unreadable ones. */
  pages: z.int().nonnegative(),
  /** The text of a ZPL label, which the printer renders itself. */
  text: z.string().nullable(),
  /** Why it can't be printed. */
  problem: appErrorSchema.nullable(),
  /** Set when the label is printed in parts; the preview shows the first one. */
  firstPart: z.object({ parts: z.int().min(2), from: z.int(), to: z.int() }).optional(),
  /** Result of verifying the barcodes in these dots; missing when they were not verified. */
  barcodes: barcodeProofSchema.optional(),
})
export type PrintPreview = z.infer<typeof printPreviewSchema>

/** Data for choosing a placement of a page on the stock. */
export const placementQuestionSchema = z.object({
  jobId: z.string(),
  printerId: z.string(),
  printerName: z.string(),
  carrierOptionId: z.int(),
  /** The page without a placement rule: its number from 1, and its size as displayed. */
  pageNumber: z.int().positive(),
  page: sizeMmSchema,
  /** The stock in reading orientation. */
  stock: sizeMmSchema,
  picture: pagePictureSchema,
  /** Detected label areas; the best guess first. */
  suggestions: z.array(
    z.object({
      areas: z.array(areaSchema).min(1),
      turn: turnSchema,
      scale: z.number().positive(),
      /** Where it cuts through content of the page. */
      cut: z.array(areaSchema),
      /** Content of the page outside the areas. */
      leftOut: z.array(areaSchema),
    }),
  ),
})
export type PlacementQuestion = z.infer<typeof placementQuestionSchema>

/** A stock that a printer's queue or driver offers; `size` is null when unknown. */
export const offeredStockSchema = z.object({ paper: z.string(), size: stockSchema.nullable() })
export type OfferedStock = z.infer<typeof offeredStockSchema>

/** Data for deciding about a label that would lose content. */
export const lossQuestionSchema = z.object({
  jobId: z.string(),
  printerName: z.string(),
  findings: z.array(labelFindingSchema),
  /** The pages with findings, as displayed; empty for ZPL, and for a PDF that can't be rendered. */
  pages: z.array(z.object({ page: z.int().positive(), size: sizeMmSchema, picture: pagePictureSchema })),
  /** The page, from 1, for which another placement can help; null for none. */
  adjustablePage: z.int().positive().nullable(),
  /** Stocks that the printer offers when the configured one is missing; else, or when unknown, empty. */
  stocks: z.array(offeredStockSchema),
})
export type LossQuestion = z.infer<typeof lossQuestionSchema>

/** The result of checking a printer. */
export const printerCheckSchema = z.object({
  /** Translated by the screen; for `failed`, the error is shown. */
  code: z.enum([
    'ready',
    'no-status',
    'with-remarks',
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
  /** Reported problems; empty for none. */
  remarks: z.array(printerRemarkSchema),
  error: appErrorSchema.optional(),
})
export type PrinterCheck = z.infer<typeof printerCheckSchema>

/** The result of printing a test label or of calibrating. */
export const testLabelAnswerSchema = z.object({
  code: z.enum(['written', 'taken', 'calibrating', 'not-calibrated', 'not-in-time']),
  details: z.record(z.string(), z.string()),
})
export type TestLabelAnswer = z.infer<typeof testLabelAnswerSchema>

/** A place on a printer's sheet of labels, from 1, and the number of places. */
const sheetPlaceSchema = z.object({ place: z.int().positive(), places: z.int().positive() })
export type SheetPlace = z.infer<typeof sheetPlaceSchema>

/** A person's verdict on a printer's test label. */
export const testVerdicts = ['right', 'wrong-size', 'poor', 'nothing'] as const
const testVerdictSchema = z.enum(testVerdicts)
export type TestVerdict = z.infer<typeof testVerdictSchema>

/** The stored verdict on a printer's last test label. */
export const printerVerdictSchema = z.object({
  printerId: z.string(),
  verdict: testVerdictSchema,
  notedAt: z.string(),
  /** Null when nobody was signed in. */
  operator: z.string().nullable(),
  /** Whether the printer's settings, except its name, are unchanged since then. */
  isCurrent: z.boolean(),
})
export type PrinterVerdict = z.infer<typeof printerVerdictSchema>

/**
 * Barcodes of a shipment whose labels are still to be scanned back; none if that was skipped. A label that a person closed as
 * not printed is not, unless it was printed elsewhere. While no label has a print job that counts, all barcodes are.
 * @param scanned barcodes whose scan no job states
 */
export function listUnscanned(
  barcodes: readonly string[],
  jobs: readonly PrintJob[],
  scanned: readonly string[] = [],
): string[] {
  if (jobs.some(({ scanSkipped }) => scanSkipped !== undefined)) return []
  const printed = jobs.filter(({ document, barcode }) => document === 'label' && barcode !== '')
  const stated = printed.flatMap(({ barcode, scannedAt }) => (scannedAt === undefined ? [] : [barcode]))
  const seen = new Set([...scanned, ...stated])
  const existing = printed.filter(
    ({ state, note }) => state !== 'cancelled' || note?.reason === 'printed-elsewhere',
  )
  const expected = existing.length > 0 ? existing.map(({ barcode }) => barcode) : barcodes
  return [...new Set(expected)].filter((barcode) => !seen.has(barcode))
}

/** The result of scanning a printed label. */
export const scanOutcomeSchema = z.object({
  matches: z.boolean(),
  scanned: z.string(),
  expected: z.array(z.string()),
  /**
   * Those of the expected barcodes that the code matches: several if the rule can't tell them apart. The scan stands for one of
   * them, the first that was not scanned; those that no job states as scanned come first.
   */
  matching: z.array(z.string()),
  /** Jobs of the label that the scan confirmed. */
  jobs: z.array(printJobSchema),
})
export type ScanOutcome = z.infer<typeof scanOutcomeSchema>

/** Methods of the bridge for printers, the queue and print jobs. */
export const printingMethods = {
  listSystemQueues: openMethod(nothing, z.array(systemQueueSchema)),
  /** Creates new jobs from stored labels, without calling the service. Default: all labels, on the printer of the routing. */
  reprint: openMethod(
    z.strictObject({
      shipmentId: z.uuid(),
      labelId: z.uuid().optional(),
      printerId: z.string().max(64).optional(),
    }),
    z.array(printJobSchema),
  ),
  /** Prints the label of a failed or unconfirmed job again as a new job, on the same printer or another. */
  printJobAgain: openMethod(
    z.strictObject({ jobId: z.uuid(), printerId: z.string().max(64).optional() }),
    printJobSchema,
  ),
  /** Resolves an unconfirmed or failed job by a person's decision. */
  resolveJob: openMethod(
    jobId.extend({
      verdict: z.enum(['printed', 'not-printed']),
      reason: dismissalReasonSchema.optional(),
    }),
    printJobSchema,
  ),
  cancelJob: openMethod(jobId, printJobSchema),
  /** Open jobs and the latest ended jobs, oldest first. */
  listQueue: openMethod(nothing, z.array(printJobSchema)),
  /** Moves a job that was not sent or not printed to another printer. */
  moveJob: openMethod(jobId.extend({ printerId: z.string().min(1).max(64) }), printJobSchema),
  pausePrinter: openMethod(printerId.extend({ paused: z.boolean() }), nothing),
  /** Reprints the last label that a printer printed. */
  reprintLast: openMethod(printerId, printJobSchema),
  /** Prints the failed labels of a printer again, in order. */
  printAllAgain: openMethod(printerId, z.array(printJobSchema)),
  /** Prints some pages of a label again. */
  reprintPages: openMethod(
    z.strictObject({ labelId: z.uuid(), pages: pageRangeSchema, printerId: z.string().max(64).optional() }),
    printJobSchema,
  ),
  /**
   * Connects to a printer with unsaved settings and checks its status; asks for consent first when the address is new. Prints
   * and creates nothing.
   */
  checkPrinter: openMethod(z.strictObject({ printer: printerSchema }), printerCheckSchema),
  /** The place on a printer's sheet for the next label, from 1. */
  getSheetPlace: openMethod(printerId, sheetPlaceSchema),
  /** Sets the place for the next label, e.g. after inserting a new sheet. */
  setSheetPlace: openMethod(printerId.extend({ place: z.int().min(1).max(1000) }), sheetPlaceSchema),
  /** Prints a label with border, ruler, cross and barcodes. */
  printTestLabel: openMethod(printerId, testLabelAnswerSchema),
  /** The verdicts on the test labels of the station's printers. */
  listTestVerdicts: openMethod(nothing, z.array(printerVerdictSchema)),
  /** Stores a verdict on a printer's test label, replacing the earlier one. */
  noteTestVerdict: openMethod(
    z.strictObject({ printerId: z.string().min(1).max(64), verdict: testVerdictSchema }),
    z.array(printerVerdictSchema),
  ),
  /** Makes a printer measure its stock, between jobs. */
  calibratePrinter: openMethod(printerId, testLabelAnswerSchema),
  previewPrint: openMethod(
    z.strictObject({
      labelId: z.uuid(),
      printerId: z.string().max(64).optional(),
      pages: pageRangeSchema.optional(),
    }),
    printPreviewSchema,
  ),
  /** The placement question of a waiting job whose page size differs from the stock, for a page from 1. */
  askPlacement: openMethod(jobId.extend({ page: z.int().positive().optional() }), placementQuestionSchema),
  /** Previews the label with an unsaved rule. */
  tryPlacement: openMethod(
    jobId.extend({ rule: placementRuleSchema, page: z.int().positive() }),
    printPreviewSchema,
  ),
  /** Prints all pages of this page's size on another printer; with `remember` also for later labels of the carrier option. */
  printPageElsewhere: guardedMethod(
    ({ remember }) => (remember ? 'settings' : 'none'),
    jobId.extend({
      page: z.int().positive(),
      printerId: z.string().min(1).max(64),
      remember: z.boolean(),
    }),
    nothing,
  ),
  /** Saves a rule, with the content that it leaves out of the seen page, and prints the jobs that waited for it. */
  savePlacement: guardedMethod(
    'settings',
    z.strictObject({
      rule: placementRuleSchema,
      seen: jobId.extend({ page: z.int().positive() }).optional(),
    }),
    nothing,
  ),
  /** Saves that ZPL of this carrier option may reconfigure the printer, and prints the jobs that waited for it. */
  allowZplCommands: guardedMethod('settings', jobId, nothing),
  /** The loss question of a waiting job. */
  askLosses: openMethod(jobId, lossQuestionSchema),
  /** Prints a waiting job's label despite its losses; with `remember` also later labels of its carrier option on its printer. */
  printDespiteLosses: guardedMethod(
    ({ remember }) => (remember ? 'settings' : 'none'),
    jobId.extend({ remember: z.boolean() }),
    nothing,
  ),
  /**
   * Sets the stock of a waiting job's printer to one that its queue or driver offers, and prints the jobs that waited for it;
   * `stock-not-supported` for any other stock.
   */
  chooseStock: guardedMethod('settings', jobId.extend({ paper: z.string().min(1).max(127) }), nothing),
  /** Compares a scanned label with the expected barcodes. */
  confirmScan: openMethod(
    z.strictObject({ shipmentId: z.uuid(), code: z.string().trim().min(1).max(500) }),
    scanOutcomeSchema,
  ),
  /** Records why the label of a shipment is not scanned. */
  skipScan: openMethod(
    z.strictObject({ shipmentId: z.uuid(), reason: z.string().trim().min(1).max(200) }),
    z.array(printJobSchema),
  ),
  /** Prints the command barcodes. */
  printCommandSheet: openMethod(printerId, testLabelAnswerSchema),
  /** Saves the command barcodes as a PDF; null when cancelled. */
  saveCommandSheet: openMethod(nothing, z.string().nullable()),
}

/** Events for printing. */
export const printingEvents = {
  printJobChanged: printJobSchema,
  /** A notification about a printer that needs attention was clicked. */
  queueAskedFor: z.object({}),
}
