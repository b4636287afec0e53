import type { PlacementRule, SizeMm } from '../../../shared/labels'
import type { PageRange, PrinterLanguage, SocketPrinter, SystemPrinter } from '../../../shared/printing'
import type { PrintableLabel } from '../printableLabel'
import { type Margins, toDotsPerMm } from './geometry'
import type { LabelQuestion, Placement, StockedPrinter } from './placements'

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
