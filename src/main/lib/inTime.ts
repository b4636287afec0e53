import { setTimeout as pause } from 'node:timers/promises'

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
