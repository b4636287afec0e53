import { randomUUID } from 'node:crypto'
import bwip from 'bwip-js/node'
import { PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from 'pdf-lib'
import { z } from 'zod'
import { locales } from '../../../locales'
import type { Language } from '../../../shared/fields'
import type { LabelFinding } from '../../../shared/labels'
import {
  type Dpi,
  getPrinterName,
  type Printer,
  type Stock,
  type TestLabelAnswer,
} from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { commandCode, type Scanner, scanCommands } from '../../../shared/scanner'
import type { Settings } from '../../../shared/settings'
import { getDriver, type PrinterDrivers } from '../drivers/driver'
import { pointsPerMm, sizeInWords } from '../layout/geometry'
import { refuseMissingStock, statedDpi, toDotsPerMm, uprightStock, usualDpi } from '../layout/labelLayout'
import type { PrintableLabel } from '../printableLabel'
import type { PrintQueue } from './printQueue'
import { findPrinter } from './routing'

/** The person who sets the printer up stands beside it and waits: for the jobs before, and then for the printer. */
const usualMaxMs = 30_000

export interface TestLabelDeps {
  settings: { current(): Pick<Settings, 'printers'> }
  drivers: PrinterDrivers
  queue: Pick<PrintQueue, 'runBetweenJobs' | 'noteOutcome'>
  /** How long the printer's jobs are waited for, and then the printer: 30 s unless stated. */
  maxMs?: number
  /** Called when a label was or may have been printed, with the settings that it was printed with. */
  onPrinted?(printer: Printer): void
}

/**
 * Prints a test label between a printer's jobs, through the same driver as labels.
 * @param draw what to print instead of a test label
 * @returns the driver's error when the label was not printed or its outcome is unknown; `not-in-time`, with nothing sent, when
 *   a job occupies the printer
 */
export async function printTestLabel(
  printerId: string,
  { settings, drivers, queue, maxMs = usualMaxMs, onPrinted }: TestLabelDeps,
  draw = drawTestLabel,
): Promise<Result<TestLabelAnswer>> {
  const printer = findPrinter(settings.current().printers, printerId)
  if (!printer.ok) return printer
  const label = await draw(printer.value)
  const outcome = await queue.runBetweenJobs(
    printerId,
    (closing) =>
      getDriver(drivers, printer.value).print({ ...createContext(printer.value, maxMs), label }, closing),
    maxMs,
  )
  const details = { printer: getPrinterName(printer.value) }
  if (outcome === undefined) return ok({ code: 'not-in-time', details })
  queue.noteOutcome(printerId, outcome)
  if (['done', 'handed-over', 'unconfirmed'].includes(outcome.kind)) onPrinted?.(printer.value)
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
 * Has a printer measure between its jobs how long its labels are and where they end. The printer feeds some of them.
 * @returns the error `calibration-not-possible` for a printer that has no command for it
 */
export async function calibratePrinter(
  printerId: string,
  { settings, drivers, queue, maxMs = usualMaxMs }: TestLabelDeps,
): Promise<Result<TestLabelAnswer>> {
  const printer = findPrinter(settings.current().printers, printerId)
  if (!printer.ok) return printer
  const label = { ...toLabel('calibration', new Uint8Array()), kind: 'other' as const }
  const outcome = await queue.runBetweenJobs(
    printerId,
    (closing) =>
      getDriver(drivers, printer.value).calibrate({ ...createContext(printer.value, maxMs), label }, closing),
    maxMs,
  )
  if (outcome?.kind === 'failed') return err(outcome.error)
  const code = outcome?.kind === 'handed-over' ? 'calibrating' : 'not-calibrated'
  return ok({ code, details: { printer: getPrinterName(printer.value) } })
}

/** The context of work that is no job and that a person waits for. */
function createContext(printer: Printer, maxMs: number) {
  const cancelled = AbortSignal.timeout(maxMs)
  return {
    jobId: randomUUID(),
    rules: [],
    // As with a standby, a printer that is open or out of labels is not waited for: the person gets its remark as the
    // answer.
    hasStandby: true,
    isTest: true,
    check: (findings: readonly LabelFinding[]) => refuseMissingStock(findings, printer),
    progress: () => undefined,
    claim: async () => !cancelled.aborted,
    allowNextJob: () => undefined,
    accepted: () => undefined,
    cancelled,
  }
}

const black = rgb(0, 0, 0)
/** Module widths in dots: the finest that carriers print, the usual one, and a coarse one. */
const moduleDots = [2, 3, 4]
const symbolSchema = z.tuple([z.object({ sbs: z.array(z.number().positive()) })])
const usualStock: Stock = { widthMm: 100, heightMm: 150 }

/**
 * Draws the label that shows whether a printer is set up well: a border on the stock's edge, rulers along two sides, a
 * cross in the middle for the offset, and one barcode in three widths.
 */
async function drawTestLabel(printer: Printer): Promise<PrintableLabel> {
  const stock = getUprightStock(printer)
  const document = await PDFDocument.create()
  const page = document.addPage([stock.widthMm * pointsPerMm, stock.heightMm * pointsPerMm])
  const sheet = createSheet(page, await document.embedFont(StandardFonts.Helvetica), stock)
  drawBorder(sheet)
  drawRulers(sheet)
  drawCross(sheet)
  sheet.text(getPrinterName(printer), 8, 12, 9)
  const dpi = statedDpi(printer)
  sheet.text(`${sizeInWords(stock)}${dpi === undefined ? '' : `, ${dpi} dpi`}`, 8, 16, 7)
  drawBarcodes(sheet, dpi)
  return toLabel('test-label', await document.save())
}

/** A label of no shipment. */
function toLabel(name: string, pdf: Uint8Array): PrintableLabel {
  return {
    ...{ labelId: name, shipmentId: name, reference: name, position: 1, barcode: '', carrierOptionId: -1 },
    ...{ kind: 'pdf', bytes: Buffer.from(pdf) },
  }
}

/** The stock in reading orientation, with the printer's rotation applied; a default for a folder. */
function getUprightStock(printer: Printer): Stock {
  return printer.driver === 'folder' ? usualStock : uprightStock(printer)
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

/**
 * Draws Code 128 symbols one below the other in the lower half, with bars of whole printer dots, or of the usual width if
 * the printer's dots are not known.
 */
function drawBarcodes(sheet: Sheet, dpi: Dpi | undefined): void {
  const { size } = sheet
  const dotsPerMm = toDotsPerMm(dpi ?? usualDpi)
  const room = size.heightMm / 2 - 10
  const height = Math.min(12, room / moduleDots.length - 5)
  if (height < 3) return
  for (const [index, dots] of moduleDots.entries()) {
    const top = size.heightMm / 2 + 8 + index * (height + 5)
    drawBars(sheet, toBars(`PB${dots}`), { x: 10, y: top, heightMm: height }, dots / dotsPerMm)
    const width = dpi === undefined ? `${dots / dotsPerMm} mm` : `${dots} dots`
    sheet.text(`PB${dots}: ${width} a bar`, 10, top + height + 3, 6)
  }
}

/** The widths of Code 128's bars and gaps in modules. */
function toBars(text: string): number[] {
  const [{ sbs }] = symbolSchema.parse(bwip.raw({ bcid: 'code128', text }))
  return sbs
}

function drawBars(
  { fill }: Sheet,
  bars: readonly number[],
  { x, y, heightMm }: { x: number; y: number; heightMm: number },
  moduleMm: number,
): void {
  let left = x
  for (const [index, modules] of bars.entries()) {
    if (index % 2 === 0) fill(left, y, modules * moduleMm, heightMm)
    left += modules * moduleMm
  }
}

const marginMm = 6
/** The quiet zone of Code 128, in modules. */
const quietModules = 10
/** Module widths in dots: the widest that fits is used. */
const commandDots = [4, 3, 2, 1]
const textHeightMm = 6

/**
 * Draws the command barcodes with their texts, as many on a page as fit.
 * @param size of a page
 * @param dotsPerMm of the printer, so that each bar is a whole number of dots
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
      const heightMm = rowMm - textHeightMm - (isLarge ? 12 : 4)
      drawCommand(sheet, commandCode(command, scanner), { x, y, widthMm, heightMm }, dotsPerMm)
      sheet.text(words.commands[command], x, y + heightMm + textHeightMm - 1, isLarge ? 13 : 9)
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

function drawCommand(sheet: Sheet, code: string, { x, y, widthMm, heightMm }: Room, dotsPerMm: number): void {
  const bars = toBars(code)
  const modules = bars.reduce((sum, bar) => sum + bar, 2 * quietModules)
  const dots = commandDots.find((each) => (modules * each) / dotsPerMm <= widthMm) ?? 1
  const left = x + (quietModules * dots) / dotsPerMm
  drawBars(sheet, bars, { x: left, y, heightMm }, dots / dotsPerMm)
}

/** Draws the command barcodes on the stock of a printer. */
export async function drawCommandLabel(
  printer: Printer,
  language: Language,
  scanner: Pick<Scanner, 'commandPrefix'>,
): Promise<PrintableLabel> {
  const dotsPerMm = toDotsPerMm(statedDpi(printer) ?? usualDpi)
  const pdf = await makeCommandSheet(getUprightStock(printer), dotsPerMm, language, scanner)
  return toLabel('commands', pdf)
}
