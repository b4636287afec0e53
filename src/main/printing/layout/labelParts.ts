import type { PlacementRule, SizeMm } from '../../../shared/labels'
import type { PageRange, Printer, RoutingRule } from '../../../shared/printing'
import { findPrinter, rulesFor } from '../queue/routing'
import { maxPagesOfJob, planPlacements } from './placements'
import type { PageSize } from './stock'
import { sameSize, turned } from './stock'

/** Pages of a label that follow one another and go to one printer as one job. */
export interface LabelPart {
  printer: Printer
  /** All when left out. */
  pages?: PageRange
}

/** A label whose pages are known, and the rules that say where they go. */
export interface PartsQuestion {
  pages: readonly PageSize[]
  /** The pages that are wanted; all when left out. */
  range?: PageRange | undefined
  /** Takes the pages that no rule sends elsewhere. */
  printer: Printer
  carrierOptionId: number
  routing: readonly RoutingRule[]
  printers: readonly Printer[]
  placements: readonly PlacementRule[]
}

/**
 * Which printer takes which pages of a label, in their order, in parts that are short enough to be drawn. A rule whose
 * printer no longer exists sends nothing away: the label's own printer takes the page or asks about it.
 * @returns at least one part; one without a range when one printer takes the whole label at once
 */
export function planParts(question: PartsQuestion): LabelPart[] {
  const { pages, printer } = question
  const { from, to } = question.range ?? { from: 1, to: pages.length }
  const parts: { printer: Printer; pages: PageRange }[] = []
  for (let page = from; page <= Math.min(to, pages.length); page += 1) {
    const taker = printerForPage(page, question)
    const last = parts.at(-1)
    const isLong = taker.driver !== 'folder' && last !== undefined && page - last.pages.from >= maxPagesOfJob
    if (last === undefined || last.printer.id !== taker.id || isLong) {
      parts.push({ printer: taker, pages: { from: page, to: page } })
    } else last.pages.to = page
  }
  const [only = { printer, pages: { from, to } }, ...others] = parts
  if (others.length > 0) return parts
  return [{ printer: only.printer, ...(question.range !== undefined && { pages: question.range }) }]
}

/** Whether a carrier option's labels have to be measured before it is known where their pages go. */
export function isRoutedByPage(routing: readonly RoutingRule[], carrierOptionId: number): boolean {
  return rulesFor(routing, carrierOptionId).some((rule) => rule.pages !== undefined)
}

/** Whether a page is of a size, upright or on its side. */
export function isOfSize(page: PageSize, size: SizeMm): boolean {
  return sameSize(page, size) || sameSize(turned(page, 90), size)
}

function printerForPage(page: number, question: PartsQuestion): Printer {
  const { pages, printer, carrierOptionId, routing, printers } = question
  const size = pages[page - 1]
  if (size === undefined) return printer
  for (const rule of rulesFor(routing, carrierOptionId)) {
    if (rule.pages === undefined) return printer
    const takes = rule.pages === 'larger-than-stock' ? !fitsOn(page, question) : isOfSize(size, rule.pages)
    const named = takes ? findPrinter([...printers], rule.printer) : undefined
    if (named?.ok === true) return named.value
  }
  return printer
}

/** Whether the label's own printer takes a page as it is, or as a person chose. */
function fitsOn(page: number, { pages, printer, carrierOptionId, placements }: PartsQuestion): boolean {
  if (printer.driver === 'folder') return true
  const range = { from: page, to: page }
  return planPlacements({ pages, printer, carrierOptionId, rules: placements, range }).ok
}
