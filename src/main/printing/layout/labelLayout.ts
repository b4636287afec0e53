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
  toDotsPerMm,
  turned,
} from './geometry'

/** One label to be printed: which part of which page, and how it lies in the middle of the stock. */
export interface Placement {
  /** From 0. */
  page: number
  /** The part of the page as it is shown, in millimetres from its top left corner. */
  area: Area
  /** Clockwise turn on the stock, the printer's own turn included. */
  turn: Turn
  /** 1 prints in size. */
  scale: number
  /** The places of the page that a person left out; none when left out. */
  leftOut?: readonly Area[]
}

/** A printer with stock, as far as placing a page needs it. */
export type StockedPrinter = SocketPrinter | SystemPrinter

/** A label of more pages is printed in parts, so that each of them is drawn and confirmed on its own. */
export const maxPagesOfJob = 20
/** Of all pages of a job: more take too long to draw and to send. */
export const maxDotsOfJob = 200_000_000

/** What placements are decided by. */
interface PlacementInput {
  pages: readonly PageSize[]
  printer: StockedPrinter
  carrierOptionId: number
  rules: readonly PlacementRule[]
  /** The pages that are wanted; all when left out. */
  range?: PageRange | undefined
  /** What the pages are drawn at; the printer's own dots when left out. */
  dotsPerMm?: number
}

/** What is asked about placements before the pages are known: plain values, so that the rasteriser's thread can decide. */
type LabelQuestion = Omit<PlacementInput, 'pages' | 'dotsPerMm'>

/**
 * Where every page of a PDF label goes on the stock. A page of the stock's size, or a smaller one, is
 * printed 1:1 in the middle of the stock, unless a person chose otherwise; for others there must be a rule that a person
 * chose. Nothing is scaled or cut without one.
 * @returns the labels in the order of the pages; the errors `label-needs-placement`, naming page and stock,
 * `label-too-long` for more pages or dots than one job may have, and `invalid-input` when the range holds no page
 */
export function planPlacements(question: PlacementInput): Result<Placement[]> {
  const { pages, range } = question
  const { from, to } = range ?? { from: 1, to: pages.length }
  const count = Math.min(to, pages.length) - from + 1
  const maxPages = countPagesOfJob(question)
  if (count > maxPages) return err(tooLong(count, maxPages))
  const placements: Placement[] = []
  for (const [page, size] of pages.entries()) {
    if (!isInRange(page, range)) continue
    const placed = placePage(page, size, question)
    if (placed === undefined) return err(needsPlacement(page, size, question.printer))
    placements.push(...placed)
  }
  return placements.length === 0 ? err(noSuchPages(pages.length)) : ok(placements)
}

/** Whether a page, from 0, is in a range of pages, from 1; without a range all are. */
export function isInRange(page: number, range: PageRange | undefined): boolean {
  return range === undefined || (page + 1 >= range.from && page + 1 <= range.to)
}

/**
 * How many pages of a label one job may have on a printer: fewer than 20 where the largest of them has many dots, so that
 * any pages that follow one another can be drawn together. At least 1.
 */
export function countPagesOfJob(question: Omit<PlacementInput, 'range'>): number {
  const { pages, printer } = question
  const dpi = statedDpi(printer)
  const dotsPerMm = question.dotsPerMm ?? (dpi === undefined ? 0 : toDotsPerMm(dpi))
  const dots = pages.map((size, page) => {
    const [placement] = placePage(page, size, question) ?? []
    const { width, height } = sizeInDots(size, dotsPerMm * (placement?.scale ?? 1))
    return width * height
  })
  return Math.max(1, Math.min(maxPagesOfJob, Math.floor(maxDotsOfJob / Math.max(...dots))))
}

function placePage(
  page: number,
  size: PageSize,
  question: Omit<PlacementInput, 'range'>,
): Placement[] | undefined {
  const { printer } = question
  const upright = uprightStock(printer)
  const whole: Placement = { page, area: { xMm: 0, yMm: 0, ...toSize(size) }, turn: printer.rotate, scale: 1 }
  const rule = ruleFor(question.rules, question.carrierOptionId, size, upright)
  if (rule !== undefined) {
    return rule.areas.map((area) => ({
      page,
      area,
      turn: addRotations(rule.turn, printer.rotate),
      scale: rule.scale,
      ...(rule.leftOut !== undefined && { leftOut: rule.leftOut }),
    }))
  }
  return liesWithin(size, upright) || runsOn(size, printer) ? [whole] : undefined
}

/** A printer's dots per inch where its settings state them; a folder has none. */
export function statedDpi(printer: Printer): Dpi | undefined {
  return printer.driver === 'folder' ? undefined : printer.dpi
}

/** What is drawn for printers whose settings state no dots. */
export const usualDpi = 203

/** Whether a page goes on continuous stock, which is as long as what is printed. */
function runsOn(page: PageSize, { stock, rotate, stockTracking }: StockedPrinter): boolean {
  if (stockTracking !== 'continuous') return false
  const { widthMm } = turned(page, rotate)
  return liesWithin({ widthMm, heightMm: stock.heightMm }, stock)
}

/** The stock as a label on it is read: turned back by the printer's own turn. */
export function uprightStock({ stock, rotate }: Pick<StockedPrinter, 'stock' | 'rotate'>): SizeMm {
  return turned(stock, rotate)
}

/** The newest rule for a page and a stock that still makes sense; sizes are the same within 1 mm. */
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

/** Whether a rule's labels lie on its page, and on its stock when they are turned and scaled. */
export function ruleFits({ areas, page, stock, turn, scale }: PlacementRule): boolean {
  return areas.every((area) => {
    const printed = turned({ widthMm: area.widthMm * scale, heightMm: area.heightMm * scale }, turn)
    const farCorner = { widthMm: area.xMm + area.widthMm, heightMm: area.yMm + area.heightMm }
    return area.xMm >= -1 && area.yMm >= -1 && liesWithin(farCorner, page) && liesWithin(printed, stock)
  })
}

/** The rules with one more, which takes the place of an older one for the same carrier option, page and stock. */
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
  const most = Math.max(1, Math.floor(maxPages))
  return appError('label-too-long', { pages: String(pages), maxPages: String(most) })
}

/** The error `invalid-input` for pages that a label does not have. */
export function noSuchPages(pages: number): AppError {
  return appError('invalid-input', { case: 'pages', pages: String(pages) })
}

/** As much of what a printer offers as a finding can say. */
const maxWords = 500

/**
 * The finding that a printer's queue or driver does not offer the stock of its settings.
 * @param offered its stocks in words
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

/** The error `stock-not-supported` where such a finding is not for a person to decide. */
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

/** One bit per dot, 1 is black, each row padded to whole bytes. */
export interface MonoBitmap {
  width: number
  height: number
  rowBytes: number
  bits: Uint8Array<ArrayBuffer>
}

/** How greys become black and white. */
type Greys = 'threshold' | 'dither'

/** A label of dots, and what is to be drawn on it. */
export interface RasterLayout {
  dotsPerMm: number
  widthDots: number
  heightDots: number
  /** Labels are as long as what is drawn on them. */
  isContinuous?: boolean
  /** Shift to the right and down. */
  offsetDots: { x: number; y: number }
  greys: Greys
  /** The edges of the stock that the printer can't print on. */
  marginsMm?: Margins | undefined
  /** One label each, in this order; or what placements are decided by, so that a label is opened once for all of it. */
  placements: readonly Placement[] | LabelQuestion
}

/** A label for a printer that takes PDF. */
export interface StockLayout {
  stock: SizeMm
  /** What the printer draws the PDF at, where that is known. */
  dotsPerMm?: number | undefined
  /** Shift to the right and down. */
  offsetMm?: { x: number; y: number } | undefined
  /** The edges of the stock that the printer can't print on. */
  marginsMm?: Margins | undefined
  copies: number
  /** Whether copies of several labels come one set after the other; they do when it is left out. */
  collate?: boolean | undefined
  placements: RasterLayout['placements']
}

/** What a printer is set to for each label. Nothing is said of what is left out: the printer's own setting holds. */
export type LabelProfile = Pick<
  SocketPrinter,
  'stockTracking' | 'printMode' | 'darkness' | 'darknessChange' | 'speed'
>

/** What a label says to its printer besides its picture. */
export interface LabelSettings extends LabelProfile {
  dotsPerMm: number
  copies: number
  /** Copies of several labels are printed one after the other; so they are when left out. */
  collate?: boolean
}

/** The same for a label printer, in the language that it reads: ZPL when left out. */
export interface ZplLayout extends RasterLayout, LabelSettings {
  language?: PrinterLanguage
}

/** What a ZPL picture needs of a printer's settings. */
type ZplSettings = Pick<SocketPrinter, 'stock' | 'offsetMm' | 'copies' | 'dpi'> &
  Partial<Pick<SocketPrinter, 'greys' | 'language' | 'collate'>> &
  LabelProfile

/** How a printer's settings put placements on its label. */
export function toZplLayout(printer: ZplSettings, placements: RasterLayout['placements']): ZplLayout {
  const perMm = toDotsPerMm(printer.dpi)
  const dots = (millimetres: number) => Math.round(millimetres * perMm)
  return {
    dotsPerMm: perMm,
    widthDots: dots(printer.stock.widthMm),
    heightDots: dots(printer.stock.heightMm),
    offsetDots: { x: dots(printer.offsetMm?.x ?? 0), y: dots(printer.offsetMm?.y ?? 0) },
    greys: printer.greys ?? 'threshold',
    placements,
    ...(printer.language !== undefined && { language: printer.language }),
    ...(printer.stockTracking === 'continuous' && { isContinuous: true }),
    ...toProfile(printer),
    copies: printer.copies,
    ...(printer.collate !== undefined && { collate: printer.collate }),
  }
}

function toProfile(printer: LabelProfile): LabelProfile {
  const { stockTracking, printMode, darkness, darknessChange, speed } = printer
  return {
    ...(stockTracking !== undefined && { stockTracking }),
    ...(printMode !== undefined && { printMode }),
    ...(darkness !== undefined && { darkness }),
    ...(darknessChange !== undefined && { darknessChange }),
    ...(speed !== undefined && { speed }),
  }
}

/** A label on its way to a printer, as far as its place on the stock is concerned. */
interface LabelToPlace<P extends StockedPrinter> {
  label: Pick<PrintableLabel, 'carrierOptionId'>
  printer: P
  rules: readonly PlacementRule[]
  range?: PageRange
}

/** The dots of a label for a printer that takes PDF, where it is known at what the printer draws. */
export function toDotsOf({ stock, offsetMm, placements }: StockLayout, dotsPerMm: number): RasterLayout {
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

/** What a label's placements are decided by on its way to a printer. */
export function toQuestion({ label, printer, rules, range }: LabelToPlace<StockedPrinter>): LabelQuestion {
  const { carrierOptionId } = label
  const own = rules.filter((rule) => rule.carrierOptionId === carrierOptionId)
  return { printer, carrierOptionId, rules: own, range }
}

/** How a label is to lie on the stock of a printer that takes PDF. */
export function toStockLayout(context: LabelToPlace<SystemPrinter>): StockLayout {
  const { stock, offsetMm, copies, collate } = context.printer
  return { stock, offsetMm, copies, collate, placements: toQuestion(context) }
}

/** The dots of a label as a grey page, one pixel each: 0 is black. */
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

/** Whether a dot is black; outside of the label all is white. */
export function isDark({ width, height, rowBytes, bits }: MonoBitmap, x: number, y: number): boolean {
  const [column, row] = [Math.floor(x), Math.floor(y)]
  if (column < 0 || row < 0 || column >= width || row >= height) return false
  return ((bits[row * rowBytes + (column >> 3)] ?? 0) & (0x80 >> (column & 7))) !== 0
}
