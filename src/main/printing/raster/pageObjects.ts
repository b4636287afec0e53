import type { BoxMm } from '../../../shared/labels'
import { type PageSize, union } from '../layout/geometry'
import { type PdfiumApi, readFloats, withMemory, withoutLetters } from './pdfiumApi'

/** FPDF_PAGEOBJ_TEXT, _PATH, _IMAGE and _FORM. */
export const objectType = { text: 1, path: 2, image: 3, form: 5 } as const

/** Labels have up to a few thousand. */
const maxObjects = 100_000
const maxDepth = 12

/** An object of a page, by its handle. */
interface PageObject<Place> {
  object: number
  type: number
  place: Place
}

/**
 * Walks the objects of a page and of the forms in it, in drawing order. The number and depth of objects are limited,
 * because a hostile page may have very many.
 * @param page the handle of a loaded page
 * @param place the context of the page's own objects
 * @param enter returns the context of a form's objects, from the form's handle and its own context
 */
function* walkPage<Place>(
  api: PdfiumApi,
  page: number,
  place: Place,
  enter: (form: number, place: Place) => Place,
): Generator<PageObject<Place>> {
  let left = maxObjects
  function* visit(object: number, around: Place, depth: number): Generator<PageObject<Place>> {
    left -= 1
    const type = api._FPDFPageObj_GetType(object)
    yield { object, type, place: around }
    if (type !== objectType.form || depth >= maxDepth) return
    const within = enter(object, around)
    const count = api._FPDFFormObj_CountObjects(object)
    for (let index = 0; index < count && left > 0; index += 1) {
      yield* visit(api._FPDFFormObj_GetObject(object, index), within, depth + 1)
    }
  }
  const count = api._FPDFPage_CountObjects(page)
  for (let index = 0; index < count && left > 0; index += 1) {
    yield* visit(api._FPDFPage_GetObject(page, index), place, 0)
  }
}

/** A4 at 1200 dpi has 139 million. PDFium decodes 1 GB of a picture and draws the rest black. */
const maxPicturePixels = 150_000_000

/**
 * Whether a page contains a picture with more pixels than PDFium decodes.
 * @param page the handle of a loaded page
 */
export function hasTooLargePicture(api: PdfiumApi, page: number): boolean {
  const isFound = withMemory(api, 8, (scratch) => {
    for (const { object, type } of walkPage(api, page, undefined, () => undefined)) {
      if (type !== objectType.image) continue
      if (api._FPDFImageObj_GetImagePixelSize(object, scratch, scratch + 4) === 0) continue
      const size = new DataView(api.HEAPU8.buffer, scratch, 8)
      if (size.getUint32(0, true) * size.getUint32(4, true) > maxPicturePixels) return true
    }
    return false
  })
  return isFound === true
}

/** Four corners and the closing segments; a path with more is not a rectangle for PDFium. */
const maxSegments = 6
/**
 * The shear of a rectangle's top against its bottom, in dots: more than the error of single precision, less than is
 * visible.
 */
const shearDots = 0.02
/** The shift that rounds all edges in the exact middle of a dot to the same side, so that bar widths stay equal. */
const shiftDots = 0.015
/**
 * Thinner rectangles are left to PDFium's rounding, which keeps them at one dot; otherwise they could vanish between
 * two dots.
 */
const minDots = 1.02

/**
 * Makes PDFium antialias upright rectangles. It widens exact filled rectangles to whole dots, by up to one dot, so that
 * the bars of a barcode grow and its gaps shrink. Each rectangle is therefore sheared by a fraction of a dot, on the
 * loaded page only. Images and text are not changed.
 * @param page the handle of a loaded page
 * @param dotsPerUnit the dots in one unit of the page's space
 */
export function freeRectanglesFromDots(api: PdfiumApi, page: number, dotsPerUnit: number): void {
  const whole: Scale = { a: dotsPerUnit, b: 0, c: 0, d: dotsPerUnit }
  withMemory(api, 24, (scratch) => {
    const enter = (form: number, outer: Scale) => scaleWithin({ api, scratch }, form, outer)
    for (const { object, type, place } of walkPage(api, page, whole, enter)) {
      if (type === objectType.path) movePath({ api, scratch }, object, place)
    }
  })
}

/** PDFium, and the address of a buffer in its memory for six floats. */
interface Access {
  api: PdfiumApi
  scratch: number
}

/** The linear part of the matrix from an object's space to dots. */
interface Scale {
  a: number
  b: number
  c: number
  d: number
}

function movePath(access: Access, path: number, scale: Scale): void {
  const [perX, perY] = [Math.hypot(scale.a, scale.b), Math.hypot(scale.c, scale.d)]
  if (!(perX > 0 && perY > 0)) return
  const rectangle = toRectangle(access, path, scale)
  const shear = rectangle === undefined ? 0 : shearDots / (rectangle.height * perX)
  const back = rectangle === undefined ? 0 : shear * rectangle.middle
  access.api._FPDFPageObj_Transform(path, 1, 0, shear, 1, shiftDots / perX - back, shiftDots / perY)
}

/** A path that PDFium would widen to whole dots, in its own units; undefined for other paths and for very thin ones. */
function toRectangle(
  { api, scratch }: Access,
  path: number,
  { a, b, c, d }: Scale,
): { height: number; middle: number } | undefined {
  if (api._FPDFPath_CountSegments(path) > maxSegments || !isOnlyFilled(api, scratch, path)) return undefined
  if (api._FPDFPageObj_GetBounds(path, scratch, scratch + 4, scratch + 8, scratch + 12) === 0)
    return undefined
  const [left = 0, bottom = 0, right = 0, top = 0] = readFloats(api, scratch, 4)
  const [width, height] = [right - left, top - bottom]
  const across = Math.abs(a) * width + Math.abs(c) * height
  const down = Math.abs(b) * width + Math.abs(d) * height
  return Math.min(across, down) >= minDots ? { height, middle: (bottom + top) / 2 } : undefined
}

function isOnlyFilled(api: PdfiumApi, scratch: number, path: number): boolean {
  if (api._FPDFPath_GetDrawMode(path, scratch, scratch + 4) === 0) return false
  const view = new DataView(api.HEAPU8.buffer, scratch, 8)
  return view.getInt32(0, true) !== 0 && view.getInt32(4, true) === 0
}

function scaleWithin({ api, scratch }: Access, form: number, outer: Scale): Scale {
  if (api._FPDFPageObj_GetMatrix(form, scratch) === 0) return outer
  const [a = 1, b = 0, c = 0, d = 1] = readFloats(api, scratch, 4)
  return {
    a: a * outer.a + b * outer.c,
    b: a * outer.b + b * outer.d,
    c: c * outer.a + d * outer.c,
    d: c * outer.b + d * outer.d,
  }
}

/** Text that is drawn incorrectly because its font is not embedded in the PDF. */
export interface MissingText {
  font: string
  text: string
  areas: BoxMm[]
}

/** Invisible text, such as the recognized text of a scan, and text that only clips. */
const unseenModes = [3, 7]
const maxName = 200
const maxText = 60
const maxAreas = 50
/** A buffer for a font's name or for four doubles. */
const scratchBytes = 256
const glyphSize = 10
/** «A» */
const letter = 0x41
/** PDFium returns page coordinates as integers: here in hundredths of a millimetre. */
const perMm = 100

/** Fonts that draw barcodes or symbols. A substitute draws letters, which nobody can scan. */
const pictorial =
  /bar[\s_-]?code|code[\s_-]?(39|93|128)|^c(39|128)|(3|2)[\s_-]?of[\s_-]?(9|5|7)|idautomation|idah|^ean|ean[\s_-]?(8|13|128)|^upc|gs1|postnet|imbstandard|kix|pdf[\s_-]?417|data[\s_-]?matrix|maxicode|qr[\s_-]?code|^(wing|web)dings/i

/** The standard fonts, which every reader has. Codes that they do not define are drawn by none. */
const standard = /^(Helvetica|Times|Courier)(-|$)|^(Symbol|ZapfDingbats)$/

/** From this code on, characters are Chinese, Japanese or Korean, or for private use. */
const firstIdeograph = 0x2e80

/** Whether the app's fonts may have the letters that the text lacks. */
export function lacksLetters({ font, text }: MissingText): boolean {
  if (pictorial.test(font) || withoutLetters.test(font)) return false
  return [...text].some((character) => (character.codePointAt(0) ?? 0) < firstIdeograph)
}

/**
 * Finds text that PDFium draws with a substitute font that lacks its characters or draws other shapes. PDFium reports
 * no error: a Chinese address stays blank, a barcode font becomes letters.
 * @param page the handle of a loaded page
 */
export function findMissingText(api: PdfiumApi, page: number, size: PageSize): MissingText[] {
  const missing = withMemory(api, scratchBytes, (scratch) => {
    const search: FontSearch = { api, scratch, fonts: new Map() }
    const embedded = new Set<number>()
    for (const { object, type } of walkPage(api, page, undefined, () => undefined)) {
      if (type === objectType.text) noteFont(search, embedded, object)
    }
    // Reading the text costs more than the walk, and most labels embed their fonts.
    return search.fonts.size === 0 ? [] : readText(search, page, size)
  })
  return missing ?? []
}

interface FontSearch {
  api: PdfiumApi
  scratch: number
  /** The names of fonts of visible text that are not embedded, by handle. */
  fonts: Map<number, string>
}

function noteFont(search: FontSearch, embedded: Set<number>, text: number): void {
  const { api, fonts } = search
  const font = api._FPDFTextObj_GetFont(text)
  if (font === 0 || fonts.has(font) || embedded.has(font)) return
  if (unseenModes.includes(api._FPDFTextObj_GetTextRenderMode(text))) return
  if (api._FPDFFont_GetIsEmbedded(font) !== 0) embedded.add(font)
  else fonts.set(font, toName(search, font))
}

function toName({ api, scratch }: FontSearch, font: number): string {
  const length = api._FPDFFont_GetBaseFontName(font, scratch, scratchBytes)
  const end = scratch + Math.max(0, Math.min(length, scratchBytes) - 1)
  const name = Buffer.from(api.HEAPU8.subarray(scratch, end)).toString('utf8')
  return name.replace(/^[A-Z]{6}\+/, '').slice(0, maxName)
}

function readText(search: FontSearch, page: number, size: PageSize): MissingText[] {
  const { api, fonts } = search
  const text = api._FPDFText_LoadPage(page)
  if (text === 0) return []
  const found = new Map<number, { text: string; boxes: Map<number, BoxMm> }>()
  const isDrawn = new Map<string, boolean>()
  // Every substitute has the letters of English, unless it could not be loaded.
  const readsAll = [...fonts].some(
    ([font, name]) => pictorial.test(name) || api._FPDFFont_GetGlyphPath(font, letter, glyphSize) === 0,
  )
  const count = api._FPDFText_CountChars(text)
  for (let index = 0; index < count; index += 1) {
    const code = api._FPDFText_GetUnicode(text, index)
    const isUnmapped = api._FPDFText_HasUnicodeMapError(text, index) === 1
    if (code <= 0x7e && !isUnmapped && !readsAll) continue
    if (!isUnmapped && isInvisible(code)) continue
    if (api._FPDFText_IsGenerated(text, index) === 1) continue
    const object = api._FPDFText_GetTextObject(text, index)
    const font = object === 0 ? 0 : api._FPDFTextObj_GetFont(object)
    const name = fonts.get(font)
    if (name === undefined || unseenModes.includes(api._FPDFTextObj_GetTextRenderMode(object))) continue
    const key = `${font} ${code} ${isUnmapped}`
    const drawn = isDrawn.get(key) ?? isDrawnCorrectly(api, { font, name, code, isUnmapped })
    isDrawn.set(key, drawn)
    if (drawn) continue
    const own = found.get(font) ?? { text: '', boxes: new Map<number, BoxMm>() }
    if (own.text.length < maxText && !isUnmapped) own.text += String.fromCodePoint(code)
    const box = toBox(search, page, text, index, size)
    const before = own.boxes.get(object)
    own.boxes.set(object, before === undefined ? box : union(before, box))
    found.set(font, own)
  }
  api._FPDFText_ClosePage(text)
  return [...found].map(([font, { text: characters, boxes }]) => ({
    font: fonts.get(font) ?? '',
    text: characters,
    areas: [...boxes.values()].slice(0, maxAreas),
  }))
}

/** Spaces, control characters, soft hyphens and direction marks; characters for private use are visible. */
function isInvisible(code: number): boolean {
  return /^[\s\p{Cc}\p{Cf}]$/u.test(String.fromCodePoint(code))
}

function isDrawnCorrectly(
  api: PdfiumApi,
  { font, name, code, isUnmapped }: { font: number; name: string; code: number; isUnmapped: boolean },
): boolean {
  if (pictorial.test(name)) return false
  // A glyph number of a missing font means another glyph in its substitute.
  if (isUnmapped) return standard.test(name)
  return api._FPDFFont_GetGlyphPath(font, code, glyphSize) !== 0
}

/** The box of a character on the page as it is shown. */
function toBox(
  { api, scratch }: FontSearch,
  page: number,
  text: number,
  index: number,
  { widthMm, heightMm }: PageSize,
): BoxMm {
  api._FPDFText_GetCharBox(text, index, scratch, scratch + 8, scratch + 16, scratch + 24)
  const numbers = new DataView(api.HEAPU8.buffer, scratch, 32)
  const [left, right, bottom, top] = [0, 8, 16, 24].map((offset) => numbers.getFloat64(offset, true))
  const [width, height] = [Math.round(widthMm * perMm), Math.round(heightMm * perMm)]
  const corners = [
    [left ?? 0, top ?? 0],
    [right ?? 0, bottom ?? 0],
  ].map(([x = 0, y = 0]) => {
    api._FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, scratch, scratch + 4)
    const device = new DataView(api.HEAPU8.buffer, scratch, 8)
    return { x: device.getInt32(0, true) / perMm, y: device.getInt32(4, true) / perMm }
  })
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)]
  const [xMm, yMm] = [Math.min(...xs), Math.min(...ys)]
  return { xMm, yMm, widthMm: Math.max(...xs) - xMm, heightMm: Math.max(...ys) - yMm }
}
