import type { PrintServer } from './ipp/client'
import { askPrintServer } from './ipp/client'
import type { IppGroup } from './ipp/message'
import { groupTag, operation, toNumber, valueTag } from './ipp/message'

/** Outlives a job that waits for a whole shift, and ends by itself after a crash. */
const leaseSeconds = 12 * 60 * 60

/** All queues: CUPS 2.4 leaves a waiting job that is cancelled out of the events of its own queue. */
const allQueues = { name: 'printer-uri', tag: valueTag.uri, values: ['ipp://localhost/'] }

/** A subscription to the ends of a print server's jobs. */
export interface CupsSubscription {
  /** The event that a job has ended, with its `job-state`; undefined when the server has none. */
  findJobEnd(jobNumber: number): Promise<IppGroup | undefined>
  /** Ends the lease. */
  cancel(): Promise<void>
}

/**
 * Has the print server keep the ends of jobs until they are asked for (RFC 3996), since it may forget a job as
 * soon as it ends (`PreserveJobHistory No`). To be made before the job is.
 * @returns undefined when the server refuses or does not answer
 */
export async function subscribeToJobEnds(
  server: PrintServer,
  signal: AbortSignal,
): Promise<CupsSubscription | undefined> {
  const made = await askPrintServer(
    server,
    {
      operation: operation.createPrinterSubscriptions,
      target: [allQueues],
      subscription: [
        { name: 'notify-pull-method', tag: valueTag.keyword, values: ['ippget'] },
        { name: 'notify-events', tag: valueTag.keyword, values: ['job-completed'] },
        { name: 'notify-lease-duration', tag: valueTag.integer, values: [leaseSeconds] },
      ],
    },
    signal,
  )
  const group = made.ok ? made.value.groups.find(({ tag }) => tag === groupTag.subscription) : undefined
  const id = toNumber(group, 'notify-subscription-id')
  if (id === undefined) return undefined
  return {
    async findJobEnd(jobNumber) {
      const events = await askPrintServer(server, {
        operation: operation.getNotifications,
        target: [allQueues, { name: 'notify-subscription-ids', tag: valueTag.integer, values: [id] }],
      })
      if (!events.ok) return undefined
      return events.value.groups.find(
        (event) => event.tag === groupTag.event && toNumber(event, 'notify-job-id') === jobNumber,
      )
    },
    async cancel() {
      const target = [allQueues, { name: 'notify-subscription-id', tag: valueTag.integer, values: [id] }]
      await askPrintServer(server, { operation: operation.cancelSubscription, target })
    },
  }
}
