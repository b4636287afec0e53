import type { Area, PlacementRule, SizeMm } from '../../../shared/labels'
import { type Box, joined, joinNeighbours, toMm, turned } from './geometry'
import type { GreyPage } from './labelLayout'

/** The ink of a page: one byte for each pixel, 1 for ink. */
export interface InkMap {
  width: number
  height: number
  dotsPerMm: number
  ink: Uint8Array
}

/** What a placement loses of a page: drawings that it cuts through, and drawings that it leaves out. */
export interface PlacementLosses {
  cut: Area[]
  leftOut: Area[]
}

/** Pixels from this value on are blank. */
const minBlank = 200
/** Ink this near to a cut on both sides belongs together. */
const nearMm = 1
/** If ink lies along this share of a cut, it is a cutting line or the frames of two labels. */
const cuttingLineShare = 0.4
/** Ink that runs this far through a cutting line on both sides is cut. */
const throughMm = 3
/** Drawings closer than one or two of these cells are one block. */
const cellMm = 3
/** More can't be told apart on a small picture. */
const maxBlocks = 20

/** Finds the ink of a page that was drawn at `dotsPerMm`. */
export function mapInk({ width, height, pixels }: GreyPage, dotsPerMm: number): InkMap {
  return { width, height, dotsPerMm, ink: pixels.map((value) => (value < minBlank ? 1 : 0)) }
}

/** Finds the losses when only the areas are printed, each centred on the stock. */
export function findLosses(
  { areas, turn, scale }: Pick<PlacementRule, 'areas' | 'turn' | 'scale'>,
  stock: SizeMm,
  map: InkMap,
): PlacementLosses {
  const printed = areas.map((area) => toBox(getPrintedPart(area, turned(stock, turn), scale), map))
  return {
    cut: printed.flatMap((box) => findCuts(box, map)),
    leftOut: findBlocks(withoutBoxes(map, printed)),
  }
}

/**
 * Groups ink that lies close together into blocks, the largest first.
 * @param maxCount returns no more blocks
 */
export function findBlocks({ width, height, dotsPerMm, ink }: InkMap, maxCount = maxBlocks): Area[] {
  const cell = Math.max(1, Math.round(cellMm * dotsPerMm))
  const columns = Math.ceil(width / cell)
  const rows = Math.ceil(height / cell)
  const cells: (Box | undefined)[] = new Array(columns * rows).fill(undefined)
  for (let y = 0; y < height; y += 1) {
    const row = ink.subarray(y * width, (y + 1) * width)
    for (let x = row.indexOf(1); x >= 0; ) {
      const column = Math.floor(x / cell)
      const right = Math.min(width, (column + 1) * cell)
      const last = row.lastIndexOf(1, right - 1)
      const index = Math.floor(y / cell) * columns + column
      const run = { left: x, top: y, right: last + 1, bottom: y + 1 }
      cells[index] = joined(cells[index] ?? run, run)
      x = row.indexOf(1, right)
    }
  }
  const inked = cells.flatMap((box, index) => (box === undefined ? [] : [index]))
  return joinNeighbours(inked, columns)
    .map((block) => toMm(block.flatMap((index) => cells[index] ?? []).reduce(joined), dotsPerMm))
    .sort((one, other) => other.widthMm * other.heightMm - one.widthMm * one.heightMm)
    .slice(0, maxCount)
}

/** The part of an area that lies on the stock when it is centred. */
function getPrintedPart(area: Area, stock: SizeMm, scale: number): Area {
  const widthMm = Math.min(area.widthMm, stock.widthMm / scale)
  const heightMm = Math.min(area.heightMm, stock.heightMm / scale)
  return {
    xMm: area.xMm + (area.widthMm - widthMm) / 2,
    yMm: area.yMm + (area.heightMm - heightMm) / 2,
    widthMm,
    heightMm,
  }
}

/** Converts an area to pixels, clipped to the page. */
export function toBox({ xMm, yMm, widthMm, heightMm }: Area, { width, height, dotsPerMm }: InkMap): Box {
  const within = (millimetres: number, max: number) =>
    Math.max(0, Math.min(max, Math.round(millimetres * dotsPerMm)))
  return {
    left: within(xMm, width),
    top: within(yMm, height),
    right: within(xMm + widthMm, width),
    bottom: within(yMm + heightMm, height),
  }
}

function withoutBoxes(map: InkMap, boxes: readonly Box[]): InkMap {
  const ink = map.ink.slice()
  for (const { left, top, right, bottom } of boxes) {
    for (let y = top; y < bottom; y += 1) ink.fill(0, y * map.width + left, y * map.width + right)
  }
  return { ...map, ink }
}

/** Finds the places where an edge of the box, inside the page, cuts through a drawing. */
function findCuts(box: Box, map: InkMap): Area[] {
  const { width, height } = map
  const upright = [box.left, box.right]
    .filter((x) => x > 0 && x < width)
    .flatMap((x) =>
      cutRuns(box.top, box.bottom, map, (along, off) => isInk(map, x + off, along)).map(([from, to]) =>
        around(x, x, from, to, map),
      ),
    )
  const level = [box.top, box.bottom]
    .filter((y) => y > 0 && y < height)
    .flatMap((y) =>
      cutRuns(box.left, box.right, map, (along, off) => isInk(map, along, y + off)).map(([from, to]) =>
        around(from, to, y, y, map),
      ),
    )
  return [...upright, ...level]
}

/**
 * The first and last positions along an edge with ink on both sides. A line along the edge is a cutting line: then only
 * ink that runs through it counts. Cutting lines that meet at the edge's ends do not count.
 */
function cutRuns(
  from: number,
  to: number,
  { dotsPerMm }: InkMap,
  hasInk: (along: number, off: number) => boolean,
): [number, number][] {
  const near = Math.max(1, Math.round(nearMm * dotsPerMm))
  const far = Math.round(throughMm * dotsPerMm)
  const isNear = (along: number, side: (off: number) => number) =>
    Array.from({ length: near }, (_, off) => side(off)).some((off) => hasInk(along, off))
  const places: number[] = []
  for (let along = from + near; along < to - near; along += 1) {
    if (isNear(along, (off) => off) && isNear(along, (off) => -1 - off)) places.push(along)
  }
  const isCuttingLine = places.length > (to - from) * cuttingLineShare
  const cut = isCuttingLine
    ? places.filter((along) =>
        Array.from({ length: 2 * far }, (_, off) => off - far).every((off) => hasInk(along, off)),
      )
    : places
  const first = cut[0]
  const last = cut.at(-1)
  return first === undefined || last === undefined ? [] : [[first, last + 1]]
}

function isInk({ width, height, ink }: InkMap, x: number, y: number): boolean {
  return x >= 0 && x < width && y >= 0 && y < height && ink[y * width + x] === 1
}

function around(left: number, right: number, top: number, bottom: number, map: InkMap): Area {
  const near = Math.max(1, Math.round(nearMm * map.dotsPerMm))
  return toMm(
    {
      left: Math.max(0, left - near),
      top: Math.max(0, top - near),
      right: Math.min(map.width, right + near),
      bottom: Math.min(map.height, bottom + near),
    },
    map.dotsPerMm,
  )
}
