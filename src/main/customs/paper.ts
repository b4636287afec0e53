import { PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from 'pdf-lib'

/** A4 in points. */
export const pageWidth = 595.28
const pageHeight = 841.89
export const margin = 42
const ink = rgb(0.08, 0.1, 0.11)
const soft = rgb(0.38, 0.42, 0.43)
const line = rgb(0.72, 0.74, 0.74)

export interface TextStyle {
  size?: number
  bold?: boolean
  soft?: boolean
  /** Ends at `x` instead of beginning there. */
  right?: boolean
}

/** A stack of A4 sheets to write on, from the top down. Lengths are in points. */
export class Paper {
  /** Distance from the top edge of the page to where the next thing goes. */
  y = margin
  readonly #document: PDFDocument
  readonly #regular: PDFFont
  readonly #bold: PDFFont
  #page: PDFPage

  private constructor(document: PDFDocument, regular: PDFFont, bold: PDFFont) {
    this.#document = document
    this.#regular = regular
    this.#bold = bold
    this.#page = document.addPage([pageWidth, pageHeight])
  }

  static async make(title: string): Promise<Paper> {
    const document = await PDFDocument.create()
    document.setTitle(title)
    document.setProducer('Packbench')
    document.setCreator('Packbench')
    const regular = await document.embedFont(StandardFonts.Helvetica)
    const bold = await document.embedFont(StandardFonts.HelveticaBold)
    return new Paper(document, regular, bold)
  }

  /** Whether there is still room on this page. */
  hasRoom(height: number): boolean {
    return this.y + height <= pageHeight - margin - 24
  }

  nextPage(): void {
    this.#page = this.#document.addPage([pageWidth, pageHeight])
    this.y = margin
  }

  /** Writes one line at the height `y`. */
  text(x: number, text: string, style: TextStyle = {}): void {
    const size = style.size ?? 9.5
    const font = style.bold === true ? this.#bold : this.#regular
    const shown = writable(text, this.#regular)
    const left = style.right === true ? x - font.widthOfTextAtSize(shown, size) : x
    const color = style.soft === true ? soft : ink
    this.#page.drawText(shown, { x: left, y: pageHeight - this.y - size, size, font, color })
  }

  /** Breaks a text into lines that fit a width. */
  wrap(text: string, width: number, size = 9.5): string[] {
    const lines: string[] = []
    let current = ''
    for (const word of writable(text, this.#regular).split(' ')) {
      const longer = current === '' ? word : `${current} ${word}`
      if (current !== '' && this.#regular.widthOfTextAtSize(longer, size) > width) {
        lines.push(current)
        current = word
      } else {
        current = longer
      }
    }
    return [...lines, current]
  }

  rule(): void {
    const y = pageHeight - this.y
    this.#page.drawLine({
      start: { x: margin, y },
      end: { x: pageWidth - margin, y },
      thickness: 0.7,
      color: line,
    })
  }

  /** Writes at the foot of every page, and gives the PDF's bytes. */
  async finish(foot: (page: number, pages: number) => string): Promise<Buffer> {
    const pages = this.#document.getPages()
    for (const [index, page] of pages.entries()) {
      const text = writable(foot(index + 1, pages.length), this.#regular)
      page.drawText(text, { x: margin, y: margin - 14, size: 8, font: this.#regular, color: soft })
    }
    return Buffer.from(await this.#document.save())
  }
}

const letters: Readonly<Record<string, string>> = { Ł: 'L', ł: 'l', Đ: 'D', đ: 'd', ı: 'i', Ħ: 'H', ħ: 'h' }

/**
 * What the fonts of every PDF reader can show: Western letters as they are, others without their marks, and a question
 * mark for what has no letter there. The data that are sent are not touched.
 */
function writable(text: string, font: PDFFont): string {
  const known = new Set(font.getCharacterSet())
  return [...text.replace(/\s/g, ' ')]
    .map((character) => {
      if (known.has(character.codePointAt(0) ?? 0)) return character
      const plain = letters[character] ?? character.normalize('NFD').replace(/\p{M}/gu, '')
      return [...plain].every((each) => known.has(each.codePointAt(0) ?? 0)) && plain !== '' ? plain : '?'
    })
    .join('')
}
