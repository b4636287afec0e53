import type { Timing } from './chunks'

/** Time as it passes on this machine. */
export function createTiming(now: () => Date): Timing {
  return {
    now,
    random: Math.random,
    pause(ms, signal) {
      return new Promise((resolve) => {
        if (signal.aborted) {
          resolve()
          return
        }
        const end = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', end)
          resolve()
        }
        const timer = setTimeout(end, ms)
        signal.addEventListener('abort', end, { once: true })
      })
    },
  }
}
