import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { z } from 'zod'
import { prepareZXingModule, type ReaderOptions, type ReadResult, readBarcodes } from 'zxing-wasm/reader'
import type { Symbology } from '../../../shared/labels'
import type { Box, Point } from '../layout/geometry'
import type { GreyPage } from '../layout/labelLayout'

export interface ReadSymbol {
  /** MaxiCode is not read: ZXing reads only one that is upright and alone on its page. */
  symbology: Exclude<Symbology, 'maxicode'>
  text: string
  /** In pixels of the picture, clockwise from the top left corner of the upright symbol. */
  corners: readonly [Point, Point, Point, Point]
  /** The modules across a matrix symbol. */
  modules?: number
  /** The unused share of the error correction, from 0 to 1. */
  unusedCorrection?: number
}

/**
 * How a picture is read. `page`: greys and many pixels; a symbol needs several scan lines that agree, since the lines
 * of a table could read as a short code. `dots`: black and white.
 */
export type PictureKind = 'page' | 'dots'

/** Reads the barcodes of a picture. */
export type ReadSymbols = (picture: GreyPage, kind: PictureKind) => Promise<ReadSymbol[]>

const common: ReaderOptions = {
  formats: ['Code128', 'ITF', 'Code39', 'EANUPC', 'QRCode', 'DataMatrix', 'PDF417', 'Aztec'],
  tryHarder: true,
  tryRotate: true,
  tryInvert: false,
  tryDownscale: false,
  maxNumberOfSymbols: 50,
}
const options: Record<PictureKind, ReaderOptions> = {
  page: { ...common, binarizer: 'LocalAverage', minLineCount: 8 },
  dots: { ...common, binarizer: 'FixedThreshold' },
}

/** ITF of fewer digits is read from nearly any pattern of lines. */
const minItfDigits = 6

/**
 * Loads the reader's WebAssembly from the package's own file. Without the file's bytes the package would fetch it from
 * the network.
 */
export async function loadSymbolReader(): Promise<ReadSymbols> {
  const file = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
  const wasmBinary = new Uint8Array(await readFile(file)).buffer
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })
  return async (picture, kind) => {
    const found = await readBarcodes(toGreymap(picture), options[kind])
    return withoutOverlaps(found.filter(({ isValid }) => isValid).flatMap(toSymbol))
  }
}

/** A portable greymap needs a quarter of the memory of an RGBA picture. */
function toGreymap({ width, height, pixels }: GreyPage): Uint8Array {
  return Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), pixels])
}

function toSymbol(result: ReadResult): ReadSymbol[] {
  const symbology = toSymbology(result)
  if (symbology === undefined || (symbology === 'itf' && result.text.length < minItfDigits)) return []
  const { topLeft, topRight, bottomRight, bottomLeft } = result.position
  const unusedCorrection = readUnusedCorrection(result.extra)
  return [
    {
      symbology,
      text: result.text,
      corners: [topLeft, topRight, bottomRight, bottomLeft],
      ...(result.symbol.width > 0 && { modules: result.symbol.width }),
      ...(unusedCorrection !== undefined && { unusedCorrection }),
    },
  ]
}

function toSymbology({ symbology, symbologyIdentifier }: ReadResult): ReadSymbol['symbology'] | undefined {
  switch (symbology) {
    case 'Code128':
      return symbologyIdentifier === ']C1' ? 'gs1-128' : 'code-128'
    case 'ITF':
      return 'itf'
    case 'Code39':
      return 'code-39'
    case 'EANUPC':
      return 'ean-upc'
    case 'QRCode':
      return 'qr'
    case 'DataMatrix':
      return 'data-matrix'
    case 'PDF417':
      return 'pdf417'
    case 'Aztec':
      return 'aztec'
    default:
      return undefined
  }
}

const extraSchema = z.object({ UEC: z.number().min(0).max(1) })

function readUnusedCorrection(extra: string): number | undefined {
  if (extra === '') return undefined
  const parsed = extraSchema.safeParse(JSON.parse(extra))
  return parsed.success ? parsed.data.UEC : undefined
}

/** Removes short symbols inside a longer one: they are a part of it. */
function withoutOverlaps(symbols: readonly ReadSymbol[]): ReadSymbol[] {
  return symbols.filter(
    (symbol) =>
      !symbols.some(
        (other) =>
          other !== symbol &&
          other.text.length > symbol.text.length &&
          holds(getBox(other), getMiddle(symbol)),
      ),
  )
}

/** The upright rectangle around a symbol. */
export function getBox({ corners }: Pick<ReadSymbol, 'corners'>): Box {
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)]
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) }
}

export function getMiddle(symbol: Pick<ReadSymbol, 'corners'>): Point {
  const { left, top, right, bottom } = getBox(symbol)
  return { x: (left + right) / 2, y: (top + bottom) / 2 }
}

function holds({ left, top, right, bottom }: Box, { x, y }: Point): boolean {
  return x >= left && x < right && y >= top && y < bottom
}
