import type { PrinterStatus, PrintJob } from './printing'
import { isLabelMissing, type Label, type ShipmentSummary } from './shipments'

/** What of a shipment says where its label is. */
export type LabelledShipment = Pick<ShipmentSummary, 'state' | 'resolution' | 'print' | 'labels' | 'jobs'>

/** What is known of printers beside their jobs. */
type KnownPrinter = Pick<PrinterStatus, 'id' | 'state' | 'note' | 'error'>

/** Where one label is. `job` is the one that counts: its newest that was not taken back. */
export type LabelPlace =
  /** The printer, spooler or folder has the whole label. */
  | { kind: 'out'; label: Label; job: PrintJob }
  /** On its way, and nothing is known to hold it up. */
  | { kind: 'printing'; label: Label; job: PrintJob }
  /** Held up: by its printer, which is given when it says more than the job, or until a person chooses or looks. */
  | { kind: 'waiting'; label: Label; job: PrintJob; printer: KnownPrinter | null }
  /** Its content is still to come. */
  | { kind: 'to-come'; label: Label }
  /** There is nothing that could be printed. */
  | { kind: 'no-label'; label: Label | null }
  /** There is a label, and it did not come out. Without a job no printer took it. */
  | { kind: 'not-printed'; label: Label; job: PrintJob | null }
  /** A person said why nothing more is to be done about it. */
  | { kind: 'closed'; label: Label; reason: string }
  /** Stored, and it was not to be printed. */
  | { kind: 'not-wanted'; label: Label }

/** Where a shipment stands, down to its label: what screens show in words and colour, and stations as a sound. */
export type LabelState =
  | LabelPlace
  | { kind: 'creating' | 'refused' | 'unknown' | 'exists' | 'does-not-exist' }
export type LabelStateKind = LabelState['kind']

/** The worst first: with several labels the one that needs someone most speaks for the shipment. */
const ranking: readonly LabelPlace['kind'][] = [
  'no-label',
  'not-printed',
  'waiting',
  'to-come',
  'printing',
  'not-wanted',
  'out',
  'closed',
]

/**
 * Where the label of a shipment is.
 * @param printers as the station's status knows them; a job at a printer that is paused or in remark waits
 */
export function getLabelState(
  { state, resolution, print, labels, jobs }: LabelledShipment,
  printers: readonly KnownPrinter[],
): LabelState {
  if (state === 'intended' || state === 'sent') return { kind: 'creating' }
  if (resolution?.verdict === 'does-not-exist') return { kind: 'does-not-exist' }
  if (state !== 'created') return { kind: state }
  const places = labels.map((label) => getPlace(label, jobs, print, printers))
  const [worst] = places.sort((one, other) => ranking.indexOf(one.kind) - ranking.indexOf(other.kind))
  if (worst !== undefined) return worst
  return resolution === null ? { kind: 'no-label', label: null } : { kind: 'exists' }
}

function getPlace(
  label: Label,
  jobs: readonly PrintJob[],
  print: boolean,
  printers: readonly KnownPrinter[],
): LabelPlace {
  const own = jobs.filter((job) => job.labelId === label.id)
  const [worst] = countingJobs(own)
    .map((job) => findJobPlace(label, job, printers))
    .sort((one, other) => ranking.indexOf(one.kind) - ranking.indexOf(other.kind))
  if (worst !== undefined) return worst
  if (label.problem !== null) {
    if (label.closed !== undefined) return { kind: 'closed', label, reason: label.closed.reason }
    return isLabelMissing(label) ? { kind: 'to-come', label } : { kind: 'no-label', label }
  }
  const [cancelled] = own
  if (cancelled === undefined && !print) return { kind: 'not-wanted', label }
  return { kind: 'not-printed', label, job: cancelled ?? null }
}

/**
 * The jobs of one label that say where it is, oldest first: the newest for each of its pages that was not taken back.
 * Where some pages are printed on their own, a part of them that was taken back counts as well, because its pages are
 * missing, unless a person closed it with a reason. So does a whole label that was taken back before any of it was printed.
 */
export function countingJobs(jobs: readonly PrintJob[]): PrintJob[] {
  const counting: PrintJob[] = []
  for (const job of jobs.filter(({ state }) => state !== 'cancelled').toReversed()) {
    if (!isCovered(job, counting)) counting.push(job)
    if (job.pages === undefined) break
  }
  if (counting.length === 0 || counting.some(({ pages }) => pages === undefined)) return counting.toReversed()
  for (const job of jobs.filter(({ state }) => state === 'cancelled').toReversed()) {
    if (job.pages === undefined || job.note?.code === 'dismissed' || isCovered(job, counting)) continue
    counting.push(job)
  }
  const whole = takenBackWhole(jobs)
  if (whole !== undefined && !followEachOther(counting)) counting.push(whole)
  return counting.toReversed()
}

/** The job of a whole label that was taken back before any of it was printed, and was not closed or parted since. */
function takenBackWhole(jobs: readonly PrintJob[]): PrintJob | undefined {
  let whole: PrintJob | undefined
  for (const [index, job] of jobs.entries()) {
    if (job.state !== 'cancelled' || job.pages !== undefined || job.note?.code === 'moved') continue
    if (job.note?.code === 'in-parts' || job.note?.code === 'dismissed') whole = undefined
    else if (jobs.slice(0, index).every(({ state }) => state === 'cancelled')) whole = job
  }
  return whole
}

/**
 * Whether parts follow each other from the first page to the last. Where the label's pages were not counted, the last one that is
 * printed is taken for it; a single part is not taken for all of the label then.
 */
function followEachOther(parts: readonly PrintJob[]): boolean {
  const counted = parts.find(({ labelPages }) => labelPages !== undefined)?.labelPages
  if (counted !== undefined) return isCovered({ pages: { from: 1, to: counted } }, parts)
  const last = Math.max(...parts.map(({ pages }) => pages?.to ?? 0))
  const isSeveral = parts.every(({ pages }) => pages?.from !== 1 || pages.to < last)
  return isSeveral && isCovered({ pages: { from: 1, to: last } }, parts)
}

/** Whether each page of a job is in one of the others. */
function isCovered({ pages }: Pick<PrintJob, 'pages'>, others: readonly PrintJob[]): boolean {
  if (pages === undefined) return false
  let missing = pages.from
  const ranges = others.flatMap((other) => other.pages ?? [])
  for (const { from, to } of ranges.toSorted((one, other) => one.from - other.from)) {
    if (from <= missing && to >= missing) missing = to + 1
  }
  return missing > pages.to
}

function findJobPlace(label: Label, job: PrintJob, printers: readonly KnownPrinter[]): LabelPlace {
  switch (job.state) {
    case 'done':
    case 'handed-over':
      return { kind: 'out', label, job }
    case 'failed':
    case 'cancelled':
      return { kind: 'not-printed', label, job }
    case 'waiting':
    case 'unconfirmed':
      return { kind: 'waiting', label, job, printer: null }
    case 'queued':
    case 'sending': {
      if (job.note !== null) return { kind: 'waiting', label, job, printer: null }
      const holder = job.state === 'queued' ? printers.find((each) => holdsUp(each, job)) : undefined
      return holder === undefined
        ? { kind: 'printing', label, job }
        : { kind: 'waiting', label, job, printer: holder }
    }
  }
}

/** A printer whose last job failed is tried again with the next one: only what holds it up now counts. */
function holdsUp(printer: KnownPrinter, job: PrintJob): boolean {
  return printer.id === job.printerId && (printer.state === 'paused' || printer.note !== null)
}
