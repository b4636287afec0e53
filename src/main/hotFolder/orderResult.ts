import { countingJobs } from '../../shared/labelState'
import type { PrintJob } from '../../shared/printing'
import { assertNever } from '../../shared/result'
import type { LabelDefect, ShipmentDetails } from '../../shared/shipments'
import type { LineOutcome, OrderOutcome } from './lineOutcome'
import type { OrderFileRow } from './repository'

/** What is wrong with a line or a print job, as the result says it: a stable code for programs, a sentence for people. */
interface ResultError {
  code: string
  message: string
}

interface ResultEntry {
  line: number
  reference: string | null
  outcome: OrderOutcome
  barcodes: string[]
  shipmentId: string | null
  subLogId: string | null
  jobs: { printer: string; state: string; error: ResultError | null }[]
  error: ResultError | null
  at: {
    taken: string
    requestSent: string | null
    responseReceived: string | null
    labelStored: string | null
    printerAccepted: string | null
  }
}

/** The content of `NAME.result.json` (docs/hot-folder.md). */
export interface OrderResult {
  /** Tells this file from others of the same name, so that a crash can't leave two results of it. */
  id: string
  file: string
  results: ResultEntry[]
}

/**
 * What other programs read of a file.
 * @param jobsOf the print jobs, all ended, of the file's shipments, by the app's shipment id
 * @param print whether labels were to be printed
 */
export function toOrderResult(
  file: OrderFileRow,
  outcomes: readonly LineOutcome[],
  jobsOf: ReadonlyMap<string, PrintJob[]>,
  print: boolean,
): OrderResult {
  return {
    id: file.id,
    file: file.name,
    results: outcomes.map((outcome) => {
      const own = outcome.shipment?.relation === 'own' ? outcome.shipment.details : undefined
      if (own === undefined) return toEntry(outcome, file.takenAt, [], outcome.error)
      const jobs = jobsOf.get(own.id) ?? own.jobs.filter(({ document }) => document === 'label')
      const created = outcome.outcome === 'created'
      // Whether a label came out at another station is not known here.
      const isPrintedHere = print && own.station?.isThisOne !== false
      const error = outcome.error ?? (created ? findLabelError(own, jobs, isPrintedHere) : null)
      return toEntry(outcome, file.takenAt, jobs, error)
    }),
  }
}

function toEntry(
  outcome: LineOutcome,
  takenAt: Date,
  jobs: PrintJob[],
  error: ResultError | null,
): ResultEntry {
  const details = outcome.shipment?.details
  const times = outcome.shipment?.relation === 'own' ? outcome.shipment.details.times : undefined
  return {
    line: outcome.line,
    reference: outcome.reference,
    outcome: outcome.outcome,
    barcodes: details?.barcodes ?? [],
    shipmentId: details?.serviceShipmentId ?? details?.zendingId ?? null,
    subLogId: details?.subLogId ?? null,
    jobs: jobs
      .filter(({ note }) => note?.code !== 'in-parts')
      .map((job) => ({
        printer: job.printerId,
        state: toStateWord(job),
        // A job that a standby printer took over is closed too, and has an error of its own.
        error: toResultError(job.error) ?? (job.state === 'cancelled' ? cancelled : null),
      })),
    error: toResultError(error),
    at: {
      taken: times?.taken ?? takenAt.toISOString(),
      requestSent: times?.requestSent ?? null,
      responseReceived: times?.responseReceived ?? null,
      labelStored: times?.labelStored ?? null,
      printerAccepted: findLastAccepted(jobs),
    },
  }
}

const cancelled: ResultError = {
  code: 'cancelled',
  message: 'The print job was cancelled at the station before it was sent to the printer.',
}

/**
 * The states other programs know; a cancelled job printed nothing, and one that waits for a person's choice has not,
 * which they know as failed.
 */
function toStateWord(job: PrintJob): 'done' | 'handed-over' | 'failed' | 'unconfirmed' {
  switch (job.state) {
    case 'done':
    case 'handed-over':
    case 'failed':
    case 'unconfirmed':
      return job.state
    case 'cancelled':
    case 'waiting':
      return 'failed'
    case 'queued':
    case 'sending':
      // It has not ended after all: whether it comes out is unknown.
      return 'unconfirmed'
    default:
      return assertNever(job.state)
  }
}

/** When the last of the labels was with a printer, whichever took it; null until all of them are, in all their parts. */
function findLastAccepted(jobs: PrintJob[]): string | null {
  const labelIds = new Set(jobs.map(({ labelId }) => labelId))
  const moments: string[] = []
  for (const labelId of labelIds) {
    const own = jobs.filter((job) => job.labelId === labelId)
    const accepted = own.filter(({ state, acceptedAt }) => state !== 'cancelled' && acceptedAt !== null)
    const isWhole = accepted.some(({ pages }) => pages === undefined)
    if (accepted.length === 0 || (!isWhole && !countingJobs(own).every((job) => accepted.includes(job)))) {
      return null
    }
    moments.push(...accepted.flatMap(({ acceptedAt }) => acceptedAt ?? []))
  }
  return moments.sort().at(-1) ?? null
}

function toResultError(error: ResultError | null): ResultError | null {
  return error === null ? null : { code: error.code, message: error.message }
}

const inHistory = 'Fetch it in History.'
const atCarrier = 'Ask the carrier for it; what came is kept.'

const words: Record<LabelDefect, { code: string; says: string; whatToDo: string }> = {
  'not-fetched': { code: 'label-not-fetched', says: 'could not be fetched', whatToDo: inHistory },
  'not-stored': {
    code: 'label-not-fetched',
    says: 'could not be written to the disk',
    whatToDo: `Make room. ${inHistory}`,
  },
  empty: { code: 'label-unreadable', says: 'came without content', whatToDo: atCarrier },
  undecodable: { code: 'label-unreadable', says: 'could not be decoded', whatToDo: atCarrier },
  'not-a-pdf': { code: 'label-unreadable', says: 'is no PDF', whatToDo: atCarrier },
  'type-unknown': {
    code: 'label-type-unknown',
    says: 'is of a kind that Packbench can not print',
    whatToDo: atCarrier,
  },
  'too-few': { code: 'label-missing', says: 'did not come with the answer', whatToDo: atCarrier },
  'too-many': {
    code: 'label-unreadable',
    says: 'and those after it were not unpacked: the answer holds more labels than a shipment can have',
    whatToDo: 'Nothing was printed: print the right ones from History; the whole answer is kept.',
  },
}

/**
 * Says why labels of a created shipment did not even become print jobs.
 * @param jobs the print jobs, all ended
 * @param print whether labels were to be printed
 * @returns null when nothing is wrong with them
 */
function findLabelError(
  { reference, labels }: ShipmentDetails,
  jobs: readonly PrintJob[],
  print: boolean,
): ResultError | null {
  // What was fixed while other labels were printed has a job by now.
  const left = labels.filter((label) => !jobs.some((job) => job.labelId === label.id))
  for (const { problem, position } of left) {
    if (problem !== null) return toLabelError(reference, problem, position, labels.length)
  }
  if (!print || left.length === 0) return null
  return {
    code: 'no-printer',
    message: `${reference} was created and no printer takes its label. Name one for its carrier option in Settings, then print it from History.`,
  }
}

function toLabelError(reference: string, problem: LabelDefect, position: number, count: number): ResultError {
  const { code, says, whatToDo } = words[problem]
  const which = count === 1 ? 'its label' : `label ${position} of ${count}`
  return { code, message: `${reference} was created and ${which} ${says}. ${whatToDo}` }
}
