import { type BoxMm, maxFindingAreas } from '../../../shared/labels'
import { union } from '../layout/geometry'
import type { GreyPage } from '../layout/pictures'
import type { Cut } from './bitmap'

/** Darker than this is black. */
const middle = 128
/** Ink is darker than the page's ground by this: yellow, the lightest colour that is used for text, is at 226. */
const contrast = 23
/** A darker ground is no paper: the label is taken as printed on white. */
const minGround = 192
/** One pixel in so many shows the ground. */
const sampled = 13
/** Nearer to black than this, up to twice as far, light ink is the edge of what is black. */
const nearMm = 0.5
/** Light ink is judged by cells of so many times that. */
const perCell = 4
/** What is thinner is a line. */
const lineMm = 0.5
/** A cell of which this share is paper, inside of its ink, holds a shape; others are part of a ground. */
const openShare = 0.15
/** Text fills less of the box around it than a ground does. */
const maxFilled = 0.75
/** So much of a block are shapes, and no more of it are lines. */
const minShapes = 0.2
const maxLines = 0.6
/** Less is dust: cells, and square millimetres of ink in one. */
const minCells = 2
const minInk = 0.15

/** The light ink of a cell, in pixels of the cut. */
interface Ink {
  left: number
  top: number
  right: number
  bottom: number
  count: number
  /** Pixels of paper in the box around it. */
  open: number
}

/**
 * The places of a page that hold text or drawings in colours too light to become black. Antialiased edges, light grounds,
 * also with black text or rounded corners, and thin light lines are none.
 * @param page drawn at `pixelsPerMm`
 * @param cut what of it is printed
 */
export function findLightInk(page: GreyPage, cut: Cut, pixelsPerMm: number): BoxMm[] {
  const marks = markInk(page, cut, Math.max(2, Math.round(nearMm * pixelsPerMm)))
  const cells = measureCells(page, cut, marks)
  const found = joinCells(cells, Math.ceil(marks.columns / perCell))
    .filter((block) => isShape(block, pixelsPerMm))
    .map((block) => toBox(block, cut, pixelsPerMm))
  const rest = found.slice(maxFindingAreas - 1)
  return rest.length > 1 ? [...found.slice(0, maxFindingAreas - 1), rest.reduce(union)] : found
}

/** What is lighter is paper: half of the page is no darker than its ground, and what is hardly darker is a scan's noise. */
function findPaper({ pixels }: GreyPage): number {
  const counts = new Uint32Array(256)
  for (let index = 0; index < pixels.length; index += sampled) {
    const grey = pixels[index] ?? 255
    counts[grey] = (counts[grey] ?? 0) + 1
  }
  let left = Math.ceil(pixels.length / sampled / 2)
  let ground = 255
  while (ground > 0 && (counts[ground] ?? 0) < left) {
    left -= counts[ground] ?? 0
    ground -= 1
  }
  return (ground < minGround ? 255 : ground) - contrast
}

/** A page in squares, row by row. */
interface Marks {
  columns: number
  /** The side of a square in pixels. */
  side: number
  /** What is not darker is paper. */
  paper: number
  /** Squares with light ink that are not beside a square with black. */
  isLight: Uint8Array
  /** Squares with black and those beside them. */
  isNearBlack: Uint8Array
}

function markInk(page: GreyPage, cut: Cut, side: number): Marks {
  const { pixels, width: rowPixels } = page
  const paper = findPaper(page)
  const columns = Math.ceil(cut.width / side)
  const rows = Math.ceil(cut.height / side)
  const isLight = new Uint8Array(columns * rows)
  const isBlack = new Uint8Array(columns * rows)
  const view = new DataView(pixels.buffer, pixels.byteOffset, pixels.length)
  const bytes = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.length)
  for (let y = 0; y < cut.height; y += 1) {
    const start = (cut.top + y) * rowPixels + cut.left
    const first = Math.floor(y / side) * columns
    // Upright bars and white are the same in the row above, and a comparison costs a hundredth of a look at each pixel.
    const above = start - rowPixels
    const isAsAbove =
      y % side > 0 && bytes.compare(bytes, above, above + cut.width, start, start + cut.width) === 0
    for (let x = isAsAbove ? cut.width : 0; x < cut.width; ) {
      // Most of a label is white.
      if (x + 4 <= cut.width && view.getInt32(start + x, true) === -1) {
        x += 4
        continue
      }
      const pixel = pixels[start + x] ?? paper
      if (pixel < middle) isBlack[first + Math.floor(x / side)] = 1
      else if (pixel < paper) isLight[first + Math.floor(x / side)] = 1
      x += 1
    }
  }
  const isNearBlack = new Uint8Array(columns * rows)
  for (let index = isBlack.indexOf(1); index >= 0; index = isBlack.indexOf(1, index + 1)) {
    const column = index % columns
    for (let row = index - column - columns; row <= index - column + columns; row += columns) {
      if (row < 0) continue
      isNearBlack.fill(1, row + Math.max(0, column - 1), row + Math.min(columns, column + 2))
    }
  }
  return {
    columns,
    side,
    paper,
    isLight: isLight.map((value, index) => (isNearBlack[index] === 1 ? 0 : value)),
    isNearBlack,
  }
}

/** Measures the light ink of each cell that has some, leaving out what is near black. */
function measureCells(page: GreyPage, cut: Cut, marks: Marks): Map<number, Ink> {
  const { columns, isLight } = marks
  const squares = new Map<number, number[]>()
  for (let index = isLight.indexOf(1); index >= 0; index = isLight.indexOf(1, index + 1)) {
    const column = index % columns
    const row = (index - column) / columns
    const cell = Math.floor(row / perCell) * Math.ceil(columns / perCell) + Math.floor(column / perCell)
    const own = squares.get(cell)
    if (own === undefined) squares.set(cell, [index])
    else own.push(index)
  }
  return new Map([...squares].map(([cell, own]) => [cell, measureInk(page, cut, own, marks)]))
}

function measureInk(
  { pixels, width: rowPixels }: GreyPage,
  cut: Cut,
  squares: readonly number[],
  { columns, side, paper, isNearBlack }: Marks,
): Ink {
  const ink: Ink = { left: cut.width, top: cut.height, right: -1, bottom: -1, count: 0, open: 0 }
  const isPaper = (x: number, y: number) =>
    (pixels[(cut.top + y) * rowPixels + cut.left + x] ?? paper) >= paper
  for (const index of squares) {
    const fromX = (index % columns) * side
    const fromY = Math.floor(index / columns) * side
    for (let y = fromY; y < Math.min(cut.height, fromY + side); y += 1) {
      for (let x = fromX; x < Math.min(cut.width, fromX + side); x += 1) {
        if (isPaper(x, y)) continue
        ink.count += 1
        ink.left = Math.min(ink.left, x)
        ink.top = Math.min(ink.top, y)
        ink.right = Math.max(ink.right, x)
        ink.bottom = Math.max(ink.bottom, y)
      }
    }
  }
  for (let y = ink.top; y <= ink.bottom; y += 1) {
    const row = Math.floor(y / side) * columns
    for (let x = ink.left; x <= ink.right; x += 1) {
      if (isPaper(x, y) && isNearBlack[row + Math.floor(x / side)] === 0) ink.open += 1
    }
  }
  return ink
}

/** Cells beside each other, as blocks. */
function joinCells(cells: Map<number, Ink>, columns: number): Ink[][] {
  const left = new Set(cells.keys())
  const blocks: Ink[][] = []
  for (const first of cells.keys()) {
    if (!left.delete(first)) continue
    const open = [first]
    const block: Ink[] = []
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      const ink = cells.get(index)
      if (ink !== undefined) block.push(ink)
      for (const down of [-1, 0, 1]) {
        for (const across of [-1, 0, 1]) {
          const column = (index % columns) + across
          const next = index + down * columns + across
          if (column >= 0 && column < columns && left.delete(next)) open.push(next)
        }
      }
    }
    blocks.push(block)
  }
  return blocks
}

function isShape(block: readonly Ink[], pixelsPerMm: number): boolean {
  const line = lineMm * pixelsPerMm
  const thin = block.filter(
    ({ left, top, right, bottom }) => Math.min(right - left, bottom - top) + 1 <= line,
  )
  const shapes = block.filter(
    (ink) =>
      !thin.includes(ink) &&
      ink.count >= minInk * pixelsPerMm ** 2 &&
      ink.open > (ink.count + ink.open) * openShare,
  )
  if (shapes.length < Math.max(minCells, block.length * minShapes)) return false
  if (thin.length > block.length * maxLines) return false
  const filled = block.reduce((sum, { count }) => sum + count, 0)
  const { left, top, right, bottom } = around(block)
  return filled <= (right + 1 - left) * (bottom + 1 - top) * maxFilled
}

function around(block: readonly Ink[]): Omit<Ink, 'count' | 'open'> {
  return block.reduce<Omit<Ink, 'count' | 'open'>>(
    (one, other) => ({
      left: Math.min(one.left, other.left),
      top: Math.min(one.top, other.top),
      right: Math.max(one.right, other.right),
      bottom: Math.max(one.bottom, other.bottom),
    }),
    { left: Number.POSITIVE_INFINITY, top: Number.POSITIVE_INFINITY, right: 0, bottom: 0 },
  )
}

function toBox(block: readonly Ink[], cut: Cut, pixelsPerMm: number): BoxMm {
  const { left, top, right, bottom } = around(block)
  return {
    xMm: (cut.left + left) / pixelsPerMm,
    yMm: (cut.top + top) / pixelsPerMm,
    widthMm: (right + 1 - left) / pixelsPerMm,
    heightMm: (bottom + 1 - top) / pixelsPerMm,
  }
}
