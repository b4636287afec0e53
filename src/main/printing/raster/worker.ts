import { answerCalls } from '../../lib/workerPool'
import type { MonoBitmap } from '../layout/labelLayout'
import { loadPdfium } from './pdfium'
import { systemFontFolders } from './pdfiumApi'
import { createRasterFunctions } from './rasterFunctions'
import type { RasterCalls } from './rasterizer'

// The entry of the rasterizer's thread, built as a separate file beside the main program.
answerCalls<RasterCalls, 'placed'>(loadPdfium(systemFontFolders()).then(createRasterFunctions), {
  renderGrey: (pages) => (pages.ok ? pages.value.map(({ pixels }) => pixels.buffer) : []),
  renderMono: (bitmaps) => (bitmaps.ok ? toBuffers(bitmaps.value) : []),
  renderZpl: (drawn) => (drawn.ok ? [drawn.value.zpl.buffer, ...toBuffers(drawn.value.bitmaps)] : []),
  // Bytes that PDFium wrote may be part of a larger buffer: they are copied instead of transferred.
})

function toBuffers(bitmaps: readonly (MonoBitmap | undefined)[]): ArrayBuffer[] {
  return bitmaps.flatMap((bitmap) => bitmap?.bits.buffer ?? [])
}
