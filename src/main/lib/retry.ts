import { setTimeout as pause } from 'node:timers/promises'
import type { Result } from '../../shared/result'

/** Growing waits between tries, in milliseconds: doubled each time, up to the longest one. */
export interface BackOff {
  firstMs: number
  maxMs: number
}

/**
 * The wait after a failed try.
 * @param failures how many tries failed before this one
 */
export function backOffMs({ firstMs, maxMs }: BackOff, failures: number): number {
  return Math.min(firstMs * 2 ** failures, maxMs)
}

const storing: BackOff = { firstMs: 100, maxMs: 10_000 }

/**
 * Tries to store something until it is stored: what has happened at the service or at a printer can't be undone, so a
 * full disk must not make the app forget it.
 * @param signal the app is closing: one try that fails is the last
 * @returns undefined when it was given up
 */
export async function persist<Value>(
  attempt: () => Promise<Value>,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<Value | undefined> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt()
    } catch (error) {
      onFailure(error)
      if (signal.aborted) return undefined
      await pause(backOffMs(storing, failures), undefined, { signal }).catch(() => undefined)
    }
  }
}

/** Steps that are tried again until they succeed. Their waits can be cut short together, and end when `stop` is aborted. */
export class Retries {
  private readonly cuts = new Set<AbortController>()

  /** @param wait resolves after so many milliseconds, or rejects when its signal is aborted */
  constructor(
    private readonly stop: AbortSignal,
    private readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown> = (ms, signal) =>
      pause(ms, undefined, { signal }),
  ) {
    stop.addEventListener('abort', () => this.retryNow(), { once: true })
  }

  /**
   * Tries until there is a value.
   * @throws the reason of `stop`, when that is aborted while the step waits for its next try
   */
  async run<Value, Failure>(
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

  /** Something changed for the better: whatever waits tries again at once, and its waits begin anew. */
  retryNow(): void {
    for (const cut of this.cuts) cut.abort()
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

/**
 * Gives the work's result.
 * @throws the reason of `stop` as soon as that is aborted; the work itself goes on then
 */
export function untilStopped<Value>(work: Promise<Value>, stop: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(stop.reason)
    if (stop.aborted) giveUp()
    stop.addEventListener('abort', giveUp, { once: true })
    void work.then(resolve, reject).finally(() => stop.removeEventListener('abort', giveUp))
  })
}

/** @returns what `work` gives; undefined when it takes longer or fails */
export async function inTime<T>(work: Promise<T>, maxMs: number): Promise<T | undefined> {
  const ended = new AbortController()
  const late = pause(maxMs, undefined, { signal: ended.signal }).catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } catch {
    return undefined
  } finally {
    ended.abort()
  }
}
