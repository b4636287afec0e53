import type { Turn } from '../../../shared/labels'
import { ok, type Result } from '../../../shared/result'
import { type PageSize, pointsPerMm, sameSize } from '../layout/geometry'
import {
  type GreyPage,
  isDark,
  type MonoBitmap,
  maxDotsOfJob,
  type Placement,
  type RasterLayout,
  type StockLayout,
  toDotsOf,
} from '../layout/labelLayout'
import { isInked, placeOnLabel } from './bitmap'
import { type OpenPdf, type Pdfium, type PlacedPage, unreadable } from './pdfium'
import type { CheckedPlan, LaidPdf } from './rasterizer'
import { sheetPdf, toSinglePages } from './sheetPdf'

/** What was rewritten is compared with the label's own dots at 203 dpi. */
const comparedDotsPerMm = 8
/** Lighter than this is paper: printers that print greys show light ones. */
const paper = 200
/** Edges may lie so far aside, because places are rounded to dots. */
const toleranceDots = 2
/** Enough to see where ink is. */
const coarseDotsPerMm = 4
/** A4 at 600 dpi has 35 million dots. */
const pictureDotsPerMm = 600 / 25.4
/** Labels are still read at 203 dpi. */
const coarsePictureDotsPerMm = 8
/** Anything but white. */
const anyInk = 255

/**
 * A PDF of one page of the stock's size for each placement. Doing it in the PDF gives the same label on every system,
 * where print options differ. What was written is drawn and compared with the label's own dots; where it shows anything
 * else, such as layers that were hidden, a PDF of those dots takes its place.
 * @param planOn plans what is printed of the pages and finds what that would lose
 * @returns no bytes when the PDF is right as it is: nothing is turned or shifted, and other programs read it alike
 */
export async function layOnStock(
  pdfium: Pdfium,
  pdf: Uint8Array,
  layout: StockLayout,
  planOn: (pdf: OpenPdf, layout: RasterLayout) => Result<CheckedPlan>,
): Promise<Result<{ bytes?: Uint8Array } & Omit<LaidPdf, 'pdf'>>> {
  const rewritten = pdfium.read(pdf, (open): Result<Rewritten> => {
    const { placements: wanted, marginsMm } = layout
    const plan = planOn(open, { ...toDotsOf(layout, coarseDotsPerMm), marginsMm, placements: wanted })
    if (!plan.ok) return plan
    const copied = withCopies(plan.value.placements, layout)
    if (isRightAsItIs(open, { ...plan.value, placements: copied.placements }, layout)) {
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
  // Where the first copy of each label is.
  const places = placements.map((placement) => copied.placements.indexOf(placement))
  if (written !== undefined && shows(pdfium, written, { expected, places }, layout)) {
    return ok({ ...laid, bytes: written })
  }
  // Writing changes an open PDF, so that it is opened again to be drawn.
  const dots = pdfium.read(pdf, (open) =>
    drawPlaced(open, placements, layout, { dotsPerMm: pictureDotsPerMmFor(plan) }),
  )
  if (!dots.ok) return dots
  const labels = copied.placements.flatMap((placement) => dots.value[placements.indexOf(placement)] ?? [])
  return ok({ ...laid, bytes: await sheetPdf(labels, toSinglePages(layout.stock)) })
}

const comesOutBlank = unreadable('it would come out blank')

/**
 * Whether nothing at all is drawn on any label: a printer that prints greys shows light ones. What has findings may be
 * drawn by the printing system, with fonts of its own.
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

/** As fine as all labels together may be drawn. */
function pictureDotsPerMmFor({ pages, placements }: CheckedPlan): number {
  const areas = placements.map(({ page, scale }) => {
    const { widthMm, heightMm } = pages[page] ?? { widthMm: 0, heightMm: 0 }
    return widthMm * heightMm * scale ** 2
  })
  const area = areas.reduce((sum, each) => sum + each, 0)
  // Sides are rounded to dots.
  const finest = Math.sqrt((maxDotsOfJob * 0.99) / area)
  return Math.max(coarsePictureDotsPerMm, Math.min(pictureDotsPerMm, finest))
}

/**
 * The copies of several labels in the order in which they are wanted, and how often all that is printed. Spoolers,
 * filters and drivers do not agree on what collated copies are.
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
  /** What is to be seen on each label; missing when nothing is to be rewritten. */
  expected?: MonoBitmap[]
  /** Missing when PDFium can't write the pages, or not with the fonts that they are drawn with. */
  written?: Uint8Array
}

function isRightAsItIs(
  { isUnusual }: OpenPdf,
  { pages, placements, hasOwnLetters }: CheckedPlan,
  { stock, offsetMm }: StockLayout,
): boolean {
  const isShifted = offsetMm !== undefined && (offsetMm.x !== 0 || offsetMm.y !== 0)
  return (
    !isUnusual &&
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
    })
  )
}

/** The labels in dots. `paper` makes black of everything that is darker, and not only of what a label printer prints. */
function drawPlaced(
  pdf: OpenPdf,
  placements: readonly Placement[],
  layout: StockLayout,
  { dotsPerMm, paper }: { dotsPerMm: number; paper?: number },
): Result<MonoBitmap[]> {
  const label = toDotsOf(layout, dotsPerMm)
  const wanted = placements.map(({ page, scale }) => ({ page, dotsPerMm: dotsPerMm * scale }))
  const labels = pdf.draw(wanted, (page, index) => {
    const placement = placements[index]
    return placement === undefined ? [] : [placeOnLabel(darkened(page, paper), placement, label)]
  })
  return labels.ok ? ok(labels.value.flat()) : labels
}

function darkened(page: GreyPage, paper: number | undefined): GreyPage {
  return paper === undefined ? page : { ...page, pixels: page.pixels.map((grey) => (grey < paper ? 0 : 255)) }
}

/** Whether a PDF of pages of the stock's size shows these labels at their places and nothing else. */
function shows(
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

/** Whether each has ink wherever the other one has. */
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

/** How the page comes to lie on the stock: its area in the middle, turned, scaled, shifted. */
function placedPage(
  { page, area, turn, scale }: Placement,
  size: PageSize,
  { stock, offsetMm }: StockLayout,
): PlacedPage {
  // Millimetres from the top left corner of the page to points from the bottom left one of the stock.
  const onStock = (xMm: number, yMm: number) => {
    const [right, down] = turnedBy(
      turn,
      (xMm - area.xMm - area.widthMm / 2) * scale,
      (yMm - area.yMm - area.heightMm / 2) * scale,
    )
    return {
      x: (stock.widthMm / 2 + right + (offsetMm?.x ?? 0)) * pointsPerMm,
      y: (stock.heightMm / 2 - down - (offsetMm?.y ?? 0)) * pointsPerMm,
    }
  }
  // The page's points begin in its bottom left corner.
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

/** A way to the right and down, after a clockwise turn. */
function turnedBy(turn: Turn, right: number, down: number): [right: number, down: number] {
  switch (turn) {
    case 0:
      return [right, down]
    case 90:
      return [-down, right]
    case 180:
      return [-right, -down]
    case 270:
      return [down, -right]
  }
}
