import type { ShipmentDetails } from '../../shared/shipment'
import type { RecentJobs } from './jobs'
import { outcomeWithJobs } from './outcome'
import { settled } from './settled'
import type { ShipContext, ShipState } from './shipState'

type OutcomeActions = Pick<
  ShipState,
  'stopAsking' | 'showAgain' | 'applyJobs' | 'applyShipment' | 'applySummary'
>

/** A shipment with everything newer that was heard of its jobs. */
export function withFreshJobs(recentJobs: RecentJobs, shipment: ShipmentDetails): ShipmentDetails {
  return { ...shipment, jobs: recentJobs.freshen(shipment.id, shipment.jobs) }
}

/** What happens to the outcome panel and the session's list after a shipment was sent. */
export function outcomeActions({ bridge, get, set, recentJobs }: ShipContext): OutcomeActions {
  return {
    stopAsking() {
      set({ asking: false, focus: { field: 'reference' } })
    },

    async showAgain(shipmentId) {
      const { outcome } = get()
      if (outcome?.kind === 'shipment' && outcome.shipment.id === shipmentId) return
      const result = await settled(bridge.getShipment({ shipmentId }))
      if (result.ok) set({ outcome: { kind: 'shipment', shipment: withFreshJobs(recentJobs, result.value) } })
    },

    applyJobs(jobs) {
      for (const job of jobs) recentJobs.note(job)
      set({ outcome: outcomeWithJobs(get().outcome, jobs) })
    },

    applyShipment(shipment) {
      const { outcome } = get()
      const fresh = withFreshJobs(recentJobs, shipment)
      if (outcome?.kind === 'shipment' && outcome.shipment.id === shipment.id) {
        set({ outcome: { kind: 'shipment', shipment: fresh } })
      } else if (outcome?.kind === 'error' && outcome.unsettledShipmentId === shipment.id) {
        set({ outcome: { kind: 'shipment', shipment: fresh } })
      }
      get().applySummary(fresh)
    },

    applySummary(summary) {
      set({ session: get().session.map((entry) => (entry.id === summary.id ? summary : entry)) })
    },
  }
}
