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
import {
  type GreyPage,
  isInRange,
  type StockedPrinter,
  toDotsPerMm,
  toGrey,
  toPlacementRequest,
  toZplLayout,
  usualDpi,
} from '../layout/labelLayout'
import type { PrintableLabel } from '../printableLabel'
import type { Rasterizer } from '../raster/rasterizer'

/** A ZPL label has a few thousand characters; pictures in it make it far longer, and nobody reads them. */
const maxTextBytes = 20_000

/** The label to preview and the printer to preview it for. */
export interface PreviewInput {
  label: PrintableLabel
  printer: Printer
  /** The resolution at which the app draws the printer's labels. */
  dpi: Dpi
  rules: readonly PlacementRule[]
  range?: PageRange | undefined
}

/**
 * Previews a label from the same dots that are sent to the printer. A folder printer shows the label's pages, a ZPL
 * label its text, since the printer draws it; `problem` says why there is no picture.
 * @param prover also reads the barcodes of the dots
 */
export async function previewPrint(
  question: PreviewInput,
  rasterizer: Pick<Rasterizer, 'measure' | 'renderGrey' | 'renderMono'>,
  prover?: Pick<BarcodeProver, 'prove'>,
): Promise<PrintPreview> {
  const { label, printer } = question
  const nothing: PrintPreview = {
    labelId: label.labelId,
    printerName: getPrinterName(printer),
    dpi: question.dpi,
    pictures: [],
    pages: await countPages(label, rasterizer),
    text: null,
    problem: null,
  }
  if (label.kind === 'zpl') return { ...nothing, text: toText(label) }
  if (label.kind === 'other') return { ...nothing, problem: appError('label-type-unknown') }
  if (printer.driver !== 'folder')
    return previewOnStock({ ...question, printer }, nothing, { rasterizer, prover })
  const pictures = await drawWholePages(question, rasterizer)
  if (!pictures.ok) return { ...nothing, problem: pictures.error }
  return { ...nothing, pictures: pictures.value }
}

async function previewOnStock(
  { label, printer, dpi, rules, range }: PreviewInput & { printer: StockedPrinter },
  nothing: PrintPreview,
  {
    rasterizer,
    prover,
  }: { rasterizer: Pick<Rasterizer, 'renderMono'>; prover: Pick<BarcodeProver, 'prove'> | undefined },
): Promise<PrintPreview> {
  const question = toPlacementRequest({ label, printer, rules, ...(range !== undefined && { range }) })
  const layout = toZplLayout({ ...printer, dpi }, question)
  const bitmaps = await rasterizer.renderMono(label.bytes, layout)
  if (!bitmaps.ok) return { ...nothing, problem: bitmaps.error }
  const proved = await prover?.prove({ pdf: label.bytes, layout, bitmaps: bitmaps.value })
  return {
    ...nothing,
    pictures: bitmaps.value.flatMap((dots) => (dots === undefined ? [] : [toPicture(toGrey(dots))])),
    ...(proved !== undefined && { barcodes: proved.proof }),
  }
}

/**
 * Previews the pages of a label that no printer can print as it is.
 * @param problem why it can't be printed
 */
export async function previewPages(
  { label, range }: Pick<PreviewInput, 'label' | 'range'>,
  problem: AppError,
  rasterizer: Pick<Rasterizer, 'measure' | 'renderGrey'>,
): Promise<PrintPreview> {
  const pages = label.kind === 'pdf' ? await drawWholePages({ label, range }, rasterizer) : ok([])
  return {
    labelId: label.labelId,
    printerName: '',
    dpi: usualDpi,
    pictures: pages.ok ? pages.value : [],
    pages: await countPages(label, rasterizer),
    text: label.kind === 'zpl' ? toText(label) : null,
    problem,
  }
}

async function countPages(
  { kind, bytes }: PrintableLabel,
  { measure }: Pick<Rasterizer, 'measure'>,
): Promise<number> {
  const sizes = kind === 'pdf' ? await measure(bytes) : undefined
  return sizes?.ok === true ? sizes.value.length : 0
}

function toText(label: PrintableLabel): string {
  return label.bytes.toString('utf8', 0, maxTextBytes)
}

/** Draws whole pages in one call, which bounds their total size. */
async function drawWholePages(
  { label, range }: Pick<PreviewInput, 'label' | 'range'>,
  rasterizer: Pick<Rasterizer, 'renderGrey'>,
): Promise<Result<PrintPreview['pictures']>> {
  const pages = await rasterizer.renderGrey(label.bytes, toDotsPerMm(usualDpi))
  if (!pages.ok) return pages
  return ok(pages.value.filter((_, page) => isInRange(page, range)).map(toPicture))
}

export function toPicture({ width, height, pixels }: GreyPage) {
  return { width, height, pixels: pixels.buffer }
}
