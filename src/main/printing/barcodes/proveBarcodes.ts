import { type Area, type GradedSymbol, type LabelFinding, symbologyNames } from '../../../shared/labels'
import { ok, type Result } from '../../../shared/result'
import { type Box, type PageSize, type Point, turnedOffset } from '../layout/geometry'
import {
  type GreyPage,
  isDark,
  type MonoBitmap,
  type Placement,
  planPlacements,
  type RasterLayout,
  toGrey,
} from '../layout/labelLayout'
import type { OpenPdf, Pdfium } from '../raster/pdfium'
import { gradeSymbol, unread } from './gradeSymbol'
import { getBox, getMiddle, type ReadSymbol, type ReadSymbols } from './symbolReader'

/** The narrowest bars that carriers use, 0.17 mm, are two to three pixels wide. */
const pagePixelsPerMm = 16
/** For print heads with more than 16 dots per mm, which print finer bars. */
const finePagePixelsPerMm = 24
/** An A4 page at 16 pixels per mm has 16 million. */
const maxPagePixels = 20_000_000
/** A symbol that a placement cuts extends past its area by less than this; the whole symbol is read from the page. */
const marginMm = 80
/** The tolerance for a symbol's position, in addition to a share of its size. */
const toleranceMm = 2
const maxSymbols = 100
const maxText = 200

export interface DrawnLabel {
  pdf: Uint8Array
  layout: RasterLayout
  /** The dots that go to the printer, by placement; undefined for one that is not printed. */
  bitmaps: readonly (MonoBitmap | undefined)[]
}

/** The grade of each symbol, and a finding for each that is lost or reads differently in the dots. */
export interface BarcodeComparison {
  symbols: GradedSymbol[]
  findings: LabelFinding[]
}

/**
 * Compares the barcodes of a label's pages, drawn finer than any printer, with those of the dots that go to the
 * printer. Only what is read on the page counts as a barcode, so that logos and ornaments cause no findings.
 */
export async function proveBarcodes(
  { pdfium, read }: { pdfium: Pdfium; read: ReadSymbols },
  { pdf, layout, bitmaps }: DrawnLabel,
): Promise<Result<BarcodeComparison>> {
  const planned = await pdfium.read(pdf, (open) => planOn(open, layout.placements))
  if (!planned.ok) return planned
  const { sizes, placements } = planned.value
  const labels: (ReadLabel | undefined)[] = []
  for (const dots of bitmaps) {
    labels.push(dots && { dots, symbols: await read(toGrey(dots), 'dots') })
  }
  const comparison: BarcodeComparison = { symbols: [], findings: [] }
  for (const number of new Set(placements.map(({ page }) => page))) {
    const size = sizes[number]
    if (size === undefined) continue
    const areas = placements.filter((each) => each.page === number).map(({ area }) => area)
    const page = await readPage({ pdfium, read }, { pdf, number, size, areas, dotsPerMm: layout.dotsPerMm })
    if (!page.ok) return page
    for (const [index, placement] of placements.entries()) {
      if (placement.page !== number) continue
      for (const symbol of page.value.symbols) {
        if (!isInside(toMm(getMiddle(symbol), page.value), placement.area)) continue
        if (comparison.symbols.length >= maxSymbols) return ok(comparison)
        const where = toDots(page.value, placement, layout)
        addTo(
          comparison,
          symbol,
          page.value,
          await findInDots(symbol, where, labels[index], layout, read),
          layout,
        )
      }
    }
    for (const symbol of page.value.symbols) {
      if (comparison.symbols.length >= maxSymbols) return ok(comparison)
      if (isMostlyCutOff(symbol, page.value, areas)) {
        addTo(comparison, symbol, page.value, { kind: 'lost' }, layout)
      }
    }
  }
  return ok(comparison)
}

function planOn(
  pdf: OpenPdf,
  wanted: RasterLayout['placements'],
): Result<{ sizes: PageSize[]; placements: readonly Placement[] }> {
  const sizes = pdf.measure()
  if (!sizes.ok) return sizes
  const placements = 'printer' in wanted ? planPlacements({ ...wanted, pages: sizes.value }) : ok(wanted)
  return placements.ok ? ok({ sizes: sizes.value, placements: placements.value }) : placements
}

interface ReadLabel {
  dots: MonoBitmap
  symbols: ReadSymbol[]
}

/** The symbols of a page, in pixels of the whole page. */
interface ReadPage {
  number: number
  pixelsPerMm: number
  size: PageSize
  symbols: ReadSymbol[]
}

interface PageInput {
  pdf: Uint8Array
  number: number
  size: PageSize
  /** The parts that are printed. */
  areas: readonly Area[]
  dotsPerMm: number
}

async function readPage(
  { pdfium, read }: { pdfium: Pdfium; read: ReadSymbols },
  { pdf, number, size, areas, dotsPerMm }: PageInput,
): Promise<Result<ReadPage>> {
  const wanted = dotsPerMm > pagePixelsPerMm ? finePagePixelsPerMm : pagePixelsPerMm
  const pixelsPerMm = Math.min(wanted, Math.sqrt(maxPagePixels / (size.widthMm * size.heightMm)))
  const box = toBoxAround(areas, pixelsPerMm)
  const drawn = await pdfium.read(pdf, (open) =>
    open.draw([{ page: number, dotsPerMm: pixelsPerMm }], (page) => cut(page, box)),
  )
  if (!drawn.ok) return drawn
  const symbols: ReadSymbol[] = []
  for (const { picture, left, top } of drawn.value) {
    symbols.push(...(await read(picture, 'page')).map((symbol) => shifted(symbol, left, top)))
  }
  return ok({ number, pixelsPerMm, size, symbols })
}

function toBoxAround(areas: readonly Area[], pixelsPerMm: number): Box {
  const pixels = (millimetres: number) => Math.round(millimetres * pixelsPerMm)
  return {
    left: pixels(Math.min(...areas.map(({ xMm }) => xMm)) - marginMm),
    top: pixels(Math.min(...areas.map(({ yMm }) => yMm)) - marginMm),
    right: pixels(Math.max(...areas.map(({ xMm, widthMm }) => xMm + widthMm)) + marginMm),
    bottom: pixels(Math.max(...areas.map(({ yMm, heightMm }) => yMm + heightMm)) + marginMm),
  }
}

function cut(page: GreyPage, box: Box): { picture: GreyPage; left: number; top: number } {
  const [left, top] = [Math.max(0, box.left), Math.max(0, box.top)]
  const width = Math.min(page.width, box.right) - left
  const height = Math.min(page.height, box.bottom) - top
  const pixels = new Uint8Array(width * height)
  for (let y = 0; y < height; y += 1) {
    const start = (top + y) * page.width + left
    pixels.set(page.pixels.subarray(start, start + width), y * width)
  }
  return { picture: { width, height, pixels }, left, top }
}

function shifted(symbol: ReadSymbol, left: number, top: number, scale = 1): ReadSymbol {
  const [a, b, c, d] = symbol.corners
  const move = ({ x, y }: Point): Point => ({ x: x / scale + left, y: y / scale + top })
  return { ...symbol, corners: [move(a), move(b), move(c), move(d)] }
}

function toMm({ x, y }: Point, { pixelsPerMm }: ReadPage): Point {
  return { x: x / pixelsPerMm, y: y / pixelsPerMm }
}

function isInside({ x, y }: Point, area: Area): boolean {
  return x >= area.xMm && x <= area.xMm + area.widthMm && y >= area.yMm && y <= area.yMm + area.heightMm
}

/** Whether less than half of a symbol is printed, but more than an edge that nobody takes for a barcode. */
function isMostlyCutOff(symbol: ReadSymbol, page: ReadPage, areas: readonly Area[]): boolean {
  const middle = toMm(getMiddle(symbol), page)
  if (areas.some((area) => isInside(middle, area))) return false
  const box = getBox(symbol)
  const [start, end] = [toMm({ x: box.left, y: box.top }, page), toMm({ x: box.right, y: box.bottom }, page)]
  return areas.some((area) => {
    const wide = Math.min(end.x, area.xMm + area.widthMm) - Math.max(start.x, area.xMm)
    const high = Math.min(end.y, area.yMm + area.heightMm) - Math.max(start.y, area.yMm)
    return wide > toleranceMm && high > toleranceMm
  })
}

/** Converts a pixel of the page to a dot of the label, as `placeOnLabel` does. */
function toDots(page: ReadPage, placement: Placement, layout: RasterLayout): (pixel: Point) => Point {
  const { area, turn, scale } = placement
  const perMm = layout.dotsPerMm * scale
  const [left, top] = [Math.max(0, area.xMm), Math.max(0, area.yMm)]
  const width = Math.min(area.widthMm, page.size.widthMm - left) * perMm
  const height = Math.min(area.heightMm, page.size.heightMm - top) * perMm
  const farCorner = turnedOffset({ x: width, y: height }, turn)
  const startX = (layout.widthDots - Math.abs(farCorner.x)) / 2 + layout.offsetDots.x
  const spareY = layout.isContinuous === true ? 0 : layout.heightDots - Math.abs(farCorner.y)
  const startY = spareY / 2 + layout.offsetDots.y
  return (pixel) => {
    const { x, y } = toMm(pixel, page)
    const placed = turnedOffset({ x: (x - left) * perMm, y: (y - top) * perMm }, turn)
    return {
      x: placed.x + Math.max(0, -farCorner.x) + startX,
      y: placed.y + Math.max(0, -farCorner.y) + startY,
    }
  }
}

type Found = { kind: 'same' | 'differs'; dots: MonoBitmap; symbol: ReadSymbol } | { kind: 'lost' }

async function findInDots(
  wanted: ReadSymbol,
  where: (pixel: Point) => Point,
  label: ReadLabel | undefined,
  layout: RasterLayout,
  read: ReadSymbols,
): Promise<Found> {
  if (label === undefined) return { kind: 'lost' }
  const { dots } = label
  const [a, b, c, d] = wanted.corners
  const expected: Pick<ReadSymbol, 'corners'> = { corners: [where(a), where(b), where(c), where(d)] }
  const find = (symbols: readonly ReadSymbol[]): Found | undefined => {
    const near = symbols.filter(
      (each) => each.symbology === wanted.symbology && isNear(each, expected, layout.dotsPerMm),
    )
    const same = near.find(({ text }) => text === wanted.text)
    const other = near[0]
    if (same !== undefined) return { kind: 'same', dots, symbol: same }
    return other === undefined ? undefined : { kind: 'differs', dots, symbol: other }
  }
  const seen = find(label.symbols)
  if (seen !== undefined) return seen
  // Like a scanner, the second attempt reads the symbol's surroundings only, and enlarged.
  for (const scale of [1, 2, 3]) {
    const closer = enlarge(dots, getBox(expected), layout.dotsPerMm, scale)
    if (closer === undefined) continue
    const symbols = await read(closer.picture, scale === 3 ? 'page' : 'dots')
    const found = find(symbols.map((each) => shifted(each, closer.left, closer.top, scale)))
    if (found !== undefined) return found
  }
  return { kind: 'lost' }
}

function isNear(
  one: Pick<ReadSymbol, 'corners'>,
  other: Pick<ReadSymbol, 'corners'>,
  dotsPerMm: number,
): boolean {
  const [first, second] = [getMiddle(one), getMiddle(other)]
  const { left, top, right, bottom } = getBox(other)
  return (
    Math.abs(first.x - second.x) <= toleranceMm * dotsPerMm + (right - left) * 0.3 &&
    Math.abs(first.y - second.y) <= toleranceMm * dotsPerMm + (bottom - top) * 0.3
  )
}

/** Enlarges a part of a label; undefined when it lies outside the label. */
function enlarge(
  dots: MonoBitmap,
  box: Box,
  dotsPerMm: number,
  scale: number,
): { picture: GreyPage; left: number; top: number } | undefined {
  const margin = Math.round(5 * dotsPerMm)
  const left = Math.max(0, Math.floor(box.left) - margin)
  const top = Math.max(0, Math.floor(box.top) - margin)
  const width = (Math.min(dots.width, Math.ceil(box.right) + margin) - left) * scale
  const height = (Math.min(dots.height, Math.ceil(box.bottom) + margin) - top) * scale
  if (width <= 0 || height <= 0) return undefined
  const pixels = new Uint8Array(width * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      pixels[y * width + x] = isDark(dots, left + x / scale, top + y / scale) ? 0 : 255
    }
  }
  return { picture: { width, height, pixels }, left, top }
}

function addTo(
  comparison: BarcodeComparison,
  wanted: ReadSymbol,
  page: ReadPage,
  found: Found,
  layout: RasterLayout,
): void {
  const text = wanted.text.slice(0, maxText)
  const about = { symbology: wanted.symbology, text, page: page.number + 1 }
  const { moduleDots, ...graded } = found.kind === 'same' ? gradeSymbol(found.dots, found.symbol) : unread
  comparison.symbols.push({
    ...about,
    ...graded,
    ...(moduleDots !== undefined && { moduleMm: moduleDots / layout.dotsPerMm }),
  })
  if (found.kind === 'same') return
  const { left, top, right, bottom } = getBox(wanted)
  const mm = (pixels: number) => Math.round((pixels / page.pixelsPerMm) * 10) / 10
  comparison.findings.push({
    kind: found.kind === 'lost' ? 'barcode-lost' : 'barcode-differs',
    page: page.number + 1,
    areas: [{ xMm: mm(left), yMm: mm(top), widthMm: mm(right - left), heightMm: mm(bottom - top) }],
    name: symbologyNames[wanted.symbology],
    text,
  })
}
