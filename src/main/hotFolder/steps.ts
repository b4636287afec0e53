import { setTimeout as pause } from 'node:timers/promises'
import type { AppError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { type BackOff, backOffMs } from '../lib/retry'
import type { Log } from '../log/log'
import { toHotFolderError } from './folders'
import { concernsOneFile } from './lineOutcome'

/** Why order files wait, by the step that waits. Each change is logged and reported once. */
export class WaitReasons {
  private readonly current = new Map<string, AppError>()

  constructor(
    private readonly log: Log,
    private readonly onChange: () => void,
  ) {}

  set(place: string, error: AppError): void {
    const before = this.current.get(place)
    this.current.set(place, error)
    if (before?.message === error.message) return
    this.log.warn('the hot folder waits', { code: error.code, reason: error.message })
    this.onChange()
  }

  clear(place: string): void {
    if (!this.current.delete(place)) return
    if (this.current.size === 0) this.log.info('the hot folder has resumed')
    this.onChange()
  }

  has(place: string): boolean {
    return this.current.has(place)
  }

  /** The oldest one that holds up all files, else the oldest one. */
  first(): AppError | undefined {
    const reasons = [...this.current.values()]
    return reasons.find((reason) => !concernsOneFile(reason)) ?? reasons[0]
  }
}

const stationBackOff: BackOff = { firstMs: 1_000, maxMs: 60_000 }
/** Between queries of the journal for a pending outcome. */
const outcomeBackOff: BackOff = { firstMs: 1_000, maxMs: 5_000 }

/** Repeats the steps of processing order files until they succeed. In between, the status shows why files wait. */
export class Steps {
  private readonly cuts = new Set<AbortController>()

  /**
   * @param stop ends all waits, which then throw its reason
   * @param wait resolves after so many milliseconds, or rejects when its signal is aborted
   */
  constructor(
    private readonly waitReasons: WaitReasons,
    private readonly stop: AbortSignal,
    private readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown> = (ms, signal) =>
      pause(ms, undefined, { signal }),
  ) {
    stop.addEventListener('abort', () => this.retryNow(), { once: true })
  }

  /** Repeats all waiting steps at once and resets their delays, because the cause of their failure may be gone. */
  retryNow(): void {
    for (const cut of this.cuts) cut.abort()
  }

  /**
   * Repeats a step until it succeeds or returns a final error.
   * @param place key of the wait reason
   * @param path the file or folder that a system error of the step concerns
   */
  tryUntilDone<Value>(
    place: string,
    path: string,
    step: () => Promise<Result<Value>>,
    isFinal: (error: AppError) => boolean = () => false,
  ): Promise<Result<Value>> {
    const attempt = async (): Promise<Result<Result<Value>>> => {
      try {
        const result = await step()
        if (!result.ok && !isFinal(result.error)) return result
        this.waitReasons.clear(place)
        return ok(result)
      } catch (error) {
        this.stop.throwIfAborted()
        return err(toHotFolderError(error, path))
      }
    }
    return this.repeat(attempt, stationBackOff, (error) => this.waitReasons.set(place, error))
  }

  /** Repeats a step until its lines do not have to wait any more. */
  async untilKnown<Value>(place: string, step: () => Promise<Result<Value>>): Promise<Value> {
    const value = await this.repeat(step, outcomeBackOff, (error) => this.waitReasons.set(place, error))
    this.waitReasons.clear(place)
    return value
  }

  /**
   * Repeats a step until it returns a value.
   * @throws the reason of `stop`, when it is aborted while the step waits for its next attempt
   */
  async repeat<Value, Failure>(
    attempt: () => Promise<Result<Value, Failure>>,
    backOff: BackOff,
    onFailure: (error: Failure) => void,
  ): Promise<Value> {
    for (let failures = 0; ; failures += 1) {
      const result = await attempt()
      if (result.ok) return result.value
      onFailure(result.error)
      const wasCutShort = await this.waitUnlessCut(backOffMs(backOff, failures))
      if (wasCutShort) failures = -1
    }
  }

  private async waitUnlessCut(ms: number): Promise<boolean> {
    this.stop.throwIfAborted()
    const cut = new AbortController()
    this.cuts.add(cut)
    await this.wait(ms, cut.signal).catch(() => undefined)
    this.cuts.delete(cut)
    this.stop.throwIfAborted()
    return cut.signal.aborted
  }
}
