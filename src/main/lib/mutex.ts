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
