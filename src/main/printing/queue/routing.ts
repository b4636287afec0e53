import { randomUUID } from 'node:crypto'
import { type AppError, appError } from '../../../shared/errors'
import type { Language } from '../../../shared/fields'
import type { LabelRules, PlacementRule, SizeMm } from '../../../shared/labels'
import {
  getPrinterName,
  isDevicePath,
  type PageRange,
  type Printer,
  type PrintJob,
  type RoutingRule,
} from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import type { PrintOutcome } from '../drivers/driver'
import { type PageSize, sameSize, turned } from '../layout/geometry'
import { countPagesOfJob, maxPagesOfJob, planPlacements } from '../layout/labelLayout'
import type { PrintableLabel } from '../printableLabel'
import type { Rasterizer } from '../raster/rasterizer'
import { isLabelsError, needsChoice, type Succession } from './jobRecord'
import type { NewPrintJob } from './repository'

/**
 * The printer for the labels of a carrier option: that of the first rule for all pages that matches. Without a matching rule a
 * station's only printer takes everything.
 * @returns the errors `no-printer`, and `printer-not-found` when the rule names a printer that no longer exists
 */
export function choosePrinter(
  rules: RoutingRule[],
  printers: Printer[],
  carrierOptionId: number,
): Result<Printer> {
  const rule = rulesFor(rules, carrierOptionId).find(({ pages }) => pages === undefined)
  if (rule !== undefined) return findPrinter(printers, rule.printer)
  const [only, ...others] = printers
  if (only !== undefined && others.length === 0) return ok(only)
  return err(
    printers.length === 0
      ? appError('no-printer')
      : appError('no-printer', { case: 'no-rule', carrierOptionId: String(carrierOptionId) }),
  )
}

/** The printer that takes over when another one failed: that of its first rule with a standby; undefined without one. */
export function standbyPrinter(
  rules: RoutingRule[],
  printers: Printer[],
  carrierOptionId: number,
  failedPrinterId: string,
): Printer | undefined {
  const rule = rulesFor(rules, carrierOptionId).find(
    ({ printer, standby }) => printer === failedPrinterId && standby !== undefined,
  )
  if (rule === undefined || rule.standby === failedPrinterId) return undefined
  return printers.find((printer) => printer.id === rule.standby)
}

/** A printer by its id. */
export function findPrinter(printers: Printer[], printerId: string): Result<Printer> {
  const printer = printers.find((each) => each.id === printerId)
  return printer === undefined ? err(appError('printer-not-found', { printer: printerId })) : ok(printer)
}

/**
 * A printer that says its print mode where another entry of the settings for the same device says one: the device keeps
 * what it was told, TSPL printers also when they are switched off. What is said then is what printers are delivered with.
 */
export function withPrintMode(printer: Printer, printers: readonly Printer[]): Printer {
  if (printer.driver === 'folder' || printer.printMode !== undefined) return printer
  // A queue whose driver draws takes no print mode.
  if (printer.driver === 'system' && printer.language === undefined) return printer
  const others = printers.filter(
    (each) => each.driver !== 'folder' && each.printMode !== undefined && isSameDevice(each, printer),
  )
  return others.length === 0 ? printer : { ...printer, printMode: 'tear-off' }
}

function isSameDevice(one: Printer, other: Printer): boolean {
  if (one.driver === 'socket' && other.driver === 'socket') {
    return one.host === other.host && (isDevicePath(one.host) || one.port === other.port)
  }
  return one.driver === 'system' && other.driver === 'system' && one.queue === other.queue
}

/** The rules that hold for a carrier option, up to the first one that takes all pages. */
function rulesFor(rules: readonly RoutingRule[], carrierOptionId: number): RoutingRule[] {
  const own = rules.filter(
    (rule) => rule.carrierOptionId === undefined || rule.carrierOptionId === carrierOptionId,
  )
  const last = own.findIndex((rule) => rule.pages === undefined)
  return last < 0 ? own : own.slice(0, last + 1)
}

/** Pages of a label that follow one another and go to one printer as one job. */
export interface LabelPart {
  printer: Printer
  /** All when left out. */
  pages?: PageRange
  /** How many pages the label has; left out for one that goes to one printer whole. */
  labelPages?: number
}

/** A label or an invoice that a job prints. */
export interface JobSubject {
  shipmentId: string
  /** Null for the shipment's commercial invoice. */
  labelId: string | null
  /** Of an invoice. */
  language?: Language | undefined
}

/** A job for a part of a label, which belongs to whose work the label is. */
export function toNewJob(
  { shipmentId, labelId, language }: JobSubject,
  { printer, pages, labelPages }: LabelPart,
  kind: PrintJob['kind'],
): NewPrintJob {
  return {
    id: randomUUID(),
    shipmentId,
    labelId,
    ...(language !== undefined && { language }),
    printerId: printer.id,
    printerName: getPrinterName(printer),
    kind,
    ...(pages !== undefined && { pages }),
    ...(labelPages !== undefined && { labelPages }),
  }
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
  /** As many pages as a printer found to be too many for one job allow; left out when none did. */
  maxPages?: number | undefined
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
  const limits = new Map<Printer, number>()
  for (let page = from; page <= Math.min(to, pages.length); page += 1) {
    const taker = printerForPage(page, question)
    const last = parts.at(-1)
    const maxPages = limits.get(taker) ?? maxPagesOn(taker, question)
    limits.set(taker, maxPages)
    const isLong = last !== undefined && page - last.pages.from >= maxPages
    if (last === undefined || last.printer.id !== taker.id || isLong) {
      parts.push({ printer: taker, pages: { from: page, to: page } })
    } else last.pages.to = page
  }
  const [only = { printer, pages: { from, to } }, ...others] = parts
  const labelPages = pages.length
  if (others.length > 0) return parts.map((part) => ({ ...part, labelPages }))
  const { range } = question
  return [{ printer: only.printer, ...(range !== undefined && { pages: range, labelPages }) }]
}

/** As many pages as an error allows in one job; undefined when it is about something else. */
export function maxPagesIn({ code, details }: AppError): number | undefined {
  const pages = Number(details?.maxPages)
  return code === 'label-too-long' && pages >= 1 ? pages : undefined
}

function maxPagesOn(printer: Printer, question: PartsQuestion): number {
  if (printer.driver === 'folder') return Number.POSITIVE_INFINITY
  const { pages, carrierOptionId, placements: rules, maxPages = maxPagesOfJob } = question
  return Math.min(maxPages, countPagesOfJob({ pages, printer, carrierOptionId, rules }))
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

/** A job that was tried on a printer. */
interface TriedJob {
  job: PrintJob
  printer: Printer
  label: PrintableLabel
  /** Takes over when the printer can't print. */
  standby: Printer | undefined
}

interface SuccessionDeps {
  measure: Rasterizer['measure']
  routing(): RoutingRule[]
  printers(): Printer[]
  labelRules(): LabelRules
}

/**
 * The jobs that take the place of one of which provably nothing was printed: the standby's, or those of its parts.
 * @returns undefined when the job itself goes on or has ended
 */
export async function planSuccession(
  tried: TriedJob,
  outcome: PrintOutcome,
  deps: SuccessionDeps,
): Promise<Succession | undefined> {
  if (outcome.kind !== 'failed' || !outcome.nothingPrinted) return undefined
  const { job, standby } = tried
  // No printer can print a label that can't be read, or that a person is to choose something about.
  const mayMove = !isLabelsError(outcome.error) && !needsChoice(outcome.error)
  if (standby === undefined || !mayMove) return planPartsAfter(tried, outcome, deps)
  const moved = toNewJob(job, { ...job, printer: standby }, 'moved')
  return { jobs: [moved], note: { code: 'moved', says: [], printer: moved.printerName } }
}

/**
 * The parts in which a label is printed that one printer can't take at once: it has too many pages, or pages for which
 * the rules name another printer, and it could not be measured before. They come behind what waits already.
 */
async function planPartsAfter(
  { job, printer, label }: TriedJob,
  { error }: Extract<PrintOutcome, { kind: 'failed' }>,
  { measure, routing, printers, labelRules }: SuccessionDeps,
): Promise<Succession | undefined> {
  const { carrierOptionId } = label
  // Where a person asked for a printer or for pages, or an order's rule names the printer, they stay there.
  const isByRules =
    job.document === 'label' &&
    job.kind === 'first' &&
    job.pages === undefined &&
    label.printerId === undefined &&
    isRoutedByPage(routing(), carrierOptionId)
  const { code } = error
  if (code !== 'label-too-long' && !(code === 'label-needs-placement' && isByRules)) return undefined
  const pages = await measure(label.bytes)
  if (!pages.ok) return undefined
  const parts = planParts({
    ...{ pages: pages.value, range: job.pages, printer, carrierOptionId, printers: printers() },
    routing: isByRules ? routing() : [],
    placements: labelRules().placements,
    maxPages: maxPagesIn(error),
  })
  const [first] = parts
  if (parts.length === 1 && first?.printer.id === printer.id) return undefined
  return { jobs: parts.map((part) => toNewJob(job, part, job.kind)), note: { code: 'in-parts', says: [] } }
}
