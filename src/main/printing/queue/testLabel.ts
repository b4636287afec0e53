import { randomUUID } from 'node:crypto'
import bwip from 'bwip-js/node'
import { PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from 'pdf-lib'
import { z } from 'zod'
import type { LabelFinding } from '../../../shared/labels'
import { getPrinterName, type Printer, type Stock, type TestLabelAnswer } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { driverFor, type PrinterDrivers } from '../drivers/driver'
import { sizeInWords, toDotsPerMm } from '../layout/geometry'
import { refuseMissingStock } from '../layout/placements'
import type { PrintableLabel } from '../printableLabel'
import type { PrintQueue } from './printQueue'
import { findPrinter } from './routing'

/** Longest wait for a printer that needs someone: whoever sets it up stands beside it. */
const maxMs = 30_000

/** What printing a test label works with. */
export interface TestLabelDeps {
  printers(): Printer[]
  drivers: PrinterDrivers
  queue: Pick<PrintQueue, 'between'>
}

/**
 * Prints a test label, or what else is made for a printer, between a printer's jobs, in the very way in which labels are printed.
 * @returns what became of it; the driver's error when it did not come out
 */
export async function printTestLabel(
  printerId: string,
  { printers, drivers, queue }: TestLabelDeps,
  make = testLabel,
): Promise<Result<TestLabelAnswer>> {
  const printer = findPrinter(printers(), printerId)
  if (!printer.ok) return printer
  const context = { ...unattended(printer.value), label: await make(printer.value) }
  const outcome = await queue.between(printerId, () =>
    driverFor(drivers, printer.value).print(context, context.cancelled),
  )
  const details = { printer: getPrinterName(printer.value) }
  switch (outcome.kind) {
    case 'done':
      return ok({ code: 'written', details: { file: outcome.outputPath ?? '' } })
    case 'handed-over':
      return ok({ code: 'taken', details })
    case 'failed':
    case 'unconfirmed':
      return err(outcome.error)
    case 'cancelled':
    case 'not-started':
      return ok({ code: 'not-in-time', details })
  }
}

/**
 * Has a printer measure its stock between its jobs: how long its labels are and where they end. It feeds some of them.
 * @returns what became of it; the error `calibration-not-possible` for a printer that has no command for it
 */
export async function calibratePrinter(
  printerId: string,
  { printers, drivers, queue }: TestLabelDeps,
): Promise<Result<TestLabelAnswer>> {
  const printer = findPrinter(printers(), printerId)
  if (!printer.ok) return printer
  const context = { ...unattended(printer.value), label: noLabel }
  const outcome = await queue.between(printerId, () =>
    driverFor(drivers, printer.value).calibrate(context, context.cancelled),
  )
  if (outcome.kind === 'failed') return err(outcome.error)
  const code = outcome.kind === 'handed-over' ? 'calibrating' : 'not-calibrated'
  return ok({ code, details: { printer: getPrinterName(printer.value) } })
}

const noLabel: PrintableLabel = {
  ...{ labelId: '', shipmentId: '', position: 1, barcode: '', reference: 'calibration', carrierOptionId: -1 },
  ...{ kind: 'other', bytes: Buffer.alloc(0) },
}

/** What goes with work on a printer that someone waits beside. */
function unattended(printer: Printer) {
  const closing = AbortSignal.timeout(maxMs)
  return {
    jobId: randomUUID(),
    rules: [],
    // Nobody is to wait in silence for a printer that is open or out of labels: that it is, is the answer.
    hasStandby: true,
    check: (findings: readonly LabelFinding[]) => refuseMissingStock(findings, printer),
    progress: () => undefined,
    claim: async () => !closing.aborted,
    roomForNext: () => undefined,
    accepted: () => undefined,
    cancelled: closing,
  }
}

export const pointsPerMm = 72 / 25.4
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
  sheet.text(getPrinterName(printer), 8, 12, 9)
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

/** The stock as it is read, with the printer's turn; the usual one for a folder. */
export function getUprightStock(printer: Printer): Stock {
  if (printer.driver === 'folder') return usualStock
  const { stock, rotate } = printer
  return rotate % 180 === 0 ? stock : { widthMm: stock.heightMm, heightMm: stock.widthMm }
}

/** Drawing in millimetres from the top left corner. */
export interface Sheet {
  size: Stock
  fill(x: number, y: number, width: number, height: number): void
  text(text: string, x: number, y: number, points: number): void
}

export function createSheet(page: PDFPage, font: PDFFont, size: Stock): Sheet {
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
