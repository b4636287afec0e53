import { type Grade, type SymbolMeasure, type Symbology, worstGrade } from '../../../shared/labels'
import type { MonoBitmap } from '../raster/rasterizer'
import { isDark, measureLinear } from './linearMeasures'
import { getBox, type ReadSymbol } from './symbolReader'

/** What the dots make of a symbol. */
export interface SymbolGrade {
  grade: Grade
  measures: SymbolMeasure[]
  moduleDots?: number
  deviationDots?: number
}

const letters = ['A', 'B', 'C', 'D'] as const

/** ISO 15416's limits of decodability, which ISO 15415 uses for unused error correction, too. */
const shares = [0.62, 0.5, 0.37, 0.25]
/** In dots: below two, a dot more or less of the print head is half a bar. */
const moduleDotsLimits = [2, 1.75, 1.5, 1]
/** Of the quiet zone that the symbology asks for. */
const quietShares = [1, 0.8, 0.6, 0.4]
/** Share of scan lines that show the right number of bars. */
const edgeShares = [1, 0.9, 0.8, 0.7]

/** What the symbologies ask for on each side, in modules. */
const quietModules: Record<Symbology, number> = {
  'code-128': 10,
  'gs1-128': 10,
  itf: 10,
  'code-39': 10,
  'ean-upc': 7,
  qr: 4,
  'data-matrix': 1,
  pdf417: 2,
  aztec: 0,
  maxicode: 1,
}

/** Grades a symbol as it was read from the dots: what a verifier measures, as far as a picture without greys has it. */
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

function measureBarSymbol(dots: MonoBitmap, symbol: ReadSymbol): Measured {
  const wanted = quietModules[symbol.symbology]
  const found = measureLinear(dots, symbol, wanted)
  if (found === undefined) return { measures: [] }
  const edges = measure('edges', found.edges, edgeShares)
  if (found.bars === undefined) return { measures: [edges] }
  const { decodability, moduleDots, quietZone, deviationDots } = found.bars
  return {
    measures: [
      edges,
      measure('decodability', decodability, shares),
      measure('module', moduleDots, moduleDotsLimits),
      gradeQuietZone(quietZone, wanted, moduleDots),
    ],
    moduleDots,
    deviationDots,
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

/** Edges fall on whole dots, so one dot less is none less. */
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

/** Width of the first bar in the middle of a symbol, in dots. */
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

/** How many dots around a symbol's box are white; what lies past the edge of the label is not counted. */
function measureQuietAround(dots: MonoBitmap, symbol: ReadSymbol, wanted: number): number {
  const { left, top, right, bottom } = getBox(symbol)
  // The reader is a dot off at times.
  for (let ring = 1; ring <= Math.ceil(wanted); ring += 1) {
    const [x0, y0, x1, y1] = [left - ring - 1, top - ring - 1, right + ring, bottom + ring]
    if (x0 < 0 || y0 < 0 || x1 >= dots.width || y1 >= dots.height) return ring
    for (let x = x0; x <= x1; x += 1) if (isDark(dots, x, y0) || isDark(dots, x, y1)) return ring
    for (let y = y0; y <= y1; y += 1) if (isDark(dots, x0, y) || isDark(dots, x1, y)) return ring
  }
  return wanted
}
