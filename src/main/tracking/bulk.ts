import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type {
  BulkProgress,
  BulkRow,
  ParcelShipment,
  TrackedCode,
  TrackingOptions,
  TrackingSettings,
} from '../../shared/tracking'
import type { CarrierGateway } from '../carrier/gateway'
import type { EventBus } from '../lib/eventBus'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import { accountCodes, askChunks, cutIntoChunks, noConnectionCodes, type Timing } from './chunks'
import { isCompleteTimeline, type ParcelRepository } from './repository'

/** How long rows are collected for one message to the screen, because many small messages would keep it busy. */
const messageEveryMs = 120
/** Maximum rows per message, so that the screen does not stutter. */
const maxRowsAtOnce = 500

interface BulkDeps {
  trackBulk: CarrierGateway['trackBulk']
  parcels: Pick<ParcelRepository, 'findShipments' | 'keep' | 'noteStatuses'>
  settings: () => TrackingSettings
  timing: Timing
  newId: () => string
  log: Log
  bus: Pick<EventBus, 'emit'>
}

/** Bulk tracking for the screen: one job at a time, kept until the next one starts. */
export class BulkTracking {
  private job: BulkJob | undefined

  constructor(private readonly deps: BulkDeps) {}

  start(codes: readonly string[], options: TrackingOptions): BulkProgress {
    this.job?.cancel()
    this.job = new BulkJob(this.deps, codes, options)
    this.job.run()
    return this.job.progress([])
  }

  /** Requests the codes that failed or were not requested yet; `tracking-not-running` when the job no longer exists. */
  resume(jobId: string): Result<BulkProgress> {
    const job = this.findJob(jobId)
    if (!job.ok) return job
    job.value.run()
    return ok(job.value.progress([]))
  }

  cancel(jobId: string): void {
    const job = this.findJob(jobId)
    if (job.ok) job.value.cancel()
  }

  /** The job's rows in the order of `codes`; codes without a row are left out. */
  getRows(jobId: string, codes: readonly string[]): Result<BulkRow[]> {
    const job = this.findJob(jobId)
    return job.ok ? ok(job.value.listRows(codes)) : job
  }

  /** Cancels the job and waits until it stores nothing more. */
  async stop(): Promise<void> {
    this.job?.cancel()
    await this.job?.idle()
  }

  private findJob(jobId: string): Result<BulkJob> {
    return this.job?.id === jobId ? ok(this.job) : err(appError('tracking-not-running'))
  }
}

class BulkJob {
  readonly id: string
  private readonly codes: readonly string[]
  private readonly rows = new Map<string, BulkRow>()
  private ours: Promise<Map<string, ParcelShipment>> = Promise.resolve(new Map())
  private waiting: BulkRow[] = []
  private timer: NodeJS.Timeout | undefined
  private runAbort: AbortController | undefined
  private running: Promise<void> = Promise.resolve()
  private cancelled = false
  private failed = 0
  private error: AppError | null = null
  private pausing = false

  constructor(
    private readonly deps: BulkDeps,
    codes: readonly string[],
    private readonly options: TrackingOptions,
  ) {
    this.id = deps.newId()
    this.codes = [...new Set(codes)]
  }

  /** Requests the codes without a row; does nothing when already running. */
  run(): void {
    if (this.runAbort !== undefined) return
    const run = new AbortController()
    this.runAbort = run
    this.cancelled = false
    this.failed = 0
    this.error = null
    this.running = this.requestRemaining(run.signal)
      .catch((error: unknown) => {
        this.deps.log.error('bulk tracking failed with an exception', { error: String(error) })
        this.error = appError('internal', { case: 'bulk' })
      })
      .finally(() => {
        this.runAbort = undefined
        // Includes codes that were not requested because the run ended early.
        if (!this.cancelled) this.failed = this.codes.length - this.rows.size
        this.pausing = false
        this.sendProgress()
      })
  }

  idle(): Promise<void> {
    return this.running
  }

  /** Keeps the rows received so far; does not wait for requests in flight. */
  cancel(): void {
    if (this.runAbort === undefined) return
    this.cancelled = true
    this.runAbort.abort()
  }

  listRows(codes: readonly string[]): BulkRow[] {
    return codes.flatMap((code) => this.rows.get(code) ?? [])
  }

  progress(rows: BulkRow[]): BulkProgress {
    const ended = this.cancelled ? 'cancelled' : 'ended'
    return {
      jobId: this.id,
      state: this.runAbort === undefined ? ended : 'running',
      total: this.codes.length,
      answered: this.rows.size,
      failed: this.failed,
      error: this.error,
      pausing: this.pausing,
      rows: JSON.stringify(rows),
    }
  }

  private async requestRemaining(signal: AbortSignal): Promise<void> {
    const { chunkSize, parallelRequests } = this.deps.settings()
    const left = this.codes.filter((code) => !this.rows.has(code))
    this.ours = this.deps.parcels.findShipments(left).catch((error: unknown) => {
      const reason = toReason(error)
      this.deps.log.error('the shipments of a bulk look-up could not be read', { reason })
      return new Map()
    })
    await askChunks(cutIntoChunks(left, chunkSize), {
      ask: (codes, onAnswered) => this.deps.trackBulk(codes, this.options, onAnswered),
      timing: this.deps.timing,
      parallel: parallelRequests,
      signal,
      onChunk: (codes, result) => this.handleChunk(codes, result),
      onPause: (pausing) => {
        this.pausing = pausing
        this.sendProgressSoon()
      },
    })
  }

  private async handleChunk(codes: readonly string[], result: Result<TrackedCode[]>): Promise<void> {
    if (!result.ok) {
      this.failed += codes.length
      this.error = result.error
      if ([...accountCodes, ...noConnectionCodes].includes(result.error.code)) this.runAbort?.abort()
      this.sendProgressSoon()
      return
    }
    // Drops codes that the answer contains without being requested.
    const tracked = result.value.slice(0, codes.length)
    const ours = await this.ours
    for (const each of tracked) {
      const row = toRow(each, ours.get(each.code) ?? null)
      this.rows.set(each.code, row)
      this.waiting.push(row)
    }
    this.sendProgressSoon()
    const trackedOurs = tracked.filter(({ code }) => ours.has(code))
    // The operator gets the rows although they can't be stored, e.g. on a full disk.
    try {
      await storeResults(this.deps, tracked, trackedOurs, this.options)
    } catch (error) {
      this.deps.log.error('the answer to a bulk look-up could not be stored', {
        reason: toReason(error),
      })
    }
  }

  private sendProgressSoon(): void {
    this.timer ??= setTimeout(() => this.sendProgress(), messageEveryMs)
  }

  private sendProgress(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const rows = this.waiting
    this.waiting = []
    for (let start = maxRowsAtOnce; start < rows.length; start += maxRowsAtOnce) {
      const slice = rows.slice(start - maxRowsAtOnce, start)
      this.deps.bus.emit('bulkTrackingProgressed', { ...this.progress(slice), state: 'running' })
    }
    const left = rows.length % maxRowsAtOnce || Math.min(rows.length, maxRowsAtOnce)
    this.deps.bus.emit('bulkTrackingProgressed', this.progress(rows.slice(rows.length - left)))
  }
}

/** Stores the statuses of watched parcels; results of other codes are not stored. */
async function storeResults(
  { parcels, timing }: BulkDeps,
  tracked: readonly TrackedCode[],
  ours: readonly TrackedCode[],
  options: TrackingOptions,
): Promise<void> {
  await parcels.noteStatuses(
    tracked.flatMap((each) => each.lastStatus ?? []),
    timing.now(),
  )
  if (ours.length === 0 || !isCompleteTimeline(options)) return
  await parcels.keep(ours, options.language, timing.now(), { alsoUnwatched: false })
}

function toRow(tracked: TrackedCode, shipment: BulkRow['shipment']): BulkRow {
  return {
    code: tracked.code,
    found: tracked.found,
    lastStatus: tracked.lastStatus,
    eventCount: tracked.events.length,
    shipment,
  }
}
