import { appError } from '../../../shared/errors'
import { type LabelFinding, maxFindingAreas } from '../../../shared/labels'
import type { PageRange } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import type { WorkerFunctions } from '../../lib/workerPool'
import {
  type GreyPage,
  type MonoBitmap,
  maxPagesOfJob,
  noSuchPages,
  type Placement,
  planPlacements,
  type RasterLayout,
  tooLong,
  type ZplLayout,
} from '../layout/labelLayout'
import { coversPage, findStrayInk, getPrintedParts } from '../layout/strayInk'
import { findBlank, isInked, placeOnLabel, toCut, trimmed } from './bitmap'
import { encodeLabel } from './labelLanguages'
import { findLightInk } from './lightInk'
import type { MissingText } from './pageObjects'
import { type OpenPdf, type Pdfium, unreadable } from './pdfium'
import type { CheckedPlan, RasterCalls } from './rasterizer'
import { layOnStock } from './stockPdf'

/** Of labels whose copies follow one another in a job, which is held in memory. */
const maxCopiedBytes = 256 * 1024 * 1024

/** The work behind a `Rasterizer`, from a PDF's bytes to what the printer or the screen takes, in whatever thread it runs. */
export function createRasterFunctions(pdfium: Pdfium): WorkerFunctions<RasterCalls, 'placed'> {
  return {
    measure: ({ pdf }) => pdfium.read(pdf, (open) => open.measure()),
    renderGrey: ({ pdf, dotsPerMm, page }) => pdfium.read(pdf, (open) => drawWhole(open, dotsPerMm, page)),
    renderMono: ({ pdf, layout }) =>
      pdfium.read(pdf, (open) => drawLabels(open, layout, { use: (bitmap) => bitmap })),
    renderZpl: ({ pdf, layout }, emit) => renderZpl(pdfium, pdf, layout, () => emit('placed')),
    layOnStock: ({ pdf, layout }) => layOnStock(pdfium, pdf, layout, planLabels),
    takePages: ({ pdf, range }) => pdfium.read(pdf, (open) => takePages(open, range)),
  }
}

function renderZpl(
  pdfium: Pdfium,
  pdf: Uint8Array,
  layout: ZplLayout,
  onPlaced: () => void,
): RasterCalls['renderZpl']['output'] {
  const findings: LabelFinding[] = []
  const placements: Placement[] = []
  // Printers repeat one label, not several.
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
  const once = Buffer.concat(labels.value.map((label) => label.bytes))
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
  return ok({ zpl, findings, placements, bitmaps: labels.value.map(({ bitmap }) => bitmap) })
}

/** Plans labels without drawing them, but for pages of which something lies outside of what is printed. */
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
  const areas = findStrayInk(page, pageDotsPerMm, getPrintedParts(placements, layout), leftOut)
  return areas.length === 0 ? [] : [{ kind: 'ink-cut', page: number + 1, areas }]
}

function drawWhole(pdf: OpenPdf, dotsPerMm: number, page: number | undefined): Result<GreyPage[]> {
  const count = Math.min(pdf.pages, maxPagesOfJob)
  const numbers = page === undefined ? Array.from({ length: count }, (_, number) => number) : [page]
  return pdf.draw(
    numbers.map((number) => ({ page: number, dotsPerMm })),
    (drawn) => ({ ...drawn, pixels: new Uint8Array(drawn.pixels) }),
  )
}

/** A PDF without an end is not read by every program, so that it is written anew. */
function takePages(pdf: OpenPdf, range: PageRange | undefined): RasterCalls['takePages']['output'] {
  const sizes = pdf.measure()
  if (!sizes.ok) return sizes
  if (range === undefined && pdf.hasEnd) return ok({})
  const first = Math.max(0, (range?.from ?? 1) - 1)
  const last = Math.min(pdf.pages, range?.to ?? pdf.pages) - 1
  if (first > last) return err(noSuchPages(pdf.pages))
  const bytes = pdf.writeSome({ first, last })
  return bytes.ok ? ok({ bytes: bytes.value }) : bytes
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
    onPlaced?(placements: readonly Placement[]): void
    onFindings?(findings: LabelFinding[]): void
    use(bitmap: MonoBitmap): T
  },
): Result<T[]> {
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
    hasInk ||= drawn.some(isInked)
    const blank = onFindings === undefined ? [] : findBlank(page, left, layout)
    hasLightInk ||= blank.length > 0
    onFindings?.([
      ...blank,
      ...findLost(page, group, left, layout),
      ...findCutInk(page, group, layout, layout.dotsPerMm * group.scale),
      ...toFontFindings(missing, group.page),
    ])
    return drawn.map((bitmap) => use(bitmap))
  })
  if (!labels.ok) return labels
  // Light ink that would come out as white paper is a finding; where nobody hears of it, and of white pages, there is no label.
  return hasInk || hasLightInk || wanted.length === 0
    ? ok(labels.value.flat())
    : unreadable('it would come out blank')
}

/** Light ink beside black ink, which a threshold would drop without a word. */
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
