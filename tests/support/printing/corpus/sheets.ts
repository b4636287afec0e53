import { deflateSync } from 'node:zlib'
import type { PDFPage } from 'pdf-lib'
import { PDFDocument, rgb, StandardFonts } from 'pdf-lib'
import { type Barcode, getModule, symbolPaths, symbolPng } from './symbols'

export const pointsPerMm = 72 / 25.4
const black = rgb(0, 0, 0)

/** A size in millimetres. */
export interface Size {
  widthMm: number
  heightMm: number
}

/** Where a label's content begins on its page, in millimetres from the top left corner. */
export interface Place {
  xMm: number
  yMm: number
}

/** How barcodes are drawn: as paths, or as images with this number of pixels per module. */
export type Ink = 'vector' | { pixels: number }

/** Draws a label: a frame, an address in a font, and its symbols one below the other. */
export async function drawLabel(
  page: PDFPage,
  symbols: readonly Barcode[],
  { at, size, ink, font }: { at: Place; size: Size; ink: Ink; font: StandardFonts },
): Promise<void> {
  const height = page.getHeight()
  const [left, top] = [at.xMm * pointsPerMm, height - at.yMm * pointsPerMm]
  page.drawRectangle({
    x: left + 3,
    y: top - size.heightMm * pointsPerMm + 3,
    width: size.widthMm * pointsPerMm - 6,
    height: size.heightMm * pointsPerMm - 6,
    borderColor: black,
    borderWidth: 1.2,
  })
  const letters = await page.doc.embedFont(font)
  page.drawText('Van Dijk Webshops B.V.', { x: left + 22, y: top - 24, size: 11, font: letters })
  page.drawText('Keizersgracht 1, 1015 CN Amsterdam', { x: left + 22, y: top - 37, size: 8, font: letters })
  let y = 17
  for (const symbol of symbols) {
    y += (await drawSymbol(page, symbol, { x: left + 9 * pointsPerMm, y: top - y * pointsPerMm }, ink)) + 6
  }
}

/** Draws a symbol with its top left corner at a place in points. Returns its height in millimetres. */
async function drawSymbol(
  page: PDFPage,
  symbol: Barcode,
  { x, y }: { x: number; y: number },
  ink: Ink,
): Promise<number> {
  const { width, height, unit, paths } = symbolPaths(symbol)
  const moduleMm = getModule(symbol)
  const scale = moduleMm * pointsPerMm
  if (ink !== 'vector') {
    const image = await page.doc.embedPng(await symbolPng(symbol, ink.pixels))
    const shown = { width: width * scale, height: (width * scale * image.height) / image.width }
    page.drawImage(image, { x, y: y - shown.height, ...shown })
    return shown.height / pointsPerMm
  }
  for (const { d, strokeWidth } of paths) {
    page.drawSvgPath(d, {
      x,
      y,
      scale: scale / unit,
      ...(strokeWidth === null ? { color: black } : { borderColor: black, borderWidth: strokeWidth }),
    })
  }
  return height * moduleMm
}

/** A PDF of one label on a page, drawn with pdf-lib. */
export async function labelSheet(
  symbols: readonly Barcode[],
  options: {
    page?: Size
    label?: Size
    at?: Place
    ink?: Ink
    font?: StandardFonts
    finish?: (page: PDFPage, document: PDFDocument) => void
    packed?: boolean
  } = {},
): Promise<Buffer> {
  const label = options.label ?? { widthMm: 100, heightMm: 150 }
  const page = options.page ?? label
  const document = await PDFDocument.create()
  const sheet = document.addPage([page.widthMm * pointsPerMm, page.heightMm * pointsPerMm])
  await drawLabel(sheet, symbols, {
    at: options.at ?? { xMm: 0, yMm: 0 },
    size: label,
    ink: options.ink ?? 'vector',
    font: options.font ?? StandardFonts.Helvetica,
  })
  options.finish?.(sheet, document)
  return Buffer.from(await document.save({ useObjectStreams: options.packed ?? false }))
}

/** The bars of a symbol as a one-bit bitmap with one pixel per module; 1 is black. */
function toBars(symbol: Barcode): { modules: number; row: Buffer } {
  const { width, paths } = symbolPaths(symbol)
  const modules = Math.round(width)
  const row = Buffer.alloc(Math.ceil(modules / 8))
  for (const { d, strokeWidth } of paths) {
    for (const [, x = '0'] of d.matchAll(/M([\d.]+) /g)) {
      const first = Math.round(Number(x) - (strokeWidth ?? 0) / 2)
      for (let bar = first; bar < first + (strokeWidth ?? 0); bar += 1) {
        row[bar >> 3] = (row[bar >> 3] ?? 0) | (0x80 >> (bar & 7))
      }
    }
  }
  return { modules, row }
}

/**
 * A PDF 1.3 written by hand, as old label programs do: a classic cross-reference table, page boxes inherited from the
 * page tree, and a linear barcode as rectangles, as an image mask, or as an inline image.
 */
export function handWrittenSheet(symbol: Barcode, how: 'rectangles' | 'mask' | 'inline', size: Size): Buffer {
  const [width, height] = [size.widthMm * pointsPerMm, size.heightMm * pointsPerMm]
  const { modules, row } = toBars(symbol)
  const barcodeWidth = modules * getModule(symbol) * pointsPerMm
  const [x, y, tall] = [28, height - 150, 60]
  const content = `q BT /F1 14 Tf 28 ${height - 40} Td (Hand-written label) Tj ET Q\n${toInk(how)}`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 ${width.toFixed(2)} ${height.toFixed(2)}] >>`,
    '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /XObject << /I 6 0 R >> >> >>',
    streamObject('', Buffer.from(content, 'latin1')),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>',
    streamObject(
      `/Type /XObject /Subtype /Image /Width ${modules} /Height 1 /ImageMask true /BitsPerComponent 1 /Decode [1 0] /Filter /FlateDecode`,
      deflateSync(row),
    ),
  ]
  return assemble(objects)

  function toInk(kind: typeof how): string {
    const place = `q ${barcodeWidth.toFixed(3)} 0 0 ${tall} ${x} ${y} cm`
    if (kind === 'mask') return `${place} 0 g /I Do Q`
    if (kind === 'inline') {
      const white = Buffer.from(row.map((byte) => byte ^ 0xff))
      return `${place} BI /W ${modules} /H 1 /CS /G /BPC 1 /F /AHx ID ${white.toString('hex')}> EI Q`
    }
    const module = barcodeWidth / modules
    const bars: string[] = []
    for (let bar = 0; bar < modules; bar += 1) {
      if (((row[bar >> 3] ?? 0) & (0x80 >> (bar & 7))) === 0) continue
      bars.push(`${(x + bar * module).toFixed(4)} ${y} ${module.toFixed(4)} ${tall} re`)
    }
    return `q 0 g ${bars.join(' ')} f Q`
  }
}

function streamObject(dictionary: string, data: Buffer): string {
  return `<< ${dictionary} /Length ${data.length} >>\nstream\n${data.toString('latin1')}\nendstream`
}

function assemble(objects: string[]): Buffer {
  let text = '%PDF-1.3\n'
  const places = objects.map((object, index) => {
    const place = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return place
  })
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const start = text.length
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`
  text += `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}
