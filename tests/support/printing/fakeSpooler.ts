import type { RawJobFailure, WindowsSpooler } from '../../../src/main/printing/drivers/winspool'

/** A fake print spooler of Windows that a test controls. */
export interface FakeSpooler extends WindowsSpooler {
  /** Jobs in the order in which they were made; `status` has the bits of winspool.h. */
  jobs: FakeSpoolerJob[]
  /** The failure of the next job; undefined when it succeeds. */
  refuses: RawJobFailure | undefined
  /** Whether it retains printed jobs. */
  retains: boolean
  /** Whether it answers at all. */
  answers: boolean
  /** Whether it accepts bytes. */
  writes: boolean
  /** Called after each command, so that a test can change what happens next. */
  onCommand: ((command: string, job: FakeSpoolerJob) => void) | undefined
}

interface FakeSpoolerJob {
  id: number
  queue: string
  title: string
  status: number
  bytes: Buffer
  ended: boolean
  abandoned: boolean
  /** Whether it is still in the queue. */
  listed: boolean
  commands: string[]
}

/** A spooler with an empty queue that keeps jobs waiting. */
export function createFakeSpooler(): FakeSpooler {
  const never = new Promise<never>(() => undefined)
  const spooler: FakeSpooler = {
    jobs: [],
    refuses: undefined,
    retains: true,
    answers: true,
    writes: true,
    onCommand: undefined,
    async startRawJob(queue, title) {
      if (!spooler.answers) return never
      if (spooler.refuses !== undefined) return spooler.refuses
      const job: FakeSpoolerJob = {
        ...{ id: spooler.jobs.length + 41, queue, title, status: 0x8, bytes: Buffer.alloc(0) },
        ...{ ended: false, abandoned: false, listed: true, commands: [] },
      }
      spooler.jobs.push(job)
      return {
        id: job.id,
        async write(bytes) {
          if (spooler.writes) job.bytes = Buffer.concat([job.bytes, bytes])
          return spooler.writes
        },
        async end() {
          job.ended = true
          job.status &= ~0x8
          return true
        },
        async abandon() {
          job.abandoned = true
          job.listed = false
        },
      }
    },
    async listJobs(queue) {
      if (!spooler.answers) return undefined
      return spooler.jobs
        .filter((job) => job.queue === queue && job.listed)
        .map(({ id, status, title }) => ({ id, status, title }))
    },
    async controlJob(_, jobId, command) {
      const job = spooler.jobs.find(({ id }) => id === jobId)
      if (job === undefined || !job.listed) return false
      if (command === 'retain' && !spooler.retains) return false
      job.commands.push(command)
      if (command === 'pause') job.status |= 0x1
      if (command === 'resume') job.status &= ~0x1
      if (command === 'cancel' || command === 'release') job.listed = false
      spooler.onCommand?.(command, job)
      return true
    },
  }
  return spooler
}
