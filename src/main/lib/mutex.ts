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
