import { appError } from '../../../shared/errors'
import { err, ok, type Result } from '../../../shared/result'
import { type PageSize, sizeInDots, sizeInWords } from '../layout/geometry'
import { type GreyPage, maxDotsOfJob } from '../layout/labelLayout'
import { drawOnlyPicture } from './onlyPicture'
import {
  findMissingText,
  freeRectanglesFromDots,
  hasTooLargePicture,
  lacksLetters,
  type MissingText,
} from './pageObjects'
import { type BoundedPdfium, loadPdfiumApi, type PdfiumApi, readFloats, withMemory } from './pdfiumApi'

const mmPerPoint = 25.4 / 72
/** Labels have one page, and a few more with customs documents; page ranges do not exceed this either. */
const maxPages = 10_000
/** The longest stock that a printer can be set to. */
const maxMm = 3000
/** Maximum number of dots of a drawn page. A4 at 600 dpi has 35 million. */
export const maxPixelsOfPage = 40_000_000

/** FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY. */
const encryptedErrors = [4, 5]
const greyFormat = 1
/** FPDF_ANNOT, FPDF_LCD_TEXT and FPDF_PRINTING: draws the layers and annotations that are enabled for printing. */
const drawFlags = 0x01 | 0x02 | 0x800
/** Flags of annotations. */
const annotationFlags = { hidden: 0x02, print: 0x04, noView: 0x20 }
/** FPDF_GRAYSCALE. It converts pictures to grey before they are reduced, which takes as long as drawing them. */
const greyFirst = 0x08
/** For the second pass, which draws form fields; annotations are drawn with the page. */
const fieldFlags = 0x02 | 0x08
/** The size of FPDF_FORMFILLINFO version 2, whose callbacks may all be null. */
const formInfoBytes = 256

/** A page to draw, from 0, and its resolution. */
interface PageRequest {
  page: number
  dotsPerMm: number
}

/**
 * Called with a drawn page. Its pixels are in PDFium's memory and valid only until this returns: copy those that are
 * kept.
 * @param missing the text that was drawn incorrectly
 */
type UsePage<T> = (page: GreyPage, index: number, missing: readonly MissingText[]) => T

/** The text of a page whose fonts are not embedded. */
interface PageText {
  /** Text that is drawn incorrectly. */
  missing: readonly MissingText[]
  /** Whether some of it is drawn with the app's fonts, which other programs may not have. */
  hasOwnLetters: boolean
}

/**
 * Loads PDFium's WebAssembly, which takes a few tens of milliseconds.
 * @param fontFolders the folders with fonts for Chinese, Japanese and Korean text; without such a font, text whose font
 *   is not embedded stays blank
 */
export async function loadPdfium(fontFolders: readonly string[] = []) {
  const pdfium = await loadPdfiumApi(fontFolders)
  return {
    /** Opens a PDF and closes it when `use` returns. */
    read: <T>(pdf: Uint8Array, use: (open: OpenPdf) => Result<T>): Result<T> =>
      withDocument(pdfium, withTrailer(pdf), (document) => use(toOpenPdf(document, pdf))),
  }
}

/** PDFium, loaded once and used by one caller at a time. */
export type Pdfium = Awaited<ReturnType<typeof loadPdfium>>

/** A PDF while it is open. */
export type OpenPdf = ReturnType<typeof toOpenPdf>

function toOpenPdf(document: OpenDocument, pdf: Uint8Array) {
  return {
    pages: document.pages,
    /**
     * Whether other programs may read it differently or not at all: it is encrypted, its cross-references are damaged,
     * or a page has a user unit or boxes that other programs place differently.
     */
    isUnusual: () => document.isUnusual || hasUnusualBoxes(document),
    /** Whether it has intact cross-references and an end mark, which some programs require. */
    isWhole: document.isWhole && hasEnd(pdf),
    measure: () => measurePages(document),
    /** Draws pages one by one and passes each to `use`, so that only one is in memory. */
    draw: <T>(wanted: readonly PageRequest[], use: UsePage<T>) =>
      withForm(document, (form) => drawPages(document, form, wanted, use)),
    /** @param page from 0 */
    readText: (page: number) => readText(document, page),
    /**
     * Writes a new PDF that shows the pages as they are drawn, but also hidden layers. Nothing can be drawn afterwards.
     */
    writePlaced: (pages: readonly PlacedPage[]) =>
      withForm(document, (form) => written(writePlacedPages(document, form, pages))),
    /** Writes the PDF with its pages from `first` to `last`, from 0, only. Nothing can be drawn afterwards. */
    writeSome: (range: { first: number; last: number }) =>
      written(writeSomePages(document.pdfium, document.handle, range)),
  }
}

interface OpenDocument {
  pdfium: BoundedPdfium
  api: PdfiumApi
  handle: number
  /** The address of its bytes in PDFium's memory. */
  bytes: { address: number; length: number }
  pages: number
  isWhole: boolean
  /** Whether it is encrypted, damaged, or has user units. */
  isUnusual: boolean
  /** Whether letters whose font is not embedded are drawn with the app's fonts. */
  hasOwnLetters: boolean
  /** The unit of each page, in points; all are 1 when undefined. */
  units: readonly number[] | undefined
}

function withDocument<T>(
  pdfium: BoundedPdfium,
  pdf: Uint8Array,
  use: (document: OpenDocument) => Result<T>,
): Result<T> {
  const { api, wasRefusedMemory } = pdfium
  wasRefusedMemory()
  const result = withMemory(api, pdf.length, (address): Result<T> => {
    api.HEAPU8.set(pdf, address)
    const handle = api._FPDF_LoadMemDocument(address, pdf.length, 0)
    if (handle === 0) {
      const isEncrypted = encryptedErrors.includes(api._FPDF_GetLastError())
      return isEncrypted ? err(needsPassword) : unreadable('the PDF is damaged')
    }
    try {
      const pages = api._FPDF_GetPageCount(handle)
      if (pages === 0) return unreadable('it has no pages')
      if (pages > maxPages) return unreadable(`it has ${pages} pages, more than ${maxPages}`)
      const isWhole = api._FPDF_DocumentHasValidCrossReferenceTable(handle) !== 0
      if (!isWhole && !hasAllObjects(pdf)) return unreadable('its end is missing')
      const units = mayHaveUnits(pdf) ? readUserUnits(pdfium, handle) : undefined
      const hasUnits = units?.some((unit) => unit !== 1) === true
      const isEncrypted = api._FPDF_GetSecurityHandlerRevision(handle) !== -1
      const bytes = { address, length: pdf.length }
      const isUnusual = !isWhole || hasUnits || isEncrypted
      return use({ pdfium, api, handle, bytes, pages, units, isWhole, isUnusual, hasOwnLetters: false })
    } finally {
      api._FPDF_CloseDocument(handle)
    }
  })
  // PDFium silently leaves out a picture for which it has no memory.
  return wasRefusedMemory() || result === undefined ? noMemory : result
}

/** The word for a page's own unit may stand in packed objects. */
function mayHaveUnits(pdf: Uint8Array): boolean {
  const bytes = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength)
  return bytes.includes('/UserUnit') || bytes.includes('/ObjStm')
}

/**
 * Whether a page states boxes that differ from what is shown, or none of its own. CUPS places a page by its TrimBox,
 * otherwise by its CropBox and MediaBox, with their corners in the order in which they are written.
 */
function hasUnusualBoxes(document: OpenDocument): boolean {
  const { api, pages } = document
  const readStated = (page: number, get: (...values: [number, number, number, number, number]) => number) =>
    withMemory(api, 16, (at) =>
      get(page, at, at + 4, at + 8, at + 12) === 0 ? undefined : readFloats(api, at, 4).join(' '),
    )
  for (let number = 0; number < pages; number += 1) {
    const isUnusual = withPage(document, number, (page) => {
      const [left, top, right, bottom] =
        withMemory(api, 16, (at) =>
          api._FPDF_GetPageBoundingBox(page, at) === 0 ? [] : readFloats(api, at, 4),
        ) ?? []
      const shown = [left, bottom, right, top].join(' ')
      const crop = readStated(page, api._FPDFPage_GetCropBox) ?? readStated(page, api._FPDFPage_GetMediaBox)
      const trim = readStated(page, api._FPDFPage_GetTrimBox) ?? crop
      return ok(crop !== shown || trim !== shown)
    })
    if (!isUnusual.ok || isUnusual.value) return true
  }
  return false
}

function written(pdf: Uint8Array | undefined): Result<Uint8Array> {
  return pdf === undefined ? unreadable('its pages can’t be written') : ok(pdf)
}

const needsPassword = appError('label-needs-password')

const noMemory = unreadable('it takes too much memory')

/** Without a form environment PDFium draws form fields blank, including what was filled in. */
function withForm<T>(document: OpenDocument, use: (form: number) => Result<T>): Result<T> {
  const { api, handle } = document
  if (api._FPDF_GetFormType(handle) === 0) return use(0)
  const used = withMemory(api, formInfoBytes, (info) => {
    api.HEAPU8.fill(0, info, info + formInfoBytes)
    api.HEAPU8[info] = 2
    const form = api._FPDFDOC_InitFormFillEnvironment(handle, info)
    if (form === 0) return use(0)
    api._FPDF_SetFormFieldHighlightAlpha(form, 0)
    try {
      return use(form)
    } finally {
      api._FPDFDOC_ExitFormFillEnvironment(form)
    }
  })
  return used ?? noMemory
}

/** Opens the document a second time. */
function withCopy<T>(document: OpenDocument, use: (copy: OpenDocument) => Result<T>): Result<T> {
  const { api, bytes } = document
  const handle = api._FPDF_LoadMemDocument(bytes.address, bytes.length, 0)
  if (handle === 0) return unreadable('the PDF is damaged')
  try {
    return use({ ...document, handle })
  } finally {
    api._FPDF_CloseDocument(handle)
  }
}

/** Opens the document again with the app's fonts for letters: PDFium chooses the fonts of a document only once. */
function withAppFonts<T>(document: OpenDocument, use: (document: OpenDocument) => Result<T>): Result<T> {
  const { fonts } = document.pdfium
  fonts.hasOwnLetters = true
  try {
    return withCopy(document, (copy) => use({ ...copy, hasOwnLetters: true }))
  } finally {
    fonts.hasOwnLetters = false
  }
}

/** Finds text that is drawn incorrectly on a loaded page, from 0, and in the form fields and annotations on it. */
function findMissing(document: OpenDocument, number: number, page: number): Result<MissingText[]> {
  const { api } = document
  const find = (shown: number) => ok(findMissingText(api, shown, toSize(document, number)))
  if (api._FPDFPage_GetAnnotCount(page) === 0) return find(page)
  // PDFium reads no text of annotations until they are part of a page, which changes the document.
  return withCopy(document, (copy) =>
    withForm(copy, (form) => {
      const flattened = flatten(copy, form, number)
      return flattened.ok ? withPage(copy, number, find) : flattened
    }),
  )
}

function readText(document: OpenDocument, number: number): Result<PageText> {
  const find = (open: OpenDocument) => withPage(open, number, (page) => findMissing(open, number, page))
  const found = find(document)
  if (!found.ok) return found
  if (!found.value.some(lacksLetters)) return ok({ missing: found.value, hasOwnLetters: false })
  const left = withAppFonts(document, find)
  return left.ok ? ok({ missing: left.value, hasOwnLetters: true }) : left
}

function measurePages(document: OpenDocument): Result<PageSize[]> {
  const sizes: PageSize[] = []
  for (let number = 0; number < document.pages; number += 1) {
    const size = toSize(document, number)
    const issue = toIssue(size)
    if (issue !== undefined) return unreadable(issue)
    sizes.push(size)
  }
  return ok(sizes)
}

function drawPages<T>(
  document: OpenDocument,
  form: number,
  wanted: readonly PageRequest[],
  use: UsePage<T>,
): Result<T[]> {
  const results: T[] = []
  let pixels = 0
  for (const [index, { page, dotsPerMm }] of wanted.entries()) {
    const size = toSize(document, page)
    const { width, height } = sizeInDots(size, dotsPerMm)
    pixels += width * height
    const issue = toIssue(size) ?? (tooLarge(width * height, pixels) ? 'its pages are too large' : undefined)
    if (issue !== undefined) return unreadable(issue)
    const dotsPerUnit = dotsPerMm * mmPerPoint * (document.units?.[page] ?? 1)
    const request = { page, size, width, height, dotsPerUnit }
    const drawn = drawPage(document, form, request, (grey, missing) => use(grey, index, missing))
    if (!drawn.ok) return drawn
    results.push(drawn.value)
  }
  return ok(results)
}

interface DrawRequest {
  page: number
  size: PageSize
  width: number
  height: number
  dotsPerUnit: number
}

function drawPage<T>(
  document: OpenDocument,
  form: number,
  request: DrawRequest,
  use: (grey: GreyPage, missing: readonly MissingText[]) => T,
): Result<T> {
  const { api } = document
  const { width, height } = request
  return withPage(document, request.page, (page) => {
    if (hasTooLargePicture(api, page)) return noMemory
    const found = findMissing(document, request.page, page)
    if (!found.ok) return found
    const missing = found.value
    if (!document.hasOwnLetters && missing.some(lacksLetters)) {
      return withAppFonts(document, (open) =>
        withForm(open, (itsForm) => drawPage(open, itsForm, request, use)),
      )
    }
    // Without the flag only overlapping colours are drawn differently, since the bitmap has greys only.
    const flags = api._FPDFPage_HasTransparency(page) === 0 ? drawFlags : drawFlags | greyFirst
    if (form === 0) {
      const whole = { api, handle: page, number: request.page, pdf: document.bytes, flags }
      const pixels = drawOnlyPicture(whole, { width, height })
      if (pixels !== undefined) return ok(use({ width, height, pixels }, missing))
    }
    const rendered = withMemory(api, width * height, (address): Result<T> => {
      try {
        if (form !== 0) {
          showAsPrinted(api, page)
          api._FORM_OnAfterLoadPage(page, form)
        }
        freeRectanglesFromDots(api, page, request.dotsPerUnit)
        api.HEAPU8.fill(255, address, address + width * height)
        const bitmap = api._FPDFBitmap_CreateEx(width, height, greyFormat, address, width)
        if (bitmap === 0) return unreadable('its pages are too large')
        api._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags)
        if (form !== 0) api._FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, fieldFlags)
        api._FPDFBitmap_Destroy(bitmap)
        const pixels = api.HEAPU8.subarray(address, address + width * height)
        return ok(use({ width, height, pixels }, missing))
      } finally {
        if (form !== 0) api._FORM_OnBeforeClosePage(page, form)
      }
    })
    return rendered ?? noMemory
  })
}

/** The pass for form fields draws those that are visible on screen, such as buttons; this selects those to print. */
function showAsPrinted(api: PdfiumApi, page: number): void {
  const count = api._FPDFPage_GetAnnotCount(page)
  for (let index = 0; index < count; index += 1) {
    const annotation = api._FPDFPage_GetAnnot(page, index)
    if (annotation === 0) continue
    const flags = api._FPDFAnnot_GetFlags(annotation)
    const isPrinted = (flags & annotationFlags.print) !== 0
    api._FPDFAnnot_SetFlags(
      annotation,
      isPrinted ? flags & ~annotationFlags.noView : flags | annotationFlags.hidden,
    )
    api._FPDFPage_CloseAnnot(annotation)
  }
}

/** Loads a page, from 0, and closes it when `use` returns. */
function withPage<T>(
  { api, handle }: OpenDocument,
  number: number,
  use: (page: number) => Result<T>,
): Result<T> {
  const page = api._FPDF_LoadPage(handle, number)
  if (page === 0) return unreadable('a page of it is damaged')
  try {
    return use(page)
  } finally {
    api._FPDF_ClosePage(page)
  }
}

function tooLarge(ofPage: number, ofAll: number): boolean {
  return ofPage > maxPixelsOfPage || ofAll > maxDotsOfJob
}

function toIssue(size: PageSize): string | undefined {
  if (!(size.widthMm > 0 && size.heightMm > 0)) return 'a page of it is damaged'
  if (size.widthMm > maxMm || size.heightMm > maxMm) {
    return `a page of it is ${sizeInWords(size)}, larger than any label`
  }
  return undefined
}

/** A page's size as it is shown; 0 x 0 when the page can't be read. */
function toSize({ api, handle, units }: OpenDocument, page: number): PageSize {
  const [width = 0, height = 0] =
    withMemory(api, 8, (address) =>
      api._FPDF_GetPageSizeByIndexF(handle, page, address) === 0 ? [] : readFloats(api, address, 2),
    ) ?? []
  const perUnit = (units?.[page] ?? 1) * mmPerPoint
  return { widthMm: width * perUnit, heightMm: height * perUnit }
}

/** The error `label-unreadable`; `reason` is part of a sentence. */
export function unreadable(reason: string): Result<never> {
  return err(appError('label-unreadable', { case: 'pdf', reason }))
}

/** Some programs write a few lines after a PDF's end mark. */
const endMarkWithin = 1024

/** Whether a PDF has its end mark, without which some programs refuse it. */
function hasEnd(pdf: Uint8Array): boolean {
  return asBuffer(pdf.subarray(-endMarkWithin)).includes('%%EOF')
}

/**
 * Whether a PDF is complete or truncated only after its last object. PDFium reads the objects that are left and reports
 * no error for those that are missing.
 */
function hasAllObjects(pdf: Uint8Array): boolean {
  if (hasEnd(pdf)) return true
  const bytes = asBuffer(pdf)
  const end = bytes.lastIndexOf('endobj')
  if (end === -1) return false
  if (/^endobj\s*(xref|trailer|startxref)\b/.test(bytes.toString('latin1', end))) return true
  // The cross-references may themselves be an object, the last one.
  return /\/Type\s*\/XRef\b/.test(bytes.toString('latin1', bytes.lastIndexOf(' obj', end)))
}

/** Adds a trailer if it was cut off after the last object: without one PDFium can't find the pages. */
function withTrailer(pdf: Uint8Array): Uint8Array {
  if (hasEnd(pdf) || !hasAllObjects(pdf)) return pdf
  const text = asBuffer(pdf).toString('latin1')
  // An encrypted PDF has lost its key with the trailer.
  if (/\btrailer\b|\/XRef\b|\/Filter\s*\/Standard\b/.test(text)) return pdf
  const catalog = [...text.matchAll(/(\d+) (\d+) obj\b(?:(?!endobj)[\s\S])*?\/Type\s*\/Catalog\b/g)].at(-1)
  if (catalog === undefined) return pdf
  return Buffer.concat([pdf, Buffer.from(`\ntrailer\n<</Root ${catalog[1]} ${catalog[2]} R>>\n%%EOF\n`)])
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** FLAT_PRINT: annotations for printing become part of the page. */
const asPrinted = 1

/** One page of a new PDF, in points from its bottom left corner. */
export interface PlacedPage {
  /** The source page, from 0. */
  page: number
  width: number
  height: number
  /** The matrix from the page as it is shown (rotated, clipped to its boxes, in its size) to the new page. */
  matrix: readonly [a: number, b: number, c: number, d: number, e: number, f: number]
  /** The clip rectangle. */
  clip: { left: number; bottom: number; right: number; top: number }
}

/**
 * Writes a new PDF that shows pages of an open one as they are drawn, without encryption, forms, rotations or user
 * units. Hidden layers become visible.
 * @param document the open PDF, whose annotations become part of its pages
 * @returns undefined when PDFium fails
 */
function writePlacedPages(
  document: OpenDocument,
  form: number,
  pages: readonly PlacedPage[],
): Uint8Array | undefined {
  const { pdfium, api, handle, units } = document
  return withNewDocument(pdfium, (made) => {
    // Annotations are not page content: without this they would not be copied.
    for (const number of new Set(pages.map(({ page }) => page))) flatten(document, form, number)
    const shown = new Map<number, number>()
    try {
      return pages.every((placed, index) => {
        // Labels of the same page share its content.
        const page = shown.get(placed.page) ?? api._FPDF_NewXObjectFromPage(made, handle, placed.page)
        shown.set(placed.page, page)
        return addPage(api, { made, shown: page, placed, index, unit: units?.[placed.page] ?? 1 })
      })
    } finally {
      for (const page of shown.values()) api._FPDF_CloseXObject(page)
    }
  })
}

/**
 * Writes the open PDF with only some of its pages; layers, forms and annotations stay. The result is not encrypted and
 * has new cross-references.
 * @param document the handle of the open PDF, which loses its other pages
 * @param first from 0
 * @param last from 0
 */
function writeSomePages(
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
 * Reads the user unit of each page in points, which PDFium ignores in its sizes; the default is 1.
 * @param document the handle of the open PDF
 */
function readUserUnits(pdfium: BoundedPdfium, document: number): number[] | undefined {
  // PDFium gives no access to a page's dictionary, but it writes all of them as text, even if they were compressed or
  // encrypted.
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

/** Makes the form fields and other annotations of a page, from 0, part of its content. */
function flatten(document: OpenDocument, form: number, number: number): Result<void> {
  const { api } = document
  return withPage(document, number, (page) => {
    // PDFium clips annotations to the page's own boxes. Without any it takes Letter, although a page may inherit them.
    withMemory(api, 16, (address) => {
      if (api._FPDF_GetPageBoundingBox(page, address) === 0) return
      const [left = 0, top = 0, right = 0, bottom = 0] = readFloats(api, address, 4)
      api._FPDFPage_SetMediaBox(page, left, bottom, right, top)
      api._FPDFPage_SetCropBox(page, left, bottom, right, top)
    })
    // Also draws fields that have only a value.
    if (form !== 0) api._FORM_OnAfterLoadPage(page, form)
    api._FPDFPage_Flatten(page, asPrinted)
    if (form !== 0) api._FORM_OnBeforeClosePage(page, form)
    return ok(undefined)
  })
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
