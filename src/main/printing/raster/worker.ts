import { parentPort } from 'node:worker_threads'
import { loadPdfium } from './pdfium'
import type { RasterAnswer, RasterTask } from './rasterizer'
import { runTask } from './runTask'

// The entry of the rasteriser's thread: built as a file of its own, beside the main program. A fault in PDFium ends
// the thread; who started it starts another.
const loading = loadPdfium()
let turn: Promise<void> = Promise.resolve()

parentPort?.on('message', ({ id, task }: { id: number; task: RasterTask }) => {
  turn = turn.then(async () => {
    const result = await runTask(await loading, task)
    parentPort?.postMessage({ id, result }, result.ok ? buffersOf(result.value) : [])
  })
})

/** What is handed over instead of copied. */
function buffersOf(answer: RasterAnswer): ArrayBuffer[] {
  switch (answer.kind) {
    case 'grey':
      return answer.pages.map((page) => page.pixels.buffer)
    case 'mono':
      return answer.bitmaps.map((bitmap) => bitmap.bits.buffer)
    case 'zpl':
      return [answer.bytes.buffer]
    case 'measure':
      return []
  }
}
