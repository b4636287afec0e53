import type {
  NewPrintJob,
  PrintJobChange,
  PrintJobRepository,
  QueuedJobs,
} from '../../../src/main/printing/queue/repository'
import type { PrintJob } from '../../../src/shared/printing'

/** A print job repository in memory that a test can make fail. */
export interface MemoryJobs extends PrintJobRepository {
  /** All jobs in the order in which they were added. */
  all(): PrintJob[]
  /** How many jobs were read since the start. */
  rowsRead(): number
  /**
   * Makes the next calls of an operation fail before or after they take effect: the caller cannot distinguish a
   * commit whose answer is lost from one that did not happen.
   */
  failNext(operation: FailingOperation, times: number, effect: 'before' | 'after'): void
}

type FailingOperation =
  | 'add'
  | 'change'
  | 'replace'
  | 'listInStates'
  | 'listQueues'
  | 'listByShipment'
  | 'find'

/**
 * Creates an empty repository. Jobs get the label position 1 and the reference `REF`, which the database would read.
 */
export function createMemoryJobs(): MemoryJobs {
  const jobs: PrintJob[] = []
  const ids = new Set<string>()
  /** The number of each job's last change. */
  const lastChanges = new Map<string, number>()
  let changeCount = 0
  /** Ids of jobs in the order in which they were sent last. */
  const sent = new Set<string>()
  let rowsRead = 0
  const faults = new Map<FailingOperation, { times: number; effect: 'before' | 'after' }>()

  async function perform<T>(operation: FailingOperation, effect: () => T): Promise<T> {
    // Never synchronous, like a database.
    await Promise.resolve()
    const fault = faults.get(operation)
    if (fault === undefined || fault.times === 0) {
      const value = structuredClone(effect())
      rowsRead += Array.isArray(value) ? value.length : 1
      return value
    }
    fault.times -= 1
    if (fault.effect === 'after') effect()
    throw new Error(`the store failed (${operation})`)
  }

  const indexOf = (jobId: string, from: readonly string[]) =>
    jobs.findIndex((job) => job.id === jobId && from.includes(job.state))

  function noteChange(jobId: string): void {
    changeCount += 1
    lastChanges.set(jobId, changeCount)
  }

  function put(job: NewPrintJob): PrintJob {
    if (ids.has(job.id)) throw new Error(`there is a job ${job.id} already`)
    ids.add(job.id)
    const moment = new Date().toISOString()
    const stored: PrintJob = {
      ...job,
      document: job.labelId === null ? 'invoice' : 'label',
      labelPosition: 1,
      reference: 'REF',
      barcode: '3STEST',
      state: 'queued',
      createdAt: moment,
      updatedAt: moment,
      acceptedAt: null,
      outputPath: null,
      note: null,
      error: null,
    }
    jobs.push(stored)
    noteChange(stored.id)
    return stored
  }

  function toQueues(begun: readonly string[]): QueuedJobs[] {
    const queues = new Map<string, QueuedJobs>()
    for (const job of jobs) {
      if (job.state !== 'queued' || begun.includes(job.id)) continue
      const queue = queues.get(job.printerId)
      if (queue === undefined) queues.set(job.printerId, { next: job, count: 1 })
      else queue.count += 1
    }
    return [...queues.values()]
  }

  function update(
    index: number,
    { acceptedAt, scannedAt, leftSpoolerAt, ...rest }: PrintJobChange,
  ): PrintJob | undefined {
    const job = jobs[index]
    if (job === undefined) return undefined
    const keepsTime = rest.scanSkipped !== undefined || leftSpoolerAt !== undefined
    const changed: PrintJob = {
      ...job,
      ...rest,
      ...(scannedAt !== undefined && { scannedAt: scannedAt.toISOString() }),
      ...(acceptedAt !== undefined && { acceptedAt: acceptedAt.toISOString() }),
      ...(leftSpoolerAt !== undefined && { leftSpoolerAt: leftSpoolerAt.toISOString() }),
      ...(!keepsTime && { updatedAt: new Date().toISOString() }),
    }
    jobs[index] = changed
    if (rest.state === 'sending' || (!sent.has(job.id) && rest.state === 'unconfirmed')) {
      sent.delete(job.id)
      sent.add(job.id)
    }
    if (!keepsTime) noteChange(changed.id)
    return changed
  }

  return {
    all: () => structuredClone(jobs),
    rowsRead: () => rowsRead,
    failNext: (operation, times, effect) => faults.set(operation, { times, effect }),
    add: (added) => perform('add', () => added.map(put)),
    find: (jobId) => perform('find', () => jobs.find((job) => job.id === jobId)),
    listByShipment: (shipmentId) =>
      perform('listByShipment', () => jobs.filter((job) => job.shipmentId === shipmentId)),
    listByShipments: (shipmentIds) =>
      perform('listByShipment', () => jobs.filter((job) => shipmentIds.includes(job.shipmentId))),
    listInStates: (states) => perform('listInStates', () => jobs.filter((job) => states.includes(job.state))),
    listQueues: (begun) => perform('listQueues', () => toQueues(begun)),
    newestInStates: (states, limit) =>
      perform('listInStates', () =>
        jobs
          .filter((job) => states.includes(job.state))
          .toSorted((one, other) => (lastChanges.get(one.id) ?? 0) - (lastChanges.get(other.id) ?? 0))
          .slice(-limit),
      ),
    findLastSent: (printerId, states) =>
      perform('find', () =>
        [...sent]
          .flatMap((id) => jobs.find((job) => job.id === id) ?? [])
          .findLast((job) => job.printerId === printerId && states.includes(job.state)),
      ),
    change: (jobId, from, change) => perform('change', () => update(indexOf(jobId, from), change)),
    replace: (jobIds, from, change, successors) =>
      perform('replace', () => {
        const found = jobIds.map((jobId) => indexOf(jobId, from))
        if (found.includes(-1)) return undefined
        const replaced = found.flatMap((index) => update(index, change) ?? [])
        return { replaced, successors: successors.map(put) }
      }),
  }
}
