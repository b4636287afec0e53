import { setTimeout as pause } from 'node:timers/promises'

const firstWaitMs = 100
const maxWaitMs = 10_000

/**
 * Tries to store something until it is stored. What has happened at a printer can't be undone, so a full disk must not
 * make the app forget it.
 * @param signal the app is closing: one try that fails is the last
 * @returns undefined when it was given up
 */
export async function persist<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<T | undefined> {
  for (let wait = firstWaitMs; ; wait = Math.min(wait * 2, maxWaitMs)) {
    try {
      return await attempt()
    } catch (error) {
      onFailure(error)
      if (signal.aborted) return undefined
      await pause(wait, undefined, { signal }).catch(() => undefined)
    }
  }
}
