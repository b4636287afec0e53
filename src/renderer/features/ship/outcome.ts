import type { AppError } from '../../../shared/errors'
import type { PrintJob } from '../../../shared/printing'
import type { ConfirmedDuplicate, ShipmentDetails } from '../../../shared/shipments'
import { withJobs, withOwnJobs } from '../../bridge'

/** What came of the last «create and print», as the big panel shows it. */
export type Outcome =
  | { kind: 'shipment'; shipment: ShipmentDetails }
  | {
      kind: 'duplicate'
      /** The one of the parcel's that was shipped before. */
      reference: string
      /** What was confirmed of the parcel's other references before. */
      confirmed: readonly ConfirmedDuplicate[]
      /**
       * `station` is another one's name, whose shipment is not in this station's history; null for one of its own.
       * `operator` is who shipped it there, behind a comma; empty when that is not known.
       */
      earlier: {
        shipmentId: string
        takenAt: string | null
        barcodes: string[]
        station: string | null
        operator: string
      }
      /** Jobs that the operator asked for since the question. */
      jobs: PrintJob[]
    }
  | { kind: 'error'; reference: string; error: AppError; unresolvedShipmentId: string | null }

/** Errors after which the window cannot tell whether the request went out. */
const unclear = new Set<AppError['code']>(['internal', 'shipment-in-progress', 'outcome-not-written'])

/** Whether an attempt is not answered by an error: its id is used again for the same content. */
export function staysOpen(error: AppError): boolean {
  return unclear.has(error.code)
}

/**
 * What is shown of an error.
 * @param own the form's reference; an error names the one of the parcel's orders that it is about
 * @param confirmed what was sent as confirmed
 */
export function toErrorOutcome(
  error: AppError,
  own: string,
  confirmed: readonly ConfirmedDuplicate[],
  unresolvedId: string | null,
): Outcome {
  const reference = error.details?.reference ?? own
  const { shipmentId, takenAt, barcodes, case: where, station = null, operator = '' } = error.details ?? {}
  const isElsewhere = where === 'elsewhere'
  if (error.code === 'shipment-duplicate' && shipmentId !== undefined) {
    const codes = (barcodes ?? '').split(/[,\s]+/).filter((code) => code !== '')
    return {
      kind: 'duplicate',
      reference,
      confirmed,
      earlier: {
        shipmentId,
        takenAt: takenAt ?? null,
        barcodes: codes,
        station: isElsewhere ? station : null,
        operator: isElsewhere ? operator : '',
      },
      jobs: [],
    }
  }
  const unresolved = error.code === 'shipment-unsettled' ? (shipmentId ?? unresolvedId) : null
  return { kind: 'error', reference, error, unresolvedShipmentId: unresolved }
}

export type OutcomeState = 'created' | 'refused' | 'unknown' | 'duplicate' | 'error'

/** The outcome in one word. A shipment that is still under way is not known to exist. */
export function outcomeState(outcome: Outcome): OutcomeState {
  if (outcome.kind !== 'shipment') return outcome.kind
  const { state } = outcome.shipment
  return state === 'created' || state === 'refused' ? state : 'unknown'
}

/** Whether the panel shows a shipment, or that it must be resolved before another. */
export function isShown(outcome: Outcome | null, shipmentId: string): boolean {
  if (outcome?.kind === 'shipment') return outcome.shipment.id === shipmentId
  return outcome?.kind === 'error' && outcome.unresolvedShipmentId === shipmentId
}

/** An outcome with newer states of its print jobs; jobs of other shipments change nothing. */
export function withChangedJobs(outcome: Outcome | null, jobs: readonly PrintJob[]): Outcome | null {
  if (!outcome || outcome.kind === 'error') return outcome
  if (outcome.kind === 'shipment') {
    const shipment = withOwnJobs(outcome.shipment, jobs)
    return shipment === outcome.shipment ? outcome : { kind: 'shipment', shipment }
  }
  const own = jobs.filter((job) => job.shipmentId === outcome.earlier.shipmentId)
  return own.length === 0 ? outcome : { ...outcome, jobs: withJobs(outcome.jobs, own) }
}

/** Remembers the last states of jobs, because a job's event can arrive before the answer that brings the job. */
export class RecentJobs {
  private readonly jobs = new Map<string, PrintJob>()
  private static readonly maxJobs = 300

  /** Remembers a job's state, and forgets the oldest job when there are too many. */
  note(job: PrintJob): void {
    this.jobs.delete(job.id)
    this.jobs.set(job.id, job)
    const [oldest] = this.jobs.keys()
    if (this.jobs.size > RecentJobs.maxJobs && oldest !== undefined) this.jobs.delete(oldest)
  }

  /** A list of jobs of one shipment with everything newer that was heard of them. */
  freshen(shipmentId: string, jobs: readonly PrintJob[]): PrintJob[] {
    const heard = [...this.jobs.values()].filter((job) => job.shipmentId === shipmentId)
    return withJobs(jobs, heard)
  }
}
