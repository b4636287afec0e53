/** A page as 8-bit grey pixels, row by row; 0 is black. */
export interface GreyPage {
  width: number
  height: number
  pixels: Uint8Array<ArrayBuffer>
}

/** One bit per dot, 1 is black, each row padded to whole bytes. */
export interface MonoBitmap {
  width: number
  height: number
  rowBytes: number
  bits: Uint8Array<ArrayBuffer>
}

/** The dots of a label as a grey page, one pixel each: 0 is black. */
export function toGrey(dots: MonoBitmap): GreyPage {
  const { width, height, rowBytes, bits } = dots
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
  return { width, height, pixels }
}
