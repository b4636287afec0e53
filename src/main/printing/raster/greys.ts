import type { GreyPage, Greys } from './rasterizer'

/** Darker than this is black: bars keep their widths, where dithering would fray their edges. */
const middle = 128
/** Neighbours that differ by more than this are an edge: of a bar, a letter, a line. */
const edge = 72

/** An ordered pattern of thresholds, in 64 steps, for pictures. */
const pattern = orderedPattern()

/**
 * Tells whether a pixel of a page becomes black.
 * @param greys `threshold` draws the line in the middle; `dither` turns greys into patterns of dots, but keeps to the
 * middle at edges, so that barcodes beside a photo stay sharp
 */
export function toDarkTest(page: GreyPage, greys: Greys): (index: number) => boolean {
  const { pixels, width } = page
  if (greys === 'threshold') return (index) => (pixels[index] ?? 255) < middle
  return (index) => {
    const grey = pixels[index] ?? 255
    if (isEdge(pixels, index, width)) return grey < middle
    const x = index % width
    const y = (index - x) / width
    return grey < (pattern[(y & 7) * 8 + (x & 7)] ?? middle)
  }
}

function isEdge(pixels: Uint8Array, index: number, width: number): boolean {
  const grey = pixels[index] ?? 255
  for (const step of [-2, -1, 1, 2]) {
    if (Math.abs((pixels[index + step] ?? grey) - grey) > edge) return true
    if (Math.abs((pixels[index + step * width] ?? grey) - grey) > edge) return true
  }
  return false
}

/** Bayer's matrix of 8 x 8, built by doubling, as thresholds between 2 and 254. */
function orderedPattern(): number[] {
  let matrix = [[0]]
  for (let size = 1; size < 8; size *= 2) {
    const old = matrix
    const quarter = (add: number) => old.map((row) => row.map((value) => value * 4 + add))
    const [a, b, c, d] = [quarter(0), quarter(2), quarter(3), quarter(1)]
    const side = (left: number[][], right: number[][]) => left.map((row, y) => [...row, ...(right[y] ?? [])])
    matrix = [...side(a, b), ...side(c, d)]
  }
  return matrix.flat().map((value) => value * 4 + 2)
}
