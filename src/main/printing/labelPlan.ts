import type { Result } from '../../shared/result'
import type { PrintContext } from './drivers/driver'
import type { LabelQuestion, Placement, StockedPrinter } from './gate'
import { planPlacements } from './gate'
import type { Rasterizer } from './raster/rasterizer'
import type { PageSize } from './stock'

/** A PDF's pages and the labels that are printed of them. */
export interface LabelPlan {
  pages: PageSize[]
  placements: Placement[]
}

type Context = Pick<PrintContext<StockedPrinter>, 'label' | 'printer' | 'rules' | 'range'>

/** What the gate decides by for a label on its way to a printer. */
export function questionOf({ label, printer, rules, range }: Context): LabelQuestion {
  return { printer, carrierOptionId: label.carrierOptionId, rules, range }
}

/** Measures a PDF label and leads it through the gate. */
export async function planLabel(
  context: Context,
  rasterizer: Pick<Rasterizer, 'measure'>,
): Promise<Result<LabelPlan>> {
  const pages = await rasterizer.measure(context.label.bytes)
  if (!pages.ok) return pages
  const placements = planPlacements({ ...questionOf(context), pages: pages.value })
  return placements.ok
    ? { ok: true, value: { pages: pages.value, placements: placements.value } }
    : placements
}
