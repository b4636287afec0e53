import type { PrintJob } from '../../shared/printing'

/** Puts jobs' newer states into a list of jobs; those that are not in it come last. */
export function withJobs(jobs: readonly PrintJob[], changed: readonly PrintJob[]): PrintJob[] {
  const merged = new Map(jobs.map((job) => [job.id, job]))
  for (const job of changed) {
    const known = merged.get(job.id)
    if (known === undefined || known.updatedAt <= job.updatedAt) merged.set(job.id, job)
  }
  return [...merged.values()]
}

/** A shipment with newer states of its own print jobs; the very same one when no job is its. */
export function withOwnJobs<Shipment extends { id: string; jobs: PrintJob[] }>(
  shipment: Shipment,
  changed: readonly PrintJob[],
): Shipment {
  const own = changed.filter((job) => job.shipmentId === shipment.id)
  return own.length === 0 ? shipment : { ...shipment, jobs: withJobs(shipment.jobs, own) }
}

/** Remembers the last states of jobs, because a job's event can arrive before the answer that brings the job. */
export class RecentJobs {
  readonly #jobs = new Map<string, PrintJob>()
  static readonly #most = 300

  /** Remembers a job's state, and forgets the oldest job when there are too many. */
  note(job: PrintJob): void {
    this.#jobs.delete(job.id)
    this.#jobs.set(job.id, job)
    const [oldest] = this.#jobs.keys()
    if (this.#jobs.size > RecentJobs.#most && oldest !== undefined) this.#jobs.delete(oldest)
  }

  /** A list of jobs of one shipment with everything newer that was heard of them. */
  freshen(shipmentId: string, jobs: readonly PrintJob[]): PrintJob[] {
    const heard = [...this.#jobs.values()].filter((job) => job.shipmentId === shipmentId)
    return withJobs(jobs, heard)
  }
}
