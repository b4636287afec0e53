import type { BoxMm, Turn } from '../../../shared/labels'
import type { Dpi } from '../../../shared/printing'

/** PDF counts in these. */
export const pointsPerMm = 72 / 25.4

// Most heads have a whole number of dots in a millimetre and are sold under the nearest dots per inch.
const dotsPerMm: Record<Dpi, number> = {
  ...{ 152: 6, 203: 8, 300: 300 / 25.4, 305: 12, 406: 16, 600: 600 / 25.4, 609: 24 },
}

/** The dots of a printer's label in a millimetre. */
export function toDotsPerMm(dpi: Dpi): number {
  return dotsPerMm[dpi]
}

/** The size of a page in millimetres, as it is shown: turned, when the PDF says so. */
export interface PageSize {
  widthMm: number
  heightMm: number
}

/** Cutting of labels and rounding in PDFs stay below this; the next common label size is further away. */
const toleranceMm = 1

/** Whether a size lies within another one, give or take 1 mm. */
export function liesWithin(inner: PageSize, outer: PageSize): boolean {
  return inner.widthMm <= outer.widthMm + toleranceMm && inner.heightMm <= outer.heightMm + toleranceMm
}

/** Whether two sizes are the same label for a printer: within 1 mm on each side. */
export function sameSize(one: PageSize, other: PageSize): boolean {
  return (
    Math.abs(one.widthMm - other.widthMm) <= toleranceMm &&
    Math.abs(one.heightMm - other.heightMm) <= toleranceMm
  )
}

/** A size in words, in millimetres with at most one decimal: `101.6 x 152.4 mm`. */
export function sizeInWords(size: PageSize): string {
  return `${toTenth(size.widthMm)} x ${toTenth(size.heightMm)} mm`
}

/** The sides of a page that is drawn, in dots. */
export function sizeInDots(page: PageSize, perMm: number): { width: number; height: number } {
  const dots = (millimetres: number) => Math.max(1, Math.round(millimetres * perMm))
  return { width: dots(page.widthMm), height: dots(page.heightMm) }
}

/** A size after a turn: its sides change places at 90 and 270 degrees. */
export function turned(page: PageSize, rotate: number): PageSize {
  return rotate % 180 === 0 ? page : { widthMm: page.heightMm, heightMm: page.widthMm }
}

/** A shift on the turned label, seen on the label before its turn. */
export function turnedBack({ x, y }: { x: number; y: number }, turn: Turn): { x: number; y: number } {
  switch (turn) {
    case 0:
      return { x, y }
    case 90:
      return { x: y, y: -x }
    case 180:
      return { x: -x, y: -y }
    case 270:
      return { x: -y, y: x }
  }
}

/** The edges of a sheet that a printer can't print on, in millimetres, as the sheet lies. */
export interface Margins {
  left: number
  top: number
  right: number
  bottom: number
}

/** Margins of the turned label, seen on the label before its turn. */
export function marginsTurnedBack({ left, top, right, bottom }: Margins, turn: Turn): Margins {
  switch (turn) {
    case 0:
      return { left, top, right, bottom }
    case 90:
      return { left: top, top: right, right: bottom, bottom: left }
    case 180:
      return { left: right, top: bottom, right: left, bottom: top }
    case 270:
      return { left: bottom, top: left, right: top, bottom: right }
  }
}

/** Millimetres with one decimal. */
export function toTenth(millimetres: number): number {
  return Math.round(millimetres * 10) / 10
}

/** A rectangle in pixels. */
export interface Box {
  left: number
  top: number
  /** The first pixels beyond it. */
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

/** Places of a grid that are beside each other or meet at a corner, as blocks; they are numbered row by row. */
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

/** A box of pixels in millimetres. */
export function toMm({ left, top, right, bottom }: Box, pixelsPerMm: number): BoxMm {
  return {
    xMm: left / pixelsPerMm,
    yMm: top / pixelsPerMm,
    widthMm: (right - left) / pixelsPerMm,
    heightMm: (bottom - top) / pixelsPerMm,
  }
}

/** What two boxes have in common; without width or height where that is nothing. */
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
