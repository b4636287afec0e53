import type { PrintJob } from '../../../shared/printing'
import { withJobs } from '../../bridge'

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
