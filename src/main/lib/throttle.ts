import { setTimeout as pause } from 'node:timers/promises'

/**
 * Throttles a notification: the first change calls `notify` at once, further changes within `everyMs` one more time at its end.
 * @param onFailure called with an error of `notify`; later changes are still reported
 * @returns to be called with each change
 */
export function throttle(
  notify: () => Promise<void>,
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
        await notify()
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
