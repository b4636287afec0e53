import type { PDFiumDocument, PDFiumPage } from '@hyzyla/pdfium'
import { PDFiumLibrary } from '@hyzyla/pdfium'
import { appError } from '../../../shared/errors'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'
import type { PageSize } from '../stock'
import type { GreyPage } from './rasterizer'

const mmPerPoint = 25.4 / 72
/** Labels have one page, with papers for customs a few more. */
const mostPages = 20
/** A4 at 600 dpi has 35 million dots. */
const mostPixels = 40_000_000

/** PDFium, loaded once and used by one caller at a time. */
export interface Pdfium {
  measure(pdf: Uint8Array): Promise<Result<PageSize[]>>
  render(pdf: Uint8Array, dotsPerMm: number): Promise<Result<GreyPage[]>>
}

/** Loads PDFium's WebAssembly, which takes some tens of milliseconds. */
export async function loadPdfium(): Promise<Pdfium> {
  const library = await PDFiumLibrary.init()
  return {
    measure: (pdf) => withPages(library, pdf, async (pages) => ok(await measurePages(pages))),
    render: (pdf, dotsPerMm) => withPages(library, pdf, (pages) => renderPages(pages, dotsPerMm)),
  }
}

async function withPages<T>(
  library: PDFiumLibrary,
  pdf: Uint8Array,
  use: (pages: Iterable<PDFiumPage>) => Promise<Result<T>>,
): Promise<Result<T>> {
  const document = await openDocument(library, pdf)
  if (!document.ok) return document
  try {
    const count = document.value.getPageCount()
    if (count === 0) return unreadable('it has no pages')
    if (count > mostPages) return unreadable(`it has ${count} pages, more than ${mostPages}`)
    return await use(document.value.pages())
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

async function measurePages(pages: Iterable<PDFiumPage>): Promise<PageSize[]> {
  const sizes: PageSize[] = []
  for (const page of pages) {
    sizes.push(sizeOf(page))
    // Only rendering closes a page, and the document is not freed while pages are open.
    await page.render({ width: 1, height: 1, colorSpace: 'Gray' })
  }
  return sizes
}

async function renderPages(pages: Iterable<PDFiumPage>, dotsPerMm: number): Promise<Result<GreyPage[]>> {
  const rendered: GreyPage[] = []
  let pixels = 0
  for (const page of pages) {
    const size = sizeOf(page)
    const width = Math.max(1, Math.round(size.widthMm * dotsPerMm))
    const height = Math.max(1, Math.round(size.heightMm * dotsPerMm))
    pixels += width * height
    if (size.widthMm === 0 || size.heightMm === 0) return unreadable('a page of it is damaged')
    if (pixels > mostPixels) {
      await page.render({ width: 1, height: 1, colorSpace: 'Gray' })
      return unreadable('its pages are too large')
    }
    const { data } = await page.render({ width, height, colorSpace: 'Gray', renderFormFields: false })
    rendered.push({ width, height, pixels: new Uint8Array(data) })
  }
  return ok(rendered)
}

function sizeOf(page: PDFiumPage): PageSize {
  const { originalWidth, originalHeight } = page.getOriginalSize()
  return { widthMm: originalWidth * mmPerPoint, heightMm: originalHeight * mmPerPoint }
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
