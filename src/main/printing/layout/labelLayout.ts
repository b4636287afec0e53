import { type AppError, appError } from '../../../shared/errors'
import type { Area, LabelFinding, PlacementRule, SizeMm, Turn } from '../../../shared/labels'
import {
  type Dpi,
  getPrinterName,
  type PageRange,
  type Printer,
  type PrinterLanguage,
  type SocketPrinter,
  type SystemPrinter,
} from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import type { PrintableLabel } from '../printableLabel'
import {
  liesWithin,
  type Margins,
  type PageSize,
  sameSize,
  sizeInDots,
  sizeInWords,
  turned,
} from './geometry'

/** One label to print: a part of a page, centred on the stock. */
export interface Placement {
  /** From 0. */
  page: number
  /** The part of the page, in millimetres from the top left corner of the page as it is shown. */
  area: Area
  /** The clockwise rotation on the stock, including the printer's. */
  turn: Turn
  /** 1 prints in original size. */
  scale: number
  /** The areas of the page that a person agreed to leave out. */
  leftOut?: readonly Area[]
}

export type StockedPrinter = SocketPrinter | SystemPrinter

/** A label with more pages is printed in parts, each of which is drawn and confirmed separately. */
export const maxPagesOfJob = 20
/** In all pages of a job together: more take too long to draw and to send. */
export const maxDotsOfJob = 200_000_000

interface PlacementInput {
  pages: readonly PageSize[]
  printer: StockedPrinter
  carrierOptionId: number
  rules: readonly PlacementRule[]
  /** The pages to print; all when left out. */
  range?: PageRange | undefined
  /** The resolution of the drawing; the printer's when left out. */
  dotsPerMm?: number
}

/** The input of placements before the pages are known: plain values, which can be sent to the rasterizer's thread. */
type PlacementRequest = Omit<PlacementInput, 'pages' | 'dotsPerMm'>

/**
 * Places every page of a PDF label on the stock. A page that fits is printed 1:1 and centred, unless a placement rule
 * says otherwise; a page that does not fit needs a rule. Nothing is scaled or cut without a rule that a person chose.
 * @returns the placements in the order of the pages; the errors `label-needs-placement`, naming page and stock,
 *   `label-too-long` for more pages or dots than one job may have, and `invalid-input` when the range holds no page
 */
export function planPlacements(input: PlacementInput): Result<Placement[]> {
  const { pages, range } = input
  const { from, to } = range ?? { from: 1, to: pages.length }
  const count = Math.min(to, pages.length) - from + 1
  const maxPages = countPagesOfJob(input)
  if (count > maxPages) return err(tooLong(count, maxPages))
  const placements: Placement[] = []
  for (const [page, size] of pages.entries()) {
    if (!isInRange(page, range)) continue
    const placed = placePage(page, size, input)
    if (placed === undefined) return err(needsPlacement(page, size, input.printer))
    placements.push(...placed)
  }
  return placements.length === 0 ? err(noSuchPages(pages.length)) : ok(placements)
}

/** @param page from 0, while ranges count from 1 */
export function isInRange(page: number, range: PageRange | undefined): boolean {
  return range === undefined || (page + 1 >= range.from && page + 1 <= range.to)
}

/**
 * The maximum of consecutive pages in one job on a printer: 1 to 20, fewer than 20 when the largest page has many dots.
 */
export function countPagesOfJob(input: Omit<PlacementInput, 'range'>): number {
  const { pages, printer } = input
  const dpi = statedDpi(printer)
  const dotsPerMm = input.dotsPerMm ?? (dpi === undefined ? 0 : toDotsPerMm(dpi))
  const dots = pages.map((size, page) => {
    const [placement] = placePage(page, size, input) ?? []
    const { width, height } = sizeInDots(size, dotsPerMm * (placement?.scale ?? 1))
    return width * height
  })
  return Math.max(1, Math.min(maxPagesOfJob, Math.floor(maxDotsOfJob / Math.max(...dots))))
}

function placePage(
  page: number,
  size: PageSize,
  input: Omit<PlacementInput, 'range'>,
): Placement[] | undefined {
  const { printer } = input
  const upright = uprightStock(printer)
  const whole: Placement = { page, area: { xMm: 0, yMm: 0, ...toSize(size) }, turn: printer.rotate, scale: 1 }
  const rule = ruleFor(input.rules, input.carrierOptionId, size, upright)
  if (rule !== undefined) {
    return rule.areas.map((area) => ({
      page,
      area,
      turn: addRotations(rule.turn, printer.rotate),
      scale: rule.scale,
      ...(rule.leftOut !== undefined && { leftOut: rule.leftOut }),
    }))
  }
  return liesWithin(size, upright) || fitsOnContinuousStock(size, printer) ? [whole] : undefined
}

/** The dpi that a printer's settings state; a folder has none. */
export function statedDpi(printer: Printer): Dpi | undefined {
  return printer.driver === 'folder' ? undefined : printer.dpi
}

/** The resolution for printers whose settings state none. */
export const usualDpi = 203

// Most print heads have a whole number of dots per mm and are sold under a rounded dpi.
const dotsPerMm: Record<Dpi, number> = {
  ...{ 152: 6, 203: 8, 300: 300 / 25.4, 305: 12, 406: 16, 600: 600 / 25.4, 609: 24 },
}

export function toDotsPerMm(dpi: Dpi): number {
  return dotsPerMm[dpi]
}

/** Whether a page fits on continuous stock, whose labels are as long as what is printed. */
function fitsOnContinuousStock(page: PageSize, { stock, rotate, stockTracking }: StockedPrinter): boolean {
  if (stockTracking !== 'continuous') return false
  const { widthMm } = turned(page, rotate)
  return liesWithin({ widthMm, heightMm: stock.heightMm }, stock)
}

/** The stock's size in reading orientation, before the printer's rotation. */
export function uprightStock({ stock, rotate }: Pick<StockedPrinter, 'stock' | 'rotate'>): SizeMm {
  return turned(stock, rotate)
}

/** The newest valid rule for a page and a stock; sizes match within 1 mm. */
export function ruleFor(
  rules: readonly PlacementRule[],
  carrierOptionId: number,
  page: PageSize,
  upright: PageSize,
): PlacementRule | undefined {
  return rules.findLast(
    (rule) =>
      rule.carrierOptionId === carrierOptionId &&
      sameSize(rule.page, page) &&
      sameSize(rule.stock, upright) &&
      ruleFits(rule),
  )
}

/** Whether a rule's areas lie on its page and, turned and scaled, on its stock. */
export function ruleFits({ areas, page, stock, turn, scale }: PlacementRule): boolean {
  return areas.every((area) => {
    const printed = turned({ widthMm: area.widthMm * scale, heightMm: area.heightMm * scale }, turn)
    const farCorner = { widthMm: area.xMm + area.widthMm, heightMm: area.yMm + area.heightMm }
    return area.xMm >= -1 && area.yMm >= -1 && liesWithin(farCorner, page) && liesWithin(printed, stock)
  })
}

/** Adds a rule; it replaces an older one for the same carrier option, page and stock. */
export function withRule(rules: readonly PlacementRule[], rule: PlacementRule): PlacementRule[] {
  const others = rules.filter(
    (each) =>
      each.carrierOptionId !== rule.carrierOptionId ||
      !sameSize(each.page, rule.page) ||
      !sameSize(each.stock, rule.stock),
  )
  return [...others, rule]
}

function addRotations(one: Turn, other: Turn): Turn {
  const rotations = [0, 90, 180, 270] as const
  return rotations[((one + other) / 90) % 4] ?? 0
}

function toSize({ widthMm, heightMm }: PageSize): SizeMm {
  return { widthMm, heightMm }
}

function needsPlacement(page: number, size: PageSize, printer: StockedPrinter): AppError {
  const name = getPrinterName(printer)
  const words = { page: sizeInWords(size), stock: sizeInWords(uprightStock(printer)), printer: name }
  return appError('label-needs-placement', { ...words, pageNumber: String(page + 1) })
}

/**
 * The error `label-too-long` for more pages than one job can have.
 * @param maxPages how many it can have, at least 1; rounded down
 */
export function tooLong(pages: number, maxPages: number): AppError {
  const wholePages = Math.max(1, Math.floor(maxPages))
  return appError('label-too-long', { pages: String(pages), maxPages: String(wholePages) })
}

/** The error `invalid-input` for pages that a label does not have. */
export function noSuchPages(pages: number): AppError {
  return appError('invalid-input', { case: 'pages', pages: String(pages) })
}

/** The maximum length of the stocks in a finding. */
const maxWords = 500

/**
 * The finding that a printer's queue or driver does not offer the stock of its settings.
 * @param offered the names of the stocks that it offers
 */
export function toMissingStock(
  { stock, paper }: Pick<SystemPrinter, 'stock' | 'paper'>,
  offered: readonly string[],
): LabelFinding {
  const words = offered.join(', ')
  const text = words.length > maxWords ? `${words.slice(0, maxWords - 1)}…` : words
  return {
    ...{ kind: 'stock-missing', page: 1, name: paper ?? sizeInWords(stock) },
    ...(text !== '' && { text }),
  }
}

/** Converts a missing stock to the error `stock-not-supported`, for labels about which no person is asked. */
export function refuseMissingStock(findings: readonly LabelFinding[], printer: Printer): Result<void> {
  const missing = findings.find(({ kind }) => kind === 'stock-missing')
  if (missing === undefined) return ok(undefined)
  const { name = '', text = '' } = missing
  return err(
    appError('stock-not-supported', { printer: getPrinterName(printer), stock: name, supported: text }),
  )
}

/** A page as 8-bit grey pixels, row by row; 0 is black. */
export interface GreyPage {
  width: number
  height: number
  pixels: Uint8Array<ArrayBuffer>
}

/** One bit for each dot, 1 is black; rows are padded to whole bytes. */
export interface MonoBitmap {
  width: number
  height: number
  rowBytes: number
  bits: Uint8Array<ArrayBuffer>
}

type Greys = 'threshold' | 'dither'

/** A label in dots, and what to draw on it. */
export interface RasterLayout {
  dotsPerMm: number
  widthDots: number
  heightDots: number
  /** The stock is continuous: a label is as long as what is drawn on it. */
  isContinuous?: boolean
  /** Shift to the right and down. */
  offsetDots: { x: number; y: number }
  greys: Greys
  /** The unprintable margins of the stock. */
  marginsMm?: Margins | undefined
  /** One label each, in this order; or the request for them, so that a PDF is opened only once to plan and to draw. */
  placements: readonly Placement[] | PlacementRequest
}

/** The layout of a label for a printer that takes PDF. */
export interface StockLayout {
  stock: SizeMm
  /** The resolution at which the printer draws the PDF, if known. */
  dotsPerMm?: number | undefined
  /** Shift to the right and down. */
  offsetMm?: { x: number; y: number } | undefined
  /** The unprintable margins of the stock. */
  marginsMm?: Margins | undefined
  copies: number
  /** Whether copies of several labels are printed set by set, which is the default. */
  collate?: boolean | undefined
  placements: RasterLayout['placements']
}

/** The printer settings that are sent with each label. A setting that is left out keeps the printer's own value. */
export type LabelProfile = Pick<
  SocketPrinter,
  'stockTracking' | 'printMode' | 'darkness' | 'darknessChange' | 'speed'
>

/** The commands of a label besides its picture. */
export interface LabelSettings extends LabelProfile {
  dotsPerMm: number
  copies: number
  /** Whether copies of several labels are printed set by set, which is the default. */
  collate?: boolean
}

/** The layout of a label for a printer with a language. */
export interface ZplLayout extends RasterLayout, LabelSettings {
  /** ZPL when left out. */
  language?: PrinterLanguage
}

/** The printer settings that a layout in dots needs. */
type ZplSettings = Pick<SocketPrinter, 'stock' | 'offsetMm' | 'copies' | 'dpi'> &
  Partial<Pick<SocketPrinter, 'greys' | 'language' | 'collate'>> &
  LabelProfile

/** The layout of placements on a printer's label, in the printer's dots. */
export function toZplLayout(printer: ZplSettings, placements: RasterLayout['placements']): ZplLayout {
  const { stock, offsetMm, greys = 'threshold', language, copies, collate } = printer
  const { stockTracking, printMode, darkness, darknessChange, speed } = printer
  return {
    ...toRasterLayout({ stock, offsetMm, placements }, toDotsPerMm(printer.dpi)),
    ...{ greys, language, copies, collate, stockTracking, printMode, darkness, darknessChange, speed },
    ...(stockTracking === 'continuous' && { isContinuous: true }),
  }
}

interface LabelToPlace<P extends StockedPrinter> {
  label: Pick<PrintableLabel, 'carrierOptionId'>
  printer: P
  rules: readonly PlacementRule[]
  range?: PageRange
}

/** Converts the layout for a printer that takes PDF to dots, at the resolution at which the printer draws. */
export function toRasterLayout(
  { stock, offsetMm, placements }: Pick<StockLayout, 'stock' | 'offsetMm' | 'placements'>,
  dotsPerMm: number,
): RasterLayout {
  const dots = (millimetres: number) => Math.round(millimetres * dotsPerMm)
  return {
    dotsPerMm,
    widthDots: dots(stock.widthMm),
    heightDots: dots(stock.heightMm),
    offsetDots: { x: dots(offsetMm?.x ?? 0), y: dots(offsetMm?.y ?? 0) },
    greys: 'threshold',
    placements,
  }
}

/** The request for a label's placements on a printer. */
export function toPlacementRequest({
  label,
  printer,
  rules,
  range,
}: LabelToPlace<StockedPrinter>): PlacementRequest {
  const { carrierOptionId } = label
  const own = rules.filter((rule) => rule.carrierOptionId === carrierOptionId)
  return { printer, carrierOptionId, rules: own, range }
}

/** The layout of a label on a printer that takes PDF. */
export function toStockLayout(context: LabelToPlace<SystemPrinter>): StockLayout {
  const { stock, offsetMm, copies, collate } = context.printer
  return { stock, offsetMm, copies, collate, placements: toPlacementRequest(context) }
}

/** Converts dots to a grey page, one pixel each; 0 is black. */
export function toGrey(dots: MonoBitmap): GreyPage {
  const { width, height, rowBytes, bits } = dots
  const pixels = new Uint8Array(width * height).fill(255)
  for (let y = 0; y < height; y += 1) {
    for (let byte = 0; byte < rowBytes; byte += 1) {
      let value = bits[y * rowBytes + byte] ?? 0
      for (let x = byte * 8; value !== 0; x += 1) {
        if ((value & 0x80) !== 0 && x < width) pixels[y * width + x] = 0
        value = (value << 1) & 0xff
      }
    }
  }
  return { width, height, pixels }
}

/** Whether a dot is black; dots outside the label are white. */
export function isDark({ width, height, rowBytes, bits }: MonoBitmap, x: number, y: number): boolean {
  const [column, row] = [Math.floor(x), Math.floor(y)]
  if (column < 0 || row < 0 || column >= width || row >= height) return false
  return ((bits[row * rowBytes + (column >> 3)] ?? 0) & (0x80 >> (column & 7))) !== 0
}
