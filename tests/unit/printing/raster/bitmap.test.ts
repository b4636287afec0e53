import { describe, expect, it } from 'vitest'
import { placeOnLabel } from '../../../../src/main/printing/raster/bitmap'

const grey = (index: number) => (index * 7919 + (index >> 3) * 104729) % 256

/** A page whose pixels are a view into a larger buffer, as those of PDFium are. */
function greyPage(width: number, height: number) {
  const memory = new Uint8Array(width * height + 5).map((_, index) => grey(index))
  return { width, height, pixels: memory.subarray(5) }
}

describe('placeOnLabel', () => {
  it.each([
    ['as wide as the label', 40, 40, 0],
    ['wider than the label', 61, 40, 0],
    ['narrower by some dots', 33, 40, 0],
    ['shifted to the right', 40, 40, 3],
    ['shifted to the left', 40, 43, -5],
    ['of a few dots in one byte', 3, 43, 1],
  ])(
    'makes exactly the dots black whose pixels are darker than 128, for a page %s',
    (_, width, widthDots, shift) => {
      const page = greyPage(width, 9)
      const area = { xMm: 0, yMm: 0, widthMm: width, heightMm: 9 }
      for (const turn of [0, 180] as const) {
        const label = placeOnLabel(
          page,
          { page: 0, area, turn, scale: 1 },
          {
            ...{ dotsPerMm: 1, widthDots, heightDots: 9 },
            offsetDots: { x: shift, y: 0 },
            greys: 'threshold',
          },
        )
        const left = Math.round((widthDots - width) / 2) + shift
        const isDark = (x: number, y: number) => {
          const [across, down] = turn === 0 ? [x - left, y] : [width - 1 - (x - left), 8 - y]
          return across >= 0 && across < width && (page.pixels[down * width + across] ?? 255) < 128
        }
        for (let y = 0; y < 9; y += 1) {
          const row = Array.from({ length: label.rowBytes * 8 }, (_, x) =>
            Boolean((label.bits[y * label.rowBytes + (x >> 3)] ?? 0) & (0x80 >> (x & 7))),
          )
          expect(row).toEqual(row.map((_, x) => x < widthDots && isDark(x, y)))
        }
      }
    },
  )
})
