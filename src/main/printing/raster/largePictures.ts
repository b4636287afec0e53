import type { PdfiumApi } from './pdfiumApi'

/** FPDF_PAGEOBJ_IMAGE and FPDF_PAGEOBJ_FORM. */
const imageType = 3
const formType = 5
/** A4 at 1200 dpi has 139 million. PDFium unpacks a gigabyte of a picture, and draws the rest of it black. */
const maxPicturePixels = 150_000_000
const maxObjects = 100_000
const maxDepth = 12

/**
 * Whether a page shows a picture of more pixels than PDFium unpacks.
 * @param page handle of a loaded page
 */
export function hasTooLargePicture(api: PdfiumApi, page: number): boolean {
  const scratch = api.wasmExports.malloc(8)
  if (scratch === 0) return false
  let left = maxObjects
  const isTooLarge = (object: number, depth: number): boolean => {
    left -= 1
    const type = api._FPDFPageObj_GetType(object)
    if (type === imageType) {
      if (api._FPDFImageObj_GetImagePixelSize(object, scratch, scratch + 4) === 0) return false
      const size = new DataView(api.HEAPU8.buffer, scratch, 8)
      return size.getUint32(0, true) * size.getUint32(4, true) > maxPicturePixels
    }
    if (type !== formType || depth >= maxDepth) return false
    const count = api._FPDFFormObj_CountObjects(object)
    for (let index = 0; index < count && left > 0; index += 1) {
      if (isTooLarge(api._FPDFFormObj_GetObject(object, index), depth + 1)) return true
    }
    return false
  }
  const count = api._FPDFPage_CountObjects(page)
  let found = false
  for (let index = 0; index < count && left > 0 && !found; index += 1) {
    found = isTooLarge(api._FPDFPage_GetObject(page, index), 0)
  }
  api.wasmExports.free(scratch)
  return found
}
