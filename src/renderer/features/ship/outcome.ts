import type { BridgeClient } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { PrintJob } from '../../../shared/printing'
import type { ConfirmedDuplicate, ShipmentDetails, ShipmentSummary } from '../../../shared/shipments'
import { toResult, withJobs, withOwnJobs } from '../../bridge'

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

/** What came of what was sent. */
export interface ShippedState {
  outcome: Outcome | null
  /** Whether the question «ship this reference again?» is in front. */
  asking: boolean
  /** Shipments made since the app started, newest first. */
  session: ShipmentSummary[]

  /** The shipment whose label F8 prints again: the last one of this session, else the last one before the start. */
  findLastShipped: () => Promise<string | undefined>
  /** Puts an earlier shipment into the outcome panel, so that what is done with it shows there. */
  showAgain: (shipmentId: string) => Promise<void>
  applyJobs: (jobs: readonly PrintJob[]) => void
  applyShipment: (shipment: ShipmentDetails) => void
  applySummary: (summary: ShipmentSummary) => void
}

interface ShippedDeps {
  bridge: Pick<BridgeClient, 'getShipment' | 'searchShipments'>
  set: (change: Partial<ShippedState>) => void
  get: () => ShippedState
  /** Somebody has just said what became of the shipment that is shown. */
  onResolved: (shipment: ShipmentDetails) => void
}

const maxSession = 12

/** Follows the shipments that were made at this screen, and the one that its panel shows. */
export function createShipped({ bridge, set, get, onResolved }: ShippedDeps) {
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
    asking: false,
    session: [],

    async findLastShipped() {
      const last = get().session.find(({ state }) => state === 'created')
      if (last) return last.id
      const everything = { limit: 100 }
      const found = await toResult(bridge.searchShipments(everything))
      // What other programs ordered was never at this screen.
      return found.ok ? found.value.shipments.find(hasLabelFromHere)?.id : undefined
    },
    async showAgain(shipmentId) {
      const { outcome } = get()
      if (outcome?.kind === 'shipment' && outcome.shipment.id === shipmentId) return
      const result = await toResult(bridge.getShipment({ shipmentId }))
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
      set({ session: sessionWith(summary) })
      if (!isShown(get().outcome, summary.id)) return
      // Its label may have come meanwhile.
      void toResult(bridge.getShipment({ shipmentId: summary.id })).then((result) => {
        if (result.ok && isShown(get().outcome, summary.id)) get().applyShipment(result.value)
      })
    },
  }

  return {
    state,
    /** Shows what the service made of a new shipment. */
    show(answer: ShipmentDetails): void {
      const shipment = withFreshJobs(answer)
      const others = get().session.filter((entry) => entry.id !== shipment.id)
      const session = [shipment, ...others].slice(0, maxSession)
      set({ session, outcome: { kind: 'shipment', shipment }, asking: false })
    },
  }
}

function hasLabelFromHere({ state, origin, labels }: ShipmentSummary): boolean {
  return state === 'created' && origin === 'screen' && labels.some(({ problem }) => problem === null)
}

/** Whether the panel shows a shipment, or that it must be resolved before another. */
function isShown(outcome: Outcome | null, shipmentId: string): boolean {
  if (outcome?.kind === 'shipment') return outcome.shipment.id === shipmentId
  return outcome?.kind === 'error' && outcome.unresolvedShipmentId === shipmentId
}

/** An outcome with newer states of its print jobs; jobs of other shipments change nothing. */
function withChangedJobs(outcome: Outcome | null, jobs: readonly PrintJob[]): Outcome | null {
  if (!outcome || outcome.kind === 'error') return outcome
  if (outcome.kind === 'shipment') {
    const shipment = withOwnJobs(outcome.shipment, jobs)
    return shipment === outcome.shipment ? outcome : { kind: 'shipment', shipment }
  }
  const own = jobs.filter((job) => job.shipmentId === outcome.earlier.shipmentId)
  return own.length === 0 ? outcome : { ...outcome, jobs: withJobs(outcome.jobs, own) }
}

/** Remembers the last states of jobs, because a job's event can arrive before the answer that brings the job. */
class RecentJobs {
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
