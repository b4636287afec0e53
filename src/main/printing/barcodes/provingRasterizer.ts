import type { ProveBarcodes } from '../../../shared/labels'
import { ok } from '../../../shared/result'
import type { Rasterizer, ZplDrawing, ZplLayout } from '../raster/rasterizer'
import type { BarcodeProver } from './workerProver'

/** More kinds of labels than a station prints in a day; beyond it they are read once more. */
const maxKinds = 1000
/** A kind of labels that is not read in time again and again is not to hold up each of them. */
const maxTries = 2

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
  /**
   * Kinds of labels since the app began, with the engine as it is now: how often each was not read in time, or all
   * tries at once when it was read and lost nothing.
   */
  const tries = new Map<string, number>()

  return {
    ...rasterizer,
    async renderZpl(pdf, layout, onPlaced) {
      const drawn = await rasterizer.renderZpl(pdf, layout, onPlaced)
      const kind = drawn.ok ? toKind(layout, drawn.value) : ''
      if (!drawn.ok || choice() === 'never') return drawn
      const tried = tries.get(kind) ?? 0
      if (choice() === 'first' && tried >= maxTries) return drawn
      const { placements, bitmaps } = drawn.value
      const { proof, findings } = await prover.prove({ pdf, layout: { ...layout, placements }, bitmaps })
      if (tries.size >= maxKinds) tries.clear()
      if (findings.length === 0) tries.set(kind, proof.kind === 'proved' ? maxTries : tried + 1)
      return ok({ ...drawn.value, findings: [...drawn.value.findings, ...findings], barcodes: proof })
    },
  }
}

/** Labels of one carrier option that come to lie alike on one printer; pages of another size lie otherwise. */
function toKind({ placements: question, ...layout }: ZplLayout, { placements }: ZplDrawing): string {
  const of = 'printer' in question ? [question.carrierOptionId, question.printer.id] : []
  return JSON.stringify([of, layout, placements])
}
