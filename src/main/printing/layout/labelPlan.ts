import type { SystemPrinter } from '../../../shared/printing'
import type { PrintContext } from '../drivers/driver'
import type { StockLayout } from '../raster/rasterizer'
import type { LabelQuestion, StockedPrinter } from './placements'

type Context = Pick<PrintContext<StockedPrinter>, 'label' | 'printer' | 'rules' | 'range'>

/** What a label's placements are decided by on its way to a printer. */
export function toQuestion({ label, printer, rules, range }: Context): LabelQuestion {
  const { carrierOptionId } = label
  const own = rules.filter((rule) => rule.carrierOptionId === carrierOptionId)
  return { printer, carrierOptionId, rules: own, range }
}

/** How a label is to lie on the stock of a printer that takes PDF. */
export function toStockLayout(context: Context & { printer: SystemPrinter }): StockLayout {
  const { stock, offsetMm, copies, collate } = context.printer
  return { stock, offsetMm, copies, collate, placements: toQuestion(context) }
}
