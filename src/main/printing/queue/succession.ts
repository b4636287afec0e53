import type { Printer, PrintJob } from '../../../shared/printing'
import type { PrintOutcome } from '../drivers/driver'
import type { PrintableLabel } from '../printableLabel'
import type { JobActionsDeps } from './jobActions'
import { isLabelsError, needsChoice, type Succession } from './jobRecord'
import { isRoutedByPage, maxPagesIn, planParts, toNewJob } from './routing'

/** A job that was tried on a printer. */
interface TriedJob {
  job: PrintJob
  printer: Printer
  label: PrintableLabel
  /** Takes over when the printer can't print. */
  standby: Printer | undefined
}

type SuccessionDeps = Pick<JobActionsDeps, 'measure' | 'routing' | 'printers' | 'labelRules'>

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
