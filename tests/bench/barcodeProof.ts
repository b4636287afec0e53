import { createWorkerProver, withBarcodeProofs } from '../../src/main/printing/barcodes/barcodeProver'
import { toZplLayout } from '../../src/main/printing/layout/labelLayout'
import { socketPrinterSchema } from '../../src/shared/printing'
import { buildWorker } from '../support/builtWorker'
import { alternate, type Figure, round } from './bench'
import type { PrintingBench } from './printingDrawing'

const upright = { xMm: 0, yMm: 0, widthMm: 100, heightMm: 150 }

/** The time that reading a label's barcodes before printing adds to drawing it, for labels of 100 x 150 mm. */
export async function* barcodeFigures({ rasterizer, pdf }: PrintingBench): AsyncGenerator<Figure> {
  const script = await buildWorker('barcodeWorker', 'src/main/printing/barcodes/worker.ts')
  const prover = createWorkerProver(script, { readingMs: 60_000, waitingMs: 60_000 })
  try {
    for (const [dpi, rounds] of [
      [203, 15],
      [300, 9],
      [600, 5],
    ] as const) {
      const printer = socketPrinterSchema.parse({ id: 'z', driver: 'socket', host: 'h', dpi })
      const layout = toZplLayout(printer, [{ page: 0, area: upright, turn: 0, scale: 1 }])
      const drawing = (choice: 'always' | 'first' | 'never') => {
        const proving = withBarcodeProofs(rasterizer, prover, () => choice)
        return async () => {
          const drawn = await proving.renderZpl(pdf, layout)
          if (!drawn.ok) throw new Error(drawn.error.message)
          const { barcodes } = drawn.value
          if (barcodes?.kind === 'not-proved') throw new Error(`not proved: ${barcodes.reason}`)
        }
      }
      // `first` reads only the label of the warm-up round.
      const took = await alternate(rounds, {
        always: drawing('always'),
        first: drawing('first'),
        never: drawing('never'),
      })
      yield {
        name: `drawing and reading a label's barcodes at ${dpi} dpi, median`,
        ...{ value: round(took('always')), unit: 'ms' },
        reference: { name: 'drawing alone', value: took('never') },
        note: `a later label of a kind ${round(took('first'))} ms`,
      }
    }
  } finally {
    await prover.close()
  }
}
