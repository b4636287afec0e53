import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { ready } from 'zpl-renderer-js'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { readZplPictures, type ZplPicture } from './zplPicture'

const reading = { tryHarder: true, maxNumberOfSymbols: 20 }
const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
const loading = readFile(wasm).then((bytes) =>
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(bytes).buffer }, fireImmediately: true }),
)

/** Draws ZPL as a printer does and reads the barcodes of each label. */
export async function scanZpl(
  zpl: Buffer,
  size: { widthMm: number; heightMm: number },
  dpi: number,
): Promise<string[][]> {
  await loading
  const { api } = await ready
  // The renderer wants whole dots a millimetre: a little more paper for 300 dpi changes nothing of the dots.
  const dotsPerMm = Math.ceil(dpi / 25.4)
  const pictures = await api.zplToBase64MultipleAsync(
    zpl.toString('latin1'),
    size.widthMm,
    size.heightMm,
    dotsPerMm,
  )
  const labels: string[][] = []
  for (const picture of pictures) {
    const found = await readBarcodes(Buffer.from(picture, 'base64'), reading)
    labels.push(found.map(({ text }) => text))
  }
  return labels
}

/**
 * Reads ZPL's picture dot for dot, without a renderer, which is far quicker for fine print heads.
 * @param most how many barcodes of a label are read: to look for more takes up to three times as long as to find one
 */
export async function scanDots(zpl: Buffer, most = reading.maxNumberOfSymbols): Promise<string[][]> {
  const labels: string[][] = []
  for (const picture of readZplPictures(zpl.toString('latin1'))) {
    const { bytes, rowBytes } = picture
    const texts = await scanGreys(
      picture,
      (grey, width, height) => {
        const last = Math.min(bytes.length, rowBytes * height)
        for (let at = 0; at < last; at += 1) {
          const dots = bytes[at] ?? 0
          // Most of a label is white.
          if (dots === 0) continue
          const x = (at % rowBytes) * 8
          const start = Math.floor(at / rowBytes) * width + x
          for (let bit = 0; bit < Math.min(8, width - x); bit += 1)
            if ((dots >> (7 - bit)) & 1) grey[start + bit] = 0
        }
      },
      most,
    )
    labels.push(texts)
  }
  return labels
}

/** Reads the barcodes of one picture of dots. */
export function scanPicture(picture: ZplPicture): Promise<string[]> {
  return scanGreys(picture, (grey, width, height) => {
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) if (picture.dot(x, y)) grey[y * width + x] = 0
    }
  })
}

/**
 * Reads the barcodes of a white picture on which `draw` has set the black dots to 0. It is handed over as PGM, a byte a
 * dot: with four bytes the reader takes up to four times as long for the same dots.
 */
async function scanGreys(
  { width, height }: Pick<ZplPicture, 'width' | 'height'>,
  draw: (grey: Uint8Array, width: number, height: number) => void,
  most = reading.maxNumberOfSymbols,
): Promise<string[]> {
  await loading
  const header = Buffer.from(`P5 ${width} ${height} 255\n`)
  const file = new Uint8Array(header.length + width * height).fill(255)
  file.set(header)
  draw(file.subarray(header.length), width, height)
  const found = await readBarcodes(file, { ...reading, maxNumberOfSymbols: most })
  return found.map(({ text }) => text)
}
