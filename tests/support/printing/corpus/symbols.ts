import bwip from 'bwip-js/node'

/** A barcode of the corpus: its symbology as bwip-js names it, and the text that a scanner reads. */
export interface Barcode {
  bcid: string
  text: string
  /** Width of the narrowest bar or of a square, in millimetres. */
  moduleMm?: number
}

/** The symbols that carriers print. */
export const symbols = {
  code128: { bcid: 'code128', text: '3SPACK012345678' },
  code128Digits: { bcid: 'code128', text: '00340434161094015902' },
  gs1: { bcid: 'gs1-128', text: '(00)340123450000000017' },
  qr: { bcid: 'qrcode', text: 'https://example.test/t/3SPACK012345678' },
  dataMatrix: { bcid: 'datamatrix', text: 'JVGL06081100123456' },
  pdf417: { bcid: 'pdf417', text: 'UPS 1Z999AA10123456784 NL' },
  itf: { bcid: 'interleaved2of5', text: '12345678901231' },
  code39: { bcid: 'code39', text: 'RR123456785NL' },
  aztec: { bcid: 'azteccode', text: 'AZTEC 0123456789' },
} as const satisfies Record<string, Barcode>

const twoDimensional = new Set(['qrcode', 'datamatrix', 'azteccode'])

/** Width of a module when the symbol names none: three dots at 203 dpi for bars, six for squares. */
export function getModule(symbol: Barcode): number {
  return symbol.moduleMm ?? (twoDimensional.has(symbol.bcid) ? 0.75 : 0.375)
}

function options(symbol: Barcode) {
  // The rows of PDF417 are at least three modules high. Bars of other symbologies are 12 mm high.
  const bars = twoDimensional.has(symbol.bcid) || symbol.bcid === 'pdf417' ? {} : { height: 12 }
  return { bcid: symbol.bcid, text: symbol.text, ...bars }
}

/** One path of a drawn symbol. */
export interface SymbolPath {
  d: string
  /** Null for a filled path. */
  strokeWidth: number | null
}

/** A symbol as paths, y pointing down; sizes in modules. */
export function symbolPaths(symbol: Barcode): {
  width: number
  height: number
  /** Units of the paths per module. */
  unit: number
  paths: SymbolPath[]
} {
  const svg = bwip.toSVG({ ...options(symbol), scale: 1 })
  const [, width = '0', height = '0'] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? []
  // bwip-js draws squares two units wide.
  const unit = twoDimensional.has(symbol.bcid) ? 2 : 1
  const paths = [...svg.matchAll(/<path ([^>]*)>/g)].map(([, attributes = '']) => ({
    d: / ?d="([^"]*)"/.exec(attributes)?.[1] ?? '',
    strokeWidth: Number(/stroke-width="([\d.]+)"/.exec(attributes)?.[1] ?? 0) || null,
  }))
  return { width: Number(width) / unit, height: Number(height) / unit, unit, paths }
}

/** A symbol as a PNG with this number of pixels per module. */
export function symbolPng(symbol: Barcode, pixels: number): Promise<Buffer> {
  const unit = twoDimensional.has(symbol.bcid) ? 2 : 1
  return bwip.toBuffer({ ...options(symbol), scale: pixels / unit, backgroundcolor: 'FFFFFF' })
}
