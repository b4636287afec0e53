// Decodes only the brightness of sequential JPEGs (ITU-T T.81), which is all that a printer of black dots needs.
// Skipping the colour components saves most of the work; blank blocks, which are common on labels, take almost no time.

/** A JPEG whose brightness can be decoded. */
export interface BrightnessDecoder {
  width: number
  height: number
  hasColours: boolean
  /** The length of a row of pixels, which may be more than `width`. */
  rowBytes: number
  /** The size of all rows, including those that fill the last blocks. */
  bytes: number
  /**
   * Decodes all pixels, from 0 (black) to 255.
   * @param pixels as many as `bytes`
   * @returns whether the JPEG is complete and valid; otherwise `pixels` is useless
   */
  decode(pixels: Uint8ClampedArray): boolean
}

/**
 * Reads the header of a JPEG.
 * @returns undefined for a JPEG that is progressive, arithmetic, CMYK, coded as RGB, or damaged
 */
export function openBrightness(jpeg: Uint8Array): BrightnessDecoder | undefined {
  const scan = readHead(jpeg)
  if (scan === undefined) return undefined
  const { width, height, across, down } = scan
  const [unitsAcross, unitsDown] = [Math.ceil(width / (8 * across)), Math.ceil(height / (8 * down))]
  const rowBytes = unitsAcross * across * 8
  return {
    ...{ width, height, hasColours: scan.colours.length > 0 },
    ...{ rowBytes, bytes: rowBytes * unitsDown * down * 8 },
    decode: (pixels) => decodeScan(jpeg, scan, { pixels, rowBytes, unitsAcross, unitsDown }),
  }
}

/** The header: tables for brightness and for the colours to skip, in the order of the components. */
interface Scan {
  width: number
  height: number
  /** The brightness blocks in a unit of the scan; each colour has one block. */
  across: number
  down: number
  /** In the row order of a block. */
  quantization: Int32Array
  brightness: Codes
  colours: Codes[]
  /** Units between two restart markers; 0 when there are none. */
  restartInterval: number
  /** The start of the coded data. */
  start: number
}

/** The codes of a block's first coefficient and of its others. */
interface Codes {
  first: HuffmanTable
  others: HuffmanTable
}

const marker = {
  ...{ sequential: 0xc0, extended: 0xc1, huffman: 0xc4, restart: 0xd0, startOfImage: 0xd8, endOfImage: 0xd9 },
  ...{ startOfScan: 0xda, quantization: 0xdb, restartInterval: 0xdd, jfif: 0xe0, adobe: 0xee, comment: 0xfe },
} as const

/** The position in a block's rows of each coefficient, in coding order: diagonal by diagonal. */
const zigzag = Uint8Array.from(
  Array.from({ length: 64 }, (_, place) => ({ place, x: place & 7, y: place >> 3 })).sort((one, other) => {
    const diagonal = one.x + one.y
    return diagonal - other.x - other.y || (diagonal % 2 === 0 ? other.y - one.y : one.y - other.y)
  }),
  ({ place }) => place,
)

function readHead(jpeg: Uint8Array): Scan | undefined {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.length)
  const tables: Tables = { quantization: new Map(), huffman: new Map() }
  let frame: Uint8Array | undefined
  let restartInterval = 0
  let saysBrightness: boolean | undefined
  if (jpeg.length < 2 || view.getUint16(0) !== (0xff00 | marker.startOfImage)) return undefined
  for (let at = 2; at + 4 <= jpeg.length; ) {
    const [code, length] = [view.getUint16(at) & 0xff, view.getUint16(at + 2)]
    const segment = jpeg.subarray(at + 4, at + 2 + length)
    if (jpeg[at] !== 0xff || segment.length !== length - 2) return undefined
    at += 2 + length
    if (code === marker.quantization) {
      if (!readQuantization(segment, tables)) return undefined
    } else if (code === marker.huffman) {
      if (!readHuffman(segment, tables)) return undefined
    } else if (code === marker.sequential || code === marker.extended) {
      if (frame !== undefined) return undefined
      frame = segment
    } else if (code === marker.restartInterval) {
      restartInterval = ((segment[0] ?? 0) << 8) | (segment[1] ?? 0)
    } else if (code === marker.adobe && hasName(segment, 'Adobe')) {
      // Its last byte is the colour transform; 1 is YCbCr.
      saysBrightness = segment[11] === 1
    } else if (code === marker.jfif && hasName(segment, 'JFIF\0')) {
      saysBrightness ??= true
    } else if (code === marker.startOfScan) {
      const scan = frame && readScan(frame, segment, tables)
      if (frame === undefined || scan === undefined) return undefined
      const isBrightness = saysBrightness ?? (frame[6] === 1 && frame[9] === 2 && frame[12] === 3)
      if (scan.colours.length > 0 && !isBrightness) return undefined
      return { ...scan, restartInterval, start: at }
    } else if (code < marker.jfif && code !== marker.comment) {
      // Unsupported coding processes.
      return undefined
    }
  }
  return undefined
}

function hasName(segment: Uint8Array, name: string): boolean {
  return [...name].every((letter, index) => segment[index] === letter.charCodeAt(0))
}

interface Tables {
  quantization: Map<number, Int32Array>
  /** The number of codes of each length, and their symbols; by class (0 for first coefficients) and number. */
  huffman: Map<number, Uint8Array>
}

function readQuantization(segment: Uint8Array, { quantization }: Tables): boolean {
  for (let at = 0; at < segment.length; at += 65) {
    const number = segment[at] ?? 0
    // 16-bit tables are for 12-bit pictures.
    if (number > 3 || at + 65 > segment.length) return false
    const factors = new Int32Array(64)
    for (const [index, place] of zigzag.entries()) factors[place] = segment[at + 1 + index] ?? 0
    quantization.set(number, factors)
  }
  return true
}

function readHuffman(segment: Uint8Array, { huffman }: Tables): boolean {
  for (let at = 0; at < segment.length; ) {
    const symbols = segment.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0)
    const table = segment.subarray(at + 1, at + 17 + symbols)
    if (table.length !== 16 + symbols) return false
    huffman.set(segment[at] ?? 0, table)
    at += 17 + symbols
  }
  return true
}

function readScan(
  frame: Uint8Array,
  header: Uint8Array,
  tables: Tables,
): Omit<Scan, 'restartInterval' | 'start'> | undefined {
  const [precision, heightHigh = 0, heightLow = 0, widthHigh = 0, widthLow = 0, count = 0] = frame
  const [width, height] = [(widthHigh << 8) | widthLow, (heightHigh << 8) | heightLow]
  if (precision !== 8 || width === 0 || height === 0 || (count !== 1 && count !== 3)) return undefined
  // Only a single scan with all components is supported, in the frame's order.
  if (frame.length !== 6 + count * 3 || header.length !== 4 + count * 2 || header[0] !== count)
    return undefined
  if (header[1 + count * 2] !== 0 || header[2 + count * 2] !== 63 || header[3 + count * 2] !== 0)
    return undefined
  const codes: Codes[] = []
  const built = new Map<number, HuffmanTable | undefined>()
  const getTable = (number: number) => {
    if (!built.has(number)) built.set(number, toHuffmanTable(tables.huffman.get(number)))
    return built.get(number)
  }
  for (let index = 0; index < count; index += 1) {
    const [id, sampling, numbers = 0] = [frame[6 + index * 3], frame[7 + index * 3], header[2 + index * 2]]
    const first = getTable(numbers >> 4)
    const others = getTable(0x10 | (numbers & 15))
    if (id !== header[1 + index * 2] || first === undefined || others === undefined) return undefined
    if (index > 0 && sampling !== 0x11) return undefined
    codes.push({ first, others })
  }
  const [brightness, ...colours] = codes
  const quantization = tables.quantization.get(frame[8] ?? 0)
  // A single component has one block in a unit, whatever its sampling factors.
  const sampling = count === 1 ? 0x11 : (frame[7] ?? 0)
  const [across, down] = [sampling >> 4, sampling & 15]
  if (brightness === undefined || quantization === undefined) return undefined
  if (across < 1 || across > 4 || down < 1 || down > 4) return undefined
  return { width, height, across, down, quantization, brightness, colours }
}

/** Codes of up to nine bits, and all codes, by the next bits: the code's length times 256, plus its symbol. */
interface HuffmanTable {
  short: Uint16Array
  whole: Uint16Array
}

const shortBits = 9
const wholeBits = 16

/** @returns undefined when there are more codes than bits allow */
function toHuffmanTable(coded: Uint8Array | undefined): HuffmanTable | undefined {
  if (coded === undefined) return undefined
  const [short, whole] = [new Uint16Array(1 << shortBits), new Uint16Array(1 << wholeBits)]
  let [from, index] = [0, 16]
  for (const [shorter, count] of coded.subarray(0, 16).entries()) {
    const length = shorter + 1
    for (let left = count; left > 0; left -= 1) {
      const code = (length << 8) | (coded[index] ?? 0)
      const to = from + (1 << (wholeBits - length))
      if (to > whole.length) return undefined
      whole.fill(code, from, to)
      if (length <= shortBits) short.fill(code, from >> 7, to >> 7)
      from = to
      index += 1
    }
  }
  return { short, whole }
}

/**
 * Reads coded bits. After the end of the data, and for invalid codes, the values are meaningless and `isBroken` is set.
 */
class BitReader {
  /** The `left` buffered bits that are not read yet; the lowest bit is the last. */
  private bits = 0
  private left = 0
  /** Padding bits after the end of the data. */
  private madeUp = 0
  private hasUnknownCode = false

  constructor(
    private readonly data: Uint8Array,
    private at: number,
  ) {}

  get isBroken(): boolean {
    return this.hasUnknownCode || this.madeUp > this.left
  }

  readSymbol({ short, whole }: HuffmanTable): number {
    if (this.left < wholeBits) this.fill()
    let code = short[(this.bits >>> (this.left - shortBits)) & 0x1ff] ?? 0
    if (code === 0) code = whole[(this.bits >>> (this.left - wholeBits)) & 0xffff] ?? 0
    if (code === 0) this.hasUnknownCode = true
    this.left -= code >> 8
    return code & 0xff
  }

  /** @param size up to 16 */
  skip(size: number): void {
    if (this.left < size) this.fill()
    this.left -= size
  }

  /** A coefficient of `size` bits, up to 16; the lower half of the range is negative. */
  readNumber(size: number): number {
    if (size === 0) return 0
    if (this.left < size) this.fill()
    this.left -= size
    const value = (this.bits >>> this.left) & ((1 << size) - 1)
    return value >>> (size - 1) === 0 ? value - (1 << size) + 1 : value
  }

  /** Skips the marker that must follow here. */
  takeMarker(code: number): boolean {
    const isHere = this.data[this.at] === 0xff && this.data[this.at + 1] === code
    // The last byte is padded with ones.
    const isNext = isHere && !this.isBroken && this.left - this.madeUp < 8
    this.at += 2
    this.bits = 0
    this.left = 0
    this.madeUp = 0
    return isNext
  }

  /** Fills the buffer with bytes. 0xFF is followed by 0; otherwise it begins a marker. */
  private fill(): void {
    while (this.left <= 24) {
      let byte = this.data[this.at]
      if (byte === undefined || (byte === 0xff && this.data[this.at + 1] !== 0)) {
        byte = 0
        this.madeUp += 8
      } else {
        this.at += byte === 0xff ? 2 : 1
      }
      this.bits = (this.bits << 8) | byte
      this.left += 8
    }
  }
}

interface Plane {
  pixels: Uint8ClampedArray
  rowBytes: number
  unitsAcross: number
  unitsDown: number
}

function decodeScan(
  jpeg: Uint8Array,
  scan: Scan,
  { pixels, rowBytes, unitsAcross, unitsDown }: Plane,
): boolean {
  const { across, down, brightness, colours, quantization, restartInterval } = scan
  const reader = new BitReader(jpeg, scan.start)
  const block = new Int32Array(64)
  const units = unitsAcross * unitsDown
  let first = 0
  pixels.fill(white)
  for (let unit = 0; unit < units; unit += 1) {
    if (restartInterval > 0 && unit > 0 && unit % restartInterval === 0) {
      const number = (unit / restartInterval - 1) & 7
      if (!reader.takeMarker(marker.restart + number)) return false
      first = 0
    }
    const row = Math.floor(unit / unitsAcross)
    const corner = row * down * 8 * rowBytes + (unit - row * unitsAcross) * across * 8
    for (let y = 0; y < down; y += 1) {
      for (let x = 0; x < across; x += 1) {
        const at = corner + y * 8 * rowBytes + x * 8
        first += reader.readNumber(reader.readSymbol(brightness.first))
        const isFlat = readOthers(reader, brightness.others, quantization, block)
        if (isFlat) {
          putFlat(first * (quantization[0] ?? 0), pixels, at, rowBytes)
        } else {
          block[0] = first * (quantization[0] ?? 0)
          putBlock(block, pixels, at, rowBytes)
          block.fill(0)
        }
      }
    }
    for (const codes of colours) skipBlock(reader, codes)
    if (reader.isBroken) return false
  }
  return reader.takeMarker(marker.endOfImage)
}

/** Reads all coefficients but the first. @returns whether all of them are 0 */
function readOthers(
  reader: BitReader,
  table: HuffmanTable,
  quantization: Int32Array,
  block: Int32Array,
): boolean {
  let isFlat = true
  for (let index = 1; index < 64; index += 1) {
    const symbol = reader.readSymbol(table)
    const size = symbol & 15
    if (size === 0) {
      if (symbol !== skipSixteen) break
      index += 15
      continue
    }
    index += symbol >> 4
    const place = zigzag[index & 63] ?? 0
    block[place] = Math.imul(reader.readNumber(size), quantization[place] ?? 0)
    isFlat = false
  }
  return isFlat
}

function skipBlock(reader: BitReader, { first, others }: Codes): void {
  reader.skip(reader.readSymbol(first) & 15)
  for (let index = 1; index < 64; index += 1) {
    const symbol = reader.readSymbol(others)
    if ((symbol & 15) === 0 && symbol !== skipSixteen) return
    index += symbol >> 4
    reader.skip(symbol & 15)
  }
}

/** The symbol for sixteen zero coefficients; any other without bits ends the block. */
const skipSixteen = 0xf0
const white = 255

function putFlat(coefficient: number, pixels: Uint8ClampedArray, at: number, rowBytes: number): void {
  const value = ((coefficient + 4) >> 3) + 128
  if (value >= white) return
  for (let row = at, end = at + 8 * rowBytes; row < end; row += rowBytes) pixels.fill(value, row, row + 8)
}

/** Converts a block's coefficients to pixels, in integers, exactly as PDFium's decoder does. */
function putBlock(block: Int32Array, pixels: Uint8ClampedArray, at: number, rowBytes: number): void {
  for (let column = 0; column < 8; column += 1) transform(block, column, 8, scaleBits - passBits)
  for (let row = 0; row < 64; row += 8) transform(block, row, 1, scaleBits + passBits + 3)
  let place = 0
  for (let row = at, end = at + 8 * rowBytes; row < end; row += rowBytes) {
    for (let x = 0; x < 8; x += 1) pixels[row + x] = (block[place + x] ?? 0) + 128
    place += 8
  }
}

/** The fractional bits of a factor, and those that are kept between columns and rows. */
const scaleBits = 13
const passBits = 2

/** cos(sixteenths · π / 16) · √2 */
const cosine = (sixteenths: number) => Math.SQRT2 * Math.cos((sixteenths * Math.PI) / 16)
const toFactor = (value: number) => Math.round(value * 2 ** scaleBits)
const [c1, c2, c3, c5, c6, c7] = [cosine(1), cosine(2), cosine(3), cosine(5), cosine(6), cosine(7)]
const even = { both: toFactor(c6), second: toFactor(c2 - c6), sixth: toFactor(-c2 - c6) }
const odd = {
  ...{ all: toFactor(c3), outer: toFactor(c7 - c3), inner: toFactor(-c1 - c3) },
  ...{ upper: toFactor(-c3 - c5), lower: toFactor(c5 - c3) },
  ...{ first: toFactor(c1 + c3 - c5 - c7), third: toFactor(c1 + c3 + c5 - c7) },
  ...{ fifth: toFactor(c1 + c3 - c5 + c7), seventh: toFactor(-c1 + c3 + c5 - c7) },
}

/**
 * The inverse cosine transform of eight values in place, by the algorithm of Loeffler, Ligtenberg and Moschytz (1989).
 * @param step the distance between two values
 * @param shift the number of bits that are rounded away
 */
function transform(values: Int32Array, from: number, step: number, shift: number): void {
  const [v0, v1] = [values[from] ?? 0, values[from + step] ?? 0]
  const [v2, v3] = [values[from + 2 * step] ?? 0, values[from + 3 * step] ?? 0]
  const [v4, v5] = [values[from + 4 * step] ?? 0, values[from + 5 * step] ?? 0]
  const [v6, v7] = [values[from + 6 * step] ?? 0, values[from + 7 * step] ?? 0]
  const half = 1 << (shift - 1)
  if ((v1 | v2 | v3 | v4 | v5 | v6 | v7) === 0) {
    if (v0 === 0) return
    const flat = ((v0 << scaleBits) + half) >> shift
    for (let index = 0; index < 8; index += 1) values[from + index * step] = flat
    return
  }
  const bothEven = Math.imul(v2 + v6, even.both)
  const inner = bothEven + Math.imul(v6, even.sixth)
  const outer = bothEven + Math.imul(v2, even.second)
  const [sum, difference] = [((v0 + v4) << scaleBits) + half, ((v0 - v4) << scaleBits) + half]
  const [e0, e1, e2, e3] = [sum + outer, difference + inner, difference - inner, sum - outer]

  const all = Math.imul(v1 + v3 + v5 + v7, odd.all)
  const [o17, o35] = [Math.imul(v1 + v7, odd.outer), Math.imul(v3 + v5, odd.inner)]
  const [o37, o15] = [Math.imul(v3 + v7, odd.upper) + all, Math.imul(v1 + v5, odd.lower) + all]
  const o0 = Math.imul(v1, odd.first) + o17 + o15
  const o1 = Math.imul(v3, odd.third) + o35 + o37
  const o2 = Math.imul(v5, odd.fifth) + o35 + o15
  const o3 = Math.imul(v7, odd.seventh) + o17 + o37

  values[from] = (e0 + o0) >> shift
  values[from + step] = (e1 + o1) >> shift
  values[from + 2 * step] = (e2 + o2) >> shift
  values[from + 3 * step] = (e3 + o3) >> shift
  values[from + 4 * step] = (e3 - o3) >> shift
  values[from + 5 * step] = (e2 - o2) >> shift
  values[from + 6 * step] = (e1 - o1) >> shift
  values[from + 7 * step] = (e0 - o0) >> shift
}
