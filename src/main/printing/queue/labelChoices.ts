import { appError } from '../../../shared/errors'
import type { Area, LabelFinding, LabelRules, PlacementRule, SizeMm } from '../../../shared/labels'
import {
  type Dpi,
  getPrinterName,
  type LossQuestion,
  type OfferedStock,
  type PageRange,
  type PlacementQuestion,
  type Printer,
  type PrintJob,
  type PrintPreview,
  type RoutingRule,
} from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import type { BarcodeProver } from '../barcodes/barcodeProver'
import { type Margins, type PageSize, toTenth } from '../layout/geometry'
import {
  isInRange,
  planPlacements,
  refuseMissingStock,
  ruleFits,
  ruleFor,
  uprightStock,
  withRule,
} from '../layout/labelLayout'
import { describeLeftOut } from '../layout/strayInk'
import { suggestPlacements } from '../layout/suggestPlacements'
import type { LabelSource, PrintableLabel } from '../printableLabel'
import type { Rasterizer } from '../raster/rasterizer'
import type { JobActions } from './jobActions'
import { findZplCommands, toConsents, withConsents, withZplConsent } from './labelConsents'
import { type PreviewInput, previewPages, previewPrint, toPicture } from './printPreview'
import type { PrintJobRepository } from './repository'
import {
  choosePrinter,
  findPrinter,
  getMaxPages,
  hasSize,
  isRoutedByPage,
  type PartsInput,
  type PrintingSettings,
  planParts,
} from './routing'

/** Fine enough to choose a part of a page and to see what would be lost. */
const choiceDotsPerMm = 4
/** Fine enough for small light print, which printers with fine dots draw. */
const leftOutDotsPerMm = 8

/** The page, from 1, on which a person chose a placement. */
export interface SeenPage {
  jobId: string
  page: number
}

/** A person's choice to print a page, from 1, on another printer. */
export interface PageElsewhere {
  jobId: string
  page: number
  printerId: string
  remember: boolean
}

export interface LabelChoicesDeps {
  jobs: Pick<PrintJobRepository, 'find'>
  labels: LabelSource
  settings: PrintingSettings
  rasterizer: Pick<Rasterizer, 'measure' | 'renderGrey' | 'renderMono'>
  /** The unprintable margins of a printer's stock; undefined when they are not known. */
  getMargins(printer: Printer): Promise<Margins | undefined>
  /** The resolution at which the app draws a printer's labels. */
  getDpi(printer: Printer): Promise<Dpi>
  /** The stocks that a printer's queue or driver offers. */
  getStocks(printer: Printer): Promise<OfferedStock[]>
  /** @returns the error `invalid-input` when the settings contradict each other */
  save(change: { labelRules?: LabelRules; routing?: RoutingRule[]; printers?: Printer[] }): Result<unknown>
  /** Reads the barcodes of previews, which are not read without it. */
  prover?: Pick<BarcodeProver, 'prove'> | undefined
  releaseWaiting: JobActions['releaseWaiting']
  printPageElsewhere: JobActions['printPageElsewhere']
  releaseDespite: JobActions['releaseDespite']
}

/** A job with its label and its printer. */
interface LabelOfJob {
  job: PrintJob
  label: PrintableLabel
  printer: Printer
}

/** @returns the errors `print-job-not-found`, `label-not-found` and `printer-not-found` */
async function findLabelOfJob(
  jobId: string,
  { jobs, labels, settings }: Pick<LabelChoicesDeps, 'jobs' | 'labels' | 'settings'>,
): Promise<Result<LabelOfJob>> {
  const job = await jobs.find(jobId)
  if (job === undefined) return err(appError('print-job-not-found'))
  if (job.labelId === null) return err(noChoiceNeeded(job))
  const label = await labels.find(job.labelId)
  if (!label.ok) return label
  const printer = findPrinter(settings.current().printers, job.printerId)
  return printer.ok ? ok({ job, label: label.value, printer: printer.value }) : printer
}

/** Previews the first part of a label; undefined when the label is not printed in parts. */
async function previewFirstPart(
  { label, printer, rules, range }: Omit<PreviewInput, 'dpi'>,
  limits: Pick<PartsInput, 'routing' | 'maxPages'>,
  {
    rasterizer,
    settings,
    prover,
    getDpi,
  }: Pick<LabelChoicesDeps, 'rasterizer' | 'settings' | 'prover' | 'getDpi'>,
): Promise<PrintPreview | undefined> {
  const pages = label.kind === 'pdf' ? await rasterizer.measure(label.bytes) : undefined
  if (pages?.ok !== true) return undefined
  const parts = planParts({
    ...{ ...limits, pages: pages.value, range, printer, carrierOptionId: label.carrierOptionId },
    ...{ printers: settings.current().printers, placements: rules },
  })
  const [first] = parts
  if (first?.pages === undefined || parts.length === 1) return undefined
  const dpi = await getDpi(first.printer)
  const question = { label, printer: first.printer, dpi, rules, range: first.pages }
  const preview = await previewPrint(question, rasterizer, prover)
  return { ...preview, firstPart: { parts: parts.length, ...first.pages } }
}

/** The decisions that a person makes about labels: placements, losses, ZPL commands and stocks; and label previews. */
export function createLabelChoices(deps: LabelChoicesDeps) {
  const { labels, settings, rasterizer } = deps

  /** Saves a choice for later labels and queues the waiting jobs again. */
  async function saveAndRelease(change: Parameters<typeof deps.save>[0]): Promise<Result<undefined>> {
    const saved = deps.save(change)
    if (!saved.ok) return saved
    await deps.releaseWaiting()
    return ok(undefined)
  }

  return {
    /**
     * The question where a page lands on the stock, with a picture of the page and suggestions.
     * @param page from 1; the first page without a rule when left out
     * @returns `print-job-not-found`, or `print-job-not-open` for a job that needs no such choice
     */
    async askPlacement(jobId: string, page?: number): Promise<Result<PlacementQuestion>> {
      const subject = await findLabelOfJob(jobId, deps)
      return subject.ok ? toPlacementQuestion(subject.value, page, deps) : subject
    },

    /** Previews one page with a placement rule that is not saved. @param page from 1 */
    async tryPlacement(jobId: string, rule: PlacementRule, page: number): Promise<Result<PrintPreview>> {
      const subject = await findLabelOfJob(jobId, deps)
      if (!subject.ok) return subject
      if (!ruleFits(rule)) return err(doesNotFit())
      const { label, printer } = subject.value
      const rules = withRule(settings.current().labelRules.placements, rule)
      const range = { from: page, to: page }
      const dpi = await deps.getDpi(printer)
      return ok(await previewPrint({ label, printer, dpi, rules, range }, rasterizer))
    },

    /**
     * Prints a page of a waiting job, and all others of its size, on another printer.
     * `remember` also adds a routing rule for later labels of the carrier option.
     */
    async printPageElsewhere({
      jobId,
      page,
      printerId,
      remember,
    }: PageElsewhere): Promise<Result<undefined>> {
      const subject = await findLabelOfJob(jobId, deps)
      if (!subject.ok) return subject
      const { label } = subject.value
      const pages = await rasterizer.measure(label.bytes)
      if (!pages.ok) return pages
      const printed = await deps.printPageElsewhere(jobId, page, printerId)
      const size = pages.value[page - 1]
      if (!printed.ok || size === undefined || !remember) return printed.ok ? ok(undefined) : printed
      const { routing } = settings.current()
      return saveAndRelease({ routing: withPageRule(routing, label.carrierOptionId, size, printerId) })
    },

    /**
     * Saves a placement rule and queues the waiting jobs again; `placement-does-not-fit` for one that can't be printed.
     */
    async savePlacement(chosen: PlacementRule, seen?: SeenPage): Promise<Result<undefined>> {
      if (!ruleFits(chosen)) return err(doesNotFit())
      const leftOut = seen === undefined ? undefined : await findLeftOut(chosen, seen, deps)
      const rule = { ...chosen, ...(leftOut !== undefined && { leftOut }) }
      const { labelRules: rules } = settings.current()
      return saveAndRelease({ labelRules: { ...rules, placements: withRule(rules.placements, rule) } })
    },

    /**
     * Allows the commands of a waiting ZPL label for its carrier option and printer, and queues the waiting jobs again.
     */
    async allowZplCommands(jobId: string): Promise<Result<undefined>> {
      const subject = await findLabelOfJob(jobId, deps)
      if (!subject.ok) return subject
      const { label, printer } = subject.value
      const { labelRules: rules } = settings.current()
      const key = { carrierOptionId: label.carrierOptionId, printerId: printer.id }
      const zplCommands = withZplConsent(rules.zplCommands, key, findZplCommands(label, printer))
      return saveAndRelease({ labelRules: { ...rules, zplCommands } })
    },

    /**
     * Previews a label on its usual printer or a given one: the first part of a label that is printed in parts, the
     * pages of a label that no printer can print as it is.
     * @param pages of a job that prints some pages only; all when left out
     */
    async preview(labelId: string, printerId?: string, pages?: PageRange): Promise<Result<PrintPreview>> {
      const label = await labels.find(labelId)
      if (!label.ok) return label
      const { carrierOptionId } = label.value
      const named = printerId ?? label.value.printerId
      const { printers, routing: routingRules, labelRules } = settings.current()
      const printer =
        named === undefined
          ? choosePrinter(routingRules, printers, carrierOptionId)
          : findPrinter(printers, named)
      const shown = { label: label.value, ...(pages !== undefined && { range: pages }) }
      if (!printer.ok) return ok(await previewPages(shown, printer.error, rasterizer))
      const rules = labelRules.placements
      const question = { ...shown, printer: printer.value, rules }
      const routing = named === undefined ? routingRules : []
      if (isRoutedByPage(routing, carrierOptionId)) {
        const part = await previewFirstPart(question, { routing }, deps)
        if (part !== undefined) return ok(part)
      }
      const dpi = await deps.getDpi(printer.value)
      const preview = await previewPrint({ ...question, dpi }, rasterizer, deps.prover)
      if (preview.problem?.code === 'label-too-long') {
        const limits = { routing, maxPages: getMaxPages(preview.problem) }
        return ok((await previewFirstPart(question, limits, deps)) ?? preview)
      }
      return ok(
        preview.problem?.code === 'label-needs-placement'
          ? await previewPages(shown, preview.problem, rasterizer)
          : preview,
      )
    },

    /**
     * The question whether a label may lose content, with pictures of the pages concerned.
     * @returns `print-job-not-found`, or `print-job-not-open` for a job that waits for no such choice
     */
    async askLosses(jobId: string): Promise<Result<LossQuestion>> {
      const held = await findHeldLabel(jobId, deps)
      if (!held.ok) return held
      const { findings, label, printer } = held.value
      const numbers = [...new Set(findings.map(({ page }) => page))].sort((one, other) => one - other)
      const sizes = label.kind === 'pdf' ? await rasterizer.measure(label.bytes) : ok([])
      const pages: LossQuestion['pages'] = []
      for (const page of numbers) {
        const size = sizes.ok ? sizes.value[page - 1] : undefined
        if (size === undefined) continue
        const drawn = await rasterizer.renderGrey(label.bytes, choiceDotsPerMm, page - 1)
        const picture = drawn.ok ? drawn.value[0] : undefined
        if (picture === undefined) continue
        const shown = { widthMm: size.widthMm, heightMm: size.heightMm }
        pages.push({ page, size: shown, picture: toPicture(picture) })
      }
      const adjustable = findings.find(({ kind, page }) => {
        const size = sizes.ok ? sizes.value[page - 1] : undefined
        if (size === undefined || printer.driver === 'folder') return false
        if (kind === 'ink-cut') return true
        // Without a placement rule a page is printed whole and 1:1: no placement improves its barcodes.
        const { placements } = settings.current().labelRules
        return (
          (kind === 'barcode-lost' || kind === 'barcode-differs') &&
          ruleFor(placements, label.carrierOptionId, size, uprightStock(printer)) !== undefined
        )
      })
      return ok({
        jobId,
        printerName: getPrinterName(printer),
        findings,
        pages,
        adjustablePage: adjustable?.page ?? null,
        stocks: await listReplacementStocks(held.value, deps),
      })
    },

    /**
     * Prints a label in spite of its losses.
     * @param remember also allow the same losses for later labels of the carrier option on the same printer
     */
    async printDespiteLosses(jobId: string, remember: boolean): Promise<Result<undefined>> {
      const held = await findHeldLabel(jobId, deps)
      if (!held.ok) return held
      const { findings, label, printer } = held.value
      // The job itself also keeps the consent: the settings may change before it is printed. It is released first,
      // since saved settings release all waiting jobs.
      const released = await deps.releaseDespite(jobId, [...new Set(findings.map(({ kind }) => kind))])
      if (!released.ok || !remember) return released.ok ? ok(undefined) : released
      const { labelRules: rules } = settings.current()
      const key = { carrierOptionId: label.carrierOptionId, printerId: printer.id }
      const losses = withConsents(rules.losses, toConsents(findings, key))
      return saveAndRelease({ labelRules: { ...rules, losses } })
    },

    /** Sets the printer of a waiting job to a stock that its queue offers, and queues the waiting jobs again. */
    async chooseStock(jobId: string, paper: string): Promise<Result<undefined>> {
      const held = await findHeldLabel(jobId, deps)
      if (!held.ok) return held
      const { printer, findings } = held.value
      const stocks = await listReplacementStocks(held.value, deps)
      const chosen = stocks.find((each) => each.paper === paper)
      if (chosen === undefined || printer.driver !== 'system') {
        const refused = refuseMissingStock(findings, printer)
        return refused.ok ? err(noChoiceNeeded(held.value.job)) : refused
      }
      const changed = { ...printer, paper, ...(chosen.size !== null && { stock: chosen.size }) }
      const { printers } = settings.current()
      return saveAndRelease({ printers: printers.map((each) => (each.id === printer.id ? changed : each)) })
    },
  }
}

/**
 * The stocks that can replace a missing one. A printer of label sheets gets none: its queue knows only whole sheets.
 */
async function listReplacementStocks(
  { findings, printer }: { findings: readonly LabelFinding[]; printer: Printer },
  { getStocks }: Pick<LabelChoicesDeps, 'getStocks'>,
): Promise<OfferedStock[]> {
  const isMissing = findings.some(({ kind }) => kind === 'stock-missing')
  return isMissing && printer.driver === 'system' && printer.sheet === undefined ? getStocks(printer) : []
}

/** The label of a job that waits because it would lose content. */
async function findHeldLabel(jobId: string, deps: Pick<LabelChoicesDeps, 'jobs' | 'labels' | 'settings'>) {
  const found = await findLabelOfJob(jobId, deps)
  if (!found.ok) return found
  const { state, error } = found.value.job
  const findings = state === 'waiting' && error?.code === 'label-loses-content' ? error.findings : undefined
  return findings === undefined ? err(noChoiceNeeded(found.value.job)) : ok({ ...found.value, findings })
}

/** Puts a rule for pages of a size before all other routing rules; it replaces an older one for the same pages. */
function withPageRule(
  routing: readonly RoutingRule[],
  carrierOptionId: number,
  size: PageSize,
  printer: string,
): RoutingRule[] {
  const others = routing.filter(
    ({ pages, ...rule }) =>
      rule.carrierOptionId !== carrierOptionId || typeof pages !== 'object' || !hasSize(size, pages),
  )
  const pages = { widthMm: toTenth(size.widthMm), heightMm: toTenth(size.heightMm) }
  return [{ carrierOptionId, pages, printer }, ...others]
}

/** Pages are centred on the stock: the wider of two opposite margins counts on both sides. */
function withoutMargins({ widthMm, heightMm }: SizeMm, margins: Margins | undefined): SizeMm {
  if (margins === undefined) return { widthMm, heightMm }
  const { left, top, right, bottom } = margins
  return { widthMm: widthMm - 2 * Math.max(left, right), heightMm: heightMm - 2 * Math.max(top, bottom) }
}

/** The areas with ink outside the parts that a person chose; undefined when the page can't be drawn. */
async function findLeftOut(
  { areas }: PlacementRule,
  { jobId, page }: SeenPage,
  deps: LabelChoicesDeps,
): Promise<Area[] | undefined> {
  const subject = await findLabelOfJob(jobId, deps)
  if (!subject.ok) return undefined
  const drawn = await deps.rasterizer.renderGrey(subject.value.label.bytes, leftOutDotsPerMm, page - 1)
  const picture = drawn.ok ? drawn.value[0] : undefined
  return picture && describeLeftOut(picture, leftOutDotsPerMm, areas)
}

async function toPlacementQuestion(
  { job, label, printer }: LabelOfJob,
  pageNumber: number | undefined,
  { settings, rasterizer, getMargins }: LabelChoicesDeps,
): Promise<Result<PlacementQuestion>> {
  if (printer.driver === 'folder') return err(noChoiceNeeded(job))
  const pages = await rasterizer.measure(label.bytes)
  if (!pages.ok) return pages
  const { carrierOptionId } = label
  const rules = settings.current().labelRules.placements
  const needsRule = (page: number) =>
    !planPlacements({
      pages: pages.value,
      printer,
      carrierOptionId,
      rules,
      range: { from: page + 1, to: page + 1 },
    }).ok
  const wanted =
    pageNumber === undefined
      ? pages.value.findIndex((_, page) => isInRange(page, job.pages) && needsRule(page))
      : pageNumber - 1
  const size = pages.value[wanted]
  if (size === undefined) return err(noChoiceNeeded(job))
  const drawn = await rasterizer.renderGrey(label.bytes, choiceDotsPerMm, wanted)
  const picture = drawn.ok ? drawn.value[0] : undefined
  if (picture === undefined) return drawn.ok ? err(noChoiceNeeded(job)) : drawn
  const page = { widthMm: size.widthMm, heightMm: size.heightMm }
  const stock = uprightStock(printer)
  const printable = uprightStock({
    ...printer,
    stock: withoutMargins(printer.stock, await getMargins(printer)),
  })
  return ok({
    jobId: job.id,
    printerId: printer.id,
    printerName: getPrinterName(printer),
    carrierOptionId,
    pageNumber: wanted + 1,
    page,
    stock,
    picture: toPicture(picture),
    suggestions: suggestPlacements(page, printable, picture, choiceDotsPerMm),
  })
}

function noChoiceNeeded(job: PrintJob) {
  return appError('print-job-not-open', { case: 'no-choice', state: job.state })
}

function doesNotFit() {
  return appError('placement-does-not-fit')
}
