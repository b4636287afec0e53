import type { PDFDocument, PDFRef } from 'pdf-lib'
import type { LabelSheet, Stock } from '../../../shared/printing'
import { type Margins, type Point, pointsPerMm } from '../layout/geometry'
import type { MonoBitmap } from '../layout/labelLayout'

export interface SheetLayout {
  sheet: LabelSheet
  stock: Stock
  /** The place of the first label on the first sheet, from 0. */
  from: number
}

/** The layout of one label on each page. */
export function toSinglePages(stock: Stock): SheetLayout {
  return { sheet: { ...stock, columns: 1, rows: 1 }, stock, from: 0 }
}

/** The unprintable margins of the label on a place, from those of its sheet, in millimetres. */
export function getMarginsAt(place: number, marginsMm: Margins, layout: Omit<SheetLayout, 'from'>): Margins {
  const { sheet, stock } = layout
  const { x, y } = getCorner(place, layout)
  return {
    left: Math.max(0, marginsMm.left - x),
    top: Math.max(0, marginsMm.top - y),
    right: Math.max(0, marginsMm.right - (sheet.widthMm - x - stock.widthMm)),
    bottom: Math.max(0, marginsMm.bottom - (sheet.heightMm - y - stock.heightMm)),
  }
}

/** The top left corner of a place on its sheet, in millimetres. */
function getCorner(place: number, { sheet, stock }: Omit<SheetLayout, 'from'>): Point {
  const { columns, marginMm = { x: 0, y: 0 }, gapMm = { x: 0, y: 0 } } = sheet
  return {
    x: marginMm.x + (place % columns) * (stock.widthMm + gapMm.x),
    y: marginMm.y + Math.floor(place / columns) * (stock.heightMm + gapMm.y),
  }
}

/** Writes labels as pictures on sheets, row by row. A label that is repeated is stored once. */
export async function writeSheetPdf(labels: readonly MonoBitmap[], layout: SheetLayout): Promise<Buffer> {
  const { sheet, stock, from } = layout
  const { columns, rows } = sheet
  // Loaded on demand, so that the app's start does not wait for it.
  const { concatTransformationMatrix, drawObject, PDFDocument, popGraphicsState, pushGraphicsState } =
    await import('pdf-lib')
  const document = await PDFDocument.create()
  const newPage = () => document.addPage([sheet.widthMm * pointsPerMm, sheet.heightMm * pointsPerMm])
  const pictures = new Map<MonoBitmap, PDFRef>()
  const addPicture = (bitmap: MonoBitmap) => {
    const known = pictures.get(bitmap) ?? document.context.register(toImageMask(document, bitmap))
    pictures.set(bitmap, known)
    return known
  }
  let page = newPage()
  for (const [index, bitmap] of labels.entries()) {
    const place = (from + index) % (columns * rows)
    if (index > 0 && place === 0) page = newPage()
    const { x, y } = getCorner(place, layout)
    const name = page.node.newXObject('Label', addPicture(bitmap))
    page.pushOperators(
      pushGraphicsState(),
      concatTransformationMatrix(
        ...[stock.widthMm * pointsPerMm, 0, 0, stock.heightMm * pointsPerMm],
        ...[x * pointsPerMm, (sheet.heightMm - y - stock.heightMm) * pointsPerMm],
      ),
      drawObject(name),
      popGraphicsState(),
    )
  }
  return Buffer.from(await document.save())
}

/**
 * A mask of one bit for each dot, printed dot for dot. White is transparent, for a label next to it that it may
 * overlap.
 */
function toImageMask(document: PDFDocument, { width, height, bits }: MonoBitmap) {
  return document.context.flateStream(bits, {
    ...{ Type: 'XObject', Subtype: 'Image', Width: width, Height: height },
    ...{ ImageMask: true, BitsPerComponent: 1, Decode: [1, 0] },
  })
}
