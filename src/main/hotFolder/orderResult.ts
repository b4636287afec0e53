import { countingJobs } from '../../shared/labelState'
import type { PrintJob } from '../../shared/printing'
import { assertNever } from '../../shared/result'
import type { ShipmentDetails } from '../../shared/shipments'
import { labelTrouble } from './labelTrouble'
import type { OrderFile, ResultError } from './ports'

type OrderOutcome = 'created' | 'refused' | 'unknown' | 'invalid' | 'duplicate'

/** What became of one shipment of an order file. */
export interface LineOutcome {
  /** 1 for the first shipment of the file. */
  line: number
  /** Null when the line is too broken to tell. */
  reference: string | null
  outcome: OrderOutcome
  error: ResultError | null
  /** This line's own shipment, or the earlier one that stands in its way. */
  shipment: { relation: 'own' | 'earlier'; details: ShipmentDetails } | null
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
 * Makes the result of a file.
 * @param jobsOf the print jobs, all ended, of the file's shipments, by the app's shipment id
 * @param print whether labels were to be printed
 */
export function orderResult(
  file: OrderFile,
  outcomes: readonly LineOutcome[],
  jobsOf: ReadonlyMap<string, PrintJob[]>,
  print: boolean,
): OrderResult {
  return {
    id: file.id,
    file: file.name,
    results: outcomes.map((outcome) => {
      const own = outcome.shipment?.relation === 'own' ? outcome.shipment.details : undefined
      if (own === undefined) return entryOf(outcome, file.takenAt, [], outcome.error)
      const jobs = jobsOf.get(own.id) ?? own.jobs
      const created = outcome.outcome === 'created'
      const error = outcome.error ?? (created ? labelTrouble(own, jobs, print) : null)
      return entryOf(outcome, file.takenAt, jobs, error)
    }),
  }
}

function entryOf(
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
        state: jobStateWord(job),
        // A job that a standby printer took over is closed too, and has an error of its own.
        error: resultError(job.error) ?? (job.state === 'cancelled' ? cancelled : null),
      })),
    error: resultError(error),
    at: {
      taken: times?.taken ?? takenAt.toISOString(),
      requestSent: times?.requestSent ?? null,
      responseReceived: times?.responseReceived ?? null,
      labelStored: times?.labelStored ?? null,
      printerAccepted: lastAccepted(jobs),
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
function jobStateWord(job: PrintJob): 'done' | 'handed-over' | 'failed' | 'unconfirmed' {
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
function lastAccepted(jobs: PrintJob[]): string | null {
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

function resultError(error: ResultError | null): ResultError | null {
  return error === null ? null : { code: error.code, message: error.message }
}
