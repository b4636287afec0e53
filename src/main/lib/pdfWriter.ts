import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import fontkit from '@pdf-lib/fontkit'
import { PDFDocument, type PDFFont, type PDFPage, rgb } from 'pdf-lib'
import { toNormalForm } from '../../shared/foldText'

/** Not named `require`: the built file has one of its own. */
const packages = createRequire(import.meta.url)

/** A4 in points. */
export const pageWidth = 595.28
const pageHeight = 841.89
export const margin = 42
const ink = rgb(0.08, 0.1, 0.11)
const soft = rgb(0.38, 0.42, 0.43)
const line = rgb(0.72, 0.74, 0.74)

/** Stands for a letter that the fonts lack. */
export const unprintableMark = '□'

/**
 * Scripts whose letters stand one after the other from left to right: what a PDF shows without shaping. Common holds
 * digits, punctuation and symbols.
 */
const plainScript =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Common}]$/u

interface TextStyle {
  size?: number
  bold?: boolean
  soft?: boolean
  /** Ends at `x` instead of beginning there. */
  right?: boolean
}

/** A stack of A4 sheets to write on, from the top down. Lengths are in points. */
export class PdfWriter {
  /** Distance from the top edge of the page to where the next thing goes. */
  y = margin
  /** Letters that were replaced by `unprintableMark` so far. */
  readonly unprintable = new Set<string>()
  private page: PDFPage

  private constructor(
    private readonly document: PDFDocument,
    private readonly regular: Font,
    private readonly bold: Font,
  ) {
    this.page = document.addPage([pageWidth, pageHeight])
  }

  static async make(title: string): Promise<PdfWriter> {
    const document = await PDFDocument.create()
    document.setTitle(title)
    document.setProducer('Packbench')
    document.setCreator('Packbench')
    document.registerFontkit(fontkit)
    const regular = await embedFont(
      document,
      packages.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf'),
    )
    const bold = await embedFont(
      document,
      packages.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf'),
    )
    return new PdfWriter(document, regular, bold)
  }

  /** Whether there is still room on this page. */
  hasRoom(height: number): boolean {
    return this.y + height <= pageHeight - margin - 24
  }

  nextPage(): void {
    this.page = this.document.addPage([pageWidth, pageHeight])
    this.y = margin
  }

  /** Writes one line at the height `y`. */
  text(x: number, text: string, style: TextStyle = {}): void {
    const size = style.size ?? 9.5
    const { font, letters } = style.bold === true ? this.bold : this.regular
    const shown = this.toPrintable(text, letters)
    const left = style.right === true ? x - font.widthOfTextAtSize(shown, size) : x
    const color = style.soft === true ? soft : ink
    this.page.drawText(shown, { x: left, y: pageHeight - this.y - size, size, font, color })
  }

  /** Breaks a text into lines that fit a width, within a word only if that word is wider than a line. */
  wrap(text: string, width: number, size = 9.5): string[] {
    const { font, letters } = this.regular
    const fits = (part: string) => font.widthOfTextAtSize(part, size) <= width
    const lines: string[] = []
    let current = ''
    const words = this.toPrintable(text, letters).split(' ')
    for (const word of words.flatMap((each) => (fits(each) ? each : cutWord(each, fits)))) {
      const longer = current === '' ? word : `${current} ${word}`
      if (current !== '' && !fits(longer)) {
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
    this.page.drawLine({
      start: { x: margin, y },
      end: { x: pageWidth - margin, y },
      thickness: 0.7,
      color: line,
    })
  }

  /** Writes at the foot of every page, and gives the PDF's bytes. */
  async finish(foot: (page: number, pages: number) => string): Promise<Buffer> {
    const pages = this.document.getPages()
    for (const [index, page] of pages.entries()) {
      const text = this.toPrintable(foot(index + 1, pages.length), this.regular.letters)
      page.drawText(text, { x: margin, y: margin - 14, size: 8, font: this.regular.font, color: soft })
    }
    return Buffer.from(await this.document.save())
  }

  private toPrintable(text: string, letters: ReadonlySet<number>): string {
    return Array.from(toNormalForm(text, 'NFC').replace(/\s/g, ' '), (character) => {
      if (plainScript.test(character) && letters.has(character.codePointAt(0) ?? 0)) return character
      if (character !== unprintableMark) this.unprintable.add(character)
      return unprintableMark
    }).join('')
  }
}

/** Cuts a word that is wider than a line into parts that fit one. */
function cutWord(word: string, fits: (part: string) => boolean): string[] {
  const parts: string[] = []
  let current = ''
  for (const letter of word) {
    if (current !== '' && !fits(current + letter)) {
      parts.push(current)
      current = ''
    }
    current += letter
  }
  return [...parts, current]
}

/** An embedded font, and the code points that it has letters for. */
interface Font {
  font: PDFFont
  letters: ReadonlySet<number>
}

/** Embeds what is used of a font that comes with the app: a reader's own fonts know Western letters only. */
async function embedFont(document: PDFDocument, file: string): Promise<Font> {
  // A ligature would be found as one letter by whoever searches the document.
  const font = await document.embedFont(await readFile(file), { subset: true, features: { liga: false } })
  return { font, letters: new Set(font.getCharacterSet()) }
}
