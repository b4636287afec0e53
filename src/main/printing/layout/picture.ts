import { toGrey } from '../raster/bitmap'
import type { MonoBitmap } from '../raster/rasterizer'

/** A picture for the screen: 8-bit pixels, row by row, 0 is black. */
export interface Picture {
  width: number
  height: number
  pixels: ArrayBuffer
}

/** The dots of a label as a picture, one pixel each. */
export function toPicture(dots: MonoBitmap): Picture {
  const { width, height, pixels } = toGrey(dots)
  return { width, height, pixels: pixels.buffer }
}
