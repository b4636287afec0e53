import { appError } from '../../shared/errors'
import type { Printer, Stock } from '../../shared/printing'
import type { Result } from '../../shared/result'
import { err, ok } from '../../shared/result'
import { nameOfPrinter } from './routing'

/** The size of a page in millimetres, as it is shown: turned, when the PDF says so. */
export interface PageSize {
  widthMm: number
  heightMm: number
}

/** Cutting of labels and rounding in PDFs stay below this; the next common label size is further away. */
const toleranceMm = 1

/** Whether two sizes are the same label for a printer: within 1 mm on each side. */
export function sameSize(one: PageSize, other: PageSize): boolean {
  return (
    Math.abs(one.widthMm - other.widthMm) <= toleranceMm &&
    Math.abs(one.heightMm - other.heightMm) <= toleranceMm
  )
}

/** A size in words, in millimetres with at most one decimal: `101.6 x 152.4 mm`. */
export function sizeInWords(size: PageSize): string {
  return `${rounded(size.widthMm)} x ${rounded(size.heightMm)} mm`
}

/**
 * The gate that every PDF label passes before it goes to a printer: each page, turned as the printer's settings say,
 * must be of the size of the stock. Nothing is ever scaled, so what does not fit is not printed.
 * @returns the error `stock-not-supported`, naming both sizes
 */
export function checkPagesFit(
  pages: PageSize[],
  printer: Printer & { stock: Stock; rotate: number },
): Result<void> {
  for (const page of pages) {
    if (sameSize(turned(page, printer.rotate), printer.stock)) continue
    const name = nameOfPrinter(printer)
    const sizes = { page: sizeInWords(page), stock: sizeInWords(printer.stock), printer: name }
    return err(
      appError(
        'stock-not-supported',
        `The label is ${sizes.page}${printer.rotate % 180 === 0 ? '' : ' and is turned'}, but printer ${name} holds labels of ${sizes.stock}: choose another printer, or correct the label size or the turn in its settings.`,
        sizes,
      ),
    )
  }
  return ok(undefined)
}

function turned(page: PageSize, rotate: number): PageSize {
  return rotate % 180 === 0 ? page : { widthMm: page.heightMm, heightMm: page.widthMm }
}

function rounded(millimetres: number): number {
  return Math.round(millimetres * 10) / 10
}
