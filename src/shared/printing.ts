import { z } from 'zod'
import { barcodeProofSchema } from './barcodes'
import { appErrorSchema } from './errors'
import { findingKindSchema } from './labelFindings'
import { sizeMmSchema, turnSchema } from './labelRules'
import { printNoteSchema } from './printerRemarks'

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
  /** How the printer finds the end of a label. Its own setting holds, as with the next four, when left out. */
  stockTracking: z.enum(stockTrackings).optional(),
  /** What happens to a label that is out. */
  printMode: z.enum(printModes).optional(),
  /** ZPL ~SD value; halved for the other languages, which know 16 steps. */
  darkness: z.int().min(0).max(30).optional(),
  /** Steps darker or lighter than the printer is set, ZPL's ^MD; for ZPL printers alone. */
  darknessChange: z.int().min(-30).max(30).optional(),
  /** ZPL ^PR value: inches in a second. EPL2 has its own steps, 1 to 6. */
  speed: z.int().min(1).max(14).optional(),
  /** How greys become black and white: at the middle, or as patterns of dots where there are no edges. */
  greys: z.enum(['threshold', 'dither']).optional(),
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
  labelId: z.string(),
  /** Position of the label in its shipment, from 1. */
  labelPosition: z.int().positive(),
  reference: z.string(),
  barcode: z.string(),
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
  /** When the printed label was scanned and found to be the right one. */
  scannedAt: z.iso.datetime().optional(),
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
  state: z.enum(['ready', 'busy', 'trouble', 'unknown', 'paused']),
  /** What the job under way waits for. */
  note: printNoteSchema.nullable(),
  /** How the last job went wrong. */
  error: appErrorSchema.nullable(),
  waitingJobs: z.int().nonnegative(),
})
export type PrinterStatus = z.infer<typeof printerStatusSchema>
