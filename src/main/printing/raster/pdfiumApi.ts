import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { PDFiumModule } from '@hyzyla/pdfium'
import { drawWithFonts, type FontChoice } from './systemFonts'

/**
 * The functions of PDFium's C interface (fpdfview.h, fpdf_edit.h, fpdf_text.h, fpdf_formfill.h, fpdf_ppo.h, fpdf_save.h and
 * others) that are called here. Handles and
 * addresses are numbers in WebAssembly's memory; a handle of 0 is a failure.
 */
export interface PdfiumApi {
  /** WebAssembly's memory. It is another array whenever the memory has grown, so it is never kept. */
  readonly HEAPU8: Uint8Array<ArrayBuffer>
  readonly wasmExports: { malloc(size: number): number; free(address: number): void }
  _FPDF_InitLibrary(): void
  _FPDF_GetDefaultSystemFontInfo(): number
  _FPDF_SetSystemFontInfo(info: number): void
  _FPDF_LoadMemDocument(address: number, size: number, password: number): number
  _FPDF_GetLastError(): number
  _FPDF_CloseDocument(document: number): void
  _FPDF_GetPageCount(document: number): number
  _FPDF_GetPageSizeByIndexF(document: number, page: number, size: number): number
  _FPDF_LoadPage(document: number, page: number): number
  _FPDF_ClosePage(page: number): void
  _FPDF_GetFormType(document: number): number
  _FPDFDOC_InitFormFillEnvironment(document: number, callbacks: number): number
  _FPDFDOC_ExitFormFillEnvironment(form: number): void
  _FPDF_SetFormFieldHighlightAlpha(form: number, alpha: number): void
  _FORM_OnAfterLoadPage(page: number, form: number): void
  _FORM_OnBeforeClosePage(page: number, form: number): void
  _FPDF_FFLDraw: Draw<[form: number]>
  _FPDF_RenderPageBitmap: Draw<[]>
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, address: number, stride: number): number
  _FPDFBitmap_Destroy(bitmap: number): void
  _FPDFPage_GetAnnotCount(page: number): number
  _FPDFPage_GetAnnot(page: number, index: number): number
  _FPDFPage_CloseAnnot(annotation: number): void
  _FPDFAnnot_GetFlags(annotation: number): number
  _FPDFAnnot_SetFlags(annotation: number, flags: number): number
  _FPDFPage_CountObjects(page: number): number
  _FPDFPage_HasTransparency(page: number): number
  _FPDFPage_GetObject(page: number, index: number): number
  _FPDFFormObj_CountObjects(form: number): number
  _FPDFFormObj_GetObject(form: number, index: number): number
  _FPDFPageObj_GetType(object: number): number
  _FPDFPageObj_GetMatrix(object: number, matrix: number): number
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number
  /** The paths that an object is clipped by, in the page's units; none are -1. */
  _FPDFPageObj_GetClipPath(object: number): number
  _FPDFClipPath_CountPaths(clip: number): number
  _FPDFClipPath_CountPathSegments(clip: number, path: number): number
  _FPDFClipPath_GetPathSegment(clip: number, path: number, index: number): number
  _FPDFPathSegment_GetPoint(segment: number, x: number, y: number): number
  _FPDFPageObj_Transform: Transform
  _FPDFImageObj_GetImagePixelSize(image: number, width: number, height: number): number
  _FPDFImageObj_GetImageDataRaw(image: number, buffer: number, length: number): number
  _FPDFImageObj_SetBitmap(pages: number, count: number, image: number, bitmap: number): number
  _FPDFTextObj_GetFont(text: number): number
  _FPDFTextObj_GetTextRenderMode(text: number): number
  _FPDFFont_GetIsEmbedded(font: number): number
  _FPDFFont_GetBaseFontName(font: number, buffer: number, length: number): number
  _FPDFFont_GetGlyphPath(font: number, glyph: number, size: number): number
  _FPDFText_LoadPage(page: number): number
  _FPDFText_ClosePage(text: number): void
  _FPDFText_CountChars(text: number): number
  _FPDFText_GetUnicode(text: number, index: number): number
  _FPDFText_HasUnicodeMapError(text: number, index: number): number
  _FPDFText_IsGenerated(text: number, index: number): number
  _FPDFText_GetTextObject(text: number, index: number): number
  _FPDFText_GetCharBox: CharBox
  _FPDF_PageToDevice: ToDevice
  _FPDFPath_CountSegments(path: number): number
  _FPDFPath_GetDrawMode(path: number, fillMode: number, stroke: number): number
  _FPDF_GetSecurityHandlerRevision(document: number): number
  _FPDF_DocumentHasValidCrossReferenceTable(document: number): number
  _FPDF_CreateNewDocument(): number
  _FPDF_ImportPagesByIndex(to: number, from: number, indices: number, length: number, at: number): number
  _FPDF_NewXObjectFromPage(to: number, from: number, page: number): number
  _FPDF_CloseXObject(xObject: number): void
  _FPDF_NewFormObjectFromXObject(xObject: number): number
  _FPDFPage_New(document: number, index: number, width: number, height: number): number
  _FPDFPage_Delete(document: number, page: number): void
  _FPDFPage_Flatten(page: number, usage: number): number
  _FPDFPage_InsertObject(page: number, object: number): void
  _FPDFPage_GenerateContent(page: number): number
  _FPDFPage_TransFormWithClip(page: number, matrix: number, clip: number): number
  _FPDFPageObj_SetMatrix(object: number, matrix: number): number
  _FPDF_SaveAsCopy(document: number, writer: number, flags: number): number
}

type CharBox = (
  ...place: [text: number, index: number, left: number, right: number, bottom: number, top: number]
) => number

type ToDevice = (
  ...place: [
    page: number,
    left: number,
    top: number,
    width: number,
    height: number,
    turn: number,
    x: number,
    y: number,
    deviceX: number,
    deviceY: number,
  ]
) => number

type Draw<First extends number[]> = (
  ...place: [
    ...First,
    bitmap: number,
    page: number,
    left: number,
    top: number,
    width: number,
    height: number,
    turn: number,
    flags: number,
  ]
) => void

type Transform = (
  ...matrix: [object: number, a: number, b: number, c: number, d: number, e: number, f: number]
) => void

const functionNames = [
  '_FPDF_InitLibrary',
  '_FPDF_GetDefaultSystemFontInfo',
  '_FPDF_SetSystemFontInfo',
  '_FPDF_LoadMemDocument',
  '_FPDF_GetLastError',
  '_FPDF_CloseDocument',
  '_FPDF_GetPageCount',
  '_FPDF_GetPageSizeByIndexF',
  '_FPDF_LoadPage',
  '_FPDF_ClosePage',
  '_FPDF_GetFormType',
  '_FPDFDOC_InitFormFillEnvironment',
  '_FPDFDOC_ExitFormFillEnvironment',
  '_FPDF_SetFormFieldHighlightAlpha',
  '_FORM_OnAfterLoadPage',
  '_FORM_OnBeforeClosePage',
  '_FPDF_FFLDraw',
  '_FPDF_RenderPageBitmap',
  '_FPDFBitmap_CreateEx',
  '_FPDFBitmap_Destroy',
  '_FPDFPage_GetAnnotCount',
  '_FPDFPage_GetAnnot',
  '_FPDFPage_CloseAnnot',
  '_FPDFAnnot_GetFlags',
  '_FPDFAnnot_SetFlags',
  '_FPDFPage_CountObjects',
  '_FPDFPage_HasTransparency',
  '_FPDFPage_GetObject',
  '_FPDFFormObj_CountObjects',
  '_FPDFFormObj_GetObject',
  '_FPDFPageObj_GetType',
  '_FPDFPageObj_GetMatrix',
  '_FPDFPageObj_GetBounds',
  '_FPDFPageObj_Transform',
  '_FPDFImageObj_GetImagePixelSize',
  '_FPDFImageObj_GetImageDataRaw',
  '_FPDFImageObj_SetBitmap',
  '_FPDFTextObj_GetFont',
  '_FPDFTextObj_GetTextRenderMode',
  '_FPDFFont_GetIsEmbedded',
  '_FPDFFont_GetBaseFontName',
  '_FPDFFont_GetGlyphPath',
  '_FPDFText_LoadPage',
  '_FPDFText_ClosePage',
  '_FPDFText_CountChars',
  '_FPDFText_GetUnicode',
  '_FPDFText_HasUnicodeMapError',
  '_FPDFText_IsGenerated',
  '_FPDFText_GetTextObject',
  '_FPDFText_GetCharBox',
  '_FPDF_PageToDevice',
  '_FPDFPath_CountSegments',
  '_FPDFPath_GetDrawMode',
  '_FPDF_GetSecurityHandlerRevision',
  '_FPDF_DocumentHasValidCrossReferenceTable',
  '_FPDF_CreateNewDocument',
  '_FPDF_ImportPagesByIndex',
  '_FPDF_NewXObjectFromPage',
  '_FPDF_CloseXObject',
  '_FPDF_NewFormObjectFromXObject',
  '_FPDFPage_New',
  '_FPDFPage_Delete',
  '_FPDFPage_Flatten',
  '_FPDFPage_InsertObject',
  '_FPDFPage_GenerateContent',
  '_FPDFPage_TransFormWithClip',
  '_FPDFPageObj_SetMatrix',
  '_FPDF_SaveAsCopy',
] as const satisfies (keyof PdfiumApi)[]

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
  const [functions, callback] = [table, await WebAssembly.compile(callbackModule)]
  return {
    api: module,
    fonts,
    save: (document) => save(module, functions, callback, document),
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
  const writer = api.wasmExports.malloc(8)
  if (writer === 0) return undefined
  const view = new DataView(api.HEAPU8.buffer, writer, 8)
  view.setInt32(0, 1, true)
  view.setInt32(4, 0, true)
  table.set(0, new WebAssembly.Instance(callback, { host: { take } }).exports.take)
  try {
    return api._FPDF_SaveAsCopy(document, writer, withoutSecurity) === 0 ? undefined : Buffer.concat(parts)
  } finally {
    table.set(0, null)
    api.wasmExports.free(writer)
  }
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
  return functionNames.every((name) => typeof Reflect.get(module, name) === 'function')
}
