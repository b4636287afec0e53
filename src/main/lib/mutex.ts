/** Runs pieces of work one at a time, in the order in which they were handed in. */
export type Mutex = <Value>(work: () => Promise<Value>) => Promise<Value>

/** Makes a free mutex. Work that fails does not hold up the next. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}
