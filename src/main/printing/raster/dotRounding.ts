import type { PdfiumApi } from './pdfiumApi'

/** FPDF_PAGEOBJ_PATH and FPDF_PAGEOBJ_FORM. */
const pathType = 2
const formType = 5
/** Four corners and the ways of closing them; a path of more parts is never taken for a rectangle. */
const maxSegments = 6
/** How far a rectangle's top is moved against its bottom, in dots: more than single precision loses, less than shows. */
const shearDots = 0.02
/** Edges in the very middle of a dot all fall to the same side, so that the widths of bars stay. */
const shiftDots = 0.015
/** A thinner rectangle could fall between two dots and vanish: PDFium's rounding keeps it at one dot. */
const minDots = 1.02
/** Real labels have some thousands. */
const maxObjects = 100_000
const maxDepth = 12

/**
 * Makes PDFium draw upright rectangles by the share of each dot that they cover. It widens a filled rectangle to whole
 * dots otherwise, by up to one dot, and the bars of a barcode grow at the expense of its gaps. It does so only for exact
 * rectangles, so each one is sheared by a fraction of a dot, on the loaded page alone. Images and text stay as they are.
 * @param page handle of a loaded page
 * @param dotsPerUnit dots in one unit of the page's space
 */
export function freeRectanglesFromDots(api: PdfiumApi, page: number, dotsPerUnit: number): void {
  const scratch = api.wasmExports.malloc(24)
  if (scratch === 0) return
  const walk: Walk = { api, scratch, left: maxObjects }
  const count = api._FPDFPage_CountObjects(page)
  const scale: Scale = { a: dotsPerUnit, b: 0, c: 0, d: dotsPerUnit }
  for (let index = 0; index < count && walk.left > 0; index += 1) {
    visit(walk, api._FPDFPage_GetObject(page, index), scale, 0)
  }
  api.wasmExports.free(scratch)
}

interface Walk {
  api: PdfiumApi
  /** Room for six numbers of single precision. */
  scratch: number
  /** How many more objects are looked at. */
  left: number
}

/** The linear part of the matrix from an object's space to dots. */
interface Scale {
  a: number
  b: number
  c: number
  d: number
}

function visit(walk: Walk, object: number, scale: Scale, depth: number): void {
  const { api } = walk
  walk.left -= 1
  const type = api._FPDFPageObj_GetType(object)
  if (type === pathType) movePath(walk, object, scale)
  if (type !== formType || depth >= maxDepth) return
  const within = scaleWithin(walk, object, scale)
  const count = api._FPDFFormObj_CountObjects(object)
  for (let index = 0; index < count && walk.left > 0; index += 1) {
    visit(walk, api._FPDFFormObj_GetObject(object, index), within, depth + 1)
  }
}

function movePath(walk: Walk, path: number, scale: Scale): void {
  const [perX, perY] = [Math.hypot(scale.a, scale.b), Math.hypot(scale.c, scale.d)]
  if (!(perX > 0 && perY > 0)) return
  const rectangle = toRectangle(walk, path, scale)
  const shear = rectangle === undefined ? 0 : shearDots / (rectangle.height * perX)
  const back = rectangle === undefined ? 0 : shear * rectangle.middle
  walk.api._FPDFPageObj_Transform(path, 1, 0, shear, 1, shiftDots / perX - back, shiftDots / perY)
}

/** A path that PDFium would widen to whole dots, in its own units; undefined when it is none, or too thin to be freed. */
function toRectangle(
  { api, scratch }: Walk,
  path: number,
  { a, b, c, d }: Scale,
): { height: number; middle: number } | undefined {
  if (api._FPDFPath_CountSegments(path) > maxSegments || !isOnlyFilled(api, scratch, path)) return undefined
  if (api._FPDFPageObj_GetBounds(path, scratch, scratch + 4, scratch + 8, scratch + 12) === 0)
    return undefined
  const [left = 0, bottom = 0, right = 0, top = 0] = numbersAt(api, scratch, 4)
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

function scaleWithin({ api, scratch }: Walk, form: number, outer: Scale): Scale {
  if (api._FPDFPageObj_GetMatrix(form, scratch) === 0) return outer
  const [a = 1, b = 0, c = 0, d = 1] = numbersAt(api, scratch, 4)
  return {
    a: a * outer.a + b * outer.c,
    b: a * outer.b + b * outer.d,
    c: c * outer.a + d * outer.c,
    d: c * outer.b + d * outer.d,
  }
}

function numbersAt(api: PdfiumApi, address: number, count: number): number[] {
  const view = new DataView(api.HEAPU8.buffer, address, count * 4)
  return Array.from({ length: count }, (_, index) => view.getFloat32(index * 4, true))
}
