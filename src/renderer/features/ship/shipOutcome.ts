import type { ShipmentDetails, ShipmentSummary } from '../../../shared/shipments'
import { toResult, withOwnJobs } from '../../bridge'
import type { RecentJobs } from '../../ui/jobs'
import { outcomeWithJobs } from './outcome'
import type { ShipContext, ShipState } from './shipState'

type OutcomeActions = Pick<
  ShipState,
  'stopAsking' | 'findLastShipped' | 'showAgain' | 'applyJobs' | 'applyShipment' | 'applySummary'
>

const everything = { text: '', onlyNeedingAttention: false, offset: 0 }

function hasLabelFromHere({ state, origin, labels }: ShipmentSummary): boolean {
  return state === 'created' && origin === 'screen' && labels.some(({ problem }) => problem === null)
}

/** A shipment with everything newer that was heard of its jobs. */
export function withFreshJobs(recentJobs: RecentJobs, shipment: ShipmentDetails): ShipmentDetails {
  return { ...shipment, jobs: recentJobs.freshen(shipment.id, shipment.jobs) }
}

/** What happens to the outcome panel and the session's list after a shipment was sent. */
export function outcomeActions({ bridge, get, set, recentJobs }: ShipContext): OutcomeActions {
  /** After a shipment was resolved: one that exists leaves the form to the next parcel, the other can be sent again. */
  function goOn({ resolution, reference }: ShipmentDetails): void {
    const { form, clear, focusOn } = get()
    if (resolution?.verdict === 'exists' && form.reference.trim() === reference) clear()
    else focusOn('reference')
  }

  function sessionWith(changed: ShipmentSummary): ShipmentSummary[] {
    const fresh = { ...changed, jobs: recentJobs.freshen(changed.id, changed.jobs) }
    return get().session.map((entry) => (entry.id === changed.id ? fresh : entry))
  }

  /** Whether the panel shows a shipment, or that it stands in the way of another. */
  function isShown(shipmentId: string): boolean {
    const { outcome } = get()
    if (outcome?.kind === 'shipment') return outcome.shipment.id === shipmentId
    return outcome?.kind === 'error' && outcome.unresolvedShipmentId === shipmentId
  }

  /** Reads the shipment in the panel again: its label may have come meanwhile. */
  async function loadShown(shipmentId: string): Promise<void> {
    const result = await toResult(bridge.getShipment({ shipmentId }))
    if (result.ok && isShown(shipmentId)) get().applyShipment(result.value)
  }

  return {
    stopAsking() {
      set({ asking: false, focus: { field: 'reference' } })
    },

    async findLastShipped() {
      const last = get().session.find(({ state }) => state === 'created')
      if (last) return last.id
      const found = await toResult(bridge.searchShipments({ ...everything, limit: 100 }))
      // What other programs ordered was never at this screen.
      return found.ok ? found.value.shipments.find(hasLabelFromHere)?.id : undefined
    },

    async showAgain(shipmentId) {
      const { outcome } = get()
      if (outcome?.kind === 'shipment' && outcome.shipment.id === shipmentId) return
      const result = await toResult(bridge.getShipment({ shipmentId }))
      if (result.ok) set({ outcome: { kind: 'shipment', shipment: withFreshJobs(recentJobs, result.value) } })
    },

    applyJobs(jobs) {
      for (const job of jobs) recentJobs.note(job)
      const session = get().session.map((entry) => withOwnJobs(entry, jobs))
      set({ outcome: outcomeWithJobs(get().outcome, jobs), session })
    },

    applyShipment(shipment) {
      const { outcome } = get()
      const fresh = withFreshJobs(recentJobs, shipment)
      const shown = outcome?.kind === 'shipment' ? outcome.shipment : undefined
      const unresolvedId = outcome?.kind === 'error' ? outcome.unresolvedShipmentId : undefined
      const session = sessionWith(fresh)
      if (shown?.id === shipment.id || unresolvedId === shipment.id) {
        set({ outcome: { kind: 'shipment', shipment: fresh }, session })
        if (shipment.resolution && !shown?.resolution) goOn(shipment)
      } else set({ session })
    },

    applySummary(summary) {
      set({ session: sessionWith(summary) })
      if (isShown(summary.id)) void loadShown(summary.id)
    },
  }
}
