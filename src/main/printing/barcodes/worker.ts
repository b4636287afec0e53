import { answerCalls } from '../../lib/workerPool'
import { loadPdfium } from '../raster/pdfium'
import type { BarcodeCalls } from './barcodeProver'
import { proveBarcodes } from './proveBarcodes'
import { loadSymbolReader } from './symbolReader'

// The entry of the thread that reads barcodes, built as a separate file beside the main program. It has its own PDFium,
// so that reading does not delay drawing.
answerCalls<BarcodeCalls>(
  Promise.all([loadPdfium(), loadSymbolReader()]).then(([pdfium, read]) => ({
    prove: (label) => proveBarcodes({ pdfium, read }, label),
  })),
)
