import { parentPort } from 'node:worker_threads'
import { loadPdfium } from './pdfium'
import type { RasterTask } from './rasterizer'
import { runTask } from './runTask'

// The entry of the rasteriser's thread: built as a file of its own, beside the main program. A fault in PDFium ends
// the thread; who started it starts another.
const loading = loadPdfium()
let turn: Promise<void> = Promise.resolve()

parentPort?.on('message', ({ id, task }: { id: number; task: RasterTask }) => {
  turn = turn.then(async () => {
    const result = await runTask(await loading, task)
    const pixels = result.ok && result.value.kind === 'grey' ? result.value.pages : []
    parentPort?.postMessage(
      { id, result },
      pixels.map((page) => page.pixels.buffer),
    )
  })
})
