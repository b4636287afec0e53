import type { SystemPrinter } from '../../shared/printing'
import type { Result } from '../../shared/result'
import type { PrintContext } from './drivers/driver'
import type { LabelQuestion, Placement, StockedPrinter } from './gate'
import type { Rasterizer, RasterLayout } from './raster/rasterizer'
import type { PageSize } from './stock'

/** Enough to see where ink is. */
const coarseDotsPerMm = 4

/** A PDF's pages and the labels that are printed of them. */
export interface LabelPlan {
  pages: PageSize[]
  placements: readonly Placement[]
}

type Context = Pick<PrintContext<StockedPrinter>, 'label' | 'printer' | 'rules' | 'range'>

/** What the gate decides by for a label on its way to a printer. */
export function questionOf({ label, printer, rules, range }: Context): LabelQuestion {
  const { carrierOptionId } = label
  const own = rules.filter((rule) => rule.carrierOptionId === carrierOptionId)
  return { printer, carrierOptionId, rules: own, range }
}

/**
 * Leads a PDF label through the gate for a driver that does not draw it.
 * @returns beside the gate's errors `label-loses-content`
 */
export async function planLabel(
  context: Context & Pick<PrintContext<SystemPrinter>, 'printer' | 'check'>,
  rasterizer: Pick<Rasterizer, 'plan'>,
): Promise<Result<LabelPlan>> {
  const plan = await rasterizer.plan(context.label.bytes, coarseLayoutOf(context))
  if (!plan.ok) return plan
  const checked = context.check(plan.value.findings)
  return checked.ok ? plan : checked
}

function coarseLayoutOf(context: Context & Pick<PrintContext<SystemPrinter>, 'printer'>): RasterLayout {
  const { stock, offsetMm = { x: 0, y: 0 } } = context.printer
  const dots = (millimetres: number) => Math.round(millimetres * coarseDotsPerMm)
  return {
    dotsPerMm: coarseDotsPerMm,
    widthDots: dots(stock.widthMm),
    heightDots: dots(stock.heightMm),
    offsetDots: { x: dots(offsetMm.x), y: dots(offsetMm.y) },
    greys: 'threshold',
    placements: questionOf(context),
  }
}

/**
 * A plan with the copies of several pages in it, in the order in which they are wanted, and how often it is printed.
 * Spoolers, filters and drivers do not agree on what collated copies are.
 */
export function withCopies(
  plan: LabelPlan,
  { copies, collate }: Pick<SystemPrinter, 'copies' | 'collate'>,
): { plan: LabelPlan; copies: number } {
  if (copies === 1 || plan.placements.length === 1) return { plan, copies }
  const times = Array.from({ length: copies })
  const placements =
    collate === false
      ? plan.placements.flatMap((placement) => times.map(() => placement))
      : times.flatMap(() => plan.placements)
  return { plan: { ...plan, placements }, copies: 1 }
}
