import type { Result } from '../../../shared/result'
import { ok } from '../../../shared/result'
import type { Placement } from '../gate'
import { placeOnLabel } from './bitmap'
import { type PageRequest, type Pdfium, unreadable } from './pdfium'
import type { GreyPage, MonoBitmap, RasterAnswer, RasterLayout, RasterTask } from './rasterizer'
import { zplOf } from './zpl'

/** Does one piece of work on a PDF, from its bytes to what the printer or the screen takes. */
export async function runTask(pdfium: Pdfium, task: RasterTask): Promise<Result<RasterAnswer>> {
  switch (task.kind) {
    case 'measure': {
      const pages = await pdfium.measure(task.pdf)
      return pages.ok ? ok({ kind: 'measure', pages: pages.value }) : pages
    }
    case 'grey': {
      const wanted = await pagesWanted(pdfium, task)
      if (!wanted.ok) return wanted
      const pages = await pdfium.drawPages(task.pdf, wanted.value, (page) => page)
      return pages.ok ? ok({ kind: 'grey', pages: pages.value }) : pages
    }
    case 'mono': {
      const bitmaps = await drawLabels(pdfium, task.pdf, task.layout, (bitmap) => bitmap)
      return bitmaps.ok ? ok({ kind: 'mono', bitmaps: bitmaps.value }) : bitmaps
    }
    case 'zpl': {
      const { layout } = task
      const labels = await drawLabels(pdfium, task.pdf, layout, (bitmap) => zplOf(bitmap, layout))
      if (!labels.ok) return labels
      return ok({ kind: 'zpl', bytes: new Uint8Array(Buffer.from(labels.value.join(''), 'latin1')) })
    }
  }
}

async function pagesWanted(
  pdfium: Pdfium,
  { pdf, dotsPerMm, page }: Extract<RasterTask, { kind: 'grey' }>,
): Promise<Result<PageRequest[]>> {
  if (page !== undefined) return ok([{ page, dotsPerMm }])
  const count = await pdfium.countPages(pdf)
  if (!count.ok) return count
  return ok(Array.from({ length: count.value }, (_, number) => ({ page: number, dotsPerMm })))
}

/** Draws each page once for the labels that follow one another on it. */
async function drawLabels<T>(
  pdfium: Pdfium,
  pdf: Uint8Array,
  layout: RasterLayout,
  use: (bitmap: MonoBitmap) => T,
): Promise<Result<T[]>> {
  const groups = neighbours(layout.placements)
  const wanted = groups.map(({ page, scale }) => ({ page, dotsPerMm: layout.dotsPerMm * scale }))
  let hasInk = false
  const labels = await pdfium.drawPages(pdf, wanted, (page, index) => {
    const drawn = labelsOn(page, groups[index], layout)
    hasInk ||= drawn.some(isInked)
    return drawn.map(use)
  })
  if (!labels.ok) return labels
  // Orange or grey that is lighter than the middle would come out as white paper, which nobody takes for a label.
  return hasInk || wanted.length === 0 ? ok(labels.value.flat()) : unreadable('it would come out blank')
}

function isInked({ bits }: MonoBitmap): boolean {
  return bits.some((byte) => byte !== 0)
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

/** A sheet for several labels is often not full: places without a black dot are left out, unless all are empty. */
function labelsOn(page: GreyPage, group: Group | undefined, layout: RasterLayout): MonoBitmap[] {
  const labels = (group?.placements ?? []).map((placement) => placeOnLabel(page, placement, layout))
  const drawn = labels.filter(isInked)
  return labels.length > 1 && drawn.length > 0 ? drawn : labels
}
