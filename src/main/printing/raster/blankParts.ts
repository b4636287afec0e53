import type { LabelFinding } from '../../../shared/labels'
import type { Placement } from '../layout/placements'
import { type Cut, toCut } from './bitmap'
import type { GreyPage, RasterLayout } from './rasterizer'

/** Lighter than this is paper, or so light that nobody looks for it on a label. */
const paper = 225

/**
 * The parts of a page whose ink is all too light to become black.
 * @param left placements without a black dot
 */
export function findBlank(page: GreyPage, left: readonly Placement[], layout: RasterLayout): LabelFinding[] {
  return left
    .filter((placement) => hasInk(page, toCut(page, placement, layout.dotsPerMm * placement.scale)))
    .map((placement) => ({ kind: 'page-blank', page: placement.page + 1, areas: [placement.area] }))
}

function hasInk({ pixels, width: rowPixels }: GreyPage, { left, top, width, height }: Cut): boolean {
  for (let y = top; y < top + height; y += 1) {
    const start = y * rowPixels + left
    if (pixels.subarray(start, start + width).some((pixel) => pixel < paper)) return true
  }
  return false
}
