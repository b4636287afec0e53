import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWorkerRasterizer } from '../../src/main/printing/raster/rasterizer'
import { buildWorker } from '../support/builtWorker'
import { labelSheet } from '../support/printing/corpus/sheets'
import { symbols } from '../support/printing/corpus/symbols'
import { barcodeFigures } from './barcodeProof'
import type { Figure, Parts } from './bench'
import { drawingFigures, memoryFigures, type PrintingBench, wireFigures } from './printingDrawing'
import {
  answerFigures,
  backlogFigures,
  cupsFigures,
  rateFigures,
  silentPrinterFigures,
} from './printingHandover'
import { subDotFigures } from './subDots'

/** The figures of printing. */
export const parts: Parts = {
  drawing: () => withRasterizer(drawingFigures),
  wire: () => withRasterizer(wireFigures),
  zpl: () => withRasterizer(answerFigures),
  silent: () => withRasterizer(silentPrinterFigures),
  queue: () => withRasterizer(backlogFigures),
  cups: () => withRasterizer(cupsFigures),
  throughput: () => withRasterizer(rateFigures),
  barcodes: () => withRasterizer(barcodeFigures),
  memory: () => withRasterizer(memoryFigures),
  subDots: () => withRasterizer(subDotFigures),
}

async function* withRasterizer(
  measure: (bench: PrintingBench) => AsyncGenerator<Figure>,
): AsyncGenerator<Figure> {
  const folder = await mkdtemp(join(tmpdir(), 'packbench-bench-'))
  const script = await buildWorker('rasterWorker', 'src/main/printing/raster/worker.ts')
  const rasterizer = createWorkerRasterizer(script)
  try {
    const pdf = await labelSheet([symbols.code128, symbols.qr, symbols.itf])
    yield* measure({ rasterizer, folder, pdf })
  } finally {
    await rasterizer.close()
    await rm(folder, { recursive: true, force: true })
  }
}
