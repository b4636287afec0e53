import { appError } from '../../../shared/errors'
import type { Area, LabelFinding, LabelRules, PlacementRule, SizeMm } from '../../../shared/labels'
import {
  getPrinterName,
  type LossQuestion,
  type OfferedStock,
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
import { consentsFor, findZplCommands, withConsent, withConsents } from './labelConsents'
import { type PreviewQuestion, previewPages, previewPrint, toPicture } from './printPreview'
import type { PrintJobRepository } from './repository'
import {
  choosePrinter,
  findPrinter,
  isOfSize,
  isRoutedByPage,
  maxPagesIn,
  type PartsQuestion,
  planParts,
} from './routing'

/** Fine enough to choose a part of a page by, and to see what would be lost. */
const questionDotsPerMm = 4

/** The page, from 1, of the job on which a person chose. */
export interface SeenPage {
  jobId: string
  page: number
}

/** A page, from 1, that a person wants on another printer. */
export interface PageElsewhere {
  jobId: string
  page: number
  printerId: string
  remember: boolean
}

export interface LabelChoicesDeps {
  jobs: Pick<PrintJobRepository, 'find'>
  labels: LabelSource
  printers(): Printer[]
  routing(): RoutingRule[]
  labelRules(): LabelRules
  rasterizer: Pick<Rasterizer, 'measure' | 'renderGrey' | 'renderMono'>
  /** The edges of a printer's stock that it can't print on; undefined when that is not known. */
  getMargins(printer: Printer): Promise<Margins | undefined>
  /** The stocks that a printer's queue or driver offers. */
  getStocks(printer: Printer): Promise<OfferedStock[]>
  /** @returns the error `invalid-input` when the settings contradict each other */
  save(change: { labelRules?: LabelRules; routing?: RoutingRule[]; printers?: Printer[] }): Result<unknown>
  /** Reads the barcodes of previews; they are not read when it is left out. */
  prover?: Pick<BarcodeProver, 'prove'> | undefined
  releaseWaiting: JobActions['releaseWaiting']
  printPageElsewhere: JobActions['printPageElsewhere']
  releaseDespite: JobActions['releaseDespite']
}

/** A job with all that it is about. */
interface LabelOfJob {
  job: PrintJob
  label: PrintableLabel
  printer: Printer
}

/** @returns the errors `print-job-not-found`, `label-not-found` and `printer-not-found` */
async function findLabelOfJob(
  jobId: string,
  { jobs, labels, printers }: Pick<LabelChoicesDeps, 'jobs' | 'labels' | 'printers'>,
): Promise<Result<LabelOfJob>> {
  const job = await jobs.find(jobId)
  if (job === undefined) return err(appError('print-job-not-found'))
  if (job.labelId === null) return err(noChoiceNeeded(job))
  const label = await labels.find(job.labelId)
  if (!label.ok) return label
  const printer = findPrinter(printers(), job.printerId)
  return printer.ok ? ok({ job, label: label.value, printer: printer.value }) : printer
}

/** The first part of a label as its printer will show it; undefined when the label is not printed in parts. */
async function previewFirstPart(
  { label, printer, rules }: PreviewQuestion,
  limits: Pick<PartsQuestion, 'routing' | 'maxPages'>,
  { rasterizer, printers, prover }: Pick<LabelChoicesDeps, 'rasterizer' | 'printers' | 'prover'>,
): Promise<PrintPreview | undefined> {
  const pages = label.kind === 'pdf' ? await rasterizer.measure(label.bytes) : undefined
  if (pages?.ok !== true) return undefined
  const parts = planParts({
    ...{ ...limits, pages: pages.value, printer, carrierOptionId: label.carrierOptionId },
    ...{ printers: printers(), placements: rules },
  })
  const [first] = parts
  if (first?.pages === undefined || parts.length === 1) return undefined
  const question = { label, printer: first.printer, rules, range: first.pages }
  const shown = await previewPrint(question, rasterizer, prover)
  const firstPart = { parts: parts.length, ...first.pages, labelPages: pages.value.length }
  return { ...shown, firstPart }
}

/** What a person is asked about labels once, and what they look at. It keeps no state of its own. */
export function createLabelChoices(deps: LabelChoicesDeps) {
  const { labels, printers, rasterizer } = deps

  /** Remembers a choice and lets waiting jobs try again. */
  async function saveAndRelease(change: Parameters<typeof deps.save>[0]): Promise<Result<undefined>> {
    const saved = deps.save(change)
    if (!saved.ok) return saved
    await deps.releaseWaiting()
    return ok(undefined)
  }

  return {
    /**
     * @param page from 1; the first page without a rule when left out
     * @returns `print-job-not-found`, or `print-job-not-open` for a job that needs no such choice
     */
    async askPlacement(jobId: string, page?: number): Promise<Result<PlacementQuestion>> {
      const subject = await findLabelOfJob(jobId, deps)
      return subject.ok ? toQuestion(subject.value, page, deps) : subject
    },

    /** @param page from 1; another one may still need a rule of its own */
    async tryPlacement(jobId: string, rule: PlacementRule, page: number): Promise<Result<PrintPreview>> {
      const subject = await findLabelOfJob(jobId, deps)
      if (!subject.ok) return subject
      if (!ruleFits(rule)) return err(doesNotFit())
      const { label, printer } = subject.value
      const rules = withRule(deps.labelRules().placements, rule)
      const range = { from: page, to: page }
      return ok(await previewPrint({ label, printer, rules, range }, rasterizer))
    },

    /**
     * Prints the pages of a waiting job that have one page's size on another printer.
     * @param choice `remember`: the same for later labels of the carrier option
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
      return saveAndRelease({ routing: withPageRule(deps.routing(), label.carrierOptionId, size, printerId) })
    },

    /** Remembers a rule and lets waiting jobs try again; `placement-does-not-fit` for one that can't be printed. */
    async savePlacement(chosen: PlacementRule, seen?: SeenPage): Promise<Result<undefined>> {
      if (!ruleFits(chosen)) return err(doesNotFit())
      const leftOut = seen === undefined ? undefined : await listLeftOut(chosen, seen, deps)
      const rule = { ...chosen, ...(leftOut !== undefined && { leftOut }) }
      const rules = deps.labelRules()
      return saveAndRelease({ labelRules: { ...rules, placements: withRule(rules.placements, rule) } })
    },

    /** Remembers that the commands of a waiting ZPL label may be sent, and lets it go on. */
    async allowZplCommands(jobId: string): Promise<Result<undefined>> {
      const subject = await findLabelOfJob(jobId, deps)
      if (!subject.ok) return subject
      const { label, printer } = subject.value
      const rules = deps.labelRules()
      const key = { carrierOptionId: label.carrierOptionId, printerId: printer.id }
      const zplCommands = withConsent(rules.zplCommands, key, findZplCommands(label, printer))
      return saveAndRelease({ labelRules: { ...rules, zplCommands } })
    },

    /**
     * A label as its usual printer will show it, or another; the first part of one that is printed in parts; its pages where
     * no printer can print it as it is.
     */
    async preview(labelId: string, printerId?: string): Promise<Result<PrintPreview>> {
      const label = await labels.find(labelId)
      if (!label.ok) return label
      const { carrierOptionId } = label.value
      const named = printerId ?? label.value.printerId
      const printer =
        named === undefined
          ? choosePrinter(deps.routing(), printers(), carrierOptionId)
          : findPrinter(printers(), named)
      if (!printer.ok) return ok(await previewPages(label.value, printer.error, rasterizer))
      const rules = deps.labelRules().placements
      const question = { label: label.value, printer: printer.value, rules }
      const routing = named === undefined ? deps.routing() : []
      if (isRoutedByPage(routing, carrierOptionId)) {
        const part = await previewFirstPart(question, { routing }, deps)
        if (part !== undefined) return ok(part)
      }
      const shown = await previewPrint(question, rasterizer, deps.prover)
      if (shown.problem?.code === 'label-too-long') {
        const limits = { routing, maxPages: maxPagesIn(shown.problem) }
        return ok((await previewFirstPart(question, limits, deps)) ?? shown)
      }
      return ok(
        shown.problem?.code === 'label-needs-placement'
          ? await previewPages(label.value, shown.problem, rasterizer)
          : shown,
      )
    },

    /** @returns `print-job-not-found`, or `print-job-not-open` for a job that waits for no such choice */
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
        const drawn = await rasterizer.renderGrey(label.bytes, questionDotsPerMm, page - 1)
        const picture = drawn.ok ? drawn.value[0] : undefined
        if (picture === undefined) continue
        const shown = { widthMm: size.widthMm, heightMm: size.heightMm }
        pages.push({ page, size: shown, picture: toPicture(picture) })
      }
      const adjustable = findings.find(({ kind, page }) => {
        const size = sizes.ok ? sizes.value[page - 1] : undefined
        if (size === undefined || printer.driver === 'folder') return false
        if (kind === 'ink-cut') return true
        // Without a rule a page is printed whole and in size: no other placement makes its barcodes better.
        const { placements } = deps.labelRules()
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
        stocks: await listStocks(held.value, deps),
      })
    },

    /**
     * Prints the label all the same.
     * @param remember also later labels of its carrier option on its printer that lose the same
     */
    async printDespiteLosses(jobId: string, remember: boolean): Promise<Result<undefined>> {
      const held = await findHeldLabel(jobId, deps)
      if (!held.ok) return held
      const { findings, label, printer } = held.value
      if (remember) {
        const rules = deps.labelRules()
        const key = { carrierOptionId: label.carrierOptionId, printerId: printer.id }
        const losses = withConsents(rules.losses, consentsFor(findings, key))
        const saved = deps.save({ labelRules: { ...rules, losses } })
        if (!saved.ok) return saved
      }
      // Also when it is remembered: settings can be changed before the job's turn comes.
      const released = await deps.releaseDespite(jobId, [...new Set(findings.map(({ kind }) => kind))])
      if (!released.ok) return released
      if (remember) await deps.releaseWaiting()
      return ok(undefined)
    },

    /** Sets the printer of a held job to a stock that it offers, and lets waiting jobs try again. */
    async chooseStock(jobId: string, paper: string): Promise<Result<undefined>> {
      const held = await findHeldLabel(jobId, deps)
      if (!held.ok) return held
      const { printer, findings } = held.value
      const stocks = await listStocks(held.value, deps)
      const chosen = stocks.find((each) => each.paper === paper)
      if (chosen === undefined || printer.driver !== 'system') {
        const refused = refuseMissingStock(findings, printer)
        return refused.ok ? err(noChoiceNeeded(held.value.job)) : refused
      }
      const changed = { ...printer, paper, ...(chosen.size !== null && { stock: chosen.size }) }
      return saveAndRelease({ printers: printers().map((each) => (each.id === printer.id ? changed : each)) })
    },
  }
}

/** What is offered in the place of a missing stock. The labels of a sheet are not the queue's to say. */
async function listStocks(
  { findings, printer }: { findings: readonly LabelFinding[]; printer: Printer },
  { getStocks }: Pick<LabelChoicesDeps, 'getStocks'>,
): Promise<OfferedStock[]> {
  const isMissing = findings.some(({ kind }) => kind === 'stock-missing')
  return isMissing && printer.driver === 'system' && printer.sheet === undefined ? getStocks(printer) : []
}

/** The label of a job that waits because it would lose something. */
async function findHeldLabel(jobId: string, deps: Pick<LabelChoicesDeps, 'jobs' | 'labels' | 'printers'>) {
  const found = await findLabelOfJob(jobId, deps)
  if (!found.ok) return found
  const { state, error } = found.value.job
  const findings = state === 'waiting' && error?.code === 'label-loses-content' ? error.findings : undefined
  return findings === undefined ? err(noChoiceNeeded(found.value.job)) : ok({ ...found.value, findings })
}

/** The routing with a rule for pages of a size before all others; an older one for the same pages goes. */
function withPageRule(
  routing: readonly RoutingRule[],
  carrierOptionId: number,
  size: PageSize,
  printer: string,
): RoutingRule[] {
  const others = routing.filter(
    ({ pages, ...rule }) =>
      rule.carrierOptionId !== carrierOptionId || typeof pages !== 'object' || !isOfSize(size, pages),
  )
  const pages = { widthMm: toTenth(size.widthMm), heightMm: toTenth(size.heightMm) }
  return [{ carrierOptionId, pages, printer }, ...others]
}

/** What is printed comes to lie in the middle of the stock, so that both sides count as the wider margin. */
function withoutMargins({ widthMm, heightMm }: SizeMm, margins: Margins | undefined): SizeMm {
  if (margins === undefined) return { widthMm, heightMm }
  const { left, top, right, bottom } = margins
  return { widthMm: widthMm - 2 * Math.max(left, right), heightMm: heightMm - 2 * Math.max(top, bottom) }
}

/** What a person saw outside of the parts that they chose; undefined when the page can't be drawn any more. */
async function listLeftOut(
  { areas }: PlacementRule,
  { jobId, page }: SeenPage,
  deps: LabelChoicesDeps,
): Promise<Area[] | undefined> {
  const subject = await findLabelOfJob(jobId, deps)
  if (!subject.ok) return undefined
  const drawn = await deps.rasterizer.renderGrey(subject.value.label.bytes, questionDotsPerMm, page - 1)
  const picture = drawn.ok ? drawn.value[0] : undefined
  return picture && describeLeftOut(picture, questionDotsPerMm, areas)
}

async function toQuestion(
  { job, label, printer }: LabelOfJob,
  pageNumber: number | undefined,
  { labelRules, rasterizer, getMargins }: LabelChoicesDeps,
): Promise<Result<PlacementQuestion>> {
  if (printer.driver === 'folder') return err(noChoiceNeeded(job))
  const pages = await rasterizer.measure(label.bytes)
  if (!pages.ok) return pages
  const { carrierOptionId } = label
  const rules = labelRules().placements
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
  const drawn = await rasterizer.renderGrey(label.bytes, questionDotsPerMm, wanted)
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
    suggestions: suggestPlacements(page, printable, picture, questionDotsPerMm),
  })
}

function noChoiceNeeded(job: PrintJob) {
  return appError('print-job-not-open', { case: 'no-choice', state: job.state })
}

function doesNotFit() {
  return appError('placement-does-not-fit')
}
