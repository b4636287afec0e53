import type { LabelFinding } from '../../../shared/labelFindings'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'
import type { Placement } from '../layout/placements'
import { maxPagesOfJob, noSuchPages, planPlacements } from '../layout/placements'
import { coversPage, findStrayInk, printedPartsOf } from '../layout/strayInk'
import { isInked, placeOnLabel, trimmed } from './bitmap'
import { findBlank } from './blankParts'
import { eplOf } from './epl'
import type { MissingText } from './missingText'
import { type OpenPdf, type Pdfium, unreadable } from './pdfium'
import type {
  CheckedPlan,
  GreyPage,
  MonoBitmap,
  RasterAnswer,
  RasterLayout,
  RasterTask,
  ZplLayout,
} from './rasterizer'
import { layOnStock } from './stockPdf'
import { tsplOf } from './tspl'
import { zplOf } from './zpl'

/** Of labels whose copies follow one another in a job, which is held in memory. */
const maxCopiedBytes = 256 * 1024 * 1024

/**
 * Does one piece of work on a PDF, from its bytes to what the printer or the screen takes.
 * @param onPlaced called when it is known where labels lie, right before they are drawn
 */
export function runTask(
  pdfium: Pdfium,
  task: RasterTask,
  onPlaced: () => void = () => undefined,
): Result<RasterAnswer> {
  switch (task.kind) {
    case 'measure': {
      const pages = pdfium.read(task.pdf, (pdf) => pdf.measure())
      return pages.ok ? ok({ kind: 'measure', pages: pages.value }) : pages
    }
    case 'grey': {
      const pages = pdfium.read(task.pdf, (pdf) => drawWhole(pdf, task))
      return pages.ok ? ok({ kind: 'grey', pages: pages.value }) : pages
    }
    case 'mono': {
      const bitmaps = pdfium.read(task.pdf, (pdf) =>
        drawLabels(pdf, task.layout, { onPlaced, use: (bitmap) => bitmap }),
      )
      return bitmaps.ok ? ok({ kind: 'mono', bitmaps: bitmaps.value }) : bitmaps
    }
    case 'zpl': {
      const { layout } = task
      const findings: LabelFinding[] = []
      const onFindings = (found: LabelFinding[]) => void findings.push(...found)
      const placements: Placement[] = []
      const onPlacedAt = (placed: readonly Placement[]) => {
        placements.push(...placed)
        onPlaced()
      }
      // Printers repeat one label, not several.
      const isRepeated = () => placements.length > 1 && layout.collate !== false
      const use = (bitmap: MonoBitmap) => {
        const copies = isRepeated() ? 1 : layout.copies
        return { bitmap, bytes: encode(bitmap, { ...layout, copies }) }
      }
      const labels = pdfium.read(task.pdf, (pdf) =>
        drawLabels(pdf, layout, { onPlaced: onPlacedAt, onFindings, use }),
      )
      if (!labels.ok) return labels
      const once = Buffer.concat(labels.value.map((label) => label.bytes))
      const times = isRepeated() ? layout.copies : 1
      if (once.length * times > maxCopiedBytes)
        return unreadable(`${times} copies of it take too much memory`)
      const bytes = new Uint8Array(Buffer.concat(Array.from({ length: times }, () => once)))
      const bitmaps = labels.value.map(({ bitmap }) => bitmap)
      return ok({ kind: 'zpl', bytes, findings, placements, bitmaps })
    }
    case 'stock': {
      const laid = layOnStock(pdfium, task.pdf, task.layout, planLabels)
      return laid.ok ? ok({ kind: 'stock', ...laid.value }) : laid
    }
    case 'pages': {
      const bytes = pdfium.read(task.pdf, (pdf) => takePages(pdf, task))
      return bytes.ok ? ok({ kind: 'pages', ...(bytes.value && { bytes: bytes.value }) }) : bytes
    }
  }
}

function encode(bitmap: MonoBitmap, layout: ZplLayout): Buffer {
  switch (layout.language) {
    case 'epl2':
      return eplOf(bitmap, layout)
    case 'tspl':
      return tsplOf(bitmap, layout)
    default:
      return Buffer.from(zplOf(bitmap, layout), 'latin1')
  }
}

/** Plans labels without drawing them, but for pages of which something lies outside of what is printed. */
function planLabels(pdf: OpenPdf, layout: RasterLayout): Result<CheckedPlan> {
  const pages = pdf.measure()
  if (!pages.ok) return pages
  const placements = placementsOn(pdf, layout.placements)
  if (!placements.ok) return placements
  const findings: LabelFinding[] = []
  const partly = neighbours(placements.value).filter((group) => {
    const size = pages.value[group.page]
    return size !== undefined && !coversPage(printedPartsOf(group.placements, layout), size)
  })
  const drawn = pdf.draw(
    partly.map(({ page }) => ({ page, dotsPerMm: layout.dotsPerMm })),
    (page, index) => {
      const group = partly[index]
      if (group !== undefined) findings.push(...findCutInk(page, group, layout, layout.dotsPerMm))
    },
  )
  if (!drawn.ok) return drawn
  for (const page of new Set(placements.value.map((placement) => placement.page))) {
    const missing = pdf.findMissingText(page)
    if (!missing.ok) return missing
    findings.push(...toFontFindings(missing.value, page))
  }
  return ok({ pages: pages.value, placements: placements.value, findings })
}

function toFontFindings(missing: readonly MissingText[], page: number): LabelFinding[] {
  return missing.map(({ font, text, areas }) => ({
    ...{ kind: 'font-missing', page: page + 1, name: font, areas },
    ...(text !== '' && { text }),
  }))
}

/** @param pageDotsPerMm what the page was drawn at */
function findCutInk(
  page: GreyPage,
  { page: number, placements }: Group,
  layout: RasterLayout,
  pageDotsPerMm: number,
): LabelFinding[] {
  const leftOut = placements[0]?.leftOut ?? []
  const areas = findStrayInk(page, pageDotsPerMm, printedPartsOf(placements, layout), leftOut)
  return areas.length === 0 ? [] : [{ kind: 'ink-cut', page: number + 1, areas }]
}

function drawWhole(
  pdf: OpenPdf,
  { dotsPerMm, page }: Extract<RasterTask, { kind: 'grey' }>,
): Result<GreyPage[]> {
  const count = Math.min(pdf.pages, maxPagesOfJob)
  const numbers = page === undefined ? Array.from({ length: count }, (_, number) => number) : [page]
  return pdf.draw(
    numbers.map((number) => ({ page: number, dotsPerMm })),
    (drawn) => drawn,
  )
}

/** A PDF without an end is not read by every program, so that it is written anew. */
function takePages(
  pdf: OpenPdf,
  { range }: Extract<RasterTask, { kind: 'pages' }>,
): Result<Uint8Array | undefined> {
  const sizes = pdf.measure()
  if (!sizes.ok) return sizes
  if (range === undefined && pdf.hasEnd) return ok(undefined)
  const first = Math.max(0, (range?.from ?? 1) - 1)
  const last = Math.min(pdf.pages, range?.to ?? pdf.pages) - 1
  return first > last ? err(noSuchPages(pdf.pages)) : pdf.writeSome({ first, last })
}

/** Draws each page once for the labels that follow one another on it. */
function drawLabels<T>(
  pdf: OpenPdf,
  layout: RasterLayout,
  {
    onPlaced,
    onFindings,
    use,
  }: {
    onPlaced(placements: readonly Placement[]): void
    onFindings?(findings: LabelFinding[]): void
    use(bitmap: MonoBitmap): T
  },
): Result<T[]> {
  const placements = placementsOn(pdf, layout.placements)
  if (!placements.ok) return placements
  onPlaced(placements.value)
  const groups = neighbours(placements.value)
  const wanted = groups.map(({ page, scale }) => ({ page, dotsPerMm: layout.dotsPerMm * scale }))
  let hasInk = false
  const labels = pdf.draw(wanted, (page, index, missing) => {
    const group = groups[index]
    if (group === undefined) return []
    const { labels: drawn, left } = labelsOn(page, group, layout)
    hasInk ||= drawn.some(isInked)
    onFindings?.([
      ...findBlank(page, left, layout),
      ...findCutInk(page, group, layout, layout.dotsPerMm * group.scale),
      ...toFontFindings(missing(), group.page),
    ])
    return drawn.map((bitmap) => use(bitmap))
  })
  if (!labels.ok) return labels
  // Orange or grey that is lighter than the middle would come out as white paper, which nobody takes for a label.
  return hasInk || wanted.length === 0 ? ok(labels.value.flat()) : unreadable('it would come out blank')
}

function placementsOn(pdf: OpenPdf, wanted: RasterLayout['placements']): Result<readonly Placement[]> {
  if (!('printer' in wanted)) return ok(wanted)
  const pages = pdf.measure()
  return pages.ok ? planPlacements({ ...wanted, pages: pages.value }) : pages
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
 * A sheet for several labels is often not full: places without a black dot are left out, unless all are empty.
 * @returns the labels, and the placements without a black dot
 */
function labelsOn(
  page: GreyPage,
  { placements }: Group,
  layout: RasterLayout,
): { labels: MonoBitmap[]; left: Placement[] } {
  const placed = placements.map((placement) => ({
    placement,
    label: trimmed(placeOnLabel(page, placement, layout), layout),
  }))
  const left = placed.filter(({ label }) => !isInked(label)).map(({ placement }) => placement)
  const drawn = placed.filter(({ label }) => isInked(label))
  const labels = (drawn.length > 0 ? drawn : placed).map(({ label }) => label)
  return { labels, left }
}
