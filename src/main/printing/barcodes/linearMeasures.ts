import type { Symbology } from '../../../shared/labels'
import type { MonoBitmap } from '../raster/rasterizer'
import type { ReadSymbol } from './symbolReader'

/** What the dots of a symbol of bars show, as the mean of its scan lines. */
export interface LinearMeasures {
  /** Share of scan lines with a number of bars and gaps that the symbology can have. */
  edges: number
  /** Of the scan lines that have; undefined when none has. */
  bars?: {
    /** How far the worst edge stays from being read as another code, from 0 to 1. */
    decodability: number
    moduleDots: number
    /** White before and after the bars, in modules, the smaller of both. */
    quietZone: number
    deviationDots: number
  }
}

/** ISO 15416 wants ten lines, evenly over the inner four fifths of the height. */
const scanLines = 10

/**
 * Measures a symbol of bars in the dots along ten scan lines.
 * @returns undefined for a symbol that lies askew: its scan lines cross rows of dots
 */
export function measureLinear(
  dots: MonoBitmap,
  symbol: ReadSymbol,
  quietModules: number,
): LinearMeasures | undefined {
  const lines = Array.from({ length: scanLines }, (_, index) =>
    scan(dots, symbol, 0.1 + (0.8 * (index + 0.5)) / scanLines),
  ).filter((line) => line !== undefined)
  if (lines.length === 0) return undefined
  const measured = lines.flatMap((line) => {
    const bars = measureBars(line.widths, symbol.symbology)
    if (bars === undefined) return []
    const quiet = Math.min(line.before, line.after) / bars.moduleDots
    return [{ ...bars, quietZone: Math.min(quiet, quietModules) }]
  })
  const edges = measured.length / scanLines
  if (measured.length === 0) return { edges }
  const mean = (of: (bars: (typeof measured)[number]) => number) =>
    measured.reduce((sum, bars) => sum + of(bars), 0) / measured.length
  return {
    edges,
    bars: {
      decodability: mean((bars) => bars.decodability),
      moduleDots: mean((bars) => bars.moduleDots),
      quietZone: mean((bars) => bars.quietZone),
      deviationDots: Math.max(...measured.map((bars) => bars.deviationDots)),
    },
  }
}

/** The widths of bars and gaps along a line, beginning and ending with a bar, and the white on both sides; in dots. */
interface ScanLine {
  widths: number[]
  before: number
  after: number
}

/** @param part which line, from 0 at the top of the symbol to 1 at its bottom */
function scan(dots: MonoBitmap, { corners }: ReadSymbol, part: number): ScanLine | undefined {
  const [topLeft, topRight, , bottomLeft] = corners
  const [alongX, alongY] = [topRight.x - topLeft.x, topRight.y - topLeft.y]
  const x = topLeft.x + (bottomLeft.x - topLeft.x) * part
  const y = topLeft.y + (bottomLeft.y - topLeft.y) * part
  const length = Math.max(Math.abs(alongX), Math.abs(alongY))
  if (Math.min(Math.abs(alongX), Math.abs(alongY)) > length * 0.02 || length === 0) return undefined
  const isFlat = Math.abs(alongX) > Math.abs(alongY)
  const step = isFlat ? { x: Math.sign(alongX), y: 0 } : { x: 0, y: Math.sign(alongY) }
  const whole = isFlat ? dots.width : dots.height
  const at = (place: number) => isDark(dots, x + step.x * place, y + step.y * place)
  // How many dots there are on the label before the symbol's first.
  const start = Math.floor(isFlat ? x : y)
  const room = (isFlat ? step.x : step.y) > 0 ? start : whole - 1 - start
  const first = firstBar(at, -room)
  const last = -firstBar((place) => at(length - place), length - (whole - 1 - room))
  const end = Math.round(length + last)
  return {
    widths: readWidths(at, first, end),
    before: lightFrom((step) => at(first - step), first + room),
    after: lightFrom((step) => at(end + step), whole - 1 - room - end),
  }
}

/** Where the bar begins that lies at place 0 or comes next; the reader is a dot or two off at times. */
function firstBar(at: (place: number) => boolean, lowest: number): number {
  let place = 0
  if (at(place)) {
    while (place > lowest && at(place - 1)) place -= 1
    return place
  }
  while (place < 1000 && !at(place)) place += 1
  return place
}

function readWidths(at: (place: number) => boolean, first: number, last: number): number[] {
  const widths: number[] = []
  let from = first
  for (let place = first + 1; place <= last + 1; place += 1) {
    if (place <= last && at(place) === at(from)) continue
    widths.push(place - from)
    from = place
  }
  return widths
}

function lightFrom(at: (step: number) => boolean, max: number): number {
  let light = 0
  while (light < max && !at(light + 1)) light += 1
  return light
}

interface BarMeasures {
  decodability: number
  moduleDots: number
  deviationDots: number
}

function measureBars(widths: readonly number[], symbology: Symbology): BarMeasures | undefined {
  const count = widths.length
  switch (symbology) {
    case 'code-128':
    case 'gs1-128':
      // Characters of three bars and three gaps, and one bar at the end.
      return count >= 19 && (count - 1) % 6 === 0
        ? measureWidths(
            splitIntoGroups(widths.slice(0, -1), 6),
            11,
            total(widths) / (((count - 1) / 6) * 11 + 2),
          )
        : undefined
    case 'ean-upc':
      return measureRetail(widths)
    case 'code-39':
      return (count + 1) % 10 === 0
        ? measureWideAndNarrow(
            splitIntoGroups([...widths, 0], 10).map((each) => [{ widths: each.slice(0, 9), wide: 3 }]),
          )
        : undefined
    case 'itf':
      // Two narrow bars and gaps before, ten for each pair of digits, and a wide bar, a gap and a bar after them.
      return count >= 17 && (count - 7) % 10 === 0
        ? measureWideAndNarrow(splitIntoGroups(widths.slice(4, -3), 10).map(barsAndGaps))
        : undefined
    default:
      return undefined
  }
}

/** EAN-13 and UPC-A, EAN-8, and UPC-E: guards around characters of seven modules in two bars and two gaps. */
function measureRetail(widths: readonly number[]): BarMeasures | undefined {
  const half = { 59: 24, 43: 16 }[widths.length]
  const parts =
    half !== undefined
      ? [...widths.slice(3, 3 + half), ...widths.slice(8 + half, 8 + 2 * half)]
      : widths.length === 33
        ? widths.slice(3, 27)
        : undefined
  if (parts === undefined) return undefined
  const modules = { 59: 95, 43: 67, 33: 51 }[widths.length] ?? 1
  return measureWidths(splitIntoGroups(parts, 4), 7, total(widths) / modules)
}

/**
 * Codes that are read from edge to similar edge, as ISO 15417 and 15420 have it: a decoder rounds these distances to
 * whole modules, so half a module is the most that an edge may be off. Bars that all grow alike cost nothing there; in
 * Code 128 their sum is compared, too.
 */
function measureWidths(
  characters: readonly (readonly number[])[],
  modules: number,
  moduleDots: number,
): BarMeasures {
  const margins = characters.flatMap((widths) => {
    const module = total(widths) / modules
    const edges = widths.slice(0, -2).map((width, index) => {
      const distance = (width + (widths[index + 1] ?? 0)) / module
      return 1 - 2 * Math.abs(distance - Math.round(distance))
    })
    if (modules !== 11) return edges
    const bars = total(widths.filter((_, index) => index % 2 === 0)) / module
    return [...edges, (1.75 - Math.abs(bars - 2 * Math.round(bars / 2))) / 1.75]
  })
  const deviations = characters
    .flat()
    .map((width) => Math.abs(width - Math.max(1, Math.round(width / moduleDots)) * moduleDots))
  return { decodability: minMargin(margins), moduleDots, deviationDots: Math.max(...deviations) }
}

/** Elements that are compared with each other, and how many of them are wide. */
interface WideAndNarrow {
  widths: readonly number[]
  wide: number
}

function barsAndGaps(pair: readonly number[]): WideAndNarrow[] {
  return [0, 1].map((first) => ({ widths: pair.filter((_, index) => index % 2 === first), wide: 2 }))
}

/**
 * Codes of wide and narrow bars: a decoder tells them by a width halfway between both, so half the difference is the
 * most that one may be off.
 */
function measureWideAndNarrow(characters: readonly WideAndNarrow[][]): BarMeasures | undefined {
  const sorted = characters.flat().map(({ widths, wide }) => {
    const order = widths.toSorted((one, other) => one - other)
    return { narrow: order.slice(0, -wide), wide: order.slice(-wide) }
  })
  const narrow = mean(sorted.flatMap((each) => each.narrow))
  const wide = mean(sorted.flatMap((each) => each.wide))
  if (!(wide > narrow)) return undefined
  const half = (wide - narrow) / 2
  const margins = sorted.map((each) => {
    const [widest, smallest] = [Math.max(...each.narrow), Math.min(...each.wide)]
    return Math.min(narrow + half - widest, smallest - narrow - half) / half
  })
  const deviations = sorted.flatMap((each) => [
    ...each.narrow.map((width) => Math.abs(width - narrow)),
    ...each.wide.map((width) => Math.abs(width - wide)),
  ])
  return { decodability: minMargin(margins), moduleDots: narrow, deviationDots: Math.max(...deviations) }
}

function minMargin(margins: readonly number[]): number {
  return Math.max(0, Math.min(1, ...margins))
}

function splitIntoGroups(widths: readonly number[], size: number): number[][] {
  return Array.from({ length: Math.floor(widths.length / size) }, (_, index) =>
    widths.slice(index * size, (index + 1) * size),
  )
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0)
}

function mean(widths: readonly number[]): number {
  return total(widths) / Math.max(1, widths.length)
}

/** Whether a dot is black; outside of the label all is white. */
export function isDark({ width, height, rowBytes, bits }: MonoBitmap, x: number, y: number): boolean {
  const [column, row] = [Math.floor(x), Math.floor(y)]
  if (column < 0 || row < 0 || column >= width || row >= height) return false
  return ((bits[row * rowBytes + (column >> 3)] ?? 0) & (0x80 >> (column & 7))) !== 0
}
