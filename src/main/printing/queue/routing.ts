import { randomUUID } from 'node:crypto'
import { type AppError, appError } from '../../../shared/errors'
import type { Language } from '../../../shared/fields'
import type { PlacementRule, SizeMm } from '../../../shared/labels'
import type { PrintNote } from '../../../shared/printerRemarks'
import {
  getPrinterName,
  isDevicePath,
  type PageRange,
  type Printer,
  type PrintJob,
  type RoutingRule,
} from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import type { Settings } from '../../../shared/settings'
import { isLabelDefect, needsChoice, type PrintOutcome, waitsForPrinter } from '../drivers/driver'
import { type PageSize, sameSize, turned } from '../layout/geometry'
import { countPagesOfJob, maxPagesOfJob, planPlacements } from '../layout/labelLayout'
import type { PrintableLabel } from '../printableLabel'
import type { Rasterizer } from '../raster/rasterizer'
import type { NewPrintJob } from './repository'

/**
 * The printer for the labels of a carrier option, from the first matching rule for all pages. Without a matching rule
 * it is the first printer of the settings.
 * @returns the errors `no-printer`, and `printer-not-found` when the rule names a printer that no longer exists
 */
export function choosePrinter(
  rules: RoutingRule[],
  printers: Printer[],
  carrierOptionId: number,
): Result<Printer> {
  const rule = rulesFor(rules, carrierOptionId).find(({ pages }) => pages === undefined)
  if (rule !== undefined) return findPrinter(printers, rule.printer)
  const [first] = printers
  return first === undefined ? err(appError('no-printer')) : ok(first)
}

/** The printer that takes over from a failed one, from the first rule of the failed printer that names a standby. */
export function findStandbyPrinter(
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

export function findPrinter(printers: Printer[], printerId: string): Result<Printer> {
  const printer = printers.find((each) => each.id === printerId)
  return printer === undefined ? err(appError('printer-not-found', { printer: printerId })) : ok(printer)
}

/** Stands in the job of an invoice for which there was no document printer. */
export const noPrinter = { id: '', name: '–' }

/**
 * Sets the print mode of a printer without one to `tear-off`, the factory setting, when another entry of the settings
 * for the same device sets a mode: the device keeps the mode of its last label, TSPL printers even when switched off.
 */
export function withPrintMode(printer: Printer, printers: readonly Printer[]): Printer {
  if (printer.driver === 'folder' || printer.printMode !== undefined) return printer
  // A system queue without a printer language is usually drawn by the system's driver, which takes no print mode.
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

/** The rules that apply to a carrier option, up to the first one that takes all pages. */
function rulesFor(rules: readonly RoutingRule[], carrierOptionId: number): RoutingRule[] {
  const own = rules.filter(
    (rule) => rule.carrierOptionId === undefined || rule.carrierOptionId === carrierOptionId,
  )
  const last = own.findIndex((rule) => rule.pages === undefined)
  return last < 0 ? own : own.slice(0, last + 1)
}

/** Consecutive pages of a label that one printer prints as one job. */
export interface LabelPart {
  printer: Printer
  /** All when left out. */
  pages?: PageRange
  /** How many pages the label has; left out when one printer prints the whole label. */
  labelPages?: number
}

/** What a job prints of its label or invoice, and where. */
export type JobPart = Omit<LabelPart, 'printer'> & { printer: Pick<Printer, 'id' | 'name'> }

/** The label or invoice that a job prints. */
export interface JobSubject {
  shipmentId: string
  /** Null for the shipment's commercial invoice. */
  labelId: string | null
  /** Of an invoice. */
  language?: Language | undefined
}

/**
 * A new job for a part of a label. It has no operator: it gets the one of its shipment or of the job that it replaces.
 */
export function toNewJob(
  { shipmentId, labelId, language }: JobSubject,
  { printer, pages, labelPages }: JobPart,
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

/** A label's pages and the rules that decide which printer prints them. */
export interface PartsInput {
  pages: readonly PageSize[]
  /** The pages to print; all when left out. */
  range?: PageRange | undefined
  /** The label's own printer: it takes the pages that no rule sends elsewhere. */
  printer: Printer
  carrierOptionId: number
  routing: readonly RoutingRule[]
  printers: readonly Printer[]
  placements: readonly PlacementRule[]
  /** The maximum of pages in one job, from a printer that refused more; left out when none did. */
  maxPages?: number | undefined
}

/**
 * Splits a label into parts, in the order of its pages: one for each change of printer, and none with more pages than
 * can be drawn as one job. A rule whose printer no longer exists is ignored: the page stays with the label's own
 * printer.
 * @returns at least one part; a single one without a range when one printer takes the whole label at once
 */
export function planParts(input: PartsInput): LabelPart[] {
  const { pages, printer } = input
  const { from, to } = input.range ?? { from: 1, to: pages.length }
  const parts: { printer: Printer; pages: PageRange }[] = []
  const limits = new Map<Printer, number>()
  for (let page = from; page <= Math.min(to, pages.length); page += 1) {
    const taker = printerForPage(page, input)
    const last = parts.at(-1)
    const maxPages = limits.get(taker) ?? maxPagesOn(taker, input)
    limits.set(taker, maxPages)
    const isLong = last !== undefined && page - last.pages.from >= maxPages
    if (last === undefined || last.printer.id !== taker.id || isLong) {
      parts.push({ printer: taker, pages: { from: page, to: page } })
    } else last.pages.to = page
  }
  const [only = { printer, pages: { from, to } }, ...others] = parts
  const labelPages = pages.length
  if (others.length > 0) return parts.map((part) => ({ ...part, labelPages }))
  const { range } = input
  return [{ printer: only.printer, ...(range !== undefined && { pages: range, labelPages }) }]
}

/** The maximum of pages in one job that a `label-too-long` error names; undefined for other errors. */
export function getMaxPages({ code, details }: AppError): number | undefined {
  const pages = Number(details?.maxPages)
  return code === 'label-too-long' && pages >= 1 ? pages : undefined
}

function maxPagesOn(printer: Printer, input: PartsInput): number {
  if (printer.driver === 'folder') return Number.POSITIVE_INFINITY
  const { pages, carrierOptionId, placements: rules, maxPages = maxPagesOfJob } = input
  return Math.min(maxPages, countPagesOfJob({ pages, printer, carrierOptionId, rules }))
}

/** Whether labels of a carrier option must be measured to find the printers of their pages. */
export function isRoutedByPage(routing: readonly RoutingRule[], carrierOptionId: number): boolean {
  return rulesFor(routing, carrierOptionId).some((rule) => rule.pages !== undefined)
}

/** Whether a page has a size, upright or turned. */
export function hasSize(page: PageSize, size: SizeMm): boolean {
  return sameSize(page, size) || sameSize(turned(page, 90), size)
}

function printerForPage(page: number, input: PartsInput): Printer {
  const { pages, printer, carrierOptionId, routing, printers } = input
  const size = pages[page - 1]
  if (size === undefined) return printer
  for (const rule of rulesFor(routing, carrierOptionId)) {
    if (rule.pages === undefined) return printer
    const takes = rule.pages === 'larger-than-stock' ? !fitsOn(page, input) : hasSize(size, rule.pages)
    const named = takes ? findPrinter([...printers], rule.printer) : undefined
    if (named?.ok === true) return named.value
  }
  return printer
}

/** Whether the label's own printer can print a page 1:1 or by a placement rule. */
function fitsOn(page: number, { pages, printer, carrierOptionId, placements }: PartsInput): boolean {
  if (printer.driver === 'folder') return true
  const range = { from: page, to: page }
  return planPlacements({ pages, printer, carrierOptionId, rules: placements, range }).ok
}

/** New jobs that replace one of which nothing was printed. */
export interface Replacement {
  jobs: NewPrintJob[]
  /** Kept with the replaced job: why it was replaced, or where its label went. */
  note: PrintNote
}

/** The settings that printing uses, read at each use: a person may change them at any moment. */
export interface PrintingSettings {
  current(): Pick<Settings, 'printers' | 'routing' | 'labelRules'>
}

/** A job that was tried on its printer. */
interface TriedJob {
  job: PrintJob
  printer: Printer
  label: PrintableLabel
  /** Takes over when the printer can't print. */
  standby: Printer | undefined
  isStandbyPaused: boolean
}

interface ReplacementDeps {
  measure: Rasterizer['measure']
  settings: PrintingSettings
}

/**
 * The jobs that replace a failed one of which provably nothing was printed: one on the standby printer, or one for each
 * part of a label that has to be split.
 * @returns undefined when the job is not replaced
 */
export async function planReplacement(
  tried: TriedJob,
  outcome: PrintOutcome,
  deps: ReplacementDeps,
): Promise<Replacement | undefined> {
  if (outcome.kind !== 'failed' || !outcome.nothingPrinted) return undefined
  const { job, standby, isStandbyPaused } = tried
  // Another printer does not help when the label is defective or waits for a person's choice.
  const mayMove = !isLabelDefect(outcome.error) && !needsChoice(outcome.error)
  // At a paused standby it would wait for a person, even when its own printer is ready again.
  const staysHere = isStandbyPaused && waitsForPrinter(outcome)
  if (standby === undefined || !mayMove || staysHere) return planSplit(tried, outcome, deps)
  const moved = toNewJob(job, { ...job, printer: standby }, 'moved')
  return { jobs: [moved], note: { code: 'moved', says: [], printer: moved.printerName } }
}

/**
 * Splits a label that one printer can't print at once: it has too many pages, or pages that the rules send to another
 * printer and could not be measured when the job was made. The parts queue behind the jobs that already wait.
 */
async function planSplit(
  { job, printer, label }: TriedJob,
  { error }: Extract<PrintOutcome, { kind: 'failed' }>,
  { measure, settings }: ReplacementDeps,
): Promise<Replacement | undefined> {
  const { carrierOptionId } = label
  // Pages stay on their printer when a person chose the printer or the pages, or a rule of the order names the printer.
  const isByRules =
    job.document === 'label' &&
    job.kind === 'first' &&
    job.pages === undefined &&
    label.printerId === undefined &&
    isRoutedByPage(settings.current().routing, carrierOptionId)
  const { code } = error
  if (code !== 'label-too-long' && !(code === 'label-needs-placement' && isByRules)) return undefined
  const pages = await measure(label.bytes)
  if (!pages.ok) return undefined
  const { printers, routing, labelRules } = settings.current()
  const parts = planParts({
    ...{ pages: pages.value, range: job.pages, printer, carrierOptionId, printers },
    routing: isByRules ? routing : [],
    placements: labelRules.placements,
    maxPages: getMaxPages(error),
  })
  const [first] = parts
  if (parts.length === 1 && first?.printer.id === printer.id) return undefined
  return { jobs: parts.map((part) => toNewJob(job, part, job.kind)), note: { code: 'in-parts', says: [] } }
}
