import type { ProveBarcodes } from '../../../shared/barcodes'
import { ok } from '../../../shared/result'
import type { Rasterizer, ZplDrawing, ZplLayout } from '../raster/rasterizer'
import type { BarcodeProver } from './workerProver'

/** More kinds of labels than a station prints in a day; beyond it they are read once more. */
const maxKinds = 1000

/**
 * The same rasteriser, whose labels for printers have their barcodes read before they are handed out. What of them
 * would be lost joins the findings, so that the label is held.
 * @param choice which labels are read, as it is now
 */
export function withBarcodeProofs(
  rasterizer: Rasterizer,
  prover: Pick<BarcodeProver, 'prove'>,
  choice: () => ProveBarcodes,
): Rasterizer {
  /** Kinds of labels that were read and lost nothing since the app began, with the engine as it is now. */
  const proved = new Set<string>()

  return {
    ...rasterizer,
    async renderZpl(pdf, layout, onPlaced) {
      const drawn = await rasterizer.renderZpl(pdf, layout, onPlaced)
      const kind = drawn.ok ? kindOf(layout, drawn.value) : ''
      if (!drawn.ok || choice() === 'never' || (choice() === 'first' && proved.has(kind))) return drawn
      const { placements, bitmaps } = drawn.value
      const { proof, findings } = await prover.prove({ pdf, layout: { ...layout, placements }, bitmaps })
      if (proof.kind === 'proved' && findings.length === 0) remember(kind)
      return ok({ ...drawn.value, findings: [...drawn.value.findings, ...findings], barcodes: proof })
    },
  }

  function remember(kind: string): void {
    if (proved.size >= maxKinds) proved.clear()
    proved.add(kind)
  }
}

/** Labels of one carrier option that come to lie alike on one printer; pages of another size lie otherwise. */
function kindOf({ placements: question, ...layout }: ZplLayout, { placements }: ZplDrawing): string {
  const of = 'printer' in question ? [question.carrierOptionId, question.printer.id] : []
  return JSON.stringify([of, layout, placements])
}
