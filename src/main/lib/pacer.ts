import { setImmediate } from 'node:timers/promises'

/** Longest piece of a long work, in milliseconds. */
const maxPieceMs = 4

/**
 * Cuts a long work of main into pieces, between which creations, labels and the window have their turn.
 * @returns to be awaited after each small part of the work; waits only when the piece has become long enough
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
