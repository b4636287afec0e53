import type { PageSize } from '../../../src/main/printing/layout/geometry'
import type { ZplLayout } from '../../../src/main/printing/layout/labelLayout'

/** Places whole pages on labels of the first page's size, upright and unscaled. */
export function wholePages(pages: PageSize[], dotsPerMm = 8): ZplLayout {
  const [first = { widthMm: 100, heightMm: 150 }] = pages
  return {
    dotsPerMm,
    widthDots: Math.round(first.widthMm * dotsPerMm),
    heightDots: Math.round(first.heightMm * dotsPerMm),
    offsetDots: { x: 0, y: 0 },
    greys: 'threshold',
    placements: pages.map((size, page) => ({
      page,
      area: { xMm: 0, yMm: 0, ...size },
      turn: 0,
      scale: 1,
    })),
    copies: 1,
  }
}
