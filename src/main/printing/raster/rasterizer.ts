import type { BarcodeProof, LabelFinding, SizeMm } from '../../../shared/labels'
import type { PageRange, PrinterLanguage, SocketPrinter } from '../../../shared/printing'
import type { Result } from '../../../shared/result'
import type { LabelQuestion, Placement } from '../layout/placements'
import type { Margins, PageSize } from '../layout/stock'

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
export type Greys = 'threshold' | 'dither'

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

/** Labels in the printer's language, one format each, and what they lack of the pages. */
export interface ZplDrawing {
  zpl: Buffer
  findings: LabelFinding[]
  /** Where labels lie on the pages; places that stay empty are not printed. */
  placements: readonly Placement[]
  /** The dots that `zpl` holds, one picture for each printed label. */
  bitmaps: readonly MonoBitmap[]
  /** What reading its barcodes showed, where they were read. */
  barcodes?: BarcodeProof
}

/** A PDF's pages, the labels that are printed of them, and what those lack. */
export interface CheckedPlan {
  pages: PageSize[]
  placements: readonly Placement[]
  findings: LabelFinding[]
}

/** A PDF as it goes to a printer that takes PDF: the stored bytes when they are right as they are. */
export interface LaidPdf {
  pdf: Buffer
  /** How often all of it is to be printed: copies of several labels are in the PDF already. */
  copies: number
  findings: LabelFinding[]
}

/**
 * Reads PDF labels. Failures are `label-unreadable` with words for an operator: damaged, encrypted, too many pages,
 * too large, too slow.
 */
export interface Rasterizer {
  /** The sizes of all pages as they are shown: cut to the crop box, turned, in the PDF's own unit. */
  measure(pdf: Buffer): Promise<Result<PageSize[]>>
  /** One page in grey; the first 20 when no page is named. Pages count from 0. */
  renderGrey(pdf: Buffer, dotsPerMm: number, page?: number): Promise<Result<GreyPage[]>>
  /** Labels in black and white, dot for dot as they are printed. The errors of placing it come from here as well. */
  renderMono(pdf: Buffer, layout: RasterLayout): Promise<Result<MonoBitmap[]>>
  /**
   * Labels in the printer's language, one format each.
   * @param onPlaced called when the label's placements are known and drawing begins
   */
  renderZpl(pdf: Buffer, layout: ZplLayout, onPlaced?: () => void): Promise<Result<ZplDrawing>>
  /** The PDF as it is to lie on the stock, and what it lacks of the pages. */
  layOnStock(pdf: Buffer, layout: StockLayout): Promise<Result<LaidPdf>>
  /**
   * A whole PDF for other programs, or the pages of it that are wanted: the stored bytes when they are that.
   * @returns the error `invalid-input` when there are no such pages
   */
  takePages(pdf: Buffer, range: PageRange | undefined): Promise<Result<Buffer>>
  /** Ends what it runs in; nothing may be asked afterwards. */
  close(): Promise<void>
}

/** The same questions as calls of a worker. */
export interface RasterCalls {
  measure: { input: { pdf: Uint8Array }; output: Result<PageSize[]> }
  renderGrey: { input: { pdf: Uint8Array; dotsPerMm: number; page?: number }; output: Result<GreyPage[]> }
  renderMono: { input: { pdf: Uint8Array; layout: RasterLayout }; output: Result<MonoBitmap[]> }
  /** Emits `placed` when the label's placements are known and drawing begins. */
  renderZpl: {
    input: { pdf: Uint8Array; layout: ZplLayout }
    output: Result<Omit<ZplDrawing, 'zpl' | 'barcodes'> & { zpl: Uint8Array<ArrayBuffer> }>
  }
  /** Without bytes, those that were given are right as they are. */
  layOnStock: {
    input: { pdf: Uint8Array; layout: StockLayout }
    output: Result<Omit<LaidPdf, 'pdf'> & { bytes?: Uint8Array }>
  }
  takePages: {
    input: { pdf: Uint8Array; range: PageRange | undefined }
    output: Result<{ bytes?: Uint8Array }>
  }
}
