import type { PrintJob } from '../../../shared/printing'
import type { PrintJobStore } from '../ports'

/** The same store, which tells `announce` of every job that it added or changed, once that is durable. */
export function announceChanges(store: PrintJobStore, announce: (job: PrintJob) => void): PrintJobStore {
  return {
    find: (jobId) => store.find(jobId),
    ofShipment: (shipmentId) => store.ofShipment(shipmentId),
    ofShipments: (shipmentIds) => store.ofShipments(shipmentIds),
    inStates: (states) => store.inStates(states),
    listQueues: (begun) => store.listQueues(begun),
    newestInStates: (states, limit, printerId) => store.newestInStates(states, limit, printerId),
    async add(jobs) {
      const added = await store.add(jobs)
      added.forEach(announce)
      return added
    },
    async change(jobId, from, change) {
      const changed = await store.change(jobId, from, change)
      if (changed !== undefined) announce(changed)
      return changed
    },
    async replace(jobIds, from, change, successors) {
      const done = await store.replace(jobIds, from, change, successors)
      if (done === undefined) return undefined
      // The successors first: a listener must never see a label for which nothing more is to come.
      done.successors.forEach(announce)
      done.replaced.forEach(announce)
      return done
    },
  }
}
