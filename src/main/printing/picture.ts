import type { MonoBitmap } from './raster/rasterizer'
/** A picture for the screen: 8-bit pixels, row by row, 0 is black. */
export interface Picture {
  width: number
  height: number
  pixels: ArrayBuffer
}

/** The dots of a label as a picture, one pixel each. */
export function pictureOf({ width, height, rowBytes, bits }: MonoBitmap): Picture {
  const pixels = new Uint8Array(width * height).fill(255)
  for (let y = 0; y < height; y += 1) {
    for (let byte = 0; byte < rowBytes; byte += 1) {
      let value = bits[y * rowBytes + byte] ?? 0
      for (let x = byte * 8; value !== 0; x += 1) {
        if ((value & 0x80) !== 0 && x < width) pixels[y * width + x] = 0
        value = (value << 1) & 0xff
      }
    }
  }
  return { width, height, pixels: pixels.buffer }
}
