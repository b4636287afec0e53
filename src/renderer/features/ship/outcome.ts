import type { AppError } from '../../../shared/errors'
import type { PrintJob } from '../../../shared/printing'
import type { ShipmentDetails } from '../../../shared/shipments'
import { withJobs, withOwnJobs } from '../../bridge'

/** What came of the last «create and print», as the big panel shows it. */
export type Outcome =
  | { kind: 'shipment'; shipment: ShipmentDetails }
  | {
      kind: 'duplicate'
      reference: string
      earlier: { shipmentId: string; takenAt: string | null; barcodes: string[] }
      /** Jobs that the operator asked for since the question. */
      jobs: PrintJob[]
    }
  | { kind: 'error'; reference: string; error: AppError; unresolvedShipmentId: string | null }

export type OutcomeState = 'created' | 'refused' | 'unknown' | 'duplicate' | 'error'

/** The outcome in one word. A shipment that is still under way is not known to exist. */
export function outcomeState(outcome: Outcome): OutcomeState {
  if (outcome.kind !== 'shipment') return outcome.kind
  const { state } = outcome.shipment
  return state === 'created' || state === 'refused' ? state : 'unknown'
}

/** Errors after which nobody in the renderer can tell whether the request went out. */
const unclear = new Set<AppError['code']>(['internal', 'shipment-in-progress', 'outcome-not-written'])

/**
 * Whether an attempt's id must be used again for the same content: main may know the attempt already, and the same
 * id never makes a second request.
 */
export function attemptStaysOpen(error: AppError): boolean {
  return unclear.has(error.code)
}

/** The outcome of an attempt that came back as an error. */
export function outcomeOfError(error: AppError, reference: string, unresolvedId: string | null): Outcome {
  const { shipmentId, takenAt, barcodes } = error.details ?? {}
  if (error.code === 'shipment-duplicate' && shipmentId !== undefined) {
    const codes = (barcodes ?? '').split(/[,\s]+/).filter((code) => code !== '')
    return {
      kind: 'duplicate',
      reference,
      earlier: { shipmentId, takenAt: takenAt ?? null, barcodes: codes },
      jobs: [],
    }
  }
  const unresolved = error.code === 'shipment-unsettled' ? (shipmentId ?? unresolvedId) : null
  return { kind: 'error', reference, error, unresolvedShipmentId: unresolved }
}

/** An outcome with newer states of its print jobs; jobs of other shipments change nothing. */
export function outcomeWithJobs(outcome: Outcome | null, jobs: readonly PrintJob[]): Outcome | null {
  if (!outcome || outcome.kind === 'error') return outcome
  if (outcome.kind === 'shipment') {
    const shipment = withOwnJobs(outcome.shipment, jobs)
    return shipment === outcome.shipment ? outcome : { kind: 'shipment', shipment }
  }
  const own = jobs.filter((job) => job.shipmentId === outcome.earlier.shipmentId)
  return own.length === 0 ? outcome : { ...outcome, jobs: withJobs(outcome.jobs, own) }
}
