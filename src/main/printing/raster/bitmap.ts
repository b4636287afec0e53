import type { GreyPage, ZplLayout } from './rasterizer'

/** One bit per dot, 1 is black, each row padded to whole bytes. */
export interface MonoBitmap {
  width: number
  height: number
  rowBytes: number
  bits: Uint8Array
}

/** Lighter than this is white: bars keep their widths, where dithering would fray their edges. */
const threshold = 128

/**
 * Puts a page on a label of black and white dots: turned, shifted, dot for dot. What reaches past the label's edge is
 * cut off; what the page does not cover stays white.
 */
export function placeOnLabel(page: GreyPage, layout: ZplLayout): MonoBitmap {
  const rowBytes = Math.ceil(layout.widthDots / 8)
  const bits = new Uint8Array(rowBytes * layout.heightDots)
  const { origin, stepX, stepY, width, height } = walkOf(page, layout.rotate)
  const { x: left, y: top } = layout.offsetDots
  const firstX = Math.max(0, left)
  const lastX = Math.min(layout.widthDots, left + width)
  const lastY = Math.min(layout.heightDots, top + height)
  for (let y = Math.max(0, top); y < lastY; y += 1) {
    const row = y * rowBytes
    let source = origin + (y - top) * stepY + (firstX - left) * stepX
    for (let x = firstX; x < lastX; x += 1) {
      const pixel = page.pixels[source] ?? 255
      if (pixel < threshold) bits[row + (x >> 3)] = (bits[row + (x >> 3)] ?? 0) | (0x80 >> (x & 7))
      source += stepX
    }
  }
  return { width: layout.widthDots, height: layout.heightDots, rowBytes, bits }
}

interface Walk {
  /** Index of the pixel that comes to lie in the top left corner. */
  origin: number
  /** How far the index moves for one dot to the right, and one down. */
  stepX: number
  stepY: number
  width: number
  height: number
}

/** How to walk over a page's pixels so that they come in the order of the turned page. */
function walkOf({ width, height }: GreyPage, rotate: ZplLayout['rotate']): Walk {
  switch (rotate) {
    case 0:
      return { origin: 0, stepX: 1, stepY: width, width, height }
    case 90:
      return { origin: (height - 1) * width, stepX: -width, stepY: 1, width: height, height: width }
    case 180:
      return { origin: width * height - 1, stepX: -1, stepY: -width, width, height }
    case 270:
      return { origin: width - 1, stepX: width, stepY: -1, width: height, height: width }
  }
}
