import type { PrintJob, PrintJobState } from '../../../shared/printing'
import type { PrintJobRepository } from './repository'

const underWay: readonly PrintJobState[] = ['queued', 'sending']

/** Lets others wait until nothing more happens by itself to the jobs of a shipment's labels. An invoice holds up nobody. */
export interface EndedJobs {
  /** To be called with every changed job. */
  announce(job: PrintJob): void
  /** The jobs of a shipment's labels when all are ended, or as they are when the signal is aborted or printing stops. */
  wait(shipmentId: string, signal?: AbortSignal): Promise<PrintJob[]>
  /** Ends all waits. */
  stop(): void
}

/** Starts with nobody waiting. */
export function createEndedJobs(store: Pick<PrintJobRepository, 'ofShipment'>): EndedJobs {
  const waits = new Map<string, Set<() => void>>()
  const stopping = new AbortController()

  const nextChange = (shipmentId: string, signal: AbortSignal) => {
    const waiters = waits.get(shipmentId) ?? new Set()
    waits.set(shipmentId, waiters)
    let end = () => {}
    const happened = new Promise<void>((resolve) => {
      end = () => {
        waiters.delete(end)
        if (waiters.size === 0) waits.delete(shipmentId)
        signal.removeEventListener('abort', end)
        resolve()
      }
    })
    waiters.add(end)
    signal.addEventListener('abort', end, { once: true })
    return { happened, end }
  }

  return {
    announce(job) {
      for (const end of [...(waits.get(job.shipmentId) ?? [])]) end()
    },
    async wait(shipmentId, signal) {
      const ended = signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal])
      for (;;) {
        // Listening begins before reading, so that no change falls between the two.
        const change = nextChange(shipmentId, ended)
        try {
          const all = await store.ofShipment(shipmentId)
          const jobs = all.filter(({ document }) => document === 'label')
          if (ended.aborted || jobs.every((job) => !underWay.includes(job.state))) return jobs
          await change.happened
        } finally {
          change.end()
        }
      }
    },
    stop() {
      stopping.abort()
    },
  }
}
