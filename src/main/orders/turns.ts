/** Runs pieces of work one after another, in the order in which they were handed in. */
export type Turns = <Value>(work: () => Promise<Value>) => Promise<Value>

/** Makes a queue of turns; a piece that fails does not hold up the next. */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}
