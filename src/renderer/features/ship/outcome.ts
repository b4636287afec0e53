import type { BridgeClient } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { PrintJob } from '../../../shared/printing'
import {
  type ConfirmedDuplicate,
  isUnresolved,
  type ShipmentDetails,
  type ShipmentSummary,
} from '../../../shared/shipments'
import { toResult, withJobs, withOwnJobs } from '../../bridge'

/** The outcome of the last «create and print», as the outcome panel shows it. */
export type Outcome =
  | { kind: 'shipment'; shipment: ShipmentDetails }
  | {
      kind: 'duplicate'
      /** The parcel's reference that was shipped before. */
      reference: string
      /** Duplicates of the parcel's other references that the operator has confirmed. */
      confirmed: readonly ConfirmedDuplicate[]
      /**
       * `station` names another station, whose shipment is not in this station's history; null for this one.
       * `operator` is who shipped it there; empty if unknown.
       */
      earlier: {
        shipmentId: string
        /** The shipment that the confirmation to ship again names: a later one if that was cancelled at the carrier. */
        duplicateOf: string
        takenAt: string | null
        barcodes: string[]
        station: string | null
        operator: string
        /** When it was noted as cancelled at the carrier: its label is void. */
        cancelledAt: string | null
      }
      /** Reprints that the operator started from the question. */
      jobs: PrintJob[]
    }
  | { kind: 'error'; reference: string; error: AppError; unresolvedShipmentId: string | null }

/** Errors that leave open whether the request was sent. */
const unclear = new Set<AppError['code']>(['internal', 'shipment-in-progress', 'outcome-not-written'])

/** Whether the outcome of an attempt is unclear after an error. The same content then reuses the attempt's id. */
export function isOutcomeUnclear(error: AppError): boolean {
  return unclear.has(error.code)
}

/**
 * Whether an order of the form was changed or closed since it filled in the form, or its rule may have got another
 * printer: nothing can be sent before the parcel begins again.
 */
export function isFormOutdated(outcome: Outcome | null): boolean {
  const code = outcome?.kind === 'error' ? outcome.error.code : null
  return code === 'order-changed' || code === 'order-closed' || code === 'rule-printer-unknown'
}

/**
 * The outcome for an error.
 * @param own the form's reference; the error may name another reference of the parcel
 * @param confirmed the duplicates that were sent as confirmed
 */
export function toErrorOutcome(
  error: AppError,
  own: string,
  confirmed: readonly ConfirmedDuplicate[],
  unresolvedId: string | null,
): Outcome {
  const reference = error.details?.reference ?? own
  const {
    shipmentId,
    duplicateOf,
    takenAt,
    barcodes,
    station,
    operator = '',
    cancelledAt,
  } = error.details ?? {}
  if (error.code === 'shipment-duplicate' && shipmentId !== undefined) {
    const codes = (barcodes ?? '').split(/[,\s]+/).filter((code) => code !== '')
    return {
      kind: 'duplicate',
      reference,
      confirmed,
      earlier: {
        shipmentId,
        duplicateOf: duplicateOf ?? shipmentId,
        takenAt: takenAt ?? null,
        barcodes: codes,
        station: station ?? null,
        operator,
        cancelledAt: cancelledAt ?? null,
      },
      jobs: [],
    }
  }
  const unresolved = error.code === 'shipment-unsettled' ? (shipmentId ?? unresolvedId) : null
  return { kind: 'error', reference, error, unresolvedShipmentId: unresolved }
}

export type OutcomeState = 'created' | 'refused' | 'unknown' | 'duplicate' | 'error'

/** The outcome in one word. A shipment that is still under way counts as unknown. */
export function outcomeState(outcome: Outcome): OutcomeState {
  if (outcome.kind !== 'shipment') return outcome.kind
  const { state } = outcome.shipment
  return state === 'created' || state === 'refused' ? state : 'unknown'
}

/** The outcome and the shipments of this session. */
export interface ShippedState {
  outcome: Outcome | null
  /** Whether the question «ship this reference again?» is open. */
  isConfirmingDuplicate: boolean
  /** Shipments since the app started, newest first. */
  session: ShipmentSummary[]

  /** Shows an earlier shipment in the outcome panel, with the effect of actions on it, unless a newer outcome comes. */
  showAgain: (shipmentId: string) => Promise<void>
  applyJobs: (jobs: readonly PrintJob[]) => void
  applyShipment: (shipment: ShipmentDetails) => void
  applySummary: (summary: ShipmentSummary) => void
  /** Shows the unknown shipment of which the panel says that it must be resolved, once a person of the fleet has resolved it. */
  followFleet: () => Promise<void>
}

interface ShippedDeps {
  bridge: Pick<BridgeClient, 'getShipment'>
  set: (change: Partial<ShippedState>) => void
  get: () => ShippedState & { sending: boolean }
  /** Called when a person has resolved the shipment that is shown. */
  onResolved: (shipment: ShipmentDetails) => void
}

const maxSession = 12

/** Follows the shipments made on this screen and the one in the outcome panel. */
export function createShippedTracker({ bridge, set, get, onResolved }: ShippedDeps) {
  const recentJobs = new RecentJobs()

  function withFreshJobs<Shipment extends ShipmentSummary>(shipment: Shipment): Shipment {
    return { ...shipment, jobs: recentJobs.freshen(shipment.id, shipment.jobs) }
  }

  function sessionWith(changed: ShipmentSummary): ShipmentSummary[] {
    const fresh = withFreshJobs(changed)
    return get().session.map((entry) => (entry.id === changed.id ? fresh : entry))
  }

  const state: ShippedState = {
    outcome: null,
    isConfirmingDuplicate: false,
    session: [],

    async showAgain(shipmentId) {
      const { outcome } = get()
      if (outcome?.kind === 'shipment' && outcome.shipment.id === shipmentId) return
      const result = await toResult(bridge.getShipment({ shipmentId }))
      // A shipment created meanwhile has the panel, with the label that is to be scanned next.
      if (get().sending || get().outcome !== outcome) return
      if (result.ok) set({ outcome: { kind: 'shipment', shipment: withFreshJobs(result.value) } })
    },
    applyJobs(jobs) {
      for (const job of jobs) recentJobs.note(job)
      const session = get().session.map((entry) => withOwnJobs(entry, jobs))
      set({ outcome: withChangedJobs(get().outcome, jobs), session })
    },
    applyShipment(shipment) {
      const { outcome } = get()
      const fresh = withFreshJobs(shipment)
      const shown = outcome?.kind === 'shipment' ? outcome.shipment : undefined
      const session = sessionWith(fresh)
      if (!isShown(outcome, shipment.id)) {
        set({ session })
        return
      }
      set({ outcome: { kind: 'shipment', shipment: fresh }, session })
      if (shipment.resolution && !shown?.resolution) onResolved(shipment)
    },
    applySummary(summary) {
      set({ session: sessionWith(summary), outcome: withCancellation(get().outcome, summary) })
      if (!isShown(get().outcome, summary.id)) return
      // Its label may have been fetched meanwhile.
      void toResult(bridge.getShipment({ shipmentId: summary.id })).then((result) => {
        if (result.ok && isShown(get().outcome, summary.id)) get().applyShipment(result.value)
      })
    },
    async followFleet() {
      const { outcome } = get()
      const shipmentId = outcome?.kind === 'error' ? outcome.unresolvedShipmentId : null
      if (shipmentId === null) return
      const result = await toResult(bridge.getShipment({ shipmentId }))
      if (result.ok && !isUnresolved(result.value)) get().applyShipment(result.value)
    },
  }

  return {
    state,
    /** Shows the service's answer to a creation. */
    show(answer: ShipmentDetails): void {
      const shipment = withFreshJobs(answer)
      const others = get().session.filter((entry) => entry.id !== shipment.id)
      const session = [shipment, ...others].slice(0, maxSession)
      set({ session, outcome: { kind: 'shipment', shipment }, isConfirmingDuplicate: false })
    },
  }
}

/** Whether the panel shows a shipment, or an error that asks to resolve it. */
function isShown(outcome: Outcome | null, shipmentId: string): boolean {
  if (outcome?.kind === 'shipment') return outcome.shipment.id === shipmentId
  return outcome?.kind === 'error' && outcome.unresolvedShipmentId === shipmentId
}

/** An outcome with newer states of its print jobs; other jobs change nothing. */
function withChangedJobs(outcome: Outcome | null, jobs: readonly PrintJob[]): Outcome | null {
  if (!outcome || outcome.kind === 'error') return outcome
  if (outcome.kind === 'shipment') {
    const shipment = withOwnJobs(outcome.shipment, jobs)
    return shipment === outcome.shipment ? outcome : { kind: 'shipment', shipment }
  }
  const own = jobs.filter((job) => job.shipmentId === outcome.earlier.shipmentId)
  return own.length === 0 ? outcome : { ...outcome, jobs: withJobs(outcome.jobs, own) }
}

/** The question about an earlier shipment, which may have been cancelled at the carrier meanwhile. */
function withCancellation(outcome: Outcome | null, { id, cancellation }: ShipmentSummary): Outcome | null {
  if (outcome?.kind !== 'duplicate' || outcome.earlier.shipmentId !== id || !cancellation) return outcome
  return { ...outcome, earlier: { ...outcome.earlier, cancelledAt: cancellation.at } }
}

/** Remembers the latest states of jobs, because a job's event may arrive before the answer that contains the job. */
class RecentJobs {
  private readonly jobs = new Map<string, PrintJob>()
  private static readonly maxJobs = 300

  /** Stores a job's state and drops the oldest job above the limit. */
  note(job: PrintJob): void {
    this.jobs.delete(job.id)
    this.jobs.set(job.id, job)
    const [oldest] = this.jobs.keys()
    if (this.jobs.size > RecentJobs.maxJobs && oldest !== undefined) this.jobs.delete(oldest)
  }

  /** Jobs of a shipment with the newer states from events. */
  freshen(shipmentId: string, jobs: readonly PrintJob[]): PrintJob[] {
    const heard = [...this.jobs.values()].filter((job) => job.shipmentId === shipmentId)
    return withJobs(jobs, heard)
  }
}
