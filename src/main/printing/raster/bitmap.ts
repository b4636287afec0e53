import type { LabelFinding, Turn } from '../../../shared/labels'
import type { GreyPage, MonoBitmap, Placement, RasterLayout } from '../layout/labelLayout'

/**
 * Draws part of a page on a label of black and white dots: turned, centred and shifted, dot for dot. Dots past the
 * label's edge are cut off; dots that the page does not cover stay white.
 * @param page drawn at the layout's resolution times the placement's scale
 */
export function placeOnLabel(
  page: GreyPage,
  placement: Placement,
  layout: Omit<RasterLayout, 'placements'>,
): MonoBitmap {
  const { widthDots, offsetDots } = layout
  const rowBytes = Math.ceil(widthDots / 8)
  const cut = toCut(page, placement, layout.dotsPerMm * placement.scale)
  const { origin, stepX, stepY, width, height } = getWalk(cut, page.width, placement.turn)
  const heightDots = layout.isContinuous === true ? height + Math.max(0, offsetDots.y) : layout.heightDots
  const bits = new Uint8Array(rowBytes * heightDots)
  const left = Math.round((widthDots - width) / 2) + offsetDots.x
  const top = (layout.isContinuous === true ? 0 : Math.round((heightDots - height) / 2)) + offsetDots.y
  const firstX = Math.max(0, left)
  const lastX = Math.min(widthDots, left + width)
  const lastY = Math.min(heightDots, top + height)
  const pixels = layout.greys === 'dither' ? dither(page) : page.pixels
  const view = new DataView(pixels.buffer, pixels.byteOffset, pixels.length)
  for (let y = Math.max(0, top); y < lastY; y += 1) {
    const from = origin + (y - top) * stepY + (firstX - left) * stepX
    const row = bits.subarray(y * rowBytes, (y + 1) * rowBytes)
    putDots(row, { pixels, view, from, step: stepX }, firstX, lastX)
  }
  return { width: widthDots, height: heightDots, rowBytes, bits }
}

/** Pixels in the order of a row of the label. */
interface RowSource {
  pixels: Uint8Array
  /** The same pixels. */
  view: DataView
  from: number
  step: number
}

/**
 * Sets the dark dots of a row from `first` up to and excluding `last`. It works on four pixels at a time: with a call
 * or a write for each dot, half of a label's drawing time would be spent here.
 */
function putDots(row: Uint8Array, source: RowSource, first: number, last: number): void {
  if (source.step !== 1) {
    putEachDot(row, source, first, last)
    return
  }
  const start = Math.min(last, Math.ceil(first / 8) * 8)
  const end = Math.max(start, Math.floor(last / 8) * 8)
  putEachDot(row, source, first, start)
  const { view } = source
  let at = (source.from + start - first) | 0
  for (let byte = start >> 3; byte < end >> 3; byte += 1) {
    const [left, right] = [view.getInt32(at, true), view.getInt32(at + 4, true)]
    // Most of a label is white, as the row already is.
    if ((left & right & lightBits) !== lightBits) row[byte] = (toDots(left) << 4) | toDots(right)
    at = (at + 8) | 0
  }
  putEachDot(row, { ...source, from: source.from + end - first }, end, last)
}

/** The highest bit of each of four pixels, which is set in the light ones. */
const lightBits = 0x80808080 | 0

/** Converts four pixels, the first in the lowest byte, to dots. */
function toDots(four: number): number {
  const dark = ~four & lightBits
  return ((dark >>> 4) & 8) | ((dark >>> 13) & 4) | ((dark >>> 22) & 2) | (dark >>> 31)
}

function putEachDot(row: Uint8Array, { pixels, from, step }: RowSource, first: number, last: number): void {
  // Integers, even if calculated from millimetres, take a third of the time.
  let source = from | 0
  const [width, by] = [last | 0, step | 0]
  let x = first | 0
  while (x < width) {
    const end = Math.min(width, (x | 7) + 1)
    let byte = 0
    for (; x < end; x += 1) {
      // Dark pixels have values below the middle.
      byte = (byte << 1) | (((pixels[source] ?? 255) - middle) >>> 31)
      source = (source + by) | 0
    }
    row[(end - 1) >> 3] = byte << ((8 - (end & 7)) & 7)
  }
}

/** Whether a label has a black dot. */
export function isInked({ bits }: MonoBitmap): boolean {
  return bits.some((byte) => byte !== 0)
}

/** The white that stays after the last ink on continuous stock: the quiet zone of a vertical barcode. */
const trailingMm = 5

/** Removes the white at the end of a label on continuous stock; returns other labels unchanged. */
export function trimLabel(label: MonoBitmap, { isContinuous, dotsPerMm }: TrimLayout): MonoBitmap {
  const lastInked = label.bits.findLastIndex((byte) => byte !== 0)
  if (isContinuous !== true || lastInked < 0) return label
  const inked = Math.floor(lastInked / label.rowBytes) + 1
  const height = Math.min(label.height, inked + Math.round(trailingMm * dotsPerMm))
  return { ...label, height, bits: label.bits.slice(0, height * label.rowBytes) }
}

type TrimLayout = Pick<RasterLayout, 'isContinuous' | 'dotsPerMm'>

/** Part of a page, in pixels. */
export interface Cut {
  left: number
  top: number
  width: number
  height: number
}

/** A placement's area in pixels, clipped to the page. */
export function toCut(page: GreyPage, { area }: Placement, pixelsPerMm: number): Cut {
  const left = within(Math.round(area.xMm * pixelsPerMm), page.width)
  const top = within(Math.round(area.yMm * pixelsPerMm), page.height)
  const width = within(Math.round(area.widthMm * pixelsPerMm), page.width - left)
  const height = within(Math.round(area.heightMm * pixelsPerMm), page.height - top)
  return { left, top, width, height }
}

function within(value: number, max: number): number {
  return Math.max(0, Math.min(max, value))
}

interface Walk {
  /** The index of the pixel for the label's top left dot. */
  origin: number
  /** The steps of the index for one dot to the right, and one down. */
  stepX: number
  stepY: number
  width: number
  height: number
}

/** The order of a cut's pixels on the turned label. */
function getWalk({ left, top, width, height }: Cut, rowPixels: number, turn: Turn): Walk {
  const at = (x: number, y: number) => (top + y) * rowPixels + left + x
  switch (turn) {
    case 0:
      return { origin: at(0, 0), stepX: 1, stepY: rowPixels, width, height }
    case 90:
      return { origin: at(0, height - 1), stepX: -rowPixels, stepY: 1, width: height, height: width }
    case 180:
      return { origin: at(width - 1, height - 1), stepX: -1, stepY: -rowPixels, width, height }
    case 270:
      return { origin: at(width - 1, 0), stepX: rowPixels, stepY: -1, width: height, height: width }
  }
}

/** Darker pixels are black. A threshold keeps the widths of bars; dithering would blur their edges. */
const middle = 128
/** Neighbouring pixels that differ by more are the edge of a bar, a letter or a line. */
const edge = 72

/** An ordered pattern of thresholds, in 64 steps, for pictures. */
const pattern = orderedPattern()

/** Dithers greys to patterns of black and white dots, except at edges, so that barcodes beside a photo stay sharp. */
function dither({ pixels, width }: GreyPage): Uint8Array {
  return pixels.map((grey, index) => {
    const x = index % width
    const y = (index - x) / width
    const threshold = isEdge(pixels, index, width) ? middle : (pattern[(y & 7) * 8 + (x & 7)] ?? middle)
    return grey < threshold ? 0 : 255
  })
}

function isEdge(pixels: Uint8Array, index: number, width: number): boolean {
  const grey = pixels[index] ?? 255
  for (const step of [-2, -1, 1, 2]) {
    if (Math.abs((pixels[index + step] ?? grey) - grey) > edge) return true
    if (Math.abs((pixels[index + step * width] ?? grey) - grey) > edge) return true
  }
  return false
}

/** Bayer's matrix of 8 x 8, built by doubling, as thresholds between 2 and 254. */
function orderedPattern(): number[] {
  let matrix = [[0]]
  for (let size = 1; size < 8; size *= 2) {
    const old = matrix
    const quarter = (add: number) => old.map((row) => row.map((value) => value * 4 + add))
    const [a, b, c, d] = [quarter(0), quarter(2), quarter(3), quarter(1)]
    const side = (left: number[][], right: number[][]) => left.map((row, y) => [...row, ...(right[y] ?? [])])
    matrix = [...side(a, b), ...side(c, d)]
  }
  return matrix.flat().map((value) => value * 4 + 2)
}

/** Pixels from this value on are paper, or too light to matter on a label. */
const paper = 225

/**
 * Finds the parts of a page whose ink is all too light to become black.
 * @param left placements without a black dot
 */
export function findBlank(page: GreyPage, left: readonly Placement[], layout: RasterLayout): LabelFinding[] {
  return left
    .filter((placement) => hasInk(page, toCut(page, placement, layout.dotsPerMm * placement.scale)))
    .map((placement) => ({ kind: 'page-blank', page: placement.page + 1, areas: [placement.area] }))
}

function hasInk({ pixels, width: rowPixels }: GreyPage, { left, top, width, height }: Cut): boolean {
  for (let y = top; y < top + height; y += 1) {
    const start = y * rowPixels + left
    if (pixels.subarray(start, start + width).some((pixel) => pixel < paper)) return true
  }
  return false
}
