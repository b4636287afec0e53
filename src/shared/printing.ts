import { z } from 'zod'
import { method, nothing } from './contract'
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
  /** What the screen calls it; the id when left out. */
  name: z.string().trim().min(1).max(80).optional(),
}

/** Print heads by the name they are sold under, in dots per inch: 6, 8, 11.8, 12, 16, 23.6 and 24 dots in a millimetre. */
export const printHeads = [152, 203, 300, 305, 406, 600, 609] as const
const dpiSchema = z.literal(printHeads)
export type Dpi = z.infer<typeof dpiSchema>

const stockedPrinterShape = {
  ...commonPrinterShape,
  stock: stockSchema.default({ widthMm: 100, heightMm: 150 }),
  /** Clockwise turn of the page on the stock. */
  rotate: turnSchema.default(0),
  offsetMm: z.strictObject({ x: z.number().min(-50).max(50), y: z.number().min(-50).max(50) }).optional(),
  copies: z.int().min(1).max(20).default(1),
  /** Copies of several pages come as 1, 2, 1, 2 and not as 1, 1, 2, 2; so they do when left out. */
  collate: z.boolean().optional(),
}

/** Languages that label printers read and the app writes. */
export const printerLanguages = ['zpl', 'epl2', 'tspl'] as const
export type PrinterLanguage = (typeof printerLanguages)[number]

/** The gap between labels, a black mark, or neither: a label is then as long as what is printed. */
export const stockTrackings = ['gap', 'mark', 'continuous'] as const
/** For tearing off by hand, peeled from its liner, or cut off. EPL2 printers take it from their own settings alone. */
export const printModes = ['tear-off', 'peel-off', 'cutter'] as const

/** What a label printer is set to for each label in its language. Its own setting holds of what is left out. */
const labelPrinterShape = {
  /** How the printer finds the end of a label. */
  stockTracking: z.enum(stockTrackings).optional(),
  /** What happens to a label that is out. */
  printMode: z.enum(printModes).optional(),
  /** Steps darker or lighter than the printer is set, ZPL's ^MD; for ZPL printers alone. */
  darknessChange: z.int().min(-30).max(30).optional(),
  /** How greys become black and white: at the middle, or as patterns of dots where there are no edges. */
  greys: z.enum(['threshold', 'dither']).optional(),
}

/** A label printer on a TCP port. */
export const socketPrinterSchema = z.strictObject({
  driver: z.literal('socket'),
  ...stockedPrinterShape,
  /** Name or address; or the device of a USB printer on Linux, such as /dev/usb/lp0, which has no port. */
  host: z.string().trim().min(1).max(255),
  port: z.int().min(1).max(65_535).default(9100),
  dpi: dpiSchema.default(203),
  /** What it reads; ZPL when left out. */
  language: z.enum(printerLanguages).optional(),
  ...labelPrinterShape,
  /** ZPL ~SD value; halved for the other languages, which know 16 steps. */
  darkness: z.int().min(0).max(30).optional(),
  /** ZPL ^PR value: inches in a second. EPL2 has its own steps, 1 to 6. */
  speed: z.int().min(1).max(14).optional(),
})
export type SocketPrinter = z.infer<typeof socketPrinterSchema>

const alongAndDownSchema = z.strictObject({ x: z.number().min(0).max(100), y: z.number().min(0).max(100) })

/** A sheet on which labels of a printer's stock lie in rows; A4 when its size is left out. */
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

/** Cutting of sheets and rounding of sizes stay below this. */
const sheetToleranceMm = 1

/** Whether it is the columns or the rows of a sheet that reach past its edge with labels of a stock; neither when all lie on it. */
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
  /** The queue's own name of the stock, for a queue whose sizes can't be recognised. */
  paper: z
    .string()
    .trim()
    .min(1)
    .max(127)
    .regex(/^[^\p{Cc}]*$/u)
    .optional(),
  /** What the printer behind the queue reads: labels are sent in it as they are, past the queue's driver. */
  language: z.enum(printerLanguages).optional(),
  /** These need a queue that takes its printer's language: what only that can say is refused where a driver draws. */
  ...labelPrinterShape,
  /** For a queue whose labels the app draws itself; 203 when left out. */
  dpi: dpiSchema.optional(),
  /** As ZPL's ~SD; a queue whose driver draws needs an option for it. Its own setting holds, also of speed, when left out. */
  darkness: z.int().min(0).max(30).optional(),
  /** Inches in a second. */
  speed: z.int().min(1).max(14).optional(),
  /** Labels of the stock's size lie on sheets of this kind, as in an office printer. */
  sheet: labelSheetSchema.optional(),
})
export type SystemPrinter = z.infer<typeof systemPrinterSchema>

/** A folder that receives one file per label. A relative path lies in the data folder. */
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

/** What a printer is called: its name, or its id when it has none. */
export function getPrinterName({ name, id }: Pick<Printer, 'name' | 'id'>): string {
  return name ?? id
}

/** Whether a printer's host is the path of a device. */
export function isDevicePath(host: string): boolean {
  return host.startsWith('/')
}

/** A device or a link to one on Linux, as udev names them. */
export const devicePath = /^\/dev\/[\w-][\w.-]*(\/[\w-][\w.-]*)*$/
/** A name or an address, neither of which holds spaces or slashes, as those of a website do. */
const networkName = /^[^\s/]+$/

/**
 * A printer as a person may set it. Settings that are there already may hold others, which are refused when they are
 * printed with, so that a station still starts with them.
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
 * Which printer takes which labels: the first rule that matches wins; no carrierOptionId matches all. With `pages` it
 * takes only those pages of a label.
 */
export const routingRuleSchema = z.strictObject({
  carrierOptionId: z.int().min(0).optional(),
  /**
   * Pages of one size, upright or on their side, within 1 mm; or all that neither fit on the stock of the label's printer
   * nor have a placement for it.
   */
  pages: z.union([z.literal('larger-than-stock'), sizeMmSchema]).optional(),
  printer: printerIdSchema,
  standby: printerIdSchema.optional(),
})
export type RoutingRule = z.infer<typeof routingRuleSchema>

/** From the first page that is printed to the last, counted from 1. */
export const pageRangeSchema = z
  .strictObject({ from: z.int().min(1).max(10_000), to: z.int().min(1).max(10_000) })
  .refine(({ from, to }) => from <= to, { path: ['to'], error: 'range' })
export type PageRange = z.infer<typeof pageRangeSchema>

/**
 * queued -> sending -> handed-over -> done | failed | unconfirmed | waiting | cancelled (docs/decisions/0004-printing.md).
 * Nothing of a queued job was sent; its note, if any, says what its printer waits for.
 * A waiting job needs a person's choice; its error says which.
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

export const printJobSchema = z.object({
  id: z.string(),
  shipmentId: z.string(),
  /** What is printed: a stored label, or the commercial invoice, which is made from the shipment. */
  document: z.enum(['label', 'invoice']),
  /** Null for an invoice. */
  labelId: z.string().nullable(),
  /** Position of the label in its shipment, from 1. */
  labelPosition: z.int().positive(),
  reference: z.string(),
  /** The name of the station that sent the shipment, where it is another one of the fleet. */
  station: z.string().optional(),
  /** Empty for an invoice. */
  barcode: z.string(),
  /** Of an invoice. */
  language: languageSchema.optional(),
  printerId: z.string(),
  printerName: z.string(),
  state: printJobStateSchema,
  /** Why the job exists: the first print of a label, or a later one that a person asked for. */
  kind: z.enum(['first', 'reprint', 'moved']),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  /** When the printer, spooler or folder had taken all bytes. */
  acceptedAt: z.iso.datetime().nullable(),
  /** The file a folder printer wrote. */
  outputPath: z.string().nullable(),
  /** What the job waits for while it is under way, or where it went. */
  note: printNoteSchema.nullable(),
  error: appErrorSchema.nullable(),
  /** The pages that are printed; all when left out. */
  pages: pageRangeSchema.optional(),
  /** How many pages the label has, where they were counted: when it is printed in parts. */
  labelPages: z.int().positive().optional(),
  /** When the printed label was scanned and found to be the right one. */
  scannedAt: z.iso.datetime().optional(),
  /** Why the printed label was not scanned, where it has to be. */
  scanSkipped: z.string().optional(),
  /** Who asked for it, where an operator was signed in. */
  operator: z.string().nullish(),
  /** Who closed it by hand, where an operator was signed in. */
  resolvedBy: z.string().nullish(),
  /** What a person agreed to lose of this one label. */
  agreedLosses: z.array(findingKindSchema).optional(),
  /** What reading the label's barcodes before printing showed; left out where they were not read. */
  barcodes: barcodeProofSchema.optional(),
})
export type PrintJob = z.infer<typeof printJobSchema>

/** A queue that the operating system offers. */
export const systemQueueSchema = z.object({
  queue: z.string(),
  description: z.string(),
  isDefault: z.boolean(),
  /** Media names the queue says it supports; empty when it does not say. */
  media: z.array(z.string()),
})
export type SystemQueue = z.infer<typeof systemQueueSchema>

export const printerStatusSchema = z.object({
  id: z.string(),
  name: z.string(),
  driver: z.enum(['socket', 'system', 'folder']),
  state: z.enum(['ready', 'busy', 'error', 'unknown', 'paused']),
  /** What the job under way waits for. */
  note: printNoteSchema.nullable(),
  /** How the last job went wrong. */
  error: appErrorSchema.nullable(),
  waitingJobs: z.int().nonnegative(),
})
export type PrinterStatus = z.infer<typeof printerStatusSchema>

const jobId = z.strictObject({ jobId: z.uuid() })
const printerId = z.strictObject({ printerId: z.string().min(1).max(64) })

/** A picture of a label or page: 8-bit grey pixels, row by row, 0 is black. */
export const pagePictureSchema = z.object({
  width: z.int().positive(),
  height: z.int().positive(),
  pixels: z.instanceof(ArrayBuffer),
})
export type PagePicture = z.infer<typeof pagePictureSchema>

/** A picture of the first page of a PDF, and how many pages there are. */
export const pdfPreviewSchema = pagePictureSchema.extend({ pages: z.int() })

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
  /** Set where the label is printed in parts, of which the first one is shown. */
  firstPart: z.object({ parts: z.int().min(2), from: z.int(), to: z.int(), labelPages: z.int() }).optional(),
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

/** A stock that a printer's queue or driver offers; its size where that is known. */
export const offeredStockSchema = z.object({ paper: z.string(), size: stockSchema.nullable() })
export type OfferedStock = z.infer<typeof offeredStockSchema>

/** What a person needs to see before they decide about a label that would lose something. */
export const lossQuestionSchema = z.object({
  jobId: z.string(),
  printerName: z.string(),
  findings: z.array(labelFindingSchema),
  /** The pages with findings, as they are shown; none of a ZPL label, nor of a PDF that can't be drawn. */
  pages: z.array(z.object({ page: z.int().positive(), size: sizeMmSchema, picture: pagePictureSchema })),
  /** The page, from 1, whose placement a person can change; null where that does not help. */
  adjustablePage: z.int().positive().nullable(),
  /** What the printer offers where the stock of its settings is missing; empty elsewhere, and where it does not say. */
  stocks: z.array(offeredStockSchema),
})
export type LossQuestion = z.infer<typeof lossQuestionSchema>

/** What a look at a printer showed. */
export const printerCheckSchema = z.object({
  /** What the screen words; `failed` by its error. */
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
  /** Whether it tells its state. */
  answersStatus: z.boolean(),
  /** What is the matter with it; empty when nothing is. */
  remarks: z.array(printerRemarkSchema),
  error: appErrorSchema.optional(),
})
export type PrinterCheck = z.infer<typeof printerCheckSchema>

/** What became of a test label, or of calibrating. */
export const testLabelAnswerSchema = z.object({
  code: z.enum(['written', 'taken', 'calibrating', 'not-calibrated', 'not-in-time']),
  details: z.record(z.string(), z.string()),
})
export type TestLabelAnswer = z.infer<typeof testLabelAnswerSchema>

/** A place on a printer's sheet of labels, from 1, of so many. */
const sheetPlaceSchema = z.object({ place: z.int().positive(), places: z.int().positive() })
export type SheetPlace = z.infer<typeof sheetPlaceSchema>

/** How a person saw a printer's test label. */
export const testVerdicts = ['right', 'wrong-size', 'poor', 'nothing'] as const
const testVerdictSchema = z.enum(testVerdicts)
export type TestVerdict = z.infer<typeof testVerdictSchema>

/** What a person said of a printer's last test label. */
export const printerVerdictSchema = z.object({
  printerId: z.string(),
  verdict: testVerdictSchema,
  notedAt: z.string(),
  /** Null when nobody was signed in. */
  operator: z.string().nullable(),
  /** Whether the printer is still set up as it was then; its name does not count. */
  isCurrent: z.boolean(),
})
export type PrinterVerdict = z.infer<typeof printerVerdictSchema>

/** What a scan of a printed label showed. */
export const scanOutcomeSchema = z.object({
  matches: z.boolean(),
  scanned: z.string(),
  expected: z.array(z.string()),
  /** Jobs of the label that the scan proved. */
  jobs: z.array(printJobSchema),
})
export type ScanOutcome = z.infer<typeof scanOutcomeSchema>

/** Methods of the bridge for printers, the queue and labels on their way. */
export const printingMethods = {
  listSystemQueues: method(nothing, z.array(systemQueueSchema)),
  /** Jobs that are under way or need a person, oldest first. */
  listOpenJobs: method(nothing, z.array(printJobSchema)),
  /** New jobs from stored labels; the service is not called. All labels, or one; the usual printer, or another. */
  reprint: method(
    z.strictObject({
      shipmentId: z.uuid(),
      labelId: z.uuid().optional(),
      printerId: z.string().max(64).optional(),
    }),
    z.array(printJobSchema),
  ),
  /** Sends a failed or unconfirmed job's label again as a new job, to the same printer or another. */
  printJobAgain: method(
    z.strictObject({ jobId: z.uuid(), printerId: z.string().max(64).optional() }),
    printJobSchema,
  ),
  /** Says what became of an unconfirmed or failed job, so that it no longer asks for attention. */
  resolveJob: method(
    jobId.extend({
      verdict: z.enum(['printed', 'not-printed']),
      reason: dismissalReasonSchema.optional(),
    }),
    printJobSchema,
  ),
  cancelJob: method(jobId, printJobSchema),
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
    z.strictObject({ labelId: z.uuid(), pages: pageRangeSchema, printerId: z.string().max(64).optional() }),
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
  /** What was said of the test labels of the station's printers. */
  listTestVerdicts: method(nothing, z.array(printerVerdictSchema)),
  /** Keeps what a person says of a printer's test label, in place of what was said before. */
  noteTestVerdict: method(
    z.strictObject({ printerId: z.string().min(1).max(64), verdict: testVerdictSchema }),
    z.array(printerVerdictSchema),
  ),
  /** Has a printer measure its stock, between its jobs. */
  calibratePrinter: method(printerId, testLabelAnswerSchema),
  previewPrint: method(
    z.strictObject({ labelId: z.uuid(), printerId: z.string().max(64).optional() }),
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
  /**
   * Sets a waiting job's printer to a stock that its queue or driver offers, from now on and for all its labels, and prints
   * what waited for it; `stock-not-supported` for one that is not offered.
   */
  chooseStock: method(jobId.extend({ paper: z.string().min(1).max(127) }), nothing),
  /** Compares a scanned label with what was to be printed. */
  confirmScan: method(
    z.strictObject({ shipmentId: z.uuid(), code: z.string().trim().min(1).max(500) }),
    scanOutcomeSchema,
  ),
  /** Notes why the label of a shipment is not scanned. */
  skipScan: method(
    z.strictObject({ shipmentId: z.uuid(), reason: z.string().trim().min(1).max(200) }),
    z.array(printJobSchema),
  ),
  /** Prints the command barcodes; says what became of them. */
  printCommandSheet: method(printerId, testLabelAnswerSchema),
  /** Saves the command barcodes as a PDF; null when no place was chosen. */
  saveCommandSheet: method(nothing, z.string().nullable()),
}

/** Events for printing. */
export const printingEvents = {
  printJobChanged: printJobSchema,
  /** A notification of a printer that needs someone was clicked. */
  queueAskedFor: z.object({}),
}
