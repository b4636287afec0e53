import type { PDFiumDocument, PDFiumPage } from '@hyzyla/pdfium'
import { PDFiumLibrary } from '@hyzyla/pdfium'
import { appError } from '../../../shared/errors'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'
import type { PageSize } from '../stock'
import { sizeInWords } from '../stock'
import type { GreyPage } from './rasterizer'
import { userUnitsOf } from './userUnit'

const mmPerPoint = 25.4 / 72
/** Labels have one page, with papers for customs a few more. */
const mostPages = 20
/** The longest stock that a printer can be set to. */
const mostMm = 3000
/** A4 at 600 dpi has 35 million dots. */
const mostPixelsOfPage = 40_000_000
const mostPixels = 200_000_000

/** A page that is wanted, from 0, and how fine. */
export interface PageRequest {
  page: number
  dotsPerMm: number
}

/** PDFium, loaded once and used by one caller at a time. */
export interface Pdfium {
  measure(pdf: Uint8Array): Promise<Result<PageSize[]>>
  /** Draws pages one after the other and hands each to `use`, so that only one of them is in memory. */
  drawPages<T>(
    pdf: Uint8Array,
    wanted: readonly PageRequest[],
    use: (page: GreyPage, index: number) => T,
  ): Promise<Result<T[]>>
  /** How many pages there are. */
  countPages(pdf: Uint8Array): Promise<Result<number>>
}

/** Loads PDFium's WebAssembly, which takes some tens of milliseconds. */
export async function loadPdfium(): Promise<Pdfium> {
  const library = await PDFiumLibrary.init()
  return {
    measure: (pdf) => withDocument(library, pdf, measurePages),
    drawPages: (pdf, wanted, use) =>
      withDocument(library, pdf, (document, units) => drawPages(document, units, { wanted, use })),
    countPages: (pdf) => withDocument(library, pdf, async (document) => ok(document.getPageCount())),
  }
}

type Units = readonly number[] | undefined

async function withDocument<T>(
  library: PDFiumLibrary,
  pdf: Uint8Array,
  use: (document: PDFiumDocument, units: Units) => Promise<Result<T>>,
): Promise<Result<T>> {
  const document = await openDocument(library, pdf)
  if (!document.ok) return document
  try {
    const count = document.value.getPageCount()
    if (count === 0) return unreadable('it has no pages')
    if (count > mostPages) return unreadable(`it has ${count} pages, more than ${mostPages}`)
    return await use(document.value, await userUnitsOf(pdf))
  } finally {
    document.value.destroy()
  }
}

/** The library throws for each reason PDFium gives; its words are the same ones for every document. */
async function openDocument(library: PDFiumLibrary, pdf: Uint8Array): Promise<Result<PDFiumDocument>> {
  try {
    return ok(await library.loadDocument(pdf))
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return unreadable(/password|security/i.test(words) ? 'it is encrypted' : 'the PDF is damaged')
  }
}

async function measurePages(document: PDFiumDocument, units: Units): Promise<Result<PageSize[]>> {
  const sizes: PageSize[] = []
  for (let number = 0; number < document.getPageCount(); number += 1) {
    const page = document.getPage(number)
    const size = sizeOf(page, units?.[number])
    await closePage(page)
    const fault = faultOf(size)
    if (fault !== undefined) return unreadable(fault)
    sizes.push(size)
  }
  return ok(sizes)
}

/** Only rendering closes a page, and the document is not freed while pages are open. */
async function closePage(page: PDFiumPage): Promise<void> {
  await page.render({ width: 1, height: 1, colorSpace: 'Gray' })
}

async function drawPages<T>(
  document: PDFiumDocument,
  units: Units,
  { wanted, use }: { wanted: readonly PageRequest[]; use: (page: GreyPage, index: number) => T },
): Promise<Result<T[]>> {
  const results: T[] = []
  let pixels = 0
  for (const [index, request] of wanted.entries()) {
    const page = document.getPage(request.page)
    const size = sizeOf(page, units?.[request.page])
    // Whole dots, because the library cuts what it is given to whole points first when it is given a scale.
    const width = Math.max(1, Math.round(size.widthMm * request.dotsPerMm))
    const height = Math.max(1, Math.round(size.heightMm * request.dotsPerMm))
    pixels += width * height
    const fault = faultOf(size) ?? (tooLarge(width * height, pixels) ? 'its pages are too large' : undefined)
    if (fault !== undefined) {
      await closePage(page)
      return unreadable(fault)
    }
    const { data } = await page.render({ width, height, colorSpace: 'Gray', renderFormFields: false })
    results.push(use({ width, height, pixels: new Uint8Array(data) }, index))
  }
  return ok(results)
}

function tooLarge(ofPage: number, ofAll: number): boolean {
  return ofPage > mostPixelsOfPage || ofAll > mostPixels
}

function faultOf(size: PageSize): string | undefined {
  if (!(size.widthMm > 0 && size.heightMm > 0)) return 'a page of it is damaged'
  if (size.widthMm > mostMm || size.heightMm > mostMm) {
    return `a page of it is ${sizeInWords(size)}, larger than any label`
  }
  return undefined
}

function sizeOf(page: PDFiumPage, unit = 1): PageSize {
  const { originalWidth, originalHeight } = page.getOriginalSize()
  return { widthMm: originalWidth * unit * mmPerPoint, heightMm: originalHeight * unit * mmPerPoint }
}

function unreadable(reason: string): Result<never> {
  return err(
    appError(
      'label-unreadable',
      `The label can't be read: ${reason}. Ask the carrier for the label again, or print it from another program.`,
      { reason },
    ),
  )
}
