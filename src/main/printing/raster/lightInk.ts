import { type BoxMm, maxFindingAreas } from '../../../shared/labels'
import { type Box, joined, joinNeighbours, toMm, union } from '../layout/geometry'
import type { GreyPage } from '../layout/labelLayout'
import type { Cut } from './bitmap'

/** Darker than this is black. */
const middle = 128
/** Ink is darker than the page's background by this: yellow, the lightest colour of text, has grey 226. */
const contrast = 23
/** A darker background is no paper: then white counts as paper. */
const minGround = 192
/** The background is found from every 13th pixel. */
const sampled = 13
/** Light ink nearer to black than this, or up to twice as far, is the edge of black ink. */
const nearMm = 0.5
/** The size of cells for light ink, as a multiple of `nearMm`. */
const perCell = 4
/** Thinner ink is a line. */
const lineMm = 0.5
/** A cell with this share of paper within its ink contains a shape; others are part of a background. */
const openShare = 0.15
/** Text fills less of its bounding box than a background does. */
const maxFilled = 0.75
/** The minimum share of shapes in a block, and the maximum share of lines. */
const minShapes = 0.2
const maxLines = 0.6
/** The contrast of ink on a coloured background; more on a dark one, since dark colours are hard to tell apart. */
const groundContrast = 32
const darkContrast = 40
/** The border around ink on a background: this share of it differs from its median by at most `groundSpread`. */
const groundShare = 0.7
const groundSpread = 16
/** Fewer squares with edges are dust or scan noise. */
const minSquares = 4
/** Less is dust: the number of cells, and the ink in a cell in square millimetres. */
const minCells = 2
const minInk = 0.15

/** The light ink of a cell, in pixels of the cut. */
interface Ink extends Box {
  count: number
  /** The pixels of paper in its bounding box. */
  open: number
}

/**
 * Finds text and drawings in colours that are too light to become black, or so dark on a dark background that both
 * become black. Antialiased edges, thin light lines and light backgrounds, even with black text or rounded corners, do
 * not count.
 * @param page drawn at `pixelsPerMm`
 * @param cut the printed part
 */
export function findLightInk(page: GreyPage, cut: Cut, pixelsPerMm: number): BoxMm[] {
  const marks = markInk(page, cut, Math.max(2, Math.round(nearMm * pixelsPerMm)))
  const cells = measureCells(page, cut, marks)
  const onPaper = joinNeighbours(cells.keys(), Math.ceil(marks.columns / perCell)).map((block) =>
    block.flatMap((index) => cells.get(index) ?? []),
  )
  const found = [...onPaper, ...listInkOnGrounds(page, cut, marks)]
    .filter((block) => isShape(block, pixelsPerMm))
    .map((block) => {
      const { left, top, right, bottom } = around(block)
      const onPage = {
        left: cut.left + left,
        right: cut.left + right,
        top: cut.top + top,
        bottom: cut.top + bottom,
      }
      return toMm(onPage, pixelsPerMm)
    })
  const rest = found.slice(maxFindingAreas - 1)
  return rest.length > 1 ? [...found.slice(0, maxFindingAreas - 1), rest.reduce(union)] : found
}

/**
 * The grey from which pixels are paper: the median of the page is its background, and slightly darker pixels are scan
 * noise.
 */
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

/** The squares of a page, row by row. */
interface Marks {
  columns: number
  /** The side of a square in pixels. */
  side: number
  /** Pixels from this grey on are paper. */
  paper: number
  /** Squares with black. */
  isBlack: Uint8Array
  /** Squares with light ink that are not next to a square with black. */
  isLight: Uint8Array
  /** Squares with black and their neighbours. */
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
    // Rows with vertical bars or white equal the row above: comparing rows costs a hundredth of reading each pixel.
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
    isBlack,
    isLight: isLight.map((value, index) => (isNearBlack[index] === 1 ? 0 : value)),
    isNearBlack,
  }
}

/** Measures the light ink of each cell, without ink near black. */
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
  const isPaper = (x: number, y: number) =>
    (pixels[(cut.top + y) * rowPixels + cut.left + x] ?? paper) >= paper
  const isInk = (x: number, y: number) => !isPaper(x, y)
  const ink = noInk(cut)
  for (const index of squares) {
    const [left, top] = [(index % columns) * side, Math.floor(index / columns) * side]
    const [right, bottom] = [Math.min(cut.width, left + side), Math.min(cut.height, top + side)]
    addInk(ink, { left, top, right, bottom }, isInk)
  }
  const isNear = (x: number, y: number) =>
    isNearBlack[Math.floor(y / side) * columns + Math.floor(x / side)] === 1
  ink.open = count(ink, (x, y) => isPaper(x, y) && !isNear(x, y))
  return ink
}

function noInk({ width, height }: Cut): Ink {
  return { left: width, top: height, right: 0, bottom: 0, count: 0, open: 0 }
}

function addInk(ink: Ink, { left, top, right, bottom }: Box, isInk: (x: number, y: number) => boolean): void {
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      if (!isInk(x, y)) continue
      ink.count += 1
      ink.left = Math.min(ink.left, x)
      ink.top = Math.min(ink.top, y)
      ink.right = Math.max(ink.right, x + 1)
      ink.bottom = Math.max(ink.bottom, y + 1)
    }
  }
}

/** Counts the pixels of a box that `isWanted` accepts. */
function count({ left, top, right, bottom }: Box, isWanted: (x: number, y: number) => boolean): number {
  let found = 0
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) if (isWanted(x, y)) found += 1
  }
  return found
}

/**
 * Finds ink on a background that is no paper, if both become white or both become black: white or grey on light grey,
 * grey on black. Its edges are neighbouring pixels that differ but print alike, with the background around all of them.
 * The edge of a background itself, and ink that extends past it, do not count.
 */
function listInkOnGrounds(page: GreyPage, cut: Cut, marks: Marks): Ink[][] {
  const edges = [...listEdges(page, cut, marks, 'light'), ...listEdges(page, cut, marks, 'dark')]
  return joinNeighbours(edges, marks.columns).flatMap((block) => {
    if (block.length < minSquares) return []
    const box = toSquares(block, marks.columns)
    const ground = findGround(page, cut, box, marks)
    return ground === undefined ? [] : [measureOnGround(page, cut, box, marks, ground)]
  })
}

/** Squares whose pixels differ but are all light or all dark, as are those of their neighbours. */
function listEdges(page: GreyPage, cut: Cut, marks: Marks, side: 'light' | 'dark'): number[] {
  const { columns, isBlack, isLight } = marks
  const isOf = side === 'light' ? isLight : isBlack
  const minContrast = side === 'light' ? groundContrast : darkContrast
  const found: number[] = []
  for (let index = isOf.indexOf(1); index >= 0; index = isOf.indexOf(1, index + 1)) {
    const [dark, light] = findRange(page, cut, index, marks)
    if (light - dark < minContrast || (side === 'dark' && light >= middle)) continue
    const around = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((across) => index + down * columns + across))
    if (side === 'light' || around.every((each) => isBlack[each] === 1 && isAllDark(page, cut, each, marks)))
      found.push(index)
  }
  return found
}

/** The darkest and the lightest pixel of a square; stops when it has found both a light and a dark one. */
function findRange(page: GreyPage, cut: Cut, index: number, { columns, side }: Marks): [number, number] {
  const { pixels, width: rowPixels } = page
  const fromX = (index % columns) * side
  const fromY = Math.floor(index / columns) * side
  let [dark, light] = [255, 0]
  for (let y = fromY; y < Math.min(cut.height, fromY + side); y += 1) {
    for (let x = fromX; x < Math.min(cut.width, fromX + side); x += 1) {
      const pixel = pixels[(cut.top + y) * rowPixels + cut.left + x] ?? 255
      dark = Math.min(dark, pixel)
      light = Math.max(light, pixel)
    }
    if (dark < middle && light >= middle) break
  }
  return [dark, light]
}

function isAllDark(page: GreyPage, cut: Cut, index: number, marks: Marks): boolean {
  return findRange(page, cut, index, marks)[1] < middle
}

/** The bounding box of squares, in squares. */
function toSquares(block: readonly number[], columns: number): Box {
  const squares = block.map((index): Box => {
    const [left, top] = [index % columns, Math.floor(index / columns)]
    return { left, top, right: left + 1, bottom: top + 1 }
  })
  return squares.reduce(joined)
}

/** The grey of the background around squares; undefined when it is paper or not uniform. */
function findGround(page: GreyPage, cut: Cut, box: Box, { side, paper }: Marks): number | undefined {
  const { pixels, width: rowPixels } = page
  const [left, top] = [(box.left - 1) * side, (box.top - 1) * side]
  const [right, bottom] = [(box.right + 1) * side, (box.bottom + 1) * side]
  if (left < 0 || top < 0 || right > cut.width || bottom > cut.height) return undefined
  const around: number[] = []
  const look = (x: number, y: number) => around.push(pixels[(cut.top + y) * rowPixels + cut.left + x] ?? 255)
  for (let x = left; x < right; x += 1) {
    look(x, top)
    look(x, bottom - 1)
  }
  for (let y = top + 1; y < bottom - 1; y += 1) {
    look(left, y)
    look(right - 1, y)
  }
  const ground = around.toSorted((one, other) => one - other)[around.length >> 1] ?? 255
  const alike = around.filter((pixel) => Math.abs(pixel - ground) <= groundSpread)
  return ground >= paper || alike.length < around.length * groundShare ? undefined : ground
}

/**
 * Measures the ink of cells on a background. Ink that prints in the other colour, and its edges, are visible in print.
 */
function measureOnGround(
  page: GreyPage,
  cut: Cut,
  box: Box,
  { side, columns, isNearBlack }: Marks,
  ground: number,
): Ink[] {
  const { pixels, width: rowPixels } = page
  const contrasts = ground < middle ? darkContrast : groundContrast
  const at = (x: number, y: number) => pixels[(cut.top + y) * rowPixels + cut.left + x] ?? ground
  const isOther = (x: number, y: number) =>
    ground < middle
      ? at(x, y) >= middle
      : isNearBlack[Math.floor(y / side) * columns + Math.floor(x / side)] === 1
  const isInk = (x: number, y: number) => Math.abs(at(x, y) - ground) >= contrasts && !isOther(x, y)
  const cells: Ink[] = []
  const step = side * perCell
  const [endX, endY] = [box.right * side, box.bottom * side]
  for (let top = box.top * side; top < endY; top += step) {
    for (let left = box.left * side; left < endX; left += step) {
      const ink = noInk(cut)
      addInk(
        ink,
        { left, top, right: Math.min(endX, left + step), bottom: Math.min(endY, top + step) },
        isInk,
      )
      ink.open = count(ink, (x, y) => Math.abs(at(x, y) - ground) < contrasts)
      if (ink.count > 0) cells.push(ink)
    }
  }
  return cells
}

function isShape(block: readonly Ink[], pixelsPerMm: number): boolean {
  if (block.length === 0) return false
  const line = lineMm * pixelsPerMm
  const thin = block.filter(({ left, top, right, bottom }) => Math.min(right - left, bottom - top) <= line)
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
  return filled <= (right - left) * (bottom - top) * maxFilled
}

function around(boxes: readonly Box[]): Box {
  return boxes.reduce(joined)
}
