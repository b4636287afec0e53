import type { AppError } from '../../shared/errors'
import type { PrintJob } from '../../shared/printing'
import { assertNever } from '../../shared/result'
import type { ShipmentDetails } from '../../shared/shipment'
import type { OrderFile } from './ports'

type OrderOutcome = 'created' | 'refused' | 'unknown' | 'invalid' | 'duplicate'

/** What became of one shipment of an order file. */
export interface LineOutcome {
  /** 1 for the first shipment of the file. */
  line: number
  /** Null when the line is too broken to tell. */
  reference: string | null
  outcome: OrderOutcome
  error: AppError | null
  /** This line's own shipment, or the earlier one that stands in its way. */
  shipment: { relation: 'own' | 'earlier'; details: ShipmentDetails } | null
}

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
 * Makes the result of a file.
 * @param jobsOf the settled print jobs of the file's shipments, by the app's shipment id
 */
export function orderResult(
  file: OrderFile,
  outcomes: readonly LineOutcome[],
  jobsOf: ReadonlyMap<string, PrintJob[]>,
): OrderResult {
  return {
    id: file.id,
    file: file.name,
    results: outcomes.map((outcome) => {
      const own = outcome.shipment?.relation === 'own' ? outcome.shipment.details : undefined
      return entryOf(outcome, file.takenAt, own === undefined ? [] : (jobsOf.get(own.id) ?? own.jobs))
    }),
  }
}

function entryOf(outcome: LineOutcome, takenAt: Date, jobs: PrintJob[]): ResultEntry {
  const details = outcome.shipment?.details
  const times = outcome.shipment?.relation === 'own' ? outcome.shipment.details.times : undefined
  return {
    line: outcome.line,
    reference: outcome.reference,
    outcome: outcome.outcome,
    barcodes: details?.barcodes ?? [],
    shipmentId: details?.serviceShipmentId ?? details?.zendingId ?? null,
    subLogId: details?.subLogId ?? null,
    jobs: jobs.map((job) => ({
      printer: job.printerId,
      state: jobStateWord(job),
      error: job.state === 'cancelled' ? cancelled : resultError(job.error),
    })),
    error: resultError(outcome.error),
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
      // Not settled after all: nobody knows whether it will come out.
      return 'unconfirmed'
    default:
      return assertNever(job.state)
  }
}

/** When the last of the labels was with a printer; null until all of them are. */
function lastAccepted(jobs: PrintJob[]): string | null {
  const moments = jobs.map((job) => job.acceptedAt)
  const known = moments.filter((moment) => moment !== null)
  return known.length === moments.length ? (known.sort().at(-1) ?? null) : null
}

function resultError(error: AppError | null): ResultError | null {
  return error === null ? null : { code: error.code, message: error.message }
}
