/** A page of PWG raster (PWG 5102.4) as a printer received it. */
export interface RasterPage {
  /** In dots. */
  width: number
  height: number
  dpi: number
  /** The size of the medium in points, as the sender stated it. */
  pageSize: [number, number]
  /** Whether the dot is nearer to black than to white. */
  black(x: number, y: number): boolean
}

const syncWord = 'RaS2'
const headerBytes = 1796
/** cupsColorSpace of black, in which 1 is ink; in the grey colour spaces 0 is black. */
const blackColorSpace = 3

/** Reads all pages of a PWG raster document. */
export function readPwgRaster(document: Buffer): RasterPage[] {
  if (document.toString('latin1', 0, 4) !== syncWord) throw new Error('this is no PWG raster')
  const pages: RasterPage[] = []
  let position = 4
  while (position < document.length) {
    const header = document.subarray(position, position + headerBytes)
    const { page, end } = readPage(header, document, position + headerBytes)
    pages.push(page)
    position = end
  }
  return pages
}

function readPage(header: Buffer, document: Buffer, start: number): { page: RasterPage; end: number } {
  const field = (offset: number) => header.readUInt32BE(offset)
  const [width, height, bitsPerPixel, bytesPerLine] = [field(372), field(376), field(388), field(392)]
  const lines: Buffer[] = []
  let position = start
  while (lines.length < height) {
    const repeats = document.readUInt8(position) + 1
    const { line, end } = readLine(document, position + 1, {
      bytesPerLine,
      bytesPerPixel: Math.max(1, bitsPerPixel / 8),
    })
    for (let count = 0; count < repeats; count += 1) lines.push(line)
    position = end
  }
  const inkIsOne = field(400) === blackColorSpace
  const black = (x: number, y: number) => {
    const line = lines[y]
    if (line === undefined || x < 0 || x >= width) return false
    const dark =
      bitsPerPixel === 1 ? ((line.readUInt8(x >> 3) >> (7 - (x & 7))) & 1) === 1 : line.readUInt8(x) > 127
    return dark === inkIsOne
  }
  return {
    page: { width, height, dpi: field(276), pageSize: [field(352), field(356)], black },
    end: position,
  }
}

/** Decodes a line of runs: a repeated pixel, or a sequence of pixels. */
function readLine(
  document: Buffer,
  start: number,
  { bytesPerLine, bytesPerPixel }: { bytesPerLine: number; bytesPerPixel: number },
): { line: Buffer; end: number } {
  const line = Buffer.alloc(bytesPerLine)
  let position = start
  let filled = 0
  while (filled < bytesPerLine) {
    const control = document.readUInt8(position)
    position += 1
    if (control < 128) {
      const pixel = document.subarray(position, position + bytesPerPixel)
      line.fill(pixel, filled, filled + (control + 1) * bytesPerPixel)
      filled += (control + 1) * bytesPerPixel
      position += bytesPerPixel
    } else {
      const length = (257 - control) * bytesPerPixel
      document.copy(line, filled, position, position + length)
      filled += length
      position += length
    }
  }
  return { line, end: position }
}
