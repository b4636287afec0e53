import { appError } from '../../../shared/errors'
import { type LabelFinding, maxFindingAreas } from '../../../shared/labels'
import type { PageRange } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import type { WorkerFunctions } from '../../lib/workerPool'
import { type PageSize, pointsPerMm, sameSize, turnedOffset } from '../layout/geometry'
import {
  type GreyPage,
  isDark,
  type MonoBitmap,
  maxDotsOfJob,
  maxPagesOfJob,
  noSuchPages,
  type Placement,
  planPlacements,
  type RasterLayout,
  type StockLayout,
  tooLong,
  toRasterLayout,
  type ZplLayout,
} from '../layout/labelLayout'
import { coversPage, findStrayInk, getPrintedParts } from '../layout/strayInk'
import { findBlank, isInked, placeOnLabel, toCut, trimLabel } from './bitmap'
import { encodeLabel } from './labelLanguages'
import { findLightInk } from './lightInk'
import type { MissingText } from './pageObjects'
import { maxPixelsOfPage, type OpenPdf, type Pdfium, type PlacedPage, unreadable } from './pdfium'
import type { RasterCalls } from './rasterizer'
import { toSinglePages, writeSheetPdf } from './sheetPdf'

/** The functions behind a `Rasterizer`. They run in any thread. */
export function createRasterFunctions(pdfium: Pdfium): WorkerFunctions<RasterCalls, 'placed'> {
  return {
    measure: ({ pdf }) => pdfium.read(pdf, (open) => open.measure()),
    renderGrey: ({ pdf, dotsPerMm, page }) => pdfium.read(pdf, (open) => drawWhole(open, dotsPerMm, page)),
    renderMono: ({ pdf, layout }) =>
      pdfium.read(pdf, (open) => drawLabels(open, layout, { use: (bitmap) => bitmap })),
    renderZpl: ({ pdf, layout }, emit) => renderZpl(pdfium, pdf, layout, () => emit('placed')),
    layOnStock: ({ pdf, layout }) => layOnStock(pdfium, pdf, layout),
    takePages: ({ pdf, range }) => pdfium.read(pdf, (open) => takePages(open, range)),
  }
}

function drawWhole(pdf: OpenPdf, dotsPerMm: number, page: number | undefined): Result<GreyPage[]> {
  const count = Math.min(pdf.pages, maxPagesOfJob)
  const numbers = page === undefined ? Array.from({ length: count }, (_, number) => number) : [page]
  return pdf.draw(
    numbers.map((number) => ({ page: number, dotsPerMm })),
    (drawn) => ({ ...drawn, pixels: new Uint8Array(drawn.pixels) }),
  )
}

/** A PDF with damaged cross-references or without an end mark is rewritten, since some programs refuse it. */
function takePages(pdf: OpenPdf, range: PageRange | undefined): RasterCalls['takePages']['output'] {
  const sizes = pdf.measure()
  if (!sizes.ok) return sizes
  if (range === undefined && pdf.isWhole) return ok({})
  const first = Math.max(0, (range?.from ?? 1) - 1)
  const last = Math.min(pdf.pages, range?.to ?? pdf.pages) - 1
  if (first > last) return err(noSuchPages(pdf.pages))
  const bytes = pdf.writeSome({ first, last })
  return bytes.ok ? ok({ bytes: bytes.value }) : bytes
}

/** The maximum size of a job that contains the copies of several labels; it is kept in memory. */
const maxCopiedBytes = 256 * 1024 * 1024

function renderZpl(
  pdfium: Pdfium,
  pdf: Uint8Array,
  layout: ZplLayout,
  onPlaced: () => void,
): RasterCalls['renderZpl']['output'] {
  const findings: LabelFinding[] = []
  const placements: Placement[] = []
  // Printers can repeat one label, but not a sequence.
  const isRepeated = () => placements.length > 1 && layout.collate !== false
  const labels = pdfium.read(pdf, (open) =>
    drawLabels(open, layout, {
      onPlaced(placed) {
        placements.push(...placed)
        onPlaced()
      },
      onFindings: (found) => void findings.push(...found),
      use(bitmap) {
        const copies = isRepeated() ? 1 : layout.copies
        return { bitmap, bytes: encodeLabel(bitmap, { ...layout, copies }) }
      },
    }),
  )
  if (!labels.ok) return labels
  const once = Buffer.concat(labels.value.flatMap((label) => label?.bytes ?? []))
  const times = isRepeated() ? layout.copies : 1
  const share = maxCopiedBytes / (once.length * times)
  if (share < 1) {
    const pages = new Set(placements.map(({ page }) => page)).size
    return err(
      pages === 1
        ? appError('label-unreadable', { case: 'copies', copies: String(times) })
        : tooLong(pages, pages * share),
    )
  }
  const zpl = new Uint8Array(Buffer.concat(Array.from({ length: times }, () => once)))
  return ok({ zpl, findings, placements, bitmaps: labels.value.map((label) => label?.bitmap) })
}

function toFontFindings(missing: readonly MissingText[], page: number): LabelFinding[] {
  return missing.map(({ font, text, areas }) => ({
    ...{ kind: 'font-missing', page: page + 1, name: font, areas },
    ...(text !== '' && { text }),
  }))
}

/** @param pageDotsPerMm the resolution of the drawn page */
function findCutInk(
  page: GreyPage,
  { page: number, placements }: Group,
  layout: RasterLayout,
  pageDotsPerMm: number,
): LabelFinding[] {
  const leftOut = placements[0]?.leftOut ?? []
  const areas = findStrayInk(page, pageDotsPerMm, getPrintedParts(placements, layout), leftOut)
  return areas.length === 0 ? [] : [{ kind: 'ink-cut', page: number + 1, areas }]
}

/**
 * Draws each page once for all consecutive labels on it.
 * @returns what `use` made of each placement; undefined for one that is left out
 */
function drawLabels<T>(
  pdf: OpenPdf,
  layout: RasterLayout,
  {
    onPlaced,
    onFindings,
    use,
  }: {
    onPlaced?(placements: readonly Placement[]): void
    onFindings?(findings: LabelFinding[]): void
    use(bitmap: MonoBitmap): T
  },
): Result<(T | undefined)[]> {
  const placements = placementsOn(pdf, layout)
  if (!placements.ok) return placements
  onPlaced?.(placements.value)
  const groups = neighbours(placements.value)
  const wanted = groups.map(({ page, scale }) => ({ page, dotsPerMm: layout.dotsPerMm * scale }))
  let hasInk = false
  let hasLightInk = false
  const labels = pdf.draw(wanted, (page, index, missing) => {
    const group = groups[index]
    if (group === undefined) return []
    const { labels: drawn, left } = labelsOn(page, group, layout)
    hasInk ||= left.length < group.placements.length
    const blank = onFindings === undefined ? [] : findBlank(page, left, layout)
    hasLightInk ||= blank.length > 0
    onFindings?.([
      ...blank,
      ...findLost(page, group, left, layout),
      ...findCutInk(page, group, layout, layout.dotsPerMm * group.scale),
      ...toFontFindings(missing, group.page),
    ])
    return drawn.map((bitmap) => bitmap && use(bitmap))
  })
  if (!labels.ok) return labels
  // Ink that is too light to print is a finding. Callers without findings, and blank pages, get an error instead of a
  // white label.
  return hasInk || hasLightInk || wanted.length === 0
    ? ok(labels.value.flat())
    : unreadable('it would come out blank')
}

/** Finds light ink beside black ink, which the threshold would drop unnoticed. */
function findLost(
  page: GreyPage,
  { page: number, scale, placements }: Group,
  blank: readonly Placement[],
  { dotsPerMm, greys }: RasterLayout,
): LabelFinding[] {
  if (greys === 'dither') return []
  const areas = placements
    .filter((placement) => !blank.includes(placement))
    .flatMap((placement) => findLightInk(page, toCut(page, placement, dotsPerMm * scale), dotsPerMm * scale))
  if (areas.length === 0) return []
  return [{ kind: 'page-blank', page: number + 1, areas: areas.slice(0, maxFindingAreas) }]
}

function placementsOn(
  pdf: OpenPdf,
  { placements: wanted, dotsPerMm }: RasterLayout,
): Result<readonly Placement[]> {
  if (!('printer' in wanted)) return ok(wanted)
  const pages = pdf.measure()
  return pages.ok ? planPlacements({ ...wanted, pages: pages.value, dotsPerMm }) : pages
}

interface Group {
  page: number
  scale: number
  placements: Placement[]
}

function neighbours(placements: readonly Placement[]): Group[] {
  const groups: Group[] = []
  for (const placement of placements) {
    const last = groups.at(-1)
    if (last?.page === placement.page && last.scale === placement.scale) last.placements.push(placement)
    else groups.push({ page: placement.page, scale: placement.scale, placements: [placement] })
  }
  return groups
}

/**
 * A sheet for several labels is often not full: placements without a black dot are left out, unless all are empty.
 * @returns the labels by placement, and the placements without a black dot
 */
function labelsOn(
  page: GreyPage,
  { placements }: Group,
  layout: RasterLayout,
): { labels: (MonoBitmap | undefined)[]; left: Placement[] } {
  const placed = placements.map((placement) => ({
    placement,
    label: trimLabel(placeOnLabel(page, placement, layout), layout),
  }))
  const left = placed.filter(({ label }) => !isInked(label)).map(({ placement }) => placement)
  const labels = placed.map(({ placement, label }) =>
    left.length < placed.length && left.includes(placement) ? undefined : label,
  )
  return { labels, left }
}

/** A rewritten PDF is compared with the original label at 203 dpi. */
const comparedDotsPerMm = 8
/** Pixels from this value on are paper; printers that print greys show darker ones. */
const paper = 200
/** The tolerance for edges, because positions are rounded to dots. */
const toleranceDots = 2
/** Enough to see where ink is. */
const coarseDotsPerMm = 4
/** A4 at 600 dpi has 35 million dots. */
const pictureDotsPerMm = 600 / 25.4
/** Labels are still read at 203 dpi. */
const coarsePictureDotsPerMm = 8
/** Every pixel but white counts as ink. */
const anyInk = 255

/**
 * Writes a PDF with one page of the stock's size for each placement. Print options differ between systems; a PDF gives
 * the same label on all of them. The written PDF is drawn and compared with the original label; if it shows anything
 * else, such as hidden layers, a PDF of the original label's dots replaces it.
 * @returns no bytes when the PDF needs no change: nothing is turned or shifted, and other programs read it the same way
 */
async function layOnStock(
  pdfium: Pdfium,
  pdf: Uint8Array,
  layout: StockLayout,
): Promise<RasterCalls['layOnStock']['output']> {
  const rewritten = pdfium.read(pdf, (open): Result<Rewritten> => {
    const { placements: wanted, marginsMm } = layout
    const plan = planLabels(open, {
      ...toRasterLayout(layout, coarseDotsPerMm),
      marginsMm,
      placements: wanted,
    })
    if (!plan.ok) return plan
    const copied = withCopies(plan.value.placements, layout)
    if (needsNoChange(open, { ...plan.value, placements: copied.placements }, layout)) {
      return isBlank(open, plan.value, layout) ? comesOutBlank : ok({ plan: plan.value })
    }
    const { placements } = plan.value
    const expected = drawPlaced(open, placements, layout, { dotsPerMm: comparedDotsPerMm, paper })
    if (!expected.ok) return expected
    if (!expected.value.some(isInked) && isBlank(open, plan.value, layout)) return comesOutBlank
    const drawn = { plan: plan.value, expected: expected.value }
    if (plan.value.hasOwnLetters) return ok(drawn)
    const written = open.writePlaced(placedPages({ ...plan.value, placements: copied.placements }, layout))
    return ok({ ...drawn, ...(written.ok && { written: written.value }) })
  })
  if (!rewritten.ok) return rewritten
  const { plan, expected, written } = rewritten.value
  const { findings, placements } = plan
  const copied = withCopies(placements, layout)
  const laid = { findings, copies: copied.copies }
  if (expected === undefined) return ok(laid)
  // The position of the first copy of each label.
  const places = placements.map((placement) => copied.placements.indexOf(placement))
  if (written !== undefined && showsLabels(pdfium, written, { expected, places }, layout)) {
    return ok({ ...laid, bytes: written })
  }
  // Writing changes the open PDF, so it is opened again for drawing.
  const dots = pdfium.read(pdf, (open) =>
    drawPlaced(open, placements, layout, { dotsPerMm: getPictureDotsPerMm(plan) }),
  )
  if (!dots.ok) return dots
  const labels = copied.placements.flatMap((placement) => dots.value[placements.indexOf(placement)] ?? [])
  return ok({ ...laid, bytes: await writeSheetPdf(labels, toSinglePages(layout.stock)) })
}

/** A PDF's pages, the planned labels, and what they lose. */
interface CheckedPlan {
  pages: PageSize[]
  placements: readonly Placement[]
  findings: LabelFinding[]
  /** Whether some letters are drawn with the app's fonts, which other programs may not have. */
  hasOwnLetters: boolean
}

/** Plans labels. It draws only pages that are not printed completely, to find ink that would be lost. */
function planLabels(pdf: OpenPdf, layout: RasterLayout): Result<CheckedPlan> {
  const pages = pdf.measure()
  if (!pages.ok) return pages
  const placements = placementsOn(pdf, layout)
  if (!placements.ok) return placements
  const findings: LabelFinding[] = []
  const partly = neighbours(placements.value).filter((group) => {
    const size = pages.value[group.page]
    return size !== undefined && !coversPage(getPrintedParts(group.placements, layout), size)
  })
  const drawn = pdf.draw(
    partly.map(({ page }) => ({ page, dotsPerMm: layout.dotsPerMm })),
    (page, index) => {
      const group = partly[index]
      if (group !== undefined) findings.push(...findCutInk(page, group, layout, layout.dotsPerMm))
    },
  )
  if (!drawn.ok) return drawn
  let hasOwnLetters = false
  for (const page of new Set(placements.value.map((placement) => placement.page))) {
    const text = pdf.readText(page)
    if (!text.ok) return text
    findings.push(...toFontFindings(text.value.missing, page))
    hasOwnLetters ||= text.value.hasOwnLetters
  }
  return ok({ pages: pages.value, placements: placements.value, findings, hasOwnLetters })
}

const comesOutBlank = unreadable('it would come out blank')

/**
 * Whether all labels are completely white: printers that take PDF print light greys. A label with findings does not
 * count as blank, since the printing system may draw it with its own fonts.
 */
function isBlank(pdf: OpenPdf, { placements, findings }: CheckedPlan, layout: StockLayout): boolean {
  return (
    findings.length === 0 &&
    placements.length > 0 &&
    placements.every((placement) => {
      const drawn = drawPlaced(pdf, [placement], layout, { dotsPerMm: coarseDotsPerMm, paper: anyInk })
      return drawn.ok && !drawn.value.some(isInked)
    })
  )
}

/** The finest resolution at which each page, and the pages of all labels together, may be drawn. */
function getPictureDotsPerMm({ pages, placements }: CheckedPlan): number {
  const areas = neighbours(placements).map(({ page, scale }) => {
    const { widthMm, heightMm } = pages[page] ?? { widthMm: 0, heightMm: 0 }
    return widthMm * heightMm * scale ** 2
  })
  const area = areas.reduce((sum, each) => sum + each, 0)
  // Leaves room for sides that are rounded up to dots.
  const finest = Math.sqrt(0.99 * Math.min(maxDotsOfJob / area, maxPixelsOfPage / Math.max(...areas)))
  return Math.max(coarsePictureDotsPerMm, Math.min(pictureDotsPerMm, finest))
}

/**
 * Repeats several labels in the order of their copies, since spoolers, filters and drivers treat collated copies
 * differently. Copies of a single label are left to the printer.
 */
function withCopies(
  placements: readonly Placement[],
  { copies, collate }: StockLayout,
): { placements: readonly Placement[]; copies: number } {
  if (copies === 1 || placements.length === 1) return { placements, copies }
  const times = Array.from({ length: copies })
  const copied =
    collate === false
      ? placements.flatMap((placement) => times.map(() => placement))
      : times.flatMap(() => placements)
  return { placements: copied, copies: 1 }
}

interface Rewritten {
  plan: CheckedPlan
  /** The original labels' dots; left out when nothing is rewritten. */
  expected?: MonoBitmap[]
  /** Left out when PDFium can't write the pages, or not with the fonts of the drawing. */
  written?: Uint8Array
}

function needsNoChange(
  pdf: OpenPdf,
  { pages, placements, hasOwnLetters }: CheckedPlan,
  { stock, offsetMm }: StockLayout,
): boolean {
  const isShifted = offsetMm !== undefined && (offsetMm.x !== 0 || offsetMm.y !== 0)
  return (
    !hasOwnLetters &&
    !isShifted &&
    placements.length === pages.length &&
    placements.every(({ page, area, turn, scale }, index) => {
      const size = pages[index]
      return (
        page === index &&
        turn === 0 &&
        scale === 1 &&
        size !== undefined &&
        sameSize(size, stock) &&
        area.widthMm === size.widthMm &&
        area.heightMm === size.heightMm
      )
    }) &&
    // Loads every page, so it comes last.
    !pdf.isUnusual()
  )
}

/**
 * Draws the labels in dots. With `paper`, every pixel darker than that is black, not only those below the threshold.
 */
function drawPlaced(
  pdf: OpenPdf,
  placements: readonly Placement[],
  layout: StockLayout,
  { dotsPerMm, paper }: { dotsPerMm: number; paper?: number },
): Result<MonoBitmap[]> {
  const label = toRasterLayout(layout, dotsPerMm)
  const groups = neighbours(placements)
  const wanted = groups.map(({ page, scale }) => ({ page, dotsPerMm: dotsPerMm * scale }))
  const labels = pdf.draw(wanted, (page, index) => {
    const darkened = darken(page, paper)
    return (groups[index]?.placements ?? []).map((placement) => placeOnLabel(darkened, placement, label))
  })
  return labels.ok ? ok(labels.value.flat()) : labels
}

function darken(page: GreyPage, paper: number | undefined): GreyPage {
  return paper === undefined ? page : { ...page, pixels: page.pixels.map((grey) => (grey < paper ? 0 : 255)) }
}

/** Whether a PDF with pages of the stock's size shows exactly these labels. */
function showsLabels(
  pdfium: Pdfium,
  pdf: Uint8Array,
  { expected, places }: { expected: readonly MonoBitmap[]; places: readonly number[] },
  { stock }: StockLayout,
): boolean {
  const area = { xMm: 0, yMm: 0, ...stock }
  const whole = places.map((page): Placement => ({ page, area, turn: 0, scale: 1 }))
  const drawn = pdfium.read(pdf, (open) =>
    drawPlaced(open, whole, { stock, copies: 1, placements: whole }, { dotsPerMm: comparedDotsPerMm, paper }),
  )
  return drawn.ok && expected.every((label, index) => looksAlike(label, drawn.value[index]))
}

/** Whether both have ink at the same positions, within the tolerance. */
function looksAlike(one: MonoBitmap, other: MonoBitmap | undefined): boolean {
  return other !== undefined && liesNear(one, other) && liesNear(other, one)
}

function liesNear(ink: MonoBitmap, other: MonoBitmap): boolean {
  const near = Array.from({ length: toleranceDots * 2 + 1 }, (_, index) => index - toleranceDots)
  for (let y = 0; y < ink.height; y += 1) {
    for (let x = 0; x < ink.width; x += 1) {
      if (!isDark(ink, x, y) || isDark(other, x, y)) continue
      if (!near.some((down) => near.some((right) => isDark(other, x + right, y + down)))) return false
    }
  }
  return true
}

function placedPages({ pages, placements }: CheckedPlan, layout: StockLayout): PlacedPage[] {
  return placements.flatMap((placement) => {
    const size = pages[placement.page]
    return size === undefined ? [] : [placedPage(placement, size, layout)]
  })
}

/** Places a page on the stock: its area centred, turned, scaled and shifted. */
function placedPage(
  { page, area, turn, scale }: Placement,
  size: PageSize,
  { stock, offsetMm }: StockLayout,
): PlacedPage {
  // From millimetres from the page's top left corner to points from the stock's bottom left corner.
  const onStock = (xMm: number, yMm: number) => {
    const fromMiddle = {
      x: (xMm - area.xMm - area.widthMm / 2) * scale,
      y: (yMm - area.yMm - area.heightMm / 2) * scale,
    }
    const { x, y } = turnedOffset(fromMiddle, turn)
    return {
      x: (stock.widthMm / 2 + x + (offsetMm?.x ?? 0)) * pointsPerMm,
      y: (stock.heightMm / 2 - y - (offsetMm?.y ?? 0)) * pointsPerMm,
    }
  }
  // PDF's origin is the bottom left corner.
  const perPoint = 1 / pointsPerMm
  const origin = onStock(0, size.heightMm)
  const along = onStock(perPoint, size.heightMm)
  const up = onStock(0, size.heightMm - perPoint)
  const corners = [onStock(area.xMm, area.yMm), onStock(area.xMm + area.widthMm, area.yMm + area.heightMm)]
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)]
  return {
    page,
    width: stock.widthMm * pointsPerMm,
    height: stock.heightMm * pointsPerMm,
    matrix: [along.x - origin.x, along.y - origin.y, up.x - origin.x, up.y - origin.y, origin.x, origin.y],
    clip: { left: Math.min(...xs), bottom: Math.min(...ys), right: Math.max(...xs), top: Math.max(...ys) },
  }
}
