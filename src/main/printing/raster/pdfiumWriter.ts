import { type BoundedPdfium, type PdfiumApi, withMemory } from './pdfiumApi'

/** FLAT_PRINT: what is meant for print becomes part of the page. */
const asPrinted = 1

/** One page of a new PDF, in points from its bottom left corner. */
export interface PlacedPage {
  /** The page that it shows, from 0. */
  page: number
  width: number
  height: number
  /** From the page as it is shown (turned, cut to its boxes, in its size) to the new one. */
  matrix: readonly [a: number, b: number, c: number, d: number, e: number, f: number]
  /** Nothing is drawn outside of it. */
  clip: { left: number; bottom: number; right: number; top: number }
}

/**
 * A new PDF that shows pages of an open one, as they are drawn: without encryption, forms, rotations or units of their own.
 * Layers that are hidden are lost as such and would show.
 * @param document the open PDF and the units of its pages; its annotations become part of its pages
 * @returns undefined when PDFium can't do it
 */
export function writePlacedPages(
  pdfium: BoundedPdfium,
  { handle: document, units }: { handle: number; units: readonly number[] | undefined },
  pages: readonly PlacedPage[],
): Uint8Array | undefined {
  const { api } = pdfium
  return withNewDocument(pdfium, (made) => {
    for (const number of new Set(pages.map(({ page }) => page))) flatten(api, document, number)
    const shown = new Map<number, number>()
    try {
      return pages.every((placed, index) => {
        // Labels of one page share what it draws.
        const page = shown.get(placed.page) ?? api._FPDF_NewXObjectFromPage(made, document, placed.page)
        shown.set(placed.page, page)
        return addPage(api, { made, shown: page, placed, index, unit: units?.[placed.page] ?? 1 })
      })
    } finally {
      for (const page of shown.values()) api._FPDF_CloseXObject(page)
    }
  })
}

/**
 * The open PDF with only some of its pages, and all else as it was: layers, forms, annotations. It is not encrypted, and
 * its cross-references are new.
 * @param document handle of the open PDF, which loses its other pages
 * @param first from 0
 * @param last from 0
 */
export function writeSomePages(
  pdfium: BoundedPdfium,
  document: number,
  { first, last }: { first: number; last: number },
): Uint8Array | undefined {
  const { api } = pdfium
  for (let number = api._FPDF_GetPageCount(document) - 1; number >= 0; number -= 1) {
    if (number < first || number > last) api._FPDFPage_Delete(document, number)
  }
  return pdfium.save(document)
}

/**
 * The unit of each page in points, which PDFium leaves out of its sizes: 1 unless the PDF says otherwise.
 * @param document handle of the open PDF
 */
export function readUserUnits(pdfium: BoundedPdfium, document: number): number[] | undefined {
  // PDFium shows no page's dictionary, but it writes them as text, whatever they were packed or encrypted in.
  const copy = withNewDocument(
    pdfium,
    (made) => pdfium.api._FPDF_ImportPagesByIndex(made, document, 0, 0, 0) !== 0,
  )
  if (copy === undefined) return undefined
  const bytes = Buffer.from(copy.buffer, copy.byteOffset, copy.byteLength)
  if (!bytes.includes('/UserUnit')) return undefined
  const text = bytes.toString('latin1')
  const numbers = /\/Kids\[([^\]]*)\]/.exec(text)?.[1]?.match(/\d+(?= 0 R)/g) ?? []
  const starts = new Map<string, number>()
  for (const { 1: number = '', index } of text.matchAll(/\n(\d+) 0 obj/g)) {
    if (!starts.has(number)) starts.set(number, index)
  }
  return numbers.map((number) => {
    const start = starts.get(number)
    if (start === undefined) return 1
    const dictionary = text.slice(start, text.indexOf('endobj', start))
    const unit = Number(/\/UserUnit ([\d.]+)/.exec(dictionary)?.[1] ?? 1)
    return unit > 0 ? unit : 1
  })
}

function withNewDocument(pdfium: BoundedPdfium, fill: (made: number) => boolean): Uint8Array | undefined {
  const made = pdfium.api._FPDF_CreateNewDocument()
  if (made === 0) return undefined
  try {
    return fill(made) ? pdfium.save(made) : undefined
  } finally {
    pdfium.api._FPDF_CloseDocument(made)
  }
}

/** Fields of forms and other annotations are no content of a page: they would be left behind. */
function flatten(api: PdfiumApi, document: number, number: number): void {
  const page = api._FPDF_LoadPage(document, number)
  if (page === 0) return
  api._FPDFPage_Flatten(page, asPrinted)
  api._FPDF_ClosePage(page)
}

function addPage(
  api: PdfiumApi,
  {
    made,
    shown,
    placed,
    index,
    unit,
  }: { made: number; shown: number; placed: PlacedPage; index: number; unit: number },
): boolean {
  const { width, height, matrix, clip } = placed
  if (shown === 0) return false
  const page = api._FPDFPage_New(made, index, width, height)
  const object = api._FPDF_NewFormObjectFromXObject(shown)
  try {
    if (page === 0 || object === 0) return false
    const isAdded = withMemory(api, 24, (scratch) => {
      const [a, b, c, d, e, f] = matrix
      putNumbers(api, scratch, [a * unit, b * unit, c * unit, d * unit, e, f])
      if (api._FPDFPageObj_SetMatrix(object, scratch) === 0) return false
      api._FPDFPage_InsertObject(page, object)
      if (api._FPDFPage_GenerateContent(page) === 0) return false
      putNumbers(api, scratch, [clip.left, clip.top, clip.right, clip.bottom])
      return api._FPDFPage_TransFormWithClip(page, 0, scratch) !== 0
    })
    return isAdded === true
  } finally {
    if (page !== 0) api._FPDF_ClosePage(page)
  }
}

function putNumbers(api: PdfiumApi, address: number, numbers: readonly number[]): void {
  const view = new DataView(api.HEAPU8.buffer, address, numbers.length * 4)
  for (const [index, value] of numbers.entries()) view.setFloat32(index * 4, value, true)
}
