import { setImmediate } from 'node:timers/promises'

/** Maximum time between two yields, in milliseconds. */
const maxPieceMs = 4

/**
 * Lets a long computation yield to the event loop of main, so that creations, labels and the window are not blocked.
 * @returns a function to be awaited after each small step; it yields only when the time since the last yield is used up
 */
export function createPacer(): () => Promise<void> | undefined {
  let begunAt = performance.now()
  return () => {
    if (performance.now() - begunAt < maxPieceMs) return undefined
    return setImmediate().then(() => {
      begunAt = performance.now()
    })
  }
}
