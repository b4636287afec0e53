import bwip from 'bwip-js/node'
import { type PDFFont, type PDFPage, rgb } from 'pdf-lib'
import { z } from 'zod'
import { printableText } from './printableText'

export const pointsPerMm = 72 / 25.4
const blackInk = rgb(0, 0, 0)
const whiteInk = rgb(1, 1, 1)

export interface LabelFonts {
  regular: PDFFont
  bold: PDFFont
}

/** Style of a line of text. `size` is in points, `maxWidth` in millimetres. */
interface TextStyle {
  font: PDFFont
  size: number
  /** Wider text is shrunk to at least 60 %, then truncated. */
  maxWidth: number
  align?: 'left' | 'center' | 'right'
  white?: boolean
}

function cutToWidth(text: string, font: PDFFont, size: number, width: number): string {
  let cut = text
  while (cut.length > 1 && font.widthOfTextAtSize(`${cut}…`, size) > width) cut = cut.slice(0, -1)
  return `${cut.trimEnd()}…`
}

/** Draws in pure black and white, with coordinates in millimetres from the label's top left corner. */
export class LabelPage {
  private readonly top: number

  /** @param page the PDF page; the label lies in its top left corner */
  constructor(private readonly page: PDFPage) {
    this.top = page.getHeight()
  }

  fill(x: number, y: number, width: number, height: number, white = false): void {
    this.page.drawRectangle({
      x: x * pointsPerMm,
      y: this.top - (y + height) * pointsPerMm,
      width: width * pointsPerMm,
      height: height * pointsPerMm,
      color: white ? whiteInk : blackInk,
    })
  }

  rule(x: number, y: number, width: number, thickness = 0.375): void {
    this.fill(x, y, width, thickness)
  }

  /** Draws the outline of a rectangle, inside its edges. */
  box(x: number, y: number, width: number, height: number, thickness = 0.5): void {
    this.fill(x, y, width, thickness)
    this.fill(x, y + height - thickness, width, thickness)
    this.fill(x, y, thickness, height)
    this.fill(x + width - thickness, y, thickness, height)
  }

  /** Draws one line of text with its baseline at `y`; `x` is the left edge, centre or right edge depending on the alignment. */
  text(words: string, x: number, y: number, style: TextStyle): void {
    const { font, maxWidth, align = 'left' } = style
    const room = maxWidth * pointsPerMm
    let shown = printableText(words)
    const natural = font.widthOfTextAtSize(shown, style.size)
    const size = style.size * Math.max(0.6, Math.min(1, room / natural))
    if (font.widthOfTextAtSize(shown, size) > room + 0.01) shown = cutToWidth(shown, font, size, room)
    const width = font.widthOfTextAtSize(shown, size)
    const shift = align === 'left' ? 0 : align === 'center' ? width / 2 : width
    this.page.drawText(shown, {
      x: x * pointsPerMm - shift,
      y: this.top - y * pointsPerMm,
      font,
      size,
      color: style.white ? whiteInk : blackInk,
    })
  }

  /** Draws a symbol's bars as vectors; `moduleWidth` is the width of the narrowest bar. */
  barcode(symbol: Code128, x: number, y: number, height: number, moduleWidth: number): void {
    for (const bar of symbol.bars) {
      this.fill(x + bar.start * moduleWidth, y, bar.width * moduleWidth, height)
    }
  }
}

const symbolSchema = z.tuple([z.object({ sbs: z.array(z.number().positive()) })])

/** A bar of a symbol: start from the symbol's left edge, and width, in modules. */
interface Bar {
  start: number
  width: number
}

/** The bars of a Code 128 symbol without quiet zones, and its total width in modules. */
interface Code128 {
  bars: Bar[]
  modules: number
}

/** Encodes ASCII text as Code 128 with the shortest combination of code sets. */
export function encodeCode128(text: string): Code128 {
  const [{ sbs }] = symbolSchema.parse(bwip.raw({ bcid: 'code128', text }))
  const bars: Bar[] = []
  let position = 0
  for (const [index, width] of sbs.entries()) {
    if (index % 2 === 0) bars.push({ start: position, width })
    position += width
  }
  return { bars, modules: position }
}
