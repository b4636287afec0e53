import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll, onTestFailed, onTestFinished } from 'vitest'

type Ending = () => unknown

/** What is made for several tests outlives the one that asked first. */
const shared = new AsyncLocalStorage<Ending[]>()

/** Ends something with the test that made it, or, when that is shared, with what it was made for. */
export function endWithTest(end: Ending): void {
  const endings = shared.getStore()
  if (endings === undefined) onTestFinished(async () => void (await end()))
  else endings.push(end)
}

/** What several tests share, and what makes it ready for one more of them. */
interface Shared<T> {
  made: T
  renew(): Promise<void>
}

/**
 * Makes something once for the tests of a file or of a `describe`, with which it ends. A test that fails leaves the next one,
 * and its own second try, a new one.
 */
export function sharedByTests<T>(make: () => Promise<Shared<T>>): () => Promise<T> {
  let kept: Shared<T> | undefined
  let endings: Ending[] = []
  const end = async () => {
    const ended = endings
    kept = undefined
    endings = []
    for (const each of ended.reverse()) await each()
  }
  afterAll(end)
  return async () => {
    onTestFailed(end)
    if (kept === undefined) kept = await shared.run(endings, make)
    else await kept.renew()
    return kept.made
  }
}
