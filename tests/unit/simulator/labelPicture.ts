import { PDFiumLibrary } from '@hyzyla/pdfium'

/** Dots to the millimetre of a 203 dpi print head. */
export const dotsPerMm = 8

const dotsPerPoint = (dotsPerMm * 25.4) / 72

/** A page as dots: 0 is black, 255 is white. */
export interface Picture {
  width: number
  height: number
  /** The darkness of the dots of one row, left to right. */
  row(y: number): number[]
}

/** Renders every page of a PDF at 203 dpi, as a label printer would show it. */
export async function renderPages(pdf: Uint8Array): Promise<Picture[]> {
  const library = await PDFiumLibrary.init()
  try {
    const document = await library.loadDocument(pdf)
    const pictures: Picture[] = []
    for (const page of document.pages()) {
      const { originalWidth, originalHeight } = page.getOriginalSize()
      // With a scale alone the library first cuts the page to whole points, which moves the dots.
      const { width, height, data } = await page.render({
        width: Math.round(originalWidth * dotsPerPoint),
        height: Math.round(originalHeight * dotsPerPoint),
        render: 'bitmap',
      })
      const row = (y: number): number[] =>
        Array.from({ length: width }, (_, x) => data[(y * width + x) * 4] ?? Number.NaN)
      pictures.push({ width, height, row })
    }
    document.destroy()
    return pictures
  } finally {
    library.destroy()
  }
}

/** The widths in dots of the black and white runs of a row, from the first black to the last. */
export function runs(row: readonly number[]): number[] {
  const dark = row.map((dot) => dot < 128)
  const inner = dark.slice(dark.indexOf(true), dark.lastIndexOf(true) + 1)
  const widths: number[] = []
  for (const [index, value] of inner.entries()) {
    if (index > 0 && inner[index - 1] === value) widths.push((widths.pop() ?? 0) + 1)
    else widths.push(1)
  }
  return widths
}
