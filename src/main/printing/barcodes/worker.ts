import { parentPort } from 'node:worker_threads'
import { loadPdfium } from '../raster/pdfium'
import { type DrawnLabel, proveBarcodes } from './proveBarcodes'
import { loadSymbolReader } from './symbolReader'

// The entry of the thread that reads barcodes: built as a file of its own, beside the main program. It has a PDFium of
// its own, so that reading takes no time from drawing. It is asked one thing at a time, and any fault ends it.
const loading = Promise.all([loadPdfium(), loadSymbolReader()])

parentPort?.on('message', async (label: DrawnLabel) => {
  const [pdfium, read] = await loading
  parentPort?.postMessage(await proveBarcodes({ pdfium, read }, label))
})
