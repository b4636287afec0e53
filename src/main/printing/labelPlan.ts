import type { Result } from '../../shared/result'
import type { PrintContext } from './drivers/driver'
import type { Placement, StockedPrinter } from './gate'
import { planPlacements } from './gate'
import type { Rasterizer } from './raster/rasterizer'
import type { PageSize } from './stock'

/** A PDF's pages and the labels that are printed of them. */
export interface LabelPlan {
  pages: PageSize[]
  placements: Placement[]
}

/** Measures a PDF label and leads it through the gate. */
export async function planLabel(
  {
    label,
    printer,
    rules,
    range,
  }: Pick<PrintContext<StockedPrinter>, 'label' | 'printer' | 'rules' | 'range'>,
  rasterizer: Pick<Rasterizer, 'measure'>,
): Promise<Result<LabelPlan>> {
  const pages = await rasterizer.measure(label.bytes)
  if (!pages.ok) return pages
  const question = { pages: pages.value, printer, carrierOptionId: label.carrierOptionId, rules, range }
  const placements = planPlacements(question)
  return placements.ok
    ? { ok: true, value: { pages: pages.value, placements: placements.value } }
    : placements
}
