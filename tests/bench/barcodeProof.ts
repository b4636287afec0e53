import { createWorkerProver, withBarcodeProofs } from '../../src/main/printing/barcodes/barcodeProver'
import { toZplLayout } from '../../src/main/printing/layout/labelLayout'
import type { Rasterizer } from '../../src/main/printing/raster/rasterizer'
import { socketPrinterSchema } from '../../src/shared/printing'
import { buildWorker } from '../support/builtWorker'
import { type Figure, quantile, round } from './bench'

const rounds = 25
const upright = { xMm: 0, yMm: 0, widthMm: 100, heightMm: 150 }

/** What reading a label's barcodes before printing adds to drawing it, for labels of 100 x 150 mm. */
export async function barcodeFigures(rasterizer: Rasterizer, pdf: Buffer): Promise<Figure[]> {
  const script = await buildWorker('barcodeWorker', 'src/main/printing/barcodes/worker.ts')
  const prover = createWorkerProver(script, { readingMs: 60_000, waitingMs: 60_000 })
  try {
    const figures: Figure[] = []
    for (const dpi of [203, 300, 600] as const) {
      const printer = socketPrinterSchema.parse({ id: 'z', driver: 'socket', host: 'h', dpi })
      const layout = toZplLayout(printer, [{ page: 0, area: upright, turn: 0, scale: 1 }])
      const median = async (choice: 'always' | 'first' | 'never') => {
        const proving = withBarcodeProofs(rasterizer, prover, () => choice)
        const times: number[] = []
        for (let round = -1; round < rounds; round += 1) {
          const start = performance.now()
          const drawn = await proving.renderZpl(pdf, layout)
          if (!drawn.ok) throw new Error(drawn.error.message)
          const { barcodes } = drawn.value
          if (barcodes?.kind === 'not-proved') throw new Error(`not proved: ${barcodes.reason}`)
          // The first one is the one that `first` reads, and warms the thread.
          if (round >= 0) times.push(performance.now() - start)
        }
        return quantile(times, 0.5)
      }
      const [never, first, always] = [await median('never'), await median('first'), await median('always')]
      figures.push({
        name: `barcodes read before printing at ${dpi} dpi, over drawing alone`,
        value: round(always - never),
        unit: 'ms',
        note: `median ${round(always)} ms against ${round(never)}; a later label of a kind ${round(first)} ms`,
      })
    }
    return figures
  } finally {
    await prover.close()
  }
}
