import { parentPort } from 'node:worker_threads'
import { loadPdfium } from './pdfium'
import type { RasterAnswer, RasterTask } from './rasterizer'
import { runTask } from './runTask'
import { systemFontFolders } from './systemFonts'

// The entry of the rasteriser's thread: built as a file of its own, beside the main program. A fault in PDFium ends
// the thread; who started it starts another. It is asked one thing at a time.
const loading = loadPdfium(systemFontFolders())

parentPort?.on('message', async (task: RasterTask) => {
  const result = runTask(await loading, task, () => parentPort?.postMessage('placed'))
  parentPort?.postMessage(result, result.ok ? buffersOf(result.value) : [])
})

/** What is handed over instead of copied. */
function buffersOf(answer: RasterAnswer): ArrayBuffer[] {
  switch (answer.kind) {
    case 'grey':
      return answer.pages.map((page) => page.pixels.buffer)
    case 'mono':
      return answer.bitmaps.map((bitmap) => bitmap.bits.buffer)
    case 'zpl':
      return [answer.bytes.buffer, ...answer.bitmaps.map((bitmap) => bitmap.bits.buffer)]
    // Bytes that PDFium wrote may be part of a larger buffer.
    case 'stock':
    case 'pages':
    case 'measure':
      return []
  }
}
