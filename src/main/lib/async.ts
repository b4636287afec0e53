import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'

/** A promise that is fulfilled from outside. */
export function deferred<Value = void>() {
  let resolve: (value: Value) => void = () => undefined
  const promise = new Promise<Value>((onFulfilled) => {
    resolve = onFulfilled
  })
  return { promise, resolve }
}

/** Waits, or until the signal is aborted. Without `ref` it does not keep the process running. */
export function rest(ms: number, options: { signal?: AbortSignal; ref?: boolean } = {}): Promise<undefined> {
  return pause(ms, undefined, options).catch(() => undefined)
}

/** Runs functions one at a time, in the order of their calls. */
export type Mutex = <Value>(work: () => Promise<Value>) => Promise<Value>

/** Creates a mutex. A failure does not affect later calls. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}

/** Runs functions with the same key one at a time, in the order of their calls. */
type KeyedMutex = <Value>(key: string, work: () => Promise<Value>) => Promise<Value>

/** Creates a mutex for each key, which is forgotten when its last function has ended. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const done = (last.get(key) ?? Promise.resolve()).then(work)
    const ended: Promise<unknown> = done
      .catch(() => undefined)
      .finally(() => (last.get(key) === ended ? last.delete(key) : undefined))
    last.set(key, ended)
    return done
  }
}

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
    return nextTurn().then(() => {
      begunAt = performance.now()
    })
  }
}
