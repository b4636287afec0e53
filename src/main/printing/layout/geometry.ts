import type { BoxMm, Turn } from '../../../shared/labels'

/** PDF lengths are in points. */
export const pointsPerMm = 72 / 25.4

/** The size of a page as it is shown, with the PDF's rotation applied. */
export interface PageSize {
  widthMm: number
  heightMm: number
}

/** More than cut labels and rounding in PDFs deviate, and less than common label sizes differ. */
const toleranceMm = 1

/** Whether a size fits in another one, with a tolerance of 1 mm. */
export function liesWithin(inner: PageSize, outer: PageSize): boolean {
  return inner.widthMm <= outer.widthMm + toleranceMm && inner.heightMm <= outer.heightMm + toleranceMm
}

/** Whether two sizes are equal within 1 mm. */
export function sameSize(one: PageSize, other: PageSize): boolean {
  return (
    Math.abs(one.widthMm - other.widthMm) <= toleranceMm &&
    Math.abs(one.heightMm - other.heightMm) <= toleranceMm
  )
}

/** Formats a size in mm with at most one decimal: `101.6 x 152.4 mm`. */
export function sizeInWords(size: PageSize): string {
  return `${toTenth(size.widthMm)} x ${toTenth(size.heightMm)} mm`
}

/** The size of a drawn page in dots, at least 1 each. */
export function sizeInDots(page: PageSize, perMm: number): { width: number; height: number } {
  const dots = (millimetres: number) => Math.max(1, Math.round(millimetres * perMm))
  return { width: dots(page.widthMm), height: dots(page.heightMm) }
}

/** A size after a rotation in degrees: 90 and 270 swap its sides. */
export function turned(page: PageSize, rotate: number): PageSize {
  return rotate % 180 === 0 ? page : { widthMm: page.heightMm, heightMm: page.widthMm }
}

/** A position or a distance: to the right, and down. */
export interface Point {
  x: number
  y: number
}

/** The cosine and the sine of each clockwise turn. */
const rotations = { 0: [1, 0], 90: [0, 1], 180: [-1, 0], 270: [0, -1] } as const

/** Turns an offset clockwise. */
export function turnedOffset({ x, y }: Point, turn: Turn): Point {
  const [cos, sin] = rotations[turn]
  return { x: cos * x - sin * y, y: sin * x + cos * y }
}

/** Converts an offset on the turned label to the label before the turn. */
export function turnedBack({ x, y }: Point, turn: Turn): Point {
  const [cos, sin] = rotations[turn]
  return { x: cos * x + sin * y, y: cos * y - sin * x }
}

/** The unprintable margins of the stock, in millimetres, in feed orientation. */
export interface Margins {
  left: number
  top: number
  right: number
  bottom: number
}

/** Converts margins of the turned label to the label before the turn. */
export function marginsTurnedBack({ left, top, right, bottom }: Margins, turn: Turn): Margins {
  const clockwise = [left, top, right, bottom]
  const at = (index: number) => clockwise[(index + turn / 90) % 4] ?? 0
  return { left: at(0), top: at(1), right: at(2), bottom: at(3) }
}

/** Rounds to one decimal. */
export function toTenth(millimetres: number): number {
  return Math.round(millimetres * 10) / 10
}

/** A rectangle in pixels. */
export interface Box {
  left: number
  top: number
  /** Exclusive, as `bottom` is. */
  right: number
  bottom: number
}

/** The smallest box around two. */
export function joined(one: Box, other: Box): Box {
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  }
}

/** Groups cells of a grid that touch at a side or a corner into blocks. Cells are numbered row by row. */
export function joinNeighbours(places: Iterable<number>, columns: number): number[][] {
  const left = new Set(places)
  const blocks: number[][] = []
  for (const first of [...left]) {
    if (!left.delete(first)) continue
    const open = [first]
    const block: number[] = []
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      block.push(index)
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

/** Converts a box from pixels to millimetres. */
export function toMm({ left, top, right, bottom }: Box, pixelsPerMm: number): BoxMm {
  return {
    xMm: left / pixelsPerMm,
    yMm: top / pixelsPerMm,
    widthMm: (right - left) / pixelsPerMm,
    heightMm: (bottom - top) / pixelsPerMm,
  }
}

/** The intersection of two boxes; its width or height is 0 when they have nothing in common. */
export function intersection(one: BoxMm, other: BoxMm): BoxMm {
  const xMm = Math.max(one.xMm, other.xMm)
  const yMm = Math.max(one.yMm, other.yMm)
  return {
    xMm,
    yMm,
    widthMm: Math.max(0, Math.min(one.xMm + one.widthMm, other.xMm + other.widthMm) - xMm),
    heightMm: Math.max(0, Math.min(one.yMm + one.heightMm, other.yMm + other.heightMm) - yMm),
  }
}

/** The smallest box around two. */
export function union(one: BoxMm, other: BoxMm): BoxMm {
  const xMm = Math.min(one.xMm, other.xMm)
  const yMm = Math.min(one.yMm, other.yMm)
  return {
    xMm,
    yMm,
    widthMm: Math.max(one.xMm + one.widthMm, other.xMm + other.widthMm) - xMm,
    heightMm: Math.max(one.yMm + one.heightMm, other.yMm + other.heightMm) - yMm,
  }
}
