import type { PrintNote } from './printerRemarks'
import type { PrinterStatus, PrintJob } from './printing'
import { isLabelMissing, type Label, type ShipmentSummary } from './shipments'

/** The parts of a shipment that determine the state of its label. */
export type LabelledShipment = Pick<ShipmentSummary, 'state' | 'resolution' | 'print' | 'labels' | 'jobs'>

/** The parts of a printer's status that can delay a job. */
type KnownPrinter = Pick<PrinterStatus, 'id' | 'state' | 'note' | 'error'>

/** The state of one label. `job` is the relevant job: the newest that was not cancelled. */
export type LabelPlace =
  /** The printer, spooler or folder has the whole label. */
  | { kind: 'out'; label: Label; job: PrintJob }
  /** In the queue or being sent, without a known delay. */
  | { kind: 'printing'; label: Label; job: PrintJob }
  /** Delayed by its printer (`printer`, if that tells more than the job), or waiting for a person's choice or check. */
  | { kind: 'waiting'; label: Label; job: PrintJob; printer: KnownPrinter | null }
  /** Its content was not received or stored yet. */
  | { kind: 'to-come'; label: Label }
  /** There is nothing to print. */
  | { kind: 'no-label'; label: Label | null }
  /** The label exists but was not printed. `job` is null when no printer had it. */
  | { kind: 'not-printed'; label: Label; job: PrintJob | null }
  /** There is nothing to print, and a person closed this problem with a reason. */
  | { kind: 'closed'; label: Label; reason: string }
  /** It was not printed, and a person closed its jobs with a reason, which is in the note. */
  | { kind: 'dismissed'; label: Label; note: PrintNote }
  /** Stored, printing was not requested. */
  | { kind: 'not-wanted'; label: Label }

/** The state of a shipment including its label, shown as text and colour on screens and played as a sound. */
export type LabelState =
  | LabelPlace
  | { kind: 'creating' | 'refused' | 'unknown' | 'exists' | 'does-not-exist' }
export type LabelStateKind = LabelState['kind']

/** Worst first: the label that most needs a person represents a shipment with several labels. */
const ranking: readonly LabelPlace['kind'][] = [
  'no-label',
  'not-printed',
  'waiting',
  'to-come',
  'printing',
  'not-wanted',
  'out',
  'dismissed',
  'closed',
]

/**
 * Derives the state of a shipment's label.
 * @param printers from the station's status; a job waits if its printer is paused or has a note
 */
export function getLabelState(
  { state, resolution, print, labels, jobs }: LabelledShipment,
  printers: readonly KnownPrinter[],
): LabelState {
  if (state === 'intended' || state === 'sent') return { kind: 'creating' }
  if (resolution?.verdict === 'does-not-exist') return { kind: 'does-not-exist' }
  if (state !== 'created') return { kind: state }
  const places = labels.map((label) => findLabelPlace(label, jobs, print, printers))
  const [worst] = places.sort((one, other) => ranking.indexOf(one.kind) - ranking.indexOf(other.kind))
  if (worst !== undefined) return worst
  return resolution === null ? { kind: 'no-label', label: null } : { kind: 'exists' }
}

function findLabelPlace(
  label: Label,
  jobs: readonly PrintJob[],
  print: boolean,
  printers: readonly KnownPrinter[],
): LabelPlace {
  const own = jobs.filter((job) => job.labelId === label.id)
  const [worst] = listRelevantJobs(own)
    .map((job) => findJobPlace(label, job, printers))
    .sort((one, other) => ranking.indexOf(one.kind) - ranking.indexOf(other.kind))
  if (worst !== undefined) return worst
  if (label.closed !== undefined) return { kind: 'closed', label, reason: label.closed.reason }
  if (label.problem !== null) {
    return isLabelMissing(label) ? { kind: 'to-come', label } : { kind: 'no-label', label }
  }
  const note = findDismissal(own)
  if (note !== undefined) return { kind: 'dismissed', label, note }
  const [cancelled] = own
  if (cancelled === undefined && !print) return { kind: 'not-wanted', label }
  return { kind: 'not-printed', label, job: cancelled ?? null }
}

/** The note of a cancelled job if a person closed the newest jobs of all pages with a reason. */
function findDismissal(jobs: readonly PrintJob[]): PrintNote | undefined {
  const newestJobs = listNewestJobs(jobs)
  const parts = newestJobs.filter(({ pages }) => pages !== undefined)
  const counting = parts.length > 0 && coverAllPages(parts) ? parts : newestJobs
  const notes = counting.flatMap(({ note }) => (note?.code === 'in-parts' ? [] : [note]))
  const [newest] = notes
  return notes.every((note) => note?.code === 'dismissed') ? (newest ?? undefined) : undefined
}

/** Whether a person has to print a label, or to close it with a reason. Jobs that wait for a person do not count here. */
export function isLabelOpen({ id, problem, unplanned, closed }: Label, jobs: readonly PrintJob[]): boolean {
  if (closed !== undefined) return false
  return problem !== null || (unplanned === true && jobs.every(({ labelId }) => labelId !== id))
}

/**
 * The jobs that determine a label's state, oldest first: for each page the newest job that was not cancelled.
 * When pages are printed separately, a cancelled part counts as well, because its pages are missing, unless a person closed it
 * with a reason. So does the cancelled job of a whole label of which nothing was printed before.
 */
export function listRelevantJobs(jobs: readonly PrintJob[]): PrintJob[] {
  const counting = listNewestJobs(jobs.filter(({ state }) => state !== 'cancelled'))
  if (counting.length === 0 || counting.some(({ pages }) => pages === undefined)) return counting.toReversed()
  for (const job of jobs.filter(({ state }) => state === 'cancelled').toReversed()) {
    if (job.pages === undefined || job.note?.code === 'dismissed' || isCovered(job, counting)) continue
    counting.push(job)
  }
  const whole = findCancelledWhole(jobs)
  if (whole !== undefined && !coverAllPages(counting)) counting.push(whole)
  return counting.toReversed()
}

/** For each page its newest job, newest first. */
function listNewestJobs(jobs: readonly PrintJob[]): PrintJob[] {
  const newest: PrintJob[] = []
  for (const job of jobs.toReversed()) {
    if (!isCovered(job, newest)) newest.push(job)
    if (job.pages === undefined) break
  }
  return newest
}

/** The job of a whole label that was cancelled before any page was printed, and was not closed or split since. */
function findCancelledWhole(jobs: readonly PrintJob[]): PrintJob | undefined {
  let whole: PrintJob | undefined
  for (const [index, job] of jobs.entries()) {
    if (job.state !== 'cancelled' || job.pages !== undefined || job.note?.code === 'moved') continue
    if (job.note?.code === 'in-parts' || job.note?.code === 'dismissed') whole = undefined
    else if (jobs.slice(0, index).every(({ state }) => state === 'cancelled')) whole = job
  }
  return whole
}

/**
 * Whether parts cover all pages without a gap. If the label's pages were not counted, the last printed page counts as the last
 * page; a single part does not count as the whole label then.
 */
function coverAllPages(parts: readonly PrintJob[]): boolean {
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
      const holder = job.state === 'queued' ? printers.find((each) => delaysJob(each, job)) : undefined
      return holder === undefined
        ? { kind: 'printing', label, job }
        : { kind: 'waiting', label, job, printer: holder }
    }
  }
}

/** Whether a printer delays a job now. An error of its last job does not count, because the next job is tried anyway. */
function delaysJob(printer: KnownPrinter, job: PrintJob): boolean {
  return printer.id === job.printerId && (printer.state === 'paused' || printer.note !== null)
}
