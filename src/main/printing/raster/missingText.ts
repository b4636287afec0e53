import type { BoxMm } from '../../../shared/labels'
import { type PageSize, union } from '../layout/geometry'
import { objectType, walkPage } from './pageObjects'
import { type PdfiumApi, withMemory } from './pdfiumApi'
import { withoutLetters } from './systemFonts'

/** Text that is not drawn as meant, because its font is not in the PDF. */
export interface MissingText {
  font: string
  text: string
  areas: BoxMm[]
}

/** Text that only programs read, such as that of a scan, or that only clips. */
const unseenModes = [3, 7]
const maxName = 200
const maxText = 60
const maxAreas = 50
/** Room for a font's name, or for four numbers of double precision. */
const scratchBytes = 256
const glyphSize = 10
/** «A» */
const letter = 0x41
/** Page coordinates come as whole numbers: of hundredths of a millimetre here. */
const perMm = 100

/** What these draw are no letters: a substitute would draw some, and nobody could scan them. */
const pictorial =
  /bar[\s_-]?code|code[\s_-]?(39|93|128)|^c(39|128)|(3|2)[\s_-]?of[\s_-]?(9|5|7)|idautomation|idah|^ean|ean[\s_-]?(8|13|128)|^upc|gs1|postnet|imbstandard|kix|pdf[\s_-]?417|data[\s_-]?matrix|maxicode|qr[\s_-]?code|^(wing|web)dings/i

/** Readers have these; codes without a meaning in them are drawn by none. */
const standard = /^(Helvetica|Times|Courier)(-|$)|^(Symbol|ZapfDingbats)$/

/** From here on characters are those of Chinese, Japanese and Korean, or for private use. */
const firstIdeograph = 0x2e80

/** Whether text lacks letters that the app's own fonts may have. */
export function lacksLetters({ font, text }: MissingText): boolean {
  if (pictorial.test(font) || withoutLetters.test(font)) return false
  return [...text].some((character) => (character.codePointAt(0) ?? 0) < firstIdeograph)
}

/**
 * Finds the text of a page that PDFium draws with a substitute which lacks its characters, or in whose shapes it has no
 * meaning. PDFium says nothing of it: a consignee in Chinese is left blank, a barcode font becomes letters.
 * @param page handle of a loaded page
 */
export function findMissingText(api: PdfiumApi, page: number, size: PageSize): MissingText[] {
  const missing = withMemory(api, scratchBytes, (scratch) => {
    const access: Access = { api, scratch, fonts: new Map() }
    const embedded = new Set<number>()
    for (const { object, type } of walkPage(api, page, undefined, () => undefined)) {
      if (type === objectType.text) noteFont(access, embedded, object)
    }
    // Reading the text costs more than the walk, and most labels bring their fonts.
    return access.fonts.size === 0 ? [] : readText(access, page, size)
  })
  return missing ?? []
}

interface Access {
  api: PdfiumApi
  scratch: number
  /** The fonts of seen text that are not in the PDF, by handle, and their names. */
  fonts: Map<number, string>
}

function noteFont(access: Access, embedded: Set<number>, text: number): void {
  const { api, fonts } = access
  const font = api._FPDFTextObj_GetFont(text)
  if (font === 0 || fonts.has(font) || embedded.has(font)) return
  if (unseenModes.includes(api._FPDFTextObj_GetTextRenderMode(text))) return
  if (api._FPDFFont_GetIsEmbedded(font) !== 0) embedded.add(font)
  else fonts.set(font, toName(access, font))
}

function toName({ api, scratch }: Access, font: number): string {
  const length = api._FPDFFont_GetBaseFontName(font, scratch, scratchBytes)
  const end = scratch + Math.max(0, Math.min(length, scratchBytes) - 1)
  const name = Buffer.from(api.HEAPU8.subarray(scratch, end)).toString('utf8')
  return name.replace(/^[A-Z]{6}\+/, '').slice(0, maxName)
}

function readText(access: Access, page: number, size: PageSize): MissingText[] {
  const { api, fonts } = access
  const text = api._FPDFText_LoadPage(page)
  if (text === 0) return []
  const found = new Map<number, { text: string; boxes: Map<number, BoxMm> }>()
  const isDrawn = new Map<string, boolean>()
  // Each substitute has the letters of English, unless it could not be loaded.
  const readsAll = [...fonts].some(
    ([font, name]) => pictorial.test(name) || api._FPDFFont_GetGlyphPath(font, letter, glyphSize) === 0,
  )
  const count = api._FPDFText_CountChars(text)
  for (let index = 0; index < count; index += 1) {
    const code = api._FPDFText_GetUnicode(text, index)
    const isUnmapped = api._FPDFText_HasUnicodeMapError(text, index) === 1
    if (code <= 0x7e && !isUnmapped && !readsAll) continue
    if (!isUnmapped && isUnseen(code)) continue
    if (api._FPDFText_IsGenerated(text, index) === 1) continue
    const object = api._FPDFText_GetTextObject(text, index)
    const font = object === 0 ? 0 : api._FPDFTextObj_GetFont(object)
    const name = fonts.get(font)
    if (name === undefined || unseenModes.includes(api._FPDFTextObj_GetTextRenderMode(object))) continue
    const key = `${font} ${code} ${isUnmapped}`
    const drawn = isDrawn.get(key) ?? isDrawnAsMeant(api, { font, name, code, isUnmapped })
    isDrawn.set(key, drawn)
    if (drawn) continue
    const own = found.get(font) ?? { text: '', boxes: new Map<number, BoxMm>() }
    if (own.text.length < maxText && !isUnmapped) own.text += String.fromCodePoint(code)
    const box = toBox(access, page, text, index, size)
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

/** Spaces, controls, soft hyphens and marks of direction; characters for private use are seen. */
function isUnseen(code: number): boolean {
  return /^[\s\p{Cc}\p{Cf}]$/u.test(String.fromCodePoint(code))
}

function isDrawnAsMeant(
  api: PdfiumApi,
  { font, name, code, isUnmapped }: { font: number; name: string; code: number; isUnmapped: boolean },
): boolean {
  if (pictorial.test(name)) return false
  // A glyph's number in a font that is not there means another glyph in its substitute.
  if (isUnmapped) return standard.test(name)
  return api._FPDFFont_GetGlyphPath(font, code, glyphSize) !== 0
}

/** Where a character is, on the page as it is shown. */
function toBox(
  { api, scratch }: Access,
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
