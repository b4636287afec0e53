import type { Result } from '../../../shared/result'
import type { PageSize } from '../stock'

/** A page as 8-bit grey pixels, row by row; 0 is black. */
export interface GreyPage {
  width: number
  height: number
  pixels: Uint8Array<ArrayBuffer>
}

/** How a page is put on a ZPL printer's label. Lengths are in the printer's dots. */
export interface ZplLayout {
  dotsPerMm: number
  widthDots: number
  heightDots: number
  /** Clockwise turn in degrees. */
  rotate: 0 | 90 | 180 | 270
  /** Shift to the right and down. */
  offsetDots: { x: number; y: number }
  /** `~SD` value; the printer's own setting when left out. */
  darkness?: number
  copies: number
}

/**
 * Reads PDF labels. Failures are `label-unreadable` with words for an operator: damaged, encrypted, too many pages,
 * too large, too slow.
 */
export interface Rasterizer {
  /** The sizes of all pages. */
  measure(pdf: Buffer): Promise<Result<PageSize[]>>
  /** All pages in grey. */
  renderGrey(pdf: Buffer, dotsPerMm: number): Promise<Result<GreyPage[]>>
  /** All pages as ZPL, one format each. */
  renderZpl(pdf: Buffer, layout: ZplLayout): Promise<Result<Buffer>>
  /** Ends what it runs in; nothing may be asked afterwards. */
  close(): Promise<void>
}

/** The same questions as messages to a worker. */
export type RasterTask =
  | { kind: 'measure'; pdf: Uint8Array }
  | { kind: 'grey'; pdf: Uint8Array; dotsPerMm: number }
  | { kind: 'zpl'; pdf: Uint8Array; layout: ZplLayout }

/** What a worker answers, by the kind of the task. */
export type RasterAnswer =
  | { kind: 'measure'; pages: PageSize[] }
  | { kind: 'grey'; pages: GreyPage[] }
  | { kind: 'zpl'; bytes: Uint8Array<ArrayBuffer> }
