import { appError } from '../../../shared/errors'
import type { BoxMm, LabelFinding } from '../../../shared/labels'
import {
  getPrinterName,
  type LabelSheet,
  type Printer,
  pastSheetEdge,
  type SheetPlace,
  type Stock,
  type SystemPrinter,
} from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { toReason } from '../../lib/toReason'
import { type Margins, turned, turnedBack } from '../layout/geometry'
import {
  type MonoBitmap,
  type Placement,
  toGrey,
  toPlacementRequest,
  toZplLayout,
} from '../layout/labelLayout'
import { findStrayInk, getPrintedParts } from '../layout/strayInk'
import type { Rasterizer } from '../raster/rasterizer'
import { getMarginsAt, type SheetLayout, writeSheetPdf } from '../raster/sheetPdf'
import { isCertainlyUnprinted, nothingPrinted, type PrintContext, type PrinterDriver } from './driver'

/** The next free place on each printer's sheet of labels, from 0; kept over a restart. */
export interface SheetPlaces {
  /** @param onSheet the number of places on a sheet */
  next(printerId: string, onSheet: number): Promise<number>
  set(printerId: string, place: number): Promise<void>
  /** Reserves the next places, on as many sheets as needed. @returns the first place */
  reserve(printerId: string, count: number, onSheet: number): Promise<number>
  /** Frees reserved places, unless the next place was changed since. */
  release(printerId: string, reserved: { from: number; count: number }, onSheet: number): Promise<void>
}

/** The resolution of most office printers; barcodes are drawn in whole dots of it. */
const usualDpi = 600
/** The maximum of areas that a finding names. */
const maxAreas = 50

type Context = PrintContext<SystemPrinter>

export interface SheetDeps {
  rasterizer: Pick<Rasterizer, 'renderZpl'>
  places: SheetPlaces
}

/**
 * Adds sheets of labels to a system driver: labels are drawn and laid on sheets from the next free place on. Places are
 * reserved before the first byte may leave and released only when certainly nothing was printed, so that no label is
 * printed on a used place.
 */
export function withSheets(
  driver: PrinterDriver<SystemPrinter>,
  { rasterizer, places }: SheetDeps,
): PrinterDriver<SystemPrinter> {
  return {
    ...driver,
    findDpi: async (printer) => (printer.sheet === undefined ? driver.findDpi?.(printer) : usualDpi),
    async print(context, signal) {
      const { sheet, ...printer } = context.printer
      if (sheet === undefined) return driver.print(context, signal)
      if (pastSheetEdge(sheet, printer.stock).length > 0)
        return nothingPrinted(appError('labels-past-sheet-edge', { printer: getPrinterName(printer) }))
      const labels = await drawLabels(context, rasterizer)
      if (!labels.ok) return nothingPrinted(labels.error)
      const count = labels.value.length
      const onSheet = sheet.columns * sheet.rows
      const from = await places.reserve(printer.id, count, onSheet)
      let isClaimed = false
      let isUsed = false
      const claim = async () => {
        isClaimed = await context.claim()
        return isClaimed
      }
      try {
        const layout = { sheet, stock: printer.stock, from }
        const bytes = await writeSheets(labels.value, layout, context.printer)
        if (!bytes.ok) return nothingPrinted(bytes.error)
        const { rotate: _turned, offsetMm: _shifted, ...rest } = printer
        const { range: _taken, ...whole } = context
        const drawn = {
          findInkIn: (marginsMm: Margins) =>
            findInkIn(marginsMm, labels.value, { ...layout, printer: context.printer }),
        }
        const outcome = await driver.print(
          {
            ...{ ...whole, claim, drawn, rules: [] },
            label: { ...context.label, kind: 'pdf', bytes: bytes.value },
            printer: { ...rest, rotate: 0, stock: sheetSize(sheet), copies: 1 },
          },
          signal,
        )
        isUsed = isClaimed && !isCertainlyUnprinted(outcome)
        return outcome
      } catch (error) {
        isUsed = isClaimed
        throw error
      } finally {
        if (!isUsed) await places.release(printer.id, { from, count }, onSheet)
      }
    },
  }
}

/** A label's dots, and where they come from. */
interface DrawnLabel {
  bitmap: MonoBitmap
  placement: Placement
}

/** Draws the labels in the order in which they are printed, including copies. */
export async function drawLabels(
  context: Context,
  rasterizer: SheetDeps['rasterizer'],
): Promise<Result<DrawnLabel[]>> {
  const { label, printer } = context
  if (label.kind === 'zpl') {
    const details = { case: 'sheets', printer: getPrinterName(printer), queue: printer.queue } as const
    return err(appError('printer-takes-no-zpl', details))
  }
  const layout = toZplLayout(
    { ...printer, dpi: printer.dpi ?? usualDpi, copies: 1 },
    toPlacementRequest(context),
  )
  const drawn = await rasterizer.renderZpl(label.bytes, layout)
  if (!drawn.ok) return drawn
  const checked = context.check(drawn.value.findings, drawn.value.barcodes)
  if (!checked.ok) return checked
  const times = Array.from({ length: printer.copies })
  const { bitmaps, placements } = drawn.value
  const once = placements.flatMap((placement, index) => {
    const bitmap = bitmaps[index]
    return bitmap === undefined ? [] : [{ bitmap, placement }]
  })
  return ok(
    printer.collate === false
      ? once.flatMap((label) => times.map(() => label))
      : times.flatMap(() => [...once]),
  )
}

function sheetSize({ widthMm, heightMm }: LabelSheet): Stock {
  return { widthMm, heightMm }
}

async function writeSheets(
  labels: readonly DrawnLabel[],
  layout: SheetLayout,
  printer: SystemPrinter,
): Promise<Result<Buffer>> {
  try {
    const bitmaps = labels.map(({ bitmap }) => bitmap)
    return ok(await writeSheetPdf(bitmaps, layout))
  } catch (error) {
    const says = [{ code: 'system-words' as const, words: toReason(error) }]
    return err(appError('printer-failed', { case: 'sheet', printer: getPrinterName(printer) }, says))
  }
}

/** Finds ink of labels in the sheet's unprintable margins; the areas are on the label's original pages. */
function findInkIn(
  marginsMm: Margins,
  labels: readonly DrawnLabel[],
  layout: SheetLayout & { printer: Pick<SystemPrinter, 'offsetMm'> },
): LabelFinding[] {
  const { sheet, stock, from, printer } = layout
  const found = new Map<number, BoxMm[]>()
  for (const [index, { bitmap, placement }] of labels.entries()) {
    const own = getMarginsAt((from + index) % (sheet.columns * sheet.rows), marginsMm, layout)
    const lost = findInkInMargins(bitmap, stock, own)
    if (lost.length === 0) continue
    const areas = lost.map((box) => toPageBox(box, placement, { stock, offsetMm: printer.offsetMm }))
    found.set(placement.page + 1, [...(found.get(placement.page + 1) ?? []), ...areas])
  }
  return [...found].map(([page, areas]) => ({ kind: 'ink-cut', page, areas: areas.slice(0, maxAreas) }))
}

/** Ink of a label within margins of its stock, in millimetres from the stock's top left corner. */
function findInkInMargins(bitmap: MonoBitmap, stock: Stock, marginsMm: Margins): BoxMm[] {
  if (Object.values(marginsMm).every((margin) => margin === 0)) return []
  const drawn = toGrey(bitmap)
  const { width, height } = drawn
  const dotsPerMm = width / stock.widthMm
  const whole: Placement = { page: 0, area: { xMm: 0, yMm: 0, ...stock }, turn: 0, scale: 1 }
  const printed = getPrintedParts([whole], {
    ...{ dotsPerMm, widthDots: width, heightDots: height, offsetDots: { x: 0, y: 0 }, marginsMm },
  })
  return findStrayInk(drawn, dotsPerMm, printed, [])
}

/** Converts a box on the stock to the label's original page. */
function toPageBox(
  box: BoxMm,
  { area, turn, scale }: Placement,
  { stock, offsetMm }: Pick<SystemPrinter, 'stock' | 'offsetMm'>,
): BoxMm {
  const middle = {
    x: box.xMm + box.widthMm / 2 - stock.widthMm / 2 - (offsetMm?.x ?? 0),
    y: box.yMm + box.heightMm / 2 - stock.heightMm / 2 - (offsetMm?.y ?? 0),
  }
  const { x, y } = turnedBack(middle, turn)
  const size = turned(box, turn)
  const [widthMm, heightMm] = [size.widthMm / scale, size.heightMm / scale]
  return {
    xMm: area.xMm + area.widthMm / 2 + x / scale - widthMm / 2,
    yMm: area.yMm + area.heightMm / 2 + y / scale - heightMm / 2,
    ...{ widthMm, heightMm },
  }
}

/** The place of a printer's next label, from 1; `invalid-input` for a printer without sheets. */
export async function getSheetPlace(printer: Printer, places: SheetPlaces): Promise<Result<SheetPlace>> {
  const onSheet = countPlaces(printer)
  if (onSheet === undefined) return err(noSheets(printer))
  return ok({ place: (await places.next(printer.id, onSheet)) + 1, places: onSheet })
}

/** Sets the place of a printer's next label, from 1; `invalid-input` when its sheets have no such place. */
export async function setSheetPlace(
  printer: Printer,
  place: number,
  places: SheetPlaces,
): Promise<Result<SheetPlace>> {
  const onSheet = countPlaces(printer)
  if (onSheet === undefined || place > onSheet) return err(noSheets(printer))
  await places.set(printer.id, place - 1)
  return ok({ place, places: onSheet })
}

function countPlaces(printer: Printer): number | undefined {
  const sheet = printer.driver === 'system' ? printer.sheet : undefined
  return sheet === undefined ? undefined : sheet.columns * sheet.rows
}

function noSheets(printer: Printer) {
  const name = getPrinterName(printer)
  return appError('invalid-input', { case: 'sheet-place', printer: name })
}
