import { type PdfiumApi, readFloats, withMemory } from './pdfiumApi'

/** FPDF_PAGEOBJ_TEXT, _PATH, _IMAGE and _FORM. */
export const objectType = { text: 1, path: 2, image: 3, form: 5 } as const

/** Real labels have some thousands. */
const maxObjects = 100_000
const maxDepth = 12

/** An object of a page, by its handle. */
interface PageObject<Place> {
  object: number
  type: number
  place: Place
}

/**
 * The objects of a page and of the forms in it, in the order in which they are drawn; not all of a page that is made to
 * hold up its reader.
 * @param page handle of a loaded page
 * @param place what is known of where the page's own objects are
 * @param enter the same for the objects of a form, from its handle and the place that it is in
 */
export function* walkPage<Place>(
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

/** A4 at 1200 dpi has 139 million. PDFium unpacks a gigabyte of a picture, and draws the rest of it black. */
const maxPicturePixels = 150_000_000

/**
 * Whether a page shows a picture of more pixels than PDFium unpacks.
 * @param page handle of a loaded page
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

/** Four corners and the ways of closing them; a path of more parts is never taken for a rectangle. */
const maxSegments = 6
/** How far a rectangle's top is moved against its bottom, in dots: more than single precision loses, less than shows. */
const shearDots = 0.02
/** Edges in the very middle of a dot all fall to the same side, so that the widths of bars stay. */
const shiftDots = 0.015
/** A thinner rectangle could fall between two dots and vanish: PDFium's rounding keeps it at one dot. */
const minDots = 1.02

/**
 * Makes PDFium draw upright rectangles by the share of each dot that they cover. It widens a filled rectangle to whole
 * dots otherwise, by up to one dot, and the bars of a barcode grow at the expense of its gaps. It does so only for exact
 * rectangles, so each one is sheared by a fraction of a dot, on the loaded page alone. Images and text stay as they are.
 * @param page handle of a loaded page
 * @param dotsPerUnit dots in one unit of the page's space
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

/** PDFium, and room in its memory for six numbers of single precision. */
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

/** A path that PDFium would widen to whole dots, in its own units; undefined when it is none, or too thin to be freed. */
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
