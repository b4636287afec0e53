import bwip from 'bwip-js/node'
import type { PDFFont, PDFPage } from 'pdf-lib'
import { PDFDocument, rgb, StandardFonts } from 'pdf-lib'
import { z } from 'zod'
import type { Printer, Stock } from '../../../shared/printing'
import type { PrintableLabel } from '../printableLabel'
import { nameOfPrinter } from '../queue/routing'
import { toDotsPerMm } from '../raster/zpl'
import { sizeInWords } from './stock'

const pointsPerMm = 72 / 25.4
const black = rgb(0, 0, 0)
/** Modules of so many dots: the finest that carriers print, the usual one, and a coarse one. */
const moduleDots = [2, 3, 4]
const symbolSchema = z.tuple([z.object({ sbs: z.array(z.number().positive()) })])
const usualStock: Stock = { widthMm: 100, heightMm: 150 }

/**
 * The label that shows whether a printer is set up well: a border on the stock's edge, rulers along two sides, a cross
 * in the middle for the offset, and one barcode in three widths.
 */
export async function testLabel(printer: Printer): Promise<PrintableLabel> {
  const stock = getUprightStock(printer)
  const document = await PDFDocument.create()
  const page = document.addPage([stock.widthMm * pointsPerMm, stock.heightMm * pointsPerMm])
  const sheet = createSheet(page, await document.embedFont(StandardFonts.Helvetica), stock)
  drawBorder(sheet)
  drawRulers(sheet)
  drawCross(sheet)
  sheet.text(nameOfPrinter(printer), 8, 12, 9)
  const dpi = printer.driver === 'folder' ? undefined : printer.dpi
  sheet.text(`${sizeInWords(stock)}${dpi === undefined ? '' : `, ${dpi} dpi`}`, 8, 16, 7)
  drawBarcodes(sheet, toDotsPerMm(dpi ?? 203))
  return {
    labelId: 'test-label',
    shipmentId: 'test-label',
    position: 1,
    barcode: '',
    reference: 'test-label',
    carrierOptionId: -1,
    kind: 'pdf',
    bytes: Buffer.from(await document.save()),
  }
}

function getUprightStock(printer: Printer): Stock {
  if (printer.driver === 'folder') return usualStock
  const { stock, rotate } = printer
  return rotate % 180 === 0 ? stock : { widthMm: stock.heightMm, heightMm: stock.widthMm }
}

/** Drawing in millimetres from the top left corner. */
interface Sheet {
  size: Stock
  fill(x: number, y: number, width: number, height: number): void
  text(text: string, x: number, y: number, points: number): void
}

function createSheet(page: PDFPage, font: PDFFont, size: Stock): Sheet {
  return {
    size,
    fill(x, y, width, height) {
      page.drawRectangle({
        x: x * pointsPerMm,
        y: (size.heightMm - y - height) * pointsPerMm,
        width: width * pointsPerMm,
        height: height * pointsPerMm,
        color: black,
      })
    },
    text(text, x, y, points) {
      const known = new Set(font.getCharacterSet())
      const safe = [...text].filter((sign) => known.has(sign.codePointAt(0) ?? 0)).join('')
      page.drawText(safe, {
        x: x * pointsPerMm,
        y: (size.heightMm - y) * pointsPerMm,
        size: points,
        font,
        color: black,
      })
    },
  }
}

function drawBorder({ size: { widthMm, heightMm }, fill }: Sheet): void {
  const line = 0.375
  fill(0, 0, widthMm, line)
  fill(0, heightMm - line, widthMm, line)
  fill(0, 0, line, heightMm)
  fill(widthMm - line, 0, line, heightMm)
}

/** A tick each millimetre, longer ones at 5 and 10, with numbers. */
function drawRulers({ size: { widthMm, heightMm }, fill, text }: Sheet): void {
  const getLength = (millimetre: number) => (millimetre % 10 === 0 ? 4 : millimetre % 5 === 0 ? 3 : 1.5)
  for (let x = 1; x < widthMm; x += 1) {
    fill(x - 0.0625, 0, 0.125, getLength(x))
    if (x % 10 === 0 && x + 5 < widthMm) text(String(x), x + 0.4, 4.4, 5)
  }
  for (let y = 1; y < heightMm; y += 1) {
    fill(0, y - 0.0625, getLength(y), 0.125)
    if (y % 10 === 0) text(String(y), 4.4, y + 0.7, 5)
  }
}

function drawCross({ size: { widthMm, heightMm }, fill }: Sheet): void {
  const [x, y] = [widthMm / 2, heightMm / 2]
  fill(x - 6, y - 0.125, 12, 0.25)
  fill(x - 0.125, y - 6, 0.25, 12)
}

/** Code 128 in whole dots of the printer, one below the other in the lower half. */
function drawBarcodes({ size, fill, text }: Sheet, dotsPerMm: number): void {
  const room = size.heightMm / 2 - 10
  const height = Math.min(12, room / moduleDots.length - 5)
  if (height < 3) return
  for (const [index, dots] of moduleDots.entries()) {
    const [{ sbs }] = symbolSchema.parse(bwip.raw({ bcid: 'code128', text: `PB${dots}` }))
    const top = size.heightMm / 2 + 8 + index * (height + 5)
    let x = 10
    for (const [bar, modules] of sbs.entries()) {
      const width = (modules * dots) / dotsPerMm
      if (bar % 2 === 0) fill(x, top, width, height)
      x += width
    }
    text(`PB${dots}: ${dots} dots a bar`, 10, top + height + 3, 6)
  }
}
