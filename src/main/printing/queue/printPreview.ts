import { type AppError, appError } from '../../../shared/errors'
import type { PlacementRule } from '../../../shared/labels'
import {
  type Dpi,
  getPrinterName,
  type PageRange,
  type Printer,
  type PrintPreview,
} from '../../../shared/printing'
import { ok, type Result } from '../../../shared/result'
import type { BarcodeProver } from '../barcodes/barcodeProver'
import { toDotsPerMm } from '../layout/geometry'
import {
  type GreyPage,
  isInRange,
  type StockedPrinter,
  statedDpi,
  toGrey,
  toQuestion,
  toZplLayout,
  usualDpi,
} from '../layout/labelLayout'
import type { PrintableLabel } from '../printableLabel'
import type { Rasterizer } from '../raster/rasterizer'

/** A ZPL label is a few thousand characters; a picture inside can make it far longer than anyone reads. */
const maxText = 20_000

/** A label on its way to a printer. */
export interface PreviewQuestion {
  label: PrintableLabel
  printer: Printer
  rules: readonly PlacementRule[]
  range?: PageRange
}

/**
 * A label as a printer will show it, from the same dots that are sent to it; the pages that a folder takes; the text of
 * a ZPL label, which the printer draws itself; or why there is no picture.
 * @param prover reads the barcodes of the dots, too
 */
export async function previewPrint(
  question: PreviewQuestion,
  rasterizer: Pick<Rasterizer, 'renderGrey' | 'renderMono'>,
  prover?: Pick<BarcodeProver, 'prove'>,
): Promise<PrintPreview> {
  const { label, printer } = question
  const nothing: PrintPreview = {
    labelId: label.labelId,
    printerName: getPrinterName(printer),
    dpi: toDpi(printer),
    pictures: [],
    text: null,
    problem: null,
  }
  if (label.kind === 'zpl') return { ...nothing, text: toText(label) }
  if (label.kind === 'other') return { ...nothing, problem: appError('label-type-unknown') }
  if (printer.driver !== 'folder') return placed({ ...question, printer }, nothing, { rasterizer, prover })
  const pictures = await wholePages(question, rasterizer)
  if (!pictures.ok) return { ...nothing, problem: pictures.error }
  return { ...nothing, pictures: pictures.value }
}

async function placed(
  { label, printer, rules, range }: PreviewQuestion & { printer: StockedPrinter },
  nothing: PrintPreview,
  {
    rasterizer,
    prover,
  }: { rasterizer: Pick<Rasterizer, 'renderMono'>; prover: Pick<BarcodeProver, 'prove'> | undefined },
): Promise<PrintPreview> {
  const question = toQuestion({ label, printer, rules, ...(range !== undefined && { range }) })
  const layout = toZplLayout({ ...printer, dpi: toDpi(printer) }, question)
  const bitmaps = await rasterizer.renderMono(label.bytes, layout)
  if (!bitmaps.ok) return { ...nothing, problem: bitmaps.error }
  const proved = await prover?.prove({ pdf: label.bytes, layout, bitmaps: bitmaps.value })
  return {
    ...nothing,
    pictures: bitmaps.value.map((dots) => toPicture(toGrey(dots))),
    ...(proved !== undefined && { barcodes: proved.proof }),
  }
}

function toDpi(printer: Printer): Dpi {
  return statedDpi(printer) ?? usualDpi
}

/**
 * The pages of a label that no printer can print as it is, so that it can be looked at all the same.
 * @param problem what is in the way of printing it
 */
export async function previewPages(
  label: PrintableLabel,
  problem: AppError,
  rasterizer: Pick<Rasterizer, 'renderGrey'>,
): Promise<PrintPreview> {
  const pages = label.kind === 'pdf' ? await wholePages({ label }, rasterizer) : ok([])
  return {
    labelId: label.labelId,
    printerName: '',
    dpi: usualDpi,
    pictures: pages.ok ? pages.value : [],
    text: label.kind === 'zpl' ? toText(label) : null,
    problem,
  }
}

function toText(label: PrintableLabel): string {
  return label.bytes.toString('utf8', 0, maxText)
}

/** The pages as they are, as a folder takes them: drawn together, so that their size is bounded together as well. */
async function wholePages(
  { label, range }: Pick<PreviewQuestion, 'label' | 'range'>,
  rasterizer: Pick<Rasterizer, 'renderGrey'>,
): Promise<Result<PrintPreview['pictures']>> {
  const pages = await rasterizer.renderGrey(label.bytes, toDotsPerMm(usualDpi))
  if (!pages.ok) return pages
  return ok(pages.value.filter((_, page) => isInRange(page, range)).map(toPicture))
}

/** A page or a label as it is shown. */
export function toPicture({ width, height, pixels }: GreyPage) {
  return { width, height, pixels: pixels.buffer }
}
