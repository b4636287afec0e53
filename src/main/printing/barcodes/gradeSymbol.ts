import { type Grade, type SymbolMeasure, type Symbology, worstGrade } from '../../../shared/labels'
import { isDark, type MonoBitmap } from '../layout/labelLayout'
import { getBox, type ReadSymbol } from './symbolReader'

/** The grade of a symbol in the dots, with its measures. */
export interface SymbolGrade {
  grade: Grade
  measures: SymbolMeasure[]
  moduleDots?: number
  deviationDots?: number
}

const letters = ['A', 'B', 'C', 'D'] as const

/** The limits of decodability in ISO 15416, and of unused error correction in ISO 15415. */
const shares = [0.62, 0.5, 0.37, 0.25]
/** In dots: below two, a dot more or less of the print head is half a bar. */
const moduleDotsLimits = [2, 1.75, 1.5, 1]
/** The share of the required quiet zone. */
const quietShares = [1, 0.8, 0.6, 0.4]
/** The share of scan lines with the right number of bars. */
const edgeShares = [1, 0.9, 0.8, 0.7]

/** The required quiet zone on each side, in modules. */
const quietModules: Record<ReadSymbol['symbology'], number> = {
  'code-128': 10,
  'gs1-128': 10,
  itf: 10,
  'code-39': 10,
  'ean-upc': 7,
  qr: 4,
  'data-matrix': 1,
  pdf417: 2,
  aztec: 0,
}

/** Grades a symbol in the dots by those measures of a barcode verifier that need no greys. */
export function gradeSymbol(dots: MonoBitmap, symbol: ReadSymbol): SymbolGrade {
  const reading: SymbolMeasure = { measure: 'reading', value: 1, grade: 'A' }
  const measured = isLinear(symbol.symbology)
    ? measureBarSymbol(dots, symbol)
    : measureSquareSymbol(dots, symbol)
  const measures = [reading, ...measured.measures]
  return { ...measured, measures, grade: worstGrade(measures.map(({ grade }) => grade)) ?? 'F' }
}

/** The grade of a symbol that could not be read from the dots. */
export const unread: SymbolGrade = {
  grade: 'F',
  measures: [{ measure: 'reading', value: 0, grade: 'F' }],
}

function isLinear(symbology: Symbology): boolean {
  return ['code-128', 'gs1-128', 'itf', 'code-39', 'ean-upc'].includes(symbology)
}

type Measured = Omit<SymbolGrade, 'grade'>

/** ISO 15416 requires ten scan lines, evenly over the inner 80 % of the height. */
const scanLines = 10

/**
 * Measures a linear symbol in the dots, as the mean of those scan lines that have a valid number of bars and gaps. A
 * skewed symbol, whose scan lines cross rows of dots, has no measures.
 */
function measureBarSymbol(dots: MonoBitmap, symbol: ReadSymbol): Measured {
  const lines = Array.from({ length: scanLines }, (_, index) =>
    scan(dots, symbol, 0.1 + (0.8 * (index + 0.5)) / scanLines),
  ).filter((line) => line !== undefined)
  if (lines.length === 0) return { measures: [] }
  const wanted = quietModules[symbol.symbology]
  const measured = lines.flatMap((line) => {
    const bars = measureBars(line.widths, symbol.symbology)
    if (bars === undefined) return []
    const quiet = Math.min(line.before, line.after) / bars.moduleDots
    return [{ ...bars, quietZone: Math.min(quiet, wanted) }]
  })
  const edges = measure('edges', measured.length / scanLines, edgeShares)
  if (measured.length === 0) return { measures: [edges] }
  const moduleDots = mean(measured.map((bars) => bars.moduleDots))
  const quietZone = mean(measured.map((bars) => bars.quietZone))
  return {
    measures: [
      edges,
      measure('decodability', mean(measured.map((bars) => bars.decodability)), shares),
      measure('module', moduleDots, moduleDotsLimits),
      gradeQuietZone(quietZone, wanted, moduleDots),
    ],
    moduleDots,
    deviationDots: Math.max(...measured.map((bars) => bars.deviationDots)),
  }
}

function measureSquareSymbol(dots: MonoBitmap, symbol: ReadSymbol): Measured {
  const { unusedCorrection } = symbol
  const correction =
    unusedCorrection === undefined ? [] : [measure('error-correction', unusedCorrection, shares)]
  const moduleDots = measureSquareModule(dots, symbol)
  if (moduleDots === undefined) return { measures: correction }
  const wanted = quietModules[symbol.symbology]
  const quiet =
    wanted === 0
      ? []
      : [
          gradeQuietZone(
            measureQuietAround(dots, symbol, wanted * moduleDots) / moduleDots,
            wanted,
            moduleDots,
          ),
        ]
  return { measures: [...correction, measure('module', moduleDots, moduleDotsLimits), ...quiet], moduleDots }
}

function measure(name: SymbolMeasure['measure'], value: number, limits: readonly number[]): SymbolMeasure {
  const place = limits.findIndex((limit) => value >= limit - 1e-6)
  return { measure: name, value: Math.round(value * 100) / 100, grade: letters[place] ?? 'F' }
}

/** Edges lie on whole dots, so a quiet zone may be one dot smaller. */
function gradeQuietZone(modules: number, wanted: number, moduleDots: number): SymbolMeasure {
  const share = (Math.min(modules, wanted) + 1 / moduleDots) / wanted
  const { grade } = measure('quiet-zone', share, quietShares)
  return { measure: 'quiet-zone', value: Math.round(modules * 10) / 10, grade }
}

function measureSquareModule(dots: MonoBitmap, symbol: ReadSymbol): number | undefined {
  const [topLeft, topRight] = symbol.corners
  const width = Math.hypot(topRight.x - topLeft.x, topRight.y - topLeft.y)
  if (symbol.modules !== undefined) return width / symbol.modules
  if (symbol.symbology !== 'pdf417') return undefined
  // Its first bar has eight modules; a row has 69 of them, and 17 for each of its columns.
  const first = measureFirstBar(dots, symbol)
  if (first === 0) return undefined
  const columns = Math.max(1, Math.round(((width / first) * 8 - 69) / 17))
  return width / (69 + 17 * columns)
}

/** The width of the first bar in the middle of a symbol, in dots. */
function measureFirstBar(dots: MonoBitmap, { corners }: ReadSymbol): number {
  const [topLeft, topRight, , bottomLeft] = corners
  const length = Math.hypot(topRight.x - topLeft.x, topRight.y - topLeft.y)
  const [stepX, stepY] = [(topRight.x - topLeft.x) / length, (topRight.y - topLeft.y) / length]
  const [x, y] = [(topLeft.x + bottomLeft.x) / 2, (topLeft.y + bottomLeft.y) / 2]
  let width = 0
  for (
    let step = 0;
    step < length && (width === 0 || isDark(dots, x + step * stepX, y + step * stepY));
    step += 1
  ) {
    if (isDark(dots, x + step * stepX, y + step * stepY)) width += 1
  }
  return width
}

/** The white dots around a symbol's box; dots past the edge of the label do not count. */
function measureQuietAround(dots: MonoBitmap, symbol: ReadSymbol, wanted: number): number {
  const { left, top, right, bottom } = getBox(symbol)
  // The reader's position may be one dot off.
  for (let ring = 1; ring <= Math.ceil(wanted); ring += 1) {
    const [x0, y0, x1, y1] = [left - ring - 1, top - ring - 1, right + ring, bottom + ring]
    if (x0 < 0 || y0 < 0 || x1 >= dots.width || y1 >= dots.height) return ring
    for (let x = x0; x <= x1; x += 1) if (isDark(dots, x, y0) || isDark(dots, x, y1)) return ring
    for (let y = y0; y <= y1; y += 1) if (isDark(dots, x0, y) || isDark(dots, x1, y)) return ring
  }
  return wanted
}

/** The widths of bars and gaps along a line, from the first to the last bar, and the white on both sides; in dots. */
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
  // The dots of the label before the symbol's first one.
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

/** The start of the bar at position 0 or the next one; the reader's position may be one or two dots off. */
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
  /** The margin of the worst edge before it reads as another code, from 0 to 1. */
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
 * Codes that are decoded from edge to similar edge (ISO 15417, 15420): a decoder rounds these distances to whole
 * modules, so that an edge may be off by up to half a module. Uniform bar growth has no effect, except on the sum of
 * bars in Code 128.
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

/** Elements that are compared with each other, and the number of wide ones. */
interface WideAndNarrow {
  widths: readonly number[]
  wide: number
}

function barsAndGaps(pair: readonly number[]): WideAndNarrow[] {
  return [0, 1].map((first) => ({ widths: pair.filter((_, index) => index % 2 === first), wide: 2 }))
}

/**
 * Codes of wide and narrow elements: a decoder compares with a width halfway between both, so that an element may be
 * off by up to half the difference.
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
