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

/** Reads ZPL's picture dot for dot, without a renderer, which is far quicker for fine print heads. */
export async function scanDots(zpl: Buffer): Promise<string[][]> {
  const labels: string[][] = []
  for (const picture of readZplPictures(zpl.toString('latin1'))) labels.push(await scanPicture(picture))
  return labels
}

/** Reads the barcodes of one picture of dots. */
export async function scanPicture({ width, height, dot }: ZplPicture): Promise<string[]> {
  await loading
  const data = new Uint8ClampedArray(width * height * 4).fill(255)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1)
      if (dot(x, y)) data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3)
  }
  const found = await readBarcodes({ data, width, height, colorSpace: 'srgb' }, reading)
  return found.map(({ text }) => text)
}
