import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { PDFiumModule } from '@hyzyla/pdfium'
import { drawWithFonts, type FontChoice } from './systemFonts'

/**
 * The functions of PDFium's C interface (fpdfview.h, fpdf_edit.h, fpdf_text.h, fpdf_formfill.h, fpdf_ppo.h, fpdf_save.h and
 * others) that are called here, with their parameters. All are numbers: handles and addresses in WebAssembly's memory, a
 * failure is 0.
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
  /** The paths that an object is clipped by, in the page's units; none are -1. */
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
  /** WebAssembly's memory. It is another array whenever the memory has grown, so it is never kept. */
  readonly HEAPU8: Uint8Array<ArrayBuffer>
  readonly wasmExports: { malloc(size: number): number; free(address: number): void }
}

/**
 * Gives `use` the address of so many bytes of WebAssembly's memory, and takes them back.
 * @returns undefined when there is no room
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

/** Numbers of single precision that follow one another in WebAssembly's memory. */
export function readFloats({ HEAPU8 }: Pick<PdfiumApi, 'HEAPU8'>, address: number, count: number): number[] {
  const view = new DataView(HEAPU8.buffer, address, count * 4)
  return Array.from({ length: count }, (_, index) => view.getFloat32(index * 4, true))
}

/** A4 at 600 dpi with a coloured picture of the same size takes 300 MB; a PDF that is made to use up memory takes all. */
const maxMemoryBytes = 512 * 1024 * 1024

/** PDFium with its memory in bounds. */
export interface BoundedPdfium {
  api: PdfiumApi
  fonts: FontChoice
  /** Whether it was refused memory since this was asked last: what it drew then lacks something. */
  wasRefusedMemory(): boolean
  /** Writes an open document, not encrypted; undefined when PDFium can't, or it is larger than any label. */
  save(document: number): Uint8Array | undefined
}

/** FPDF_REMOVE_SECURITY. */
const withoutSecurity = 3
const maxSavedBytes = 128 * 1024 * 1024

/**
 * Loads PDFium's WebAssembly. The package's own classes cover a part of the interface only: they can't reach the
 * objects of a page, nor measure one without drawing it.
 * @param fontFolders where fonts for Chinese, Japanese and Korean are looked for
 * @throws when the package lacks a function: another version of it was installed
 */
export async function loadPdfiumApi(fontFolders: readonly string[]): Promise<BoundedPdfium> {
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
  const fonts = await drawWithFonts(module, table, fontFolders)
  const [ownTable, callback] = [table, await WebAssembly.compile(callbackModule)]
  return {
    api: module,
    fonts,
    save: (document) => save(module, ownTable, callback, document),
    wasRefusedMemory() {
      const was = refused
      refused = false
      return was
    },
  }
}

/**
 * PDFium hands the parts of a document to a callback, which has to be a WebAssembly function in the module's table. The
 * table can't grow; its place for the null pointer is free, and is taken as long as PDFium writes.
 */
function save(
  api: PdfiumApi,
  table: FunctionTable,
  callback: WebAssembly.Module,
  document: number,
): Uint8Array | undefined {
  const parts: Uint8Array[] = []
  let bytes = 0
  const take = (_writer: number, address: number, length: number) => {
    bytes += length
    if (bytes > maxSavedBytes) return 0
    parts.push(api.HEAPU8.slice(address, address + length))
    return 1
  }
  // FPDF_FILEWRITE: a version and the callback, here at 0.
  return withMemory(api, 8, (writer) => {
    const view = new DataView(api.HEAPU8.buffer, writer, 8)
    view.setInt32(0, 1, true)
    view.setInt32(4, 0, true)
    table.set(0, new WebAssembly.Instance(callback, { host: { take } }).exports.take)
    try {
      return api._FPDF_SaveAsCopy(document, writer, withoutSecurity) === 0 ? undefined : Buffer.concat(parts)
    } finally {
      table.set(0, null)
    }
  })
}

/** A WebAssembly.Table of functions; TypeScript's library for Node does not know it. */
interface FunctionTable {
  set(index: number, entry: unknown): void
}

function isTable(value: unknown): value is FunctionTable {
  return typeof value === 'object' && value !== null && 'set' in value
}

/** `(import "host" "take" (func (param i32 i32 i32) (result i32)))`, exported again. */
const callbackModule = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  // Types: one function.
  ...[0x01, 0x08, 0x01, 0x60, 0x03, 0x7f, 0x7f, 0x7f, 0x01, 0x7f],
  // Imports: host.take.
  ...[0x02, 0x0d, 0x01, 0x04, ...Buffer.from('host'), 0x04, ...Buffer.from('take'), 0x00, 0x00],
  // Exports: take.
  ...[0x07, 0x08, 0x01, 0x04, ...Buffer.from('take'), 0x00, 0x00],
)

/** The module asks its host for more memory; here the answer is that there is none. */
function withBoundedMemory(imports: WebAssembly.Imports, onRefusal: () => void): WebAssembly.Imports {
  const { emscripten_resize_heap: grow, ...others } = imports.env ?? {}
  if (typeof grow !== 'function') throw new Error('PDFium no longer asks for memory as it did.')
  const growWithin = (bytes: number) => {
    if (bytes >>> 0 <= maxMemoryBytes) return grow(bytes)
    onRefusal()
    return 0
  }
  return { ...imports, env: { ...others, emscripten_resize_heap: growWithin } }
}

function isPdfiumApi(module: object): module is PdfiumApi {
  return Object.keys(functions).every((name) => typeof Reflect.get(module, name) === 'function')
}
