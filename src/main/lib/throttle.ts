import { setTimeout as pause } from 'node:timers/promises'

/**
 * Throttles the telling of changes: the first one is told at once, what follows within `everyMs` together after that, as it is then.
 * @param onFailure learns what a telling threw; later changes are told all the same
 * @returns to be called with each change
 */
export function throttle(
  tell: () => Promise<void>,
  everyMs: number,
  onFailure: (error: unknown) => void,
): () => void {
  let isRunning = false
  let isDue = false

  async function run(): Promise<void> {
    isRunning = true
    do {
      isDue = false
      try {
        await tell()
      } catch (error) {
        onFailure(error)
      }
      await pause(everyMs, undefined, { ref: false })
    } while (isDue)
    isRunning = false
  }

  return () => {
    if (isRunning) isDue = true
    else void run()
  }
}
