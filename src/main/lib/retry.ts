import { setTimeout as pause } from 'node:timers/promises'

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
