import bwip from 'bwip-js/node'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import { z } from 'zod'
import { locales } from '../../../locales'
import type { Language } from '../../../shared/fields'
import type { Printer, Stock } from '../../../shared/printing'
import { commandCode, type Scanner, scanCommands } from '../../../shared/scanner'
import { toDotsPerMm } from '../layout/geometry'
import type { PrintableLabel } from '../printableLabel'
import { createSheet, getUprightStock, pointsPerMm, type Sheet } from './testLabel'

const symbolSchema = z.tuple([z.object({ sbs: z.array(z.number().positive()) })])
const marginMm = 6
/** Left and right of a symbol, in modules: what Code 128 asks for. */
const quietModules = 10
/** Bars of so many dots: the widest that fit are taken. */
const moduleDots = [4, 3, 2, 1]
const wordsHeightMm = 6

/**
 * The command barcodes with their words, as many on a page as it has room for.
 * @param size of a page
 * @param dotsPerMm of what prints them, so that each bar is a whole number of dots
 */
export async function makeCommandSheet(
  size: Stock,
  dotsPerMm: number,
  language: Language,
  scanner: Pick<Scanner, 'commandPrefix'>,
): Promise<Uint8Array> {
  const words = locales[language].scanner
  const document = await PDFDocument.create()
  document.setTitle(words.sheetTitle)
  const font = await document.embedFont(StandardFonts.HelveticaBold)
  const isLarge = size.widthMm >= 180
  const rowMm = isLarge ? 38 : Math.min(24, size.heightMm - 2 * marginMm)
  const columns = isLarge ? 2 : 1
  const headMm = isLarge ? 18 : 0
  const rows = Math.max(1, Math.floor((size.heightMm - 2 * marginMm - headMm) / rowMm))
  const widthMm = (size.widthMm - 2 * marginMm) / columns
  for (let from = 0; from < scanCommands.length; from += rows * columns) {
    const page = document.addPage([size.widthMm * pointsPerMm, size.heightMm * pointsPerMm])
    const sheet = createSheet(page, font, size)
    if (isLarge) sheet.text(words.sheetTitle, marginMm, marginMm + 8, 18)
    scanCommands.slice(from, from + rows * columns).forEach((command, index) => {
      const x = marginMm + (index % columns) * widthMm
      const y = marginMm + headMm + Math.floor(index / columns) * rowMm
      const heightMm = rowMm - wordsHeightMm - (isLarge ? 12 : 4)
      drawSymbol(sheet, commandCode(command, scanner), { x, y, widthMm, heightMm }, dotsPerMm)
      sheet.text(words.commands[command], x, y + heightMm + wordsHeightMm - 1, isLarge ? 13 : 9)
    })
  }
  return document.save()
}

interface Room {
  x: number
  y: number
  widthMm: number
  heightMm: number
}

function drawSymbol(sheet: Sheet, code: string, { x, y, widthMm, heightMm }: Room, dotsPerMm: number): void {
  const [{ sbs }] = symbolSchema.parse(bwip.raw({ bcid: 'code128', text: code }))
  const modules = sbs.reduce((sum, bar) => sum + bar, 2 * quietModules)
  const dots = moduleDots.find((each) => (modules * each) / dotsPerMm <= widthMm) ?? 1
  let left = x + (quietModules * dots) / dotsPerMm
  for (const [index, bar] of sbs.entries()) {
    const width = (bar * dots) / dotsPerMm
    if (index % 2 === 0) sheet.fill(left, y, width, heightMm)
    left += width
  }
}

/** The command barcodes on the stock of a printer. */
export async function commandLabel(
  printer: Printer,
  language: Language,
  scanner: Pick<Scanner, 'commandPrefix'>,
): Promise<PrintableLabel> {
  const dpi = printer.driver === 'folder' ? undefined : printer.dpi
  const pdf = await makeCommandSheet(getUprightStock(printer), toDotsPerMm(dpi ?? 203), language, scanner)
  return {
    labelId: 'commands',
    shipmentId: 'commands',
    position: 1,
    barcode: '',
    reference: 'commands',
    carrierOptionId: -1,
    kind: 'pdf',
    bytes: Buffer.from(pdf),
  }
}
