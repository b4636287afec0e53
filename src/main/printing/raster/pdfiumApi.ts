import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { PDFiumModule } from '@hyzyla/pdfium'

/**
 * The functions of PDFium's C interface (fpdfview.h, fpdf_edit.h, fpdf_text.h, fpdf_formfill.h, fpdf_ppo.h, fpdf_save.h
 * and others) that the app calls, with their parameters. All are numbers: handles and addresses in WebAssembly's
 * memory; 0 means failure.
 */
const functions = {
  _FPDF_InitLibrary: [],
  _FPDF_GetDefaultSystemFontInfo: [],
  _FPDF_SetSystemFontInfo: ['info'],
  _FPDF_LoadMemDocument: ['address', 'size', 'password'],
  _FPDF_GetLastError: [],
  _FPDF_CloseDocument: ['document'],
  _FPDF_GetPageCount: ['document'],
  _FPDF_GetPageSizeByIndexF: ['document', 'page', 'size'],
  _FPDF_LoadPage: ['document', 'page'],
  _FPDF_ClosePage: ['page'],
  /** The part of a page that is shown, in the order left, top, right, bottom. */
  _FPDF_GetPageBoundingBox: ['page', 'box'],
  /** The boxes as the page's own dictionary states them; 0 when it does not. */
  _FPDFPage_GetMediaBox: ['page', 'left', 'bottom', 'right', 'top'],
  _FPDFPage_GetCropBox: ['page', 'left', 'bottom', 'right', 'top'],
  _FPDFPage_GetTrimBox: ['page', 'left', 'bottom', 'right', 'top'],
  _FPDFPage_SetMediaBox: ['page', 'left', 'bottom', 'right', 'top'],
  _FPDFPage_SetCropBox: ['page', 'left', 'bottom', 'right', 'top'],
  _FPDF_GetFormType: ['document'],
  _FPDFDOC_InitFormFillEnvironment: ['document', 'callbacks'],
  _FPDFDOC_ExitFormFillEnvironment: ['form'],
  _FPDF_SetFormFieldHighlightAlpha: ['form', 'alpha'],
  _FORM_OnAfterLoadPage: ['page', 'form'],
  _FORM_OnBeforeClosePage: ['page', 'form'],
  _FPDF_FFLDraw: ['form', 'bitmap', 'page', 'left', 'top', 'width', 'height', 'turn', 'flags'],
  _FPDF_RenderPageBitmap: ['bitmap', 'page', 'left', 'top', 'width', 'height', 'turn', 'flags'],
  _FPDFBitmap_CreateEx: ['width', 'height', 'format', 'address', 'stride'],
  _FPDFBitmap_Destroy: ['bitmap'],
  _FPDFPage_GetAnnotCount: ['page'],
  _FPDFPage_GetAnnot: ['page', 'index'],
  _FPDFPage_CloseAnnot: ['annotation'],
  _FPDFAnnot_GetFlags: ['annotation'],
  _FPDFAnnot_SetFlags: ['annotation', 'flags'],
  _FPDFPage_CountObjects: ['page'],
  _FPDFPage_HasTransparency: ['page'],
  _FPDFPage_GetObject: ['page', 'index'],
  _FPDFFormObj_CountObjects: ['form'],
  _FPDFFormObj_GetObject: ['form', 'index'],
  _FPDFPageObj_GetType: ['object'],
  _FPDFPageObj_GetMatrix: ['object', 'matrix'],
  _FPDFPageObj_GetBounds: ['object', 'left', 'bottom', 'right', 'top'],
  /** The paths that clip an object, in page units; -1 for none. */
  _FPDFPageObj_GetClipPath: ['object'],
  _FPDFClipPath_CountPaths: ['clip'],
  _FPDFClipPath_CountPathSegments: ['clip', 'path'],
  _FPDFClipPath_GetPathSegment: ['clip', 'path', 'index'],
  _FPDFPathSegment_GetPoint: ['segment', 'x', 'y'],
  _FPDFPageObj_Transform: ['object', 'a', 'b', 'c', 'd', 'e', 'f'],
  _FPDFImageObj_GetImagePixelSize: ['image', 'width', 'height'],
  _FPDFImageObj_GetImageDataRaw: ['image', 'buffer', 'length'],
  _FPDFImageObj_SetBitmap: ['pages', 'count', 'image', 'bitmap'],
  _FPDFTextObj_GetFont: ['text'],
  _FPDFTextObj_GetTextRenderMode: ['text'],
  _FPDFFont_GetIsEmbedded: ['font'],
  _FPDFFont_GetBaseFontName: ['font', 'buffer', 'length'],
  _FPDFFont_GetGlyphPath: ['font', 'glyph', 'size'],
  _FPDFText_LoadPage: ['page'],
  _FPDFText_ClosePage: ['text'],
  _FPDFText_CountChars: ['text'],
  _FPDFText_GetUnicode: ['text', 'index'],
  _FPDFText_HasUnicodeMapError: ['text', 'index'],
  _FPDFText_IsGenerated: ['text', 'index'],
  _FPDFText_GetTextObject: ['text', 'index'],
  _FPDFText_GetCharBox: ['text', 'index', 'left', 'right', 'bottom', 'top'],
  _FPDF_PageToDevice: ['page', 'left', 'top', 'width', 'height', 'turn', 'x', 'y', 'deviceX', 'deviceY'],
  _FPDFPath_CountSegments: ['path'],
  _FPDFPath_GetDrawMode: ['path', 'fillMode', 'stroke'],
  _FPDF_GetSecurityHandlerRevision: ['document'],
  _FPDF_DocumentHasValidCrossReferenceTable: ['document'],
  _FPDF_CreateNewDocument: [],
  _FPDF_ImportPagesByIndex: ['to', 'from', 'indices', 'length', 'at'],
  _FPDF_NewXObjectFromPage: ['to', 'from', 'page'],
  _FPDF_CloseXObject: ['xObject'],
  _FPDF_NewFormObjectFromXObject: ['xObject'],
  _FPDFPage_New: ['document', 'index', 'width', 'height'],
  _FPDFPage_Delete: ['document', 'page'],
  _FPDFPage_Flatten: ['page', 'usage'],
  _FPDFPage_InsertObject: ['page', 'object'],
  _FPDFPage_GenerateContent: ['page'],
  _FPDFPage_TransFormWithClip: ['page', 'matrix', 'clip'],
  _FPDFPageObj_SetMatrix: ['object', 'matrix'],
  _FPDF_SaveAsCopy: ['document', 'writer', 'flags'],
} as const

type Functions = typeof functions
type Numbers<Names extends readonly string[]> = { [Index in keyof Names]: number }

/** PDFium as WebAssembly. */
export type PdfiumApi = { [Name in keyof Functions]: (...values: Numbers<Functions[Name]>) => number } & {
  /** WebAssembly's memory. Do not keep it: the array is replaced whenever the memory grows. */
  readonly HEAPU8: Uint8Array<ArrayBuffer>
  readonly wasmExports: { malloc(size: number): number; free(address: number): void }
}

/**
 * Allocates bytes of WebAssembly's memory, passes their address to `use`, and frees them.
 * @returns undefined when there is no memory
 */
export function withMemory<T>(
  { wasmExports }: Pick<PdfiumApi, 'wasmExports'>,
  bytes: number,
  use: (address: number) => T,
): T | undefined {
  const address = wasmExports.malloc(Math.max(1, bytes))
  if (address === 0) return undefined
  try {
    return use(address)
  } finally {
    wasmExports.free(address)
  }
}

/** Reads consecutive floats from WebAssembly's memory. */
export function readFloats({ HEAPU8 }: Pick<PdfiumApi, 'HEAPU8'>, address: number, count: number): number[] {
  const view = new DataView(HEAPU8.buffer, address, count * 4)
  return Array.from({ length: count }, (_, index) => view.getFloat32(index * 4, true))
}

/** A4 at 600 dpi with a colour picture of the same size needs 300 MB; a hostile PDF uses all memory. */
const maxMemoryBytes = 512 * 1024 * 1024

/** FPDF_REMOVE_SECURITY. */
const withoutSecurity = 3
const maxSavedBytes = 128 * 1024 * 1024

/**
 * Loads PDFium's WebAssembly. The package's own classes cover only a part of the interface: they can't access the
 * objects of a page, or measure a page without drawing it.
 * @param fontFolders the folders with fonts for Chinese, Japanese and Korean text
 * @throws when the package lacks a function, because another version is installed
 */
export async function loadPdfiumApi(fontFolders: readonly string[]) {
  const file = createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm')
  const wasm = await WebAssembly.compile(new Uint8Array(await readFile(file)))
  let refused = false
  let table: unknown
  const module: object = await PDFiumModule({
    instantiateWasm(imports, succeed) {
      const bounded = withBoundedMemory(imports, () => {
        refused = true
      })
      const instance = new WebAssembly.Instance(wasm, bounded)
      table = instance.exports.__indirect_function_table
      succeed(instance)
      return instance.exports
    },
  })
  if (!isPdfiumApi(module) || !isTable(table))
    throw new Error('This version of @hyzyla/pdfium lacks functions of PDFium.')
  module._FPDF_InitLibrary()
  const [api, ownTable] = [module, table]
  return {
    api,
    fonts: await drawWithFonts(api, ownTable, fontFolders),
    /** Writes an open document without encryption; undefined when PDFium fails or it is larger than any label. */
    save: await createSave(api, ownTable),
    /** Whether PDFium was refused memory since the last call: then its drawing is incomplete. */
    wasRefusedMemory() {
      const was = refused
      refused = false
      return was
    },
  }
}

/** PDFium with limited memory. */
export type BoundedPdfium = Awaited<ReturnType<typeof loadPdfiumApi>>

/**
 * PDFium passes the parts of a document to a callback, which must be a WebAssembly function in the module's table. The
 * table can't grow, so the callback uses the entry of the null pointer while PDFium writes.
 */
async function createSave(api: PdfiumApi, table: FunctionTable) {
  let parts: Uint8Array[] = []
  let bytes = 0
  const take = await toWasmFunction(3, (_writer, address = 0, length = 0) => {
    bytes += length
    if (bytes > maxSavedBytes) return 0
    parts.push(api.HEAPU8.slice(address, address + length))
    return 1
  })
  // FPDF_FILEWRITE: the version and the callback, here entry 0.
  return (document: number): Uint8Array | undefined =>
    withMemory(api, 8, (writer) => {
      const view = new DataView(api.HEAPU8.buffer, writer, 8)
      view.setInt32(0, 1, true)
      view.setInt32(4, 0, true)
      bytes = 0
      table.set(0, take)
      try {
        return api._FPDF_SaveAsCopy(document, writer, withoutSecurity) === 0
          ? undefined
          : Buffer.concat(parts)
      } finally {
        table.set(0, null)
        parts = []
      }
    })
}

/** A WebAssembly.Table of functions, which TypeScript's library for Node does not declare. */
interface FunctionTable {
  set(index: number, entry: unknown): void
}

function isTable(value: unknown): value is FunctionTable {
  return typeof value === 'object' && value !== null && 'set' in value
}

/**
 * Refuses the module's requests for more memory above the limit.
 * @param onRefusal also called when the system has no more memory
 */
function withBoundedMemory(imports: WebAssembly.Imports, onRefusal: () => void): WebAssembly.Imports {
  const { emscripten_resize_heap: grow, ...others } = imports.env ?? {}
  if (typeof grow !== 'function') throw new Error('PDFium no longer asks for memory as it did.')
  const growWithin = (bytes: number) => {
    const hasGrown = bytes >>> 0 <= maxMemoryBytes && Boolean(grow(bytes))
    if (!hasGrown) onRefusal()
    return Number(hasGrown)
  }
  return { ...imports, env: { ...others, emscripten_resize_heap: growWithin } }
}

function isPdfiumApi(module: object): module is PdfiumApi {
  return Object.keys(functions).every((name) => typeof Reflect.get(module, name) === 'function')
}

/**
 * The Windows character sets with which PDFium requests a font: Japanese, Korean, simplified and traditional Chinese.
 */
const charsets = [128, 129, 134, 136] as const
type Charset = (typeof charsets)[number]

/** Patterns for the file names of system fonts, the best first. */
const ownFonts: Record<Charset, readonly RegExp[]> = {
  128: [/^YuGothM\.ttc$/i, /^meiryo\.ttc$/i, /^msgothic\.ttc$/i, /^NotoSansJP-Regular\.[ot]tf$/i, /W3\.ttc$/],
  129: [/^malgun\.ttf$/i, /^gulim\.ttc$/i, /^AppleSDGothicNeo\.ttc$/, /^NotoSansKR-Regular\.[ot]tf$/i],
  134: [/^msyh\.tt[cf]$/i, /^simsun\.tt[cf]$/i, /^Hiragino Sans GB\.ttc$/, /^NotoSansSC-Regular\.[ot]tf$/i],
  136: [/^msjh\.tt[cf]$/i, /^mingliu\.tt[cf]$/i, /^STHeiti Light\.ttc$/, /^NotoSansTC-Regular\.[ot]tf$/i],
}
/** Fonts with the characters of all four. */
const commonFonts = [
  ...[/^NotoSansCJK(sc|tc|jp|kr)?-Regular\.(ttc|otf)$/i, /^SourceHanSans.*-Regular\.(ttc|otf)$/i],
  ...[/^wqy-microhei\.ttc$/i, /^wqy-zenhei\.ttc$/i, /^DroidSansFallback(Full)?\.ttf$/i],
  ...[/^Arial ?Unicode( MS)?\.ttf$/i, /^PingFang\.ttc$/],
]

/**
 * The app's fonts for text whose font is not embedded and whose letters PDFium's substitute lacks, such as Polish,
 * Greek and Russian ones. They are about as wide as the standard fonts.
 */
const letterFonts = {
  sans: ['SansCondensed', 'SansCondensed-Bold', 'SansCondensed-Oblique', 'SansCondensed-BoldOblique'],
  serif: ['SerifCondensed', 'SerifCondensed-Bold', 'SerifCondensed-Italic', 'SerifCondensed-BoldItalic'],
  mono: ['SansMono', 'SansMono-Bold', 'SansMono-Oblique', 'SansMono-BoldOblique'],
} as const
const letterFontFiles = [...letterFonts.sans, ...letterFonts.serif, ...letterFonts.mono].map(
  (name) => `DejaVu${name}.ttf`,
)
/** FXFONT_FF_FIXEDPITCH and FXFONT_FF_ROMAN. */
const [fixedPitch, roman] = [1, 16]
const boldFrom = 600
const packages = createRequire(import.meta.url)

/** Fonts with symbols in place of letters. */
export const withoutLetters = /symbol|dingbats/i

/** The whole font is copied into PDFium's memory. */
const maxFontBytes = 64 * 1024 * 1024
/** The signatures of TrueType, OpenType, Apple's TrueType, and font collections. */
const fontHeads = ['\0\u0001\0\0', 'OTTO', 'true', 'ttcf']
const maxFolderDepth = 5
/** The tag of a font collection; 0 requests the whole file. */
const collectionTag = 0x74746366
/** The byte offsets of the functions in FPDF_SYSFONTINFO. */
const mapFontAt = 12
const getFontDataAt = 20

/** The folders of this computer's fonts. */
export function systemFontFolders(): string[] {
  const home = homedir()
  switch (process.platform) {
    case 'win32':
      return [
        join(process.env.SystemRoot ?? 'C:\\Windows', 'Fonts'),
        join(home, 'AppData', 'Local', 'Microsoft', 'Windows', 'Fonts'),
      ]
    case 'darwin':
      return ['/System/Library/Fonts', '/Library/Fonts', join(home, 'Library', 'Fonts')]
    default:
      return ['/usr/share/fonts', '/usr/local/share/fonts', join(home, '.local', 'share', 'fonts')]
  }
}

/** Chooses the fonts that replace those that are not embedded in a PDF. */
interface FontChoice {
  /** Whether the app's fonts are used for letters instead of PDFium's, in documents that are loaded from then on. */
  hasOwnLetters: boolean
}

/**
 * Makes PDFium draw Chinese, Japanese and Korean text whose font is not embedded with a font of this computer, and
 * letters that its own fonts lack with the app's fonts. Fonts are read only when a label needs them.
 * @param table PDFium's functions; those that find fonts are replaced, since this build finds none
 * @param folders the folders with fonts
 */
async function drawWithFonts(
  api: PdfiumApi,
  table: FunctionTable,
  folders: readonly string[],
): Promise<FontChoice> {
  const choice: FontChoice = { hasOwnLetters: false }
  const info = api._FPDF_GetDefaultSystemFontInfo()
  if (info === 0) return choice
  const files = new Map<Charset, string | undefined>()
  const fontFor = (charset: Charset) => {
    if (!files.has(charset)) files.set(charset, findFont(charset, folders))
    return files.get(charset)
  }
  let last: { file: string; bytes: Buffer } | undefined
  const read = (file: string, isOwn: boolean): Buffer => {
    if (last?.file === file) return last.bytes
    const bytes = readFileSync(file)
    last = { file, bytes: isOwn ? adaptFont(bytes) : bytes }
    return last.bytes
  }

  const mapFont = (...[, weight = 0, italic, asked, pitch = 0, face = 0]: number[]): number => {
    const charset = charsets.find((each) => each === asked)
    if (charset !== undefined) return fontFor(charset) === undefined ? 0 : charset
    if (!choice.hasOwnLetters || withoutLetters.test(readText(api, face))) return 0
    const styles = letterFonts[(pitch & fixedPitch) !== 0 ? 'mono' : (pitch & roman) !== 0 ? 'serif' : 'sans']
    const style = (weight >= boldFrom ? 1 : 0) + (italic === 0 ? 0 : 2)
    // 0 means no font.
    return letterFontFiles.indexOf(`DejaVu${styles[style]}.ttf`) + 1
  }
  const findFile = (font: number): string | undefined => {
    const charset = charsets.find((each) => each === font)
    if (charset !== undefined) return fontFor(charset)
    const name = letterFontFiles[font - 1]
    return name && packages.resolve(`dejavu-fonts-ttf/ttf/${name}`)
  }
  const getFontData = (...[, font = 0, tag, buffer = 0, size = 0]: number[]): number => {
    const file = findFile(font)
    if (file === undefined || (tag !== 0 && tag !== collectionTag)) return 0
    const bytes = read(file, font <= letterFontFiles.length)
    const isCollection = bytes.toString('latin1', 0, 4) === 'ttcf'
    if (tag === collectionTag && !isCollection) return 0
    // PDFium reads a collection's header separately.
    if (buffer !== 0) api.HEAPU8.set(bytes.subarray(0, size), buffer)
    return bytes.length
  }
  const view = new DataView(api.HEAPU8.buffer)
  table.set(view.getInt32(info + mapFontAt, true), await toWasmFunction(7, mapFont))
  table.set(view.getInt32(info + getFontDataAt, true), await toWasmFunction(5, getFontData))
  api._FPDF_SetSystemFontInfo(info)
  return choice
}

/**
 * Adapts one of the app's fonts for PDFium. Without its Mac character codes: PDFium uses them before the names of
 * letters and would draw «Ä» for what the PDF calls «ł». With an empty glyph instead of the box for missing letters, so
 * that they are detected as missing.
 */
function adaptFont(font: Buffer): Buffer {
  const [macintosh, unknown] = [1, 0xffff]
  const codes = findTable(font, 'cmap')
  const records = font.readUInt16BE(codes + 2)
  for (let record = codes + 4; record < codes + 4 + records * 8; record += 8) {
    if (font.readUInt16BE(record) === macintosh) font.writeUInt16BE(unknown, record)
  }
  // A glyph extends from its offset to that of the next one; offsets have 2 or 4 bytes.
  const places = findTable(font, 'loca')
  const bytes = font.readInt16BE(findTable(font, 'head') + 50) === 0 ? 2 : 4
  font.copy(font, places, places + bytes, places + 2 * bytes)
  return font
}

function findTable(font: Buffer, tag: string): number {
  const record = font.subarray(0, 12 + font.readUInt16BE(4) * 16).indexOf(tag, 12, 'latin1')
  return font.readUInt32BE(record + 8)
}

/** Reads a text, such as a font's name, from PDFium's memory. */
function readText({ HEAPU8 }: Pick<PdfiumApi, 'HEAPU8'>, address: number): string {
  const end = HEAPU8.indexOf(0, address)
  return Buffer.from(HEAPU8.subarray(address, end)).toString('latin1')
}

function findFont(charset: Charset, folders: readonly string[]): string | undefined {
  const files = folders.flatMap((folder) => listFiles(folder, maxFolderDepth))
  for (const name of [...ownFonts[charset], ...commonFonts]) {
    const file = files.find((each) => name.test(basename(each)) && isFont(each))
    if (file !== undefined) return file
  }
  return undefined
}

/** Checks the signature: with a font that it can't read, PDFium draws nothing, not even Latin letters. */
function isFont(file: string): boolean {
  try {
    return statSync(file).size <= maxFontBytes && fontHeads.includes(getHead(file))
  } catch {
    return false
  }
}

function getHead(file: string): string {
  const handle = openSync(file, 'r')
  try {
    const head = Buffer.alloc(4)
    readSync(handle, head, 0, 4, 0)
    return head.toString('latin1')
  } finally {
    closeSync(handle)
  }
}

function listFiles(folder: string, depth: number): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const file = join(folder, entry.name)
      if (!entry.isDirectory()) return [file]
      return depth > 0 ? listFiles(file, depth - 1) : []
    })
  } catch {
    // A missing folder has no fonts.
    return []
  }
}

/** Wraps a function of integers as a WebAssembly function, the only kind that PDFium's table accepts. */
async function toWasmFunction(parameters: number, call: (...values: number[]) => number): Promise<unknown> {
  const int = 0x7f
  const module = Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    // Types: one function. Imports: h.f. Exports: f.
    ...[
      0x01,
      5 + parameters,
      0x01,
      0x60,
      parameters,
      ...Array.from({ length: parameters }, () => int),
      0x01,
      int,
    ],
    ...[0x02, 0x07, 0x01, 0x01, 0x68, 0x01, 0x66, 0x00, 0x00],
    ...[0x07, 0x05, 0x01, 0x01, 0x66, 0x00, 0x00],
  )
  return new WebAssembly.Instance(await WebAssembly.compile(module), { h: { f: call } }).exports.f
}
