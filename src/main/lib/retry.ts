import { rest } from './async'

/** Exponential back-off in milliseconds: doubled each time, up to `maxMs`. */
export interface BackOff {
  firstMs: number
  maxMs: number
}

/**
 * The delay after a failed attempt.
 * @param failures number of attempts that failed before this one
 */
export function backOffMs({ firstMs, maxMs }: BackOff, failures: number): number {
  return Math.min(firstMs * 2 ** failures, maxMs)
}

const storing: BackOff = { firstMs: 100, maxMs: 10_000 }

/**
 * Repeats storing something until it succeeds: results of the service or a printer can't be undone, so a full disk must
 * not make the app lose them.
 * @param signal aborted when the app is closing: the next failure is the last
 * @returns undefined after giving up
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
      await rest(backOffMs(storing, failures), { signal })
    }
  }
}

/**
 * Returns the result of `work`.
 * @throws the reason of `stop` as soon as it is aborted; the work itself continues
 */
export function untilStopped<Value>(work: Promise<Value>, stop: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(stop.reason)
    if (stop.aborted) giveUp()
    stop.addEventListener('abort', giveUp, { once: true })
    void work.then(resolve, reject).finally(() => stop.removeEventListener('abort', giveUp))
  })
}

/** @returns the result of `work`; undefined when it takes longer or fails */
export async function inTime<T>(work: Promise<T>, maxMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, maxMs, undefined)
  })
  try {
    return await Promise.race([work, late])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
