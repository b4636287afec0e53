import { type Area, type BoxMm, maxFindingAreas } from '../../../shared/labels'
import {
  type Box,
  intersection,
  joined,
  type Margins,
  marginsTurnedBack,
  type Point,
  toMm,
  turned,
  turnedBack,
  union,
} from './geometry'
import type { GreyPage, Placement, RasterLayout } from './labelLayout'
import { findBlocks } from './placementLosses'

/** Ink is stored in cells of this size, independent of the resolution of the drawing. */
const cellMm = 2.5
/** Pixels from this value on are paper. */
const paper = 200
/** More than cut labels and rounding deviate. */
const edgeMm = 1
/** The tolerance for rounding to the points of a PPD and to the pixels of the picture. */
const marginToleranceMm = 0.25
/** Thinner ink is a cutting line; a block with more than this share of such cells consists of cutting lines. */
const lineMm = 0.75
const lineShare = 0.6
/** A thin block with at least one stroke in this length that runs on inside the printed part is the edge of text. */
const strokeMm = 5
/** Fewer strokes are those of a frame. */
const minStrokes = 3
/** A shorter cutting mark could be a letter. */
const minMarkMm = 5
/** The maximum of cells that ink fills where two lines cross. */
const maxCrossing = 4
/**
 * A label that grew has new ink near its edge: within this distance of the printed part only cells that had ink may
 * have some.
 */
const guardMm = 6
/** Lines of text beside a label differ in length: later ones may be longer by this. */
const textToleranceMm = 60

/**
 * The printed parts of a page: the parts of its placements that lie on the stock. Continuous stock is as long as the
 * placement plus a downward offset.
 */
export function getPrintedParts(
  placements: readonly Placement[],
  { dotsPerMm, offsetDots, marginsMm, ...layout }: Omit<RasterLayout, 'placements' | 'greys'>,
): BoxMm[] {
  const isContinuous = layout.isContinuous === true
  const stock = { widthMm: layout.widthDots / dotsPerMm, heightMm: layout.heightDots / dotsPerMm }
  const offset = {
    x: offsetDots.x / dotsPerMm,
    y: (isContinuous ? Math.min(0, offsetDots.y) : offsetDots.y) / dotsPerMm,
  }
  return placements.map(({ area, turn, scale }) => {
    const lengthMm = isContinuous ? turned(area, turn).heightMm * scale : stock.heightMm
    const { widthMm, heightMm } = turned({ ...stock, heightMm: lengthMm }, turn)
    const shift = turnedBack(offset, turn)
    const { left, top, right, bottom } = marginsTurnedBack(marginsMm ?? noMargins, turn)
    const frame = {
      xMm: area.xMm + (area.widthMm - widthMm / scale) / 2 + (getInset(left) - shift.x) / scale,
      yMm: area.yMm + (area.heightMm - heightMm / scale) / 2 + (getInset(top) - shift.y) / scale,
      widthMm: (widthMm - getInset(left) - getInset(right)) / scale,
      heightMm: (heightMm - getInset(top) - getInset(bottom)) / scale,
    }
    return intersection(area, frame)
  })
}

const noMargins: Margins = { left: 0, top: 0, right: 0, bottom: 0 }

/** A printer's margin is exact, while ink near the edge of the printed part may lie on either side of it. */
function getInset(marginMm: number): number {
  return marginMm === 0 ? 0 : marginMm + edgeMm - marginToleranceMm
}

/** Whether the whole page is printed. */
export function coversPage(printed: readonly BoxMm[], page: { widthMm: number; heightMm: number }): boolean {
  return printed.some(
    ({ xMm, yMm, widthMm, heightMm }) =>
      xMm <= edgeMm &&
      yMm <= edgeMm &&
      xMm + widthMm >= page.widthMm - edgeMm &&
      yMm + heightMm >= page.heightMm - edgeMm,
  )
}

/**
 * Finds ink of a page that is not printed, except in areas that a person left out when they chose the placement.
 * Cutting lines do not count. If there are very many areas, the smallest ones are reported as one area around them.
 * @param page drawn at `dotsPerMm`
 */
export function findStrayInk(
  page: GreyPage,
  dotsPerMm: number,
  printed: readonly BoxMm[],
  leftOut: readonly Area[],
): BoxMm[] {
  const cells = mapInkOutside(page, dotsPerMm, printed)
  if (cells === undefined) return []
  for (const index of cells.boxes.keys()) {
    if (leftOut.some((area) => holds(area, toCentre(index, cells)))) cells.boxes.delete(index)
  }
  const lost = findBlocks(toInkMap(cells), Number.POSITIVE_INFINITY)
    .map((block) => selectCells(block, cells))
    .filter((own) => !isCuttingLine(own, page, dotsPerMm))
    .map((own) => toBox(own, dotsPerMm))
  const rest = lost.slice(maxFindingAreas - 1)
  return rest.length > 1 ? [...lost.slice(0, maxFindingAreas - 1), rest.reduce(union)] : lost
}

/** Whether a block consists of cutting lines or cutting marks. A frame with text in it does not. */
function isCuttingLine(block: InkCells, page: GreyPage, dotsPerMm: number): boolean {
  const { widthMm, heightMm } = toBox(block, dotsPerMm)
  if (Math.min(widthMm, heightMm) <= lineMm) {
    const strokes = countStrokes([...block.boxes.values()].reduce(joined), page, lineMm * dotsPerMm)
    return strokes < minStrokes || strokes * strokeMm < Math.max(widthMm, heightMm)
  }
  if (Math.max(widthMm, heightMm) < minMarkMm) return false
  const max = lineMm * dotsPerMm
  const boxes = new Map(
    [...block.boxes].filter(([, { left, top, right, bottom }]) => Math.min(right - left, bottom - top) > max),
  )
  if (block.boxes.size - boxes.size <= block.boxes.size * lineShare) return false
  const rest = { ...block, boxes }
  return findBlocks(toInkMap(rest), Number.POSITIVE_INFINITY).every(
    (part) => selectCells(part, rest).boxes.size <= maxCrossing,
  )
}

/** Counts the strokes that run across a block and on beside it, longer than `max` in pixels. */
function countStrokes({ left, top, right, bottom }: Box, { width, height, pixels }: GreyPage, max: number) {
  const isLevel = right - left > bottom - top
  const isInk = (along: number, across: number) => {
    const [x, y] = isLevel ? [along, across] : [across, along]
    return x >= 0 && x < width && y >= 0 && y < height && (pixels[y * width + x] ?? paper) < paper
  }
  const [start, end, near, far] = isLevel ? [left, right, top, bottom] : [top, bottom, left, right]
  let strokes = 0
  let wasStroke = false
  for (let along = start; along < end; along += 1) {
    let [from, to] = [near, far]
    while (from < to && !isInk(along, from)) from += 1
    while (from < to && !isInk(along, to - 1)) to -= 1
    const isInked = from < to
    while (isInked && isInk(along, from - 1)) from -= 1
    while (isInked && isInk(along, to)) to += 1
    const isStroke = to - from > max
    if (isStroke && !wasStroke) strokes += 1
    wasStroke = isStroke
  }
  return strokes
}

/**
 * Describes the ink that a person leaves out by printing parts of a page, for comparison with later pages. The areas
 * have room for longer lines of text, but not next to the printed parts.
 * @param page drawn at `dotsPerMm`
 */
export function describeLeftOut(page: GreyPage, dotsPerMm: number, printed: readonly BoxMm[]): Area[] {
  const cells = mapInkOutside(page, dotsPerMm, printed)
  if (cells === undefined) return []
  const { columns, rows } = cells
  const left = new Uint8Array(columns * rows)
  const mark = (column: number, row: number) => {
    if (column >= 0 && column < columns && row >= 0 && row < rows) left[row * columns + column] = 1
  }
  const isNear = (column: number, row: number) =>
    printed.some(
      ({ xMm, yMm, widthMm, heightMm }) =>
        (column + 1) * cellMm > xMm - guardMm &&
        column * cellMm < xMm + widthMm + guardMm &&
        (row + 1) * cellMm > yMm - guardMm &&
        row * cellMm < yMm + heightMm + guardMm,
    )
  const reach = Math.round(textToleranceMm / cellMm)
  for (const index of cells.boxes.keys()) {
    const [column, row] = [index % columns, toRow(index, cells)]
    for (let down = -1; down <= 1; down += 1) {
      for (let across = -reach; across <= reach; across += 1) {
        if (Math.abs(across) <= 1 || !isNear(column + across, row + down)) mark(column + across, row + down)
      }
    }
  }
  return toAreas(left, columns, rows)
}

/** The cells with ink outside the printed parts. */
interface InkCells {
  columns: number
  rows: number
  /** The ink's box of each cell in pixels, by the cell's number, row by row. */
  boxes: Map<number, Box>
}

/** @returns undefined when there is no ink outside */
function mapInkOutside(page: GreyPage, dotsPerMm: number, printed: readonly BoxMm[]): InkCells | undefined {
  const { width, height, pixels } = page
  const bytes = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.length)
  const white = Buffer.alloc(width, 255)
  const cell = cellMm * dotsPerMm
  const cells: InkCells = {
    columns: Math.ceil(width / cell),
    rows: Math.ceil(height / cell),
    boxes: new Map(),
  }
  const covered = printed.map((part) => ({
    left: Math.floor((part.xMm - edgeMm) * dotsPerMm),
    top: Math.floor((part.yMm - edgeMm) * dotsPerMm),
    right: Math.ceil((part.xMm + part.widthMm + edgeMm) * dotsPerMm),
    bottom: Math.ceil((part.yMm + part.heightMm + edgeMm) * dotsPerMm),
  }))
  const edges = covered.flatMap(({ top, bottom }) => [top, bottom]).filter((y) => y > 0 && y < height)
  const bands = [...new Set([0, ...edges, height])].sort((one, other) => one - other)
  for (const [index, from] of bands.entries()) {
    const to = bands[index + 1]
    if (to === undefined) break
    const gaps = gapsBetween(
      covered.filter(({ top, bottom }) => top <= from && bottom >= to),
      width,
    )
    for (const [left, right] of gaps) {
      for (let y = from; y < to; y += 1) {
        const start = y * width
        // Comparing whole rows costs a hundredth of reading each pixel.
        if (bytes.compare(white, 0, right - left, start + left, start + right) === 0) continue
        addRow(cells, pixels.subarray(start, start + right), { left, y, cell })
      }
    }
  }
  return cells.boxes.size === 0 ? undefined : cells
}

function gapsBetween(boxes: readonly { left: number; right: number }[], width: number): [number, number][] {
  const gaps: [number, number][] = []
  let at = 0
  for (const { left, right } of [...boxes].sort((one, other) => one.left - other.left)) {
    if (left > at) gaps.push([at, Math.min(left, width)])
    at = Math.max(at, right)
  }
  if (at < width) gaps.push([at, width])
  return gaps
}

/** @param row the pixels from the page's left edge to the end of the gap, which starts at `left` */
function addRow(
  { columns, boxes }: InkCells,
  row: Uint8Array,
  { left, y, cell }: { left: number; y: number; cell: number },
): void {
  const first = Math.floor(y / cell) * columns
  for (let from = left; from < row.length; ) {
    const column = Math.floor(from / cell)
    const to = Math.min(row.length, Math.max(from + 1, Math.ceil((column + 1) * cell)))
    let start = from
    while (start < to && (row[start] ?? paper) >= paper) start += 1
    if (start < to) {
      let end = to
      while ((row[end - 1] ?? paper) >= paper) end -= 1
      const box = boxes.get(first + column)
      if (box === undefined) boxes.set(first + column, { left: start, top: y, right: end, bottom: y + 1 })
      else {
        box.left = Math.min(box.left, start)
        box.right = Math.max(box.right, end)
        box.bottom = y + 1
      }
    }
    from = to
  }
}

function toCentre(index: number, cells: InkCells): Point {
  return { x: ((index % cells.columns) + 0.5) * cellMm, y: (toRow(index, cells) + 0.5) * cellMm }
}

function toRow(index: number, { columns }: InkCells): number {
  return Math.floor(index / columns)
}

/** A map with one pixel for each cell, so that adjacent cells become one block. */
function toInkMap({ columns, rows, boxes }: InkCells) {
  const ink = new Uint8Array(columns * rows)
  for (const index of boxes.keys()) ink[index] = 1
  return { width: columns, height: rows, dotsPerMm: 1 / cellMm, ink }
}

/** The cells of a block, numbered from its corner. */
function selectCells(block: BoxMm, cells: InkCells): InkCells {
  const first = Math.round(block.yMm / cellMm) * cells.columns + Math.round(block.xMm / cellMm)
  const columns = Math.round(block.widthMm / cellMm)
  const rows = Math.round(block.heightMm / cellMm)
  const boxes = new Map<number, Box>()
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const box = cells.boxes.get(first + row * cells.columns + column)
      if (box !== undefined) boxes.set(row * columns + column, box)
    }
  }
  return { columns, rows, boxes }
}

/** The bounding box of all ink in the cells. */
function toBox({ boxes }: InkCells, dotsPerMm: number): BoxMm {
  return toMm([...boxes.values()].reduce(joined), dotsPerMm)
}

/** Converts cells to few areas: runs in a row, merged with an equal run in the row above. */
function toAreas(cells: Uint8Array, columns: number, rows: number): Area[] {
  const areas: Area[] = []
  const open = new Map<string, Area>()
  for (let row = 0; row < rows; row += 1) {
    const line = cells.subarray(row * columns, (row + 1) * columns)
    const runs = new Map<string, Area>()
    for (let from = line.indexOf(1); from >= 0; ) {
      const end = line.indexOf(0, from)
      const to = end < 0 ? columns : end
      const above = open.get(`${from} ${to}`)
      if (above === undefined) {
        const run = {
          xMm: from * cellMm,
          yMm: row * cellMm,
          widthMm: (to - from) * cellMm,
          heightMm: cellMm,
        }
        areas.push(run)
        runs.set(`${from} ${to}`, run)
      } else {
        above.heightMm += cellMm
        runs.set(`${from} ${to}`, above)
      }
      from = line.indexOf(1, to)
    }
    open.clear()
    for (const [key, run] of runs) open.set(key, run)
  }
  return areas
}

function holds({ xMm, yMm, widthMm, heightMm }: BoxMm, { x, y }: Point): boolean {
  return x > xMm && x < xMm + widthMm && y > yMm && y < yMm + heightMm
}
