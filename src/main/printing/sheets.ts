import {
  concatTransformationMatrix,
  drawObject,
  PDFDocument,
  type PDFRef,
  popGraphicsState,
  pushGraphicsState,
} from 'pdf-lib'
import { appError } from '../../shared/errors'
import type { LabelSheet, Printer, Stock, SystemPrinter } from '../../shared/printing'
import { pastSheetEdge } from '../../shared/printing'
import type { SheetPlace } from '../../shared/printingBridge'
import { err, ok, type Result } from '../../shared/result'
import type { PrintContext, PrinterDriver, PrintOutcome } from './drivers/driver'
import { nothingPrinted } from './drivers/driver'
import { questionOf } from './labelPlan'
import type { SheetPlaces } from './ports'
import type { MonoBitmap, Rasterizer } from './raster/rasterizer'
import { zplLayoutOf } from './raster/zpl'
import { nameOfPrinter } from './routing'

const pointsPerMm = 72 / 25.4
/** Office printers have at least this; barcodes are drawn in whole dots of it. */
const usualDpi = 600

type Context = PrintContext<SystemPrinter>

/** What printing on sheets of labels works with. */
export interface SheetDeps {
  rasterizer: Pick<Rasterizer, 'renderZpl'>
  places: SheetPlaces
}

/**
 * Adds sheets of labels to a driver for queues: labels are drawn, and laid on sheets from the next free place on. A
 * place is taken before the first byte may leave, and becomes free again only when it is certain that nothing was
 * printed, so that no label is printed on a place that is used up.
 */
export function withSheets(
  driver: PrinterDriver<SystemPrinter>,
  { rasterizer, places }: SheetDeps,
): PrinterDriver<SystemPrinter> {
  return {
    ...driver,
    async print(context, signal) {
      const { sheet, ...printer } = context.printer
      if (sheet === undefined) return driver.print(context, signal)
      if (pastSheetEdge(sheet, printer.stock).length > 0) return nothingPrinted(pastEdge(context.printer))
      const labels = await drawLabels(context, rasterizer)
      if (!labels.ok) return nothingPrinted(labels.error)
      const count = labels.value.length
      const onSheet = sheet.columns * sheet.rows
      const from = await places.take(printer.id, count, onSheet)
      const bytes = await sheetPdf(labels.value, { sheet, stock: printer.stock, from })
      const { rotate: _turned, offsetMm: _shifted, ...rest } = printer
      const { range: _taken, ...whole } = context
      const outcome = await driver.print(
        {
          ...whole,
          label: { ...context.label, kind: 'pdf', bytes },
          printer: { ...rest, rotate: 0, stock: sheetSize(sheet), copies: 1 },
          rules: [],
          check: () => ok(undefined),
          isDrawn: true,
        },
        signal,
      )
      if (isCertainlyUnprinted(outcome)) await places.giveBack(printer.id, { from, count }, onSheet)
      return outcome
    },
  }
}

/** Draws the labels in the order in which they are printed, copies among them. */
export async function drawLabels(
  context: Context,
  rasterizer: SheetDeps['rasterizer'],
): Promise<Result<MonoBitmap[]>> {
  const { label, printer } = context
  if (label.kind === 'zpl') return err(noZpl(printer))
  const layout = zplLayoutOf({ ...printer, dpi: printer.dpi ?? usualDpi, copies: 1 }, questionOf(context))
  const drawn = await rasterizer.renderZpl(label.bytes, layout)
  if (!drawn.ok) return drawn
  const checked = context.check(drawn.value.findings, drawn.value.barcodes)
  if (!checked.ok) return checked
  const times = Array.from({ length: printer.copies })
  const once = drawn.value.bitmaps
  return ok(
    printer.collate === false
      ? once.flatMap((bitmap) => times.map(() => bitmap))
      : times.flatMap(() => [...once]),
  )
}

function isCertainlyUnprinted(outcome: PrintOutcome): boolean {
  return outcome.kind === 'not-started' || (outcome.kind === 'failed' && outcome.nothingPrinted)
}

function sheetSize({ widthMm, heightMm }: LabelSheet): Stock {
  return { widthMm, heightMm }
}

/**
 * Labels as pictures on sheets, row by row.
 * @param from the place of the first label, from 0; the sheets that follow begin with their first place
 */
export async function sheetPdf(
  labels: readonly MonoBitmap[],
  { sheet, stock, from }: { sheet: LabelSheet; stock: Stock; from: number },
): Promise<Buffer> {
  const { columns, rows, marginMm = { x: 0, y: 0 }, gapMm = { x: 0, y: 0 } } = sheet
  const document = await PDFDocument.create()
  const newPage = () => document.addPage([sheet.widthMm * pointsPerMm, sheet.heightMm * pointsPerMm])
  const pictures = new Map<MonoBitmap, PDFRef>()
  const pictureOf = (bitmap: MonoBitmap) => {
    const known = pictures.get(bitmap) ?? document.context.register(pictureOn(document, bitmap))
    pictures.set(bitmap, known)
    return known
  }
  let page = newPage()
  for (const [index, bitmap] of labels.entries()) {
    const place = (from + index) % (columns * rows)
    if (index > 0 && place === 0) page = newPage()
    const x = marginMm.x + (place % columns) * (stock.widthMm + gapMm.x)
    const y = marginMm.y + Math.floor(place / columns) * (stock.heightMm + gapMm.y)
    const name = page.node.newXObject('Label', pictureOf(bitmap))
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

/** One bit for each dot, so that it comes out dot for dot; white stays clear, for what may lie below its edge. */
function pictureOn(document: PDFDocument, { width, height, bits }: MonoBitmap) {
  return document.context.flateStream(bits, {
    ...{ Type: 'XObject', Subtype: 'Image', Width: width, Height: height },
    ...{ ImageMask: true, BitsPerComponent: 1, Decode: [1, 0] },
  })
}

function noZpl(printer: SystemPrinter) {
  const name = nameOfPrinter(printer)
  return appError(
    'printer-takes-no-zpl',
    `The label is ZPL, which printer ${name} with sheets of labels does not take: print it on a label printer.`,
    { printer: name, queue: printer.queue },
  )
}

function pastEdge(printer: SystemPrinter) {
  const name = nameOfPrinter(printer)
  return appError(
    'labels-past-sheet-edge',
    `The labels of printer ${name} reach past the edge of their sheet. Nothing was printed: correct the sheet or the label size in Settings.`,
    { printer: name },
  )
}

/** Where the next label of a printer goes; `invalid-input` for one without sheets. */
export async function getSheetPlace(printer: Printer, places: SheetPlaces): Promise<Result<SheetPlace>> {
  const onSheet = placesOf(printer)
  if (onSheet === undefined) return err(noSheets(printer))
  return ok({ place: (await places.next(printer.id, onSheet)) + 1, places: onSheet })
}

/** Says where the next label of a printer goes, from 1; `invalid-input` when its sheets have no such place. */
export async function setSheetPlace(
  printer: Printer,
  place: number,
  places: SheetPlaces,
): Promise<Result<SheetPlace>> {
  const onSheet = placesOf(printer)
  if (onSheet === undefined || place > onSheet) return err(noSheets(printer))
  await places.set(printer.id, place - 1)
  return ok({ place, places: onSheet })
}

function placesOf(printer: Printer): number | undefined {
  const sheet = printer.driver === 'system' ? printer.sheet : undefined
  return sheet === undefined ? undefined : sheet.columns * sheet.rows
}

function noSheets(printer: Printer) {
  const name = nameOfPrinter(printer)
  return appError(
    'invalid-input',
    `Printer ${name} has no such place on its sheets of labels: look at its sheet in Settings.`,
    { printer: name },
  )
}
